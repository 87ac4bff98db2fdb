import {
  applyFilter,
  applySyncFilter,
  RestError,
  VersionedCache,
  type CurrentUser,
  type PluginContext,
  type RestRequest,
} from '../../public.ts'
import { errors } from './errors.ts'
import type { TokenResponse } from './hooks.ts'
import { refusalOf, refused } from './refusals.ts'
import { Tokens, type TokenClaims, type TokenUser } from './tokens.ts'

/** An application password, as tokens need it. */
interface TokenPassword {
  readonly userId: number
  readonly scopes: NonNullable<CurrentUser['scopes']>
}

/** Options of the plugin that concern tokens. */
type TokenOptions = Readonly<{ secret: string; lifetime: number; hide_accounts: boolean }>

/** Maximum number of cached application passwords. */
const MAX_CACHED_PASSWORDS = 1000

/** Issues tokens, and finds the users of tokens. */
export class TokenLogins {
  readonly #plugin: PluginContext
  readonly #options: TokenOptions
  readonly #tokens: Tokens
  /** Application passwords of tokens by user ID and UUID; null for revoked ones. */
  readonly #passwords: VersionedCache<string, TokenPassword | null>

  constructor(plugin: PluginContext, options: TokenOptions) {
    this.#plugin = plugin
    this.#options = options
    this.#tokens = new Tokens(options.secret)
    this.#passwords = new VersionedCache(plugin.services.store.changes, {
      maxEntries: MAX_CACHED_PASSWORDS,
      tables: ['application_passwords'],
      tagsOf: (_value, key) => [`application_password:${key.slice(0, key.indexOf(' '))}`],
    })
  }

  /**
   * Returns a token for the parameters `username` (a login or an email address) and `password` (of the login form, or an
   * application password). Failures count toward the limits of the login page.
   * @throws jwt_auth_bad_config; refusals with status 403 and the code in brackets; login_too_many_attempts
   */
  async issue(request: RestRequest): Promise<TokenResponse> {
    const { hooks, services, urls } = this.#plugin
    const { secret, lifetime } = this.#options
    if (secret === '') throw errors.jwt_auth_bad_config()
    const [login, password] = [textOf(request.get('username')).trim(), textOf(request.get('password'))]
    const user = await this.#authenticate(login, password, request.ip)
    const issued = unixSeconds()
    const tokenUser: TokenUser = {
      id: String(user.id),
      ...(user.applicationPassword !== undefined && { application_password: user.applicationPassword }),
    }
    const claims: TokenClaims = {
      iss: urls.home,
      iat: issued,
      nbf: issued,
      exp: issued + lifetime,
      data: { user: tokenUser },
    }
    const account = await services.users.get(user.id, request.scope)
    const response: TokenResponse = {
      token: this.#tokens.sign(await applyFilter(hooks.jwt_auth_token_before_sign, claims, user)),
      user_email: account?.email ?? '',
      user_nicename: account?.slug ?? '',
      user_display_name: account?.name ?? '',
    }
    return applyFilter(hooks.jwt_auth_token_before_dispatch, response, user)
  }

  /**
   * Returns the user of a valid token; undefined if the user no longer exists.
   * @param header a header `Authorization` that begins with `Bearer`
   * @throws the refusal of the request
   */
  async userOf(header: string): Promise<CurrentUser | undefined> {
    const { services, urls } = this.#plugin
    const [token = ''] = header.slice('Bearer'.length).trimStart().split(/\s/, 1)
    if (token === '') throw errors.jwt_auth_bad_auth_header()
    if (this.#options.secret === '') throw errors.jwt_auth_bad_config()
    const { iss, data } = this.#tokens.verify(token, unixSeconds())
    if (iss !== urls.home) throw errors.jwt_auth_bad_iss()
    const { id, application_password: uuid } = data?.user ?? {}
    if (id === undefined || id === null) throw errors.jwt_auth_bad_request()
    const userId = Number(id)
    const user = Number.isSafeInteger(userId) ? await services.users.current(userId) : undefined
    if (user === undefined || uuid === undefined) return user && Object.freeze({ ...user, jwt: true })
    const password = typeof uuid === 'string' ? await this.#passwordOf(userId, uuid) : null
    if (password === null) throw errors.jwt_auth_invalid_token('The application password of the token is revoked.')
    return Object.freeze({ ...user, jwt: true, applicationPassword: uuid as string, scopes: password.scopes })
  }

  async #authenticate(login: string, password: string, ip: string): Promise<CurrentUser> {
    const { services } = this.#plugin
    const byApplication = await this.#byApplicationPassword(login, password)
    if (byApplication !== undefined) return byApplication
    const isComplete = login !== '' && password !== ''
    const found = isComplete ? await services.login.check(login, password, ip) : null
    if (found === null || (found instanceof RestError && found.code === 'login_incorrect'))
      throw await refusalOf(this.#plugin, { login, password, hidesAccounts: this.#options.hide_accounts })
    if (!(found instanceof RestError)) return found
    // Limits and full queues say when to try again.
    throw found.data['retry_after'] === undefined ? refused(found.code, found.message) : found
  }

  /** Returns the user of a right application password, with its scopes. */
  async #byApplicationPassword(login: string, password: string): Promise<CurrentUser | undefined> {
    const { has, hooks, services } = this.#plugin
    if (!has('application-passwords') || login === '' || password === '') return undefined
    const item = await services.applicationPasswords.find(login, password)
    const user = item && (await services.users.current(item.userId))
    if (item === undefined || user === undefined) return undefined
    if (!applySyncFilter(hooks.application_passwords_available_for_user, true, user)) return undefined
    return { ...user, applicationPassword: item.uuid, scopes: item.scopes }
  }

  async #passwordOf(userId: number, uuid: string): Promise<TokenPassword | null> {
    const { has, services } = this.#plugin
    if (!has('application-passwords')) return null
    const key = `${userId} ${uuid}`
    const cached = this.#passwords.get(key)
    if (cached !== undefined) return cached
    const state = this.#passwords.begin()
    const item = (await services.applicationPasswords.get(userId, uuid)) ?? null
    this.#passwords.set(key, item, state)
    return item
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function unixSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
