import {
  applyFilter,
  HeaderMap,
  applySyncFilter,
  runAction,
  type PluginContext,
  type RequestCache,
  type SitePage,
} from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { uniqueIds } from '../../rendering/content-rendering/index.ts'
import { showOnPage } from '../../rendering/core-blocks/index.ts'
import { commentForm, type FormState } from './comment-form.ts'
import { documentOf } from './document.ts'
import { EDIT_BAR_STYLE, editBar } from './edit-bar.ts'
import { bodyClasses, documentTitle, headOf } from './head.ts'
import type { ShownPage } from './hooks.ts'
import { siteTexts } from './site-texts.ts'
import type { Subject } from './subject.ts'
import { keepPreview, previewBar, previewUrls } from './theme-preview.ts'
import { templateSlugs } from './template-slugs.ts'

/** How a page is rendered. */
export interface Showing {
  readonly request: SiteRequest
  /** Whether the reader may see the texts of the post. */
  readonly isOpened: boolean
  /** Whether the page is for this reader only: no cache may store it, and no search engine may index it. */
  readonly isPrivate: boolean
  /** Whether search engines may index the site. */
  readonly isIndexed: boolean
  /** State of a comment form that was submitted. */
  readonly form?: FormState
  readonly scope: RequestCache
}

/**
 * Returns the Content-Security-Policy of pages: no scripts; images and media from any origin, and frames of embeds,
 * because content uses them; forms only to this site. Blocks use style attributes; `<style>` elements must come from
 * the page or a plugin.
 */
const policyOf = (styleSources: readonly string[]) =>
  [`style-src 'self' ${styleSources.join(' ')}`, ...POLICY].join('; ')

const POLICY = [
  "default-src 'none'",
  "style-src-attr 'unsafe-inline'",
  'img-src * data:',
  'media-src *',
  "font-src 'self' https: data:",
  "frame-src 'self' https:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
]

/**
 * Renders a page of the site with the most specific template of the theme; null if the theme has no matching template.
 */
export async function renderPage(plugin: PluginContext, subject: Subject, showing: Showing): Promise<SitePage | null> {
  const { services, branding, urls, has, hooks } = plugin
  const { isOpened, isPrivate, scope } = showing
  const { query, user } = showing.request
  const slugs = await templateSlugs(plugin, subject, scope)
  const template = await services.templates.firstShown(slugs, scope)
  if (template === undefined) return null
  const { found, list, archive } = subject
  await runAction(hooks.site_page_found, found, scope)
  const words = await services.translations.site()
  const url = subject.url ?? urls.site('/')
  const structure = await services.permalinks.structure(scope)
  const isList = list !== null
  const urlOf = (number: number): string => {
    if (found?.kind === 'search') return services.permalinks.search(found.search, number)
    return isList ? services.permalinks.paged(url, number, structure) : services.permalinks.part(url, number)
  }
  const page: ShownPage = {
    found,
    url: found === null ? null : urlOf(subject.page),
    title: found === null ? words.t('Page not found') : subject.title,
    page: subject.page,
    pages: subject.pages,
    isPrivate,
    user,
    scope,
  }
  const post = found?.kind === 'post' && !subject.isPostsPage ? found.post : null
  showOnPage(scope, {
    post,
    isOpened,
    part: subject.page,
    commentPage: found?.kind === 'post' ? found.commentPage : 0,
    list,
    archive,
    search: found?.kind === 'search' ? found.search : null,
    url,
    urlOf,
    partUrl: (part) => services.permalinks.part(url, part),
    user,
    comments: subject.comments,
    commentForm: post === null ? null : commentForm(plugin, post, { query, user, form: showing.form }),
    commentEditUrl: (id) => (plugin.has('admin') ? urls.site(`${branding.adminPath}comments/${id}`) : null),
  })
  const own = routeOf(plugin, subject)
  const route = has('discovery') ? applySyncFilter(hooks.rest_queried_resource_route, own, showing.request) : own
  const body = await services.blocks.showPage(template.content, scope)
  const site = await siteTexts(plugin, scope)
  const { isPreview } = services.themes
  const bar = isPreview
    ? await previewBar(plugin, showing.request, page.url, words)
    : await editBar(plugin, page, words)
  const theme = isPreview ? (await services.themes.active()).stylesheet : null
  const shown = theme === null ? body.html : keepPreview(body.html, theme, previewUrls(plugin, theme, url))
  const above = await applyFilter(plugin.hooks.site_body_start, bar === null ? [] : [bar], page)
  const { html, styleSources } = documentOf({
    language: site.language.replaceAll('_', '-'),
    title: await applyFilter(hooks.site_document_title, documentTitle(page, site, words), page),
    head: await headOf(plugin, { page, subject, site, isOpened, isIndexed: showing.isIndexed, urlOf, route }),
    bodyClasses: bodyClasses(plugin, page, subject),
    body: await uniqueIds(shown + body.styles.filters),
    above,
    below: await applyFilter(plugin.hooks.site_body_end, [], page),
    style: (bar === null ? '' : EDIT_BAR_STYLE) + body.styles.css,
    skip: words.t('Skip to content'),
    rootClass: `${branding.blockMark}-site-blocks`,
  })
  const headers = new HeaderMap({
    'Content-Type': 'text/html; charset=UTF-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': policyOf(styleSources),
    'Referrer-Policy': 'strict-origin-when-cross-origin',
  })
  if (route !== '' && found !== null && !isPrivate)
    headers.append('Link', `<${urls.rest(route)}>; rel="alternate"; title="JSON"; type="application/json"`)
  if (post !== null && !isPrivate && !subject.isFront)
    headers.append('Link', `<${urls.site(`/?p=${post.id}`)}>; rel=shortlink`)
  if (isPrivate) {
    headers.set('Cache-Control', 'private, no-store')
    headers.set('X-Robots-Tag', 'noindex')
  } else if (found === null) headers.set('Cache-Control', 'no-cache, must-revalidate, max-age=0')
  return { status: found === null ? 404 : 200, headers, body: html }
}

/** Returns the REST route of the post, term or author that a page shows; `''` if it shows another object. */
function routeOf({ branding, services }: PluginContext, { found, isPostsPage }: Subject): string {
  if (found?.kind === 'post') return isPostsPage ? '' : services.contentTypes.itemRoute(found.post)
  if (found?.kind === 'term') return services.taxonomies.itemRoute(found.term)
  return found?.kind === 'author' ? `/${branding.namespace('v2')}/users/${found.user.id}` : ''
}
