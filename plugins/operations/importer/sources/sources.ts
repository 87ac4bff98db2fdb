import { createReadStream, type Dirent } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline, Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errors } from '../errors.ts'
import { ZipArchive, type ZipEntry } from './zip.ts'
import { phrase, phraseOf, type ReportPhrase, type ReportReason } from '../phrases.ts'

/** An export file of an import. It is opened when it is read. */
export interface NamedSource {
  /** Name for the report. */
  name: string
  source: AsyncIterable<Uint8Array>
}

/** The exports and media files among the sources of an import. */
export interface FoundSources {
  exports: NamedSource[]
  /** Path of the folder or archive with the media files. */
  uploads?: string
  /** Bytes of the files that contain the exports; 0 if unknown. */
  bytes: number
}

/** The standard input as a source. */
export const STDIN = '-'
/** Maximum ratio of the unpacked size of an export to its size; does not apply up to 10 MiB. */
const MAX_RATIO = 100
const MIN_RATIO_BYTES = 10 * 1024 ** 2
const MAX_FOLDER_LEVELS = 16
const EXPORT = /\.(?:xml|wxr)(?:\.gz)?$/i
const ARCHIVE = /\.(?:zip|tar|tgz|tar\.gz)$/i
const UPLOADS_FOLDER = 'uploads'
/** Start of the magic bytes of a tar archive. */
const TAR_MAGIC_AT = 257

/**
 * Finds the exports and the media files in files, folders and archives, by their content. Exports are sorted by name,
 * so that parts of an export keep their order.
 * @param sources paths, or `-` for the standard input
 * @throws RestError IMPORT_SOURCE_INVALID if a source cannot be read or contains nothing to import
 */
export async function findSources(sources: readonly string[], stdin: Readable = process.stdin): Promise<FoundSources> {
  const found: FoundSources = { exports: [], bytes: 0 }
  for (const source of sources) {
    if (source === STDIN) found.exports.push({ name: 'standard input', source: unpacked(stdin) })
    else await addPath(found, source, sources.length === 1)
  }
  if (found.exports.length === 0) {
    throw invalid(phrase('{name}: no export (WXR) was found', { name: sources.join(', ') }))
  }
  return found
}

async function addPath(found: FoundSources, file: string, isOnly: boolean): Promise<void> {
  const facts = await stat(file).catch((cause: unknown) => {
    throw invalid(phrase('{name} does not exist or cannot be read', { name: file }), cause)
  })
  if (!facts.isDirectory()) return await addFile(found, file, path.basename(file))
  const before = found.exports.length
  await addFolder(found, file, '', 0)
  if (found.exports.length > before || (found.uploads ?? '').startsWith(file)) return
  // A folder of media files contains folders of years.
  const isUploads = !isOnly && (await readdir(file)).some((name) => /^(?:\d{4}|sites)$/.test(name))
  if (!isUploads) throw invalid(phrase('{name} contains neither an export (WXR) nor media files', { name: file }))
  setUploads(found, file)
}

/** Adds the exports in a folder, and the folder `uploads` in it. Hidden files and links are left out. */
async function addFolder(found: FoundSources, root: string, below: string, level: number): Promise<void> {
  const entries = await readdir(path.join(root, below), { withFileTypes: true })
  for (const entry of entries.toSorted(byName)) {
    const name = path.join(below, entry.name)
    const file = path.join(root, name)
    if (entry.name.startsWith('.') || entry.name === '__MACOSX') continue
    if (entry.isDirectory() && entry.name === UPLOADS_FOLDER) setUploads(found, file)
    else if (entry.isDirectory() && level < MAX_FOLDER_LEVELS) await addFolder(found, root, name, level + 1)
    else if (entry.isFile() && (EXPORT.test(entry.name) || ARCHIVE.test(entry.name))) await addFile(found, file, name)
  }
}

function byName(one: Dirent, other: Dirent): number {
  return one.name.localeCompare(other.name, 'en', { numeric: true })
}

/** Adds a file as an export, the exports of an archive, or an archive of media files. */
async function addFile(found: FoundSources, file: string, name: string): Promise<void> {
  const start = await startOf(file)
  if (start.length > 3 && start.readUInt32BE(0) === 0x504b0304) return await addZip(found, file, name)
  const inside = isGzip(start) ? await unpackedStart(file) : start
  if (isTar(inside)) return setUploads(found, file)
  found.bytes += (await stat(file)).size
  found.exports.push({ name, source: exportIn(file) })
}

