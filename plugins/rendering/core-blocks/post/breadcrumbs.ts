import { textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type Renderer } from '../renderer.ts'
import { postOf, titleOf } from './current-post.ts'
import { trailOf } from './trail.ts'

/** Renders the path from the front page to a post, through its parent pages or its terms. */
export const renderBreadcrumbs: Renderer = async (block, rendering) => {
  const { attributes } = block
  const { services } = rendering.plugin
  const post = await postOf(block, rendering)
  if (post === undefined) return ''
  const isHome = (await services.permalinks.frontPages(rendering.scope)).front === post.id
  if (isHome && attributes['showOnHomePage'] !== true) return ''
  const { t } = await rendering.texts()
  const items: string[] = []
  if (attributes['showHomeItem'] !== false)
    items.push(isHome ? current(t('Home')) : link(await services.permalinks.home(rendering.scope), t('Home')))
  if (!isHome) {
    const above = await trailOf(post, rendering, attributes['prefersTaxonomy'] === true)
    items.push(...above.map(({ url, name }) => link(url, name || t('(no title)'))))
    if (attributes['showCurrentItem'] !== false)
      items.push(current((await titleOf(post, rendering)) || t('(no title)')))
  }
  if (items.length === 0) return ''
  const separator = textOf(attributes, 'separator').replace(/["\\\n\r\f]/g, '')
  const wrapper = wrapperAttributes(block, { style: `--separator: "${separator}"`, 'aria-label': t('Breadcrumbs') })
  return `<nav ${wrapper}><ol>${items.map((item) => `<li>${item}</li>`).join('')}</ol></nav>`
}

function link(url: string, html: string): string {
  return `<a href="${urlValue(url)}">${html}</a>`
}

function current(html: string): string {
  return `<span aria-current="page">${html}</span>`
}
