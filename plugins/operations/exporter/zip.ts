import type { Readable } from 'node:stream'

/** A file of a zip archive. */
export interface ZippedFile {
  /** Path in the archive, with slashes. */
  readonly name: string
  readonly content: Readable
  readonly modified?: Date
  /** Whether its content is stored as it is, because it does not become smaller. */
  readonly isCompressed?: boolean
}

/** Yields a zip archive, reading one file after another. */
export async function* zipOf(files: AsyncIterable<ZippedFile>): AsyncGenerator<Buffer> {
  const { ZipFile } = await import('yazl')
  const zip = new ZipFile()
  const filling = (async () => {
    for await (const { name, content, modified = new Date(), isCompressed = false } of files) {
      const isRead = new Promise<void>((resolve, reject) => {
        content.once('close', resolve).once('error', reject)
      })
      zip.addReadStream(content, name, { mtime: modified, mode: 0o100644, compress: !isCompressed })
      // The library would otherwise hold all files open.
      await isRead
    }
    zip.end()
  })()
  const bytes = zip.outputStream as Readable
  filling.catch((error: Error) => bytes.destroy(error))
  for await (const piece of bytes) yield piece as Buffer
  await filling
}
