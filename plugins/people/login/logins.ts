import { setTimeout } from 'node:timers/promises'
import {
  applyFilter,
  RestError,
  runAction,
  type CurrentUser,
  type PluginContext,
  type RestRequest,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** Minimum duration of a refusal, in milliseconds: imported hashes take a different time than current ones. */
const MIN_REFUSAL_MS = 250
const MAX_LOGIN_LENGTH = 200
/** Maximum length of a password, in characters. */
const MAX_PASSWORD_LENGTH = 4096

/** Checks login names and passwords. */
export class Logins {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /**
   * Returns the user with this login name, or email address, and password. An unknown name and a wrong password give
   * the same result after the same time.
   * @param ip IP address of the client
   * @returns the user, or the refusal: login_incorrect, login_too_many_attempts, password_queue_full, or the error of a
   * tap
   */
  async check(login: string, password: string, ip: string): Promise<CurrentUser | RestError> {
    const { hooks, services } = this.#plugin
    const { users, loginAttempts } = services
    const isAcceptable = login.length <= MAX_LOGIN_LENGTH && password.length <= MAX_PASSWORD_LENGTH
    const id = isAcceptable ? await users.idOf(login) : undefined
    // The same subject for login and email address, in any case.
    const subject = id === undefined ? `login:unknown ${login.toLowerCase()}` : `login:${id}`
    const isKnown = await loginAttempts.isKnown(subject, ip)
    const wait = await loginAttempts.consume(subject, ip, isKnown)
    if (wait > 0) {
      await runAction(hooks.login_refused, id ?? null, ip)
      return errors.login_too_many_attempts(wait, { data: { retry_after: wait } })
    }
    const refusedAt = performance.now() + MIN_REFUSAL_MS
    let user: CurrentUser | undefined
    try {
      user = await this.#find(id, isAcceptable ? password : '', isKnown)
    } catch (error) {
      // A password that could not be checked is not a guess.
      await loginAttempts.refund(subject, ip)
      if (error instanceof RestError && error.status < 500) return error
      throw error
    }
    if (user === undefined) {
      await runAction(hooks.login_failed, login, ip, id ?? null)
      await setTimeout(Math.max(0, refusedAt - performance.now()))
      return errors.login_incorrect()
    }
    await loginAttempts.recordSuccess(subject, ip)
    return applyFilter(hooks.authenticate, user, login)
  }

  /**
   * Checks the password of a logged-in user and records in the session that it was right: for some minutes, the session
   * can change accounts. Wrong passwords count as they do on the login page.
   * @param request request of a user with a session; its IP address counts
   * @returns until when, in Unix seconds; or the refusal: rest_no_session, rest_confirmation_failed,
   * login_too_many_attempts, password_queue_full, or the error of a tap of `authenticate`
   */
  async confirm({ user, ip }: Pick<RestRequest, 'user' | 'ip'>, password: string): Promise<number | RestError> {
    const { login, session } = user
    if (login === undefined || session === undefined) return errors.rest_no_session()
    const found = await this.check(login, password, ip)
    if (found instanceof RestError) return found.code === 'login_incorrect' ? errors.rest_confirmation_failed() : found
    return found.id === user.id ? this.#plugin.services.sessions.confirm(session) : errors.rest_confirmation_failed()
  }

  /** Returns the user if the password is right. Without a hash, the check takes as long and finds no user. */
  async #find(id: number | undefined, password: string, isKnown: boolean): Promise<CurrentUser | undefined> {
    const { users, passwords } = this.#plugin.services
    const hash = id === undefined ? '' : await users.passwordHash(id)
    const isRight = await passwords.verify(password, hash ?? '', isKnown)
    if (!isRight || id === undefined || hash === undefined) return undefined
    if (passwords.needsRehash(hash)) await this.#upgrade(id, hash, password)
    return users.current(id)
  }

  async #upgrade(id: number, hash: string, password: string): Promise<void> {
    const { users, passwords } = this.#plugin.services
    try {
      await users.upgradePasswordHash(id, hash, await passwords.hash(password))
    } catch (error) {
      // If the queue is full, the old hash stays until the next log-in.
      if (!(error instanceof RestError) || error.code !== 'password_queue_full') throw error
    }
  }
}
