import { randomBytes } from 'node:crypto'
import { HeaderMap, type SitePage } from '../../../../kernel/index.ts'
import { renameDeprecatedKeys } from '../../../library/deprecated-names/index.ts'
import { html, type PageHtml } from '../../../library/markup/index.ts'
import { plainText } from '../../../rendering/html/index.ts'
import type { AdminContent, AdminPage, MenuEntry } from '../admin.ts'
import type { AdminAssets } from './assets.ts'
import { barHtml } from './bar.ts'
import { keysDialog } from './keys.ts'
import { menuHtml } from './menu.ts'
import type { Notice } from './notice.ts'
import { schemeOf } from './scheme.ts'
import type { AdminView } from './view.ts'

/** The data of the frame around the content of a page. */
export interface Frame {
  /** Null if the path has no page. */
  readonly page: AdminPage | null
  readonly entries: readonly MenuEntry[]
  readonly notice: Notice | null
  readonly assets: AdminAssets
  /** Stored name of the user, HTML-escaped. */
  readonly name: string
}

/** Renders a page of the admin: the content in the common frame. */
export async function framed(view: AdminView, content: AdminContent, frame: Frame): Promise<SitePage> {
  const { plugin, t } = view
  const { urls, branding, services } = plugin
  const { plainPages: pages, options, nonces } = services
  const { page, assets } = frame
  const site = pages.stored(String(await options.get('title', '')) || t('Untitled site'))
  const scheme = schemeOf(view)
  const title = content.title ?? t(page?.title ?? 'Admin menu')
  const scripts = ['core/admin.js', ...(page?.scripts ?? []), ...(content.scripts ?? [])]
  const styles = [...STYLES, ...(page?.styles ?? []), ...(content.styles ?? [])]
  const links = await Promise.all(
    styles.map(async (file) => html`<link rel="stylesheet" href="${await assets.urlOf(file)}" />`),
  )
  const modules = await Promise.all(
    scripts.map(async (file) => html`<script type="module" src="${await assets.urlOf(file)}"></script>`),
  )
  const nonce = randomBytes(16).toString('base64')
  const body = html`<!doctype html>
    <html lang="${view.words.language}" data-scheme="${scheme}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} – ${site}</title>
        <link rel="icon" href="${await assets.urlOf('core/favicon.svg')}" type="image/svg+xml" />
        ${links} ${await assets.importMap(nonce)} ${modules}
      </head>
      <body
        data-rest="${urls.rest()}"
        data-namespace="${branding.namespace('v2')}"
        data-nonce="${nonces.create(branding.nonceAction, view.user)}"
        data-nonce-header="${branding.header('Nonce')}"
        data-nonce-url="${urls.site(branding.ajaxPath)}?action=rest-nonce"
        data-admin="${view.url('')}"
        data-load-failed="${t('A part of this page could not be loaded. Check the connection and try again. Your text is still here.')}"
      >
        <a class="skip" href="#${content.skipTo ?? 'main'}">${t('Skip to content')}</a>
        <nav id="menu" class="menu" aria-label="${t('Admin menu')}" popover>
          ${await brand(view, site)}${menuHtml(frame.entries, view)}
        </nav>
        ${barHtml(view, { entries: frame.entries, title, name: plainText(frame.name), scheme })}
        <main id="main" tabindex="-1">
          <div class="heading">
            <h1>${title}</h1>
            ${renameDeprecatedKeys(content, 'admin content', { beside: 'headingActions' }).headingActions}
          </div>
          <div id="notices">
            ${frame.notice === null ? null : noticeHtml(frame.notice, undoHtml(view, frame.notice))}
          </div>
          ${content.main}
        </main>
        <div id="live" class="hidden" role="status" aria-live="polite"></div>
        ${keysDialog(view)}
        <dialog
          id="palette"
          class="palette"
          aria-label="${t('Search or go to a page')}"
          data-url="${view.url('search')}"
        >
          <input
            type="search"
            role="combobox"
            aria-label="${t('Search or go to a page')}"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-autocomplete="list"
            placeholder="${t('Search or go to…')}"
            autocomplete="off"
            spellcheck="false"
          />
          <div id="palette-list" role="listbox" aria-label="${t('Results')}"></div>
          <p class="empty" data-none hidden>${t('No results.')}</p>
        </dialog>
      </body>
    </html> `
  const headers = new HeaderMap({
    ...PRIVATE_HEADERS,
    'Content-Security-Policy': policyOf(view, nonce, content.sources),
  })
  return { status: content.status ?? 200, headers, body: body.text }
}

/** Styles of all pages, in the order of their cascade layers. */
const STYLES = ['core/tokens.css', 'core/admin.css', 'core/shell.css', 'core/forms.css', 'core/tables.css']

/** Renders the name of the site with its icon, or with its first letter. @param site name as HTML */
async function brand(view: AdminView, site: PageHtml): Promise<PageHtml> {
  const id = Number(await view.plugin.services.options.get('site_icon', 0))
  const image =
    id > 0 ? await view.find<{ source_url?: string }>(`media/${id}`, { query: { _fields: 'source_url' } }) : null
  const letter = Array.from(plainText(site.text).trim())[0]?.toLocaleUpperCase() ?? ''
  const logo = image?.source_url
    ? html`<img class="logo" src="${image.source_url}" alt="" />`
    : html`<span class="logo" aria-hidden="true">${letter}</span>`
  return html`<a class="brand" href="${view.url('')}">${logo}<span>${site}</span></a>`
}

/** Renders a notice as HTML. @param undo the form that undoes the change */
export function noticeHtml({ kind, text, link }: Notice, undo: PageHtml | null = null): PageHtml {
  const more = link === undefined ? null : html` <a href="${link.href}">${link.label}</a>`
  return html`<div class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${text}${more} ${undo}</div>`
}

function undoHtml(view: AdminView, { undo }: Notice): PageHtml | null {
  if (undo === undefined) return null
  return html`<form method="post" action="${view.url(undo.path)}" class="inline">
    ${view.formFields('undo')}
    <input type="hidden" name="what" value="${undo.what}" />
    <input type="hidden" name="mark" value="${undo.mark}" />
    <button type="submit" class="plain">${view.t('Undo')}</button>
  </form>`
}

const PRIVATE_HEADERS = {
  'Content-Type': 'text/html; charset=UTF-8',
  'Cache-Control': 'no-cache, must-revalidate, max-age=0, no-store, private',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/** The Content-Security-Policy of admin pages: files of the admin, and images and media of the site. */
function policyOf({ plugin }: AdminView, nonce: string, sources: AdminContent['sources'] = {}): string {
  const { urls, branding } = plugin
  const assets = urls.site(`${branding.adminPath}assets/`)
  const directives: Record<string, readonly string[]> = {
    'default-src': ["'none'"],
    'script-src': [assets, `'nonce-${nonce}'`],
    'style-src': [assets],
    'img-src': ["'self'", 'data:', 'blob:'],
    'media-src': ["'self'", 'blob:'],
    'font-src': ["'self'"],
    'connect-src': ["'self'"],
    'frame-src': ["'self'"],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'self'"],
    'require-trusted-types-for': ["'script'"],
    // Scripts parse pages of this server with this policy, to update a part of the open page.
    'trusted-types': ['svc-admin'],
  }
  for (const [name, more] of Object.entries(sources)) {
    // A list with further sources must not contain 'none'.
    const own = (directives[name] ?? []).filter((source) => source !== "'none'" || more.length === 0)
    directives[name] = [...own, ...more]
  }
  return Object.entries(directives)
    .map(([name, values]) => `${name} ${values.join(' ')}`)
    .join('; ')
}