async function addZip(found: FoundSources, file: string, name: string): Promise<void> {
  const exports: ZipEntry[] = []
  let hasUploads = false
  using archive = await ZipArchive.open(file).catch((cause: unknown) => {
    throw invalid(phrase('{name} is not a readable zip archive', { name: file }), cause)
  })
  for await (const entry of archive.entries()) {
    if (entry.isLink || isHidden(entry.name)) continue
    if (isUpload(entry.name)) hasUploads = true
    else if (EXPORT.test(entry.name)) exports.push(entry)
    else if (/(?:^|\/)\d{4}\/\d\d\/[^/]+$/.test(entry.name)) hasUploads = true
  }
  exports.sort((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }))
  for (const entry of exports) {
    if (entry.isEncrypted) throw invalid(phrase('{name}: {entry} is encrypted', { name, entry: entry.name }))
    found.bytes += entry.size
    found.exports.push({ name: `${name}/${entry.name}`, source: exportInZip(file, entry) })
  }
  if (hasUploads) setUploads(found, file)
}

/** Whether an entry of an archive is in a folder `uploads`. */
function isUpload(name: string): boolean {
  return name.split('/').slice(0, -1).includes(UPLOADS_FOLDER)
}

function isHidden(name: string): boolean {
  return name.split('/').some((part) => part.startsWith('.') || part === '__MACOSX')
}

function setUploads(found: FoundSources, file: string): void {
  if (found.uploads !== undefined && found.uploads !== file) {
    throw invalid(
      phrase('both {one} and {other} contain media files; name one of them', { one: found.uploads, other: file }),
    )
  }
  found.uploads = file
}

async function* exportIn(file: string): AsyncGenerator<Uint8Array> {
  yield* unpacked(createReadStream(file), (await stat(file)).size)
}

async function* exportInZip(file: string, wanted: ZipEntry): AsyncGenerator<Uint8Array> {
  using archive = await ZipArchive.open(file)
  for await (const entry of archive.entries()) {
    if (entry.name !== wanted.name) continue
    const guarded = (await entry.open()).pipe(ratioGuard(wanted.packedSize))
    yield* /\.gz$/i.test(entry.name) ? unpacked(guarded, wanted.packedSize) : guarded
    return
  }
}

/** Unpacks a stream if it is compressed. @param size in bytes; undefined if unknown */
async function* unpacked(stream: Readable, size?: number): AsyncGenerator<Uint8Array> {
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const first = await pieces.next()
  if (first.done === true) return
  const rest = async function* () {
    yield first.value
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value
  }
  if (size === undefined && first.value.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004') {
    throw invalid('a zip archive cannot be read from the standard input; save it first')
  }
  if (!isGzip(first.value)) return yield* rest()
  const gunzip = createGunzip()
  const guard = ratioGuard(size)
  // The error reaches the reader of the last stream.
  pipeline(Readable.from(rest()), gunzip, guard, () => {})
  try {
    yield* guard as AsyncIterable<Uint8Array>
  } catch (cause) {
    if (cause instanceof Error && 'data' in cause) throw cause
    throw invalid(phrase('the compressed file is damaged: {reason}', { reason: phraseOf(cause) }), cause)
  }
}

/** Passes unpacked data on, and fails if it is too large for its packed size. @param size undefined if unknown */
function ratioGuard(size: number | undefined): Transform {
  const maxBytes = size === undefined ? Infinity : Math.max(size * MAX_RATIO, MIN_RATIO_BYTES)
  let bytes = 0
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length
      if (bytes <= maxBytes) done(null, piece)
      else done(invalid(phrase('an export unpacks to more than {ratio} times its size', { ratio: MAX_RATIO })))
    },
  })
}

async function startOf(file: string): Promise<Buffer> {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(512), 0, 512, 0)
  return buffer.subarray(0, bytesRead)
}

async function unpackedStart(file: string): Promise<Buffer> {
  const stream = createReadStream(file)
  try {
    for await (const piece of stream.pipe(createGunzip())) return piece as Buffer
  } catch {
    // Reading it reports why it is damaged.
  } finally {
    stream.destroy()
  }
  return Buffer.alloc(0)
}

function isGzip(start: Uint8Array): boolean {
  return start[0] === 0x1f && start[1] === 0x8b
}

function isTar(start: Buffer): boolean {
  return start.subarray(TAR_MAGIC_AT, TAR_MAGIC_AT + 5).toString('latin1') === 'ustar'
}

function invalid(reason: ReportReason | ReportPhrase, cause?: unknown): Error {
  return errors.IMPORT_SOURCE_INVALID({ reason }, { cause })
}
