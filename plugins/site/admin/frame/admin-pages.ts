import { RestError, trimEndSlashes, type PluginContext, type SitePage } from '../../../../kernel/index.ts'
import type { SiteRequest } from '../../../requests/site-requests/index.ts'
import { doNotCache } from '../../../library/caching/index.ts'
import { html } from '../../../library/markup/index.ts'
import { errors } from '../errors.ts'
import {
  ASSETS,
  type AdminAnswer,
  type AdminContent,
  type Admin,
  type OpenedPage,
  type PageHandlers,
} from '../admin.ts'
import { AdminAssets } from './assets.ts'
import { confirmationNames, confirmationPage, isConfirmationRequired } from './confirmation.ts'
import { mayOpen, menuOf } from './menu.ts'
import { noNoticeCookie, noticeOf, type Notice } from './notice.ts'
import { framed } from './page.ts'
import { AdminView, FORM_NONCE } from './view.ts'

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST']

/** Former paths of pages, which bookmarks still have, with the current ones. */
const FORMER_PATHS: ReadonlyMap<string, string> = new Map([['looks', 'appearance']])

/** The user data that the frame shows. */
interface Me {
  readonly name: string
  readonly locale: string
}

/** Responds to requests for pages and files of the admin. */
export class AdminPages {
  readonly #plugin: PluginContext
  readonly #admin: Admin
  readonly #assets: AdminAssets

  constructor(plugin: PluginContext, admin: Admin) {
    this.#plugin = plugin
    this.#admin = admin
    this.#assets = new AdminAssets(plugin, admin)
  }

  /**
   * Responds to a request below the path of the admin. Files are public; pages require a session: without one, GET is
   * redirected to the login page, and POST gets the page of `#lostSession`.
   */
  async respond(request: SiteRequest): Promise<SitePage> {
    const { adminPath } = this.#plugin.branding
    const { plainPages: pages } = this.#plugin.services
    const path = request.path.slice(adminPath.length)
    if (path.startsWith(`${ASSETS}/`)) return this.#file(path.slice(ASSETS.length + 1), request)
    if (!METHODS.includes(request.method)) return this.#refusedMethod()
    const current = FORMER_PATHS.get(trimEndSlashes(path))
    // A page that a plugin has added under a former path replaces the redirect.
    if (current !== undefined && this.#admin.find(path) === null) return this.#moved(current, request)
    if (request.user.session === undefined)
      return request.method === 'POST' ? this.#lostSession() : pages.toLogin(request)
    if (path !== '' && path.endsWith('/')) return pages.redirect(this.#plugin.urls.site(trimEndSlashes(request.path)))
    doNotCache('a page of the admin is for one user')
    const { data: me } = await this.#me(request)
    const words = await this.#plugin.services.translations.in(me.locale)
    const icons = await this.#assets.urlOf('core/icons.svg')
    const bare = new AdminView(this.#plugin, request, { words, icons })
    const found = this.#admin.find(path)
    try {
      if (found === null) throw errors.admin_page_not_found()
      if (!(await mayOpen(found.page, bare))) throw errors.admin_forbidden()
      if (request.method === 'POST') return await this.#act(found, bare, me, icons)
      const view = new AdminView(this.#plugin, request, { params: found.params, words, icons })
      return await this.#showPage(view, found, me)
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      return this.#refused(bare, found, me, error)
    }
  }

  /** Redirects permanently to the current path of a page. With 308, the browser sends a form again as it is. */
  #moved(path: string, { query }: SiteRequest): SitePage {
    const { branding, services, urls } = this.#plugin
    const search = query.size === 0 ? '' : `?${query.toString()}`
    return { ...services.plainPages.redirect(`${urls.site(`${branding.adminPath}${path}`)}${search}`), status: 308 }
  }

  #refusedMethod(): SitePage {
    const allowed = METHODS.join(', ')
    const error = errors.admin_method(allowed)
    const page = this.#plugin.services.plainPages.page(
      'Something went wrong',
      html`<p>${error.message}</p>`,
      error.status,
    )
    page.headers.set('Allow', allowed)
    return page
  }

  /**
   * Responds 401 to a form that was submitted without a session, for example after it expired. The form is not stored:
   * the user logs in in another tab and goes back to the form, whose values the browser restores.
   */
  async #lostSession(): Promise<SitePage> {
    const { services, urls, branding } = this.#plugin
    const words = await services.translations.site()
    const login = urls.site(branding.loginPath)
    const text = html`<p>
        ${words.t('Your session has expired. Log in in another tab, then continue here. Your work is safe.')}
      </p>
      <p><a href="${login}" target="_blank">${words.t('Log in (opens another tab)')}</a></p>`
    return services.plainPages.page(words.t('Log in'), text, 401)
  }

