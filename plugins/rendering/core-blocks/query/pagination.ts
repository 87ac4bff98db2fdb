import { requestOf } from '../../../../kernel/index.ts'
import { escapeHtml } from '../../../library/markup/index.ts'
import { numberOf, textOf } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { pageAround } from '../page-context.ts'
import { inheritedPage, pageParameter, queryPage } from './post-query.ts'
import { plainText } from '../../html/index.ts'

const ARROWS: Readonly<Record<string, readonly [previous: string, next: string]>> = {
  arrow: ['←', '→'],
  chevron: ['«', '»'],
}
/** Maximum page numbers on each side of the current one. */
const MAX_ADJACENT_NUMBERS = 20

/** Renders the pagination of a query; empty if all links inside are. */
export const renderPagination: Renderer = async (block, rendering) => {
  const content = await rendering.renderInner(block)
  if (content.trim() === '') return ''
  const { t } = await rendering.texts()
  return `<nav ${wrapperAttributes(block, { 'aria-label': t('Pagination') })}>${content}</nav>`
}

/** Renders the link to the previous page. */
export const renderPreviousPage: Renderer = async (block, rendering) => {
  const { page } = await queryPage(block, rendering)
  return page > 1 ? stepLink(block, rendering, page - 1, 0, (await rendering.texts()).t('Previous Page')) : ''
}

/** Renders the link to the next page. */
export const renderNextPage: Renderer = async (block, rendering) => {
  const { page, pages } = await queryPage(block, rendering)
  return page < pages ? stepLink(block, rendering, page + 1, 1, (await rendering.texts()).t('Next Page')) : ''
}

function stepLink(
  block: CoreBlock,
  rendering: Rendering,
  page: number,
  direction: 0 | 1,
  defaultLabel: string,
): string {
  const { attributes, context } = block
  const label = rendering.richText(textOf(attributes, 'label')) || defaultLabel
  const arrow = arrowOf(block, rendering, textOf(context, 'paginationArrow'), direction)
  const hidden = arrow !== '' && context['showLabel'] === false
  const text = hidden ? '' : label
  const wrapper = wrapperAttributes(block, hidden ? { 'aria-label': plainText(label) } : {})
  const listPage = inheritedPage(block, rendering)
  const href = escapeUrl(listPage === null ? stepUrl(rendering, pageParameter(block), page) : listPage.urlOf(page))
  return `<a href="${href}" ${wrapper}>${direction === 0 ? `${arrow}${text}` : `${text}${arrow}`}</a>`
}

/** Returns the arrow of a previous or next link. @param name arrow style, from the surrounding block */
export function arrowOf(block: CoreBlock, rendering: Rendering, name: string, direction: 0 | 1): string {
  const sign = Object.hasOwn(ARROWS, name) ? ARROWS[name]![direction] : null
  if (sign === null) return ''
  return `<span class='${rendering.classOf(block)}-arrow is-arrow-${name}' aria-hidden='true'>${sign}</span>`
}

/** Renders the page numbers of a query. */
export const renderPageNumbers: Renderer = async (block, rendering) => {
  const { page, pages } = await queryPage(block, rendering)
  if (pages < 2) return ''
  const adjacent = Math.min(Math.max(Math.trunc(numberOf(block.attributes, 'midSize', 2)), 0), MAX_ADJACENT_NUMBERS)
  const listPage = inheritedPage(block, rendering)
  const urlOf = (number: number) =>
    listPage === null ? numberUrl(rendering, pageParameter(block), number, page) : listPage.urlOf(number)
  const items = pageNumbers(page, pages, adjacent, urlOf)
  return `<div ${wrapperAttributes(block)}>${items.join('\n')}</div>`
}

/** Returns page links: the first, the last, and the ones around the current page. */
export function pageNumbers(page: number, pages: number, adjacent: number, urlOf: (page: number) => string): string[] {
  const items: string[] = []
  let dots = false
  for (const number of shownNumbers(page, pages, adjacent)) {
    if (number === null) {
      if (!dots) items.push('<span class="page-numbers dots">&hellip;</span>')
      dots = true
      continue
    }
    dots = false
    items.push(
      number === page
        ? `<span aria-current="page" class="page-numbers current">${number}</span>`
        : `<a class="page-numbers" href="${escapeUrl(urlOf(number))}">${number}</a>`,
    )
  }
  return items
}

/** Returns the page numbers to show, with null for gaps. */
function shownNumbers(page: number, pages: number, adjacent: number): (number | null)[] {
  const near: number[] = []
  for (let number = Math.max(page - adjacent, 2); number <= Math.min(page + adjacent, pages - 1); number += 1)
    near.push(number)
  const [first = 2, last = pages - 1] = [near[0], near.at(-1)]
  return [1, ...(first > 2 ? [null] : []), ...near, ...(last < pages - 1 ? [null] : []), pages]
}

/** Returns the URL of the request with another page number. */
function stepUrl(rendering: Rendering, name: string, page: number): string {
  const { path, pairs } = partsOf(rendering)
  const parameter = `${name}=${page}`
  const changed = pairs.map((pair) => (nameOf(pair) === name ? parameter : pair))
  return `${path}?${(changed.includes(parameter) ? changed : [...changed, parameter]).join('&')}`
}

/** Like `stepUrl`, but only the query part, which browsers resolve against the current page. */
function numberUrl(rendering: Rendering, name: string, number: number, page: number): string {
  const others = partsOf(rendering).pairs.filter((pair) => nameOf(pair) !== name && pair !== FILLER)
  // A link needs a query: without one it would keep the page parameter of the current URL.
  const filler = page === 1 ? [] : [FILLER]
  return `?${[...(number === 1 ? [] : [`${name}=${number}`]), ...filler, ...others].join('&')}`
}

/** Placeholder parameter for a query that would otherwise be empty. */
const FILLER = 'cst'

function partsOf(rendering: Rendering): { path: string; pairs: string[] } {
  const { plugin } = rendering
  const listPage = pageAround(rendering)
  // On pages of the site, a link without a path leads to the same page.
  if (listPage !== null) return { path: '', pairs: [] }
  const [path = '', query = ''] = (requestOf(rendering.scope)?.url ?? '').split('?', 2)
  // Credentials must not appear in links.
  const secret = new Set(['password', plugin.branding.nonceParameter])
  return { path, pairs: query.split('&').filter((pair) => pair !== '' && !secret.has(nameOf(pair))) }
}

function nameOf(pair: string): string {
  const name = pair.split('=', 1)[0]!
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function escapeUrl(url: string): string {
  return escapeHtml(url).replaceAll('&amp;', '&#038;')
}
