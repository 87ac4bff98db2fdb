import type { ItemList } from '../../resources/index.ts'
import type { Row } from '../../storage/store/index.ts'

/** A comment as it is stored, and what is shown of it beyond its row. */
export interface Comment extends Row<'comments'> {
  /** Email address of the account that wrote it; null where none did. */
  account_email: string | null
  /** 1 where approved comments reply to it, or notes to a note, else 0. */
  answered: number
}

/** The state of a comment: `1` approved, `0` held for moderation, `spam`, `trash`. */
export type CommentState = '1' | '0' | 'spam' | 'trash'

/** What may change of a comment, as it is stored. */
export interface CommentChange extends Partial<Omit<Row<'comments'>, 'id' | 'approved' | 'type' | 'karma'>> {
  /** The new state; `previous` takes a comment out of the trash, or out of spam, as what it was before. */
  approved?: CommentState | 'previous'
}

/** A comment about to be stored. Without a state it is moderated by the settings of the site. */
export interface NewComment extends Required<Omit<CommentChange, 'approved'>> {
  approved?: CommentState
  type: string
}

/** Comments, and how many there are without `limit` and `offset`. */
export interface CommentList extends ItemList<Comment> {
  items: Comment[]
  total: number
}
