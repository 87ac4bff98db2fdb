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

/** What users may know of changes. */
export interface SeenChanges {
  /**
   * What a user may know of changes, in their order: those of what they may read, before or after; what came into their
   * sight is a create, what left it a delete. In a few statements, however many changes they are.
   */
  seenBy(user: CurrentUser, changes: readonly Change[]): Promise<SeenChange[]>
}
