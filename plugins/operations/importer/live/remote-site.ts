import { setTimeout as delay } from 'node:timers/promises'
import { RestError, trimEndSlashes } from '../../../../kernel/index.ts'
import { branding } from '../../../library/branding/index.ts'
import { jittered, Semaphore } from '../../../library/long-work/index.ts'
import type { Outgoing, OutgoingResponse } from '../../../foundation/outgoing/index.ts'
import { phraseOf } from '../phrases.ts'
import { errors } from '../errors.ts'
import { readResponse, RouteFailure, type OldResponse } from './old-response.ts'
import { objectOf, type OldObject } from './values.ts'

/** Parameters of a request by name. */
export type Query = Readonly<Record<string, string | number | boolean>>

/** How requests are sent to the old site. */
export interface RequestOptions {
  readonly outgoing: Pick<Outgoing, 'request'>
  readonly allow: readonly string[]
  readonly concurrency: number
  /** Milliseconds per request. */
  readonly timeout: number
  /** Milliseconds before the first repetition of a failed request. */
  readonly retryDelay: number
  /** Value of the header `Authorization`; null for a visitor. */
  readonly authorization: string | null
  readonly signal?: AbortSignal | undefined
}

/** The location of the REST API of the old site. */
export interface ApiRoot {
  /** URL of the API root, with a trailing slash unless routes are passed as `rest_route`. */
  readonly url: string
  /** Whether routes are passed in the parameter `rest_route`. */
  readonly isPlain: boolean
  /** Word in namespaces and headers. */
  readonly word: string
}

/** Maximum bytes of a response. Pages of 100 long posts have several megabytes. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024
/** Repetitions of a failed request. */
const MAX_RETRIES = 5
/** Longest wait that the header `Retry-After` can demand. */
const MAX_RETRY_AFTER_MS = 600_000

/**
 * Sends requests to the old site: a limited number at the same time, with a pause of all requests when the site asks for
 * it, and repetitions of failed requests with growing delays.
 */
export class RemoteSite {
  readonly root: ApiRoot
  readonly #options: RequestOptions
  readonly #places: Semaphore
  readonly #totalHeader: string
  /** Time in Unix milliseconds before which no request is sent. */
  #pausedUntil = 0
  #requests = 0

  constructor(root: ApiRoot, options: RequestOptions) {
    this.root = root
    this.#options = options
    this.#places = new Semaphore(options.concurrency, Infinity, () => new Error('unreachable'))
    this.#totalHeader = branding(root.word).header('Total')
  }

  /** Number of requests sent so far, including repetitions. */
  get requests(): number {
    return this.#requests
  }

  get concurrency(): number {
    return this.#options.concurrency
  }

  /** Whether requests are sent as a user. */
  get isLoggedIn(): boolean {
    return this.#options.authorization !== null
  }

  /** Returns a route below the main namespace: `route('posts')` is `/{word}/v2/posts`. */
  route(path: string): string {
    return `/${branding(this.root.word).namespace('v2')}/${path}`
  }

  /** Returns the URL of a route. */
  urlOf(route: string, query: Query = {}): string {
    const url = new URL(this.root.url)
    if (this.root.isPlain) url.searchParams.set('rest_route', route)
    else url.pathname = `${trimEndSlashes(url.pathname)}${route}`
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    return url.href
  }

  /**
   * Reads a route.
   * @throws RouteFailure if the route cannot be read; IMPORT_LIVE_PAUSED if the old site can no longer be reached
   */
  async get(route: string, query: Query = {}): Promise<OldResponse> {
    return await this.#request('GET', route, query)
  }

  /** Reads the description of a route. @throws the errors of `get` */
  async options(route: string): Promise<OldObject> {
    return objectOf((await this.#request('OPTIONS', route, {})).body)
  }

  async #request(method: string, route: string, query: Query): Promise<OldResponse> {
    const url = this.urlOf(route, query)
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#places.run(() => this.#send(method, url), { signal: this.#options.signal })
      } catch (error) {
        this.#options.signal?.throwIfAborted()
        const failure = this.#repeatable(error)
        if (failure === null) throw error
        if (attempt >= MAX_RETRIES) {
          if (failure instanceof RouteFailure) throw failure
          throw errors.IMPORT_LIVE_PAUSED({ route, reason: phraseOf(failure) })
        }
        await this.#wait(jittered(this.#options.retryDelay * 2 ** attempt))
      }
    }
  }

  async #send(method: string, url: string): Promise<OldResponse> {
    for (let wait = this.#pausedUntil - Date.now(); wait > 0; wait = this.#pausedUntil - Date.now()) {
      await this.#wait(wait)
    }
    this.#requests += 1
    const { outgoing, allow, authorization, signal, timeout } = this.#options
    const response = await outgoing.request(url, {
      // The per-user limit would stop an import after a minute.
      requester: 'site',
      method,
      headers: { accept: 'application/json', ...(authorization !== null && { authorization }) },
      allow,
      timeout,
      size: MAX_RESPONSE_BYTES,
      ...(signal !== undefined && { signal }),
    })
    this.#pauseAsAsked(response)
    return readResponse(response, this.#totalHeader)
  }

  /** Pauses all requests as long as the header `Retry-After` of a refused request asks for. */
  #pauseAsAsked({ status, headers }: OutgoingResponse): void {
    if (status !== 429 && status !== 503) return
    const asked = retryAfterMs(headers.get('retry-after'))
    if (asked > 0) this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + Math.min(asked, MAX_RETRY_AFTER_MS))
  }

  /** Returns the error of a request that can succeed if it is repeated; null for other errors. */
  #repeatable(error: unknown): RouteFailure | RestError | null {
    if (error instanceof RouteFailure) return error.kind === 'failing' ? error : null
    if (!(error instanceof RestError)) return null
    if (error.code.endsWith('_TOO_LARGE')) throw new RouteFailure('failing', phraseOf(error), 0, 'too_large')
    // A redirect to a place that is not allowed, or in a circle.
    if (/_(?:REFUSED|REDIRECTS|URL_INVALID)$/.test(error.code)) throw new RouteFailure('invalid', phraseOf(error))
    if (error.code.endsWith('_TOO_SLOW')) return new RouteFailure('failing', phraseOf(error), 0, 'too_slow')
    return /_(?:FAILED|BUSY)$/.test(error.code) ? error : null
  }

  async #wait(ms: number): Promise<void> {
    const { signal } = this.#options
    await delay(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      signal?.throwIfAborted()
      throw error
    })
  }
}

/** Milliseconds that a header `Retry-After` asks to wait: seconds, or a date. 0 without a valid one. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0
  if (/^\d{1,6}$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? 0 : Math.max(0, date - Date.now())
}
