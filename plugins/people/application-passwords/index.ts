import {
  definePlugin,
  RestError,
  trimEndSlashes,
  VISITOR,
  type CurrentUser,
  type RestRequest,
} from '../../../kernel/index.ts'
import { EXISTING_WORD } from '../../library/branding/index.ts'
import { Authenticator } from './authenticator.ts'
import { authorizePage, profilePage } from './authorize.ts'
import { isLocalHost } from './basic.ts'
import { addPasswordCommands } from './commands.ts'
import { ApplicationPasswordsController } from './controller.ts'
import { errors } from './errors.ts'
import { applicationPasswordHooks } from './hooks.ts'
import { ApplicationPasswords } from './model.ts'
import { Usage } from './usage.ts'

export { hashApplicationPassword } from './model.ts'
export type { ApplicationPassword, ApplicationPasswordChange, ApplicationPasswords, Scope } from './model.ts'

export interface ApplicationPasswordsOptions {
  /** Accepts secrets over plain HTTP from other machines too. */
  insecure: boolean
  /**
   * Treats a request with a wrong application password as a visitor's, instead of refusing it. Headers of other schemes
   * and layers never refuse a request.
   */
  lenient: boolean
  /**
   * URL schemes through which an app can receive its new application password after the user has authorized it.
   * `['myapp']` allows `myapp://done`; `['*']` allows all schemes except the schemes of browsers and operating systems.
   * By default `['*']` if the word of the site is that of WordPress, otherwise none. Schemes that consist of a domain
   * name (`com.example.app`) are always allowed.
   */
  app_schemes: readonly string[] | null
}

/** Passwords that users create for programs, which send them with each request (HTTP Basic). */
export default definePlugin<ApplicationPasswordsOptions>({
  name: 'application-passwords',
  needs: ['site-requests', 'resources', 'store', 'users', 'roles', 'login-attempts'],
  uses: ['cookie-auth', 'login', 'translations'],
  provides: ['applicationPasswords'],
  options: {
    insecure: { default: false, type: 'boolean' },
    lenient: { default: false, type: 'boolean' },
    app_schemes: {
      default: null,
      type: ['array', 'null'],
      items: { type: 'string', pattern: '^([*]|[a-z][a-z0-9+.-]{0,60})$' },
    },
  },
  hooks: applicationPasswordHooks,
  apply(plugin, { insecure, lenient, app_schemes }) {
    const { hooks, services, provide, log, onRemove, urls, branding, has, since } = plugin
    const { store } = services
    const appSchemes = app_schemes ?? (branding.word === EXISTING_WORD ? ['*'] : [])
    const usage = new Usage(store, (err) => log.warn({ err }, 'failed to record uses of application passwords'))
    const passwords = new ApplicationPasswords(store, services.accountChanges, !since('6.2'))
    const authenticator = new Authenticator(plugin, usage, insecure)
    provide('applicationPasswords', passwords)
    addPasswordCommands(plugin)
    onRemove(() => usage.flush(), 'timer of uses')

    hooks.pre_change_account.tapPromise('application-passwords', async (_change, { applicationPassword, scopes }) => {
      if (applicationPassword !== undefined && scopes?.includes('accounts') !== true)
        throw errors.rest_insufficient_scope()
    })

    const refusals = new WeakMap<RestRequest, RestError>()
    const identify = async (header: string, user: CurrentUser, request: RestRequest): Promise<CurrentUser> => {
      const found = await authenticator.identify(header, request)
      if (found instanceof RestError) refusals.set(request, found)
      return found === null || found instanceof RestError ? user : found
    }
    // Before the cookie: credentials that the client sends explicitly take precedence over those a browser adds.
    hooks.determine_current_user.tapPromise({ name: 'application-passwords', stage: -10 }, (user, request) => {
      const header = user.id === 0 ? request.headers.get('authorization') : null
      return header === null ? user : identify(header, user, request)
    })
    if (!lenient) {
      hooks.rest_authentication_errors.tap({ name: 'application-passwords', stage: -10 }, (result, request) => {
        const refusal = result === null ? refusals.get(request) : undefined
        if (refusal !== undefined) request.user = VISITOR
        return refusal ?? result
      })
    }

    hooks.rest_api_init.tap({ name: 'application-passwords', stage: 100 }, (server) => {
      new ApplicationPasswordsController(plugin, (request) => authenticator.allows(request), usage).register(server)
    })

    // The index shows programs the URL at which users can authorize them.
    hooks.rest_index.tap('application-passwords', (response) => {
      const isSafe = insecure || urls.home.startsWith('https:') || isLocalHost(urls.home)
      if (!isSafe || !has('login')) return response
      const endpoints = { authorization: urls.site(branding.authorizePath) }
      Object.assign(response.data as object, { authentication: { 'application-passwords': { endpoints } } })
      return response
    })
    hooks.site_request.tapPromise('application-passwords', async (page, request) => {
      if (page !== null || !has('login')) return page
      const path = trimEndSlashes(request.path)
      if (path === branding.profilePath) return profilePage(plugin, request)
      return path === branding.authorizePath ? authorizePage(plugin, request, appSchemes) : page
    })
  },
})
