import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { errors, RestError } from '../errors.ts'
import { logRefusal } from '../log-refusal.ts'
import { BusyError } from '../outages.ts'
import type { CachedResponse } from '../rest/http-cache.ts'
import { RestRequest } from '../rest/request.ts'
import type { Served } from '../rest/response.ts'
import type { RestServer } from '../rest/server.ts'
import { tracing } from '../tracing.ts'
import { runWork } from '../work.ts'
import type { Body, BodyReader } from './bodies.ts'
import { Call, CallExchange, traceCall } from './call.ts'
import { clientBehindProxy } from './client.ts'
import { Connections } from './connections.ts'
import { guarded } from './guarded.ts'
import { HeaderMap } from './headers.ts'
import { createServer } from './node-http.ts'
import type { Connection, RequestLimits } from './limits.ts'
import { listenError } from './listen-errors.ts'
import type { FormReader, PageFinder, SitePage } from './pages.ts'
import { parseQuery } from './query-string.ts'
import { refusalPage, refuse, refuseBytes, setHeaders, toRefusal } from './refusal.ts'
import { effectiveMethod, hasBody, isWellFormed } from './request-line.ts'
import type { RequestHooks } from './request-hooks.ts'
import { newRequestId, requestIdOf } from './request-id.ts'
import type { RequestNotes } from './request-notes.ts'
import { parseRequestUrl } from './request-url.ts'
import { ResponseWriter } from './response-writer.ts'
import { discard } from './transfer.ts'

/** Pending connections in the system's queue. A client beyond this waits for a second or longer. */
const BACKLOG_CONNECTIONS = 4096

/** Milliseconds without received bytes after which an idle connection is closed while the server drains. */
const DRAIN_IDLE_MS = 200
/** Milliseconds between two checks while the server stops. */
const STOP_INTERVAL_MS = 50

/** Status in the log for a request whose client left before the response. */
const CLIENT_DISCONNECTED_STATUS = 499

/** A REST response or a page of the site. */
type Answer = Served | SitePage

/** Services of plugins that the server uses, or their replacements if a plugin is switched off. */
export interface HttpServices {
  readonly limits: RequestLimits
  readonly bodies: BodyReader
  readonly siteRequests: PageFinder
  readonly requestHooks: RequestHooks
}

/** Serves the REST API and the pages of the site over HTTP. */
export class HttpServer {
  readonly #rest: RestServer
  readonly #notes: RequestNotes
  readonly #pages: PageFinder
  readonly #server: Server
  readonly #limits: RequestLimits
  readonly #requestHooks: RequestHooks
  readonly #bodies: BodyReader
  readonly #writer: ResponseWriter
  readonly #connections: Connections
  /** Settles when the site is ready or its start has failed; requests wait for it. Null while the site is served. */
  #starting: PromiseWithResolvers<void> | null = Promise.withResolvers()
  #stopped: Promise<void> | null = null
  /** Number of requests that have not ended, including those whose client has left. */
  #openCalls = 0

  constructor(rest: RestServer, notes: RequestNotes, services: HttpServices) {
    const { limits, bodies, siteRequests, requestHooks } = services
    this.#rest = rest
    this.#limits = limits
    this.#bodies = bodies
    this.#pages = siteRequests
    this.#notes = notes
    this.#requestHooks = requestHooks
    // Prevents an unhandled rejection if no request waits.
    this.#starting?.promise.catch(() => {})
    const refuseCall = (call: Call, error: RestError) => this.#refuse(call, error)
    this.#writer = new ResponseWriter(rest, { bodies, limits, requestHooks, refuse: refuseCall })
    this.#connections = new Connections(limits)
    const { headers, requestTimeout } = rest.config.limits
    const options = {
      maxHeaderSize: headers,
      requestTimeout,
      headersTimeout: Math.min(requestTimeout, 20_000),
      connectionsCheckingInterval: 1000,
      keepAliveTimeout: 10_000,
      optimizeEmptyRequests: true,
      // `isWellFormed` checks it, so that the response is a regular error response.
      requireHostHeader: false,
    }
    this.#server = createServer(options, this.#handle)
    const connect = (socket: Socket) => this.#connections.open(socket)
    this.#server.on('connection', this.#guarded(connect))
    this.#server.on('clientError', this.#guarded(this.#refuseBytes))
    this.#server.on('checkExpectation', this.#handle)
  }

