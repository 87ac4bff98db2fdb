import type { Logger } from 'pino'
import type { Hooks } from './hooks/hook.ts'
import type { HookRegistry } from './hooks/registry.ts'
import type { Collision } from './ownership.ts'
import type { AnyPlugin, ConfiguredPlugin } from './plugin.ts'
import { RegistrationChecker } from './registration-check.ts'
import { lacksOf, lackText } from './replacements.ts'
import { firstPlace, placeIn } from './place.ts'
import { suggest } from './text/suggest.ts'
import { hint } from './text/unknown-key.ts'

/** A sentence for the log, and what it is about. */
interface Advice {
  readonly plugin: string
  readonly at?: string | null
  readonly text: string
}

/** Logs what authors surely did not mean, though the site runs with it. */
export class Advisor {
  readonly #log: Logger
  readonly #defaults: readonly AnyPlugin[]

  /** @param defaults the plugins that run unless the config says otherwise */
  constructor(log: Logger, defaults: readonly AnyPlugin[]) {
    this.#log = log
    this.#defaults = defaults
  }

  /** Logs registrations of a plugin that replace another plugin's, or its own. */
  collisionsOf(plugin: string): (collision: Collision) => void {
    return ({ kind, name, of, at, first }) =>
      this.#log.warn(
        { plugin, of, ...(at !== null && { at }), ...(first !== null && { first }) },
        of === plugin
          ? `${plugin} registers the ${kind} ${name} twice${firstPlace(first)}: remove one of the two, or rename one`
          : `${plugin} registers the ${kind} ${name}, which takes the place of that of ${of}: choose another name, or say override: true`,
      )
  }

  /** Tells of what plugins lack in the place of a default, and of plugins that they name and that are surely misspelt. */
  checkPlugins(
    plugins: readonly ConfiguredPlugin[],
    registry: HookRegistry,
    serviceOf: (name: string) => unknown,
  ): void {
    const lacks = lacksOf(plugins, registry, (name) => serviceOf(name) !== undefined)
    const names = new Set([...plugins.map(({ slot }) => slot), ...this.#defaults.map(({ name }) => name)])
    const misspelt = plugins.flatMap(({ definition }) => misspeltIn(definition, names))
    const unkept = plugins.flatMap(({ definition: { name: plugin, provides = [] } }) =>
      provides
        .filter((name) => serviceOf(name) === undefined)
        .map((name) => ({ plugin, text: `${plugin} names ${name} in provides, and does not provide it` })),
    )
    this.#warn([...lacks.map((lack) => ({ plugin: lack.plugin, text: lackText(lack) })), ...unkept, ...misspelt])
  }

  /** Takes taps away for a plugin, and tells where there are none of this name. @returns how many they were */
  untap(plugin: string, registry: HookRegistry, hook: string, tap: string): number {
    const count = registry.untap(hook, tap)
    if (count > 0) return count
    const there = registry.list().find(({ name }) => name === hook)?.taps ?? []
    const at = placeIn(new Error('here').stack)
    const text = `${plugin} takes the tap ${tap} of ${hook} away, which is not there${hint(
      tap,
      there.map(({ name }) => name),
    )}`
    this.#log.warn({ plugin, ...(at !== null && { at }) }, text)
    return count
  }

  /** Tells of registrations for what is not there. */
  checkRegistrations(hooks: Hooks, registry: HookRegistry): void {
    const check = new RegistrationChecker()
    hooks.registrations_checked.call(check)
    const misfits = check.misfits(registry).map(({ registrant, text }) => {
      const { plugin } = registrant
      return { plugin, text: `${plugin} ${text}`, at: registrant.at() }
    })
    this.#warn(misfits)
  }

  /** Logs each sentence once. */
  #warn(advice: readonly Advice[]): void {
    const distinct = new Map(advice.map((one) => [`${one.plugin} ${one.text} ${one.at}`, one]))
    for (const { plugin, at = null, text } of distinct.values())
      this.#log.warn({ plugin, ...(at !== null && { at }) }, text)
  }
}

/** The plugins that one names in `after` and `uses`, which are not there, though nearly. */
function misspeltIn({ name: plugin, after = [], uses = [] }: AnyPlugin, names: ReadonlySet<string>): Advice[] {
  return Object.entries({ after, uses }).flatMap(([list, named]) =>
    named.flatMap((name) => {
      const near = names.has(name) ? '' : suggest(name, names)
      if (near === '') return []
      return [{ plugin, text: `${plugin} names ${name} in ${list}, which is not there: did you mean ${near}?` }]
    }),
  )
}
