import { errors } from './errors.ts'
import { OwnedMap } from './ownership.ts'
import type { RunningPlugin, Services } from './plugin.ts'

/** The services that plugins provide to each other. */
export class ServiceRegistry {
  readonly #provided = new OwnedMap<unknown>('service', () => this.#clearViews())
  /** The `services` of each plugin, with those that it has used. */
  readonly #views = new Set<object>()
  readonly #running: ReadonlyMap<string, RunningPlugin>

  /** @param running the plugins by the names that others need them by */
  constructor(running: ReadonlyMap<string, RunningPlugin>) {
    this.#running = running
  }

  /** The service of a name; undefined when no plugin provides it. */
  get(name: string): unknown {
    return this.#provided.get(name)
  }

  /** Provides a service until the plugin is removed. @throws SERVICE_TAKEN */
  provide({ definition }: RunningPlugin, name: string, service: unknown): void {
    const provider = this.#provided.ownerOf(name)
    if (provider !== undefined) throw errors.SERVICE_TAKEN(definition.name, name, provider)
    this.#provided.set(name, service)
  }

  /**
   * The services as a plugin sees them: those of the plugins it names in `needs`, `after` or `uses`, and its own. A
   * service that was used becomes a plain property, until services come or go.
   * @throws (by its properties) SERVICE_MISSING, SERVICE_NOT_NEEDED
   */
  of({ definition, slot, owner }: RunningPlugin): Services {
    const { name: plugin, needs = [], after = [], uses = [] } = definition
    const allowed = new Set([slot, ...needs, ...after, ...uses])
    const unused = new Proxy(Object.prototype, {
      get: (_, name) => {
        if (typeof name !== 'string') return undefined
        const provider = this.#provided.ownerOf(name)
        if (provider === undefined) throw errors.SERVICE_MISSING(plugin, name)
        const from = this.#slotOf(provider)
        if (!allowed.has(from)) throw errors.SERVICE_NOT_NEEDED(plugin, name, from)
        const service = this.#provided.get(name)
        Object.defineProperty(view, name, { value: service, configurable: true, enumerable: true })
        return service
      },
    })
    const view = Object.create(unused) as Services
    this.#views.add(view)
    owner.onRemove(() => void this.#views.delete(view), { kind: 'view', name: 'services' })
    return view
  }

  #slotOf(owner: string): string {
    return [...this.#running.values()].find((plugin) => plugin.owner.name === owner)?.slot ?? owner
  }

  #clearViews(): void {
    for (const view of this.#views) for (const name of Object.keys(view)) Reflect.deleteProperty(view, name)
  }
}
