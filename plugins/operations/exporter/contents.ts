import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { CurrentUser, PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import type { Counts } from './counts.ts'
import { operator, writeJsonLines } from './json-lines.ts'
import { writeMarkdown, zipped } from './markdown.ts'
import { OutputFile } from './output-file.ts'
import type { Selection } from './selection.ts'
import type { ExportFormat } from './types.ts'
import type { FormatNames } from './wxr/names.ts'
import { writeWxr } from './wxr/write-wxr.ts'
import { zipOf } from './zip.ts'

/** The content to export. */
export interface ContentSource {
  readonly plugin: PluginContext
  /** The snapshot to read. */
  readonly reader: Store
  readonly selection: Selection
  readonly names: FormatNames
  readonly counts: Counts
}

/**
 * Yields the content of a site in a format: text, or the bytes of a zip archive of Markdown files.
 * @param user whose permissions apply to JSON lines; by default an administrator
 */
export async function* contentIn(
  format: ExportFormat,
  source: ContentSource,
  user?: CurrentUser,
): AsyncGenerator<string | Buffer> {
  if (format === 'markdown') return yield* zipOf(zipped(writeMarkdown(source)))
  if (format === 'jsonl') {
    const { plugin, reader } = source
    return yield* writeJsonLines({ ...source, user: user ?? (await operator(plugin, reader)) })
  }
  for await (const { text } of writeWxr(source)) yield text
}

/** Writes pieces into a file. */
export async function writeFile(file: string, pieces: AsyncIterable<string | Buffer>): Promise<OutputFile> {
  const output = await OutputFile.open(file)
  try {
    for await (const piece of pieces) await output.write(piece)
    await output.finish()
    return output
  } catch (error) {
    await output.discard()
    throw error
  }
}

/** Writes Markdown files into a folder, which is created if necessary. */
export async function writeFolder(folder: string, source: ContentSource, onFile: () => void): Promise<number> {
  let bytes = 0
  await mkdir(folder, { recursive: true })
  for await (const { name, text } of writeMarkdown(source)) {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    const output = await OutputFile.open(file)
    await output.write(text)
    await output.finish()
    bytes += output.bytes
    onFile()
  }
  return bytes
}
