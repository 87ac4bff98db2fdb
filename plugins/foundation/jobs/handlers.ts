import { renameDeprecatedKeys } from '../../library/deprecated-names/index.ts'
import { currentOwner, OwnedMap, type Owner } from '../../../kernel/index.ts'
import { suggest } from '../../library/suggestions/index.ts'
import { shapeMistake, type Shapes } from '../../library/advice/index.ts'
import { schemaMistake } from '../../requests/arguments/index.ts'
import { isStorable } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import type { JobHandler } from './job.ts'

const SHAPES: Shapes<JobHandler> = {
  schema: 'object',
  retries: 'number',
  delay: 'number',
  timeout: 'number',
  concurrency: 'number',
  run: 'function',
}

const isCount = (value: number) => Number.isInteger(value) || value === Infinity
const POSITIVE_NUMBER = { is: (value: number) => value > 0, requirement: 'seconds, more than 0' }
const NUMBERS = {
  retries: { is: (value: number) => isCount(value) && value >= 0, requirement: 'a whole number, 0 or more' },
  delay: POSITIVE_NUMBER,
  timeout: POSITIVE_NUMBER,
  concurrency: { is: (value: number) => isCount(value) && value >= 1, requirement: 'a whole number, 1 or more' },
}

/** A handler with its defaults filled in. */
export interface Handler extends Required<Omit<JobHandler, 'schema' | 'concurrency'>> {
  readonly schema: JobHandler['schema'] | undefined
  readonly concurrency: number
  readonly owner: Owner
  /** Whether the plugin is being removed. */
  isBeingRemoved: boolean
}

/** Registers the handlers of jobs by job name. */
export class Handlers {
  readonly #entries: OwnedMap<Handler>
  readonly #stop: (handler: Handler) => Promise<void>

  /**
   * @param changed called when a handler is added or removed
   * @param stop stops the runs of a removed handler
   */
  constructor(changed: () => void, stop: (handler: Handler) => Promise<void>) {
    this.#entries = new OwnedMap('job handler', changed)
    this.#stop = stop
  }

  /** @throws JOB_HANDLER_INVALID */
  set(name: string, written: JobHandler): void {
    const definition = renameDeprecatedKeys(written, 'job handler', { at_once: 'concurrency' })
    if (!isStorable(name)) throw errors.JOB_HANDLER_INVALID(name, 'its name has characters that no database holds')
    if (name === '' || name.length > 191) throw errors.JOB_HANDLER_INVALID(name, 'its name has 1 to 191 characters')
    const mistake =
      shapeMistake<JobHandler>(definition, SHAPES) ?? (definition.run === undefined ? 'has no function run' : null)
    if (mistake !== null) throw errors.JOB_HANDLER_INVALID(name, `it ${mistake}`)
    const schemaFault = definition.schema === undefined ? null : schemaMistake(definition.schema)
    if (schemaFault !== null) throw errors.JOB_HANDLER_INVALID(name, `its schema ${schemaFault}`)
    const { schema, retries = 5, delay = 10, timeout = 300, concurrency = Infinity } = definition
    const numbers = { retries, delay, timeout, concurrency }
    for (const [key, value] of Object.entries(numbers)) {
      const { is, requirement } = NUMBERS[key as keyof typeof NUMBERS]
      if (!is(value)) throw errors.JOB_HANDLER_INVALID(name, `"${key}" is ${value}: it must be ${requirement}`)
    }
    const owner = currentOwner()
    const handler: Handler = { schema, ...numbers, run: definition.run.bind(definition), owner, isBeingRemoved: false }
    this.#entries.set(name, handler)
    const stop = async () => {
      handler.isBeingRemoved = true
      await this.#stop(handler)
    }
    // Registered after the entry, so that its runs end before the entry is removed.
    owner.onRemove(stop, { kind: 'job runs', name }, false)
  }

  get(name: string): Handler | undefined {
    const handler = this.#entries.get(name)
    return handler?.isBeingRemoved === false ? handler : undefined
  }

  /** @throws JOB_UNKNOWN */
  needed(name: string): Handler {
    const handler = this.get(name)
    if (handler === undefined) throw errors.JOB_UNKNOWN(name, suggest(name, this.names()))
    return handler
  }

  names(): string[] {
    return [...this.#entries].flatMap(([name, { isBeingRemoved }]) => (isBeingRemoved ? [] : [name]))
  }
}
