import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  applyFilter,
  isThenable,
  runAction,
  runWork,
  Work,
  type Call,
  type HeaderMap,
  type Hooks,
  type PluginContext,
  type RequestHooks,
  type SitePage,
} from '../../../kernel/index.ts'
import { addDeprecatedMembers } from '../../library/deprecated-names/index.ts'
import type { ReceivedRequest, SentResponse } from './received-request.ts'
import { headOf } from './response-head.ts'
import { SendableHeaders } from './sendable-headers.ts'
import { waitingInWords } from '../limits/index.ts'

/** Logged status of a request whose client disconnected before there was a response. */
const CLIENT_DISCONNECTED_STATUS = 499

/** Runs the first and the last hook of each request. */
export class RequestEvents implements RequestHooks {
  readonly headOf = headOf
  readonly #plugin: PluginContext
  readonly #received: Hooks['request_received']
  /** Stored because a response can end after the plugin and its hooks have been removed. */
  readonly #sent: Hooks['response_sent']
  /** Callbacks for when a connection closes. A response that waits for an earlier one emits no `close` event. */
  readonly #open = new WeakMap<Socket, Set<() => void>>()
  /** Taps of `response_sent` in progress. */
  readonly #running = new Set<Promise<void>>()

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
    const { request_received: received, response_sent: sent } = plugin.hooks
    this.#received = received
    this.#sent = sent
  }

  get areUsed(): boolean {
    return this.#received.isUsed() || this.#sent.isUsed()
  }

  async begin(call: Call): Promise<SitePage | null> {
    const request = new Received(call)
    call.responseHeaders = request.responseHeaders
    if (this.#sent.isUsed()) this.#watch(call, request)
    return this.#received.isUsed() ? applyFilter(this.#received, null, request) : null
  }

  /** Waits until all taps of `response_sent` have finished. */
  async finish(): Promise<void> {
    await Promise.all(this.#running)
  }

  #watch(call: Call, request: ReceivedRequest): void {
    const { outgoing, incoming } = call
    const { socket } = incoming
    const bytes = new SentBytes(outgoing, socket)
    const pending = this.#pendingOf(socket)
    const onClose = () => {
      if (!pending.delete(onClose)) return
      outgoing.off('close', onClose)
      this.#emitSent(sentBy(call, bytes.count()), request, call.notes)
    }
    pending.add(onClose)
    outgoing.once('close', onClose)
  }

  /** Returns the callbacks to run when a connection closes. */
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

  #emitSent(about: SentResponse, request: ReceivedRequest, notes: Call['notes']): void {
    // A new `Work`: the request has ended, and its abort must not stop the taps.
    const work = new Work()
    const note = notes.begin(about.method, about.url)
    note?.setUser(about.user.id)
    if (about.route !== null) note?.setRoute(about.route)
    const ran = runWork(work, () => runAction(this.#sent, about, request))
    note?.end()
    if (!isThenable(ran)) return
    const late = setTimeout(() => {
      const { waiting } = work
      this.#plugin.log.error({ request: about.id, waiting }, `after a response was sent, ${waitingInWords(waiting)}`)
    }, this.#plugin.config.limits.requestTimeout).unref()
    const ended = ran.then(() => {
      clearTimeout(late)
      this.#running.delete(ended)
    })
    this.#running.add(ended)
  }
}

/** A class, because V8 creates a new hidden class for each object literal with a getter. */
class Received implements ReceivedRequest {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly ip: string
  readonly secure: boolean
  readonly headers: HeaderMap
  readonly responseHeaders = new SendableHeaders()
  readonly #call: Call

  constructor(call: Call) {
    const { method = 'GET', url = '/' } = call.incoming
    this.id = call.id
    this.method = method
    this.url = url
    this.ip = call.client.ip
    this.secure = call.client.secure
    this.headers = call.headers
    this.#call = call
  }

  get signal(): AbortSignal {
    return this.#call.work.signal
  }
}

/** Prototype of `SentResponse` objects. */
const deprecatedMembers = addDeprecatedMembers({ fromCache: false }, 'SentResponse', { kept: 'fromCache' })

function sentBy(call: Call, bytes: number): SentResponse {
  const { id, incoming, outgoing, arrived, route, user, fromCache } = call
  const { method = 'GET', url = '/' } = incoming
  const ms = Math.round((performance.now() - arrived) * 1000) / 1000
  const status = outgoing.headersSent ? outgoing.statusCode : CLIENT_DISCONNECTED_STATUS
  const aborted = !outgoing.writableFinished
  const sent = { id, method, url, route, status, bytes, ms, user, aborted, fromCache }
  return Object.assign(Object.create(deprecatedMembers) as typeof deprecatedMembers, sent)
}

/** Counts the bytes of one response of a connection. */
class SentBytes {
  readonly #socket: Socket
  /** Bytes written to the connection before the response; null until its turn. */
  #before: number | null = null
  /** Bytes written to the connection when the response ended, before the next one starts. */
  #after: number | null = null

  constructor(outgoing: ServerResponse, socket: Socket) {
    this.#socket = socket
    if (outgoing.socket === null) outgoing.once('socket', () => (this.#before = socket.bytesWritten))
    else this.#before = socket.bytesWritten
    outgoing.prependOnceListener('finish', () => (this.#after = socket.bytesWritten))
  }

  count(): number {
    if (this.#before === null) return 0
    // For an aborted response: the bytes that have left the process.
    const after = this.#after ?? this.#socket.bytesWritten - this.#socket.writableLength
    return Math.max(0, after - this.#before)
  }
}
