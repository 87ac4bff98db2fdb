import { errors, type LimitedCall, type RestError, type RestServer } from '../../../kernel/index.ts'
import { waitingInWords } from './waiting-in-words.ts'

const CUT_MESSAGE =
  'a request took too long after it had committed changes, and its connection was closed without a response'

/** State of a call with a time limit. */
interface Limited {
  readonly reject: (error: RestError) => void
  /** Whether its time has been doubled because it has committed changes. */
  isExtended: boolean
}

interface TimeLimitParts {
  readonly server: () => Pick<RestServer, 'routes'>
  readonly log: (call: LimitedCall, message: string) => void
  readonly exposesReason: boolean
}

/** Ends calls that exceed their time limit. */
export class TimeLimit {
  readonly #time: number
  readonly #server: () => Pick<RestServer, 'routes'>
  readonly #log: (call: LimitedCall, message: string) => void
  readonly #exposesReason: boolean
  readonly #calls = new Map<LimitedCall, Limited>()

  /**
   * @param time limit in milliseconds
   * @param parts.server finds the plugin whose code a call waits for
   * @param parts.log logs a call that took too long
   * @param parts.exposesReason whether the error names the plugin or stage
   */
  constructor(time: number, { server, log, exposesReason }: TimeLimitParts) {
    this.#time = time
    this.#server = server
    this.#log = log
    this.#exposesReason = exposesReason
  }

  /**
   * Waits for the response to a call until its time limit. A call that has committed nothing is then aborted. A call
   * that has committed changes gets the same time again, and then its connection is closed without a response, because
   * an error would claim that nothing was changed.
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

  /** Ends the calls that have exceeded their limit. @param now milliseconds of `performance.now()` */
  check(now: number): void {
    for (const [call, limited] of this.#calls) if (call.deadline <= now) this.#timeOut(call, limited)
  }

  #timeOut(call: LimitedCall, limited: Limited): void {
    const waits = describeWaiting(call, this.#server())
    if (limited.isExtended) {
      this.#fail(call, limited, errors.rest_handler_timeout(this.#time), `${CUT_MESSAGE}: ${waits}`)
      call.outgoing.destroy()
      return
    }
    const error = errors.rest_handler_timeout(this.#time, this.#exposesReason ? { data: { waits_for: waits } } : {})
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

/** Names the tap, plugin or stage that a slow call waits for. */
function describeWaiting({ work, stage, route }: LimitedCall, server: Pick<RestServer, 'routes'>): string {
  const { waiting } = work
  if (waiting.length > 0) return waitingInWords(waiting)
  if (stage !== null) return stage
  if (route === null) return waitingInWords(waiting)
  return `the handler of ${route} of the plugin ${server.routes.get(route)?.owner} has not ended`
}
