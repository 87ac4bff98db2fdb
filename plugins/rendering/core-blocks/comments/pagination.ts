import { escapeHtml } from '../../../library/markup/index.ts'
import { textOf } from '../attributes.ts'
import { pageAround, type CommentsPage } from '../page-context.ts'
import { arrowOf, pageNumbers } from '../query/pagination.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'

/** Page numbers shown on each side of the current one. */
const ADJACENT_PAGE_NUMBERS = 2

/** Renders the pagination of comments, on pages of the site only. */
export const renderCommentsPagination: Renderer = async (block, rendering) => {
  const content = await rendering.renderInner(block)
  if (pageAround(rendering) === null || content.trim() === '') return content
  const { t } = await rendering.texts()
  return `<nav ${wrapperAttributes(block, { 'aria-label': t('Comments') })}>${content}</nav>`
}

/** Renders the link to the previous page of comments. */
export const renderOlderComments: Renderer = (block, rendering) => stepLink(block, rendering, 0)

/** Renders the link to the next page of comments. */
export const renderNewerComments: Renderer = (block, rendering) => stepLink(block, rendering, 1)

async function stepLink(block: CoreBlock, rendering: Rendering, direction: 0 | 1): Promise<string> {
  const comments = commentsAround(rendering)
  const page = (comments?.page ?? 0) + (direction === 0 ? -1 : 1)
  if (comments === null || page < 1 || page > comments.pages) return ''
  const isNewer = (direction === 1) === (comments.order === 'asc')
  const { t } = await rendering.texts()
  const usual = isNewer ? t('Newer comments') : t('Older comments')
  const label = rendering.richText(textOf(block.attributes, 'label')) || usual
  const arrow = arrowOf(block, rendering, textOf(block.context, 'comments/paginationArrow'), direction)
  const text = direction === 0 ? `${arrow}${label}` : `${label}${arrow}`
  return `<a href="${escapeHtml(comments.urlOf(page))}" ${wrapperAttributes(block)}>${text}</a>`
}

/** Renders the page numbers of comments. */
export const renderCommentsPageNumbers: Renderer = (block, rendering) => {
  const comments = commentsAround(rendering)
  if (comments === null) return ''
  const { page, pages, urlOf } = comments
  return `<div ${wrapperAttributes(block)}>${pageNumbers(page, pages, ADJACENT_PAGE_NUMBERS, urlOf).join('\n')}</div>`
}

/** Returns the pages of comments; null if there is only one page. */
function commentsAround(rendering: Rendering): CommentsPage | null {
  const comments = pageAround(rendering)?.comments ?? null
  return comments !== null && comments.pages > 1 ? comments : null
}
