import type { HeadElement, PluginContext, ShownPage } from '../../public.ts'
import type { SeoHeads } from './heads.ts'
import { pageOf, type Head } from './page.ts'

/** Elements of the page that the head of this plugin replaces. */
const REPLACED_META: ReadonlySet<string> = new Set(['description', 'robots', 'twitter:card'])
const REPLACED_LINKS: ReadonlySet<string> = new Set(['canonical', 'prev', 'next'])
const REPLACED_PROPERTY = /^(?:og|article):/

/** Writes titles and heads of the pages of the site. Private pages keep theirs. */
export function showOnPages(plugin: PluginContext, heads: SeoHeads): void {
  const { hooks } = plugin
  const headOf = (page: ShownPage): Promise<Head> =>
    Promise.resolve(
      page.scope.getLater('seo: head of the shown page', async () => {
        const isFront = await heads.resolver.isFront(page.found)
        const { url, page: number, pages, scope } = page
        return heads.of(pageOf(page.found, { url, page: number, pages, isFront, scope }))
      }),
    )
  hooks.site_document_title.tapPromise('seo', async (title, page) =>
    page.isPrivate ? title : (await headOf(page)).title,
  )
  hooks.site_head.tapPromise('seo', async (elements, page) =>
    page.isPrivate ? elements : [...elements.filter((one) => !isReplaced(one)), ...elementsOf(await headOf(page))],
  )
}

function isReplaced(one: HeadElement): boolean {
  if (one.element === 'json-ld') return isPageGraph(one.data)
  if (one.element === 'meta')
    return REPLACED_META.has(one.attributes['name'] ?? '') || REPLACED_PROPERTY.test(one.attributes['property'] ?? '')
  return one.element === 'link' && REPLACED_LINKS.has(one.attributes['rel'] ?? '')
}

/** Whether structured data describes the site, as opposed to data that plugins add about single things. */
function isPageGraph(data: object): boolean {
  const graph = '@graph' in data ? data['@graph'] : null
  return Array.isArray(graph) && graph.some((node: { '@type'?: unknown } | null) => node?.['@type'] === 'WebSite')
}

/** Returns the elements of a head, without its title. */
function elementsOf({ description, robots, canonical, prev, next, og, article, twitter, author, graph }: Head) {
  const elements: HeadElement[] = []
  const add = (kind: 'name' | 'property', name: string, content: string) => {
    if (content !== '') elements.push({ element: 'meta', attributes: { [kind]: name, content } })
  }
  const link = (rel: string, href: string) => {
    if (href !== '') elements.push({ element: 'link', attributes: { rel, href } })
  }
  add('name', 'description', description)
  add('name', 'robots', Object.values(robots).join(', '))
  link('canonical', canonical)
  link('prev', prev)
  link('next', next)
  add('property', 'og:locale', og.locale)
  add('property', 'og:type', og.type)
  add('property', 'og:title', og.title)
  add('property', 'og:description', og.description)
  add('property', 'og:url', og.url)
  add('property', 'og:site_name', og.siteName)
  for (const { url, width, height, alt, type } of og.images) {
    add('property', 'og:image', url)
    add('property', 'og:image:width', width > 0 ? String(width) : '')
    add('property', 'og:image:height', height > 0 ? String(height) : '')
    add('property', 'og:image:alt', alt)
    add('property', 'og:image:type', type)
  }
  add('property', 'article:publisher', article.publisher)
  add('property', 'article:author', article.author)
  for (const tag of article.tags) add('property', 'article:tag', tag)
  add('property', 'article:section', article.section)
  add('property', 'article:published_time', article.published)
  add('property', 'article:modified_time', article.modified)
  add('name', 'author', author)
  add('name', 'twitter:card', twitter.card)
  add('name', 'twitter:title', twitter.title)
  add('name', 'twitter:description', twitter.description)
  add('name', 'twitter:image', twitter.image)
  add('name', 'twitter:site', twitter.site)
  add('name', 'twitter:creator', twitter.creator)
  twitter.facts.forEach(([label, value], at) => {
    add('name', `twitter:label${at + 1}`, label)
    add('name', `twitter:data${at + 1}`, value)
  })
  elements.push({ element: 'json-ld', data: { '@context': 'https://schema.org', '@graph': graph } })
  return elements
}
