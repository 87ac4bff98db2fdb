import { errors } from './errors.ts'
import type { HookRegistry } from './hooks/registry.ts'
import { currentOwner } from './ownership.ts'
import type { ConfiguredPlugin } from './plugin.ts'
import { listed } from './text/listed.ts'

/** A plugin in the place of a default, and what that has and it has not. */
export interface Lack {
  readonly plugin: string
  readonly slot: string
  readonly hooks: readonly string[]
  readonly services: readonly string[]
  /** Who may use them. */
  readonly users: readonly string[]
}

/**
 * What plugins in the place of defaults lack that others may use.
 * @param isProvided whether there is a service of a name
 */
export function lacksOf(
  plugins: readonly ConfiguredPlugin[],
  registry: HookRegistry,
  isProvided: (service: string) => boolean,
): Lack[] {
  return plugins.flatMap(({ slot, definition, replaces }) => {
    if (replaces === undefined) return []
    const users = plugins.filter(({ definition: { needs = [], after = [], uses = [] } }) =>
      [...needs, ...after, ...uses].includes(slot),
    )
    const hooks = Object.keys(replaces.hooks ?? {}).filter((name) => !registry.isDeclared(name))
    const services = (replaces.provides ?? []).filter((name) => !isProvided(name))
    if (users.length === 0 || hooks.length + services.length === 0) return []
    return [{ plugin: definition.name, slot, hooks, services, users: users.map((user) => user.slot) }]
  })
}

/** A lack in a sentence. */
export function lackText({ plugin, slot, hooks, services, users }: Lack): string {
  const what = [
    ...(services.length === 0 ? [] : [`provide the service${services.length > 1 ? 's' : ''} ${listed(services)}`]),
    ...(hooks.length === 0 ? [] : [`declare the hook${hooks.length > 1 ? 's' : ''} ${listed(hooks)}`]),
  ]
  return `${plugin} takes the place of ${slot}, but does not ${what.join(', nor ')}: ${listed(users)} may use ${services.length + hooks.length > 1 ? 'them' : 'it'}`
}

/** The plugin in the place of the default that has a service, or a hook, which it has not itself. */
function inPlaceOf(
  plugins: readonly ConfiguredPlugin[],
  kind: 'service' | 'hook',
  name: string,
): ConfiguredPlugin | undefined {
  return plugins.find(({ replaces }) => {
    if (kind === 'service') return (replaces?.provides as readonly string[] | undefined)?.includes(name) === true
    return Object.hasOwn(replaces?.hooks ?? {}, name)
  })
}

/**
 * What says more of a service that a replaced default provides, and the plugin in its place does not; null for others.
 * @param plugins returns those of the start, whether they have started or not
 */
export function serviceOfReplaced(plugins: () => readonly ConfiguredPlugin[]): (service: string) => string | null {
  return (service) => {
    const replacing = inPlaceOf(plugins(), 'service', service)
    return replacing === undefined
      ? null
      : `: ${replacing.definition.name}, in the place of ${replacing.slot}, does not`
  }
}

/**
 * What says more of a hook that a replaced default declares, and the plugin in its place does not; null for others.
 * @param plugins returns those of the start, whether they have started or not
 */
export function hookOfReplaced(plugins: () => readonly ConfiguredPlugin[]): (hook: string) => Error | null {
  return (hook) => {
    const replacing = inPlaceOf(plugins(), 'hook', hook)
    if (replacing === undefined) return null
    return errors.HOOK_NOT_DECLARED(currentOwner().name, hook, replacing.slot, replacing.definition.name)
  }
}
