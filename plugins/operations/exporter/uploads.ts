import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import tar from 'tar-stream'
import { errors } from './errors.ts'
import { OutputFile } from './output-file.ts'
import { zipOf, type ZippedFile } from './zip.ts'

/** Folder of the files in an archive; imports remove it. */
const FOLDER = 'uploads'

/** A media file in the uploads folder. */
interface MediaFile {
  /** Path below the folder, with slashes. */
  readonly name: string
  readonly size: number
  readonly modified: Date
}

/**
 * Writes media files into an archive, one after another.
 * @param archive path of the `.tar`, `.tar.gz`, `.tgz` or `.zip` file
 * @param folder path of the uploads folder
 * @param names of the files, relative to the folder, with slashes; missing files are skipped
 * @param onFile called for each written or missing file
 * @returns the written archive
 * @throws EXPORT_UPLOADS_FORMAT
 */
export async function writeUploads(
  archive: string,
  folder: string,
  names: AsyncIterable<string>,
  onFile: (name: string, isMissing: boolean) => void,
): Promise<OutputFile> {
  const write = writerOf(archive)
  const output = await OutputFile.open(archive)
  try {
    await write(filesOf(folder, names, onFile), folder, output)
    await output.finish()
    return output
  } catch (error) {
    await output.discard()
    throw error
  }
}

/** Fails if the name of an archive has no known extension. @throws EXPORT_UPLOADS_FORMAT */
export function checkArchiveName(archive: string): void {
  writerOf(archive)
}

type ArchiveWriter = (files: AsyncIterable<MediaFile>, folder: string, output: OutputFile) => Promise<void>

function writerOf(archive: string): ArchiveWriter {
  if (/\.zip$/i.test(archive)) return writeZip
  if (/\.tar$/i.test(archive)) return (files, folder, output) => writeTar(files, folder, output, false)
  if (/\.(?:tar\.gz|tgz)$/i.test(archive)) return (files, folder, output) => writeTar(files, folder, output, true)
  throw errors.EXPORT_UPLOADS_FORMAT(archive)
}

async function* filesOf(
  folder: string,
  names: AsyncIterable<string>,
  onFile: (name: string, isMissing: boolean) => void,
): AsyncGenerator<MediaFile> {
  const written = new Set<string>()
  for await (const name of names) {
    // Attachments can share a file.
    if (written.has(name)) continue
    written.add(name)
    const found = await stat(path.join(folder, name)).catch(() => undefined)
    const isFile = found?.isFile() === true
    if (isFile) yield { name, size: found.size, modified: found.mtime }
    onFile(name, !isFile)
  }
}

async function writeTar(
  files: AsyncIterable<MediaFile>,
  folder: string,
  output: OutputFile,
  isCompressed: boolean,
): Promise<void> {
  const pack = tar.pack()
  const filling = (async () => {
    for await (const { name, size, modified } of files) {
      const entry = pack.entry({ name: `${FOLDER}/${name}`, size, mtime: modified, mode: 0o644 })
      await pipeline(contentOf(path.join(folder, name), size), entry as unknown as NodeJS.WritableStream)
    }
    pack.finalize()
  })()
  filling.catch((error: Error) => pack.destroy(error))
  const packed = pack as unknown as Readable
  const bytes: Readable = isCompressed ? packed.pipe(createGzip()) : packed
  // An error of the archive does not reach the compressed stream by itself.
  if (isCompressed) packed.on('error', (error) => bytes.destroy(error))
  for await (const piece of bytes) await output.write(piece as Buffer)
  await filling
}

async function writeZip(files: AsyncIterable<MediaFile>, folder: string, output: OutputFile): Promise<void> {
  for await (const piece of zipOf(zippedFiles(files, folder))) await output.write(piece)
}

async function* zippedFiles(files: AsyncIterable<MediaFile>, folder: string): AsyncGenerator<ZippedFile> {
  for await (const { name, size, modified } of files) {
    const content = contentOf(path.join(folder, name), size)
    yield { name: `${FOLDER}/${name}`, content, modified, isCompressed: isCompressed(name) }
  }
}

/** Whether the content of a file does not become smaller. */
function isCompressed(name: string): boolean {
  return /\.(?:jpe?g|png|gif|webp|avif|mp[34]|m4a|mov|webm|og[gv]|zip|gz|pdf|woff2?)$/i.test(name)
}

/** Reads exactly as many bytes as the archive announces. @throws if the file has become shorter */
function contentOf(file: string, size: number): Readable {
  if (size === 0) return Readable.from([])
  const content = createReadStream(file, { end: size - 1 })
  return Readable.from(
    (async function* () {
      let bytes = 0
      for await (const piece of content) {
        bytes += (piece as Buffer).length
        yield piece as Buffer
      }
      if (bytes < size) throw new Error(`${file} has become shorter while it was read.`)
    })(),
    { objectMode: false },
  )
}
