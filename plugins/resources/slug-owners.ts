import {
  applyFilter,
  filter,
  isUsed,
  type Awaitable,
  type Filter,
  type HookSpecs,
  type PluginContext,
} from '../../kernel/index.ts'

/** The object that is about to get a slug. */
export interface WantedSlug {
  readonly kind: 'post' | 'term'
  /** Content type or taxonomy. */
  readonly type: string
  /** ID of the object; 0 for a new one. */
  readonly id: number
  /** ID of its parent; 0 for none. */
  readonly parent: number
  /** Slugs in question; the object gets the first free one. For a new term, also the slugs of terms with its name. */
  readonly slugs: readonly string[]
  /** Term IDs by taxonomy that the write gives a post. Other terms of a stored post stay as they are. */
  readonly terms: ReadonlyMap<string, readonly number[]>
  /** Facts that plugins pass with a term (`NewTerm.facts`), such as its language. */
  readonly facts: Readonly<Record<string, unknown>>
}

/** A stored object that has one of the slugs, so that no other object can have it. */
export interface SlugOwner {
  /** ID of a post or term; 0 if a plugin reserves the slug. */
  readonly id: number
  readonly slug: string
}

interface SlugHooks {
  /**
   * Filter: the stored objects that prevent a post or a term from getting a slug. A tap leaves out objects that can share
   * the slug, such as translations, and adds `{ id: 0, slug }` to reserve one. Runs in the transaction of the write, and
   * for the generated slugs that editors see. `site_url_resolution` decides which of several objects with one slug a URL
   * shows. @since 0.1.0
   */
  slug_owners: Filter<readonly SlugOwner[], [wanted: WantedSlug], 'type'>
}

declare module '../../kernel/index.ts' {
  interface Hooks extends SlugHooks {}
}

export const slugHooks: HookSpecs<SlugHooks> = {
  slug_owners: {
    ...filter('owners', 'wanted'),
    accepts: Array.isArray,
    about: { type: (_owners, { type }) => type },
  },
}

/**
 * Returns the objects that prevent an object from getting a slug, after taps of `slug_owners`; without taps `owners`.
 * @param hook the hook of the plugin's context
 * @param owners stored objects of the same kind with one of the slugs
 * @param type content type or taxonomy of the object
 * @param wanted returns the object; called only for taps
 * @returns a promise only if a tap waits
 */
export function slugOwners(
  hook: PluginContext['hooks']['slug_owners'],
  owners: readonly SlugOwner[],
  type: string,
  wanted: () => WantedSlug,
): Awaitable<readonly SlugOwner[]> {
  return isUsed(hook, { type }) ? applyFilter(hook, owners, wanted()) : owners
}
