import type { Primary } from './worker.ts'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * Knows whether this process is to stop: SIGTERM or SIGINT arrived, or the primary of this worker said so. A second signal
 * ends the process at once, with exit code 130. Create it before anything else: until then, a signal ends the process.
 */
export class StopRequest {
  readonly #asked = Promise.withResolvers<Record<string, unknown>>()
  #reason: Record<string, unknown> | null = null
  /** Called when a second signal arrives, right before the process ends. */
  atOnce = () => {}

  constructor(primary: Primary | null) {
    for (const signal of SIGNALS) {
      // What bin/launch.js does with signals while the command loads.
      process.removeAllListeners(signal)
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

  /** Resolves with the first reason, as the log shows it. */
  get asked(): Promise<Record<string, unknown>> {
    return this.#asked.promise
  }

  /** Whether the process was asked to stop. */
  get isAsked(): boolean {
    return this.#reason !== null
  }

  #ask(reason: Record<string, unknown>): void {
    this.#reason ??= reason
    this.#asked.resolve(reason)
  }
}
