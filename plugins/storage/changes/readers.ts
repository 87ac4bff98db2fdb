import type { Awaitable, CurrentUser } from '../../../kernel/index.ts'
import type { Change } from '../store/index.ts'

/** The part of an object's state that a user can see, before or after a change. */
export interface SeenState {
  /** Content type, taxonomy or comment type. */
  readonly type?: string
  readonly status?: string
  readonly slug?: string
}

/** The part of a change that a user can see. */
export interface SeenSides {
  /** The object before the change; null if it did not exist or the user could not read it. */
  readonly before: SeenState | null
  /** The object after the change; null if it does not exist or the user cannot read it. */
  readonly after: SeenState | null
  /** The tags of the change that reveal nothing beyond `before` and `after`. */
  readonly tags: readonly string[]
}

/** Decides which parts of changes users see, for one kind. */
export interface ChangeReader {
  /**
   * Returns the part of each change that a user can see: one result per change, in the same order. The number of SQL
   * statements must not grow with the number of changes.
   */
  read(user: CurrentUser, changes: readonly Change[]): Awaitable<readonly SeenSides[]>
}

/**
 * Readers of changes by key: they decide which parts users see. A key is a kind such as `post`, or a kind with a name, which
 * takes precedence over its kind: `post:TYPE`, `term:TAXONOMY`, `option:NAME`, `table:NAME`, and `tag:WORD` for touched
 * tags that begin with `WORD:`.
 */
export interface ChangeReaders {
  /**
   * Sets the reader of a key, replacing an earlier one. It is removed with its plugin. @returns a function that removes
   * it
   */
  set(key: string, reader: ChangeReader): () => void
  /** Returns the reader of a key, or undefined. */
  get(key: string): ChangeReader | undefined
}

/** Shows changes to every user: for an option, a table or a tag that public responses depend on. */
export const VISIBLE_TO_ALL: ChangeReader = {
  read: (_, changes) => changes.map(({ change, tags }) => wholeChange(change, tags)),
}

/** Returns the full view of a change that has no facts. */
export function wholeChange(change: Change['change'], tags: readonly string[]): SeenSides {
  return { before: change === 'create' ? null : {}, after: change === 'delete' ? null : {}, tags }
}

/**
 * Replaces a side of a change (before, after) with null, as if the object did not exist there, if the user only
 * glimpsed the object on that side (saw it without its slug) and saw the whole object on the other side. If the change
 * gives the object another type, glimpses on both sides are replaced.
 */
export function withoutGlimpses(
  { before: was, after: is }: Pick<Change, 'before' | 'after'>,
  sides: readonly (SeenState | null)[],
): [SeenState | null, SeenState | null] {
  const [before = null, after = null] = sides
  const isCrossing = was !== null && is !== null && was['type'] !== is['type']
  const isWhole = (side: SeenState | null) => side?.slug !== undefined
  if (!isCrossing && !isWhole(before) && !isWhole(after)) return [before, after]
  return [isWhole(before) ? before : null, isWhole(after) ? after : null]
}
