import type { Primary } from './worker.ts'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * Knows whether this process is to stop: SIGTERM or SIGINT arrived, or the primary of this worker said so. A second signal
 * ends the process immediately, with exit code 130. `main` creates it before its first await: bin/launch.js has just left the
 * signals to the command.
 */
export class StopRequest {
  readonly #asked = Promise.withResolvers<Record<string, unknown>>()
  /** Resolves with the first reason, as the log shows it. */
  readonly asked = this.#asked.promise
  /** Whether the process was asked to stop. */
  isAsked = false
  /** Called when a second signal arrives, right before the process ends. */
  atOnce = () => {}

  constructor(primary: Primary | null) {
    for (const signal of SIGNALS) {
      process.once(signal, () => {
        process.once(signal, () => {
          this.atOnce()
          process.exit(130)
        })
        this.#ask({ signal })
      })
    }
    primary?.onStop((reason) => this.#ask({ reason }))
  }

  #ask(reason: Record<string, unknown>): void {
    this.isAsked = true
    this.#asked.resolve(reason)
  }
}
