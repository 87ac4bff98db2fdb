import { errors, type LimitedCall, type RestError } from '../../../kernel/index.ts'

/** Progress of a response. */
interface Progress {
  /** Time by which more bytes must have been written, in milliseconds of `performance.now()`. */
  deadline: number
  bytes: number
  readonly late: string
  readonly end: (error: RestError) => void
}

/**
 * Ends responses whose source has stalled, such as a plugin's stream that emits nothing or a disk that does not
 * respond. Slow clients are handled by `SlowClients`.
 */
export class SlowSources {
  readonly #time: number
  readonly #log: (call: LimitedCall, message: string) => void
  readonly #responses = new Map<LimitedCall, Progress>()

  /**
   * @param time milliseconds within which the next bytes must be written
   * @param log logs a stalled response
   */
  constructor(time: number, log: (call: LimitedCall, message: string) => void) {
    this.#time = time
    this.#log = log
  }

  /**
   * @param late description of the stalled source for the log
   * @param end ends the response
   */
  add(call: LimitedCall, late: string, end: (error: RestError) => void): void {
    this.#responses.set(call, {
      deadline: performance.now() + this.#time,
      bytes: call.incoming.socket.bytesWritten,
      late,
      end,
    })
  }

  /** Checks all responses. @param now milliseconds of `performance.now()` */
  check(now: number): void {
    for (const [call, progress] of this.#responses) {
      const { outgoing, incoming } = call
      if (outgoing.writableEnded || outgoing.destroyed) {
        this.#responses.delete(call)
        continue
      }
      const { bytesWritten: bytes } = incoming.socket
      // While the response waits for its client or for an earlier response, its source is not the slow part.
      const waits = outgoing.socket === null || outgoing.writableLength > 0
      if (waits || bytes !== progress.bytes) {
        progress.deadline = now + this.#time
        progress.bytes = bytes
      } else if (progress.deadline <= now) {
        this.#responses.delete(call)
        this.#log(call, `a response was aborted: ${progress.late}`)
        progress.end(errors.rest_handler_timeout(this.#time))
      }
    }
  }
}
