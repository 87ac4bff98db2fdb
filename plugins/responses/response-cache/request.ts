import {
  isPerRequest,
  registrations,
  RestResponse,
  type Branding,
  type CacheableRequest,
  type ResponseSteps,
  type RestRequest,
  type Served,
} from '../../../kernel/index.ts'
import { collectDependencies, collectInto, Dependencies, doNotCache } from '../../library/caching/index.ts'
import type { CacheParts, ResponseCache } from './cache.ts'
import { hasAge, isSecondOver, findClientTag, withinAge } from './conditions.ts'
import { Entry } from './entry.ts'
import { join, type Flight } from './flights.ts'
import { forbidsStoring, keyOf, bypassReason, refusalReason, dependencyRefusal } from './key.ts'
import { dependsOnUrlAlone } from './plain-requests.ts'
import { belongsTo304 } from './plain-response.ts'
import { tagsValue } from './tags-header.ts'

/** Source of a response: from the cache, created and stored, or created for this request only. */
type Origin = 'HIT' | 'MISS' | 'BYPASS'

/** How a response is created. */
interface Creation {
  /** Cache key; null if the response cannot be stored. */
  readonly key: string | null
  /** Why it cannot be stored. */
  readonly reason?: string | null
  /** Flight that other requests wait for. */
  readonly flight?: Flight
}

/** A request that is served through the cache. */
export class CachedRequest implements CacheableRequest {
  readonly #cache: ResponseCache
  readonly #request: RestRequest
  /** State of the data before any of it was read. */
  readonly #state: number
  /** Counter of registrations at the start: routes and taps can change while the response is created. */
  readonly #registrations = registrations()
  #dependencies: Dependencies | null = null
  /** Names of the headers that were read before the response was created, to identify the user. */
  readonly #readBefore = new Set<string>()
  /** Names of the headers that were read while the response was created. Any such header prevents storing it. */
  readonly #readWhileCreated = new ForbiddenHeaders()
  /** Names of the headers that were read by taps that set headers for each request (`#preServe`). */
  readonly #readForHeaders = new Set<string>()
  /** Other dependencies of these taps. */
  #headersOf: Dependencies | null = null

  constructor(cache: ResponseCache, request: RestRequest, state: number) {
    this.#cache = cache
    this.#request = request
    this.#state = state
    request.headers.reads = this.#readBefore
  }

  record(respond: () => Promise<Served>): Promise<Served> {
    return collectDependencies((dependencies) => {
      const request = this.#request
      this.#dependencies = dependencies
      request.dependencies = dependencies
      request.headers.reads = this.#readWhileCreated
      return respond()
    })
  }

  async serve(steps: ResponseSteps): Promise<Served> {
    const request = this.#request
    const { parts } = this.#cache
    const reason = bypassReason(request, parts.branding)
    if (reason !== null) return this.#create(steps, { key: null, reason })
    const { methods } = steps.endpoint
    // HEAD uses the cached response to GET, unless the endpoint handles HEAD itself.
    const isHead = request.method === 'HEAD' && !methods.includes('HEAD')
    const key = keyOf(request, steps.route, parts)
    if (key === null) return this.#create(steps, { key: null, reason: 'its parameters or user have no cache key' })
    if (!isHead) return this.#serveKey(steps, `${request.method} ${key}`, this.#state)
    request.method = 'GET'
    const served = await this.#serveKey(steps, `GET ${key}`, this.#state)
    request.method = 'HEAD'
    return served
  }

  async #serveKey(steps: ResponseSteps, key: string, state: number): Promise<Served> {
    const cache = this.#cache
    const entry = cache.get(key, state)
    if (entry !== undefined) return this.#reuse(entry, steps)
    // A flight that started with other registrations must not serve this request.
    const flightKey = `${this.#registrations} ${key}`
    const other = cache.flights.get(flightKey)
    if (other !== undefined) {
      const landed = await join(other, this.#request)
      return landed === null ? this.#create(steps, { key }) : this.#serveKey(steps, key, state)
    }
    if (cache.isUncacheable(key)) return this.#create(steps, { key })
    const flight = cache.flights.begin(flightKey, this.#request.work)
    try {
      return await this.#create(steps, { key, flight })
    } catch (error) {
      flight.land(null)
      throw error
    }
  }

  /** Returns the response of an entry with the headers of this request. */
  async #reuse(entry: Entry, steps: ResponseSteps): Promise<Served> {
    entry.hits += 1
    const response = this.#responseOf(entry)
    const { response: shown, served } = await this.#preServe(steps, response)
    this.#request.headers.reads = null
    if (served) return { response: shown, text: null, served }
    // A tap has failed.
    if (shown !== response) return steps.encode(shown)
    if (!shown.headers.has('ETag')) shown.headers.set('ETag', entry.etag)
    return this.#finish({ response: shown, text: [entry.body], served }, entry, 'HIT')
  }

