import type { Comment, CommentQuery } from '../../../content/comments/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import { pageAround, type CommentsPage } from '../page-context.ts'
import type { Rendering } from '../renderer.ts'

/** The most comments that are shown on one page, and levels of replies where the page does not say it. */
const MAX_COMMENTS_PER_PAGE = 500
const MOST_LEVELS = 5
/** Replies to replies that are followed: each costs a statement. */
const MAX_REPLY_LEVELS = 30

/** The comments on a post that are shown, the oldest first, and how many levels of them. */
interface ShownComments {
  readonly comments: readonly Comment[]
  readonly levels: number
}

/** The approved comments on a post: on a page of the site those of the page of comments that is asked for. */
export async function commentsOn(post: Post, rendering: Rendering): Promise<ShownComments> {
  const { plugin, scope } = rendering
  const around = pageAround(rendering)
  const page = around?.post?.id === post.id ? around.comments : null
  const query = {
    // Whether the post may be shown has been asked already.
    visibility: null,
    posts: [post.id],
    approved: ['1'],
    types: ['comment', 'pingback', 'trackback'],
    orderby: 'date_gmt',
    order: 'asc',
    limit: MAX_COMMENTS_PER_PAGE,
  } as const
  const levels = page?.levels ?? MOST_LEVELS
  if (page !== null && page.perPage !== null)
    return { comments: await onPage(query, page, page.perPage, rendering), levels }
  const { items } = await plugin.services.comments.query(query, scope)
  return { comments: page?.order === 'desc' ? newestFirst(items) : items, levels }
}

/** A page of the comments that are no replies, and the replies to them. */
async function onPage(
  query: CommentQuery,
  { page, order }: CommentsPage,
  perPage: number,
  { plugin, scope }: Rendering,
): Promise<readonly Comment[]> {
  const { comments } = plugin.services
  const { items } = await comments.query(
    { ...query, parents: [0], order, limit: perPage, offset: (page - 1) * perPage },
    scope,
  )
  const all = [...items]
  let parents = items.map(({ id }) => id)
  for (
    let depth = 0;
    parents.length > 0 && all.length < MAX_COMMENTS_PER_PAGE && depth < MAX_REPLY_LEVELS;
    depth += 1
  ) {
    const replies = await comments.query({ ...query, parents, limit: MAX_COMMENTS_PER_PAGE - all.length }, scope)
    all.push(...replies.items)
    parents = replies.items.map(({ id }) => id)
  }
  return all
}

/** Comments that are no replies from the newest on; replies stay in their order. */
function newestFirst(comments: readonly Comment[]): readonly Comment[] {
  const isReply = ({ parent_id: parent }: Comment) => parent !== 0
  return [...comments.filter((comment) => !isReply(comment)).toReversed(), ...comments.filter(isReply)]
}

/** At which level each comment of what is rendered stands, from 1; filled before the blocks of comments are rendered. */
export function levelsOf({ scope }: Rendering): Map<number, number> {
  return scope.get('core-blocks: levels of comments', () => new Map<number, number>())
}
