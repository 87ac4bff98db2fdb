import type { HookRegistry } from '../../../kernel/hooks/registry.ts'
import type { AnyPlugin, ConfiguredPlugin } from '../../../kernel/index.ts'
import { listed } from './listed.ts'

/** A plugin that replaces a default, and the hooks and services of the default that it lacks. */
export interface MissingParts {
  readonly plugin: string
  readonly slot: string
  readonly hooks: readonly string[]
  readonly services: readonly string[]
  /** Plugins that can use them. */
  readonly users: readonly string[]
}

/**
 * Returns the hooks and services that replacements of default plugins lack and other plugins can use.
 * @param isProvided returns whether a service exists
 */
export function findMissingParts(
  plugins: readonly ConfiguredPlugin[],
  registry: HookRegistry,
  isProvided: (service: string) => boolean,
): MissingParts[] {
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

/** Describes a lack in a sentence. */
export function describeMissingParts({ plugin, slot, hooks, services, users }: MissingParts): string {
  const missing = [
    ...(services.length === 0 ? [] : [`provide the service${services.length > 1 ? 's' : ''} ${listed(services)}`]),
    ...(hooks.length === 0 ? [] : [`declare the hook${hooks.length > 1 ? 's' : ''} ${listed(hooks)}`]),
  ]
  return `${plugin} replaces ${slot}, but does not ${missing.join(', nor ')}: ${listed(users)} can use ${services.length + hooks.length > 1 ? 'them' : 'it'}`
}

/** Returns the plugin that replaces a default which passes a test. */
export function replacementOf(
  plugins: readonly ConfiguredPlugin[],
  test: (replaced: AnyPlugin) => boolean,
): ConfiguredPlugin | undefined {
  return plugins.find(({ replaces }) => replaces !== undefined && test(replaces))
}
