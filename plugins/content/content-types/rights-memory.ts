import type { CurrentUser, PluginContext } from '../../../kernel/index.ts'

/**
 * Caches a value that depends on the rights of a user to posts of all types and statuses. It is computed again for each user
 * after a type or a status is registered, changed or removed.
 */
export class RightsMemory<T> {
  readonly #services: PluginContext['services']
  readonly #compute: (user: CurrentUser) => T
  readonly #known = new WeakMap<CurrentUser, { definitions: readonly object[]; rights: T }>()

  /** @param compute depends on the user, the types and the statuses only; callers share its result and must not change it */
  constructor(services: PluginContext['services'], compute: (user: CurrentUser) => T) {
    this.#services = services
    this.#compute = compute
  }

  of(user: CurrentUser): T {
    const { capabilities, contentTypes, statuses } = this.#services
    // Rights are not cached if the user object may change or if a plugin decides about capabilities.
    if (!Object.isFrozen(user) || !capabilities.followRules) return this.#compute(user)
    const definitions = [...contentTypes.all(), ...statuses.all()]
    const known = this.#known.get(user)
    const isCurrent =
      known?.definitions.length === definitions.length &&
      known.definitions.every((one, index) => one === definitions[index])
    if (isCurrent) return known.rights
    const rights = this.#compute(user)
    this.#known.set(user, { definitions, rights })
    return rights
  }
}
