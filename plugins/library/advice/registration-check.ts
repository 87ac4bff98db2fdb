import { addDeprecatedMembers } from '../deprecated-names/index.ts'
import type { HookRegistry } from '../../../kernel/hooks/registry.ts'
import type { Registrant } from '../../../kernel/index.ts'
import { hint } from '../suggestions/index.ts'
import { pluginTaps } from './describe-hooks.ts'

/** A registration for an unknown hook or type. */
export interface Misfit {
  readonly registrant: Registrant
  readonly text: string
}

/** An object type that the REST API serves. */
export interface ServedObjects {
  /** Name of the type in registered fields. */
  readonly objectType: string
  /** Name of the type in hooks of families. */
  readonly hookName: string
  /** Returns the names of the properties of its items, without fields of plugins. */
  properties(): readonly string[]
}

/**
 * Argument of taps of `registrations_checked`: they declare existing types, and report registrations for unknown ones.
 */
export interface RegistrationCheck {
  /** Object types that the REST API serves, as named in fields: `post`, `tag`, `user`. */
  readonly objectTypes: ReadonlySet<string>
  /** Returns the names of the properties of a type's items, without fields of plugins. */
  propertiesOf(this: void, type: string): readonly string[]
  /** Adds object types that the REST API serves. */
  serve(types: readonly ServedObjects[]): void
  /**
   * Declares existing object types, whether the REST API serves them or not.
   * @param synonyms correct names by other names that authors use: `{ post_tag: 'tag' }`
   */
  declare(types: Iterable<string>, synonyms?: Readonly<Record<string, string>>): void
  /** Returns whether an object type exists. */
  isKnown(type: string): boolean
  /** Logs a warning about a registration, after all taps have run. Registrations of default plugins are not reported. */
  warn(registrant: Registrant | undefined, text: string): void
  /** Returns the end of a message about an unknown type, with the most similar known one. */
  unknownType(type: string, knownTypes?: Iterable<string>): string
  /** @deprecated Use `declare`. */
  readonly know: RegistrationCheck['declare']
  /** @deprecated Use `warn`. */
  readonly tell: RegistrationCheck['warn']
}

/**
 * Finds registrations for unknown hooks and types after all plugins have registered theirs: a tap of
 * `rest_prepare_psot`, a taxonomy of an unregistered type. They are warnings, not errors, because the type can belong
 * to a disabled plugin.
 */
export class RegistrationChecker implements RegistrationCheck {
  readonly #served: ServedObjects[] = []
  readonly #types = new Set<string>()
  readonly #synonyms: Record<string, string> = {}
  readonly #misfits: Misfit[] = []

  /** @deprecated Use `declare`. */
  declare readonly know: RegistrationCheck['declare']

  /** @deprecated Use `warn`. */
  declare readonly tell: RegistrationCheck['warn']

  get objectTypes(): ReadonlySet<string> {
    return new Set(this.#served.map(({ objectType }) => objectType))
  }

  readonly propertiesOf = (type: string): readonly string[] =>
    this.#served.filter(({ objectType }) => objectType === type).flatMap((one) => one.properties())

  serve(types: readonly ServedObjects[]): void {
    this.#served.push(...types)
    this.declare(types.map(({ objectType }) => objectType))
  }

  declare(types: Iterable<string>, synonyms: Readonly<Record<string, string>> = {}): void {
    for (const type of types) this.#types.add(type)
    Object.assign(this.#synonyms, synonyms)
  }

  isKnown(type: string): boolean {
    return this.#types.has(type)
  }

  warn(registrant: Registrant | undefined, text: string): void {
    if (registrant !== undefined && !registrant.trusted) this.#misfits.push({ registrant, text })
  }

  unknownType(type: string, knownTypes: Iterable<string> = this.#types): string {
    return `"${type}", which does not exist${hint(type, [...knownTypes], this.#synonyms)}`
  }

  /** Returns the reported registrations, and taps that never run. @internal */
  misfits(registry: HookRegistry): readonly Misfit[] {
    const { objectTypes } = this
    const hookNames = new Set(this.#served.map(({ hookName }) => hookName))
    for (const { hook, member, hasRun, types, registrant } of pluginTaps(registry)) {
      if (member !== null && !hasRun && !hookNames.has(member.key) && !objectTypes.has(member.key)) {
        const unserved = this.#types.has(member.key)
          ? ' (it is not served by the REST API: show_in_rest)'
          : hint(member.key, [...hookNames], this.#synonyms)
        this.warn(registrant, `taps ${hook}, but nothing runs the hook ${member.family} for "${member.key}"${unserved}`)
      }
      const unknown = types.find((type) => !this.#types.has(type))
      if (unknown !== undefined) this.warn(registrant, `taps ${hook} for the type ${this.unknownType(unknown)}`)
    }
    return this.#misfits
  }
}

addDeprecatedMembers(RegistrationChecker.prototype, 'check', { know: 'declare', tell: 'warn' })
