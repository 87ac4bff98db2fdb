import { HeaderMap, type SitePage } from '../../../../../kernel/index.ts'
import { html, PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import type { Draft } from './draft.ts'
import type { Item, Kind } from './item.ts'
import { contentOf } from './content.ts'

/** Renders the submitted fields as readers would see them, as a page without scripts for an iframe of the editor. */
export async function previewPage(view: AdminView, kind: Kind, item: Item | null, draft: Draft): Promise<SitePage> {
  const { plugin, request, t } = view
  const { services, urls, branding } = plugin
  const isTrusted = view.can('unfiltered_html')
  const content = await contentOf(view, draft, item)
  const post = {
    id: item?.id ?? 0,
    type: kind.type.name,
    status: 'publish',
    title: isTrusted ? draft.title : await services.html.filterLong(draft.title, 'comment'),
    // Sanitized as it would be on saving.
    content: isTrusted ? content : await services.html.filterLong(content, 'post'),
    excerpt: '',
    author_id: request.user.id,
  }
  const [title, main] = [
    await services.contentRendering.title(post),
    await services.contentRendering.content(post, request.scope),
  ]
  const styles = plugin.has('global-styles')
    ? html`<link rel="stylesheet" href="${urls.site(`/${branding.word}-styles.css`)}" />`
    : null
  const body = html`<!doctype html>
    <html lang="${view.words.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${t('Preview')}</title>
        ${styles}
      </head>
      <body>
        <main class="entry-content">
          ${title === '' ? null : html`<h1>${new PageHtml(title)}</h1>`} ${new PageHtml(main)}
        </main>
      </body>
    </html> `
  const headers = new HeaderMap({
    'Content-Type': 'text/html; charset=UTF-8',
    'Cache-Control': 'no-cache, must-revalidate, max-age=0, no-store, private',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'SAMEORIGIN',
    'X-Robots-Tag': 'noindex',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': POLICY,
  })
  return { status: 200, headers, body: body.text }
}

/** Images and styles as on the page of the post; no scripts, forms or frames. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  'img-src * data:',
  'media-src *',
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-same-origin',
].join('; ')
