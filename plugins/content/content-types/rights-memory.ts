import { derivedOfAll, type CurrentUser, type PluginContext } from '../../../kernel/index.ts'

/**
 * Caches a value that depends on the rights of a user to posts of all types and statuses. It is computed again for each
 * user after a type, a status or anything else is registered, changed or removed.
 */
export class RightsMemory<T extends object> {
  readonly #services: PluginContext['services']
  readonly #compute: (user: CurrentUser) => T
  readonly #rights = derivedOfAll(() => new WeakMap<CurrentUser, T>())

  /** @param compute depends on the user and on registrations only; callers share its result and must not change it */
  constructor(services: PluginContext['services'], compute: (user: CurrentUser) => T) {
    this.#services = services
    this.#compute = compute
  }

  rightsOf(user: CurrentUser): T {
    // Rights are not cached if the user object may change or if a plugin decides about capabilities.
    if (!Object.isFrozen(user) || !this.#services.capabilities.followRules) return this.#compute(user)
    const cache = this.#rights()
    let rights = cache.get(user)
    if (rights === undefined) cache.set(user, (rights = this.#compute(user)))
    return rights
  }
}
