import { errors, type RestError } from '../errors.ts'
import type { Call } from './call.ts'

/** Ends calls that take longer than they may. */
export class TimeLimit {
  readonly #time: number
  readonly #log: (call: Call, what: string) => void
  readonly #calls = new Set<Call>()

  /**
   * @param time milliseconds
   * @param log logs what took too long
   */
  constructor(time: number, log: (call: Call, what: string) => void) {
    this.#time = time
    this.#log = log
  }

  /**
   * Waits for the response to a call while its client is there, and no longer than the limit. A call that has committed
   * nothing by then is aborted; one that has is waited for once more as long, and then its connection is cut: to say that
   * it failed would not be true.
   */
  limit<T>(call: Call, response: Promise<T>): Promise<T> {
    const { outgoing, work } = call
    outgoing.once('close', () => {
      if (!outgoing.writableFinished && work.abort(errors.rest_client_gone())) call.pause()
    })
    return new Promise((resolve, reject) => {
      const give = (error: RestError, what: string) => {
        this.#calls.delete(call)
        if (!outgoing.destroyed) this.#log(call, what)
        reject(error)
      }
      const cut = () => {
        const what = 'a handler took too long after it had changed something: its client gets no response'
        give(errors.rest_handler_timeout(this.#time), what)
        outgoing.destroy()
      }
      const late = () => {
        const error = errors.rest_handler_timeout(this.#time)
        if (work.abort(error)) return give(error, 'a handler took too long')
        call.deadline = performance.now() + this.#time
        call.onDeadline = cut
      }
      call.onDeadline = late
      call.deadline ||= performance.now() + this.#time
      this.#calls.add(call)
      const settled = <V>(settle: (value: V) => void) => {
        return (value: V) => {
          this.#calls.delete(call)
          settle(value)
        }
      }
      response.then(settled(resolve), settled(reject))
    })
  }

  /** Calls `onDeadline` of those that take too long. @param now milliseconds of the process's clock */
  look(now: number): void {
    for (const call of this.#calls) if (call.deadline <= now) call.onDeadline?.()
  }
}
