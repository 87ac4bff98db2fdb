import type { HookRegistry } from '../../../kernel/hooks/registry.ts'
import { hint, type Registrant } from '../../../kernel/index.ts'
import { pluginTaps } from './describe-hooks.ts'

/** Something that a plugin registered for what is not there. */
export interface Misfit {
  readonly registrant: Registrant
  readonly text: string
}

/** An object type that the REST API serves. */
export interface ServedObjects {
  /** The name that registered fields use. */
  readonly objectType: string
  /** The name that hooks of families use. */
  readonly hookName: string
  /** Names of the properties of its items, without those that plugins add. */
  properties(): readonly string[]
}

/** What taps of `registrations_checked` are given: they say what there is, and tell of what was registered for nothing. */
export interface RegistrationCheck {
  /** What the REST API serves, as fields name it: `post`, `tag`, `user`. */
  readonly objectTypes: ReadonlySet<string>
  /** Names of the properties that items of a type have without those that plugins add. */
  propertiesOf(this: void, type: string): readonly string[]
  /** Adds object types that the REST API serves. */
  serve(types: readonly ServedObjects[]): void
  /**
   * Says that there are objects of these types, whether the REST API serves them or not.
   * @param meant other names that authors may give them, with the right ones: `{ post_tag: 'tag' }`
   */
  know(types: Iterable<string>, meant?: Readonly<Record<string, string>>): void
  /** Whether there are objects of a type. */
  isKnown(type: string): boolean
  /** Logs a warning about a registration, after all taps have run. Registrations of default plugins are not reported. */
  tell(registrant: Registrant | undefined, text: string): void
  /** Returns the end of a sentence about an unknown type, with the most similar known type. */
  unknownType(type: string, among?: Iterable<string>): string
}

/**
 * Finds registrations for unknown hooks and types once all plugins have registered theirs: a tap of `rest_prepare_psot`, a
 * taxonomy of an unregistered type. They are warnings, not errors, because the type may belong to a plugin that is off.
 */
export class RegistrationChecker implements RegistrationCheck {
  readonly #served: ServedObjects[] = []
  readonly #types = new Set<string>()
  readonly #meant: Record<string, string> = {}
  readonly #misfits: Misfit[] = []

  get objectTypes(): ReadonlySet<string> {
    return new Set(this.#served.map(({ objectType }) => objectType))
  }

  readonly propertiesOf = (type: string): readonly string[] =>
    this.#served.filter(({ objectType }) => objectType === type).flatMap((one) => one.properties())

  serve(types: readonly ServedObjects[]): void {
    this.#served.push(...types)
    this.know(types.map(({ objectType }) => objectType))
  }

  know(types: Iterable<string>, meant: Readonly<Record<string, string>> = {}): void {
    for (const type of types) this.#types.add(type)
    Object.assign(this.#meant, meant)
  }

  isKnown(type: string): boolean {
    return this.#types.has(type)
  }

  tell(registrant: Registrant | undefined, text: string): void {
    if (registrant !== undefined && !registrant.trusted) this.#misfits.push({ registrant, text })
  }

  unknownType(type: string, among: Iterable<string> = this.#types): string {
    return `"${type}", which is not there${hint(type, [...among], this.#meant)}`
  }

  /** What was told, and the taps that are never called. @internal */
  misfits(registry: HookRegistry): readonly Misfit[] {
    const { objectTypes } = this
    const hookNames = new Set(this.#served.map(({ hookName }) => hookName))
    for (const { hook, member, hasRun, types, registrant } of pluginTaps(registry)) {
      if (member !== null && !hasRun && !hookNames.has(member.key) && !objectTypes.has(member.key)) {
        const unserved = this.#types.has(member.key)
          ? ' (it is not served by the REST API: show_in_rest)'
          : hint(member.key, [...hookNames], this.#meant)
        this.tell(registrant, `taps ${hook}, but nothing runs the hook ${member.family} for "${member.key}"${unserved}`)
      }
      const unknown = types.find((type) => !this.#types.has(type))
      if (unknown !== undefined) this.tell(registrant, `taps ${hook} for the type ${this.unknownType(unknown)}`)
    }
    return this.#misfits
  }
}
