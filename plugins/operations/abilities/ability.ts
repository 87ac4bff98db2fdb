import type { ArgumentSchema } from '../../../kernel/index.ts'
import type { ActionDescription, Actions, ActionSpec, NoInput } from '../actions/index.ts'

/** An ability as it is declared: an action, and whether it is meant for anybody. */
export type AbilitySpec<
  I extends ArgumentSchema = ArgumentSchema,
  O extends ArgumentSchema = ArgumentSchema,
> = ActionSpec<I, O> & {
  /** Slug of a registered category. */
  readonly category: string
  /** Whether programs may offer it without having been told of it by name; false by default. */
  readonly public?: boolean
}

/** What abilities are sorted by. */
export interface AbilityCategory {
  /** Small letters, digits and dashes. */
  readonly slug: string
  readonly label: string
  readonly description: string
  /** Whatever its plugin wants clients to know. */
  readonly meta: Readonly<Record<string, unknown>>
}

/** An ability as programs read it. */
export interface Ability extends ActionDescription {
  readonly public: boolean
}

/** What the plugins of the site can do, for programs that ask what there is. */
export interface Abilities {
  /**
   * Registers a category until its plugin is removed.
   * @throws ABILITY_INVALID, ABILITY_CATEGORY_TAKEN
   */
  registerCategory(slug: string, category: Omit<AbilityCategory, 'slug' | 'meta'> & Partial<AbilityCategory>): void
  /**
   * Registers an ability until its plugin is removed. It is declared and checked as an action is, but is neither a command
   * nor a route of actions. What is to be all of that is registered as an action, which is an ability, too.
   * @param name the plugin and what it does: `garden/water-plant`
   * @throws ABILITY_INVALID for a category that is not registered; ACTION_INVALID, ACTION_TAKEN
   */
  register<const I extends ArgumentSchema = NoInput, const O extends ArgumentSchema = Record<never, never>>(
    name: string,
    ability: AbilitySpec<I, O>,
  ): void
  /** Those that clients may see, in the order of their registration, and after them the actions that are routes. */
  list(): Ability[]
  /** Whether somebody may run one: see `actions`. @throws action_not_found */
  mayExecute: Actions['mayExecute']
  /** Runs one: see `actions`. */
  execute: Actions['execute']
  /** The categories in the order of their registration, and after them those that only actions name. */
  categories(): AbilityCategory[]
}
