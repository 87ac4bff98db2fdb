import {
  addQuery,
  cleanText,
  definePlugin,
  HeaderMap,
  RequestCache,
  RestError,
  runAction,
  trimEndSlashes,
  type PluginContext,
  type SitePage,
} from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import type { PageHtml } from '../../library/markup/index.ts'
import { registerConfirmRoute } from './confirm-route.ts'
import { errors } from './errors.ts'
import { loginHooks } from './hooks.ts'
import { Logins } from './logins.ts'
import { Pages } from './pages.ts'

export type { Logins } from './logins.ts'
export type { PageOptions, Pages } from './pages.ts'

/** Translations of the site. The type comes from the service, because its plugin is in a room above this one. */
type Words = Awaited<ReturnType<PluginContext['services']['translations']['site']>>

/** Action of the log-out nonce. */
const LOG_OUT = 'log-out'

/** The pages for logging in and out, and the URL that returns a fresh nonce. */
export default definePlugin({
  name: 'login',
  needs: ['site-requests', 'users', 'passwords', 'login-attempts', 'cookie-auth', 'settings', 'translations'],
  // For the link to the privacy policy.
  uses: ['posts', 'permalinks'],
  formerServices: { pages: 'plainPages', logins: 'login' },
  provides: ['plainPages', 'login'],
  hooks: loginHooks,
  apply(plugin) {
    const { hooks, provide, branding, urls, log } = plugin
    provide('plainPages', new Pages(branding, urls))
    provide('login', new Logins(plugin))

    // Operators act on this event (docs/guides/operating.md). Without the login, because users type passwords there.
    hooks.login_failed.tap({ name: 'login', stage: 100 }, (_login, ip, user) =>
      log.warn({ event: 'login_failed', ip, user }, 'log-in failed'),
    )
    hooks.login_refused.tap({ name: 'login', stage: 100 }, (user, ip) =>
      log.warn({ event: 'login_refused', ip, user }, 'log-in refused after too many failures'),
    )

    hooks.rest_api_init.tap({ name: 'login', stage: 100 }, (server) => registerConfirmRoute(server, plugin))

    const pages = new LoginPages(plugin)
    const { loginPath, adminPath, ajaxPath } = branding
    hooks.site_request.tapPromise('login', async (page, request) => {
      if (page !== null) return page
      const path = trimEndSlashes(request.path)
      if (path === loginPath) return pages.login(request)
      if (path === ajaxPath && request.query.get('action') === 'rest-nonce') return pages.nonce(request)
      return page
    })
    // The page after the log-in on a site without the admin.
    hooks.site_request.tapPromise({ name: 'login', stage: 100 }, async (page, request) => {
      if (page !== null || trimEndSlashes(request.path) !== trimEndSlashes(adminPath)) return page
      return pages.admin(request)
    })
  },
})

