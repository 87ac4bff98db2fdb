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
/** The most numbers beside that of this page. */
const MOST_BESIDE = 20

/** The links between the pages of a query; nothing where there is but one page. */
export const renderPagination: Renderer = async (block, rendering) => {
  const content = await rendering.renderInner(block)
  if (content.trim() === '') return ''
  return `<nav ${wrapperAttributes(block, { 'aria-label': 'Pagination' })}>${content}</nav>`
}

/** The link to the page before. */
export const renderPreviousPage: Renderer = async (block, rendering) => {
  const { page } = await queryPage(block, rendering)
  return page > 1 ? stepLink(block, rendering, page - 1, 0, 'Previous Page') : ''
}

/** The link to the next page. */
export const renderNextPage: Renderer = async (block, rendering) => {
  const { page, pages } = await queryPage(block, rendering)
  return page < pages ? stepLink(block, rendering, page + 1, 1, 'Next Page') : ''
}

function stepLink(block: CoreBlock, rendering: Rendering, page: number, way: 0 | 1, usual: string): string {
  const { attributes, context } = block
  const label = rendering.richText(textOf(attributes, 'label')) || usual
  const arrow = arrowOf(block, rendering, textOf(context, 'paginationArrow'), way)
  const hidden = arrow !== '' && context['showLabel'] === false
  const text = hidden ? '' : label
  const wrapper = wrapperAttributes(block, hidden ? { 'aria-label': plainText(label) } : {})
  const around = inheritedPage(block, rendering)
  const href = escapeUrl(around === null ? stepUrl(rendering, pageParameter(block), page) : around.urlOf(page))
  return `<a href="${href}" ${wrapper}>${way === 0 ? `${arrow}${text}` : `${text}${arrow}`}</a>`
}

/** The arrow of a link to the page before or after. @param name that of the kind of arrow, as the block around says it */
export function arrowOf(block: CoreBlock, rendering: Rendering, name: string, way: 0 | 1): string {
  const sign = Object.hasOwn(ARROWS, name) ? ARROWS[name]![way] : null
  if (sign === null) return ''
  return `<span class='${rendering.classOf(block)}-arrow is-arrow-${name}' aria-hidden='true'>${sign}</span>`
}

/** The numbers of pages: the first, the last, and those around this one. */
export const renderPageNumbers: Renderer = async (block, rendering) => {
  const { page, pages } = await queryPage(block, rendering)
  if (pages < 2) return ''
  const beside = Math.min(Math.max(Math.trunc(numberOf(block.attributes, 'midSize', 2)), 0), MOST_BESIDE)
  const around = inheritedPage(block, rendering)
  const urlOf = (number: number) =>
    around === null ? numberUrl(rendering, pageParameter(block), number, page) : around.urlOf(number)
  const items = pageNumbers(page, pages, beside, urlOf)
  return `<div ${wrapperAttributes(block)}>${items.join('\n')}</div>`
}

/** Links to pages by their numbers: the first, the last, and those around the one that is shown. */
export function pageNumbers(page: number, pages: number, beside: number, urlOf: (page: number) => string): string[] {
  const items: string[] = []
  let dots = false
  for (const number of shownNumbers(page, pages, beside)) {
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

/** The numbers that are shown, null for a gap. */
function shownNumbers(page: number, pages: number, beside: number): (number | null)[] {
  const near: number[] = []
  for (let number = Math.max(page - beside, 2); number <= Math.min(page + beside, pages - 1); number += 1)
    near.push(number)
  const [first = 2, last = pages - 1] = [near[0], near.at(-1)]
  return [1, ...(first > 2 ? [null] : []), ...near, ...(last < pages - 1 ? [null] : []), pages]
}

/** The URL of the request with another page. */
function stepUrl(rendering: Rendering, name: string, page: number): string {
  const { path, pairs } = partsOf(rendering)
  const own = `${name}=${page}`
  const changed = pairs.map((pair) => (nameOf(pair) === name ? own : pair))
  return `${path}?${(changed.includes(own) ? changed : [...changed, own]).join('&')}`
}

/** The same as a query alone, which a browser resolves against the page that it shows. */
function numberUrl(rendering: Rendering, name: string, number: number, page: number): string {
  const others = partsOf(rendering).pairs.filter((pair) => nameOf(pair) !== name && pair !== FILLER)
  // Without a parameter, a link to the first page would be one to the page that is shown.
  const filler = page === 1 ? [] : [FILLER]
  return `?${[...(number === 1 ? [] : [`${name}=${number}`]), ...filler, ...others].join('&')}`
}

/** What stands in URLs where nothing else would. */
const FILLER = 'cst'

function partsOf(rendering: Rendering): { path: string; pairs: string[] } {
  const { plugin } = rendering
  const around = pageAround(rendering)
  // On a page of the site a link without a path leads to the same page.
  if (around !== null) return { path: '', pairs: [] }
  const [path = '', query = ''] = (requestOf(rendering.scope)?.url ?? '').split('?', 2)
  // What lets somebody in does not belong into links.
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
