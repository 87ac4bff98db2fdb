import type { IncomingMessage, ServerResponse } from 'node:http'
import { isThenable } from '../awaitable.ts'
import { errors } from '../errors.ts'
import type { Client } from './client.ts'
import type { HeaderMap } from './headers.ts'
import type { RawExchange } from '../rest/dispatch.ts'
import { VISITOR, type CurrentUser, type RestRequest } from '../rest/request.ts'
import type { LimitedCall, QueuedRequest, RequestLimits, Transfer } from './limits.ts'
import { REQUEST_ID } from './request-id.ts'
import type { RequestNote, RequestNotes } from './request-notes.ts'
import type { RestServer } from '../rest/server.ts'
import { trace, tracing } from '../tracing.ts'
import { Work } from '../work.ts'

/**
 * The request and response objects of Node for taps. A response that a tap writes itself carries the request ID, too.
 * It is a class because V8 makes a new hidden class, which it collects late, for each object literal with a getter.
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

/** One exchange of a request and its response, from the arrival of the request to its end. */
export class Call implements QueuedRequest, LimitedCall {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly id: string
  readonly headers: HeaderMap
  readonly client: Client
  readonly work: Work
  /** Milliseconds of the process's clock at its arrival. */
  readonly arrived: number
  /** When the response has to be there, in milliseconds of the process's clock. */
  deadline = 0
  /** The REST request, or the one by which the user of a page is found out, until the call is over. */
  request: RestRequest | null = null
  /** What it waits for where that is no tap and no handler, in words. */
  stage: string | null = null
  /** What taps of `request_received` have the response say; null where there are none. */
  responseHeaders: HeaderMap | null = null
  /** Whether its response was made for an earlier request. */
  isKept = false
  #route: string | null = null
  #user: CurrentUser = VISITOR
  /** What the watchdog logs of it while it is in progress. */
  #note: RequestNote | null = null
  /** Where it is noted for the watchdog. */
  readonly notes: RequestNotes
  readonly #limits: RequestLimits
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
    this.#limits = limits
    this.notes = notes
  }

  get network(): string {
    return this.work.network
  }

  /** Pattern of the route; null for a page, and as long as it is not known. */
  get route(): string | null {
    return this.request?.matchedRoute ?? this.#route
  }

  get user(): CurrentUser {
    return this.request?.user ?? this.#user
  }

  /** Notes that it is answered by a kept response to this route, or page, which is a visitor's. */
  useKept(route: string | null): void {
    this.#route = route
    this.isKept = true
  }

  /** Its note for the watchdog, which `end` removes; null if too many requests are in progress. */
  get note(): RequestNote | null {
    if (this.#isOver) return null
    return (this.#note ??= this.notes.begin(this.incoming.method ?? 'GET', this.incoming.url ?? '/'))
  }

  /**
   * Waits for its turn; it has a place then, until `pause`.
   * @returns whether it can begin: its client has not left
   * @throws rest_handler_timeout
   */
  async begin(now?: number): Promise<boolean> {
    const turn = this.#limits.turn(this, now)
    this.#hasPlace = (isThenable(turn) ? await turn : turn) !== null
    return this.#hasPlace
  }

  /** Ends a transfer whose client is too slow, until `unwatch`. */
  watch(transfer: Transfer): void {
    this.#limits.watch(transfer)
  }

  unwatch(transfer: Transfer): void {
    this.#limits.unwatch(transfer)
  }

  /** Aborts its work if its client leaves before it has the whole response. */
  abortWithClient(): void {
    const { incoming, outgoing, work } = this
    outgoing.once('close', () => {
      // A request that has not come as a whole may have been refused in the meantime.
      const isWhole = outgoing.writableFinished && incoming.complete
      if (!isWhole && work.abort(errors.rest_client_gone())) this.pause()
    })
  }

  isGone(): boolean {
    return this.outgoing.destroyed || !this.incoming.socket.writable
  }

  /** Gives its place in the queue to others while it waits for its client, or is over. */
  pause(): void {
    if (!this.#hasPlace) return
    this.#hasPlace = false
    this.#limits.release(this.network)
  }

  /** Ends it: the response is sent, or never will be. */
  end(): void {
    this.#note?.end()
    this.#note = null
    // Its handler may go on, and the note is another request's by then.
    if (this.request !== null) this.request.note = null
    this.#isOver = true
    this.#route = this.route
    this.#user = this.user
    // Its body is parsed into far more than it was, and its client may take long for the response.
    this.request = null
    this.pause()
  }

  /** Waits for a place again, after `pause`. @throws the reason why the request was aborted */
  async resume(): Promise<void> {
    await this.#limits.turn({ network: this.network, isGone: () => false })
    this.#hasPlace = true
    if (this.#isOver || this.work.aborted) this.pause()
    this.work.throwIfAborted()
  }
}

export interface CallParts extends Pick<
  Call,
  'incoming' | 'outgoing' | 'id' | 'headers' | 'client' | 'network' | 'arrived'
> {
  readonly limits: RequestLimits
  readonly notes: RequestNotes
}

/** Handles an outside request, and reports it to the subscribers of `svc-rest:request` until it is over. */
export async function traceCall({ hooks: site }: RestServer, call: Call, act: () => Promise<void>): Promise<void> {
  const { id, incoming, outgoing } = call
  const { method = 'GET', url = '/' } = incoming
  // An outside request is part of no other span, whatever ran when it arrived.
  const known = { parent: null, site, from: 'outside' as const, id, method, url }
  await trace(tracing.request, { ...known, route: null, user: null, status: null, isKept: false }, async (span) => {
    await act()
    span.route = call.route
    span.user = call.user
    span.isKept = call.isKept
    // A client that left before has seen none.
    span.status = outgoing.headersSent ? outgoing.statusCode : null
  })
}
