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
   * What a user may know of changes, one for each, in their order. The number of SQL statements must not depend on how many
   * they are.
   */
  read(user: CurrentUser, changes: readonly Change[]): Awaitable<readonly SeenSides[]>
}

/** Readers that decide what users see of changes, by kind. */
export interface ChangeReaders {
  /** Sets the reader of a kind, replacing an earlier one. It is removed with its plugin. @returns removes it */
  set(kind: string, reader: ChangeReader): () => void
  /** The reader of a kind; undefined if there is none. */
  get(kind: string): ChangeReader | undefined
}
