import type { CurrentUser } from '../../../kernel/index.ts'
import type { Change } from '../../storage/changes/index.ts'

/** A change as a user sees it. */
export interface SeenChange {
  /** ID of the change, in the order of commits. */
  readonly id: number
  /** Unix milliseconds. */
  readonly time: number
  /** `post`, `term`, `comment`, `user`, `option`, `table` or `tag`; `all` if everything must be read again. */
  readonly kind: string
  /** ID of the object; the name of an option or a table; '' for other kinds. */
  readonly object: number | string
  /** Content type, taxonomy or comment type; '' for other kinds. */
  readonly type: string
  /** An object that becomes visible to the user is a `create`, one that stops being visible is a `delete`. */
  readonly change: 'create' | 'update' | 'delete'
  /** The new status. */
  readonly status?: string
  /** The previous status. */
  readonly previous_status?: string
  readonly slug?: string
  /** Cache tags of the object, limited to tags that the user may know. */
  readonly tags: readonly string[]
}

export interface SeenChanges {
  /**
   * Returns the changes of objects that a user may read before or after the change, in their order. An object that becomes
   * readable is a create, one that stops being readable a delete. The number of SQL statements does not grow with the number
   * of changes.
   */
  seenBy(user: CurrentUser, changes: readonly Change[]): Promise<SeenChange[]>
}
