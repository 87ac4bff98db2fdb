import { NOTE } from '../../../content/comments/index.ts'
import type { ImportContext } from '../context.ts'
import { OBJECT_COLUMNS } from '../old-sites/object-state.ts'

const POST_COLUMNS = ['id', 'comment_count', ...OBJECT_COLUMNS.post] as const
const COMMENT_COLUMNS = ['id', ...OBJECT_COLUMNS.comment] as const
const LINK_COLUMNS = ['post_id', 'term_id', 'position', 'post_type', 'post_status', 'post_date'] as const

/** Rows of several items, which are inserted together. */
export class Batch {
  readonly posts: unknown[][] = []
  readonly meta: unknown[][] = []
  /** Terms of posts. */
  readonly links: unknown[][] = []
  readonly comments: unknown[][] = []
  readonly commentMeta: unknown[][] = []
  /** Existing posts that get new comments. */
  readonly commented: number[] = []

  async write(context: ImportContext): Promise<void> {
    await context.insert('posts', POST_COLUMNS, this.posts)
    await context.insert('post_meta', ['post_id', 'key', 'value', 'json'], this.meta)
    await context.insert('term_relationships', LINK_COLUMNS, this.links)
    await context.insert('comments', COMMENT_COLUMNS, this.comments)
    await context.insert('comment_meta', ['comment_id', 'key', 'value', 'json'], this.commentMeta)
    for (const id of this.commented) await countComments(context, id)
  }
}

async function countComments({ tx }: ImportContext, id: number): Promise<void> {
  const approved = tx.db
    .selectFrom('comments')
    .select((of) => of.fn.countAll<number>().as('total'))
    .where('post_id', '=', id)
    .where('approved', '=', '1')
    .where('type', '<>', NOTE)
  await tx.run(tx.db.updateTable('posts').set({ comment_count: approved }).where('id', '=', id))
}
