import { randomUUID } from 'node:crypto'
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP, type AddressInfo, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { hasBody, readBody, type Body } from './body.ts'
import { BodyBudget } from './budget.ts'
import type { Limits } from './config.ts'
import { errors, RestError } from './errors.ts'
import { guarded } from './guarded.ts'
import { HeaderMap } from './headers.ts'
import { applyFilter, applySyncFilter, isThenable, type Awaitable } from './hooks.ts'
import { Intake, type Sender } from './intake.ts'
import { parseQuery, type Params } from './query.ts'
import { RestRequest } from './request.ts'
import { answers } from './routes.ts'
import type { RestServer, Served } from './server.ts'
import type { SitePage, SiteRequest } from './site.ts'
import { discard, lengthOf, Taking, writeBody } from './transfer.ts'
import { RETRY_AFTER, troubleOf } from './troubles.ts'
import { Turns } from './turns.ts'
import { decodePath } from './urls.ts'
import { Watch } from './watch.ts'
import { runWork, Work } from './work.ts'

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

/** A request under way. */
interface Call {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly id: string
  readonly work: Work
  /** Milliseconds of the process's clock at its beginning, where the log tells how long it took. */
  readonly started: number | null
  /** Until when its answer has to be there, in milliseconds of the process's clock. */
  until: number
  /** What happens then. */
  late: (() => void) | null
  /** What is asked of the interface. */
  request: RestRequest | null
}

/** What is known of a connection. */
interface Connection {
  /** The answer to its latest request. */
  latest: ServerResponse
  /** How many answers wait for an earlier one. */
  queued: number
}

/** Writes an answer. */
type Write = () => Awaitable<void>

/** Serves the interface, and the pages of the site around it, over HTTP. */
export class HttpServer {
  readonly #rest: RestServer
  readonly #server: Server
  readonly #turns: Turns<Call>
  readonly #watch: Watch
  readonly #budget: BodyBudget
  readonly #connections = new WeakMap<Socket, Connection>()
  readonly #waiting = new Set<Call>()
  readonly #clock: NodeJS.Timeout
  /** What ids of requests begin with, so that those of two processes differ. */
  readonly #process = randomUUID().slice(0, 8)
  #requests = 0
  #stopping = false

