import { createHash } from 'node:crypto'
import { open, readFile, rm, writeFile, type FileHandle } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { RestError } from '../../../kernel/index.ts'
import { PRIVATE_FILE } from '../../storage/store/index.ts'
import type { Outgoing, OutgoingOptions, OutgoingResponse } from '../../foundation/outgoing/index.ts'
import { phrase, PhraseError } from './phrases.ts'

/** Bytes that one request asks for. A server without support for ranges sends the whole file. */
const RANGE_BYTES = 16 * 1024 ** 2
/** Maximum milliseconds that a server may ask to wait. */
const MAX_WAIT_MS = 60_000
/** Statuses after which another attempt can succeed. */
const TEMPORARY = new Set([408, 425, 429, 500, 502, 503, 504])

/** Options of a transfer. */
export interface TransferOptions extends Pick<OutgoingOptions, 'requester' | 'timeout' | 'allow' | 'signal'> {
  /** Maximum bytes of a file that the server sends in one response. */
  readonly wholeBytes: number
  /** Maximum bytes of a file that the server sends in ranges. */
  readonly fileBytes: number
  /** Further attempts of each request. */
  readonly retries: number
  /** Milliseconds before the second attempt; each further pause is twice as long. */
  readonly pause: number
}

/**
 * Downloads a file to a path, in ranges if the server supports them. The received part is kept after a failure or the
 * end of the process, and the next call continues there if the server still has the same version of the file.
 * @param part path of the file; until it is complete, `PATH.version` next to it holds the version on the server
 * @throws Error or RestError with the reason; the message of an Error is a clause: `the old site responded 404`
 */
export async function transfer(
  outgoing: Pick<Outgoing, 'request'>,
  url: URL,
  part: string,
  options: TransferOptions,
): Promise<void> {
  const file = await PartialFile.open(part)
  const bytes = Math.min(RANGE_BYTES, options.wholeBytes)
  try {
    for (;;) {
      const from = file.length
      const range = `bytes=${from}-${from + bytes - 1}`
      const headers = from === 0 ? { range } : { range, 'if-range': file.version }
      const response = await request(outgoing, url, headers, options)
      checkDigest(response)
      if (response.status === 200) return await file.replace(response.body)
      const isOther = from > 0 && versionOf(response.headers) !== file.version
      if (response.status === 416 || isOther) {
        if (from === 0) throw new PhraseError(phrase('the old site responded {status}', { status: 416 }))
        await file.restart()
        continue
      }
      const total = totalOf(response, from)
      if (total > options.fileBytes)
        throw new PhraseError(phrase('the file is larger than {bytes} bytes', { bytes: options.fileBytes }))
      await file.append(response.body, versionOf(response.headers))
      if (file.length >= total) return await file.complete()
      if (file.version === '') throw new PhraseError('the old site sends the file in parts without a version')
    }
  } finally {
    await file.close()
  }
}

/** Sends a request, again after temporary failures. Returns a response with status 200, 206 or 416. */
async function request(
  outgoing: Pick<Outgoing, 'request'>,
  url: URL,
  headers: Readonly<Record<string, string>>,
  { wholeBytes, fileBytes: _fileBytes, retries, pause, ...options }: TransferOptions,
): Promise<OutgoingResponse> {
  for (let attempt = 0; ; attempt += 1) {
    let wait = pause * 2 ** attempt
    try {
      const response = await outgoing.request(url, { ...options, headers, size: wholeBytes })
      const { status } = response
      if (status === 200 || status === 206 || status === 416) return response
      if (!TEMPORARY.has(status) || attempt >= retries)
        throw new PhraseError(phrase('the old site responded {status}', { status }))
      wait = Math.max(wait, retryAfterMs(response.headers.get('retry-after')))
    } catch (error) {
      if (attempt >= retries || !isTemporary(error)) throw error
    }
    // Half of the pause is random, so that parallel transfers do not return at the same time.
    const { signal } = options
    await delay(wait / 2 + (Math.random() * wait) / 2, undefined, signal === undefined ? {} : { signal })
  }
}

