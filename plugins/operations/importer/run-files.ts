import { mkdir, open } from 'node:fs/promises'
import path from 'node:path'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { RestError } from '../../../kernel/index.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from '../../storage/store/index.ts'
import { errors, ImportError } from './errors.ts'
import { mapPhrase } from './phrases.ts'
import type { ImportFile, NewImportRun } from './run-types.ts'
import type { FoundSources } from './sources/sources.ts'

/** The files of an import, on disk. */
export interface StagedFiles extends FoundSources {
  /** Paths of the site files. */
  siteFiles: string[]
}

/** Maximum bytes of a file name; file systems allow 255. */
const MAX_NAME_BYTES = 200
/** Bytes that show whether a file is JSON. */
const START_BYTES = 64

/**
 * Writes the files of an import to a folder, and finds out what they contain. Each file gets a folder, so that the
 * names of the client cannot lead to another place or collide.
 * @throws IMPORT_SOURCE_INVALID, IMPORT_UPLOADS_INVALID
 */
export async function stageFiles(run: NewImportRun, folder: string): Promise<StagedFiles> {
  const paths: string[] = []
  const siteFiles: string[] = []
  let uploads: string | undefined
  for (const [index, file] of filesOf(run).entries()) {
    const place = path.join(folder, String(index))
    await mkdir(place, { recursive: true, mode: PRIVATE_FOLDER })
    const target = path.join(place, safeName(file.name))
    await pipeline(Readable.from(file.bytes), createWriteStream(target, { mode: PRIVATE_FILE }))
    if (file.use === 'uploads') {
      if (uploads !== undefined)
        throw errors.IMPORT_UPLOADS_INVALID({ reason: 'there are two archives of media files' })
      uploads = target
    } else if (file.use === 'site' || (await isJson(target))) siteFiles.push(target)
    else paths.push(target)
  }
  if (paths.length === 0) throw errors.IMPORT_SOURCE_INVALID({ reason: 'no export file was uploaded' })
  const { findSources } = await import('./sources/sources.ts')
  const found = await findSources(paths).catch((error: unknown) => {
    throw withoutFolder(error, folder)
  })
  if (uploads !== undefined && found.uploads !== undefined) {
    throw errors.IMPORT_UPLOADS_INVALID({ reason: 'there are two archives of media files' })
  }
  return { ...found, siteFiles, ...(uploads !== undefined && { uploads }) }
}

/** Removes the path of the folder from an error, which users would not understand. */
export function withoutFolder(error: unknown, folder: string): unknown {
  if (!(error instanceof RestError) || !error.message.includes(folder)) return error
  const change = (text: string) =>
    text
      .split(`${folder}${path.sep}`)
      .map((part, index) => (index === 0 ? part : part.replace(/^\d+[\\/]/, '')))
      .join('')
  return error instanceof ImportError
    ? error.with(mapPhrase(error.phrase, change))
    : new RestError(error.code, change(error.message), error.data, { cause: error })
}

function filesOf({ name, files = [], wxr, uploads, siteFiles = [] }: NewImportRun): ImportFile[] {
  return [
    ...files,
    ...(wxr === undefined ? [] : [{ name, bytes: [wxr] }]),
    ...(uploads === undefined ? [] : [{ name: 'uploads.tar', bytes: [uploads], use: 'uploads' as const }]),
    ...siteFiles.map((bytes, index) => ({ name: `site-${index}.json`, bytes: [bytes], use: 'site' as const })),
  ]
}

/** The last part of a name that a client sent, in characters that every file system accepts. */
function safeName(name: string): string {
  const last = name.slice(-1000).split(/[\\/]/).at(-1)!
  // oxlint-disable-next-line no-control-regex -- names come from clients
  const clean = last.replaceAll(/[\u0000-\u001f\u007f<>:"|?*]/g, '_').replace(/^\.+/, '')
  const bytes = Buffer.from(clean)
  // A name that is cut within a character ends with U+FFFD.
  const short = bytes.subarray(-MAX_NAME_BYTES).toString('utf8').replaceAll('\uFFFD', '')
  return short === '' ? 'file' : short
}

async function isJson(file: string): Promise<boolean> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0)
  return /^\uFEFF?\s*[{[]/.test(buffer.toString('utf8', 0, bytesRead))
}
