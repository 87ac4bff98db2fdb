import type { IncomingMessage } from 'node:http'
import { errors as kernelErrors, type Awaitable, type Limits, type Transfer } from '../../../kernel/index.ts'
import type { BodyBudget, Share } from './body-budget.ts'
import { IN_MEMORY } from './spool.ts'
import { errors } from './errors.ts'

/** What has to be known of a request before more of its body is read than visitors may send. */
export interface Sender {
  /** Whether any endpoint may handle it. */
  isWanted: () => boolean
  /** ID of the user who sends it; 0 for a visitor. */
  userId: () => Awaitable<number>
  /** The network it comes from. */
  readonly network: string
  /** Weight for which there is room in any case: that of a form of a few fields, once for each connection. */
  readonly free: number
}

/** See `Sender.free`: what log-in forms and comments have, and more. */
export const FREE_WEIGHT = 65_536

/** The body of a request while it comes in: as many bytes as its sender may send, and as there is room for. */
export class IncomingBody implements Transfer {
  readonly #incoming: IncomingMessage
  readonly #limits: Limits
  readonly #budget: BodyBudget
  readonly #sender: Sender
  #share: Share = 'visitors'
  /** In whose name it takes of the budget. */
  #holder: string
  #isIdentified = false
  #size = 0
  #weight = 0
  /** What it has taken of the budget; what is free is not. */
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

  /** Bytes that stay in memory: a visitor's go to the disk only where there may be more than of text. */
  readonly inMemory = (): number => (this.#share === 'users' ? IN_MEMORY : Math.max(IN_MEMORY, this.#limits.text))

  /**
   * The bytes as they come.
   * @throws rest_body_too_large, rest_too_many_bodies, rest_request_timeout: as soon as that is known
   */
  async *pieces(limit: number): AsyncGenerator<Buffer> {
    const announced = Number(this.#incoming.headers['content-length'] ?? 0)
    let most = limit
    const holdTo = async (size: number) => {
      if (size > IN_MEMORY && size <= most && !this.#isIdentified) most = await this.#limitOf(most)
      if (size > most) throw errors.rest_body_too_large(most)
    }
    await holdTo(announced)
    // What is refused is not cut off: the client is to hear why.
    const pieces = this.#incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    try {
      for (;;) {
        const next = await this.#next(pieces)
        if (next.done === true) return
        this.#size += next.value.length
        await holdTo(this.#size)
        await this.reserve(next.value.length)
        yield next.value
      }
    } finally {
      this.#isOver = true
      // Not awaited: of a client that is too slow, it would wait for the next piece.
      void pieces.return?.().catch(() => {})
    }
  }

  /**
   * Takes more of the budget: for bytes that have come, or for what they take once they are parsed.
   * @throws rest_too_many_bodies
   */
  async reserve(more: number): Promise<void> {
    this.#weight += more
    await this.#hold(Math.min(more, this.#weight - this.#sender.free))
  }

  /** Gives back what it has taken of the budget. */
  release(): void {
    this.#budget.give(this.#share, this.#holder, this.#held)
    this.#held = 0
  }

  bytesMoved(): number | null {
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
        const stop = () => reject(kernelErrors.rest_request_timeout())
        this.#stop = stop
        pieces.next().then(resolve, reject)
      })
    } finally {
      this.#isWaiting = false
      this.#stop = null
    }
  }

  /** How large it may be, once it is no small one any more. */
  async #limitOf(most: number): Promise<number> {
    if (!this.#sender.isWanted()) return Math.min(most, IN_MEMORY)
    return (await this.#identify()) ? most : Math.min(most, this.#limits.visitor)
  }

  /** Whether the sender is logged in; the body then counts among those of users. */
  async #identify(): Promise<boolean> {
    if (!this.#isIdentified) {
      this.#isIdentified = true
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
    else if (!this.#isIdentified && (await this.#identify())) this.#take(bytes)
    else throw errors.rest_too_many_bodies()
  }

  #take(bytes: number): void {
    if (!this.#budget.take(this.#share, this.#holder, bytes, this.#held)) throw errors.rest_too_many_bodies()
    this.#held += bytes
  }
}
