import {
  applyFilter,
  doNotCache,
  requestingUser,
  requestOf,
  siteUrl,
  type PluginContext,
  type SitePage,
  type SiteRequest,
} from '../../public.ts'
import type { Forms } from './forms.ts'
import { FIELDS } from './names.ts'
import { FORM_END, FORM_OUTPUT, renderForm } from './render.ts'
import { cleanUnitTag, type Submissions } from './submissions.ts'

/** Shows forms in content, and handles messages that browsers without scripts send to the page itself. */
export class FormPages {
  readonly #plugin: PluginContext
  readonly #forms: Forms
  readonly #submissions: Submissions

  constructor(plugin: PluginContext, forms: Forms, submissions: Submissions) {
    this.#plugin = plugin
    this.#forms = forms
    this.#submissions = submissions
  }

  /** Registers the shortcodes of forms. The block of a form contains its shortcode. */
  register(): void {
    const { shortcodes } = this.#plugin.services
    for (const name of ['contact-form-7', 'contact-form'])
      shortcodes.register(name, async (attributes, _content, { post, scope, number }) => {
        const form = await this.#forms.named(attributes['id'] ?? '', attributes['title'] ?? '', scope)
        if (form === undefined)
          return '<p class="wpcf7-contact-form-not-found"><strong>Error:</strong> Contact form not found.</p>'
        const request = requestOf(scope)
        // Pages have no URL of the REST API.
        const isPage = (request?.url ?? null) === null
        const unitTag = isPage ? `wpcf7-f${form.id}-p${post.id}-o${number}` : `wpcf7-f${form.id}-o${number}`
        return renderForm(this.#plugin, form, this.#submissions, {
          unitTag,
          containerId: isPage ? post.id : 0,
          action: isPage ? '' : (request?.url ?? ''),
          isLoggedIn: (requestingUser()?.id ?? 0) !== 0,
          sent: null,
        })
      })
  }

  /** Returns the page of a URL. A plain URL, such as `/?page_id=12`, has the page at its permalink. */
  async #page(request: SiteRequest): Promise<SitePage | null> {
    const { hooks } = this.#plugin
    const page = Object.create(request, { method: { value: 'GET' } }) as SiteRequest
    const shown = await applyFilter(hooks.site_request, null, page)
    const location = shown?.headers.get('Location') ?? null
    const target = shown?.status === 301 && location !== null ? siteUrl(location, this.#plugin) : null
    if (target === null) return shown
    const path = `${target.path}${new URL(location!).pathname.endsWith('/') ? '/' : ''}`
    const moved = { method: 'GET', path, query: target.query, url: location }
    return applyFilter(hooks.site_request, null, Object.assign(Object.create(request), moved) as SiteRequest)
  }

  /** Handles a message that was sent to a page. Returns the page with the response; null for other requests. */
  async respond(request: SiteRequest): Promise<SitePage | null> {
    const { branding, has } = this.#plugin
    const { headers, ip, method, path, scope, user } = request
    if (method !== 'POST' || !/^multipart\/form-data\b/i.test(headers.get('content-type') ?? '')) return null
    if (
      [branding.adminPath, branding.loginPath, branding.commentsPath, branding.ajaxPath].some((own) =>
        path.startsWith(own),
      )
    )
      return null
    const { form: fields, files } = await request.upload()
    const id = Number(fields[FIELDS.form])
    const unitTag = cleanUnitTag(fields[FIELDS.unitTag])
    if (!Number.isSafeInteger(id) || unitTag === '') return null
    doNotCache('it is the response to a message')
    const form = await this.#forms.get(id, scope)
    // A message that another site makes a browser send has no user.
    const isForeign = has('login') && this.#plugin.services.plainPages.isForeign(request)
    const sender = isForeign ? { id: 0 } : user
    const agent = headers.get('user-agent') ?? ''
    const feedback = await this.#submissions.handle(form, { fields, files, user: sender, ip, agent, url: request.url })
    const shown = await this.#page(request)
    if (shown === null || (typeof shown.body !== 'string' && !Buffer.isBuffer(shown.body))) return shown
    const rendered = renderForm(this.#plugin, form, this.#submissions, {
      unitTag,
      containerId: Number(/-p(\d{1,10})-o/.exec(unitTag)?.[1] ?? 0),
      action: '',
      isLoggedIn: sender.id !== 0,
      sent: { feedback, fields },
    })
    for (const name of ['ETag', 'Last-Modified', branding.header('Cache')]) shown.headers.delete(name)
    shown.headers.set('Cache-Control', 'no-store, private')
    return { status: shown.status, headers: shown.headers, body: withForm(shown.body.toString(), unitTag, rendered) }
  }
}

/**
 * Replaces a form of a page. The page comes from the caches, which contain the form as it is before a message.
 */
function withForm(page: string, unitTag: string, form: string): string {
  const start = page.indexOf(`<div class="wpcf7" id="${unitTag}"`)
  const output = start === -1 ? -1 : page.indexOf(FORM_OUTPUT, start)
  const end = output === -1 ? -1 : page.indexOf(FORM_END, output)
  return end === -1 ? page : `${page.slice(0, start)}${form}${page.slice(end + FORM_END.length)}`
}
