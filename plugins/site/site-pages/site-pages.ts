import {
  decodePath,
  HeaderMap,
  RequestCache,
  type CurrentUser,
  type PluginContext,
  type RestRequest,
  type SitePage,
} from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { isUtf8Encoded } from '../../library/encoding/index.ts'
import { fragmentsOf } from '../../library/caching/index.ts'
import type { Post } from '../../content/posts/index.ts'
import { PREVIEW_TOKEN } from '../../content/previews/index.ts'
import { CommentForms, sentComment } from './comment-form.ts'
import type { FoundPage } from '../../content/permalinks/index.ts'
import type { SitePagesOptions } from './options.ts'
import { otherSite } from './other-site.ts'
import { previewOf } from './preview.ts'
import type { Showing } from './render.ts'
import type { Subject } from './subject.ts'
import { previewedTheme, previewUrls } from './theme-preview.ts'

/** Maximum characters of the path of a page. */
const MAX_PATH_LENGTH = 1000
/**
 * Extensions of files of other software, and of files that other plugins serve. Pages only have one if the URL structure
 * of the site ends with it.
 */
const FILE_EXTENSION = /\.(?:php|xml|txt|ico|png|jpe?g|gif|webp|avif|svg|css|js|mjs|map|json|woff2?)$/i

/** Responds to requests for pages of the site. */
export class SitePages {
  readonly #plugin: PluginContext
  readonly #options: SitePagesOptions
  readonly #forms: CommentForms

  /** @param ownRequests receives the REST requests that create comments from forms */
  constructor(plugin: PluginContext, options: SitePagesOptions, ownRequests: WeakSet<RestRequest>) {
    this.#plugin = plugin
    this.#options = options
    this.#forms = new CommentForms(plugin, ownRequests)
  }

