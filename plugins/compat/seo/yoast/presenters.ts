import { escapeHtmlOnce } from '../../../public.ts'
import type { Head } from '../page.ts'
import { jsonOf } from '../json.ts'

/** Returns the head of a page as HTML, in the form of Yoast SEO. */
export function yoastHtml(head: Head): string {
  const { og, article, twitter } = head
  const lines = [`<title>${escapeHtmlOnce(head.title)}</title>`]
  const add = (kind: 'name' | 'property', name: string, content: string, indent = '') => {
    if (content !== '') lines.push(`${indent}<meta ${kind}="${name}" content="${escapeHtmlOnce(content)}" />`)
  }
  const link = (rel: string, href: string) => {
    if (href !== '') lines.push(`<link rel="${rel}" href="${escapeHtmlOnce(href)}" />`)
  }
  add('name', 'description', head.description)
  add('name', 'robots', Object.values(head.robots).join(', '))
  link('canonical', head.canonical)
  link('prev', head.prev)
  link('next', head.next)
  add('property', 'og:locale', og.locale)
  add('property', 'og:type', og.type)
  add('property', 'og:title', og.title)
  add('property', 'og:description', og.description)
  add('property', 'og:url', og.url)
  add('property', 'og:site_name', og.siteName)
  add('property', 'article:publisher', article.publisher)
  add('property', 'article:author', article.author)
  add('property', 'article:published_time', article.published)
  add('property', 'article:modified_time', article.modified)
  for (const { url, width, height, type } of og.images) {
    add('property', 'og:image', url)
    if (width > 0) add('property', 'og:image:width', String(width), '\t')
    if (height > 0) add('property', 'og:image:height', String(height), '\t')
    add('property', 'og:image:type', type, '\t')
  }
  add('name', 'author', head.author)
  add('name', 'twitter:card', twitter.card)
  add('name', 'twitter:title', twitter.title)
  add('name', 'twitter:description', twitter.description)
  add('name', 'twitter:image', twitter.image)
  add('name', 'twitter:creator', twitter.creator)
  add('name', 'twitter:site', twitter.site)
  twitter.facts.forEach(([label, value], at) => {
    add('name', `twitter:label${at + 1}`, label, at === 0 ? '' : '\t')
    add('name', `twitter:data${at + 1}`, value, '\t')
  })
  const json = jsonOf({ '@context': 'https://schema.org', '@graph': head.graph })
  lines.push(`<script type="application/ld+json" class="yoast-schema-graph">${json}</script>`)
  return lines.join('\n')
}

/** Returns the head of a page as an object, in the form of Yoast SEO. Empty values are missing. */
export function yoastJson(head: Head): Record<string, unknown> {
  const { og, article, twitter } = head
  const images = og.images.map(({ width, height, url, type }) => ({
    ...(width > 0 && { width }),
    ...(height > 0 && { height }),
    url,
    ...(type !== '' && { type }),
  }))
  const values: Record<string, unknown> = {
    title: head.title,
    description: head.description,
    robots: head.robots,
    canonical: head.canonical,
    prev: head.prev,
    next: head.next,
    og_locale: og.locale,
    og_type: og.type,
    og_title: og.title,
    og_description: og.description,
    og_url: og.url,
    og_site_name: og.siteName,
    article_publisher: article.publisher,
    article_author: article.author,
    article_published_time: article.published,
    article_modified_time: article.modified,
    og_image: images.length > 0 ? images : '',
    author: head.author,
    twitter_card: twitter.card,
    twitter_title: twitter.title,
    twitter_description: twitter.description,
    twitter_image: twitter.image,
    twitter_creator: twitter.creator,
    twitter_site: twitter.site,
    twitter_misc: twitter.facts.length > 0 ? Object.fromEntries(twitter.facts) : '',
    schema: { '@context': 'https://schema.org', '@graph': head.graph },
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
}
