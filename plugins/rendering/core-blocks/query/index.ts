import type { Renderer } from '../renderer.ts'
import { renderNextPage, renderPageNumbers, renderPagination, renderPreviousPage } from './pagination.ts'
import { renderPostTemplate } from './post-template.ts'
import { renderQueryNoResults, renderQueryTitle, renderQueryTotal } from './query-block.ts'
import { renderTermCount, renderTermDescription, renderTermName, renderTermTemplate } from './terms.ts'

/** Renderers of blocks that list posts or terms, by name. */
export const queryRenderers: Readonly<Record<string, Renderer>> = {
  'post-template': renderPostTemplate,
  'query-no-results': renderQueryNoResults,
  'query-pagination': renderPagination,
  'query-pagination-next': renderNextPage,
  'query-pagination-numbers': renderPageNumbers,
  'query-pagination-previous': renderPreviousPage,
  'query-title': renderQueryTitle,
  'query-total': renderQueryTotal,
  'term-count': renderTermCount,
  'term-description': renderTermDescription,
  'term-name': renderTermName,
  'term-template': renderTermTemplate,
}
