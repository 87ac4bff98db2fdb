import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { Comment } from '../../content/comments/index.ts'
import type { Post } from '../../content/posts/index.ts'
import type { CommentsPage } from '../../rendering/core-blocks/index.ts'

/** How the site shows comments, from its settings. */
interface CommentLists {
  /** Top-level comments per page; null shows all comments on one page. */
  readonly perPage: number | null
  readonly order: 'asc' | 'desc'
  readonly isNewestFirst: boolean
  readonly levels: number
}

const MAX_PER_PAGE = 100
const MAX_LEVELS = 10
/** Comment types that pages show. */
const TYPES = ['comment', 'pingback', 'trackback']
/** Maximum number of parents to follow from a reply to its top-level comment. */
const MAX_REPLY_LEVELS = 100

/**
 * Returns the page of comments to show on the page of a post, or null if that page does not exist.
 * @param requestedPage number of the comments page, from 1; 0 if the URL has none
 */
export async function commentsPageOf(
  plugin: PluginContext,
  { post, url }: { readonly post: Post; readonly url: string | null },
  requestedPage: number,
  scope: RequestCache,
): Promise<CommentsPage | null> {
  const { permalinks } = plugin.services
  const { perPage, order, isNewestFirst, levels } = await readSettings(plugin)
  const pages = perPage === null ? 1 : Math.max(Math.ceil((await countOf(plugin, post.id, scope)) / perPage), 1)
  if (requestedPage > pages) return null
  const first = isNewestFirst === (order === 'asc') ? pages : 1
  const urlOf = (page: number) =>
    `${page === first || url === null ? (url ?? '') : permalinks.commentPage(url, page)}#comments`
  return { page: requestedPage === 0 ? first : requestedPage, pages, perPage, order, levels, urlOf }
}

/** Returns the URL of the comments page that shows a comment, without the fragment. @param url URL of the post */
export async function urlOfComment(
  plugin: PluginContext,
  comment: Comment,
  url: string,
  scope: RequestCache,
): Promise<string> {
  const { perPage, order, isNewestFirst } = await readSettings(plugin)
  if (perPage === null) return url
  const { comments, permalinks } = plugin.services
  let root = comment
  for (let depth = 0; root.parent_id !== 0 && depth < MAX_REPLY_LEVELS; depth += 1) {
    const above = await comments.get(root.parent_id, scope)
    if (above === undefined) break
    root = above
  }
  const dateRange = order === 'asc' ? { before: root.date } : { after: root.date }
  const page = Math.floor((await countOf(plugin, comment.post_id, scope, dateRange)) / perPage) + 1
  const pages = Math.ceil((await countOf(plugin, comment.post_id, scope)) / perPage)
  const first = isNewestFirst === (order === 'asc') ? pages : 1
  return page === first ? url : permalinks.commentPage(url, page)
}

async function readSettings({ services }: PluginContext): Promise<CommentLists> {
  const set = await services.options.many([
    'page_comments',
    'comments_per_page',
    'default_comments_page',
    'comment_order',
    'thread_comments',
    'thread_comments_depth',
  ])
  const size = Math.min(Math.max(Math.trunc(Number(set.comments_per_page)) || 1, 1), MAX_PER_PAGE)
  const depth = Math.min(Math.max(Math.trunc(Number(set.thread_comments_depth)) || 2, 2), MAX_LEVELS)
  return {
    perPage: set.page_comments === true ? size : null,
    order: set.comment_order === 'desc' ? 'desc' : 'asc',
    isNewestFirst: set.default_comments_page !== 'oldest',
    levels: set.thread_comments === false ? 1 : depth,
  }
}

/** Counts the approved top-level comments on a post. */
async function countOf(
  { services }: PluginContext,
  post: number,
  scope: RequestCache,
  dateRange: { before?: string; after?: string } = {},
): Promise<number> {
  const query = { visibility: null, posts: [post], approved: ['1'], types: TYPES, parents: [0], limit: 1, ...dateRange }
  return (await services.comments.query(query, scope)).total
}
