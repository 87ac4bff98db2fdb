import { randomUUID } from 'node:crypto'
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP, type AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { hasBody, readBody, type Body } from './body.ts'
import { errors, RestError } from './errors.ts'
import { HeaderMap } from './headers.ts'
import { applyFilter, applySyncFilter, isThenable, type Awaitable } from './hooks.ts'
import { parseQuery, type Params } from './query.ts'
import { RestRequest } from './request.ts'
import { RestResponse } from './response.ts'
import type { RestServer, Served } from './server.ts'
import type { SitePage, SiteRequest } from './site.ts'
import { decodePath } from './urls.ts'

const JSON_TYPE = 'application/json; charset=UTF-8'
const OVERRIDABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** What an address turned out to name. */
interface Address {
  /** Decoded path below the home, with its leading slash. */
  path: string
  search: string
  query: URLSearchParams
  /** The REST route, or null for a page of the site. */
  route: string | null
}

/** An answer that is waited for: until when, and what happens then. */
interface Waiting {
  /** Milliseconds of the process's clock. */
  until: number
  late: () => void
}

/** Serves the interface, and the pages of the site around it, over HTTP. */
export class HttpServer {
  readonly #rest: RestServer
  readonly #server: Server
  readonly #waiting = new Set<Waiting>()
  readonly #clock: NodeJS.Timeout
  /** What ids of requests begin with, so that those of two processes differ. */
  readonly #process = randomUUID().slice(0, 8)
  #requests = 0
  #stopping = false

