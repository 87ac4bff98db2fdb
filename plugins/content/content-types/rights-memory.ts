import type { CurrentUser, PluginContext } from '../../../kernel/index.ts'

/**
 * What follows from the rights of a user to posts of all types in all statuses, computed once for each user until a type or
 * a status is registered, changed or removed.
 */
export class RightsMemory<T> {
  readonly #services: PluginContext['services']
  readonly #compute: (user: CurrentUser) => T
  readonly #known = new WeakMap<CurrentUser, { definitions: readonly object[]; rights: T }>()

  /** @param compute depends on the user and on types and statuses only; its result is shared, so it must not be changed */
  constructor(services: PluginContext['services'], compute: (user: CurrentUser) => T) {
    this.#services = services
    this.#compute = compute
  }

  of(user: CurrentUser): T {
    const { capabilities, contentTypes, statuses } = this.#services
    // The rights of a user object that may change, or on which a plugin decides, are computed at each call.
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
