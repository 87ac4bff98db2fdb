import {
  addQuery,
  applySyncFilter,
  RestError,
  RequestCache,
  type PluginContext,
  type SitePage,
} from '../../../kernel/index.ts'
import type { SiteRequest } from '../../requests/site-requests/index.ts'
import { html } from '../../library/markup/index.ts'
import { validateValue } from '../../requests/arguments/index.ts'
import { isLocalHost } from './basic.ts'

/** Translations of the site. The type comes from the service, because its plugin is in a room above this one. */
type Words = Awaited<ReturnType<PluginContext['services']['translations']['site']>>

/** The request of a program, in the query of the page that it sends a user to. */
interface AuthorizationRequest {
  readonly app_name: string
  readonly app_id: string
  /** URLs to which the user is sent with the new password, or after a refusal; '' if the program passes none. */
  readonly success_url: string
  readonly reject_url: string
}

/** A request that the user has approved. */
interface Approved extends AuthorizationRequest {
  readonly accounts: boolean
}

/** Action of the page's nonce. */
const AUTHORIZE = 'authorize-application'
/** Private schemes of programs, which start with their reversed domain name (RFC 8252, 7.1): `com.example.app:`. */
const PRIVATE_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/
/** Schemes of browsers and operating systems: no option allows them. */
const RESERVED_SCHEMES: ReadonlySet<string> = new Set(
  (
    'about blob cid chrome content data facetime facetime-audio feed file filesystem ftp geo gopher http intent ' +
    'irc jar javascript ldap livescript mailto market mocha moz-extension news res resource sftp sip sips sms smsto ' +
    'ssh tel telnet urn vbscript view-source ws wss wyciwyg xmpp'
  ).split(' '),
)

/**
 * Renders the page on which a user authorizes a program, which then receives a separate application password.
 * @param appSchemes schemes of apps to which a password can be sent, without the colon; `*` for all
 */
export async function authorizePage(
  plugin: PluginContext,
  request: SiteRequest,
  appSchemes: readonly string[],
): Promise<SitePage> {
  const { services, branding } = plugin
  const { plainPages: pages, nonces } = services
  const { method, query, user } = request
  if (user.session === undefined) return pages.toLogin(request)
  const form = method === 'POST' ? await request.form() : null
  const textOf = (name: string) => {
    const value = form === null ? query.get(name) : form[name]
    return typeof value === 'string' ? value.trim() : ''
  }
  const authorization: AuthorizationRequest = {
    app_name: textOf('app_name'),
    app_id: textOf('app_id'),
    success_url: asRead(textOf('success_url')),
    reject_url: asRead(textOf('reject_url')),
  }
  const words = await services.translations.site()
  const problem = authorizationProblem(authorization, words, appSchemes)
  if (problem !== null) return messagePage(plugin, words, problem, 400)
  if (!applySyncFilter(plugin.hooks.application_passwords_available_for_user, true, user)) {
    return messagePage(plugin, words, words.t('Application passwords are not available for your account.'), 403)
  }
  if (form === null) return renderApprovalPage(plugin, request, authorization, null)
  const nonce = textOf(branding.nonceParameter)
  if (pages.isForeign(request) || nonces.verify(nonce, AUTHORIZE, user) === false) {
    return renderApprovalPage(plugin, request, authorization, words.t('This page has expired. Please try again.'))
  }
  if (textOf('decision') !== 'approve') return reject(plugin, authorization)
  const password = form['current_password']
  if (typeof password === 'string' && password !== '') {
    const until = await services.login.confirm(request, password)
    if (until instanceof RestError) return renderApprovalPage(plugin, request, authorization, words.t(until.message))
  }
  return approve(plugin, request, { ...authorization, accounts: textOf('accounts') !== '' })
}

/**
 * Redirects to the user's application passwords: the account in the admin or, on a site without it, the page that
 * creates a password for a program without a name.
 */
export function profilePage({ has, services, branding, urls }: PluginContext, request: SiteRequest): SitePage {
  if (request.user.session === undefined) return services.plainPages.toLogin(request)
  if (has('admin')) return services.plainPages.redirect(urls.site(`${branding.adminPath}account#application-passwords`))
  return services.plainPages.redirect(addQuery(urls.site(branding.authorizePath), { app_name: 'My application' }))
}

function authorizationProblem(
  { app_name, app_id, success_url, reject_url }: AuthorizationRequest,
  words: Words,
  appSchemes: readonly string[],
): string | null {
  if (app_name === '') return words.t('The application did not send its name (app_name).')
  if (app_id !== '' && validateValue(app_id, { type: 'string', format: 'uuid' }, 'app_id') !== true) {
    return words.t('The application ID (app_id) must be a UUID.')
  }
  for (const url of [success_url, reject_url]) {
    if (url !== '' && !isSafeRedirect(url, appSchemes))
      return words.t('The application wants to redirect you to an unsafe URL.')
  }
  return null
}

