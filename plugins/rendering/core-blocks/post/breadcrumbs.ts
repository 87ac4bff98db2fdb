import { escapeHtmlOnce } from '../../../library/markup/index.ts'
import { mapInSlices } from '../../../library/long-work/index.ts'
import type { Post } from '../../../content/posts/index.ts'
import { textOf, urlValue } from '../attributes.ts'
import { wrapperAttributes, type Renderer, type Rendering } from '../renderer.ts'
import { linkOf, postOf, publicPost, titleOf } from './current-post.ts'

/** Shown in place of an empty title. */

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
    const type = services.contentTypes.get(post.type)
    const byTerms = type?.hierarchical !== true || attributes['prefersTaxonomy'] === true
    const terms = byTerms ? await linksOfTerms(post, rendering) : []
    items.push(...(terms.length > 0 || type?.hierarchical !== true ? terms : await linksOfParents(post, rendering)))
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

/** Returns links to the ancestors of a post, topmost first. Stops at the first ancestor that is not public. */
async function linksOfParents(post: Post, rendering: Rendering): Promise<string[]> {
  const { plugin, scope } = rendering
  const { permalinks, posts } = plugin.services
  const { t } = await rendering.texts()
  const ids = (await permalinks.above(post, scope)).map(({ id }) => id)
  await posts.loadAll(ids, scope)
  const links: string[] = []
  for (const id of ids) {
    const ancestor = await publicPost(id, rendering)
    if (ancestor === undefined) break
    links.unshift(link(await linkOf(ancestor, rendering), (await titleOf(ancestor, rendering)) || t('(no title)')))
  }
  return links
}

/** Returns links to the first term of a post and its ancestors, topmost first. Prefers hierarchical taxonomies. */
async function linksOfTerms(post: Post, { plugin, scope }: Rendering): Promise<string[]> {
  const { permalinks, taxonomies, terms } = plugin.services
  const shown = taxonomies.ofType(post.type).filter((one) => one.publicly_queryable && one.show_in_rest)
  const levelled = shown.filter(({ hierarchical }) => hierarchical)
  const ofPost = await terms.ofPosts(scope).load(post.id)
  const term = [...levelled, ...shown].flatMap(({ name }) => ofPost.get(name) ?? []).at(0)
  if (term === undefined) return []
  const ancestors = await permalinks.termsAbove(term, scope)
  const chain = await mapInSlices([...ancestors.toReversed(), term], ({ id }) => terms.get(id, scope))
  return mapInSlices(
    chain.filter((term) => term !== undefined),
    async (term) => link(await permalinks.term(term, scope), escapeHtmlOnce(term.name)),
  )
}
