import { Tokenizer } from 'htmlparser2'
import { addQuery, type PluginContext } from '../../../kernel/index.ts'
import type { Words } from '../../foundation/translations/index.ts'
import { escapeHtml, html, type PageHtml } from '../../library/markup/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'

/** Query parameter that names a theme to show the page with. */
export const THEME_PARAMETER = 'theme_preview'
/** Extensions of files that no theme changes. */
const FILE_EXTENSION = /\.(?!html?$)[a-z0-9]{2,5}$/i
const FEED_PATH = /\/feed(?:\/[a-z0-9]+)?\/?$/

/** Returns the theme that a user who may switch themes wants to see; null to show the active one. */
export async function previewedTheme(
  { services }: PluginContext,
  { query, user }: Pick<SiteRequest, 'query' | 'user'>,
): Promise<string | null> {
  const name = query.get(THEME_PARAMETER)
  if (name === null || user.id === 0) return null
  if (!services.capabilities.can(user, 'switch_themes')) return null
  return (await services.themes.get(name))?.isBlockTheme === true ? name : null
}

/**
 * Renders the bar above the preview of a theme; null in a frame, such as that of the page Appearance.
 * @param url canonical URL of the page; null if it has none
 */
export async function previewBar(
  { branding, has, services, urls }: PluginContext,
  request: Pick<SiteRequest, 'headers'>,
  url: string | null,
  words: Words,
): Promise<PageHtml | null> {
  if (request.headers.get('sec-fetch-dest') === 'iframe') return null
  const { stylesheet, name } = await services.themes.active()
  // A link to the form that activates the theme, and no form: styles of the theme could read the nonce of a form.
  const activate = addQuery(urls.site(`${branding.adminPath}appearance`), { preview: stylesheet })
  const items = [
    html`<strong>${words.t('Preview of {theme}', { theme: name })}</strong>`,
    ...(has('admin') ? [html`<a href="${activate}">${words.t('theme|Activate')}</a>`] : []),
    html`<a href="${url ?? urls.site('/')}">${words.t('Leave preview')}</a>`,
  ]
  return html`<nav class="edit-bar" aria-label="${words.t('Theme preview')}">
    <ul>
      ${items.map((item) => html`<li>${item}</li>`)}
    </ul>
  </nav>`
}

/**
 * Returns a function that adds the preview to the URL of a page of this site. It returns null for other sites, the
 * admin, the login page, the REST API, feeds and files, and for links within the page.
 * @param pageUrl URL of the page, to resolve relative URLs
 */
export function previewUrls(
  { branding, urls }: Pick<PluginContext, 'branding' | 'urls'>,
  theme: string,
  pageUrl: string,
): (url: string) => string | null {
  const home = new URL(urls.site('/'))
  const others = [branding.adminPath, branding.loginPath, branding.commentsPath, `/${branding.prefix}`]
  return (url) => {
    if (url.trim().startsWith('#')) return null
    const target = URL.parse(url, pageUrl)
    if (target === null || target.origin !== home.origin) return null
    const path = `${target.pathname}/`.startsWith(home.pathname)
      ? target.pathname.slice(home.pathname.length - 1)
      : null
    if (path === null || FEED_PATH.test(path) || FILE_EXTENSION.test(path)) return null
    if (others.some((other) => path === other || `${path}/`.startsWith(other.replace(/\/?$/, '/')))) return null
    if (['feed', 'rest_route', 'action'].some((name) => target.searchParams.has(name))) return null
    target.searchParams.set(THEME_PARAMETER, theme)
    return target.href
  }
}

/**
 * Changes the links and the search forms in HTML, so that they keep the preview of a theme.
 * @param previewUrl a function of `previewUrls`
 */
export function keepPreview(text: string, theme: string, previewUrl: (url: string) => string | null): string {
  let result = ''
  let copied = 0
  let tag = ''
  let attributes = new Map<string, { value: string; start: number; end: number }>()
  let attribute = ''
  const insert = (at: number, added: string, next = at) => {
    result += text.slice(copied, at) + added
    copied = next
  }
  const opened = (end: number) => {
    if (tag === 'a' || tag === 'area') {
      const href = attributes.get('href')
      const url = href === undefined ? null : previewUrl(href.value)
      if (url !== null) insert(href!.start, escapeHtml(url), href!.end)
    }
    if (tag !== 'form' || attributes.get('method')?.value.toLowerCase() === 'post') return
    if (previewUrl(attributes.get('action')?.value ?? '?') === null) return
    insert(end + 1, `<input type="hidden" name="${THEME_PARAMETER}" value="${escapeHtml(theme)}">`)
  }
  const tokenizer = new Tokenizer(
    { decodeEntities: false, xmlMode: false },
    {
      onopentagname(start, end) {
        tag = text.slice(start, end).toLowerCase()
        attributes = new Map()
      },
      onattribname(start, end) {
        attribute = text.slice(start, end).toLowerCase()
      },
      onattribdata(start, end) {
        if (attributes.has(attribute)) return
        attributes.set(attribute, { value: text.slice(start, end).replace(/&(?:amp|#0?38);/g, '&'), start, end })
      },
      onopentagend: opened,
      onselfclosingtag: opened,
      onattribentity() {},
      onattribend() {},
      ontext() {},
      ontextentity() {},
      onclosetag() {},
      oncomment() {},
      oncdata() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  )
  tokenizer.write(text)
  return result + text.slice(copied)
}
