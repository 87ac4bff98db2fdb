import { escapeHtml, escapeHtmlOnce } from '../../../library/markup/index.ts'
import { headingTag, textOf } from '../attributes.ts'
import { wrapperAttributes, type CoreBlock, type Renderer, type Rendering } from '../renderer.ts'
import { pageAround } from '../page-context.ts'
import { queryPage } from './post-query.ts'

/** Renders the content for a query without results. */
export const renderQueryNoResults: Renderer = async (block, rendering) => {
  const { posts } = await queryPage(block, rendering)
  if (posts.length > 0) return ''
  const content = await rendering.renderInner(block)
  return content.trim() === '' ? '' : `<div ${wrapperAttributes(block)}>${content}</div>`
}

/** Renders the number of posts a query finds, or the range that is shown. */
export const renderQueryTotal: Renderer = async (block, rendering) => {
  const { posts, total, page, perPage } = await queryPage(block, rendering)
  const wrapper = wrapperAttributes(block)
  const { t, count } = await rendering.texts()
  if (textOf(block.attributes, 'displayType') !== 'range-display' || total === 0) {
    return `<div ${wrapper}>${count(total, '1 result found', '{count} results found')}</div>`
  }
  const first = Math.min((page - 1) * perPage + 1, total)
  const last = Math.min(first + Math.min(posts.length, perPage) - 1, total)
  const range = last <= first ? `${first}` : `${first} – ${last}`
  return `<div ${wrapper}>${t('Displaying {range} of {total}', { range, total })}</div>`
}

/** Renders the title of a query: the name of its content type, or the title of the archive or search around it. */
export const renderQueryTitle: Renderer = async (block, rendering) => {
  const { plugin } = rendering
  const { attributes, context } = block
  if (textOf(attributes, 'type') !== 'post-type') return pageTitle(block, rendering)
  const query = context['query'] as { postType?: unknown } | undefined
  const { branding, services } = plugin
  const type =
    typeof query?.postType === 'string' ? services.contentTypes.get(branding.ownTypeName(query.postType)) : undefined
  if (type === undefined) return ''
  const name = escapeHtmlOnce(type.labels['singular_name'] ?? type.label)
  const tag = headingTag(attributes, 1)
  const { t } = await rendering.texts()
  const shown = attributes['showPrefix'] === false ? name : t('Post Type: “{name}”', { name })
  return `<${tag} ${wrapperAttributes(block)}>${shown}</${tag}>`
}

/** Returns the title of the archive or search page around a block. */
async function pageTitle(block: CoreBlock, rendering: Rendering): Promise<string> {
  const { attributes } = block
  const page = pageAround(rendering)
  if (page === null) return ''
  const { t } = await rendering.texts()
  const titleType = textOf(attributes, 'type')
  const tag = headingTag(attributes, 1)
  const heading = (html: string) => `<${tag} ${wrapperAttributes(block)}>${html}</${tag}>`
  if (titleType === 'search' && page.search !== null) {
    const words = attributes['showSearchTerm'] !== false && page.search !== ''
    return heading(words ? t('Search results for: “{words}”', { words: escapeHtml(page.search) }) : t('Search results'))
  }
  if (titleType !== 'archive' || page.archive === null) return ''
  const { label, name } = page.archive
  const parts = { label: escapeHtml(label), name: `<span>${name}</span>` }
  return heading(attributes['showPrefix'] === false || label === '' ? name : t('archive title|{label}: {name}', parts))
}
