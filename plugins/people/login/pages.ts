import { addQuery, HeaderMap, type SitePage, type Urls, type Branding } from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { escapeHtmlOnce, html, inlineStyle, PageHtml } from '../../library/markup/index.ts'

/** Maximum length of a URL in a header, in characters: clients and proxies refuse much longer ones. */
const MAX_URL_LENGTH = 8_000

const PRIVATE = {
  'Content-Type': 'text/html; charset=UTF-8',
  'Cache-Control': 'no-cache, must-revalidate, max-age=0, no-store, private',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'same-origin',
}

const LOCKED_DOWN_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}

/** Uses the colors of the admin. */
const STYLE = inlineStyle(`
    :root { color-scheme: light dark; font: .9375rem/1.5 Inter, ui-sans-serif, system-ui, sans-serif;
      color: light-dark(#1c2024, #edeef0); background: light-dark(#f9f9fb, #111113) }
    body { margin: 0; padding: 1rem }
    main { max-width: 24rem; box-sizing: border-box; margin: 8vh auto 0; padding: 2rem; overflow-wrap: anywhere;
      background: light-dark(#fff, #18191b); border: 1px solid light-dark(#e0e1e6, #2e3135); border-radius: .75rem;
      box-shadow: 0 12px 32px -16px rgb(0 0 0 / 25%) }
    h1 { font-size: 1.375rem; font-weight: 650; letter-spacing: -.015em; line-height: 1.2; margin: 0 0 1.25rem }
    a { color: light-dark(#3a5bc7, #9eb1ff) }
    label { font-weight: 550 }
    input, button { font: inherit }
    input { color: inherit; background: light-dark(#fff, #111113); border: 1px solid light-dark(#80838d, #777b84); border-radius: .375rem }
    input:not([type=checkbox]) { display: block; box-sizing: border-box; width: 100%; padding: .5rem .7rem; margin-top: .25rem }
    button { padding: .5rem 1rem; border: 0; border-radius: .375rem; cursor: pointer; font-weight: 550;
      color: #fff; background: #3e63dd }
    button:hover { background: #3358d4 }
    :focus-visible { outline: 2px solid light-dark(#3a5bc7, #9eb1ff); outline-offset: 2px }
    [role=alert] { border-left: .25rem solid #c22; padding: .25rem .75rem }
    [role=status] { border-left: .25rem solid #282; padding: .25rem .75rem }`)

/** Options of `pages.page`. */
export interface PageOptions {
  /**
   * URLs of other sites that a form of the page can lead to, also by redirects. Forms can always lead to the site
   * itself.
   */
  readonly formTargets?: readonly string[]
  /** Language of its texts, BCP 47; English by default. */
  readonly language?: string
  /** CSS of the page, in addition to the common CSS. Style attributes and style elements are not permitted. */
  readonly style?: string
}

/** Renders plain HTML pages of the site, which work without scripts. */
export class Pages {
  readonly #branding: Branding
  readonly #urls: Urls
  /** HTML template tag: html`<p>${text}</p>`. Quote attributes. */
  readonly html = html

  constructor(branding: Branding, urls: Urls) {
    this.#branding = branding
    this.#urls = urls
  }

  /** Prepares a text that is stored with HTML entities, such as titles of sites and names of users, for a template. */
  stored(text = ''): PageHtml {
    return new PageHtml(escapeHtmlOnce(text))
  }

  /** Prepares data for `<script type="application/json">`: no text in it can end the element. */
  json(data: unknown): PageHtml {
    return new PageHtml(JSON.stringify(data).replaceAll('<', '\\u003c'))
  }

  /** Renders a page that is not cached and cannot be framed. */
  page(
    title: string | PageHtml,
    main: PageHtml,
    status = 200,
    { formTargets = [], language = 'en', style }: PageOptions = {},
  ): SitePage {
    const styles = style === undefined ? [STYLE] : [STYLE, inlineStyle(style)]
    const policy = [
      "default-src 'none'",
      `style-src ${styles.map(({ source }) => source).join(' ')}`,
      `form-action ${["'self'", ...formTargets.map(formSource)].join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]
    const body = html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="robots" content="noindex" />
          <title>${title}</title>
          ${styles.map(({ element }) => new PageHtml(element))}
        </head>
        <body>
          <main>
            <h1>${title}</h1>
            ${main}
          </main>
        </body>
      </html> `
    const headers = new HeaderMap({ ...PRIVATE, 'Content-Security-Policy': policy.join('; ') })
    return { status, headers, body: body.text }
  }

  /** Redirects the browser to a URL. */
  redirect(url: string): SitePage {
    return { status: 302, headers: new HeaderMap({ ...PRIVATE, ...LOCKED_DOWN_HEADERS, Location: url }), body: '' }
  }

  /** Redirects a visitor to the login page, and from there back to the requested page. */
  toLogin({ path, query }: Pick<SiteRequest, 'path' | 'query'>): SitePage {
    const requestedUrl = this.#urls.site(path) + (query.size === 0 ? '' : `?${query.toString()}`)
    const login = this.#urls.site(this.#branding.loginPath)
    const url = addQuery(login, { redirect_to: requestedUrl })
    return this.redirect(url.length <= MAX_URL_LENGTH ? url : login)
  }

  /** Returns the absolute form of a requested redirect URL if it is one of this site; else null. */
  ownUrl(target: unknown): string | null {
    if (typeof target !== 'string' || target === '') return null
    const home = new URL(`${this.#urls.home}/`)
    const url = URL.canParse(target, home) ? new URL(target, home) : null
    const isOwn = url?.origin === home.origin && url.pathname.startsWith(home.pathname)
    const isPlain = isOwn && url.username === '' && url.password === ''
    return isPlain && url.href.length <= MAX_URL_LENGTH ? url.href : null
  }

  /** Whether a form was sent by a page of another site, as far as the browser reports it. */
  isForeign({ headers }: Pick<SiteRequest, 'headers'>): boolean {
    const site = headers.get('sec-fetch-site')
    if (site !== null) return site !== 'same-origin' && site !== 'none'
    const origin = headers.get('origin')
    if (origin === null || origin === new URL(this.#urls.home).origin) return false
    return !URL.canParse(origin) || new URL(origin).host !== headers.get('host')
  }
}

/** Returns a URL as a source of `form-action`. */
function formSource(url: string): string {
  const { origin, protocol, hostname } = new URL(url)
  // Sources cannot be IPv6 addresses, and URLs of programs have no origin.
  return origin === 'null' || hostname.startsWith('[') ? protocol : origin
}
