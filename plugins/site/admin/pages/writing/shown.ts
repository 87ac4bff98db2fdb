import type { Draft } from './draft.ts'
import type { Item, Kind } from './item.ts'

/** The data of the editor form. */
export interface Shown {
  readonly kind: Kind
  /** Null for a new post. */
  readonly item: Item | null
  readonly draft: Draft
  /** Entity tag of the version that the user opened; `''` for a new post. */
  readonly tag: string
  /** Messages by field. */
  readonly errors: Readonly<Record<string, string>>
  /** Name of another user who currently edits the post, or null. */
  readonly lockedBy: string | null
}
