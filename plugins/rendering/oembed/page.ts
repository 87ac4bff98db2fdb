import {
  addQuery,
  HeaderMap,
  RequestCache,
  trimEndSlashes,
  type PluginContext,
  type SitePage,
} from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { escapeHtml, escapeHtmlOnce, inlineStyle } from '../../library/markup/index.ts'
import type { Post } from '../../content/posts/index.ts'
import { plainText } from '../html/index.ts'
import { postOfUrl } from './post-of-url.ts'

/** Maximum characters of an excerpt. */
const MAX_EXCERPT_LENGTH = 400

const STYLE = inlineStyle(
  `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}body{margin:0;padding:1rem;border:1px solid #8888;overflow-wrap:anywhere}h1{font-size:1.25rem;margin:0 0 .5rem}p{margin:0 0 .5rem}`,
)

const HEADERS = {
  'Content-Type': 'text/html; charset=UTF-8',
  // Posts that become private must disappear immediately.
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'no-referrer',
  // Any site can frame the page: it contains only public text and links.
  'Content-Security-Policy': `default-src 'none'; style-src ${STYLE.source}; base-uri 'none'; form-action 'none'; frame-ancestors *`,
}

/** Returns the embeddable page of a post: `/2026/11/hello/embed/`, `/?p=12&embed=true`. null for all other requests. */
export async function embedPage(plugin: PluginContext, request: SiteRequest): Promise<SitePage | null> {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const path = trimEndSlashes(request.path)
  const isBelow = path.endsWith('/embed')
  if (!isRead || !(isBelow || request.query.has('embed'))) return null
  const query = new URLSearchParams(request.query)
  query.delete('embed')
  const post = await postOfUrl(plugin, { path: isBelow ? path.slice(0, -'/embed'.length) : path, query })
  if (post === null) return null
  return { status: 200, headers: new HeaderMap({ ...HEADERS }), body: await pageOf(plugin, post) }
}

async function pageOf(plugin: PluginContext, post: Post): Promise<string> {
  const { services, urls } = plugin
  const scope = new RequestCache()
  const link = await services.permalinks.post(post, scope)
  const title = escapeHtml(plainText(await services.contentRendering.pageTitle(post)))
  const site = escapeHtmlOnce(String(await services.options.get('title', '')))
  const about = addQuery(urls.rest('/oembed/1.0/embed'), { url: link })
  const words = await services.translations.site()
  // Show only the title of a protected post: this page does not accept passwords.
  const excerpt =
    post.password === ''
      ? textOf(await services.contentRendering.excerpt(post, scope))
      : words.t('This content is password protected.')
  return `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="canonical" href="${escapeHtml(link)}">
<link rel="alternate" type="application/json+oembed" href="${escapeHtml(about)}">
${STYLE.element}
</head>
<body>
<h1><a href="${escapeHtml(link)}" target="_blank" rel="noopener">${title}</a></h1>
<p>${excerpt}</p>
<p><a href="${escapeHtml(urls.site('/'))}" target="_blank" rel="noopener">${site}</a></p>
</body>
</html>
`
}

/** Returns the text of an excerpt without markup. */
function textOf(html: string): string {
  const text = plainText(html).replace(/\s+/g, ' ').trim()
  return escapeHtmlOnce(
    text.length > MAX_EXCERPT_LENGTH ? `${text.slice(0, MAX_EXCERPT_LENGTH).toWellFormed()}…` : text,
  )
}
