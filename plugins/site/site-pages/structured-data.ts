import type { PluginContext } from '../../../kernel/index.ts'
import { plainText } from '../../rendering/html/index.ts'
import { trailOf, trailOfTerm, type TrailItem } from '../../rendering/core-blocks/index.ts'
import type { HeadParts } from './head-parts.ts'
import { logoOf, type ShareImage } from './share-image.ts'
import { isoOf } from './times.ts'

/** Maximum characters of a headline that search engines read. */
const MAX_HEADLINE_LENGTH = 110

/**
 * Returns the structured data of a page as a schema.org graph: the site, the article or page, and the path to it.
 * @param description of the page; `''` for none
 * @param image of the page
 */
export async function structuredData(
  plugin: PluginContext,
  parts: HeadParts,
  description: string,
  image: ShareImage | null,
): Promise<object> {
  const { page, site, subject } = parts
  const home = await plugin.services.permalinks.home(page.scope)
  const ids = { site: `${home}#website`, owner: `${home}#organization`, trail: `${page.url!}#breadcrumb` }
  const logo = await logoOf(plugin, page.scope)
  const trail = await trailTo(plugin, parts)
  const post = subject.found?.kind === 'post' && !subject.isPostsPage ? subject.found.post : null
  const graph: object[] = [
    {
      '@type': 'WebSite',
      '@id': ids.site,
      url: home,
      name: site.title,
      ...(site.tagline !== '' && { description: site.tagline }),
      inLanguage: site.language.replaceAll('_', '-'),
      publisher: { '@id': ids.owner },
      potentialAction: {
        '@type': 'SearchAction',
        target: { '@type': 'EntryPoint', urlTemplate: `${plugin.urls.site('/')}?s={search_term_string}` },
        'query-input': 'required name=search_term_string',
      },
    },
    {
      '@type': 'Organization',
      '@id': ids.owner,
      url: home,
      name: site.title,
      ...(logo !== null && { logo: imageObject(logo) }),
    },
  ]
  if (post !== null && !subject.isFront) {
    const isArticle = post.type !== 'page' && post.type !== 'attachment'
    const author = post.author_id > 0 ? await plugin.services.users.get(post.author_id, page.scope) : undefined
    graph.push({
      '@type': isArticle ? 'Article' : 'WebPage',
      '@id': `${page.url!}#${isArticle ? 'article' : 'webpage'}`,
      url: page.url,
      ...(isArticle
        ? { headline: page.title.slice(0, MAX_HEADLINE_LENGTH).toWellFormed(), mainEntityOfPage: page.url }
        : { name: page.title }),
      ...(description !== '' && { description }),
      ...(post.date_gmt !== '' && { datePublished: isoOf(post.date_gmt) }),
      ...(post.modified_gmt !== '' && { dateModified: isoOf(post.modified_gmt) }),
      ...(image !== null && { [isArticle ? 'image' : 'primaryImageOfPage']: imageObject(image) }),
      ...(isArticle &&
        author !== undefined && {
          author: {
            '@type': 'Person',
            name: plainText(author.name),
            url: await plugin.services.permalinks.author(author, page.scope),
          },
        }),
      inLanguage: site.language.replaceAll('_', '-'),
      isPartOf: { '@id': ids.site },
      publisher: { '@id': ids.owner },
      ...(trail.length > 0 && { breadcrumb: { '@id': ids.trail } }),
    })
  }
  if (trail.length > 0) {
    const words = await plugin.services.translations.site()
    const items = [{ url: home, name: words.t('Home') }, ...trail].map(({ url, name }, at) => ({
      '@type': 'ListItem',
      position: at + 1,
      name: plainText(name) || words.t('(no title)'),
      item: url,
    }))
    graph.push({ '@type': 'BreadcrumbList', '@id': ids.trail, itemListElement: items })
  }
  return { '@context': 'https://schema.org', '@graph': graph }
}

/** Returns the path from the front page to a post or a term, which is its last item; empty for other pages. */
async function trailTo(plugin: PluginContext, { page, subject }: HeadParts): Promise<TrailItem[]> {
  const { found } = subject
  const place = { plugin, scope: page.scope }
  if (found === null || subject.isFront || subject.isPostsPage) return []
  if (found.kind === 'term') return trailOfTerm(found.term, place)
  if (found.kind !== 'post') return []
  return [...(await trailOf(found.post, place)), { url: page.url!, name: page.title }]
}

function imageObject({ url, width, height, alt }: ShareImage): object {
  return {
    '@type': 'ImageObject',
    url,
    ...(width > 0 && height > 0 && { width, height }),
    ...(alt !== '' && { caption: alt }),
  }
}
