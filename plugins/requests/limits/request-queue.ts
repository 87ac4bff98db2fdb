import type { Awaitable, QueuedRequest } from '../../../kernel/index.ts'

interface QueueEntry {
  readonly request: QueuedRequest
  /** @param now milliseconds of `performance.now()`; null if the request is dropped */
  readonly start: (now: number | null) => void
  readonly reject: (error: Error) => void
}

/** Milliseconds during which requests are started before the process returns to its sockets and timers. */
const SLICE_MS = 10
/** Requests that can start in one slice. The event loop runs between two of them. */
const MAX_REQUESTS_PER_TURN = 50

/** Idle networks whose counters are kept, because their next request often comes soon. */
const MAX_IDLE_NETWORKS = 1000

/** Waiting requests of one network above which every second turn is given to the newest one. */
const CROWD_REQUESTS = 50

/**
 * Starts requests in time slices. If a thousand arrive at the same time, the process notices between two slices which
 * clients have left, and drops their requests. Networks take turns, so that one with a thousand requests does not delay
 * one with a single request, and the number of concurrent requests of each network is limited, so that the database
 * stays available to the others.
 */
export class RequestQueue {
  /** Concurrent requests per network. */
  readonly #atOnce: number
  readonly #tooLate: (request: QueuedRequest, now: number) => Error | null
  /** Requests that can start, by network. */
  readonly #waiting = new Map<string, QueueEntry[]>()
  /** Requests that wait until another one of their network has finished. */
  readonly #blocked = new Map<string, QueueEntry[]>()
  /** Requests in progress, by network. */
  readonly #active = new Map<string, number>()
  /** Whether the last started request was the newest of its network. */
  #isNewest = false
  /** `listening` accepts new connections before the next slice; `working` starts requests. */
  #state: 'idle' | 'listening' | 'working' = 'idle'
  /** Start of the current state, in milliseconds of `performance.now()`; in a slice, start of its first request. */
  #startedAt = 0
  /** Whether a connection or request has arrived since the last check. */
  #hasArrivals = false

  /**
   * @param atOnce concurrent requests per network
   * @param tooLate returns the error of a request that has waited too long, null for any other
   */
  constructor(atOnce: number, tooLate: (request: QueuedRequest, now: number) => Error | null = () => null) {
    this.#atOnce = atOnce
    this.#tooLate = tooLate
  }

  /** Notes a new connection. Others can follow, and their requests wait until all of them are accepted. */
  noteConnection(): void {
    this.#hasArrivals = true
    if (this.#state === 'idle') this.#open('listening')
  }

  /**
   * Waits until a request can start. It occupies a place from then on, until `release` is called.
   * @param now milliseconds of `performance.now()`, which takes longer to read than the rest of this method
   * @returns the start time, without a promise if no other request waits; null if the client has left
   * @throws the error of `tooLate`
   */
  turn(request: QueuedRequest, now = performance.now()): Awaitable<number | null> {
    const { network } = request
    this.#hasArrivals = true
    const hasPlace = this.#hasPlace(network)
    if (hasPlace && this.#waiting.size === 0 && this.#hasTime(now)) {
      this.#occupy(network)
      return now
    }
    return new Promise((start, reject) => append(hasPlace ? this.#waiting : this.#blocked, { request, start, reject }))
  }

  /** Passes the place of a finished request to the next one of its network. */
  release(network: string): void {
    const remaining = this.#active.get(network)! - 1
    if (remaining > 0 || this.#active.size <= MAX_IDLE_NETWORKS) this.#active.set(network, remaining)
    else this.#active.delete(network)
    const held = this.#blocked.get(network)
    if (held === undefined) return
    this.#blocked.delete(network)
    this.#waiting.set(network, held)
    if (this.#state === 'idle') this.#open('listening')
  }

  #hasPlace(network: string): boolean {
    return !this.#blocked.has(network) && (this.#active.get(network) ?? 0) < this.#atOnce
  }

  #occupy(network: string): void {
    this.#active.set(network, (this.#active.get(network) ?? 0) + 1)
  }

  /**
   * Returns whether the current slice has time for another request; the first request opens a slice. Requests that
   * arrive soon after a short slice count towards it: ending the slice would cost each of them a poll of the sockets.
   */
  #hasTime(now: number): boolean {
    if (this.#state === 'listening') return false
    const hasTime = now - this.#startedAt < SLICE_MS
    if (this.#state !== 'idle' || hasTime) return hasTime
    this.#open('working', now)
    return true
  }

  #open(state: 'listening' | 'working', now = performance.now()): void {
    this.#state = state
    this.#startedAt = now
    setImmediate(this.#advance)
  }

  /**
   * Continues with the next state. After a full slice, the process listens for new connections until none arrives or a
   * slice has passed: it accepts one connection at a time, and does not know yet which clients have disconnected.
   */
  readonly #advance = (): void => {
    const isSliceOver = performance.now() - this.#startedAt >= SLICE_MS
    const isListening = this.#state === 'listening'
    const staysListening = isListening && this.#hasArrivals && !isSliceOver
    this.#hasArrivals = false
    if (staysListening) setImmediate(this.#advance)
    else if (isSliceOver && !isListening) this.#open('listening')
    else if (this.#waiting.size > 0) this.#startSlice()
    else this.#state = 'idle'
  }

  #startSlice(): void {
    this.#state = 'working'
    this.#startedAt = Number.POSITIVE_INFINITY
    // Between two steps the event loop runs callbacks that have become ready, so their time counts towards the slice.
    for (let count = 0; count < MAX_REQUESTS_PER_TURN; count += 1) setImmediate(this.#startNext)
    setImmediate(this.#advance)
  }

  readonly #startNext = (): void => {
    const now = performance.now()
    this.#startedAt = Math.min(this.#startedAt, now)
    const next = now - this.#startedAt < SLICE_MS ? this.#dequeue(now) : undefined
    if (next === undefined) return
    this.#occupy(next.request.network)
    next.start(now)
  }

  /** Removes and returns the next request of the network whose turn it is. */
  #dequeue(now: number): QueueEntry | undefined {
    for (const [network, list] of this.#waiting) {
      // Moves the network to the end of the order.
      this.#waiting.delete(network)
      let next = this.#removeNext(list)
      while (next !== undefined && this.#dropIfStale(next, now)) next = this.#removeNext(list)
      if (next === undefined) continue
      if (list.length > 0) {
        const isLast = (this.#active.get(network) ?? 0) + 1 >= this.#atOnce
        ;(isLast ? this.#blocked : this.#waiting).set(network, list)
      }
      return next
    }
    return undefined
  }

  /** Drops a request whose client has left or which has waited too long. @returns whether it was dropped */
  #dropIfStale({ request, start, reject }: QueueEntry, now: number): boolean {
    if (request.isGone()) {
      start(null)
      return true
    }
    const error = this.#tooLate(request, now)
    if (error !== null) reject(error)
    return error !== null
  }

  /**
   * Removes the next request of a list. In a crowd, every second one is the newest: clients that have waited long have
   * often left, and new ones then do not wait for all of them.
   */
  #removeNext(list: QueueEntry[]): QueueEntry | undefined {
    this.#isNewest = !this.#isNewest && list.length > CROWD_REQUESTS
    return this.#isNewest ? list.pop() : list.shift()
  }
}

function append(lists: Map<string, QueueEntry[]>, waiting: QueueEntry): void {
  const { network } = waiting.request
  const list = lists.get(network)
  if (list === undefined) lists.set(network, [waiting])
  else list.push(waiting)
}
