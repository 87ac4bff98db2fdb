import type { IncomingMessage } from 'node:http'
import { errors as kernelErrors, type Awaitable, type Limits, type Transfer } from '../../../kernel/index.ts'
import type { BodyBudget, Share } from './body-budget.ts'
import { MAX_MEMORY_BYTES } from './spool.ts'
import { errors } from './errors.ts'

/** Facts about a request that decide whether more of its body is read than visitors can send. */
export interface Sender {
  /** Whether any endpoint can handle it. */
  hasEndpoint: () => boolean
  /** ID of the user who sends it; 0 for a visitor. */
  userId: () => Awaitable<number>
  /** Network of the client. */
  readonly network: string
  /** Bytes that are not charged to the budget, once per connection: enough for a form with a few fields. */
  readonly free: number
}

/** Value of `Sender.free` in bytes: more than login forms and comments need. */
export const FREE_BYTES = 65_536

/** The body of a request while it arrives, limited by the rights of its sender and by the budget. */
export class IncomingBody implements Transfer {
  readonly #incoming: IncomingMessage
  readonly #limits: Limits
  readonly #budget: BodyBudget
  readonly #sender: Sender
  #share: Share = 'visitors'
  /** Sender that the budget is charged to: a network or a user ID. */
  #holder: string
  #isIdentified = false
  #size = 0
  #weight = 0
  /** Bytes charged to the budget, without the free ones. */
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

  /** Returns the bytes that stay in memory. Bodies of visitors go to disk only above the limit for text. */
  readonly inMemory = (): number =>
    this.#share === 'users' ? MAX_MEMORY_BYTES : Math.max(MAX_MEMORY_BYTES, this.#limits.text)

  /**
   * Yields the bytes as they arrive.
   * @throws rest_body_too_large, rest_too_many_bodies, rest_request_timeout: as early as possible
   */
  async *pieces(limit: number): AsyncGenerator<Buffer> {
    const announced = Number(this.#incoming.headers['content-length'] ?? 0)
    let maxBytes = limit
    const checkSize = async (size: number) => {
      if (size > MAX_MEMORY_BYTES && size <= maxBytes && !this.#isIdentified) maxBytes = await this.#limitOf(maxBytes)
      if (size > maxBytes) throw errors.rest_body_too_large(maxBytes)
    }
    await checkSize(announced)
    // A refused body does not close the connection, so that the client receives the error.
    const pieces = this.#incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
    try {
      for (;;) {
        const next = await this.#next(pieces)
        if (next.done === true) return
        this.#size += next.value.length
        await checkSize(this.#size)
        await this.reserve(next.value.length)
        yield next.value
      }
    } finally {
      this.#isOver = true
      // Not awaited: with a slow client it would wait for the next piece.
      void pieces.return?.().catch(() => {})
    }
  }

  /**
   * Charges bytes to the budget, either received ones or the estimated size of parsed values.
   * @throws rest_too_many_bodies
   */
  async reserve(more: number): Promise<void> {
    this.#weight += more
    await this.#charge(Math.min(more, this.#weight - this.#sender.free))
  }

  /** Returns all charged bytes to the budget. */
  release(): void {
    this.#budget.release(this.#share, this.#holder, this.#held)
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

  /** Waits for the next piece. @throws rest_request_timeout if the client is too slow */
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

  /** Returns the size limit of a body that has outgrown the memory limit. */
  async #limitOf(maxBytes: number): Promise<number> {
    if (!this.#sender.hasEndpoint()) return Math.min(maxBytes, MAX_MEMORY_BYTES)
    return (await this.#identify()) ? maxBytes : Math.min(maxBytes, this.#limits.visitor)
  }

  /** Returns whether the sender is logged in, and charges the body to the share of users if so. */
  async #identify(): Promise<boolean> {
    if (!this.#isIdentified) {
      this.#isIdentified = true
      const id = await this.#sender.userId()
      if (id !== 0) {
        const held = this.#held
        this.release()
        this.#share = 'users'
        this.#holder = String(id)
        this.#reserve(held)
      }
    }
    return this.#share === 'users'
  }

  async #charge(bytes: number): Promise<void> {
    if (bytes <= 0) return
    if (this.#budget.reserve(this.#share, this.#holder, bytes, this.#held)) this.#held += bytes
    else if (!this.#isIdentified && (await this.#identify())) this.#reserve(bytes)
    else throw errors.rest_too_many_bodies()
  }

  #reserve(bytes: number): void {
    if (!this.#budget.reserve(this.#share, this.#holder, bytes, this.#held)) throw errors.rest_too_many_bodies()
    this.#held += bytes
  }
}
