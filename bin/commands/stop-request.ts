import type { Primary } from './worker.ts'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * Requests the stop of this process when SIGTERM or SIGINT arrives, or when the primary of this worker requests it. A second
 * signal ends the process immediately, with exit code 130. `main` must create it before its first await, because
 * bin/launch.js has just removed its own signal handlers.
 */
export class StopRequest {
  readonly #requested = Promise.withResolvers<Record<string, unknown>>()
  /** Resolves with the first reason, for the log. */
  readonly requested = this.#requested.promise
  /** Whether the stop was requested. */
  isRequested = false
  /** Called when a second signal arrives, right before the process ends. */
  onSecondSignal = () => {}

  constructor(primary: Primary | null) {
    for (const signal of SIGNALS) {
      process.once(signal, () => {
        process.once(signal, () => {
          this.onSecondSignal()
          process.exit(130)
        })
        this.#request({ signal })
      })
    }
    primary?.onStop((reason) => this.#request({ reason }))
  }

  #request(reason: Record<string, unknown>): void {
    this.isRequested = true
    this.#requested.resolve(reason)
  }
}
