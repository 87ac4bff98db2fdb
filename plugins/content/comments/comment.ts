import type { ItemList } from '../../resources/index.ts'
import type { Row } from '../../storage/store/index.ts'

/** A stored comment with columns joined from other rows. */
export interface Comment extends Row<'comments'> {
  /** Email address of the author's account; null if a visitor wrote the comment. */
  account_email: string | null
  /** 1 if the comment has an approved reply, or the note a reply that is a note, else 0. */
  answered: number
}

/** The state of a comment: `1` approved, `0` held for moderation, `spam`, `trash`. */
export type CommentState = '1' | '0' | 'spam' | 'trash'

/** Changes of a comment, as stored. */
export interface CommentChange extends Partial<Omit<Row<'comments'>, 'id' | 'approved' | 'type' | 'karma'>> {
  /** The new state; `previous` restores the state before the comment was moved to trash or spam. */
  approved?: CommentState | 'previous'
}

/** A comment to create. Without `approved`, the site's moderation settings decide its state. */
export interface NewComment extends Required<Omit<CommentChange, 'approved'>> {
  approved?: CommentState
  type: string
}

/** A page of comments, and the total number of matching comments. */
export interface CommentList extends ItemList<Comment> {
  items: Comment[]
  total: number
}
