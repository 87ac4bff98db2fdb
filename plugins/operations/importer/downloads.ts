import { createHash } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import mime from 'mime'
import { RestError, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import { Semaphore } from '../../library/long-work/index.ts'
import {
  exists,
  fileModes,
  isSafePath,
  makeFolder,
  makeStaging,
  placeStaged,
  type FileModes,
} from '../../content/media/index.ts'
import { AllowList, type OutgoingOptions, type OutgoingResponse } from '../../foundation/outgoing/index.ts'
import { PRIVATE_FOLDER } from '../../storage/store/index.ts'
import { filesOfAttachments } from './attachment-files.ts'
import { errors } from './errors.ts'
import { phrase, PhraseError, phraseOf, type ReportPhrase } from './phrases.ts'
import type { Counters } from './report.ts'
import { transfer } from './transfer.ts'
import type { DownloadOptions, ImportProgress } from './types.ts'

/** Milliseconds per request. */
const DOWNLOAD_TIMEOUT_MS = 120_000
/** Further attempts of a request, and milliseconds before the second attempt. */
const MAX_RETRIES = 3
const PAUSE_MS = 1000
/** Maximum bytes of a file that is received in ranges. */
const MAX_FILE_BYTES = 2 * 1024 ** 3
/** Milliseconds for which an incomplete file is kept. */
const MAX_PART_AGE_MS = 30 * 24 * 3_600_000
/** Concurrent downloads. */
const MAX_CONCURRENT_DOWNLOADS = 4
/** Maximum bytes of an image, which is checked whole, and bytes that are checked of other files. */
const MAX_IMAGE_BYTES = 200_000_000
const CHECKED_BYTES = 1024 ** 2
/** Attachments whose files are placed together. An interruption loses at most one batch. */
const ATTACHMENTS_PER_BATCH = 50
/** Consecutive failures after which a server gets no more requests. */
const MAX_FAILURES_IN_ROW = 5

/** A missing file and its URL on the old site. */
interface MissingFile {
  /** Path below the uploads folder: `2024/05/photo-300x200.jpg`. */
  readonly name: string
  readonly url: URL
}

type Plugin = Pick<PluginContext, 'config' | 'services'>
type Progress = NonNullable<ImportProgress['files']>

/**
 * Downloads files of attachments that are missing in the uploads folder from the old site, including image sizes.
 * Existing files are neither requested nor replaced, so a download can be repeated until all files exist.
 */
export class Downloads {
  readonly #plugin: Plugin
  readonly #options: DownloadOptions
  readonly #countsHere: boolean
  readonly #places = new Semaphore(MAX_CONCURRENT_DOWNLOADS, Infinity, () => new Error('unreachable'))
  /** IDs of attachments on this site with the URLs of their files on the old site. */
  readonly #attachments: [id: number, url: string][] = []
  /** Consecutive failures by origin of the server. */
  readonly #failures = new Map<string, number>()
  /** Paths already processed: attachments may share a file. */
  readonly #processed = new Set<string>()

  /**
   * @param countsHere whether the report counts files that already exist
   * @throws IMPORT_DOWNLOAD_OFF, OUTGOING_ALLOW_INVALID
   */
  constructor(plugin: Plugin & Pick<PluginContext, 'has'>, options: DownloadOptions, countsHere: boolean) {
    for (const needed of ['media', 'outgoing'])
      if (!plugin.has(needed)) throw errors.IMPORT_DOWNLOAD_OFF({ plugin: needed })
    // Validates the option before the import starts.
    void new AllowList(options.allow ?? [], [])
    this.#plugin = plugin
    this.#countsHere = countsHere
    this.#options = options
  }

  /** Adds an attachment. @param url of its file on the old site */
  add(id: number, url: string): void {
    this.#attachments.push([id, url])
  }

  /**
   * Downloads the missing files. A failed file is counted with its reason, and the others are still downloaded. After
   * the signal aborts, no further file is requested.
   */
  async run(counters: Counters, onProgress: (progress: Progress) => void): Promise<void> {
    await this.#removeOldParts()
    const progress: Progress = { done: 0, missing: 0 }
    for (let start = 0; start < this.#attachments.length; start += ATTACHMENTS_PER_BATCH) {
      const missing = await this.#missingOf(
        new Map(this.#attachments.slice(start, start + ATTACHMENTS_PER_BATCH)),
        counters,
      )
      if (this.#options.signal?.aborted === true) return
      if (missing.length === 0) continue
      progress.missing += missing.length
      onProgress({ ...progress })
      await this.#downloadAll(missing, counters, () => {
        progress.done += 1
        onProgress({ ...progress })
      })
    }
  }

  /** Downloads files to a staging folder, and moves the completed ones to the uploads folder. */
  async #downloadAll(missing: readonly MissingFile[], counters: Counters, onDone: () => void): Promise<void> {
    const { config } = this.#plugin
    const modes = fileModes(config)
    const staging = await makeStaging(config.uploads, 'import', modes)
    const downloadOne = async (file: MissingFile) => {
      try {
        await this.#download(file, path.join(config.uploads, staging, file.name), modes)
      } catch (error) {
        noteFailure(counters, file.url, phraseOf(error))
      }
      onDone()
    }
    await Promise.all(missing.map((file) => this.#places.run(() => downloadOne(file))))
    const { placed, alreadyHere, others } = await placeStaged(config.uploads, staging, modes)
    counters.add('files', { imported: placed, alreadyHere: alreadyHere + others, skipped: {} })
  }

  /** Downloads a file to a path. @throws Error that says why it failed or must not be stored */
  async #download({ name, url }: MissingFile, target: string, modes: FileModes): Promise<void> {
    const { config, services } = this.#plugin
    const part = path.join(this.#parts, createHash('sha256').update(url.href).digest('hex').slice(0, 32))
    await mkdir(this.#parts, { recursive: true, mode: PRIVATE_FOLDER })
    const {
      allow,
      timeout = DOWNLOAD_TIMEOUT_MS,
      retries = MAX_RETRIES,
      pause = PAUSE_MS,
      fileBytes = MAX_FILE_BYTES,
      signal,
    } = this.#options
    await transfer({ request: (to, options) => this.#request(to, options) }, url, part, {
      // The per-user limit would stop an import after a minute.
      requester: 'site',
      wholeBytes: config.limits.bodyLimit,
      ...(allow !== undefined && { allow }),
      timeout,
      retries,
      pause,
      fileBytes,
      ...(signal !== undefined && { signal }),
    })
    const ending = path.extname(name).slice(1).toLowerCase()
    const kind = services.media.kindOf(ending, await readChecked(part, ending), VISITOR)
    if (typeof kind === 'string') {
      await rm(part, { force: true })
      throw new Error(kind)
    }
    await makeFolder(path.dirname(target), modes)
    await chmod(part, modes.file)
    await rename(part, target)
  }

  /** Sends a request, unless the server has failed too often. */
  async #request(url: string | URL, options: OutgoingOptions): Promise<OutgoingResponse> {
    this.#options.signal?.throwIfAborted()
    const { origin } = new URL(url)
    const failures = this.#failures.get(origin) ?? 0
    if (failures >= MAX_FAILURES_IN_ROW)
      throw new PhraseError(phrase('{origin} failed {count} times in a row', { origin, count: MAX_FAILURES_IN_ROW }))
    try {
      const response = await this.#plugin.services.outgoing.request(url, options)
      this.#failures.delete(origin)
      return response
    } catch (error) {
      const hasFailed = error instanceof RestError && /_(?:FAILED|TOO_SLOW)$/.test(error.code)
      if (hasFailed) this.#failures.set(origin, (this.#failures.get(origin) ?? 0) + 1)
      throw error
    }
  }

  /** Removes incomplete files that no import continued with. */
  async #removeOldParts(): Promise<void> {
    for (const name of await readdir(this.#parts).catch(() => [])) {
      const file = path.join(this.#parts, name)
      const { mtimeMs } = await stat(file)
      if (Date.now() - mtimeMs > MAX_PART_AGE_MS) await rm(file, { force: true })
    }
  }

  /** The folder of incomplete files, which is never served. A later import continues with them. */
  get #parts(): string {
    return path.join(this.#plugin.config.uploads, '.imports', 'parts')
  }

  /** The files of attachments that are missing in the uploads folder. */
  async #missingOf(urls: ReadonlyMap<number, string>, counters: Counters): Promise<MissingFile[]> {
    const missing: MissingFile[] = []
    for (const [id, names] of await filesOfAttachments(this.#plugin.services.store, [...urls.keys()])) {
      const [main = ''] = names
      const url = URL.parse(urls.get(id) ?? '')
      for (const name of names) {
        if (this.#processed.has(name) || !isSafePath(name.split('/'))) continue
        this.#processed.add(name)
        if (await exists(path.join(this.#plugin.config.uploads, name))) {
          if (this.#countsHere) counters.alreadyHere('files')
        } else if (url === null) counters.skipped('files', 'the export has no URL for it')
        else missing.push({ name, url: name === main ? url : siblingUrl(url, name) })
      }
    }
    return missing
  }
}

/** Reads the bytes of a file that decide whether it is stored: of images all, of other files the beginning. */
async function readChecked(file: string, ending: string): Promise<Buffer> {
  await using handle = await open(file)
  const { size } = await handle.stat()
  const isImage = mime.getType(ending)?.startsWith('image/') === true
  if (isImage && size > MAX_IMAGE_BYTES)
    throw new PhraseError(phrase('the image is larger than {bytes} bytes', { bytes: MAX_IMAGE_BYTES }))
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(isImage ? size : Math.min(size, CHECKED_BYTES)), 0)
  return buffer.subarray(0, bytesRead)
}

function noteFailure(counters: Counters, url: URL, reason: ReportPhrase): void {
  counters.skipped('files', reason)
  counters.note('media file that was not downloaded: {reason}', `${url.origin}${url.pathname}`, 1, { reason })
}

/** URL of a file in the same folder. */
function siblingUrl(url: URL, name: string): URL {
  return new URL(encodeURIComponent(name.slice(name.lastIndexOf('/') + 1)), url)
}