/** Handles the requests for these pages. */
class LoginPages {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** The login page: its form, the submitted form, and the log-out. */
  async login(request: SiteRequest): Promise<SitePage> {
    const { services } = this.#plugin
    const { method, query, user } = request
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') return refusedMethod('GET, HEAD, POST')
    const form = method === 'POST' ? await request.form() : {}
    if ((form['action'] ?? query.get('action')) === 'logout') return this.#logOut(request, form)
    if (method === 'POST') return this.#logIn(request, form)
    const target = services.plainPages.ownUrl(query.get('redirect_to'))
    if (user.session !== undefined) return services.plainPages.redirect(target ?? this.#adminUrl)
    if (!query.has('loggedout')) return this.#form(target, null)
    const text = (await services.translations.site()).t('You are now logged out.')
    return this.#form(target, services.plainPages.html`<p role="status">${text}</p>`)
  }

  /** The page that users reach after the log-in. */
  async admin(request: SiteRequest): Promise<SitePage> {
    const { services, urls, branding } = this.#plugin
    const { plainPages: pages, options } = services
    const { method, path, user } = request
    if (method !== 'GET' && method !== 'HEAD') return refusedMethod('GET, HEAD')
    if (user.session === undefined) return pages.toLogin(request)
    if (path !== branding.adminPath) return pages.redirect(this.#adminUrl)
    const words = await services.translations.site()
    const title = String(await options.get('title', ''))
    const logOutUrl = addQuery(urls.site(branding.loginPath), {
      action: 'logout',
      [branding.nonceParameter]: services.nonces.create(LOG_OUT, user),
    })
    return pages.page(
      title === '' ? words.t('Untitled site') : pages.stored(title),
      pages.html`<p>${words.html('You are logged in as {name}.', { name: pages.stored(user.name || user.login) })}</p>
<ul>
<li><a href="${urls.site('/')}">${words.t('Visit site')}</a></li>
<li><a href="${urls.rest()}">${words.t('REST API')}</a></li>
<li><a href="${logOutUrl}">${words.t('Log out')}</a></li>
</ul>`,
      200,
      { language: words.language },
    )
  }

  /** Returns a fresh nonce as plain text, for a page of a logged-in user. */
  nonce({ user }: SiteRequest): SitePage {
    const { services, branding } = this.#plugin
    const headers = new HeaderMap({
      'Content-Type': 'text/plain; charset=UTF-8',
      'Cache-Control': 'no-cache, must-revalidate, max-age=0, no-store, private',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex',
    })
    if (user.session === undefined) return { status: 400, headers, body: '0' }
    return { status: 200, headers, body: services.nonces.create(branding.nonceAction, user) }
  }

  get #adminUrl(): string {
    return this.#plugin.urls.site(this.#plugin.branding.adminPath)
  }

  async #logIn(request: SiteRequest, form: Readonly<Record<string, unknown>>): Promise<SitePage> {
    const { hooks, services } = this.#plugin
    const { plainPages: pages, login: logins, sessions, sessionCookie } = services
    const target = pages.ownUrl(form['redirect_to'])
    const login = textOf(form['log']).trim()
    if (pages.isForeign(request)) return this.#form(target, errors.login_foreign_form(), login)
    const user = await logins.check(login, textOf(form['pwd']), request.ip)
    if (user instanceof RestError) return this.#form(target, user, login)
    const agent = cleanText(request.headers.get('user-agent') ?? '')
    const remember = textOf(form['rememberme']) !== ''
    const session = await sessions.create(user.id, { remember, ip: request.ip, agent })
    // Ends the session that the browser had before.
    const before = sessionCookie.read(request.headers)
    if (before !== null) await sessions.destroy(before)
    await runAction(hooks.login_succeeded, { ...user, session: session.id })
    const page = pages.redirect(target ?? this.#adminUrl)
    page.headers.set('Set-Cookie', sessionCookie.set(session, request.secure))
    return page
  }

  async #logOut(request: SiteRequest, form: Readonly<Record<string, unknown>>): Promise<SitePage> {
    const { hooks, services, urls, branding } = this.#plugin
    const { plainPages: pages, nonces, sessions, sessionCookie } = services
    const { query, user, headers } = request
    const target = pages.ownUrl(form['redirect_to'] ?? query.get('redirect_to'))
    const parameter = branding.nonceParameter
    if (user.session !== undefined) {
      const nonce = textOf(form[parameter] ?? query.get(parameter))
      if (nonces.verify(nonce, LOG_OUT, user) === false) return this.#renderLogOutConfirmation(request, target)
      await sessions.destroy(sessionCookie.read(headers) ?? '')
      await runAction(hooks.logged_out, user.id)
    }
    const page = pages.redirect(target ?? addQuery(urls.site(branding.loginPath), { loggedout: 'true' }))
    page.headers.set('Set-Cookie', sessionCookie.clear(request.secure))
    return page
  }

