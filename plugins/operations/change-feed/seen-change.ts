import type { CurrentUser } from '../../../kernel/index.ts'
import type { Change } from '../../storage/changes/index.ts'

/** A change, as a user is told of it. */
export interface SeenChange {
  /** Number of the change, in the order of commits. */
  readonly id: number
  /** Unix milliseconds. */
  readonly time: number
  /** `post`, `term`, `comment`, `user`, `option`, `table`, `tag`; `all` where so much has changed that all is to be read anew. */
  readonly kind: string
  /** ID of the object; the name of an option or a table; '' for others. */
  readonly object: number | string
  /** Content type, taxonomy, type of the comment; '' for others. */
  readonly type: string
  /** What came into the user's sight is a create, what left it a delete. */
  readonly change: 'create' | 'update' | 'delete'
  /** The status that the object has. */
  readonly status?: string
  /** The status that it had. */
  readonly previous_status?: string
  readonly slug?: string
  /** What caches know it by, as far as the user may know of that. */
  readonly tags: readonly string[]
}

/** The changes as each user may see them. */
export interface SeenChanges {
  /**
   * Returns the changes of objects that a user may read before or after the change, in their order. An object that becomes
   * readable is a create, one that stops being readable a delete. The number of SQL statements does not grow with the number
   * of changes.
   */
  seenBy(user: CurrentUser, changes: readonly Change[]): Promise<SeenChange[]>
}
