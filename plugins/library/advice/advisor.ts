import type { Logger } from 'pino'
import {
  currentOwner,
  dataOf,
  hint,
  RestResponse,
  suggest,
  syncAction,
  type Advice,
  type AnyPlugin,
  type ConfiguredPlugin,
  type Label,
  type Owner,
  type Registrant,
  type Services,
  type SyncAction,
} from '../../../kernel/index.ts'
import type { FamilyMaker, HookRegistry } from '../../../kernel/hooks/registry.ts'
import { firstPlace } from './first-place.ts'
import { Family } from './family.ts'
import { describeHooks } from './describe-hooks.ts'
import { placeIn, rememberPlace } from './place.ts'
import { resultMistake } from './check-result.ts'
import { checkRoute } from './check-route.ts'
import { errors } from './errors.ts'
import { refusePromise } from './find-promise.ts'
import { RegistrationChecker, type RegistrationCheck } from './registration-check.ts'
import { lackText, lacksOf, replacementOf } from './replacements.ts'
import { adviceAbout } from './route-advice.ts'
import { checkTap } from './tap-mistake.ts'

declare module '../../../kernel/index.ts' {
  interface Hooks {
    /**
     * Sync action: everything is registered, at the start and whenever plugins have come or gone. Registries say which types
     * there are (`check.know`), and tell of what was registered for others (`check.tell`), which the log warns of.
     * @since 0.1.0
     */
    registrations_checked: SyncAction<[check: RegistrationCheck]>
  }
}

/** A sentence for the log, and the plugin and the place it is about. */
interface Warning {
  readonly plugin: string
  readonly at?: string | null
  readonly text: string
}

/** Finds the mistakes of plugin authors on one site. */
export class Advisor implements Advice {
  readonly hooks: Advice['hooks'] = { registrations_checked: syncAction('check') }
  readonly checkRoute = checkRoute
  readonly checkTap = checkTap
  readonly rememberPlace = rememberPlace
  readonly createFamily: FamilyMaker = (create, name) => new Family(create, name)
  readonly #log: Logger
  readonly #defaults: readonly AnyPlugin[]
  readonly #plugins: readonly ConfiguredPlugin[]

  /**
   * @param defaults the plugins that run unless the config says otherwise
   * @param plugins those of the site, whether they have started or not
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
    // Default plugins are tested for it.
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
        : `${plugin} registers the ${kind} ${name}, which takes the place of that of ${of}: choose another name, or say override: true`,
    )
  }

  nothingUntapped(plugin: string, hook: string, tap: string, registry: HookRegistry): void {
    const taps = describeHooks(registry)
      .filter(({ name }) => name === hook)
      .flatMap((listed) => listed.taps.map(({ name }) => name))
    const text = `${plugin} takes the tap ${tap} of ${hook} away, which is not there${hint(tap, taps)}`
    this.#warn([{ plugin, at: placeIn(new Error('here').stack), text }])
  }

  readonly missingHook = (name: string): Error | null => {
    const found = replacementOf(this.#plugins, ({ hooks = {} }) => Object.hasOwn(hooks, name))
    if (found === undefined) return null
    return errors.HOOK_NOT_DECLARED(currentOwner().name, name, found.slot, found.definition.name)
  }

  missingService(name: string): string | null {
    const provides = ({ provides: names = [] }: AnyPlugin) => (names as readonly string[]).includes(name)
    const found = replacementOf(this.#plugins, provides)
    return found === undefined ? null : `: ${found.definition.name}, in the place of ${found.slot}, does not`
  }

  /** Warns about what is missing on a site that has started, and about registrations for what is not there. */
  checkSite(registry: HookRegistry, services: Services): void {
    const isProvided = (name: string) => services[name as keyof Services] !== undefined
    const lacks = lacksOf(this.#plugins, registry, isProvided)
    const names = new Set([...this.#plugins.map(({ slot }) => slot), ...this.#defaults.map(({ name }) => name)])
    const unkept = this.#plugins.flatMap(({ definition: { name: plugin, provides = [] } }) =>
      provides
        .filter((name) => !isProvided(name))
        .map((name) => ({ plugin, text: `${plugin} names ${name} in provides, and does not provide it` })),
    )
    const check = new RegistrationChecker()
    registry.hooks.registrations_checked.call(check)
    this.#warn([
      ...lacks.map((lack) => ({ plugin: lack.plugin, text: lackText(lack) })),
      ...unkept,
      ...this.#plugins.flatMap(({ definition }) => misspeltIn(definition, names)),
      ...check.misfits(registry).map(({ registrant, text }) => {
        const { plugin } = registrant
        return { plugin, text: `${plugin} ${text}`, at: registrant.at() }
      }),
    ])
  }

  /** Logs each sentence once. */
  #warn(warnings: readonly Warning[]): void {
    const distinct = new Map(warnings.map((one) => [`${one.plugin} ${one.text} ${one.at}`, one]))
    for (const { plugin, at = null, text } of distinct.values())
      this.#log.warn({ plugin, ...(at !== null && { at }) }, text)
  }
}

/** The plugins that one names in `after` and `uses`, which are not there, though nearly. */
function misspeltIn({ name: plugin, after = [], uses = [] }: AnyPlugin, names: ReadonlySet<string>): Warning[] {
  return Object.entries({ after, uses }).flatMap(([list, named]) =>
    named.flatMap((name) => {
      const near = names.has(name) ? '' : suggest(name, names)
      if (near === '') return []
      return [{ plugin, text: `${plugin} names ${name} in ${list}, which is not there: did you mean ${near}?` }]
    }),
  )
}
