import { mapInSlices } from '../../../library/long-work/index.ts'
import type { Comment } from '../../../content/comments/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import { classValue, headingTag } from '../attributes.ts'
import { titleOf } from '../post/current-post.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { openPost } from './open-post.ts'
import { commentsOn, levelsOf } from './shown-comments.ts'

/** Renders the comments section of a post; empty if the post has no comments and is closed for new ones. */
export const renderComments: Renderer = async (block, rendering) => {
  const post = await openPost(block, rendering)
  if (post === undefined) return ''
  if (post.comment_count === 0 && !(await rendering.plugin.services.comments.isOpen(post))) return ''
  // Themes that predate inner comment blocks use the block without content.
  const isLegacy = block.attributes['legacy'] === true || block.name === 'core/post-comments'
  return isLegacy ? renderDefaultBlocks(post, block, rendering) : rendering.renderInner(block)
}

/** Returns the default blocks of the comments section. */
function defaultBlocks(mark: string): string {
  const one = ['avatar {"size":32}', 'comment-author-name', 'comment-date', 'comment-content', 'comment-reply-link']
  const markupOf = (names: readonly string[]) => names.map((name) => `<!-- ${mark}:${name} /-->`).join('')
  return [
    markupOf(['comments-title']),
    `<!-- ${mark}:comment-template -->${markupOf(one)}<!-- /${mark}:comment-template -->`,
    markupOf(['post-comments-form']),
  ].join('')
}

async function renderDefaultBlocks(post: Post, block: CoreBlock, rendering: Rendering): Promise<string> {
  const html = await rendering.include(`comments ${post.id}`, defaultBlocks(rendering.mark))
  return `<div ${wrapperAttributes(block, { class: `${rendering.mark}-block-comments` })}>${html}</div>`
}

/** Renders the number of comments as a heading. */
export const renderCommentsTitle: Renderer = async (block, rendering) => {
  const { attributes } = block
  const post = await openPost(block, rendering)
  if (post === undefined || post.comment_count === 0) return ''
  const { comment_count: count } = post
  const texts = await rendering.texts()
  const counted = attributes['showCommentsCount'] !== false
  const heading =
    attributes['showPostTitle'] === false
      ? counted
        ? texts.count(count, 'One response', '{count} responses')
        : texts.t(count === 1 ? 'Response' : 'Responses')
      : counted
        ? texts.count(count, 'One response to “{title}”', '{count} responses to “{title}”')
        : texts.t(count === 1 ? 'Response to “{title}”' : 'Responses to “{title}”')
  const title = await titleOf(post, rendering)
  const shown = heading
    .replaceAll('“', '&#8220;')
    .replaceAll('”', '&#8221;')
    .replace('{title}', () => title)
  const tag = headingTag(attributes, 2)
  return `<${tag} id="comments" ${wrapperAttributes(block)}>${shown}</${tag}>`
}

/** Renders the inner blocks for each comment on a post, with nested replies. */
export const renderCommentTemplate: Renderer = async (block, rendering) => {
  const post = await openPost(block, rendering)
  if (post === undefined) return ''
  const { comments, levels } = await commentsOn(post, rendering)
  if (comments.length === 0 || !rendering.spend(comments.length)) return ''
  const inside = new Map<number, string>()
  const below = threadsOf(comments, levels, levelsOf(rendering))
  // Render all comments concurrently, so that their reads are batched into the same statements.
  await mapInSlices(
    comments,
    async ({ id }) => void inside.set(id, await rendering.renderInner(block, { commentId: id })),
    comments.length,
  )
  const count = { all: 0, threads: 0 }
  const listOf = (parent: number, level: number, wrapper: string): string => {
    const items = (below.get(parent) ?? []).map((comment) => {
      const classes = classesOf(comment, post, level, count)
      const replies = below.has(comment.id) ? listOf(comment.id, level + 1, '') : ''
      return `<li id="comment-${comment.id}" class="${classes}">${inside.get(comment.id)}${replies}</li>`
    })
    return `<ol${wrapper}>${items.join('')}</ol>`
  }
  return listOf(0, 1, ` ${wrapperAttributes(block)}`)
}

/**
 * Groups comments by the comment under which they are listed; 0 for top-level comments and for replies whose parent is
 * not shown. Replies at the deepest level are listed next to their parent.
 * @param levels receives the level of each comment, starting at 1
 */
function threadsOf(comments: readonly Comment[], last: number, levels: Map<number, number>): Map<number, Comment[]> {
  const listed = new Set(comments.map(({ id }) => id))
  const replies = Map.groupBy(comments, ({ parent_id: parent }) => (listed.has(parent) ? parent : 0))
  const parents = new Map((replies.get(0) ?? []).map(({ id }) => [id, 0]))
  for (const [id, parent] of parents) {
    const level = parent === 0 ? 1 : levels.get(parent)! + 1
    levels.set(id, level)
    for (const reply of replies.get(id) ?? []) parents.set(reply.id, level < last ? id : parent)
  }
  const shown = comments.filter(({ id }) => parents.has(id))
  return Map.groupBy(shown, ({ id }) => parents.get(id)!)
}

/** Returns the CSS classes that themes use to style a comment. */
function classesOf(
  { type, author_id: author }: Comment,
  post: Post,
  level: number,
  count: { all: number; threads: number },
): string {
  const classes = [classValue(type) || 'comment']
  if (author !== 0) classes.push('byuser')
  if (author !== 0 && author === post.author_id) classes.push('bypostauthor')
  classes.push(...(count.all % 2 === 0 ? ['even'] : ['odd', 'alt']))
  if (level === 1) {
    classes.push(...(count.threads % 2 === 0 ? ['thread-even'] : ['thread-odd', 'thread-alt']))
    count.threads += 1
  }
  count.all += 1
  classes.push(`depth-${level}`)
  return classes.join(' ')
}
