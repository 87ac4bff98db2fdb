import { currentOwner, OwnedMap, suggest, type Owner } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { JobHandler } from './job.ts'

/** A handler with what its author left open. */
export interface Handler extends Required<Omit<JobHandler, 'schema' | 'at_once'>> {
  readonly schema: JobHandler['schema'] | undefined
  readonly at_once: number
  readonly owner: Owner
  /** Whether its plugin is being removed. */
  isGone: boolean
}

/** What is done for the jobs of each name. */
export class Handlers {
  readonly #entries: OwnedMap<Handler>
  readonly #stop: (handler: Handler) => Promise<void>

  /**
   * @param changed called when one has come or gone
   * @param stop stops the runs of one that goes
   */
  constructor(changed: () => void, stop: (handler: Handler) => Promise<void>) {
    this.#entries = new OwnedMap('job handler', changed)
    this.#stop = stop
  }

  /** @throws JOB_HANDLER_INVALID */
  set(name: string, given: JobHandler): void {
    if (name === '' || name.length > 191) throw errors.JOB_HANDLER_INVALID(name, 'its name has 1 to 191 characters')
    if (typeof given.run !== 'function') throw errors.JOB_HANDLER_INVALID(name, 'it has no function run')
    const { schema, retries = 5, delay = 10, timeout = 300, at_once = Infinity } = given
    const numbers = { retries, delay, timeout, at_once }
    for (const [key, value] of Object.entries(numbers)) {
      const least = key === 'retries' ? 0 : Number.MIN_VALUE
      if (!(value >= least))
        throw errors.JOB_HANDLER_INVALID(name, `"${key}" is no number from ${key === 'retries' ? 0 : 'above 0'} on`)
    }
    const known = ['schema', 'run', ...Object.keys(numbers)]
    const unknown = Object.keys(given).find((key) => !known.includes(key))
    if (unknown !== undefined) {
      const near = suggest(unknown, known)
      const hint = near === '' ? `there are ${known.join(', ')}` : `did you mean ${near}?`
      throw errors.JOB_HANDLER_INVALID(name, `it has no option "${unknown}": ${hint}`)
    }
    const owner = currentOwner()
    const handler: Handler = { schema, ...numbers, run: given.run.bind(given), owner, isGone: false }
    this.#entries.set(name, handler)
    const stop = async () => {
      handler.isGone = true
      await this.#stop(handler)
    }
    // Registered behind it, so that its runs have ended before it goes.
    owner.onRemove(stop, { kind: 'job runs', name }, false)
  }

  get(name: string): Handler | undefined {
    const handler = this.#entries.get(name)
    return handler?.isGone === false ? handler : undefined
  }

  /** @throws JOB_UNKNOWN */
  needed(name: string): Handler {
    const handler = this.get(name)
    if (handler === undefined) throw errors.JOB_UNKNOWN(name, suggest(name, this.names()))
    return handler
  }

  names(): string[] {
    return [...this.#entries].flatMap(([name, { isGone }]) => (isGone ? [] : [name]))
  }
}