  /**
   * Returns the page at a URL. Visitors get it from the response cache; searches stay in it for at most a minute. If
   * the option `site` is set, GET and HEAD requests are redirected there.
   * @returns null for the URL of a file, a path that is too long, or a theme without a matching template
   */
  async respond(request: SiteRequest): Promise<SitePage | null> {
    const { method, path } = request
    if (path === this.#plugin.branding.commentsPath && this.#options.site === '') return this.#comment(request)
    if (path.length > MAX_PATH_LENGTH || (await this.#isFile(path))) return null
    const isRead = method === 'GET' || method === 'HEAD'
    if (this.#selects(request.query, '\uFFFD') && !isUtf8Encoded(request.url)) return invalidQuery()
    if (this.#options.site !== '' && isRead) return otherSite(this.#options.site, request)
    if (!isRead && method !== 'POST') return notAllowed('GET, HEAD')
    const theme = isRead ? await previewedTheme(this.#plugin, request) : null
    if (theme !== null) return this.#previewTheme(theme, request)
    const key = isRead ? this.#keyOf(request) : null
    if (key === null || !this.#plugin.has('response-cache')) return this.#buildPage(request)
    const isBrief = request.query.has('s')
    return this.#plugin.services.responseCache.page(request, key, () => this.#buildPage(request), { isBrief })
  }

  /** Whether a parameter that selects content contains a text. */
  #selects(query: URLSearchParams, text: string): boolean {
    if (query.size === 0) return false
    const names = new Set(['s', ...this.#plugin.services.permalinks.parameters()])
    return [...query].some(([name, value]) => names.has(name) && value.includes(text))
  }

  /** Renders a page with another theme. Redirects to other pages keep the preview. */
  async #previewTheme(theme: string, request: SiteRequest): Promise<SitePage | null> {
    const page = await this.#plugin.services.themes.preview(theme, () => this.#buildPage(request))
    const url = page?.headers.get('Location') ?? null
    if (page === null || url === null) return page
    page.headers.set('Location', previewUrls(this.#plugin, theme, url)(url) ?? url)
    page.headers.set('Cache-Control', 'private, no-store')
    return page
  }

  async #isFile(path: string): Promise<boolean> {
    if (!FILE_EXTENSION.test(path) || path === '/index.php') return false
    const { parts } = await this.#plugin.services.permalinks.structure(new RequestCache())
    const suffix = parts.at(-1) ?? ''
    return !FILE_EXTENSION.test(suffix) || !path.toLowerCase().endsWith(suffix.toLowerCase())
  }

  /**
   * Returns the cache key of a page: its path and the parameters that select content. Null if the page is not
   * cacheable, because the user is logged in, or the URL changes the comment form or contains a preview token.
   */
  #keyOf({ path, query, user }: SiteRequest): string | null {
    if (user.id !== 0 || CommentForms.hasFormParams(query) || query.has(PREVIEW_TOKEN)) return null
    const named = ['s', ...this.#plugin.services.permalinks.parameters()].filter((name) => query.has(name))
    return JSON.stringify([path, ...named.map((name) => [name, query.get(name)])])
  }

  async #buildPage(request: SiteRequest): Promise<SitePage | null> {
    const { method, query } = request
    const isRead = method !== 'POST'
    const scope = this.#newScope(query)
    if (isRead && query.get('preview') === 'true') {
      const post = await previewOf(this.#plugin, request, scope)
      if (post !== null) return this.#preview(post, request, scope)
    }
    const { user } = request
    const found = await this.#find(request, user, scope)
    if (method === 'POST') return this.#postPassword(found, request, scope)
    if (found === null) {
      const { urlOfOldSlug } = await import('./old-slugs.ts')
      const url = await urlOfOldSlug(this.#plugin, request.path, scope)
      if (url !== null) return moved(url)
    }
    const { subjectOf, NOTHING } = await import('./subject.ts')
    const subject = found === null ? NOTHING : await subjectOf(this.#plugin, found, scope)
    const redirectUrl = await this.#canonicalOf(subject, request, scope)
    if (redirectUrl !== null) return moved(redirectUrl)
    const isHeld = found?.kind === 'post' && (await this.#forms.isHeld(request, found.post))
    const showing = { isPrivate: user.id !== 0 || isHeld, isOpened: !isProtected(subject), form: { isHeld } }
    return this.#render(subject, showing, request, scope)
  }

  /**
   * Stores a submitted comment. If it is refused, renders the page with the form filled in. Responds 404 if the post
   * does not exist or the user cannot read it.
   */
  async #comment(request: SiteRequest): Promise<SitePage | null> {
    if (request.method !== 'POST') return notAllowed('POST')
    const { subjectOf, NOTHING } = await import('./subject.ts')
    const { ip, user } = request
    const { permalinks, posts, contentTypes } = this.#plugin.services
    const sent = sentComment(this.#plugin, await request.form())
    const scope = this.#newScope(request.query)
    const post = sent.post === 0 || !this.#plugin.has('login') ? undefined : await posts.get(sent.post, scope)
    const isShown =
      post !== undefined &&
      contentTypes.get(post.type)?.viewable === true &&
      (await posts.isReadable(post, user, scope))
    if (!isShown) return this.#render(NOTHING, { isPrivate: true, isOpened: false }, request, scope)
    const answer = await this.#forms.send(request, post, sent)
    if (!('problems' in answer)) return answer
    const { status, problems } = answer
    const isOpened = post.password === '' || (await posts.checkPassword(post, sent.password, { ip, scope }))
    const url = await permalinks.post(post, scope)
    const subject = await subjectOf(this.#plugin, { kind: 'post', post, url, page: 1, commentPage: 0 }, scope)
    const { values, parent, password } = sent
    const form = { values, problems, parent, ...(isOpened && { password }) }
    const page = await this.#render(subject, { isPrivate: true, isOpened, form }, request, scope)
    if (page !== null) page.status = status
    return page
  }

  #newScope(query: URLSearchParams): RequestCache {
    const scope = new RequestCache()
    scope.query = Object.fromEntries(query)
    // Fragments of a preview depend on another theme, so none are read or stored.
    if (!this.#plugin.services.themes.isPreview) fragmentsOf(this.#plugin.server).begin({ method: 'GET', scope })
    return scope
  }

  #find({ path, query }: SiteRequest, user: CurrentUser, scope: RequestCache): Promise<FoundPage | null> {
    const { permalinks, posts } = this.#plugin.services
    const isShown = async (post: Post) => posts.isReadable(post, user, scope)
    return permalinks.find({ path, query }, isShown, scope)
  }

  async #render(
    subject: Subject,
    showing: Pick<Showing, 'isPrivate' | 'isOpened' | 'form'>,
    request: SiteRequest,
    scope: RequestCache,
  ): Promise<SitePage | null> {
    const { renderPage } = await import('./render.ts')
    const isIndexed = Boolean(await this.#plugin.services.options.get('blog_public', true))
    return renderPage(this.#plugin, subject, { ...showing, request, isIndexed, scope })
  }

  /** Renders an unpublished post for a user who may edit it, or the holder of a preview link. */
  async #preview(post: Post, request: SiteRequest, scope: RequestCache): Promise<SitePage | null> {
    const { subjectOf } = await import('./subject.ts')
    const url = await this.#plugin.services.permalinks.post(post, scope)
    const subject = await subjectOf(this.#plugin, { kind: 'post', post, url, page: 1, commentPage: 0 }, scope)
    const page = await this.#render(subject, { isPrivate: true, isOpened: true }, request, scope)
    // The URL contains the token.
    if (request.query.has(PREVIEW_TOKEN)) page?.headers.set('Referrer-Policy', 'no-referrer')
    return page
  }

  /**
   * Renders a protected post for a reader who submits its password, or responds 403 if the password is wrong. No cookie
   * stores the password, so readers enter it each time they open the post.
   */
  async #postPassword(found: FoundPage | null, request: SiteRequest, scope: RequestCache): Promise<SitePage | null> {
    if (found === null) return null
    if (found.kind !== 'post' || found.post.password === '') return notAllowed('GET, HEAD')
    const { post_password: password } = await request.form()
    const isOpened = await this.#plugin.services.posts.checkPassword(found.post, password, { ip: request.ip, scope })
    const { subjectOf } = await import('./subject.ts')
    const form = isOpened && typeof password === 'string' ? { password } : {}
    const subject = await subjectOf(this.#plugin, found, scope)
    const page = await this.#render(subject, { isPrivate: true, isOpened, form }, request, scope)
    if (page !== null && !isOpened) page.status = 403
    return page
  }

  /**
   * Returns the canonical URL of a page if the path or a parameter that selects content differs from it; otherwise
   * null.
   */
  async #canonicalOf(subject: Subject, { path, query }: SiteRequest, scope: RequestCache): Promise<string | null> {
    const { permalinks } = this.#plugin.services
    const { found, url, page, list, comments } = subject
    if (found === null || url === null) return null
    const isOfComments = found.kind === 'post' && found.commentPage > 0 && comments !== null
    const own = isOfComments
      ? comments.urlOf(comments.page).replace(/#.*$/, '')
      : list === null
        ? permalinks.part(url, page)
        : permalinks.paged(url, page, await permalinks.structure(scope))
    const parts = new URL(own)
    const isSamePath = decodePath(parts.pathname) === `${this.#plugin.urls.basePath}${path}`
    // Parameters that select other content are dropped: each page has one URL and one cache entry.
    const named = new Set(permalinks.parameters())
    const isOwn = [...query].every(([name]) => !named.has(name) || parts.searchParams.has(name))
    const isWhole = [...parts.searchParams].every(([name, value]) => query.get(name) === value)
    if (isSamePath && isOwn && isWhole) return null
    // Other parameters, for example of analytics, are preserved.
    for (const [name, value] of query) if (!named.has(name)) parts.searchParams.append(name, value)
    return parts.href
  }
}

function isProtected({ found }: Subject): boolean {
  return found?.kind === 'post' && found.post.password !== ''
}

function notAllowed(allow: string): SitePage {
  return {
    status: 405,
    headers: new HeaderMap({ Allow: allow, 'Content-Type': 'text/plain; charset=UTF-8' }),
    body: `Use ${allow}.\n`,
  }
}

function invalidQuery(): SitePage {
  return {
    status: 400,
    headers: new HeaderMap({ 'Content-Type': 'text/plain; charset=UTF-8', 'Cache-Control': 'no-store' }),
    body: 'The query of the URL is not valid UTF-8.\n',
  }
}

/** @param url a URL of this site, not from the request */
function moved(url: string): SitePage {
  // Clients must revalidate this redirect: another post may use the old URL later.
  const headers = { Location: url, 'Content-Type': 'text/html; charset=UTF-8', 'Cache-Control': 'no-cache' }
  return { status: 301, headers: new HeaderMap(headers), body: null }
}
