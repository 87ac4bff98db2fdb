import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Client } from './client.ts'
import type { HeaderMap } from './headers.ts'
import { VISITOR, type CurrentUser, type RestRequest } from '../rest/request.ts'
import type { QueuedRequest, RequestQueue } from './request-queue.ts'
import type { RequestNote, RequestsInProgress } from './requests-in-progress.ts'
import { Work } from '../work.ts'

/** One exchange of a request and its response, from the arrival of the request to its end. */
export class Call implements QueuedRequest {
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
  /**
   * Called at the deadline. A function literal right behind `call.onDeadline =` would be made among V8's old objects, and
   * keep the whole response until the whole heap is collected; one that has a name first is not.
   */
  onDeadline: (() => void) | null = null
  /** The REST request, or the one by which the user of a page is found out, until the call is over. */
  request: RestRequest | null = null
  /** Called once it is over, and what runs its parts where they belong to its span; null where nobody traces it. */
  trace: { readonly over: () => void; readonly run: (act: () => void) => void } | null = null
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
  readonly #requests: RequestsInProgress
  readonly #queue: RequestQueue
  readonly #act: (call: Call, now: number) => void
  #hasPlace = false
  #isOver = false

  /** @param act handles it once it is its turn; calls `pause` where it waits for the client */
  constructor({ incoming, outgoing, id, headers, client, network, arrived, queue, requests, act }: CallParts) {
    this.incoming = incoming
    this.outgoing = outgoing
    this.id = id
    this.headers = headers
    this.client = client
    this.work = new Work(null, network)
    this.arrived = arrived
    this.#queue = queue
    this.#requests = requests
    this.#act = act
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
    return (this.#note ??= this.#requests.begin(this.incoming.method ?? 'GET', this.incoming.url ?? '/'))
  }

  begin(now: number): void {
    this.#hasPlace = true
    // Others may have given it their place: this is no part of them.
    if (this.trace === null) this.#act(this, now)
    else this.trace.run(() => this.#act(this, now))
  }

  isGone(): boolean {
    return this.outgoing.destroyed || !this.incoming.socket.writable
  }

  drop(): void {
    this.end()
  }

  /** Gives its place in the queue to others while it waits for its client, or is over. */
  pause(): void {
    if (!this.#hasPlace) return
    this.#hasPlace = false
    this.#queue.release(this.network)
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
    this.trace?.over()
    this.pause()
  }

  /** Waits for a place again, after `pause`. @throws why nobody waits for the response any more */
  async resume(): Promise<void> {
    await new Promise<void>((resolve) => {
      const begin = () => {
        this.#hasPlace = true
        resolve()
      }
      this.#queue.add({ network: this.network, begin, isGone: () => false, drop: () => {} })
    })
    if (this.#isOver || this.work.aborted) this.pause()
    this.work.throwIfAborted()
  }
}

interface CallParts extends Pick<Call, 'incoming' | 'outgoing' | 'id' | 'headers' | 'client' | 'network' | 'arrived'> {
  readonly queue: RequestQueue
  readonly requests: RequestsInProgress
  readonly act: (call: Call, now: number) => void
}
