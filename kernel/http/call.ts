import type { IncomingMessage, ServerResponse } from 'node:http'
import { isThenable } from '../awaitable.ts'
import { errors } from '../errors.ts'
import type { Client } from './client.ts'
import type { HeaderMap } from './headers.ts'
import type { RawExchange } from '../rest/dispatch.ts'
import { VISITOR, type CurrentUser, type RestRequest } from '../rest/request.ts'
import type { LimitedCall, QueuedRequest, RequestLimits } from './limits.ts'
import { REQUEST_ID } from './request-id.ts'
import type { RequestNote, RequestNotes } from './request-notes.ts'
import type { RestServer } from '../rest/server.ts'
import { trace, tracing } from '../tracing.ts'
import { Work } from '../work.ts'

/**
 * The request and response objects of Node for taps. Adds the request ID to responses that a tap writes itself.
 * A class, because V8 creates a hidden class for each object literal with a getter, and frees it late.
 */
export class CallExchange implements RawExchange {
  readonly incoming: IncomingMessage
  readonly #outgoing: ServerResponse
  readonly #id: string

  constructor({ incoming, outgoing, id }: Call) {
    this.incoming = incoming
    this.#outgoing = outgoing
    this.#id = id
  }

  get outgoing(): ServerResponse {
    const outgoing = this.#outgoing
    if (!outgoing.headersSent && !outgoing.hasHeader(REQUEST_ID)) outgoing.setHeader(REQUEST_ID, this.#id)
    return outgoing
  }
}

/** An outside request and its response, from arrival to end. */
export class Call implements QueuedRequest, LimitedCall {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly id: string
  readonly headers: HeaderMap
  readonly client: Client
  readonly work: Work
  /** `performance.now()` at its arrival. */
  readonly arrived: number
  /** Time by which the response must be ready, in milliseconds of `performance.now()`; 0 until it is set. */
  deadline = 0
  /** The REST request, or the request that identifies the user of a page; null after the end of the call. */
  request: RestRequest | null = null
  /** Description of the step that it waits for, if that is neither a tap nor a handler. */
  stage: string | null = null
  /** Response headers set by taps of `request_received`; null if there are no taps. */
  responseHeaders: HeaderMap | null = null
  /** Whether the response came from the cache. */
  fromCache = false
  #route: string | null = null
  #user: CurrentUser = VISITOR
  /** Its entry for the watchdog. */
  #note: RequestNote | null = null
  /** Records requests in progress for the watchdog. */
  readonly notes: RequestNotes
  /** Queues requests, and ends transfers of slow clients. */
  readonly limits: RequestLimits
  #hasPlace = false
  #isOver = false

  constructor({ incoming, outgoing, id, headers, client, network, arrived, limits, notes }: CallParts) {
    this.incoming = incoming
    this.outgoing = outgoing
    this.id = id
    this.headers = headers
    this.client = client
    this.work = new Work(null, network)
    this.arrived = arrived
    this.limits = limits
    this.notes = notes
  }

  get network(): string {
    return this.work.network
  }

  /** Pattern of the route; null for a page, and before the route is found. */
  get route(): string | null {
    return this.request?.matchedRoute ?? this.#route
  }

  get user(): CurrentUser {
    return this.request?.user ?? this.#user
  }

  /** Records that the response is cached. Its user is a visitor. @param route pattern of the route; null for a page */
  useKept(route: string | null): void {
    this.#route = route
    this.fromCache = true
  }

  /** Its entry for the watchdog until `end` removes it; null if too many requests are in progress. */
  get note(): RequestNote | null {
    if (this.#isOver) return null
    return (this.#note ??= this.notes.begin(this.incoming.method ?? 'GET', this.incoming.url ?? '/'))
  }

  /**
   * Waits in the queue until it gets a slot, which `pause` frees.
   * @returns whether it can begin; false if its client has left
   * @throws rest_handler_timeout
   */
  async begin(now?: number): Promise<boolean> {
    const turn = this.limits.turn(this, now)
    this.#hasPlace = (isThenable(turn) ? await turn : turn) !== null
    return this.#hasPlace
  }

  /** Aborts the work if the client leaves before it has received the whole response. */
  abortWithClient(): void {
    const { incoming, outgoing, work } = this
    outgoing.once('close', () => {
      // A finished response to an incomplete request may be an early refusal, which aborts the work, too.
      const isWhole = outgoing.writableFinished && incoming.complete
      if (!isWhole && work.abort(errors.rest_client_gone())) this.pause()
    })
  }

  isGone(): boolean {
    return this.outgoing.destroyed || !this.incoming.socket.writable
  }

  /** Frees its slot while it waits for its client, or at its end. */
  pause(): void {
    if (!this.#hasPlace) return
    this.#hasPlace = false
    this.limits.release(this.network)
  }

  /** Ends the call, after its response is written or dropped. */
  end(): void {
    this.#note?.end()
    this.#note = null
    // The handler may continue, and the entry is reused for another request.
    if (this.request !== null) this.request.note = null
    this.#isOver = true
    this.#route = this.route
    this.#user = this.user
    // Frees the parsed body, which is larger than its text, while a slow client still reads the response.
    this.request = null
    this.pause()
  }

  /** Waits for a slot again after `pause`. @throws the reason of an abort */
  async resume(): Promise<void> {
    await this.limits.turn({ network: this.network, isGone: () => false })
    this.#hasPlace = true
    if (this.#isOver || this.work.aborted) this.pause()
    this.work.throwIfAborted()
  }
}

export type CallParts = Pick<
  Call,
  'incoming' | 'outgoing' | 'id' | 'headers' | 'client' | 'network' | 'arrived' | 'limits' | 'notes'
>

/** Handles an outside request as a span of the channel `svc-rest:request`. */
export async function traceCall({ hooks: site }: RestServer, call: Call, act: () => Promise<void>): Promise<void> {
  const { id, incoming, outgoing } = call
  const { method = 'GET', url = '/' } = incoming
  // The async context of the connection may contain the span of an earlier request.
  const facts = { parent: null, site, from: 'outside' as const, id, method, url }
  await trace(tracing.request, { ...facts, route: null, user: null, status: null, fromCache: false }, async (span) => {
    await act()
    span.route = call.route
    span.user = call.user
    span.fromCache = call.fromCache
    // No status if the client left before the head was sent.
    span.status = outgoing.headersSent ? outgoing.statusCode : null
  })
}