  constructor(rest: RestServer) {
    this.#rest = rest
    const { limits } = rest.config
    this.#server = createServer(
      {
        maxHeaderSize: limits.headers,
        requestTimeout: limits.time,
        headersTimeout: Math.min(limits.time, 20_000),
        connectionsCheckingInterval: 1000,
        keepAliveTimeout: 10_000,
        optimizeEmptyRequests: true,
        // Refused here, so that it is told as everything else is.
        requireHostHeader: false,
      },
      (incoming, outgoing) => void this.#handle(incoming, outgoing),
    )
    this.#clock = setInterval(
      () => {
        const now = performance.now()
        for (const { until, late } of this.#waiting) if (until <= now) late()
      },
      Math.min(500, limits.time / 4),
    ).unref()
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
      const told =
        error.code === 'HPE_HEADER_OVERFLOW'
          ? errors.rest_header_too_large()
          : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
            ? errors.rest_request_timeout()
            : errors.rest_bad_request()
      const body = JSON.stringify(told)
      const headers = { ...REFUSAL, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
      const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.end(`HTTP/1.1 ${told.status} ${told.code}\r\n${head.join('')}\r\n${body}`)
    })
    this.#server.on('checkExpectation', (_, outgoing) => this.#refuse(outgoing, errors.rest_bad_request()))
  }

  /**
   * Listens. Resolves with the port once requests are accepted.
   * @throws PORT_TAKEN
   */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause: NodeJS.ErrnoException) => {
        reject(cause.code === 'EADDRINUSE' ? errors.PORT_TAKEN(`${host}:${port}`, { cause }) : cause)
      })
      this.#server.listen(port, host, resolve)
    })
    return (this.#server.address() as AddressInfo).port
  }

  /** Takes no new requests and waits until those under way are answered. */
  async stop(): Promise<void> {
    clearInterval(this.#clock)
    if (!this.#server.listening) return
    this.#stopping = true
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeIdleConnections()
    // Those whose last answer is only just through become idle in a moment.
    const idle = setInterval(() => this.#server.closeIdleConnections(), 50)
    const force = setTimeout(() => this.#server.closeAllConnections(), this.#rest.config.limits.time)
    await closed
    clearInterval(idle)
    clearTimeout(force)
  }

  /** Answers a request; at once where nothing has to wait. */
  #handle(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#requests += 1
    const id = `${this.#process}-${this.#requests}`
    const started = this.#rest.log.isLevelEnabled('debug') ? performance.now() : null
    let answered: Awaitable<void>
    try {
      answered = this.#answer(incoming, outgoing, id)
    } catch (error) {
      answered = this.#fail(outgoing, error, id)
    }
    if (!isThenable(answered)) return this.#finish(incoming, outgoing, id, started)
    void answered
      .then(undefined, (error: unknown) => this.#fail(outgoing, error, id))
      .then(() => this.#finish(incoming, outgoing, id, started))
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse, id: string): Awaitable<void> {
    const address = isWellFormed(incoming) ? this.#address(incoming) : null
    if (address === null) return this.#refuse(outgoing, errors.rest_bad_request())
    const { route, search } = address
    if (route === null) return this.#page(incoming, outgoing, address, id)
    if (!hasBody(incoming)) return this.#interface(incoming, outgoing, route, search, NO_BODY, id)
    return readBody(incoming, this.#rest.config.limits).then((body) =>
      this.#interface(incoming, outgoing, route, search, body, id),
    )
  }

  #finish(incoming: IncomingMessage, outgoing: ServerResponse, id: string, started: number | null): void {
    // A body nobody read would otherwise be taken for the next request.
    if (!incoming.readableEnded && !incoming.complete) incoming.resume()
    if (started !== null) this.#tell(incoming, outgoing, id, performance.now() - started)
  }

  #fail(outgoing: ServerResponse, error: unknown, id: string): void {
    if (outgoing.destroyed) return this.#rest.log.debug({ request: id, err: error }, 'the client went away')
    if (error instanceof RestError && error.status < 500) return this.#refuse(outgoing, error)
    const message = error instanceof RestError ? error.message : 'a request could not be answered'
    this.#rest.log.error({ request: id, err: error }, message)
    this.#refuse(outgoing, errors.rest_internal_error())
  }

  #tell({ method, url }: IncomingMessage, { statusCode }: ServerResponse, id: string, duration: number): void {
    const ms = Math.round(duration * 100) / 100
    this.#rest.log.debug({ request: id, method, url, status: statusCode, ms })
  }

  /** Reads the address once: path decoded, REST route found. Null when it cannot be decoded. */
  #address(incoming: IncomingMessage): Address | null {
    const raw = incoming.url ?? '/'
    const at = raw.indexOf('?')
    const search = at < 0 ? '' : raw.slice(at + 1)
    let path = at < 0 ? raw : raw.slice(0, at)
    if (path.includes('%')) {
      const decoded = decodePath(path)
      if (decoded === null) return null
      path = decoded
    }
    const { urls, hooks } = this.#rest
    const base = urls.basePath
    if (base !== '' && (path === base || path.startsWith(`${base}/`))) path = path.slice(base.length) || '/'
    const prefix = `/${urls.prefix}`
    const below = path.startsWith('/index.php/') ? path.slice('/index.php'.length) : path
    const isRoute = below.startsWith(prefix) && (below.length === prefix.length || below[prefix.length] === '/')
    const query = isRoute ? NO_QUERY : new URLSearchParams(search)
    const pretty = isRoute ? below.slice(prefix.length) || '/' : null
    const route = applySyncFilter(hooks.rest_route_of_address, pretty, path, query)
    return { path, search, query, route }
  }

  #interface(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    route: string,
    search: string,
    { form, json, raw, files, error, release }: Body,
    id: string,
  ): Awaitable<void> {
    const query = parseQuery(search)
    const headers = HeaderMap.received(incoming.headers)
    const method = overridden(incoming.method ?? 'GET', query, form, headers)
    const { ip, secure } = this.#client(incoming, headers)
    const init = { headers, query, form, json, raw, files, address: incoming.url, ip, secure }
    const request = new RestRequest(method, route, init)
    request.id = id
    request.bodyError = error?.toJSON() ?? null
    const served = this.#rest.serve(request, { incoming, outgoing })
    // Also when nobody waits for the answer any more, its handler may still be reading.
    if (release !== undefined) void Promise.resolve(served).then(release, release)
    if (!isThenable(served)) return this.#send(incoming, outgoing, served, id)
    return this.#withinTime(served, request).then((answer) => this.#send(incoming, outgoing, answer, id))
  }

  #send({ method, url }: IncomingMessage, outgoing: ServerResponse, answer: Served, id: string): void {
    if (answer.served) return
    const { text } = answer
    const { status, headers } = answer.response
    if (status >= 500 && status !== 501)
      this.#rest.log.error({ request: id, method, url, status }, 'answered with an error')
    const head = headers.toList()
    if (!headers.has('Content-Type')) head.push('Content-Type', JSON_TYPE)
    // Long text is made into bytes once, for its length and for the connection; short text goes with the head.
    const body = text !== null && text.length > SHORT ? Buffer.from(text) : text
    const length = body === null ? 0 : Buffer.byteLength(body)
    if (body !== null) head.push('Content-Length', String(length))
    if (this.#stopping) head.push('Connection', 'close')
    outgoing.writeHead(status, head)
    if (method === 'HEAD' || body === null) outgoing.end()
    // Text of ASCII alone is written as it stands in memory.
    else outgoing.end(body, length === text?.length ? 'latin1' : 'utf8')
  }

  /** The answer, or a 503 when the handler takes longer than the limit. Deadlines are looked at by one clock. */
  #withinTime(answer: Promise<Served>, request: RestRequest): Promise<Served> {
    return new Promise((resolve, reject) => {
      const late = () => {
        this.#waiting.delete(waiting)
        this.#rest.log.error({ request: request.id, route: request.matchedRoute }, 'a handler took too long')
        const response = RestResponse.fromError(errors.rest_handler_timeout(this.#rest.config.limits.time))
        for (const [name, value] of Object.entries(REFUSAL)) response.headers.set(name, value)
        response.headers.set('Retry-After', 5)
        resolve({ response, text: JSON.stringify(response.data), served: false })
      }
      const waiting: Waiting = { until: performance.now() + this.#rest.config.limits.time, late }
      this.#waiting.add(waiting)
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T) => {
          this.#waiting.delete(waiting)
          settle(value)
        }
      }
      answer.then(settled(resolve), settled(reject))
    })
  }

  async #page(incoming: IncomingMessage, outgoing: ServerResponse, address: Address, id: string): Promise<void> {
    const { hooks, config } = this.#rest
    const headers = HeaderMap.received(incoming.headers)
    const client = this.#client(incoming, headers)
    // Who asks for a page is found out as for the interface.
    const asking = new RestRequest(incoming.method ?? 'GET', '/', { headers, ...client })
    asking.id = id
    let user = applyFilter(hooks.determine_current_user, asking.user, asking)
    if (isThenable(user)) user = await user
    const request: SiteRequest = {
      method: incoming.method ?? 'GET',
      path: address.path,
      query: address.query,
      headers,
      form: async () => {
        if (!hasBody(incoming)) return {}
        // Forms of pages send no files.
        const { text } = config.limits
        const { form, release } = await readBody(incoming, { ...config.limits, body: text })
        await release?.()
        return form ?? {}
      },
      user,
      ...client,
      id,
    }
    let page = applyFilter(hooks.site_request, null, request)
    if (isThenable(page)) page = await page
    await this.#sendPage(outgoing, page ?? notFound(), request)
  }

  /** Where a request comes from: as the proxy in front tells, where it is trusted, else as the connection does. */
  #client(incoming: IncomingMessage, headers: HeaderMap): { ip: string; secure: boolean } {
    const https = this.#rest.urls.home.startsWith('https:')
    const peer = incoming.socket.remoteAddress ?? ''
    const ip = peer.startsWith('::ffff:') ? peer.slice('::ffff:'.length) : peer
    if (!this.#rest.config.trust_proxy) return { ip, secure: https }
    // A proxy adds what it knows behind what the client claims.
    const told = (name: string) => headers.get(name)?.split(',').at(-1)?.trim()
    const claimed = told('x-forwarded-for') ?? ''
    return { ip: isIP(claimed) === 0 ? ip : claimed, secure: https || told('x-forwarded-proto') === 'https' }
  }

  async #sendPage(outgoing: ServerResponse, page: SitePage, request: SiteRequest): Promise<void> {
    const { hooks } = this.#rest
    if (hooks.site_headers.isUsed()) hooks.site_headers.call(page.headers, request)
    for (const [name, value] of page.headers) outgoing.setHeader(name, value)
    if (this.#stopping) outgoing.setHeader('Connection', 'close')
    outgoing.statusCode = page.status
    if (page.body instanceof Readable) {
      if (request.method === 'HEAD') {
        page.body.destroy()
        outgoing.end()
        return
      }
      // A client that goes away in the middle is no failure of ours.
      await pipeline(page.body, outgoing).catch(() => outgoing.destroy())
      return
    }
    const { body } = page
    if (body !== null && !page.headers.has('Content-Length'))
      outgoing.setHeader('Content-Length', Buffer.byteLength(body))
    outgoing.end(request.method === 'HEAD' || body === null ? undefined : body)
  }

  #refuse(outgoing: ServerResponse, error: RestError): void {
    if (outgoing.headersSent) return void outgoing.destroy()
    const body = JSON.stringify(error)
    outgoing.statusCode = error.status
    // A head that could not be written has left its own words.
    outgoing.statusMessage = STATUS_CODES[error.status] ?? ''
    for (const [name, value] of Object.entries(REFUSAL)) outgoing.setHeader(name, value)
    outgoing.setHeader('Content-Length', Buffer.byteLength(body))
    // What is left of the body is not worth reading.
    outgoing.setHeader('Connection', 'close')
    outgoing.end(body)
  }
}

