import type { ArgumentSchema } from '../../../kernel/index.ts'
import type { Ability, Actions, ActionSpec, NoInput } from '../actions/index.ts'

/** An ability as it is declared: an action with the slug of a registered category. */
export type AbilitySpec<
  I extends ArgumentSchema = ArgumentSchema,
  O extends ArgumentSchema = ArgumentSchema,
> = ActionSpec<I, O> & { readonly category: string }

/** What abilities are sorted by. */
export interface AbilityCategory {
  /** Small letters, digits and dashes. */
  readonly slug: string
  readonly label: string
  readonly description: string
  /** Whatever its plugin wants clients to know. */
  readonly meta: Readonly<Record<string, unknown>>
}

/** What the plugins of the site can do, for programs that ask what there is. */
export interface Abilities {
  /**
   * Registers a category until its plugin is removed.
   * @throws ABILITY_INVALID, ABILITY_CATEGORY_TAKEN
   */
  registerCategory(slug: string, category: Omit<AbilityCategory, 'slug' | 'meta'> & Partial<AbilityCategory>): void
  /**
   * Registers an action that is an ability alone, and neither a command nor a route of actions, until its plugin is removed.
   * Every other action that is a route is an ability, too.
   * @param name the plugin and what it does: `garden/water-plant`
   * @throws ABILITY_INVALID for a category that is not registered; ACTION_INVALID, ACTION_TAKEN
   */
  register<const I extends ArgumentSchema = NoInput, const O extends ArgumentSchema = Record<never, never>>(
    name: string,
    ability: AbilitySpec<I, O>,
  ): void
  /** Those that clients may see: see `actions.abilities`. */
  list(): Ability[]
  /** Whether somebody may run one: see `actions`. @throws action_not_found */
  mayExecute: Actions['mayExecute']
  /** Runs one: see `actions`. */
  execute: Actions['execute']
  /** The categories in the order of their registration, and after them those that only actions name. */
  categories(): AbilityCategory[]
}
