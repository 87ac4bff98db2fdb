/** Something that a client has to move: a body that it sends, an answer that it takes. */
export interface Moving {
  /** Bytes moved so far; null while nothing waits for the client. */
  moved(): number | null
  /** Whether all of it has moved, or nothing will any more. */
  isOver(): boolean
  /** Ends what moves too slowly. */
  stop(): void
}

/** How much of something had moved at which time. */
interface Seen {
  at: number
  bytes: number | null
}

/** Ends what clients move too slowly. One clock looks at all of it. */
export class Watch {
  readonly #seen = new Map<Moving, Seen>()
  readonly #least: number
  readonly #idle: number

  /**
   * @param limits.rate bytes a second that have to move on average
   * @param limits.idle milliseconds over which the average is taken; something has to move within them
   */
  constructor({ rate, idle }: { rate: number; idle: number }) {
    this.#least = Math.max(1, (rate * idle) / 1000)
    this.#idle = idle
  }

  add(moving: Moving): void {
    this.#seen.set(moving, { at: performance.now(), bytes: moving.moved() })
  }

  /** Forgets what has moved: it may hold all that its request was answered with. */
  remove(moving: Moving): void {
    this.#seen.delete(moving)
  }

  /** Looks at everything. @param now milliseconds of the process's clock */
  look(now: number): void {
    for (const [moving, seen] of this.#seen) {
      if (moving.isOver()) {
        this.#seen.delete(moving)
        continue
      }
      const bytes = moving.moved()
      if (bytes === null || seen.bytes === null) {
        seen.at = now
        seen.bytes = bytes
      } else if (bytes - seen.bytes >= this.#least) {
        seen.at = now
        seen.bytes = bytes
      } else if (now - seen.at >= this.#idle) {
        this.#seen.delete(moving)
        moving.stop()
      }
    }
  }
}
