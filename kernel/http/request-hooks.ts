import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { isThenable } from '../awaitable.ts'
import { RestError } from '../errors.ts'
import type { Hooks } from '../hooks/hook.ts'
import { applyFilter, runAction } from '../hooks/run.ts'
import { logRefusal } from '../log-refusal.ts'
import { runWork, waitingInWords, Work } from '../work.ts'
import type { Call } from './call.ts'
import { SendableHeaders } from './headers.ts'
import type { ReceivedRequest, SentResponse } from './received-request.ts'
import { refusalPage } from './refusal.ts'
import type { RequestNotes } from './request-notes.ts'
import { setHeaders } from './response-head.ts'
import type { SitePage } from './pages.ts'

/** Status in the log of a request whose client left before there was a response. */
export const CLIENT_GONE = 499

/** Runs the first hook of each request and the last one. */
export class RequestHooks {
  readonly #hooks: Hooks
  readonly #log: Logger
  readonly #time: number
  readonly #requests: RequestNotes
  /** By connection, what has to be done when it closes: a response that waits for an earlier one does not hear of that. */
  readonly #open = new WeakMap<Socket, Set<() => void>>()
  /** Taps of `response_sent` in progress. */
  readonly #running = new Set<Promise<void>>()

  /**
   * @param time milliseconds after which taps that have not ended are named in the log
   * @param requests where requests are noted for the watchdog
   */
  constructor(hooks: Hooks, log: Logger, time: number, requests: RequestNotes) {
    this.#hooks = hooks
    this.#log = log
    this.#time = time
    this.#requests = requests
  }

  /** Whether anybody taps one of the two: they cost nothing else. */
  get areUsed(): boolean {
    return this.#hooks.request_received.isUsed() || this.#hooks.response_sent.isUsed()
  }

  /**
   * Tells that a request has arrived; `response_sent` follows once it is over.
   * @returns the response of a tap, or the error by which one refuses; null where the request goes on
   */
  async begin(call: Call): Promise<SitePage | null> {
    const { request_received: received, response_sent: sent } = this.#hooks
    const request = receivedBy(call)
    call.responseHeaders = request.responseHeaders
    if (sent.isUsed()) this.#watch(call, request)
    if (!received.isUsed()) return null
    let page: SitePage | null
    try {
      page = await applyFilter(received, null, request)
    } catch (error) {
      page = this.#refused(error, request)
    }
    setHeaders(call.outgoing, call.responseHeaders)
    return page
  }

  /** Waits until all taps of `response_sent` have ended. */
  async finish(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** The response to a request that a tap refuses. @throws an error that is not for clients */
  #refused(error: unknown, { id, method, url }: ReceivedRequest): SitePage {
    if (!(error instanceof RestError) || error.isInternal) throw error
    logRefusal(this.#log, error, { request: id, method, url })
    return refusalPage(error)
  }

  #watch(call: Call, request: ReceivedRequest): void {
    const { outgoing, incoming } = call
    const { socket } = incoming
    const bytes = new SentBytes(outgoing, socket)
    const pending = this.#pendingOf(socket)
    const over = () => {
      if (!pending.delete(over)) return
      outgoing.off('close', over)
      this.#tell(sentBy(call, bytes.count()), request)
    }
    pending.add(over)
    outgoing.once('close', over)
  }

  /** What has to be done when a connection closes. */
  #pendingOf(socket: Socket): Set<() => void> {
    let pending = this.#open.get(socket)
    if (pending === undefined) {
      const all = new Set<() => void>()
      pending = all
      this.#open.set(socket, all)
      socket.once('close', () => all.forEach((over) => over()))
    }
    return pending
  }

  #tell(about: SentResponse, request: ReceivedRequest): void {
    // The request is over: what taps write is not stopped with it.
    const work = new Work()
    const note = this.#requests.begin(about.method, about.url)
    note?.setUser(about.user.id)
    if (about.route !== null) note?.setRoute(about.route)
    const told = runWork(work, () => runAction(this.#hooks.response_sent, about, request))
    note?.end()
    if (!isThenable(told)) return
    const late = setTimeout(() => {
      const { waiting } = work
      this.#log.error({ request: about.id, waiting }, `after a response was sent, ${waitingInWords(waiting)}`)
    }, this.#time).unref()
    const ended = told.then(() => {
      clearTimeout(late)
      this.#running.delete(ended)
    })
    this.#running.add(ended)
  }
}

function receivedBy({ id, incoming, client, headers, work }: Call): ReceivedRequest {
  const { method = 'GET', url = '/' } = incoming
  return {
    id,
    method,
    url,
    ...client,
    headers,
    responseHeaders: new SendableHeaders(),
    get signal() {
      return work.signal
    },
  }
}

function sentBy(call: Call, bytes: number): SentResponse {
  const { id, incoming, outgoing, arrived, route, user, isKept } = call
  const { method = 'GET', url = '/' } = incoming
  const ms = Math.round((performance.now() - arrived) * 1000) / 1000
  const status = outgoing.headersSent ? outgoing.statusCode : CLIENT_GONE
  return { id, method, url, route, status, bytes, ms, user, aborted: !outgoing.writableFinished, kept: isKept }
}

/** Counts the bytes of one response of a connection. */
class SentBytes {
  readonly #socket: Socket
  /** Bytes of the connection before the response; null until it is its turn. */
  #before: number | null = null
  /** Bytes of the connection at its end, before the next response begins. */
  #after: number | null = null

  constructor(outgoing: ServerResponse, socket: Socket) {
    this.#socket = socket
    if (outgoing.socket === null) outgoing.once('socket', () => (this.#before = socket.bytesWritten))
    else this.#before = socket.bytesWritten
    outgoing.prependOnceListener('finish', () => (this.#after = socket.bytesWritten))
  }

  count(): number {
    if (this.#before === null) return 0
    // What the connection has taken of a response that was broken off.
    const after = this.#after ?? this.#socket.bytesWritten - this.#socket.writableLength
    return Math.max(0, after - this.#before)
  }
}
