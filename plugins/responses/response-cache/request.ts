import {
  chain,
  collectInto,
  Dependencies,
  registrations,
  RestResponse,
  undeclaredTap,
  type Awaitable,
  type Branding,
  type KeptRequest,
  type ResponseMaker,
  type RestRequest,
  type Served,
} from '../../../kernel/index.ts'
import type { ResponseCache } from './cache.ts'
import { isSettled, knownAs } from './conditions.ts'
import { Entry } from './entry.ts'
import { join, type Flight } from './flights.ts'
import { isForbidden, keyOf, whyNotAsked, whyNotKept } from './key.ts'
import { dependsOnUrlAlone } from './plain-requests.ts'
import { belongsTo304 } from './plain-response.ts'
import { tagsValue } from './tags-header.ts'

/** Where a response comes from: kept, made and kept, or made for this request alone. */
type Origin = 'HIT' | 'MISS' | 'BYPASS'

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
  /** Those that were looked for while the response was made: all who get it would have to have the same. */
  readonly #readWhileMade = new Set<string>()
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

  enter(dependencies: Dependencies): void {
    this.#dependencies = dependencies
    this.#request.headers.reads = this.#readWhileMade
  }

  serve(maker: ResponseMaker): Awaitable<Served> {
    const request = this.#request
    const { parts } = this.#cache
    if (whyNotAsked(request, parts.branding) !== null) return this.#make(maker, null)
    const { methods } = maker.endpoint
    // HEAD is answered from what GET gets, unless the endpoint does it in its own way.
    const isHead = request.method === 'HEAD' && !methods.includes('HEAD')
    const key = keyOf(request, maker.route, parts)
    if (key === null) return this.#make(maker, null)
    if (!isHead) return this.#answer(maker, `${request.method} ${key}`, this.#state)
    request.method = 'GET'
    return chain(this.#answer(maker, `GET ${key}`, this.#state), (served) => {
      request.method = 'HEAD'
      return served
    })
  }

  #answer(maker: ResponseMaker, key: string, state: number): Awaitable<Served> {
    const cache = this.#cache
    const entry = cache.get(key, state)
    if (entry !== undefined) return this.#reuse(entry, maker)
    // One that others began with other plugins is not for this request.
    const flightKey = `${this.#registrations} ${key}`
    const other = cache.flights.get(flightKey)
    if (other !== undefined) {
      return join(other, this.#request).then((landed) =>
        landed === null ? this.#make(maker, key) : this.#answer(maker, key, state),
      )
    }
    if (cache.isUnkept(key)) return this.#make(maker, key)
    const flight = cache.flights.begin(flightKey, this.#request.work)
    const failed = (error: unknown) => {
      flight.land(null)
      throw error
    }
    try {
      const made = this.#make(maker, key, flight)
      return made instanceof Promise ? made.catch(failed) : made
    } catch (error) {
      return failed(error)
    }
  }

  /** The response of an entry, with the headers of this request. */
  #reuse(entry: Entry, maker: ResponseMaker): Awaitable<Served> {
    entry.hits += 1
    const response = this.#responseOf(entry)
    return chain(this.#preServe(maker, response), ({ response: shown, served }) => {
      this.#request.headers.reads = null
      if (served) return { response: shown, text: null, served }
      // A tap has failed.
      if (shown !== response) return maker.encode(shown)
      if (!shown.headers.has('ETag')) shown.headers.set('ETag', entry.etag)
      return this.#finish({ response: shown, text: [entry.body], served }, entry, 'HIT')
    })
  }

  #responseOf({ headers, body, route, endpoint }: Entry): RestResponse {
    const response = new RestResponse(null)
    for (let at = 0; at < headers.length; at += 2) response.headers.set(headers[at]!, headers[at + 1]!)
    response.matchedRoute = route?.pattern ?? null
    response.endpoint = endpoint
    // A plugin may send the data in another form.
    if (undeclaredTap(this.#cache.parts.hooks.rest_pre_serve_request) !== null) {
      try {
        response.data = JSON.parse(body.toString())
      } catch {
        // It is a script of `_jsonp`.
      }
    }
    return response
  }

  /** Has the headers of this request set. They are set anew for each, so the entry does not depend on what they do. */
  #preServe(maker: ResponseMaker, response: RestResponse): ReturnType<ResponseMaker['preServe']> {
    this.#request.headers.reads = this.#readForHeaders
    this.#headersOf = new Dependencies()
    return collectInto(this.#headersOf, () => maker.preServe(response))
  }

  /** Makes the response. @param key of the entry that it may become */
  #make(maker: ResponseMaker, key: string | null, flight?: Flight): Awaitable<Served> {
    const { headers } = this.#request
    return chain(maker.respond(), (response) => {
      let reason = key === null ? 'it was not asked for' : whyNotKept({ response, request: this.#request })
      const common = response.headers.toList()
      return chain(this.#preServe(maker, response), ({ response: shown, served }) => {
        headers.reads = this.#readWhileMade
        if (served) {
          flight?.land(null)
          return { response: shown, text: null, served }
        }
        return chain(maker.encode(shown), (made) => {
          headers.reads = null
          if (made.response !== response) reason = 'a tap has failed'
          const entry = key === null || reason !== null ? null : this.#keep(maker, key, common, made)
          if (entry === null && key !== null) this.#cache.noteUnkept(key)
          flight?.land(entry)
          return this.#finish(made, entry, entry === null ? 'BYPASS' : 'MISS')
        })
      })
    })
  }

  /** The entry of a response that has just been made; null where it may not be kept. */
  #keep({ route, endpoint }: ResponseMaker, key: string, headers: string[], { response, text }: Served): Entry | null {
    const { work, user } = this.#request
    const dependencies = this.#dependencies
    const etag = response.headers.get('ETag')
    if (text === null || etag === null || dependencies === null) return null
    // It may differ for somebody else who asks for the same, or the next time.
    if (dependencies.refusal !== null || work.committed || this.#readWhileMade.size > 0) return null
    // What it read may have been cut short.
    if (work.aborted) return null
    if (response.headers.has('Set-Cookie')) return null
    if (user.id === 0 && isForbidden(response.headers.get('Cache-Control'))) return null
    const tags = [...dependencies.tags]
    // Nothing that it is made of is known, and nobody has said that there is nothing.
    if (tags.length === 0 && endpoint.cache === 'default') return null
    const body = typeof text === 'string' ? Buffer.from(text) : Buffer.concat(text)
    const modified = tags.length === 0 ? null : this.#cache.changedAt(tags)
    const made = { at: this.#state, registrations: this.#registrations }
    const entry = new Entry({ key, route, endpoint, headers, body, etag, tags, modified, ...made })
    return this.#cache.keep(entry) ? entry : null
  }

  /** The response with the headers of caches: 304 where the client has it already, else compressed where that is there. */
  #finish(made: Served, entry: Entry | null, origin: Origin): Served {
    if (!isToldOf(made)) return made
    const { branding } = this.#cache.parts
    made.response.headers.set(branding.header('Cache'), origin)
    if (entry !== null) this.#describe(made.response, entry)
    const unchanged = unchangedFor(this.#request, made.response, branding, this.#dated(entry)?.modified)
    const sent = unchanged ?? (entry === null ? made : this.#encoded(made, entry))
    return origin === 'HIT' ? { ...sent, isKept: true } : sent
  }

  /**
   * An entry, where its date tells whether a client has it. What is sent to users who are logged in depends on who they are,
   * and on their session: somebody who was another user, or none, may have a date, but not the response.
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
export function bypass(made: Served, request: RestRequest, branding: Branding): Served {
  if (!isToldOf(made)) return made
  made.response.headers.set(branding.header('Cache'), 'BYPASS' satisfies Origin)
  return unchangedFor(request, made.response, branding) ?? made
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
