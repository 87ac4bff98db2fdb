import type { Logger } from 'pino'
import type { Hooks } from './hooks/hook.ts'
import type { HookRegistry } from './hooks/registry.ts'
import type { Collision } from './ownership.ts'
import { placeIn } from './place.ts'
import type { AnyPlugin, ConfiguredPlugin } from './plugin.ts'
import { RegistrationChecker, type Misfit } from './registration-check.ts'
import { lacksOf, lackText } from './replacements.ts'
import { Controller } from './rest/controller.ts'
import { suggest } from './text/suggest.ts'

/** Tells the log of what authors surely did not mean, though the site runs with it. */
export class Advisor {
  readonly #log: Logger
  readonly #told = new Set<string>()

  constructor(log: Logger) {
    this.#log = log
  }

  /** What is told of registrations of a plugin that take the place of another plugin's. */
  collisionsOf(plugin: string): (collision: Collision) => void {
    return ({ kind, name, of }) => {
      const at = placeIn(new Error('here').stack)
      this.#log.warn(
        { plugin, of, ...(at !== null && { at }) },
        `${plugin} registers the ${kind} ${name}, which takes the place of that of ${of}: choose another name, or say override: true`,
      )
    }
  }

  /** Tells of what plugins lack in the place of a default, and of plugins that they name and that are surely misspelt. */
  tellOfPlugins(
    plugins: readonly ConfiguredPlugin[],
    defaults: readonly AnyPlugin[],
    registry: HookRegistry,
    serviceOf: (name: string) => unknown,
  ): void {
    const lacks = lacksOf(plugins, registry, (name) => serviceOf(name) !== undefined)
    for (const lack of lacks) this.#log.warn({ plugin: lack.plugin }, lackText(lack))
    const names = new Set([...plugins.map(({ slot }) => slot), ...defaults.map(({ name }) => name)])
    for (const { definition } of plugins) {
      for (const list of ['after', 'uses'] as const) {
        for (const name of definition[list] ?? []) {
          const near = names.has(name) ? '' : suggest(name, names)
          if (near === '') continue
          const { name: plugin } = definition
          this.#log.warn({ plugin }, `${plugin} names ${name} in ${list}, which is not there: did you mean ${near}?`)
        }
      }
    }
  }

  /** Tells of registrations for what is not there, each once. */
  checkRegistrations(hooks: Hooks, registry: HookRegistry): void {
    const check = new RegistrationChecker(Controller.served(hooks))
    hooks.registrations_checked.call(check)
    this.#tell(check.misfits(registry))
  }

  #tell(misfits: readonly Misfit[]): void {
    for (const { registrant, text } of misfits) {
      const { plugin } = registrant
      const at = registrant.at()
      const key = `${plugin} ${text} ${at}`
      if (this.#told.has(key)) continue
      this.#told.add(key)
      this.#log.warn({ plugin, ...(at !== null && { at }) }, `${plugin} ${text}`)
    }
  }
}
