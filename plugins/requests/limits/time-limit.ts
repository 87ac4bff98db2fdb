import { errors, type LimitedCall, type RestError, type RestServer } from '../../../kernel/index.ts'
import { waitingInWords } from './waiting-in-words.ts'

const CUT_MESSAGE =
  'a request took too long after it had changed something, and its connection is closed without a response'

/** What is known of a call while its time is limited. */
interface Limited {
  readonly reject: (error: RestError) => void
  /** Whether it has committed something, and its time has been doubled for that. */
  isExtended: boolean
}

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
  readonly #calls = new Map<LimitedCall, Limited>()

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
    return new Promise((resolve, reject) => {
      call.deadline ||= performance.now() + this.#time
      this.#calls.set(call, { reject, isExtended: false })
      response.then(
        (value) => {
          this.#calls.delete(call)
          resolve(value)
        },
        (error: Error) => {
          this.#calls.delete(call)
          reject(error)
        },
      )
    })
  }

  /** Ends the calls that take too long. @param now milliseconds of the process's clock */
  look(now: number): void {
    for (const [call, limited] of this.#calls) if (call.deadline <= now) this.#end(call, limited)
  }

  #end(call: LimitedCall, limited: Limited): void {
    const waits = whatWaits(call, this.#server())
    if (limited.isExtended) {
      this.#fail(call, limited, errors.rest_handler_timeout(this.#time), `${CUT_MESSAGE}: ${waits}`)
      call.outgoing.destroy()
      return
    }
    const error = errors.rest_handler_timeout(this.#time, this.#shows ? { data: { waits_for: waits } } : {})
    if (call.work.abort(error)) return this.#fail(call, limited, error, `a request took too long: ${waits}`)
    limited.isExtended = true
    call.deadline = performance.now() + this.#time
  }

  #fail(call: LimitedCall, { reject }: Limited, error: RestError, reason: string): void {
    this.#calls.delete(call)
    if (!call.outgoing.destroyed) this.#log(call, reason)
    reject(error)
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