const NO_BODY: Body = {}
/** What every answer says that no route has given. */
const REFUSAL = { 'Content-Type': JSON_TYPE, 'X-Content-Type-Options': 'nosniff', 'X-Robots-Tag': 'noindex' }
/** Headers that a request has once: of two, each server on its way could believe another. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'content-type', 'authorization', 'x-http-method-override'])
/** A host, with its port (RFC 3986). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i
/** Characters up to which Node writes head and body as one text. */
const SHORT = 4096
const NO_QUERY = new URLSearchParams()

/**
 * Whether everybody reads a request in the same way: it asks for a path, of one host, and the end of its body is told in
 * one way. What Node refuses by itself does not come here.
 */
function isWellFormed({ url = '', headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  if (!url.startsWith('/') || url.includes('#')) return false
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false
  const { host, 'transfer-encoding': coding } = headers
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) return false
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) return false
  // Nearly every request has each header once.
  if (rawHeaders.length === 2 * Object.keys(headers).length) return true
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (!SINGLE.has(name)) continue
    if (seen.has(name)) return false
    seen.add(name)
  }
  return true
}

/** The method that counts: POST may name another in `_method` or `X-HTTP-Method-Override`; nothing else may. */
function overridden(method: string, query: Params, form: Params | undefined, headers: HeaderMap): string {
  if (method !== 'POST') return method
  const asked = query['_method'] ?? form?.['_method'] ?? headers.get('x-http-method-override')
  const upper = typeof asked === 'string' ? asked.toUpperCase() : method
  return OVERRIDABLE.has(upper) ? upper : method
}

function notFound(): SitePage {
  const headers = new HeaderMap({
    'Content-Type': 'text/html; charset=UTF-8',
    'X-Content-Type-Options': 'nosniff',
    // It may be there tomorrow, and for somebody else today.
    'Cache-Control': 'no-cache, must-revalidate, max-age=0',
  })
  const body =
    '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Not found</title><h1>Not found</h1></html>\n'
  return { status: 404, headers, body }
}
