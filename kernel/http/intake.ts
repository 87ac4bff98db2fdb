import type { IncomingMessage } from 'node:http'
import type { BodyBudget, Share } from './body-budget.ts'
import type { Limits } from '../config.ts'
import { errors } from '../errors.ts'
import type { Awaitable } from '../awaitable.ts'
import { SMALL } from './spool.ts'
import type { Moving } from './slow-clients.ts'

/** What has to be known of a request before more of its body is taken in than anybody may send. */
export interface Sender {
  /** Whether anything may answer it. */
  isWanted: () => boolean
  /** ID of who sends it; 0 for who is not logged in. */
  userId: () => Awaitable<number>
  /** The network it comes from. */
  readonly network: string
  /** How much of its weight finds room in any case: as much as forms of a few fields have, once for each connection. */
  readonly free: number
}

/** See `Sender.free`: what log-in forms and comments have, and more. */
export const FREE = 65_536

/** A body on its way in: as many bytes as its sender may send, and as there is room for. */
export class Intake implements Moving {
  readonly #incoming: IncomingMessage
  readonly #limits: Limits
  readonly #budget: BodyBudget
  readonly #sender: Sender
  #share: Share = 'visitors'
  /** Who holds it of the budget. */
  #holder: string
  #isAsked = false
  #size = 0
  #weight = 0
  /** What is held of the budget; what is free is not. */
  #held = 0
  #isWaiting = false
  #isOver = false
  #stop: (() => void) | null = null

  constructor(incoming: IncomingMessage, limits: Limits, budget: BodyBudget, sender: Sender) {
    this.#incoming = incoming
    this.#limits = limits
    this.#budget = budget
    this.#sender = sender
    this.#holder = sender.network
  }

  /** How many bytes of it stay in memory: a visitor's go to the disk only where there may be more than of text. */
  readonly inMemory = (): number => (this.#share === 'users' ? SMALL : Math.max(SMALL, this.#limits.text))

  /**
   * The bytes as they come.
   * @throws rest_body_too_large, rest_too_many_bodies, rest_request_timeout: as soon as that is known
   */
  async *pieces(limit: number): AsyncGenerator<Buffer> {
    const announced = Number(this.#incoming.headers['content-length'] ?? 0)
    let most = limit
    const holdTo = (size: number) => {
      if (size > most) throw errors.rest_body_too_large(most)
    }
    holdTo(announced)
    if (announced > SMALL) most = await this.#limitOf(most)
    holdTo(announced)
    // What is refused is not cut off: the client is to hear why.
    const pieces = this.#incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    try {
      for (;;) {
        const next = await this.#next(pieces)
        if (next.done === true) return
        this.#size += next.value.length
        holdTo(this.#size)
        if (this.#size > SMALL && !this.#isAsked) most = await this.#limitOf(most)
        holdTo(this.#size)
        await this.weigh(next.value.length)
        yield next.value
      }
    } finally {
      this.#isOver = true
      // Not awaited: of a client that is too slow, it would wait for the next piece.
      void pieces.return?.().catch(() => {})
    }
  }

  /**
   * Takes more of the budget: bytes that have come, or what they take once they are parsed.
   * @throws rest_too_many_bodies
   */
  async weigh(more: number): Promise<void> {
    this.#weight += more
    await this.#hold(Math.min(more, this.#weight - this.#sender.free))
  }

  /** Makes room for others. */
  release(): void {
    this.#budget.give(this.#share, this.#holder, this.#held)
    this.#held = 0
  }

  moved(): number | null {
    return this.#isWaiting ? this.#size : null
  }

  isOver(): boolean {
    return this.#isOver
  }

  stop(): void {
    this.#stop?.()
  }

  /** The next piece, unless the client is too slow with it. */
  async #next(pieces: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    this.#isWaiting = true
    try {
      return await new Promise((resolve, reject) => {
        const stop = () => reject(errors.rest_request_timeout())
        this.#stop = stop
        pieces.next().then(resolve, reject)
      })
    } finally {
      this.#isWaiting = false
      this.#stop = null
    }
  }

  /** What a body may have once it is no small one any more. */
  async #limitOf(most: number): Promise<number> {
    if (!this.#sender.isWanted()) return Math.min(most, SMALL)
    return (await this.#ask()) ? most : Math.min(most, this.#limits.visitor)
  }

  /** Whether the sender is logged in; the body then counts among those of users. */
  async #ask(): Promise<boolean> {
    if (!this.#isAsked) {
      this.#isAsked = true
      const id = await this.#sender.userId()
      if (id !== 0) {
        const held = this.#held
        this.release()
        this.#share = 'users'
        this.#holder = String(id)
        this.#take(held)
      }
    }
    return this.#share === 'users'
  }

  async #hold(bytes: number): Promise<void> {
    if (bytes <= 0) return
    if (this.#budget.take(this.#share, this.#holder, bytes, this.#held)) this.#held += bytes
    else if (!this.#isAsked && (await this.#ask())) this.#take(bytes)
    else throw errors.rest_too_many_bodies()
  }

  #take(bytes: number): void {
    if (!this.#budget.take(this.#share, this.#holder, bytes, this.#held)) throw errors.rest_too_many_bodies()
    this.#held += bytes
  }
}
