import type { Awaitable, QueuedRequest } from '../../../kernel/index.ts'

interface Waiting {
  readonly request: QueuedRequest
  /** @param now milliseconds of the process's clock; null if the request is dropped */
  readonly begin: (now: number | null) => void
  readonly refuse: (error: Error) => void
}

/** Milliseconds for which requests begin one after the other before the process looks at what else has happened. */
const SLICE_MS = 10
/** How many may begin in one turn; between two of them what the first one has begun goes on. */
const MAX_REQUESTS_PER_TURN = 50

/** How many networks that no request is handled of are counted on: the next request comes soon, often. */
const MOST_IDLE = 1000

/** Waiting requests of one network above which every second turn is for the newest. */
const CROWD_REQUESTS = 50

/**
 * Lets requests begin in turns. A thousand of them may arrive at once, and each may take its time: between two turns the
 * process hears of clients that have left, whose requests then never begin. While many wait, networks have their turns
 * one after the other, so that one with a thousand requests does not keep those with a single one waiting. And only so
 * many of one network are handled at the same time, so that those of others find the database free.
 */
export class RequestQueue {
  /** How many requests of one network are handled at once. */
  readonly #atOnce: number
  readonly #tooLate: (request: QueuedRequest, now: number) => Error | null
  /** What may begin, by network. */
  readonly #waiting = new Map<string, Waiting[]>()
  /** What has to wait until another one of its network is through. */
  readonly #held = new Map<string, Waiting[]>()
  /** How many requests of a network are being handled. */
  readonly #working = new Map<string, number>()
  /** Whether the newest one of its network was the last to begin. */
  #isNewest = false
  #state: 'idle' | 'listening' | 'working' = 'idle'
  /** When that began. */
  #began = 0
  /** Whether anything new has come since the last look. */
  #isNew = false

  /**
   * @param atOnce how many requests of one network are handled at the same time
   * @param tooLate returns the error of a request that has waited too long; null for any other
   */
  constructor(atOnce: number, tooLate: (request: QueuedRequest, now: number) => Error | null = () => null) {
    this.#atOnce = atOnce
    this.#tooLate = tooLate
  }

  /** Notes a new connection: others may follow, and their requests wait until all of them are accepted. */
  noteConnection(): void {
    this.#isNew = true
    if (this.#state === 'idle') this.#open('listening')
  }

  /**
   * Waits for the turn of a request: it has a place from then on, until `release` is called.
   * @param now milliseconds of the process's clock, which take longer to read than all of this
   * @returns when the turn began, without a promise if no other request waits; null if the client has left before
   * @throws the error of `tooLate`
   */
  turn(request: QueuedRequest, now = performance.now()): Awaitable<number | null> {
    const { network } = request
    this.#isNew = true
    const hasPlace = this.#hasPlace(network)
    if (hasPlace && this.#waiting.size === 0 && this.#hasTime(now)) {
      this.#occupy(network)
      return now
    }
    return new Promise((begin, refuse) => append(hasPlace ? this.#waiting : this.#held, { request, begin, refuse }))
  }

  /** Gives the place of a request that has begun to another one of its network. */
  release(network: string): void {
    const left = this.#working.get(network)! - 1
    if (left > 0 || this.#working.size <= MOST_IDLE) this.#working.set(network, left)
    else this.#working.delete(network)
    const held = this.#held.get(network)
    if (held === undefined) return
    this.#held.delete(network)
    this.#waiting.set(network, held)
    if (this.#state === 'idle') this.#open('listening')
  }

  #hasPlace(network: string): boolean {
    return !this.#held.has(network) && (this.#working.get(network) ?? 0) < this.#atOnce
  }

  #occupy(network: string): void {
    this.#working.set(network, (this.#working.get(network) ?? 0) + 1)
  }

  /**
   * Whether there is time for another request in this turn; the first one opens it. Where the turn before was short,
   * those that come soon after it are counted with it: its end would cost each a look of the process at its sockets.
   */
  #hasTime(now: number): boolean {
    if (this.#state === 'listening') return false
    const hasTime = now - this.#began < SLICE_MS
    if (this.#state !== 'idle' || hasTime) return hasTime
    this.#open('working', now)
    return true
  }

  #open(state: 'listening' | 'working', now = performance.now()): void {
    this.#state = state
    this.#began = now
    setImmediate(this.#next)
  }

  /**
   * Goes on to what comes next. After a turn that was used up the process listens as long as anything new comes, for a
   * while: it takes in one connection at a time, and has not heard yet whether those who ask are still there.
   */
  readonly #next = (): void => {
    const isUsedUp = performance.now() - this.#began >= SLICE_MS
    const isListening = this.#state === 'listening'
    const isHearing = isListening && this.#isNew && !isUsedUp
    this.#isNew = false
    if (isHearing) setImmediate(this.#next)
    else if (isUsedUp && !isListening) this.#open('listening')
    else if (this.#waiting.size > 0) this.#work()
    else this.#state = 'idle'
  }

  #work(): void {
    this.#state = 'working'
    this.#began = Number.POSITIVE_INFINITY
    // Behind each of them comes what has become ready meanwhile, so that the time it takes counts.
    for (let count = 0; count < MAX_REQUESTS_PER_TURN; count += 1) setImmediate(this.#step)
    setImmediate(this.#next)
  }

  readonly #step = (): void => {
    const now = performance.now()
    this.#began = Math.min(this.#began, now)
    const next = now - this.#began < SLICE_MS ? this.#take(now) : undefined
    if (next === undefined) return
    this.#occupy(next.request.network)
    next.begin(now)
  }

  /** The next request of the network whose turn it is. */
  #take(now: number): Waiting | undefined {
    for (const [network, list] of this.#waiting) {
      // Behind all others.
      this.#waiting.delete(network)
      let next = this.#nextOf(list)
      while (next !== undefined && this.#isDropped(next, now)) next = this.#nextOf(list)
      if (next === undefined) continue
      if (list.length > 0) {
        const isLast = (this.#working.get(network) ?? 0) + 1 >= this.#atOnce
        ;(isLast ? this.#held : this.#waiting).set(network, list)
      }
      return next
    }
    return undefined
  }

  /** Drops a request whose client has left, or which has waited too long. */
  #isDropped({ request, begin, refuse }: Waiting, now: number): boolean {
    if (request.isGone()) {
      begin(null)
      return true
    }
    const error = this.#tooLate(request, now)
    if (error !== null) refuse(error)
    return error !== null
  }

  /**
   * The next one of a list. Of a crowd every second one is the newest: whoever has waited long has left, often, and one
   * that is new does not wait for all of them.
   */
  #nextOf(list: Waiting[]): Waiting | undefined {
    this.#isNewest = !this.#isNewest && list.length > CROWD_REQUESTS
    return this.#isNewest ? list.pop() : list.shift()
  }
}

function append(lists: Map<string, Waiting[]>, waiting: Waiting): void {
  const { network } = waiting.request
  const list = lists.get(network)
  if (list === undefined) lists.set(network, [waiting])
  else list.push(waiting)
}
