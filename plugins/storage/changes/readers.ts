import type { Awaitable, CurrentUser } from '../../../kernel/index.ts'
import type { Change } from '../store/index.ts'

/** What a user may know of an object as it was, or is. */
export interface SeenState {
  /** Content type, taxonomy, type of the comment. */
  readonly type?: string
  readonly status?: string
  readonly slug?: string
}

/** What a user may know of a change. */
export interface SeenSides {
  /** The object as it was; null where it was not there, or the user could not read it. */
  readonly before: SeenState | null
  /** The object as it is; null where it is not there, or the user cannot read it. */
  readonly after: SeenState | null
  /** Those of its tags that tell nothing else than what the user may know. */
  readonly tags: readonly string[]
}

/** Says what users may know of changes of one kind. */
export interface ChangeReader {
  /**
   * The part of each change that a user may see: one result for each change, in their order. The number of SQL statements
   * must not grow with the number of changes.
   */
  read(user: CurrentUser, changes: readonly Change[]): Awaitable<readonly SeenSides[]>
}

/**
 * Readers that decide what users see of changes, by key. A key is a kind such as `post`, or a kind with a name, which goes
 * before its kind: `post:TYPE`, `term:TAXONOMY`, `option:NAME`, `table:NAME`, and `tag:WORD` for touched tags that begin with
 * `WORD:`.
 */
export interface ChangeReaders {
  /** Sets the reader of a key, replacing an earlier one. It is removed with its plugin. @returns removes it */
  set(key: string, reader: ChangeReader): () => void
  /** The reader of a key; undefined if there is none. */
  get(key: string): ChangeReader | undefined
}

/** Reader of changes that every user may see: of an option, a table or a tag that responses to visitors depend on. */
export const VISIBLE_TO_ALL: ChangeReader = {
  read: (_, changes) => changes.map(({ change, tags }) => wholeChange(change, tags)),
}

/** All that there is to know of a change without facts. */
export function wholeChange(change: Change['change'], tags: readonly string[]): SeenSides {
  return { before: change === 'create' ? null : {}, after: change === 'delete' ? null : {}, tags }
}

/**
 * Two sides without glimpses where the user knows one of them whole: an object that is only glimpsed after a change has left
 * their sight. A glimpse is a state without a slug. An object that changes its type is not followed.
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