  constructor(rest: RestServer) {
    this.#rest = rest
    const { limits } = rest.config
    this.#turns = new Turns<Call>({
      begin: (call) => this.#begin(call),
      clientOf: ({ incoming }) => this.#client(incoming, HeaderMap.received(incoming.headers)).ip,
      isGone: ({ incoming, outgoing }) => outgoing.destroyed || !incoming.socket.writable,
    })
    this.#watch = new Watch(limits)
    this.#budget = new BodyBudget(limits)
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
      (incoming, outgoing) => this.#handle(incoming, outgoing),
    )
    const failed = (err: Error) => this.#rest.log.error({ err }, 'an event of a connection failed')
    const tick = Math.min(500, limits.time / 4, limits.idle / 4)
    this.#clock = setInterval(guarded(failed, () => this.#look()), tick).unref() // prettier-ignore
    this.#server.on('clientError', guarded(failed, (error: NodeJS.ErrnoException, socket) => this.#refuseBytes(error, socket as Socket))) // prettier-ignore
    this.#server.on('checkExpectation', guarded(failed, (_, outgoing) => this.#refuse(outgoing, errors.rest_bad_request()))) // prettier-ignore
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
    if (!this.#server.listening) return clearInterval(this.#clock)
    this.#stopping = true
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeIdleConnections()
    // Those whose last answer is only just through become idle in a moment.
    const idle = setInterval(() => this.#server.closeIdleConnections(), 50)
    const force = setTimeout(() => this.#server.closeAllConnections(), this.#rest.config.limits.time)
    await closed
    clearInterval(this.#clock)
    clearInterval(idle)
    clearTimeout(force)
  }

  /** Takes a request in; it begins at once where no others are waiting. */
  #handle(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#requests += 1
    const call: Call = {
      incoming,
      outgoing,
      id: `${this.#process}-${this.#requests}`,
      work: new Work(),
      started: this.#rest.log.isLevelEnabled('debug') ? performance.now() : null,
      until: 0,
      late: null,
      request: null,
    }
    if (this.#connect(call)) this.#turns.enter(call)
  }

  /** Notes a request of a connection. Too many that wait for an answer end it. */
  #connect({ incoming, outgoing }: Call): boolean {
    const { socket } = incoming
    const known = this.#connections.get(socket)
    if (known === undefined) {
      this.#connections.set(socket, { latest: outgoing, queued: 0 })
      return true
    }
    known.latest = outgoing
    if (outgoing.socket !== null) return true
    known.queued += 1
    outgoing.once('close', () => (known.queued -= 1))
    if (known.queued > MOST_PIPELINED) socket.destroy()
    return known.queued <= MOST_PIPELINED
  }

  /** Answers a request; at once where nothing has to wait. */
  #begin(call: Call): void {
    let written: Awaitable<void>
    try {
      const write = runWork(call.work, () => this.#answer(call))
      written = isThenable(write) ? this.#inTime(call, write).then((late) => late()) : write()
    } catch (error) {
      written = this.#fail(call, error)
    }
    if (!isThenable(written)) return this.#finish(call)
    void written
      .then(undefined, (error: unknown) => this.#fail(call, error))
      .then(() => this.#finish(call))
      .then(undefined, (err: unknown) => this.#rest.log.error({ request: call.id, err }, 'an answer was not written'))
  }

  #answer(call: Call): Awaitable<Write> {
    const { incoming, outgoing } = call
    const address = isWellFormed(incoming) ? this.#address(incoming) : null
    if (address === null) return () => this.#refuse(outgoing, errors.rest_bad_request())
    const { route, search } = address
    if (route === null) return this.#page(call, address)
    const query = parseQuery(search)
    const headers = HeaderMap.received(incoming.headers)
    const method = overridden(incoming.method ?? 'GET', query, undefined, headers)
    const { ip, secure } = this.#client(incoming, headers)
    const request = new RestRequest(method, route, { headers, query, address: incoming.url, ip, secure, work: call.work }) // prettier-ignore
    request.id = call.id
    call.request = request
    if (!this.#readsBody(incoming)) return this.#interface(call, request)
    return this.#receive(call, request).then((release) => this.#interface(call, request, release))
  }

  /**
   * Whether a request has a body that is read. Those of GET and HEAD are not unless the config says so: a cache in front
   * knows an answer by its URL, and would give one person's answer to everybody.
   */
  #readsBody(incoming: IncomingMessage): boolean {
    return hasBody(incoming) && (this.#rest.config.read_get_bodies || !isRead(incoming.method))
  }

  /** Reads the body of a request to the interface. Gives what forgets it. */
  async #receive(call: Call, request: RestRequest): Promise<Body['release']> {
    const { incoming } = call
    const isWanted = () => this.#isWanted(incoming.method ?? 'GET', request.route)
    const isKnown = async () => (await this.#rest.identify(request)).id !== 0
    try {
      const body = await this.#read(call, this.#rest.config.limits, { isWanted, isKnown })
      request.useBody(body)
      request.method = overridden(incoming.method ?? 'GET', request.query, body.form, request.headers)
      request.bodyError = body.error?.toJSON() ?? null
      return body.release
    } catch (error) {
      const isLarge = error instanceof RestError && error.code === 'rest_body_too_large'
      if (!isLarge || isWanted()) throw error
      // That there is no such route is told before anything about its body.
      request.bodyError = error.toJSON()
      return undefined
    }
  }

  /** Reads a body while the clock looks whether it comes fast enough; the time of its handler begins afterwards. */
  async #read(call: Call, limits: Limits, sender: Sender): Promise<Body> {
    const { time } = this.#rest.config.limits
    const isKnown = async () => Promise.resolve(sender.isKnown()).catch(() => false)
    const intake = new Intake(call.incoming, limits, this.#budget, { ...sender, isKnown })
    this.#watch.add(intake)
    // Node tells the client when it takes longer than it may.
    call.until = performance.now() + 2 * time
    const body = await readBody(call.incoming, limits, intake)
    call.until = performance.now() + time
    return body
  }

  /** Whether any endpoint may answer a request; a POST may name another method in its body. */
  #isWanted(method: string, route: string): boolean {
    const matches = this.#rest.match(route)
    if (method === 'POST') return matches.length > 0
    return matches.some((match) => match.route.endpoints.some((endpoint) => answers(endpoint, method)))
  }

  #interface(call: Call, request: RestRequest, release?: Body['release']): Awaitable<Write> {
    const { incoming, outgoing } = call
    const served = this.#rest.serve(request, { incoming, outgoing })
    // Also when nobody waits for the answer any more, its handler may still be reading.
    if (release !== undefined) void Promise.resolve(served).then(release, release)
    return isThenable(served) ? served.then((answer) => () => this.#send(call, answer)) : () => this.#send(call, served)
  }

  /**
   * What a request is answered with, as long as its client is there and it takes no longer than the limit. What has not
   * changed anything by then is stopped; what has is waited for once more as long, and then the connection is cut: to
   * say that it failed would not be true.
   */
  #inTime(call: Call, answer: Promise<Write>): Promise<Write> {
    const { outgoing, work } = call
    const { time } = this.#rest.config.limits
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) work.abort(errors.rest_client_gone())
    })
    return new Promise((resolve, reject) => {
      const give = (error: RestError, what: string) => {
        this.#waiting.delete(call)
        if (!outgoing.destroyed) this.#rest.log.error({ request: call.id, route: call.request?.matchedRoute }, what)
        reject(error)
      }
      const late = errors.rest_handler_timeout(time)
      const cut = () => {
        give(late, 'a handler took too long after it had changed something: its client gets no answer')
        outgoing.destroy()
      }
      call.late = () => {
        if (work.abort(late)) return give(late, 'a handler took too long')
        call.until = performance.now() + time
        call.late = cut
      }
      call.until ||= performance.now() + time
      this.#waiting.add(call)
      const settled = <T>(settle: (value: T) => void) => {
        return (value: T) => {
          this.#waiting.delete(call)
          settle(value)
        }
      }
      answer.then(settled(resolve), settled(reject))
    })
  }

  /** Looks at what has taken too long, or moves too slowly. */
  #look(): void {
    const now = performance.now()
    for (const call of this.#waiting) if (call.until <= now) call.late?.()
    this.#watch.look(now)
  }

  #finish(call: Call): void {
    const { incoming, outgoing, started, work } = call
    const { answers } = this.#rest
    if (outgoing.writableFinished || outgoing.destroyed) answers.give(work)
    else outgoing.once('close', () => answers.give(work))
    // A body nobody read would otherwise be taken for the next request.
    if (!incoming.complete && hasBody(incoming)) void discard(incoming, this.#rest.config.limits.body)
    if (started !== null) this.#tell(call, performance.now() - started)
  }

  #fail({ outgoing, id }: Call, error: unknown): void {
    if (outgoing.destroyed) return this.#rest.log.debug({ request: id, err: error }, 'the client went away')
    const trouble = troubleOf(error)
    const told = trouble ?? (error instanceof RestError && error.code !== error.code.toUpperCase() ? error : null)
    if (trouble !== null || told === null || (told.status >= 500 && told.cause !== undefined)) {
      const message =
        trouble?.message ?? (error instanceof RestError ? error.message : 'a request could not be answered')
      this.#rest.log.error({ request: id, err: error }, message)
    }
    this.#refuse(outgoing, told ?? errors.rest_internal_error())
  }

  #tell({ incoming: { method, url }, outgoing: { statusCode }, id }: Call, duration: number): void {
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

  #send({ incoming, outgoing, id }: Call, answer: Served): void {
    const { method, url } = incoming
    if (answer.served) return this.#watchTaking(outgoing, incoming.socket)
    if (outgoing.destroyed) return
    const { text } = answer
    const { status, headers } = answer.response
    if (status >= 500 && status !== 501)
      this.#rest.log.error({ request: id, method, url, status }, 'answered with an error')
    if (isRead(method) && this.#readsBody(incoming)) headers.set('Cache-Control', 'no-store')
    const head = headers.toList()
    if (!headers.has('Content-Type')) head.push('Content-Type', JSON_TYPE)
    // Long text is made into bytes once, for its length and for the connection; short text goes with the head.
    const body = typeof text === 'string' && text.length > SHORT ? [Buffer.from(text)] : text
    const length = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : lengthOf(body)
    if (body !== null) head.push('Content-Length', String(length))
    if (this.#stopping) head.push('Connection', 'close')
    outgoing.writeHead(status, head)
    if (method === 'HEAD' || body === null) outgoing.end()
    else if (typeof body !== 'string') writeBody(outgoing, body)
    // Text of ASCII alone is written as it stands in memory.
    else outgoing.end(body, length === text?.length ? 'latin1' : 'utf8')
    if (outgoing.writableLength > 0) this.#watchTaking(outgoing, incoming.socket)
  }

  #watchTaking(outgoing: ServerResponse, socket: Socket): void {
    if (!outgoing.writableFinished) this.#watch.add(new Taking(outgoing, socket))
  }

  async #page(call: Call, address: Address): Promise<Write> {
    const { incoming, id, work } = call
    const { hooks, config } = this.#rest
    const headers = HeaderMap.received(incoming.headers)
    const client = this.#client(incoming, headers)
    // Who asks for a page is found out as for the interface.
    const asking = new RestRequest(incoming.method ?? 'GET', '/', { headers, ...client, work })
    asking.id = id
    const user = await this.#rest.identify(asking)
    const request: SiteRequest = {
      method: incoming.method ?? 'GET',
      path: address.path,
      query: address.query,
      headers,
      form: async () => {
        if (!this.#readsBody(incoming)) return {}
        // Forms of pages send no files.
        const { text } = config.limits
        const sender = { isWanted: () => true, isKnown: () => user.id !== 0 }
        const { form, release } = await this.#read(call, { ...config.limits, body: text }, sender)
        await release?.()
        return form ?? {}
      },
      user,
      ...client,
      id,
      get signal() {
        return work.signal
      },
    }
    const page = await applyFilter(hooks.site_request, null, request)
    return () => this.#sendPage(call, page ?? notFound(), request)
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

  async #sendPage({ incoming, outgoing }: Call, page: SitePage, request: SiteRequest): Promise<void> {
    const { hooks } = this.#rest
    if (outgoing.destroyed) {
      if (page.body instanceof Readable) page.body.destroy()
      return
    }
    if (hooks.site_headers.isUsed()) hooks.site_headers.call(page.headers, request)
    for (const [name, value] of page.headers) outgoing.setHeader(name, value)
    if (isRead(request.method) && this.#readsBody(incoming)) outgoing.setHeader('Cache-Control', 'no-store')
    if (this.#stopping) outgoing.setHeader('Connection', 'close')
    outgoing.statusCode = page.status
    if (page.body instanceof Readable) {
      if (request.method === 'HEAD') {
        page.body.destroy()
        outgoing.end()
        return
      }
      this.#watchTaking(outgoing, incoming.socket)
      // A client that goes away in the middle is no failure of ours.
      await pipeline(page.body, outgoing).catch(() => outgoing.destroy())
      return
    }
    const { body } = page
    if (body !== null && !page.headers.has('Content-Length'))
      outgoing.setHeader('Content-Length', Buffer.byteLength(body))
    if (request.method === 'HEAD' || body === null) outgoing.end()
    else writeBody(outgoing, [typeof body === 'string' ? Buffer.from(body) : body])
    if (outgoing.writableLength > 0) this.#watchTaking(outgoing, incoming.socket)
  }

  #refuse(outgoing: ServerResponse, error: RestError): void {
    if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
    const body = JSON.stringify(error)
    outgoing.statusCode = error.status
    // A head that could not be written has left its own words.
    outgoing.statusMessage = STATUS_CODES[error.status] ?? ''
    for (const [name, value] of Object.entries(REFUSAL)) outgoing.setHeader(name, value)
    outgoing.setHeader('Content-Length', Buffer.byteLength(body))
    if (error.status === 503) outgoing.setHeader('Retry-After', Number(error.data['retry_after'] ?? RETRY_AFTER))
    // A client hears why once it has sent all of it, unless nobody knows where that ends.
    outgoing.setHeader('Connection', 'close')
    const { req: incoming } = outgoing
    const isOver = incoming.complete || NOT_AWAITED.has(error.code)
    if (isOver || incoming.method === 'HEAD') return void outgoing.end(body)
    outgoing.write(body)
    void discard(incoming, this.#rest.config.limits.body).then(() => outgoing.end())
  }

  /** Refuses what is no request, as far as its connection waits for an answer. */
  #refuseBytes(error: NodeJS.ErrnoException, socket: Socket): void {
    const latest = this.#connections.get(socket)?.latest
    const isAnswering = latest !== undefined && latest.headersSent && !latest.writableFinished
    // Inside of another answer it would be taken for a part of it.
    if (!socket.writable || isAnswering || error.code === 'ECONNRESET') return void socket.destroy()
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
  }
}

/** Whether a method only reads, and caches may answer it. */
function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** What every answer says that no route has given. */
const REFUSAL = {
  'Content-Type': JSON_TYPE,
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  // It is about this one request, whatever its address shows to others.
  'Cache-Control': 'no-store',
}
/** Headers that a request has once: of two, each server on its way could believe another. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'content-type', 'authorization', 'x-http-method-override'])
/** A host, with its port (RFC 3986). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i
/** Characters up to which Node writes head and body as one text. */
const SHORT = 4096
/** Requests of one connection that may wait for an earlier one to be answered. */
const MOST_PIPELINED = 1000
/** Errors after which nobody knows where the body ends, or when. */
const NOT_AWAITED: ReadonlySet<string> = new Set(['rest_bad_request', 'rest_request_timeout'])
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