/** Whether a password can be sent to a URL: over TLS, to this machine, or to a program by its scheme. */
function isSafeRedirect(url: string, appSchemes: readonly string[]): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, href, username, password } = new URL(url)
  // The part before the @ can look like a host.
  if (username !== '' || password !== '') return false
  if (protocol === 'http:') return isLocalHost(href)
  if (protocol === 'https:' || PRIVATE_SCHEME.test(protocol)) return true
  const scheme = protocol.slice(0, -1)
  // Handlers of operating systems, such as `ms-settings:`, start programs that know nothing of passwords.
  if (RESERVED_SCHEMES.has(scheme) || scheme.startsWith('ms-') || !href.startsWith(`${scheme}://`)) return false
  return appSchemes.includes('*') || appSchemes.includes(scheme)
}

/** Parses a URL as browsers do, so that the checked URL is the one they follow. */
function asRead(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url
}

const currentPassword = (words: Words) =>
  html`<p>
    <label for="current_password">${words.t('Current password')}</label>
    <input type="password" name="current_password" id="current_password" autocomplete="current-password" />
  </p>`

async function approve(
  plugin: PluginContext,
  request: SiteRequest,
  { accounts, ...authorization }: Approved,
): Promise<SitePage> {
  const { services, urls } = plugin
  const { plainPages: pages, users, applicationPasswords } = services
  const words = await services.translations.site()
  const user = await users.get(request.user.id, new RequestCache())
  if (user === undefined) return pages.toLogin(request)
  // A form that is sent twice creates one password.
  const existing = await applicationPasswords.list(user.id)
  if (existing.some(({ name }) => name === authorization.app_name))
    return renderApprovalPage(
      plugin,
      request,
      authorization,
      words.t(
        'You already have an application password with this name. Each application password needs a unique name.',
      ),
    )
  try {
    const scopes = accounts ? (['accounts'] as const) : []
    const { password } = await applicationPasswords.create(user.id, {
      name: authorization.app_name,
      appId: authorization.app_id,
      scopes,
    })
    if (authorization.success_url !== '') {
      const parameters = { site_url: urls.home, user_login: user.login, password: password.replaceAll(' ', '') }
      return pages.redirect(addQuery(authorization.success_url, parameters))
    }
    return pages.page(
      words.t('Application authorized'),
      pages.html`<p role="status">${words.html('Your username is {login}. Your new password for {application} is:', { login: html`<strong>${user.login}</strong>`, application: authorization.app_name })}</p>
<p><code>${password}</code></p>
<p>${words.t('Copy it now; you won’t be able to see it again. You can revoke it at any time.')}</p>`,
      200,
      { language: words.language },
    )
  } catch (error) {
    if (error instanceof RestError && error.status < 500) {
      const isUnconfirmed = error.code === 'rest_confirmation_required'
      return renderApprovalPage(
        plugin,
        request,
        authorization,
        isUnconfirmed ? words.t('Enter your current password to authorize this application.') : words.t(error.message),
      )
    }
    throw error
  }
}

function reject(
  { services, urls, branding }: PluginContext,
  { reject_url, success_url }: AuthorizationRequest,
): SitePage {
  if (reject_url !== '') return services.plainPages.redirect(reject_url)
  if (success_url !== '') return services.plainPages.redirect(addQuery(success_url, { success: 'false' }))
  return services.plainPages.redirect(urls.site(branding.adminPath))
}

async function renderApprovalPage(
  plugin: PluginContext,
  { user }: SiteRequest,
  authorization: AuthorizationRequest,
  problem: string | null,
): Promise<SitePage> {
  const { services, urls, branding } = plugin
  const words = await services.translations.site()
  const isConfirmed = await services.sessions.isConfirmed(user.session ?? '')
  const { plainPages: pages, nonces } = services
  const target = authorization.success_url === '' ? null : new URL(authorization.success_url)
  const hidden = Object.entries(authorization).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
  return pages.page(
    words.t('Authorize application'),
    html`${problem === null ? null : html`<p role="alert">${problem}</p>`}
      <p>
        ${words.html('{application} would like to connect to your account ({name}). It can do everything that you can do on this site, except manage accounts. It gets an application password, which you can revoke at any time.', { application: html`<strong>${authorization.app_name}</strong>`, name: pages.stored(user.name || user.login) })}
      </p>
      ${target === null ? null : html`<p>${words.html('The password will be sent to {target}.', { target: html`<strong>${target.host || target.protocol}</strong>` })}</p>`}
      <form method="post" action="${urls.site(branding.authorizePath)}">
        ${hidden}
        <input type="hidden" name="${branding.nonceParameter}" value="${nonces.create(AUTHORIZE, user)}" />
        <p>
          <input type="checkbox" name="accounts" id="accounts" value="1" />
          <label for="accounts"
            >${words.t('Also allow changes to passwords, email addresses, roles, users and application passwords')}</label
          >
        </p>
        ${isConfirmed ? null : currentPassword(words)}
        <p>
          <button type="submit" name="decision" value="approve">${words.t('Approve')}</button>
          <button type="submit" name="decision" value="reject">${words.t('Deny')}</button>
        </p>
      </form>`,
    problem === null ? 200 : 400,
    // Browsers apply the page's policy to redirects of its form.
    {
      language: words.language,
      formTargets: [authorization.success_url, authorization.reject_url].filter((url) => url !== ''),
    },
  )
}

function messagePage({ services }: PluginContext, words: Words, message: string, status: number): SitePage {
  const { plainPages: pages } = services
  const options = { language: words.language }
  return pages.page(words.t('Authorize application'), pages.html`<p role="alert">${message}</p>`, status, options)
}