  #responseOf({ headers, body, route, endpoint }: Entry): RestResponse {
    const response = new RestResponse(null)
    for (let at = 0; at < headers.length; at += 2) response.headers.set(headers[at]!, headers[at + 1]!)
    response.matchedRoute = route?.pattern ?? null
    response.endpoint = endpoint
    // A tap can send the data in another form.
    if (isPerRequest(this.#cache.parts.hooks.rest_pre_serve_request)) {
      try {
        response.data = JSON.parse(body.toString())
      } catch {
        // The body is a JSONP script.
      }
    }
    return response
  }

  /**
   * Runs the taps that set the headers of this request. They run for each request, so the entry does not depend on
   * their reads.
   */
  #preServe(steps: ResponseSteps, response: RestResponse): ReturnType<ResponseSteps['preServe']> {
    this.#request.headers.reads = this.#readForHeaders
    this.#headersOf = new Dependencies()
    return collectInto(this.#headersOf, () => steps.preServe(response))
  }

  /** Creates the response and stores it if possible. */
  async #create(steps: ResponseSteps, { key, reason: initialReason = null, flight }: Creation): Promise<Served> {
    const { headers } = this.#request
    const response = await steps.respond()
    let reason = initialReason ?? refusalReason({ response, request: this.#request })
    const common = response.headers.toList()
    const { response: shown, served } = await this.#preServe(steps, response)
    headers.reads = this.#readWhileCreated
    this.#cache.noteReads(this.#readWhileCreated.union(this.#readForHeaders), steps.route.pattern)
    if (served) {
      flight?.land(null)
      return { response: shown, text: null, served }
    }
    const encoded = await steps.encode(shown)
    headers.reads = null
    if (encoded.response !== response) reason = 'a tap has failed'
    const stored = key === null || reason !== null ? reason : this.#store(steps, key, common, encoded)
    const entry = stored instanceof Entry ? stored : null
    if (entry === null && key !== null) this.#cache.noteUncacheable(key)
    flight?.land(entry)
    return this.#finish(encoded, entry, stored instanceof Entry ? 'MISS' : bypassHeader(stored, this.#cache.parts))
  }

  /** Stores a new response. @returns its entry, or the reason why it cannot be stored */
  #store(
    { route, endpoint }: ResponseSteps,
    key: string,
    headers: string[],
    { response, text }: Served,
  ): Entry | string {
    const { work, user } = this.#request
    const dependencies = this.#dependencies
    const etag = response.headers.get('ETag')
    if (text === null || etag === null || dependencies === null) return 'it has no entity tag'
    const forbidden = dependencyRefusal(dependencies, this.#readWhileCreated, work)
    if (forbidden !== null) return forbidden
    if (response.headers.has('Set-Cookie')) return 'it sets a cookie'
    if (user.id === 0 && forbidsStoring(response.headers.get('Cache-Control')))
      return 'its Cache-Control header forbids it'
    if (dependencies.tags.size === 0 && endpoint.cache === 'default') return 'its dependencies are unknown'
    const entry = new Entry({
      key,
      status: 200,
      route,
      endpoint,
      headers,
      body: typeof text === 'string' ? Buffer.from(text) : Buffer.concat(text),
      etag,
      tags: [...dependencies.tags],
      modified: this.#cache.changedAt(dependencies),
      until: dependencies.until,
      at: this.#state,
      registrations: this.#registrations,
    })
    return this.#cache.store(entry) ? entry : 'it is too large'
  }

  /**
   * Adds cache headers. Responds with 304 if the client has the response already, otherwise with the compressed body if
   * available.
   */
  #finish(served: Served, entry: Entry | null, origin: string): Served {
    if (!hasCacheHeaders(served)) return served
    const { branding } = this.#cache.parts
    served.response.headers.set(branding.header('Cache'), origin)
    if (entry !== null) this.#describe(served.response, entry)
    const unchanged = unchangedFor(this.#request, served.response, branding, this.#entryForDate(entry)?.modified)
    const sent = unchanged ?? (entry === null ? served : this.#encoded(served, entry))
    return origin === ('HIT' satisfies Origin) ? { ...sent, fromCache: true } : sent
  }

  /**
   * Returns the entry if a client that sends the date of its copy can get a 304; otherwise null. Responses to logged-in
   * users differ by user and session: a client that was logged out or had another user before could send the same date
   * for a different response.
   */
  #entryForDate(entry: Entry | null): Entry | null {
    return this.#request.user.id === 0 ? entry : null
  }

  /** Sets the cache headers of an entry, and stores the response by its URL if it depends on nothing else. */
  #describe({ headers }: RestResponse, entry: Entry): void {
    const { hooks, cacheControl, tagsHeader } = this.#cache.parts
    const { user, url } = this.#request
    const now = Date.now()
    const modified = this.#entryForDate(entry)?.lastModified(now) ?? null
    if (modified !== null && !headers.has('Last-Modified')) headers.set('Last-Modified', modified)
    if (user.id !== 0 || forbidsStoring(headers.get('Cache-Control'))) return
    if (cacheControl !== '' && !headers.has('Cache-Control')) headers.set('Cache-Control', cacheControl)
    if (tagsHeader !== null && entry.tags.length > 0) {
      const value = tagsValue(entry.tags, tagsHeader)
      if (value === null) headers.set('Cache-Control', 'no-store')
      else headers.set(tagsHeader, value)
    }
    const age = headers.get('Cache-Control')
    if (entry.until !== Infinity && age !== null) {
      headers.set('Cache-Control', withinAge(age, entry.until - now))
      // Responses that are stored by URL have constant headers.
      if (hasAge(age)) return
    }
    if (url === null || (entry.modified !== null && !isSecondOver(entry.modified, now))) return
    if (this.#headersOf === null || this.#headersOf.refusal !== null || this.#headersOf.tags.size > 0) return
    const reads = [...this.#readBefore, ...this.#readForHeaders]
    if (this.#request.headers.get('Origin') === null && dependsOnUrlAlone(hooks, this.#request, reads))
      this.#cache.storePlain(url, entry, headers, this.#isEncodable(headers, entry))
  }

  #encoded(served: Served, entry: Entry): Served {
    const { headers } = served.response
    const { compression } = this.#cache.parts
    if (compression === null || !this.#isEncodable(headers, entry)) return served
    const encoding = compression.pickEncoding(this.#request.headers.get('Accept-Encoding'))
    const variant = entry.inEncoding(encoding)
    if (encoding === null) return served
    if (variant === undefined) {
      this.#cache.encode(entry, encoding)
      return served
    }
    headers.set('Content-Encoding', encoding)
    headers.set('ETag', variant.etag)
    return { ...served, text: [variant.body] }
  }

  #isEncodable(headers: RestResponse['headers'], { body }: Entry): boolean {
    const { compression } = this.#cache.parts
    if (compression === null || body.length < compression.minBytes || headers.has('Content-Encoding')) return false
    if (/\bno-transform\b/i.test(headers.get('Cache-Control') ?? '')) return false
    return /\baccept-encoding\b/i.test(headers.get('Vary') ?? '')
  }
}

/** Adds cache headers to a response that is not cached. */
export function bypass(served: Served, request: RestRequest, parts: Pick<CacheParts, 'branding' | 'debug'>): Served {
  if (!hasCacheHeaders(served)) return served
  const reason = request.endpoint?.cache === false ? 'the endpoint disables caching' : 'caching is disabled'
  served.response.headers.set(parts.branding.header('Cache'), bypassHeader(reason, parts))
  return unchangedFor(request, served.response, parts.branding) ?? served
}

/** Returns the value of the cache header for an uncached response, in debug mode with the reason. */
export function bypassHeader(reason: string | null, { debug }: Pick<CacheParts, 'debug'>): string {
  const origin: Origin = 'BYPASS'
  // Names in the reason can contain any character, but a header is ASCII.
  return debug && reason !== null ? `${origin}; reason="${reason.replace(/[^ !#-[\]-~]/g, '?')}"` : origin
}

/** Records the headers that are read while a response or a part of one is created, and prevents storing it. */
export class ForbiddenHeaders extends Set<string> {
  override add(name: string): this {
    doNotCache(`it depends on the header ${name}`)
    return super.add(name)
  }
}

/** Returns whether a response gets cache headers. */
function hasCacheHeaders({ response: { status, isError }, text }: Served): boolean {
  return status === 200 && !isError && text !== null
}

/**
 * Returns a 304 if the client has the response already, otherwise null. @param since time of the last change in Unix
 * milliseconds, if known
 */
function unchangedFor(
  { headers: requestHeaders }: RestRequest,
  response: RestResponse,
  branding: Branding,
  since?: number | null,
): Served | null {
  const ifNoneMatch = requestHeaders.get('If-None-Match')
  const ifModifiedSince = requestHeaders.get('If-Modified-Since')
  if (ifNoneMatch === null && ifModifiedSince === null) return null
  const lastModified = response.headers.get('Last-Modified')
  const modified = since ?? (lastModified === null ? null : Date.parse(lastModified))
  const clientTag = findClientTag({ ifNoneMatch, ifModifiedSince }, { etag: response.headers.get('ETag'), modified })
  return clientTag === null ? null : notModified(response, clientTag, branding.header('Cache'))
}

/** Creates the 304 response. */
function notModified({ headers, matchedRoute, endpoint }: RestResponse, etag: string, cacheHeader: string): Served {
  const response = new RestResponse(null, 304)
  response.matchedRoute = matchedRoute
  response.endpoint = endpoint
  for (const [name, value] of headers) if (belongsTo304(name, cacheHeader)) response.headers.set(name, value)
  response.headers.set('ETag', etag)
  return { response, text: null, served: false }
}
