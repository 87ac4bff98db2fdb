import { errors, type LimitedCall, type RestError } from '../../../kernel/index.ts'

/** How far a response is. */
interface Progress {
  /** When it has to be further, in milliseconds of the process's clock. */
  deadline: number
  bytes: number
  readonly late: string
  readonly end: (error: RestError) => void
}

/**
 * Ends responses whose client waits for what writes them: a stream of a plugin that gives nothing more, a disk that does not
 * respond. How slow a client may be is another matter.
 */
export class SlowSources {
  readonly #time: number
  readonly #log: (call: LimitedCall, what: string) => void
  readonly #responses = new Map<LimitedCall, Progress>()

  /**
   * @param time milliseconds within which something has to come
   * @param log logs a response from which nothing came
   */
  constructor(time: number, log: (call: LimitedCall, what: string) => void) {
    this.#time = time
    this.#log = log
  }

  /**
   * @param late says what gives nothing, for the log
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

  /** Looks at all responses. @param now milliseconds of the process's clock */
  look(now: number): void {
    for (const [call, seen] of this.#responses) {
      const { outgoing, incoming } = call
      if (outgoing.writableEnded || outgoing.destroyed) {
        this.#responses.delete(call)
        continue
      }
      const { bytesWritten: bytes } = incoming.socket
      // As long as it waits for its client, or for an earlier response, it is not the source that is slow.
      const waits = outgoing.socket === null || outgoing.writableLength > 0
      if (waits || bytes !== seen.bytes) {
        seen.deadline = now + this.#time
        seen.bytes = bytes
      } else if (seen.deadline <= now) {
        this.#responses.delete(call)
        this.#log(call, `a response was broken off: ${seen.late}`)
        seen.end(errors.rest_handler_timeout(this.#time))
      }
    }
  }
}