  async #file(path: string, request: SiteRequest): Promise<SitePage> {
    try {
      return await this.#assets.respond(path, request)
    } catch (error) {
      if (!(error instanceof RestError)) throw error
      return this.#plugin.services.plainPages.page('Not found', html`<p>${error.message}</p>`, error.status)
    }
  }

  async #me(request: SiteRequest): Promise<{ data: Me }> {
    const view = new AdminView(this.#plugin, request, { words: await this.#plugin.services.translations.site() })
    return view.ask<Me>('GET', 'users/me', { query: { context: 'edit', _fields: 'name,locale' } })
  }

  async #showPage(view: AdminView, found: OpenedPage, me: Me): Promise<SitePage> {
    const { show } = await handlersOf(found)
    const notice = noticeOf(this.#plugin, view.request)
    const page = await this.#answer(view, await show(view), { found, me, notice })
    if (notice !== null && page.status === 200)
      page.headers.append('Set-Cookie', noNoticeCookie(this.#plugin, view.request))
    return page
  }

  /**
   * Runs the handler of a submitted form. First checks its origin, its nonce and, if the form contains it, the current
   * password of the user.
   */
  async #act(found: OpenedPage, { request, words }: AdminView, me: Me, icons: string): Promise<SitePage> {
    const { services, branding } = this.#plugin
    if (services.plainPages.isForeign(request)) throw errors.admin_form_expired()
    const names = confirmationNames(branding)
    const sent = found.page.uploads === true ? await request.upload() : { form: await request.form(), files: [] }
    const { [names.field]: password, ...form } = sent.form
    // For a file field in which no file was selected, browsers send an empty file without a name.
    const files = sent.files.filter(({ filename, size }) => filename !== '' || size > 0)
    const view = new AdminView(this.#plugin, request, { form, files, params: found.params, words, icons })
    if (services.nonces.verify(view.text(branding.nonceParameter), FORM_NONCE, request.user) === false)
      throw errors.admin_form_expired()
    const around = { found: { ...found, page: { ...found.page, scripts: [], styles: [] } }, me, notice: null }
    const isEntered = typeof password === 'string' && password !== ''
    if (isEntered) {
      const until = await services.login.confirm(request, password)
      if (until instanceof RestError) return this.#answer(view, confirmationPage(view, until), around)
    }
    const action = view.text('do') || 'save'
    if (action === names.action) {
      if (!isEntered) return this.#answer(view, confirmationPage(view, null), around)
      return view.redirect(view.here(), { kind: 'done', text: view.t('Password confirmed.') })
    }
    const { actions = {} } = await handlersOf(found)
    if (!Object.hasOwn(actions, action)) throw errors.admin_action_unknown()
    try {
      return await this.#answer(view, await actions[action]!(view), { found, me, notice: null })
    } catch (error) {
      if (!isConfirmationRequired(error)) throw error
      return this.#answer(view, confirmationPage(view, null), around)
    }
  }

  async #answer(view: AdminView, answer: AdminAnswer, context: FrameData): Promise<SitePage> {
    if ('body' in answer) return answer
    return framed(view, answer, {
      page: context.found?.page ?? null,
      entries: await menuOf(this.#admin, view),
      notice: context.notice,
      assets: this.#assets,
      name: context.me.name,
    })
  }

  /** Renders the error page of a `RestError`, without the scripts and styles of the requested page. */
  async #refused(view: AdminView, found: OpenedPage | null, me: Me, error: RestError): Promise<SitePage> {
    const { t } = view
    const content: AdminContent = {
      title: error.status === 404 ? t('Not found') : t('Something went wrong'),
      status: error.status,
      main: html`<p class="notice error" role="alert">${t(error.message)}</p>
        <p><a href="${view.url('')}">${t('Go to dashboard')}</a></p>`,
    }
    const page = await this.#answer(view, content, {
      found: found === null ? null : { ...found, page: { ...found.page, scripts: [], styles: [] } },
      me,
      notice: null,
    })
    const { retry_after: wait } = error.data
    if (typeof wait === 'number') page.headers.set('Retry-After', wait)
    return page
  }
}

interface FrameData {
  readonly found: OpenedPage | null
  readonly me: Me
  readonly notice: Notice | null
}

function handlersOf({ page }: OpenedPage): PageHandlers | Promise<PageHandlers> {
  return 'load' in page ? page.load() : page
}
