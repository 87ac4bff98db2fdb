import type { ArgumentSchema } from '../../../kernel/index.ts'
import type { Ability, Actions, ActionSpec, NoInput } from '../actions/index.ts'

/** Declaration of an ability: an action with the slug of a registered category. */
export type AbilitySpec<
  I extends ArgumentSchema = ArgumentSchema,
  O extends ArgumentSchema = ArgumentSchema,
> = ActionSpec<I, O> & { readonly category: string }

/** A category of abilities. */
export interface AbilityCategory {
  /** Lowercase letters, digits and dashes. */
  readonly slug: string
  readonly label: string
  readonly description: string
  /** Additional data for clients. */
  readonly meta: Readonly<Record<string, unknown>>
}

/** The abilities of the site: operations of plugins that programs can discover and run. */
export interface Abilities {
  /**
   * Registers a category until its plugin is removed.
   * @throws ABILITY_INVALID, ABILITY_CATEGORY_TAKEN
   */
  registerCategory(slug: string, category: Omit<AbilityCategory, 'slug' | 'meta'> & Partial<AbilityCategory>): void
  /**
   * Registers an ability-only action, which has neither a command nor an action route, until its plugin is removed.
   * Actions of `actions.register` are abilities too, unless they set `show_in_rest: false`.
   * @param name plugin and operation: `garden/water-plant`
   * @throws ABILITY_INVALID for an unregistered category; ACTION_INVALID, ACTION_TAKEN
   */
  register<const I extends ArgumentSchema = NoInput, const O extends ArgumentSchema = Record<never, never>>(
    name: string,
    ability: AbilitySpec<I, O>,
  ): void
  /** Lists the abilities that clients may see: see `actions.abilities`. */
  list(): Ability[]
  /** Whether a user may run an ability: see `actions`. @throws action_not_found */
  mayExecute: Actions['mayExecute']
  /** Runs an ability: see `actions`. */
  execute: Actions['execute']
  /** Categories in the order of registration, followed by categories that are used by actions but not registered. */
  categories(): AbilityCategory[]
}
