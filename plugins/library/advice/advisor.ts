import type { Logger } from 'pino'
import {
  currentOwner,
  dataOf,
  errors as kernelErrors,
  RestResponse,
  syncAction,
  type Advice,
  type AnyHook,
  type AnyPlugin,
  type ConfiguredPlugin,
  type Hooks,
  type Label,
  type Owner,
  type Registrant,
  type Services,
  type SyncAction,
} from '../../../kernel/index.ts'
import { hint, suggest } from '../suggestions/index.ts'
import type { HookRegistry } from '../../../kernel/hooks/registry.ts'
import { firstPlace } from './first-place.ts'
import { Family } from './family.ts'
import { placeIn, rememberPlace } from './place.ts'
import { resultMistake } from './check-result.ts'
import { checkRoute } from './check-route.ts'
import { errors } from './errors.ts'
import { refusePromise } from './find-promise.ts'
import { RegistrationChecker, type RegistrationCheck } from './registration-check.ts'
import { describeMissingParts, findMissingParts, replacementOf } from './replacements.ts'
import { adviceAbout } from './route-advice.ts'
import { checkTap } from './tap-mistake.ts'

declare module '../../../kernel/index.ts' {
  interface Hooks {
    /**
     * Sync action: all registrations are complete, at the start and whenever plugins have been added or removed.
     * Registries declare the existing types (`check.know`) and report registrations for others (`check.tell`), which
     * are logged as warnings. @since 0.1.0
     */
    registrations_checked: SyncAction<[check: RegistrationCheck]>
  }
}

/** A warning for the log, with its plugin and code location. */
interface Warning {
  readonly plugin: string
  readonly at?: string | null
  readonly text: string
}

/** Finds mistakes of plugin authors. */
export class Advisor implements Advice {
  readonly hooks: Advice['hooks'] = { registrations_checked: syncAction('check') }
  readonly checkRoute = checkRoute
  readonly checkTap = checkTap
  readonly rememberPlace = rememberPlace
  readonly createFamily: Advice['createFamily'] & object = (create, name) => new Family(create, name)
  readonly #log: Logger
  readonly #defaults: readonly AnyPlugin[]
  readonly #plugins: readonly ConfiguredPlugin[]

  /**
   * @param defaults default plugins
   * @param plugins plugins of the site, whether they have started or not
   */
  constructor(log: Logger, defaults: readonly AnyPlugin[], plugins: readonly ConfiguredPlugin[]) {
    this.#log = log
    this.#defaults = defaults
    this.#plugins = plugins
  }

  readonly routeAdded: Advice['routeAdded'] = (...route) => {
    for (const [facts, warning] of adviceAbout(...route)) this.#log.warn(facts, warning)
  }

  checkResult(result: unknown, owner: Owner | undefined, method: string, pattern: string): void {
    // Tests check the default plugins for this.
    if (owner?.trusted === false) refusePromise(dataOf(result), owner.name, `the response to ${method} ${pattern}`)
    const wrong = result instanceof RestResponse ? null : resultMistake(result)
    if (wrong !== null) throw errors.HANDLER_RETURNED_WRONG(method, pattern, wrong)
  }

  collided({ kind, name }: Label, by: Registrant, earlier: Registrant): void {
    const { plugin } = by
    const { plugin: of } = earlier
    const [at, first] = [by.at(), earlier.at()]
    this.#log.warn(
      { plugin, of, ...(at !== null && { at }), ...(first !== null && { first }) },
      of === plugin
        ? `${plugin} registers the ${kind} ${name} twice${firstPlace(first)}: remove one of the two, or rename one`
        : `${plugin} registers the ${kind} ${name}, which replaces the one of ${of}: choose another name, or set override: true`,
    )
  }

  nothingUntapped(plugin: string, hook: string, tap: string, hooks: Hooks): void {
    const { taps = [] } = hooks[hook as keyof Hooks] as Partial<AnyHook>
    const names = taps.map(({ name }) => name)
    const text = `${plugin} removes the tap ${tap} of ${hook}, which does not exist${hint(tap, names)}`
    this.#warn([{ plugin, at: placeIn(new Error('here').stack), text }])
  }

  readonly missingHook = (name: string, written: string, hookNames: readonly string[]): Error | null => {
    const found = replacementOf(this.#plugins, ({ hooks = {} }) => Object.hasOwn(hooks, name))
    if (found === undefined) return kernelErrors.HOOK_UNKNOWN(written, suggest(written, hookNames), currentOwner().name)
    return errors.HOOK_NOT_DECLARED(currentOwner().name, name, found.slot, found.definition.name)
  }

  missingService(name: string, serviceNames: readonly string[]): string {
    const provides = ({ provides: names = [] }: AnyPlugin) => (names as readonly string[]).includes(name)
    const found = replacementOf(this.#plugins, provides)
    return found === undefined
      ? hint(name, serviceNames)
      : `: ${found.definition.name}, in the place of ${found.slot}, does not`
  }

  /**
   * Warns about missing hooks and services of a started site, and about registrations for unknown hooks and types.
   * @param running names of the running plugins: optional plugins that are off are not checked
   */
  checkSite(registry: HookRegistry, services: Services, running: ReadonlySet<string>): void {
    const plugins = this.#plugins.filter(({ slot }) => running.has(slot))
    const isProvided = (name: string) => services[name as keyof Services] !== undefined
    const lacks = findMissingParts(plugins, registry, isProvided)
    const names = new Set([...this.#plugins.map(({ slot }) => slot), ...this.#defaults.map(({ name }) => name)])
    const unkept = plugins.flatMap(({ definition: { name: plugin, provides = [] } }) =>
      provides
        .filter((name) => !isProvided(name))
        .map((name) => ({ plugin, text: `${plugin} names ${name} in provides, but does not provide it` })),
    )
    const check = new RegistrationChecker()
    registry.hooks.registrations_checked.call(check)
    this.#warn([
      ...lacks.map((lack) => ({ plugin: lack.plugin, text: describeMissingParts(lack) })),
      ...unkept,
      ...plugins.flatMap(({ definition }) => findMisspelledNames(definition, names)),
      ...check.misfits(registry).map(({ registrant, text }) => {
        const { plugin } = registrant
        return { plugin, text: `${plugin} ${text}`, at: registrant.at() }
      }),
    ])
  }

  /** Logs each warning once. */
  #warn(warnings: readonly Warning[]): void {
    const distinct = new Map(warnings.map((one) => [`${one.plugin} ${one.text} ${one.at}`, one]))
    for (const { plugin, at = null, text } of distinct.values())
      this.#log.warn({ plugin, ...(at !== null && { at }) }, text)
  }
}

/** Returns warnings about misspelled plugins in `after` and `uses`. */
function findMisspelledNames(
  { name: plugin, after = [], uses = [] }: AnyPlugin,
  names: ReadonlySet<string>,
): Warning[] {
  return Object.entries({ after, uses }).flatMap(([list, named]) =>
    named.flatMap((name) => {
      const near = names.has(name) ? '' : suggest(name, names)
      if (near === '') return []
      return [{ plugin, text: `${plugin} lists ${name} in ${list}, which does not exist: did you mean ${near}?` }]
    }),
  )
}