/** Whether another attempt can succeed: the connection failed, or the server was too slow. */
function isTemporary(error: unknown): boolean {
  return error instanceof RestError && /_(?:FAILED|TOO_SLOW|BUSY)$/.test(error.code)
}

function retryAfterMs(value: string | null): number {
  if (value === null) return 0
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Math.min(MAX_WAIT_MS, Math.max(0, (seconds || 0) * 1000))
}

/** Returns the length of the whole file. @throws Error if the response is not the range that was requested */
function totalOf({ headers, body }: OutgoingResponse, from: number): number {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  const isExpected = Number(first) === from && Number(last) - from + 1 === body.length && body.length > 0
  if (!isExpected) throw new PhraseError('the old site sent another part of the file than requested')
  return Number(total)
}

/** Returns the version of the file: a strong entity tag, or the time of its last change; `''` if the server sends none. */
function versionOf(headers: OutgoingResponse['headers']): string {
  const tag = headers.get('etag') ?? ''
  return tag.startsWith('"') ? tag : (headers.get('last-modified') ?? '')
}

/** Compares a body with the checksum that the server sent. @throws Error if they differ */
function checkDigest({ status, headers, body }: OutgoingResponse): void {
  // The checksum of a compressed body is that of the compressed bytes.
  if (headers.has('content-encoding')) return
  const content = /sha-256=:([A-Za-z0-9+/=]+):/.exec(headers.get('content-digest') ?? '')?.[1]
  const whole = /sha-256=:?([A-Za-z0-9+/=]+)/i.exec(headers.get('repr-digest') ?? headers.get('digest') ?? '')?.[1]
  const sha256 = content ?? (status === 200 ? whole : undefined)
  const md5 = headers.get('content-md5')
  const differs = (algorithm: string, expected: string | null | undefined) =>
    expected !== null && expected !== undefined && createHash(algorithm).update(body).digest('base64') !== expected
  if (differs('sha256', sha256) || differs('md5', md5)) throw new PhraseError('the file does not match its checksum')
}

/** A file that is received in parts. */
class PartialFile {
  /** Bytes received so far. */
  length: number
  /** The version of the file on the server; `''` if it is unknown. */
  version: string
  readonly #path: string
  readonly #file: FileHandle
  #isComplete = false

  private constructor(path: string, file: FileHandle, length: number, version: string) {
    this.#path = path
    this.#file = file
    this.length = length
    this.version = version
  }

  static async open(path: string): Promise<PartialFile> {
    const version = await readFile(`${path}.version`, 'utf8').catch(() => '')
    const file = await open(path, version === '' ? 'w' : 'a', PRIVATE_FILE)
    return new PartialFile(path, file, (await file.stat()).size, version)
  }

  async append(body: Buffer, version: string): Promise<void> {
    if (version !== this.version) {
      await writeFile(`${this.#path}.version`, version, { mode: PRIVATE_FILE })
      this.version = version
    }
    await this.#file.appendFile(body)
    this.length += body.length
  }

  /** Replaces the content with a complete file. */
  async replace(body: Buffer): Promise<void> {
    await this.restart()
    await this.#file.appendFile(body)
    await this.complete()
  }

  /** Drops the received part, because the server has another version. */
  async restart(): Promise<void> {
    await this.#file.truncate(0)
    this.length = 0
    this.version = ''
  }

  async complete(): Promise<void> {
    await this.#file.sync()
    await rm(`${this.#path}.version`, { force: true })
    this.#isComplete = true
  }

  async close(): Promise<void> {
    await this.#file.close()
    if (this.#isComplete || this.version !== '') return
    // Without a version, the next call must start again.
    await rm(this.#path, { force: true })
    await rm(`${this.#path}.version`, { force: true })
  }
}
