import {
  addQuery,
  noParams,
  parseQuery,
  RestError,
  RestRequest,
  type CurrentUser,
  type HeaderMap,
  type Params,
  type PluginContext,
  type SitePage,
  type UploadedFile,
} from '../../../../kernel/index.ts'
import type { SiteRequest } from '../../../requests/site-requests/index.ts'
import { html, PageHtml } from '../../../library/markup/index.ts'
import type { CapabilityObject } from '../../../people/roles/index.ts'
import { errors } from '../errors.ts'
import type { IconName } from './icon-names.ts'
import { noticeCookie, type Notice } from './notice.ts'
import type { Words } from '../../../foundation/translations/index.ts'

/** Action of the nonces in forms. */
export const FORM_NONCE = 'admin'

/** A response of the REST API to a page of the admin. */
export interface Answer<T> {
  readonly data: T
  readonly status: number
  readonly headers: HeaderMap
}

/** A request of a page to the REST API. */
export interface Question {
  /** Parameters of the URL; `undefined` values are omitted. */
  readonly query?: Readonly<Record<string, unknown>>
  /** The JSON body; with files, the fields of the form. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly files?: readonly UploadedFile[]
  /** Headers such as `If-Match`. */
  readonly headers?: HeaderMap
}

/** Query parameters of admin URLs. */
export type Query = Readonly<Record<string, string | number | undefined>>

/**
 * A request for a page of the admin, with helpers for pages: the REST API as the user, URLs, translations and forms.
 */
export class AdminView {
  readonly plugin: PluginContext
  readonly request: SiteRequest
  /** The parameters of the path: `{ type: 'post', id: '12' }`. */
  readonly params: Readonly<Record<string, string>>
  /** The submitted fields; empty for GET. */
  readonly form: Readonly<Record<string, unknown>>
  readonly files: readonly UploadedFile[]
  readonly words: Words
  readonly #icons: string

  constructor(plugin: PluginContext, request: SiteRequest, parts: ViewParts) {
    const { params = {}, form = {}, files = [], words, icons = '' } = parts
    this.plugin = plugin
    this.request = request
    this.params = params
    this.form = form
    this.files = files
    this.words = words
    this.#icons = icons
  }

  get user(): CurrentUser {
    return this.request.user
  }

  /** Query parameters of the page. */
  get query(): URLSearchParams {
    return this.request.query
  }

  /** Path of the page below the admin's URL: `content/post`. */
  get path(): string {
    return this.request.path.slice(this.plugin.branding.adminPath.length)
  }

  /** Translates a text to the user's language: `t('Save {name}', { name })`. The text is its key in the catalog. */
  readonly t = (text: string, values?: Readonly<Record<string, string | number>>): string => this.words.t(text, values)

  /** Translates a text with a number: `count(n, 'One post', '{count} posts')`. */
  readonly count = (number: number, one: string, others: string): string => this.words.count(number, one, others)

  /** Formats a date and time in the user's language. @param gmt date of the REST API, `2026-01-31T10:00:00`, or null */
  readonly date = (gmt: string | null): PageHtml => this.words.date(gmt)

  /** Formats a date and time relative to now, `2 hours ago`; the exact time is its title. @param gmt as for `date` */
  readonly ago = (gmt: string | null): PageHtml => this.words.ago(gmt)

  /** Renders an icon. Screen readers skip it: put its meaning in a text next to it. */
  readonly icon = (name: IconName): PageHtml =>
    html`<svg class="icon" aria-hidden="true"><use href="${this.#icons}#${name}"></use></svg>`

  /** Whether the user has a capability; see the service `capabilities`. */
  can(capability: string, object?: CapabilityObject): boolean {
    return this.plugin.services.capabilities.can(this.user, capability, object)
  }

  /** Returns the URL of a page of the admin. */
  url(path: string, query: Query = {}): string {
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
    const base = this.plugin.urls.site(`${this.plugin.branding.adminPath}${path}`)
    return pairs.length === 0
      ? base
      : addQuery(base, Object.fromEntries(pairs.map(([name, value]) => [name, String(value)])))
  }

  /** Returns the URL of this page with changed parameters; `undefined` removes a parameter. */
  here(query: Query = {}): string {
    return this.url(this.path, { ...Object.fromEntries(this.query), ...query })
  }

  /**
   * Sends a request to the REST API inside the process, with the permissions of the requesting user.
   * @param path a complete path, `/svc-site-health/v1/tests/https-status`, or one below the main namespace: `posts/12`
   * @throws RestError the error of the REST API
   */
  async ask<T = Record<string, unknown>>(method: string, path: string, question: Question = {}): Promise<Answer<T>> {
    const { server } = this.plugin
    const request = this.#restRequest(method, path, question)
    const response = await server.dispatch(request)
    if (response.isError) throw this.#withRequestId(response.error ?? errors.admin_failed(request.route))
    return { data: server.responseToData(response) as T, status: response.status, headers: response.headers }
  }

