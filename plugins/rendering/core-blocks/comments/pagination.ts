import { escapeHtml } from '../../../library/markup/index.ts'
import { textOf } from '../attributes.ts'
import { pageAround, type CommentsPage } from '../page-context.ts'
import { arrowOf, pageNumbers } from '../query/pagination.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'

/** Numbers beside that of the page. */
const ADJACENT_PAGE_NUMBERS = 2

/** The links between the pages of comments on a page of the site. */
export const renderCommentsPagination: Renderer = async (block, rendering) => {
  const content = await rendering.renderInner(block)
  if (pageAround(rendering) === null || content.trim() === '') return content
  return `<nav ${wrapperAttributes(block, { 'aria-label': 'Comments' })}>${content}</nav>`
}

/** The link to the page of comments before. */
export const renderOlderComments: Renderer = (block, rendering) => stepLink(block, rendering, 0)

/** The link to the page of comments behind. */
export const renderNewerComments: Renderer = (block, rendering) => stepLink(block, rendering, 1)

function stepLink(block: CoreBlock, rendering: Rendering, way: 0 | 1): string {
  const comments = commentsAround(rendering)
  const page = (comments?.page ?? 0) + (way === 0 ? -1 : 1)
  if (comments === null || page < 1 || page > comments.pages) return ''
  const isNewer = (way === 1) === (comments.order === 'asc')
  const label = rendering.richText(textOf(block.attributes, 'label')) || (isNewer ? 'Newer comments' : 'Older comments')
  const arrow = arrowOf(block, rendering, textOf(block.context, 'comments/paginationArrow'), way)
  const text = way === 0 ? `${arrow}${label}` : `${label}${arrow}`
  return `<a href="${escapeHtml(comments.urlOf(page))}" ${wrapperAttributes(block)}>${text}</a>`
}

/** The numbers of the pages of comments. */
export const renderCommentsPageNumbers: Renderer = (block, rendering) => {
  const comments = commentsAround(rendering)
  if (comments === null) return ''
  const { page, pages, urlOf } = comments
  return `<div ${wrapperAttributes(block)}>${pageNumbers(page, pages, ADJACENT_PAGE_NUMBERS, urlOf).join('\n')}</div>`
}

/** The pages of comments of the page around a block; null where there is but one. */
function commentsAround(rendering: Rendering): CommentsPage | null {
  const comments = pageAround(rendering)?.comments ?? null
  return comments !== null && comments.pages > 1 ? comments : null
}
