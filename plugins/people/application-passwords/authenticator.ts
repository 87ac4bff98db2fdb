import { hash as digest } from 'node:crypto'
import {
  applySyncFilter,
  type Awaitable,
  type CurrentUser,
  type PluginContext,
  type RestError,
  type RestRequest,
} from '../../../kernel/index.ts'
import { VersionedCache } from '../../library/caching/index.ts'
import { isLocal, readCredentials, type Credentials } from './basic.ts'
import { errors } from './errors.ts'
import { isSecretShaped, type ApplicationPassword } from './model.ts'
import type { Usage } from './usage.ts'

const MAX_LOGIN_LENGTH = 200
/** Maximum number of remembered secrets. */
const MAX_REMEMBERED_PASSWORDS = 10_000

/** A secret that was recently verified. */
interface VerifiedPassword {
  readonly item: ApplicationPassword
  /** The user, and the user with the application password added; computed once while nothing changes. */
  authenticated: { from: CurrentUser; user: CurrentUser } | null
}

/** Identifies users by the application password in the header `Authorization`. */
export class Authenticator {
  readonly #plugin: PluginContext
  readonly #usage: Usage
  readonly #insecure: boolean
  /** Keyed by the hash of the header, so that no secret stays in memory. */
  readonly #verified: VersionedCache<string, VerifiedPassword>

  /** @param insecure whether secrets are accepted over plain HTTP from any address */
  constructor(plugin: PluginContext, usage: Usage, insecure: boolean) {
    this.#plugin = plugin
    this.#usage = usage
    this.#insecure = insecure
    this.#verified = new VersionedCache(plugin.services.store.changes, {
      maxEntries: MAX_REMEMBERED_PASSWORDS,
      tables: ['application_passwords', 'users'],
      tagsOf: ({ item: { userId } }) => [`application_password:${userId}`, `user:${userId}`],
    })
  }

  /** Whether a request can carry secrets: over TLS, or from this machine. */
  allows(request: RestRequest): boolean {
    return request.secure || this.#insecure || isLocal(request)
  }

  /**
   * Returns the user, an error for a wrong application password, or null for a header that is meant for another program:
   * of another scheme, malformed, or with a password that cannot be an application password, such as the one of a
   * gateway in front of the site.
   */
  async identify(header: string, request: RestRequest): Promise<CurrentUser | RestError | null> {
    const result = await this.#recall(header, request)
    if (result === null || 'code' in result) return result
    return this.#admit(result, await this.#plugin.services.users.current(result.item.userId), request)
  }

  #admit(verified: VerifiedPassword, user: CurrentUser | undefined, request: RestRequest): CurrentUser | RestError {
    const { item } = verified
    if (user === undefined) return errors.incorrect_password()
    if (!applySyncFilter(this.#plugin.hooks.application_passwords_available_for_user, true, user)) {
      return errors.application_passwords_disabled_for_user({ data: { status: 401 } })
    }
    this.#usage.note({ id: item.id, lastUsed: item.lastUsed, ip: request.ip })
    if (verified.authenticated?.from !== user)
      verified.authenticated = {
        from: user,
        user: Object.freeze({ ...user, applicationPassword: item.uuid, scopes: item.scopes }),
      }
    return verified.authenticated.user
  }

  #recall(header: string, request: RestRequest): Awaitable<VerifiedPassword | RestError | null> {
    // A secret sent over an insecure connection is refused even if it was verified elsewhere.
    if (!this.allows(request)) return this.#refuseInsecure(header)
    const key = digest('sha256', header, 'base64')
    const cached = this.#verified.get(key)
    return cached ?? this.#verify(key, header, request)
  }

  async #verify(key: string, header: string, request: RestRequest): Promise<VerifiedPassword | RestError | null> {
    const credentials = readCredentials(header)
    if (credentials === null) return null
    const state = this.#verified.begin()
    const item = await this.#plugin.services.applicationPasswords.find(credentials.login, credentials.password)
    if (item === undefined) return this.#rejectCredentials(credentials, request)
    const verified: VerifiedPassword = { item, authenticated: null }
    this.#verified.set(key, verified, state)
    return verified
  }

  #refuseInsecure(header: string): RestError | null {
    const credentials = readCredentials(header)
    return credentials !== null && isSecretShaped(credentials.password) ? errors.rest_authorization_insecure() : null
  }

  /**
   * Counts and logs a wrong secret, and returns the error. Only wrong secrets are limited: correct ones are too long to
   * be guessed, so they are accepted at any time. A password that cannot be an application password gets no error,
   * whatever the login, so that the response reveals no logins; it is counted for logins of this site.
   */
  async #rejectCredentials({ login, password }: Credentials, request: RestRequest): Promise<RestError | null> {
    const { services, log } = this.#plugin
    const { loginAttempts, users } = services
    const id = login.length > MAX_LOGIN_LENGTH ? undefined : await users.idOf(login)
    const isForeign = !isSecretShaped(password)
    if (isForeign && id === undefined) return null
    const subject = id === undefined ? `application:unknown ${login.toLowerCase()}` : `application:${id}`
    const wait = await loginAttempts.consume(subject, request.ip)
    // Operators act on this event (docs/guides/operating.md).
    const event = { event: 'application_password_failed', ip: request.ip, user: id ?? null }
    log.warn(event, 'wrong application password')
    if (isForeign) return null
    if (wait === 0) return errors.incorrect_password()
    return errors.application_passwords_too_many_attempts(wait, { data: { retry_after: wait } })
  }
}