  /**
   * A text with the request ID of this page, which its log entries contain. Show it next to an error, so that users can
   * report it.
   */
  get requestReference(): string {
    return this.t('Request ID: {id}', { id: this.request.id })
  }

  /** Adds the request ID to the message of a server error. */
  #withRequestId(error: RestError): RestError {
    if (error.status < 500) return error
    const message = `${this.t(error.message)} ${this.requestReference}`
    return new RestError(error.code, message, error.data, { cause: error })
  }

  /**
   * Returns the entity tag of the response to a GET request with this path and query. Send it as `If-Match` with a
   * change: the change is refused (412) if another user has changed the object in between. Null if the user cannot read
   * it.
   */
  async tagOf(path: string, query: Question['query'] = {}): Promise<string | null> {
    const { response } = await this.plugin.server.represent(this.#restRequest('GET', path, { query }))
    return response.status === 200 ? response.headers.get('ETag') : null
  }

  #restRequest(method: string, path: string, { query = {}, body, files, headers }: Question): RestRequest {
    const [route = '', text = ''] = path.split('?', 2)
    const params: Params = Object.assign(noParams(), parseQuery(text))
    for (const [name, value] of Object.entries(query)) if (value !== undefined) params[name] = value
    const whole = route.startsWith('/') ? route : `/${this.plugin.branding.namespace('v2')}/${route}`
    const { parent } = this.request
    // Files are sent as a multipart form, as browsers do.
    const sent = files === undefined ? { json: body } : { form: Object.assign(noParams(), body), files: [...files] }
    return new RestRequest(method, whole, { query: params, ...sent, headers, parent })
  }

  /**
   * Like `ask` with GET, but returns only the data, or null if the object does not exist or the user cannot read it.
   * @throws RestError any other error
   */
  async find<T = Record<string, unknown>>(path: string, question: Question = {}): Promise<T | null> {
    return (await this.attempt<T>('GET', path, question))?.data ?? null
  }

  /**
   * Like `ask`, but returns null if the object does not exist or the user lacks the permission. @throws RestError any
   * other error
   */
  async attempt<T = Record<string, unknown>>(
    method: string,
    path: string,
    question: Question = {},
  ): Promise<Answer<T> | null> {
    try {
      return await this.ask<T>(method, path, question)
    } catch (error) {
      if (error instanceof RestError && [401, 403, 404].includes(error.status)) return null
      throw error
    }
  }

  /** Returns a field of the form as text; `''` if it is missing. */
  text(name: string): string {
    const value = this.form[name]
    return typeof value === 'string' ? value : ''
  }

  /** Returns the values of a field that the form can contain several times; its name in the form ends with `[]`. */
  texts(name: string): string[] {
    const value = this.form[name]
    const all = Array.isArray(value)
      ? (value as unknown[])
      : typeof value === 'object' && value !== null
        ? Object.values(value)
        : [value]
    return all.filter((one) => typeof one === 'string')
  }

  /** Renders the start of a form that changes data, with the nonce and the action. Close it with `</form>`. */
  formStart(action = 'save', attributes: PageHtml | null = null, path = this.path): PageHtml {
    // In parts: Prettier would add an end tag to a start tag in the template.
    const start = new PageHtml('<form method="post"')
    const end = new PageHtml('>')
    return html`${start} action="${this.url(path)}"${attributes}${end}${this.formFields(action)}`
  }

  /** Renders the hidden fields of a form: the nonce, and the action unless another field of the form contains it. */
  formFields(action: string | null = null): PageHtml {
    const { branding, services } = this.plugin
    const nonce = services.nonces.create(FORM_NONCE, this.user)
    const actionField = action === null ? null : html`<input type="hidden" name="do" value="${action}" />`
    return html`<input type="hidden" name="${branding.nonceParameter}" value="${nonce}" />${actionField}`
  }

  /** Renders a form with a single button. @param fields hidden fields to submit */
  button(
    label: string,
    action: string,
    fields: Readonly<Record<string, string | number>> = {},
    attributes: PageHtml | null = null,
  ): PageHtml {
    const hidden = Object.entries(fields).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    )
    return html`${this.formStart(action, html` class="inline"`)}${hidden}<button type="submit"${attributes}>${label}</button></form>`
  }

  /** Redirects the browser to a page of the admin, which shows the notice once. */
  redirect(url: string, notice: Notice | null = null): SitePage {
    const page = this.plugin.services.plainPages.redirect(url)
    // 303 makes browsers send a GET request after a POST.
    const sent = { ...page, status: 303 }
    if (notice !== null) sent.headers.set('Set-Cookie', noticeCookie(this.plugin, this.request, notice))
    return sent
  }
}

/** The data of a view. */
export interface ViewParts {
  readonly params?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, unknown>>
  readonly files?: readonly UploadedFile[]
  readonly words: Words
  /** URL of the file with the icons. */
  readonly icons?: string
}
