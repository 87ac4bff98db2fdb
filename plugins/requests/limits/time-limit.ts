import { errors, type LimitedCall, type RestError, type RestServer } from '../../../kernel/index.ts'
import { waitingInWords } from './waiting-in-words.ts'

interface TimeLimitParts {
  readonly server: () => Pick<RestServer, 'routes'>
  readonly log: (call: LimitedCall, what: string) => void
  readonly shows: boolean
}

/** Ends calls that take longer than they may. */
export class TimeLimit {
  readonly #time: number
  readonly #server: () => Pick<RestServer, 'routes'>
  readonly #log: (call: LimitedCall, what: string) => void
  readonly #shows: boolean
  readonly #calls = new Set<LimitedCall>()

  /**
   * @param time milliseconds
   * @param parts.server names the plugin that a call waits for
   * @param parts.log logs what took too long
   * @param parts.shows whether clients are told what it waited for
   */
  constructor(time: number, { server, log, shows }: TimeLimitParts) {
    this.#time = time
    this.#server = server
    this.#log = log
    this.#shows = shows
  }

  /**
   * Waits for the response to a call no longer than the limit. A call that has committed nothing by then is aborted; one
   * that has is waited for once more as long, and then its connection is cut: to say that it failed would not be true.
   */
  limit<T>(call: LimitedCall, response: Promise<T>): Promise<T> {
    const { outgoing, work } = call
    return new Promise((resolve, reject) => {
      const give = (error: RestError, what: string) => {
        this.#calls.delete(call)
        if (!outgoing.destroyed) this.#log(call, what)
        reject(error)
      }
      const cut = () => {
        const what = `a request took too long after it had changed something, its client gets no response: ${whatWaits(call, this.#server())}`
        give(errors.rest_handler_timeout(this.#time), what)
        outgoing.destroy()
      }
      const late = () => {
        const what = whatWaits(call, this.#server())
        const error = errors.rest_handler_timeout(this.#time, this.#shows ? { data: { waits_for: what } } : {})
        if (work.abort(error)) return give(error, `a request took too long: ${what}`)
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

/** What a call that takes too long waits for, in words. */
function whatWaits({ work, stage, route }: LimitedCall, server: Pick<RestServer, 'routes'>): string {
  const { waiting } = work
  if (waiting.length > 0) return waitingInWords(waiting)
  if (stage !== null) return stage
  if (route === null) return waitingInWords(waiting)
  return `the handler of ${route} of the plugin ${server.routes.get(route)?.owner} has not ended`
}