  /** Another site may have sent the user here, so the log-out needs a confirmation. */
  async #renderLogOutConfirmation({ user }: SiteRequest, target: string | null): Promise<SitePage> {
    const { services, urls, branding } = this.#plugin
    const { plainPages: pages, nonces, translations } = services
    const words = await translations.site()
    const name = pages.stored(user.name || user.login)
    return pages.page(
      words.t('Log out'),
      pages.html`<p>${words.html('You are logged in as {name}. Do you want to log out?', { name })}</p>
<form method="post" action="${urls.site(branding.loginPath)}">
<input type="hidden" name="action" value="logout">
<input type="hidden" name="${branding.nonceParameter}" value="${nonces.create(LOG_OUT, user)}">
<input type="hidden" name="redirect_to" value="${target ?? ''}">
<p><button type="submit">${words.t('Log out')}</button></p>
</form>`,
      403,
      { language: words.language },
    )
  }

  /** Renders the form, with a notice or an error above it. */
  async #form(target: string | null, message: RestError | PageHtml | null, login = ''): Promise<SitePage> {
    const { services, urls, branding } = this.#plugin
    const { plainPages: pages, translations } = services
    const words = await translations.site()
    const { html } = pages
    const failed = message instanceof RestError
    const errorAttributes = failed ? html` aria-invalid="true" aria-describedby="login_error"` : null
    const above = failed ? html`<p role="alert" id="login_error">${textOfError(message, words)}</p>` : message
    const [first, second] = login === '' ? [html` autofocus`, null] : [null, html` autofocus`]
    const page = pages.page(
      words.t('Log in'),
      html`${above}
        <form method="post" action="${urls.site(branding.loginPath)}">
          <p>
            <label for="user_login">${words.t('Username or email address')}</label>
            <input
              type="text"
              name="log"
              id="user_login"
              value="${login}"
              autocomplete="username"
              autocapitalize="none"
              spellcheck="false"
              required${errorAttributes}${first}
            />
          </p>
          <p>
            <label for="user_pass">${words.t('Password')}</label>
            <input
              type="password"
              name="pwd"
              id="user_pass"
              autocomplete="current-password"
              required${errorAttributes}${second}
            />
          </p>
          <p>
            <input type="checkbox" name="rememberme" id="rememberme" value="forever" />
            <label for="rememberme">${words.t('Remember me')}</label>
          </p>
          <input type="hidden" name="redirect_to" value="${target ?? ''}" />
          <p><button type="submit" id="${branding.word}-submit">${words.t('Log in')}</button></p>
        </form>
        ${await this.#privacyLink()}`,
      failed ? message.status : 200,
      { language: words.language },
    )
    const wait = failed ? message.data['retry_after'] : undefined
    if (typeof wait === 'number') page.headers.set('Retry-After', wait)
    return page
  }

  /** Renders the link to the page with the privacy policy; null if the site has none. */
  async #privacyLink(): Promise<PageHtml | null> {
    const { has, services } = this.#plugin
    if (!has('posts') || !has('permalinks')) return null
    const { permalinks, plainPages: pages, posts } = services
    const scope = new RequestCache()
    const page = await posts.privacyPage(scope)
    if (page === null) return null
    return pages.html`<p><a href="${await permalinks.post(page, scope)}">${pages.stored(page.title)}</a></p>`
  }
}

/** Translates the errors of a login. Those that plugins return are shown as they are, if no catalog has them. */
function textOfError({ message, data }: RestError, words: Words): string {
  const seconds = data['retry_after']
  return typeof seconds === 'number' && message === errors.login_too_many_attempts(seconds).message
    ? words.t('Too many failed login attempts. Try again in {seconds} seconds.', { seconds })
    : words.t(message)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function refusedMethod(allowed: string): SitePage {
  const headers = new HeaderMap({ 'Content-Type': 'text/plain; charset=UTF-8', Allow: allowed })
  return { status: 405, headers, body: 'Method not allowed.\n' }
}
