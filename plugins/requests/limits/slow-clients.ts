import type { Transfer } from '../../../kernel/index.ts'

/** Bytes that a transfer had moved at a point in time. */
interface Progress {
  at: number
  bytes: number | null
}

/** Aborts transfers of slow clients. One timer checks all transfers. */
export class SlowClients {
  readonly #transfers = new Map<Transfer, Progress>()
  readonly #minimum: number
  readonly #timeout: number

  /**
   * @param limits.rate minimum of bytes per second on average
   * @param limits.connectionTimeout milliseconds over which the average is computed, within which at least one byte has
   * to move
   */
  constructor({ rate, connectionTimeout }: { rate: number; connectionTimeout: number }) {
    this.#minimum = Math.max(1, (rate * connectionTimeout) / 1000)
    this.#timeout = connectionTimeout
  }

  add(transfer: Transfer): void {
    this.#transfers.set(transfer, { at: performance.now(), bytes: transfer.bytesMoved() })
  }

  /** Removes a transfer. Needed to release memory: a transfer can hold the whole response. */
  remove(transfer: Transfer): void {
    this.#transfers.delete(transfer)
  }

  /** Checks all transfers. @param now milliseconds of `performance.now()` */
  check(now: number): void {
    for (const [transfer, progress] of this.#transfers) {
      if (transfer.isOver()) {
        this.#transfers.delete(transfer)
        continue
      }
      const bytes = transfer.bytesMoved()
      if (bytes === null || progress.bytes === null || bytes - progress.bytes >= this.#minimum) {
        progress.at = now
        progress.bytes = bytes
      } else if (now - progress.at >= this.#timeout) {
        this.#transfers.delete(transfer)
        transfer.stop()
      }
    }
  }
}
