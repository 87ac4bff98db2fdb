import type { Comment, CommentQuery } from '../../../content/comments/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import { pageAround, type CommentsPage } from '../page-context.ts'
import type { Rendering } from '../renderer.ts'

/** Maximum comments on one page, and default nesting levels. */
const MAX_COMMENTS_PER_PAGE = 500
const DEFAULT_LEVELS = 5
/** Maximum depth of replies that is read: each level costs one statement. */
const MAX_REPLY_LEVELS = 30

/** Comments to show, oldest first, and the number of nesting levels. */
interface ShownComments {
  readonly comments: readonly Comment[]
  readonly levels: number
}

/** Returns the approved comments on a post; on pages of the site, the ones of the requested page of comments. */
export async function commentsOn(post: Post, rendering: Rendering): Promise<ShownComments> {
  const { plugin, scope } = rendering
  const pageContext = pageAround(rendering)
  const page = pageContext?.post?.id === post.id ? pageContext.comments : null
  const query = {
    // The caller has checked access to the post.
    visibility: null,
    posts: [post.id],
    approved: ['1'],
    types: ['comment', 'pingback', 'trackback'],
    orderby: 'date_gmt',
    order: 'asc',
    limit: MAX_COMMENTS_PER_PAGE,
  } as const
  const levels = page?.levels ?? DEFAULT_LEVELS
  if (page !== null && page.perPage !== null)
    return { comments: await onPage(query, page, page.perPage, rendering), levels }
  const { items } = await plugin.services.comments.query(query, scope)
  return { comments: page?.order === 'desc' ? newestFirst(items) : items, levels }
}

/** Returns one page of top-level comments and all replies to them. */
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

/** Reverses top-level comments, and leaves replies in their order. */
function newestFirst(comments: readonly Comment[]): readonly Comment[] {
  const isReply = ({ parent_id: parent }: Comment) => parent !== 0
  return [...comments.filter((comment) => !isReply(comment)).toReversed(), ...comments.filter(isReply)]
}

/** Returns the levels of the comments being rendered, starting at 1. Filled before comment blocks are rendered. */
export function levelsOf({ scope }: Rendering): Map<number, number> {
  return scope.get('core-blocks: levels of comments', () => new Map<number, number>())
}
