import {
  isPerRequest,
  registrations,
  RestResponse,
  type Branding,
  type KeptRequest,
  type ResponseMaker,
  type RestRequest,
  type Served,
} from '../../../kernel/index.ts'
import { collectDependencies, collectInto, Dependencies, doNotKeep } from '../../library/caching/index.ts'
import type { CacheParts, ResponseCache } from './cache.ts'
import { hasAge, isSettled, knownAs, withinAge } from './conditions.ts'
import { Entry } from './entry.ts'
import { join, type Flight } from './flights.ts'
import { isForbidden, keyOf, whyNotAsked, whyNotKept, whyNotStored } from './key.ts'
import { dependsOnUrlAlone } from './plain-requests.ts'
import { belongsTo304 } from './plain-response.ts'
import { tagsValue } from './tags-header.ts'

/** Where a response comes from: kept, made and kept, or made for this request alone. */
type Origin = 'HIT' | 'MISS' | 'BYPASS'

/** How a response is made. */
interface Making {
  /** Key of the entry that it may become; null where it may not. */
  readonly key: string | null
  /** Why it may not. */
  readonly reason?: string | null
  /** Where others wait for it. */
  readonly flight?: Flight
}

/** A request on its way past the cache. */
export class RequestOnItsWay implements KeptRequest {
  readonly #cache: ResponseCache
  readonly #request: RestRequest
  /** The state of the data before anything was read. */
  readonly #state: number
  /** What was registered then: it may be another route, or tap, once the response is made. */
  readonly #registrations = registrations()
  #dependencies: Dependencies | null = null
  /** Headers that were looked for to find out who asks. */
  readonly #readBefore = new Set<string>()
  /** Those that were looked for while the response was made, which is not kept if there is one. */
  readonly #readWhileMade = new ForbiddenHeaders()
  /** Those that its own headers depend on. */
  readonly #readForHeaders = new Set<string>()
  /** What else its own headers depend on. */
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
      request.headers.reads = this.#readWhileMade
      return respond()
    })
  }

  async serve(maker: ResponseMaker): Promise<Served> {
    const request = this.#request
    const { parts } = this.#cache
    const reason = whyNotAsked(request, parts.branding)
    if (reason !== null) return this.#make(maker, { key: null, reason })
    const { methods } = maker.endpoint
    // HEAD is answered from what GET gets, unless the endpoint does it in its own way.
    const isHead = request.method === 'HEAD' && !methods.includes('HEAD')
    const key = keyOf(request, maker.route, parts)
    if (key === null) return this.#make(maker, { key: null, reason: 'its parameters or its user cannot be compared' })
    if (!isHead) return this.#answer(maker, `${request.method} ${key}`, this.#state)
    request.method = 'GET'
    const served = await this.#answer(maker, `GET ${key}`, this.#state)
    request.method = 'HEAD'
    return served
  }

  async #answer(maker: ResponseMaker, key: string, state: number): Promise<Served> {
    const cache = this.#cache
    const entry = cache.get(key, state)
    if (entry !== undefined) return this.#reuse(entry, maker)
    // One that others began with other plugins is not for this request.
    const flightKey = `${this.#registrations} ${key}`
    const other = cache.flights.get(flightKey)
    if (other !== undefined) {
      const landed = await join(other, this.#request)
      return landed === null ? this.#make(maker, { key }) : this.#answer(maker, key, state)
    }
    if (cache.isUnkept(key)) return this.#make(maker, { key })
    const flight = cache.flights.begin(flightKey, this.#request.work)
    try {
      return await this.#make(maker, { key, flight })
    } catch (error) {
      flight.land(null)
      throw error
    }
  }

  /** The response of an entry, with the headers of this request. */
  async #reuse(entry: Entry, maker: ResponseMaker): Promise<Served> {
    entry.hits += 1
    const response = this.#responseOf(entry)
    const { response: shown, served } = await this.#preServe(maker, response)
    this.#request.headers.reads = null
    if (served) return { response: shown, text: null, served }
    // A tap has failed.
    if (shown !== response) return maker.encode(shown)
    if (!shown.headers.has('ETag')) shown.headers.set('ETag', entry.etag)
    return this.#finish({ response: shown, text: [entry.body], served }, entry, 'HIT')
  }

  #responseOf({ headers, body, route, endpoint }: Entry): RestResponse {
    const response = new RestResponse(null)
    for (let at = 0; at < headers.length; at += 2) response.headers.set(headers[at]!, headers[at + 1]!)
    response.matchedRoute = route?.pattern ?? null
    response.endpoint = endpoint
    // A plugin may send the data in another form.
    if (isPerRequest(this.#cache.parts.hooks.rest_pre_serve_request)) {
      try {
        response.data = JSON.parse(body.toString())
      } catch {
        // It is a script of `_jsonp`.
      }
    }
    return response
  }

  /** Runs the taps that set the headers of this request. They run for each request, so the entry does not depend on what they read. */
  #preServe(maker: ResponseMaker, response: RestResponse): ReturnType<ResponseMaker['preServe']> {
    this.#request.headers.reads = this.#readForHeaders
    this.#headersOf = new Dependencies()
    return collectInto(this.#headersOf, () => maker.preServe(response))
  }

  /** Makes the response. */
  async #make(maker: ResponseMaker, { key, reason: known = null, flight }: Making): Promise<Served> {
    const { headers } = this.#request
    const response = await maker.respond()
    let reason = known ?? whyNotKept({ response, request: this.#request })
    const common = response.headers.toList()
    const { response: shown, served } = await this.#preServe(maker, response)
    headers.reads = this.#readWhileMade
    this.#cache.noteReads(this.#readWhileMade.union(this.#readForHeaders), maker.route.pattern)
    if (served) {
      flight?.land(null)
      return { response: shown, text: null, served }
    }
    const made = await maker.encode(shown)
    headers.reads = null
    if (made.response !== response) reason = 'a tap has failed'
    const kept = key === null || reason !== null ? reason : this.#keep(maker, key, common, made)
    const entry = kept instanceof Entry ? kept : null
    if (entry === null && key !== null) this.#cache.noteUnkept(key)
    flight?.land(entry)
    return this.#finish(made, entry, kept instanceof Entry ? 'MISS' : bypassed(kept, this.#cache.parts))
  }

  /** The entry of a response that has just been made, or the reason why there is none. */
  #keep(
    { route, endpoint }: ResponseMaker,
    key: string,
    headers: string[],
    { response, text }: Served,
  ): Entry | string {
    const { work, user } = this.#request
    const dependencies = this.#dependencies
    const etag = response.headers.get('ETag')
    if (text === null || etag === null || dependencies === null) return 'it has no entity tag'
    const forbidden = whyNotStored(dependencies, this.#readWhileMade, work)
    if (forbidden !== null) return forbidden
    if (response.headers.has('Set-Cookie')) return 'it sets a cookie'
    if (user.id === 0 && isForbidden(response.headers.get('Cache-Control'))) return 'its headers say so'
    if (dependencies.tags.size === 0 && endpoint.cache === 'default') return 'nothing is known of what it depends on'
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
    return this.#cache.keep(entry) ? entry : 'it is too long'
  }

  /** The response with the headers of caches: 304 where the client has it already, else compressed where that is there. */
  #finish(made: Served, entry: Entry | null, origin: string): Served {
    if (!isToldOf(made)) return made
    const { branding } = this.#cache.parts
    made.response.headers.set(branding.header('Cache'), origin)
    if (entry !== null) this.#describe(made.response, entry)
    const unchanged = unchangedFor(this.#request, made.response, branding, this.#dated(entry)?.modified)
    const sent = unchanged ?? (entry === null ? made : this.#encoded(made, entry))
    return origin === ('HIT' satisfies Origin) ? { ...sent, isKept: true } : sent
  }

  /**
   * The entry, if a client that sends the date of its copy can be answered with 304; else null. Responses to users who are
   * logged in differ by user and session: a client that was logged out or in as another user before may send the same date
   * with a different response.
   */
  #dated(entry: Entry | null): Entry | null {
    return this.#request.user.id === 0 ? entry : null
  }

  /** Sets what is to be told of an entry, and remembers it for requests that differ by their URL alone. */
  #describe({ headers }: RestResponse, entry: Entry): void {
    const { hooks, cacheControl, tagsHeader } = this.#cache.parts
    const { user, url } = this.#request
    const now = Date.now()
    const modified = this.#dated(entry)?.lastModified(now) ?? null
    if (modified !== null && !headers.has('Last-Modified')) headers.set('Last-Modified', modified)
    if (user.id !== 0 || isForbidden(headers.get('Cache-Control'))) return
    if (cacheControl !== '' && !headers.has('Cache-Control')) headers.set('Cache-Control', cacheControl)
    if (tagsHeader !== null && entry.tags.length > 0) {
      const value = tagsValue(entry.tags, tagsHeader)
      if (value === null) headers.set('Cache-Control', 'no-store')
      else headers.set(tagsHeader, value)
    }
    const age = headers.get('Cache-Control')
    if (entry.until !== Infinity && age !== null) {
      headers.set('Cache-Control', withinAge(age, entry.until - now))
      // Of one that is found by its URL alone the headers are always the same.
      if (hasAge(age)) return
    }
    if (url === null || (entry.modified !== null && !isSettled(entry.modified, now))) return
    if (this.#headersOf === null || this.#headersOf.refusal !== null || this.#headersOf.tags.size > 0) return
    const reads = [...this.#readBefore, ...this.#readForHeaders]
    if (this.#request.headers.get('Origin') === null && dependsOnUrlAlone(hooks, this.#request, reads))
      this.#cache.keepPlain(url, entry, headers, this.#isEncodable(headers, entry))
  }

  #encoded(made: Served, entry: Entry): Served {
    const { headers } = made.response
    const { compression } = this.#cache.parts
    if (compression === null || !this.#isEncodable(headers, entry)) return made
    const encoding = compression.pickEncoding(this.#request.headers.get('Accept-Encoding'))
    const variant = entry.in(encoding)
    if (encoding === null) return made
    if (variant === undefined) {
      this.#cache.encode(entry, encoding)
      return made
    }
    headers.set('Content-Encoding', encoding)
    headers.set('ETag', variant.etag)
    return { ...made, text: [variant.body] }
  }

  #isEncodable(headers: RestResponse['headers'], { body }: Entry): boolean {
    const { compression } = this.#cache.parts
    if (compression === null || body.length < compression.least || headers.has('Content-Encoding')) return false
    if (/\bno-transform\b/i.test(headers.get('Cache-Control') ?? '')) return false
    return /\baccept-encoding\b/i.test(headers.get('Vary') ?? '')
  }
}

/** What is sent of a response that is not kept. */
export function bypass(made: Served, request: RestRequest, parts: Pick<CacheParts, 'branding' | 'debug'>): Served {
  if (!isToldOf(made)) return made
  const reason = request.endpoint?.cache === false ? 'its endpoint says so' : 'responses are not stored'
  made.response.headers.set(parts.branding.header('Cache'), bypassed(reason, parts))
  return unchangedFor(request, made.response, parts.branding) ?? made
}

/** What the header says of a response that is not kept: in debug mode the reason, too. */
export function bypassed(reason: string | null, { debug }: Pick<CacheParts, 'debug'>): string {
  const origin: Origin = 'BYPASS'
  // Names in it may be anything, and a header takes ASCII.
  return debug && reason !== null ? `${origin}; reason="${reason.replace(/[^ !#-[\]-~]/g, '?')}"` : origin
}

/** Notes the headers that are looked for while a response, or a part of one, is made: neither is kept. */
export class ForbiddenHeaders extends Set<string> {
  override add(name: string): this {
    doNotKeep(`it depends on the header ${name}`)
    return super.add(name)
  }
}

/** Whether clients are told where a response comes from. */
function isToldOf({ response: { status, isError }, text }: Served): boolean {
  return status === 200 && !isError && text !== null
}

/** 304 where the client has a response already; else null. @param since when it changed last, where that is known */
function unchangedFor(
  { headers: asked }: RestRequest,
  response: RestResponse,
  branding: Branding,
  since?: number | null,
): Served | null {
  const ifNoneMatch = asked.get('If-None-Match')
  const ifModifiedSince = asked.get('If-Modified-Since')
  if (ifNoneMatch === null && ifModifiedSince === null) return null
  const told = response.headers.get('Last-Modified')
  const modified = since ?? (told === null ? null : Date.parse(told))
  const known = knownAs({ ifNoneMatch, ifModifiedSince }, { etag: response.headers.get('ETag'), modified })
  return known === null ? null : notModified(response, known, branding.header('Cache'))
}

/** The response that tells the client to use what it has. */
function notModified({ headers, matchedRoute, endpoint }: RestResponse, etag: string, cacheHeader: string): Served {
  const response = new RestResponse(null, 304)
  response.matchedRoute = matchedRoute
  response.endpoint = endpoint
  for (const [name, value] of headers) if (belongsTo304(name, cacheHeader)) response.headers.set(name, value)
  response.headers.set('ETag', etag)
  return { response, text: null, served: false }
}
