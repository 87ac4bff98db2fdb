import { escapeHtmlOnce } from '../../../public.ts'
import { jsonOf } from '../json.ts'
import type { Head } from '../page.ts'

/** Returns the head of a page as HTML, in the form of Rank Math. */
export function rankMathHtml(head: Head): string {
  const { og, article, twitter } = head
  const lines = [`<title>${escapeHtmlOnce(head.title)}</title>`]
  const meta = (name: string, content: string, end: '/>' | ' />') => {
    if (content !== '') lines.push(`<meta name="${name}" content="${escapeHtmlOnce(content)}"${end}`)
  }
  const property = (name: string, content: string) => {
    if (content !== '') lines.push(`<meta property="${name}" content="${escapeHtmlOnce(content)}" />`)
  }
  const link = (rel: string, href: string) => {
    if (href !== '') lines.push(`<link rel="${rel}" href="${escapeHtmlOnce(href)}" />`)
  }
  meta('description', head.description, '/>')
  meta('robots', Object.values(head.robots).join(', '), '/>')
  link('canonical', head.canonical)
  link('prev', head.prev)
  link('next', head.next)
  property('og:locale', og.locale)
  property('og:type', og.type)
  property('og:title', og.title)
  property('og:description', og.description)
  property('og:url', og.url)
  property('og:site_name', og.siteName)
  property('article:publisher', article.publisher)
  property('article:author', article.author)
  for (const tag of article.tags) property('article:tag', tag)
  property('article:section', article.section)
  property('og:updated_time', article.modified)
  for (const { url, width, height, alt, type } of og.images) {
    property('og:image', url)
    property('og:image:secure_url', url.startsWith('https:') ? url : '')
    property('og:image:width', width > 0 ? String(width) : '')
    property('og:image:height', height > 0 ? String(height) : '')
    property('og:image:alt', alt)
    property('og:image:type', type)
  }
  property('article:published_time', article.published)
  property('article:modified_time', article.modified)
  meta('twitter:card', twitter.card, ' />')
  meta('twitter:title', twitter.title, ' />')
  meta('twitter:description', twitter.description, ' />')
  meta('twitter:site', twitter.site, ' />')
  meta('twitter:creator', twitter.creator, ' />')
  meta('twitter:image', twitter.image, ' />')
  twitter.facts.forEach(([label, value], at) => {
    meta(`twitter:label${at + 1}`, label, ' />')
    meta(`twitter:data${at + 1}`, value, ' />')
  })
  const json = jsonOf({ '@context': 'https://schema.org', '@graph': head.graph })
  lines.push(`<script type="application/ld+json" class="rank-math-schema">${json}</script>`)
  return `${lines.join('\n')}\n`
}