  /**
   * Opens the port and resolves with it. Requests wait until `admit` is called.
   * @throws PORT_TAKEN, PORT_NOT_PERMITTED, HOST_NOT_AVAILABLE
   */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) => reject(listenError(cause, host, port)))
      this.#server.listen({ port, host, backlog: BACKLOG_CONNECTIONS }, resolve)
    })
    return (this.#server.address() as AddressInfo).port
  }

  /** Handles the waiting requests, and all later requests when they arrive. */
  admit(): void {
    this.#starting?.resolve()
    this.#starting = null
  }

  /**
   * Stops accepting connections, which go to other workers, and resolves when all open connections have ended, without
   * a time limit. A connection ends with its next response, or when it is idle, so that no request is lost.
   * @param left called when no idle connection is open
   */
  async drain(left: () => void): Promise<void> {
    // Node's cluster passes the connections of a full server to other workers.
    this.#server.maxConnections = 0
    this.#writer.closesConnections = true
    this.#writer.endStreams('events')
    let bytes = this.#connections.closeIdle(new Map())
    do {
      await setTimeout(DRAIN_IDLE_MS)
      bytes = this.#connections.closeIdle(bytes)
      left()
    } while (bytes.size > 0)
  }

  /**
   * Closes the port and waits until the requests in progress have ended, including those whose client has left. Requests
   * that wait for the start get 503. Does nothing if the port is closed.
   */
  stop(): Promise<void> {
    if (this.#server.listening) this.#stopped = this.#stop()
    return this.#stopped ?? Promise.resolve()
  }

  async #stop(): Promise<void> {
    this.#writer.closesConnections = true
    this.#starting?.reject(
      errors.rest_unavailable({ cause: new BusyError('the server was stopped before it was ready') }),
    )
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#writer.endStreams('all')
    this.#server.closeIdleConnections()
    // Connections become idle shortly after their last response.
    const idle = setInterval(() => this.#server.closeIdleConnections(), STOP_INTERVAL_MS)
    const { requestTimeout } = this.#rest.config.limits
    const end = performance.now() + requestTimeout
    const force = globalThis.setTimeout(() => this.#server.closeAllConnections(), requestTimeout)
    await closed
    clearInterval(idle)
    clearTimeout(force)
    // Otherwise the handlers of clients that have left would continue without plugins and database.
    while (this.#openCalls > 0 && performance.now() < end) await setTimeout(STOP_INTERVAL_MS)
    await this.#requestHooks.finish()
  }

  /** Handles a request from its arrival until its response is written. */
  readonly #handle = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const connection = this.#connections.addRequest(incoming, outgoing)
    if (connection === null) return
    const id = requestIdOf(incoming.rawHeaders)
    connection.latestId = id
    const isTraced = tracing.request.hasSubscribers
    const isObserved = isTraced || this.#requestHooks.areUsed || this.#logsCalls() || this.#starting !== null
    // Cached responses skip the queue, which would take longer than the response.
    const cached = isObserved ? null : this.#findCached(incoming)
    if (cached !== null) return this.#writer.writeCached(incoming, outgoing, id, cached)
    const call = this.#callOf(incoming, outgoing, id, connection)
    const answer = () => this.#answer(call, isObserved)
    const answered = isTraced ? traceCall(this.#rest, call, answer) : answer()
    answered.catch((err: unknown) => this.#rest.log.error({ request: id, err }, 'a response could not be written'))
  }

  /** Handles a call. @param isObserved whether taps run first, or it must wait until the site is ready */
  async #answer(call: Call, isObserved: boolean): Promise<void> {
    this.#openCalls += 1
    try {
      call.abortWithClient()
      if (isObserved && (await this.#isAnsweredEarly(call))) return
      if (!(await call.begin(isObserved ? undefined : call.arrived))) return
      const answer = await this.#limits.limit(call, runWork(call.work, this.#respond, call))
      // A slow client must not block other requests.
      call.pause()
      if (answer === null) return
      if ('response' in answer) this.#writer.write(call, answer)
      else await this.#writer.writePage(call, answer)
    } catch (error) {
      this.#fail(call, error)
    } finally {
      this.#openCalls -= 1
      this.#finish(call)
    }
  }

  /** Waits for the start, then runs the taps of `request_received`. @returns whether the call is over */
  async #isAnsweredEarly(call: Call): Promise<boolean> {
    const { incoming, outgoing, id } = call
    if (this.#starting !== null) {
      call.stage = 'the site has not started'
      await this.#limits.limit(call, this.#starting.promise)
      call.stage = null
      if (call.isGone()) return true
    }
    // Creates the entry for the watchdog before a tap can block the process.
    void call.note
    const begun = runWork(call.work, () => this.#begin(call))
    const page = await this.#limits.limit(call, begun)
    if (page !== null) {
      await this.#writer.writePage(call, page)
      return true
    }
    const cached = this.#findCached(incoming)
    if (cached === null) return call.isGone()
    call.useKept(cached.route)
    this.#writer.writeCached(incoming, outgoing, id, cached)
    return true
  }

  /** Runs the first hook of a request. @returns the response or the error of a tap; null if the request continues */
  async #begin(call: Call): Promise<SitePage | null> {
    const { outgoing, incoming, id } = call
    let page: SitePage | null
    try {
      page = await this.#requestHooks.begin(call)
    } catch (error) {
      if (!(error instanceof RestError) || error.isInternal) throw error
      logRefusal(this.#rest.log, error, { request: id, method: incoming.method, url: incoming.url })
      page = refusalPage(error)
    }
    if (call.responseHeaders !== null) setHeaders(outgoing, call.responseHeaders)
    return page
  }

  #callOf(incoming: IncomingMessage, outgoing: ServerResponse, id: string, connection: Connection): Call {
    const { config, urls } = this.#rest
    let { peer: ip, network } = connection
    let secure = urls.isSecure
    const headers = HeaderMap.received(incoming.headers)
    if (config.trust_proxy) {
      ;({ ip, secure } = clientBehindProxy(headers, ip, secure))
      network = this.#limits.networkOf(ip)
    }
    const parts = { incoming, outgoing, id, headers, client: { ip, secure }, network, arrived: performance.now() }
    const call = new Call({ ...parts, limits: this.#limits, notes: this.#notes })
    const hostName = () => headers.get('host')?.toLowerCase().replace(/:\d*$/, '')
    call.work.isTls = secure && !urls.isSecure && hostName() === new URL(urls.home).hostname
    return call
  }

  #findCached(incoming: IncomingMessage): CachedResponse | null {
    const { httpCache } = this.#rest
    return httpCache === null || this.#writer.closesConnections ? null : httpCache.find(incoming)
  }

  /** Creates the response of the REST API or the page of the site; null if the request is already refused. */
  readonly #respond = async (call: Call): Promise<Answer | null> => {
    const { incoming, headers, work, client } = call
    const url = isWellFormed(incoming) ? parseRequestUrl(incoming.url ?? '/', this.#rest) : null
    if (url === null) {
      this.#refuse(call, errors.rest_bad_request())
      return null
    }
    const { route, search } = url
    if (route === null) {
      const readForm: FormReader = async (userId, files) =>
        this.#bodies.reads(incoming) ? this.#bodies.readForm(call, userId, files) : {}
      return this.#pages.find(call, url, readForm)
    }
    const query = parseQuery(search)
    const { method: sent = 'GET' } = incoming
    const method = effectiveMethod(sent, query, null, headers)
    const { ip, secure } = client
    const request = new RestRequest(method, route, { headers, query, url: incoming.url, ip, secure, work })
    request.id = call.id
    request.note = call.note
    call.request = request
    let release: Body['release']
    if (this.#bodies.reads(incoming)) {
      release = await this.#bodies.readInto(request, call)
      request.method = effectiveMethod(sent, query, request.form, headers)
    }
    try {
      return await this.#rest.serve(request, new CallExchange(call))
    } finally {
      // After the handler, which may still read the body after its request has timed out.
      void release?.()
    }
  }

  #finish(call: Call): void {
    const { incoming, outgoing, work } = call
    const { responseBudget: budget } = this.#rest
    call.end()
    if (work.held === 0 || outgoing.writableFinished || outgoing.destroyed) budget.release(work)
    else outgoing.once('close', () => budget.release(work))
    // An unread body would be parsed as the next request.
    if (!incoming.complete && hasBody(incoming)) void discard(incoming, this.#rest.config.limits.bodyLimit)
    if (this.#logsCalls()) this.#logCall(call)
  }

  #logsCalls(): boolean {
    return this.#rest.log.isLevelEnabled('debug')
  }

  #fail(call: Call, error: unknown): void {
    const { outgoing, id, work } = call
    if (outgoing.destroyed) return this.#rest.log.debug({ request: id, err: error }, 'the client disconnected')
    const { shown, log } = toRefusal(error, work)
    const { method, url } = call.incoming
    log(this.#rest.log, { request: id, method, url, route: call.route })
    this.#refuse(call, shown)
  }

  #logCall({ incoming: { method, url }, outgoing: { statusCode, headersSent }, id, arrived }: Call): void {
    const ms = Math.round((performance.now() - arrived) * 100) / 100
    const status = headersSent ? statusCode : CLIENT_DISCONNECTED_STATUS
    this.#rest.log.debug({ request: id, method, url, status, ms })
  }

  #refuse({ incoming, outgoing, id, responseHeaders: more }: Call, error: RestError): void {
    const { config, urls } = this.#rest
    const requestPath = urls.read((incoming.url ?? '').split('?', 1)[0]!)
    // The REST API also sends JSON to browsers.
    const isRest = requestPath !== null && requestPath.route !== null
    const page = isRest ? null : this.#pages.errorPage(error, incoming, id)
    refuse(outgoing, error, { id, maxBytes: config.limits.bodyLimit, page, headers: more })
  }

  readonly #refuseBytes = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const { latest = null, latestId = '' } = this.#connections.find(socket as Socket) ?? {}
    // An error within a body belongs to the request with that body.
    const id = latest !== null && !latest.req.complete ? latestId : newRequestId()
    if (error.code !== 'ECONNRESET') this.#rest.log.debug({ request: id, code: error.code }, 'a request was malformed')
    refuseBytes(socket as Socket, error, latest, id)
  }

  /** Wraps a listener of connection events so that its errors are logged. */
  #guarded<A extends unknown[]>(act: (...args: A) => void): (...args: A) => void {
    return guarded((err) => this.#rest.log.error({ err }, 'a connection listener failed'), act)
  }
}
