import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP, type AddressInfo, type Socket } from 'node:net'
import { Readable, type Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { hasBody, readBody, type Body } from './body.ts'
import { BodyBudget } from './body-budget.ts'
import { Call, TimeLimit, type Client } from './call.ts'
import type { Limits } from '../config.ts'
import { Connections } from './connections.ts'
import { errors, RestError } from '../errors.ts'
import { guarded } from './guarded.ts'
import { HeaderMap } from './headers.ts'
import { isThenable, type Awaitable } from '../awaitable.ts'
import { applyFilter, applySyncFilter } from '../hooks/run.ts'
import { FREE, Intake, type Sender } from './intake.ts'
import { parseQuery, type Params } from './query-string.ts'
import { JSON_TYPE, refuse, refuseBytes } from './refusal.ts'
import { RestRequest } from '../rest/request.ts'
import { allowsMethod } from '../rest/routes.ts'
import type { Served } from '../rest/dispatch.ts'
import type { RestServer } from '../rest/server.ts'
import type { SitePage, SiteRequest } from './site-request.ts'
import { discard, lengthOf, Taking, writeBody } from './transfer.ts'
import { outageOf } from '../outages.ts'
import { Turns } from './turns.ts'
import { decodePath } from '../urls.ts'
import { Watch } from './slow-clients.ts'
import { runWork } from '../work.ts'

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

/** Writes an answer. */
type Write = () => Awaitable<void>

/** Serves the interface, and the pages of the site around it, over HTTP. */
export class HttpServer {
  readonly #rest: RestServer
  readonly #server: Server
  readonly #turns: Turns
  readonly #timeLimit: TimeLimit
  readonly #watch: Watch
  readonly #budget: BodyBudget
  readonly #connections: Connections
  readonly #clock: NodeJS.Timeout
  /** What ids of requests begin with, so that those of two processes differ. */
  readonly #process = randomUUID().slice(0, 8)
  #requests = 0
  #stopping = false

  constructor(rest: RestServer) {
    this.#rest = rest
    const { limits, trust_proxy } = rest.config
    this.#turns = new Turns(limits.at_once)
    this.#timeLimit = new TimeLimit(limits.time, ({ id, request }, what) => {
      rest.log.error({ request: id, route: request?.matchedRoute }, what)
    })
    this.#watch = new Watch(limits)
    this.#budget = new BodyBudget(limits)
    this.#connections = new Connections({ connections: limits.connections, trust_proxy })
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
    const tick = Math.min(500, limits.time / 4, limits.idle / 4)
    this.#clock = setInterval(this.#guarded(this.#look), tick).unref()
    this.#server.on('connection', this.#guarded(this.#connect))
    this.#server.on('clientError', this.#guarded(this.#refuseBytes))
    this.#server.on('checkExpectation', this.#guarded(this.#refuseExpectation))
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
      this.#server.listen({ port, host, backlog: BACKLOG }, resolve)
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

  readonly #connect = (socket: Socket): void => {
    this.#connections.open(socket)
    this.#turns.hear()
  }

  /** Takes a request in; it begins at once where no others are waiting. */
  #handle(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (!this.#connections.ask(incoming, outgoing)) return
    this.#requests += 1
    const id = `${this.#process}-${this.#requests}`
    const headers = HeaderMap.received(incoming.headers)
    const client = this.#client(incoming, headers)
    this.#turns.enter(new Call({ incoming, outgoing, id, headers, client, turns: this.#turns, act: this.#begin }))
  }

  /** Answers a request; at once where nothing has to wait. */
  readonly #begin = (call: Call): void => {
    let written: Awaitable<void>
    try {
      const write = runWork(call.work, () => this.#answer(call))
      written = isThenable(write) ? this.#writeLater(call, write) : write()
    } catch (error) {
      written = this.#fail(call, error)
    }
    if (!isThenable(written)) return this.#finish(call)
    void written
      .then(undefined, (error: unknown) => this.#fail(call, error))
      .then(() => this.#finish(call))
      .then(undefined, (err: unknown) => this.#rest.log.error({ request: call.id, err }, 'an answer was not written'))
  }

  async #writeLater(call: Call, answer: Promise<Write>): Promise<void> {
    const write = await this.#timeLimit.hold(call, answer)
    // How long a client takes for its answer is no work of ours.
    call.rest()
    return write()
  }

  #answer(call: Call): Awaitable<Write> {
    const { incoming, outgoing, headers, work, client } = call
    const { time } = this.#rest.config.limits
    // Many others of its network were worked on for all of its time.
    if (performance.now() - call.arrived >= time) throw errors.rest_handler_timeout(time)
    const address = isWellFormed(incoming) ? this.#address(incoming) : null
    if (address === null) return () => this.#refuse(outgoing, errors.rest_bad_request())
    const { route, search } = address
    if (route === null) return this.#page(call, address)
    const query = parseQuery(search)
    const method = overridden(incoming.method ?? 'GET', query, undefined, headers)
    const request = new RestRequest(method, route, { headers, query, address: incoming.url, ...client, work })
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
    const userId = async () => (await this.#rest.identify(request)).id
    try {
      const body = await this.#read(call, this.#rest.config.limits, { isWanted, userId })
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
  async #read(call: Call, limits: Limits, { isWanted, userId }: Pick<Sender, 'isWanted' | 'userId'>): Promise<Body> {
    const { time } = this.#rest.config.limits
    const { incoming, outgoing, network } = call
    const sender: Sender = {
      isWanted,
      userId: async () => Promise.resolve(userId()).catch(() => 0),
      network,
      // What comes behind another request of its connection can wait.
      free: outgoing.socket === null ? 0 : FREE,
    }
    const intake = new Intake(incoming, limits, this.#budget, sender)
    this.#watch.add(intake)
    // Node tells the client when it takes longer than it may.
    call.until = performance.now() + 2 * time
    // Nor does how long a client takes to send it keep others waiting.
    call.rest()
    const turn = async () => {
      this.#watch.remove(intake)
      await call.goOn()
    }
    const body = await readBody(incoming, limits, intake, turn)
    call.until = performance.now() + time
    return body
  }

  /** Whether any endpoint may answer a request; a POST may name another method in its body. */
  #isWanted(method: string, route: string): boolean {
    const matches = this.#rest.match(route)
    if (method === 'POST') return matches.length > 0
    return matches.some((match) => match.route.endpoints.some((endpoint) => allowsMethod(endpoint, method)))
  }

  #interface(call: Call, request: RestRequest, release?: Body['release']): Awaitable<Write> {
    const { incoming, outgoing } = call
    const served = this.#rest.serve(request, { incoming, outgoing })
    // Also when nobody waits for the answer any more, its handler may still be reading.
    if (release !== undefined) void Promise.resolve(served).then(release, release)
    return isThenable(served) ? served.then((answer) => () => this.#send(call, answer)) : () => this.#send(call, served)
  }

  /** Looks at what has taken too long, or moves too slowly. */
  readonly #look = (): void => {
    const now = performance.now()
    this.#timeLimit.look(now)
    this.#watch.look(now)
  }

  #finish(call: Call): void {
    const { incoming, outgoing, work } = call
    const { answers: long } = this.#rest
    call.end()
    if (outgoing.writableFinished || outgoing.destroyed) long.release(work)
    else outgoing.once('close', () => long.release(work))
    // A body nobody read would otherwise be taken for the next request.
    if (!incoming.complete && hasBody(incoming)) void discard(incoming, this.#rest.config.limits.body)
    if (this.#rest.log.isLevelEnabled('debug')) this.#tell(call)
  }

  #fail({ outgoing, id, work }: Call, error: unknown): void {
    if (outgoing.destroyed) return this.#rest.log.debug({ request: id, err: error }, 'the client went away')
    const shown = error instanceof RestError && error.code !== error.code.toUpperCase() ? error : null
    const outage = shown !== null && shown.status < 500 ? null : outageOf(error, work)
    const told = outage ?? shown
    if (outage !== null || told === null || (told.status >= 500 && told.cause !== undefined)) {
      const message =
        outage?.message ?? (error instanceof RestError ? error.message : 'a request could not be answered')
      this.#rest.log.error({ request: id, err: error }, message)
    }
    this.#refuse(outgoing, told ?? errors.rest_internal_error())
  }

  #tell({ incoming: { method, url }, outgoing: { statusCode }, id, arrived }: Call): void {
    const ms = Math.round((performance.now() - arrived) * 100) / 100
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
    if (outgoing.writableFinished || outgoing.destroyed) return
    const taking = new Taking(outgoing, socket)
    this.#watch.add(taking)
    outgoing.once('close', () => this.#watch.remove(taking))
  }

  async #page(call: Call, address: Address): Promise<Write> {
    const { incoming, id, work, headers, client } = call
    const { hooks, config } = this.#rest
    // Who asks for a page is found out as for the interface.
    const asking = new RestRequest(incoming.method ?? 'GET', '/', { headers, ...client, work })
    asking.id = id
    const user = await this.#rest.identify(asking)
    let forget: Body['release']
    const request: SiteRequest = {
      method: incoming.method ?? 'GET',
      path: address.path,
      query: address.query,
      headers,
      form: async () => {
        if (!this.#readsBody(incoming)) return {}
        // Forms of pages send no files.
        const { text } = config.limits
        const sender = { isWanted: () => true, userId: () => user.id }
        const { form, release } = await this.#read(call, { ...config.limits, body: text }, sender)
        forget = release
        return form ?? {}
      },
      user,
      ...client,
      id,
      get signal() {
        return work.signal
      },
    }
    let page: SitePage | null
    try {
      page = await applyFilter(hooks.site_request, null, request)
    } finally {
      await forget?.()
    }
    return () => this.#sendPage(call, page ?? notFound(), request)
  }

  /** Where a request comes from: as the proxy in front tells, where it is trusted, else as the connection does. */
  #client(incoming: IncomingMessage, headers: HeaderMap): Client {
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
    // No page is taken for another type than it says, whichever plugin has made it.
    outgoing.setHeader('X-Content-Type-Options', 'nosniff')
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
    refuse(outgoing, error, this.#rest.config.limits.body)
  }

  readonly #refuseBytes = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    refuseBytes(socket as Socket, error, this.#connections.latest(socket as Socket))
  }

  readonly #refuseExpectation = (_: IncomingMessage, outgoing: ServerResponse): void => {
    this.#refuse(outgoing, errors.rest_bad_request())
  }

  /** A listener whose failure ends nothing but itself. */
  #guarded<A extends unknown[]>(act: (...args: A) => void): (...args: A) => void {
    return guarded((err) => this.#rest.log.error({ err }, 'an event of a connection failed'), act)
  }
}

/** Whether a method only reads, and caches may answer it. */
function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Headers that a request has once: of two, each server on its way could believe another. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'content-type', 'authorization', 'x-http-method-override'])
/** A host, with its port (RFC 3986). */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]+)(?::\d*)?$/i
/** Characters up to which Node writes head and body as one text. */
const SHORT = 4096
/** Connections that the system keeps until they are taken in; it makes a client beyond that wait for a second and more. */
const BACKLOG = 4096
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
