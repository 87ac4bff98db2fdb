import type { Transfer } from '../../../kernel/index.ts'

/** How far a transfer was at which time. */
interface Progress {
  at: number
  bytes: number | null
}

/** Ends transfers of slow clients. One timer looks at all of them. */
export class SlowClients {
  readonly #transfers = new Map<Transfer, Progress>()
  readonly #minimum: number
  readonly #timeout: number

  /**
   * @param limits.rate bytes a second that have to move on average
   * @param limits.connectionTimeout milliseconds over which the average is taken; some byte has to move within them
   */
  constructor({ rate, connectionTimeout }: { rate: number; connectionTimeout: number }) {
    this.#minimum = Math.max(1, (rate * connectionTimeout) / 1000)
    this.#timeout = connectionTimeout
  }

  add(transfer: Transfer): void {
    this.#transfers.set(transfer, { at: performance.now(), bytes: transfer.bytesMoved() })
  }

  /** Forgets a transfer: it may hold the whole response. */
  remove(transfer: Transfer): void {
    this.#transfers.delete(transfer)
  }

  /** Looks at all transfers. @param now milliseconds of the process's clock */
  look(now: number): void {
    for (const [transfer, seen] of this.#transfers) {
      if (transfer.isOver()) {
        this.#transfers.delete(transfer)
        continue
      }
      const bytes = transfer.bytesMoved()
      if (bytes === null || seen.bytes === null || bytes - seen.bytes >= this.#minimum) {
        seen.at = now
        seen.bytes = bytes
      } else if (now - seen.at >= this.#timeout) {
        this.#transfers.delete(transfer)
        transfer.stop()
      }
    }
  }
}
