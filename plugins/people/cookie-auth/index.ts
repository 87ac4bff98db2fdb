import { randomBytes } from 'node:crypto'
import { definePlugin, VISITOR, type CurrentUser, type RestRequest } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { checkNonces } from './check-nonce.ts'
import { SessionCookie } from './cookie.ts'
import { errors } from './errors.ts'
import { cookieAuthHooks } from './hooks.ts'
import { createNonces } from './nonces.ts'
import { Sessions } from './sessions.ts'

export type { SessionCookie } from './cookie.ts'
export { readCookie, writeCookie } from './site-cookie.ts'
export type { Nonces } from './nonces.ts'
export type { NewSession, Session, SessionDetails, SessionFault, SessionLife, Sessions } from './sessions.ts'

export interface CookieAuthOptions {
  /** Seconds that a session lasts; 2 days by default. */
  session_life: number
  /** Seconds that a session lasts if the user chose to stay logged in; 14 days by default. */
  remember_life: number
  /**
   * Maximum seconds that a nonce is valid; 1 day by default. The value of new nonces changes twice in this time, so a
   * nonce is valid for at least half of it.
   */
  nonce_life: number
  /**
   * Seconds after which the password must be entered again before a session can change accounts; 15 minutes by default.
   */
  confirmation_life: number
}

/** Name of the option with the key of nonces. */
const KEY = 'nonce_key'
/** Prefix of the names of cookie events; the rest is the reason. */
const EVENT = 'auth_cookie_'

/** Identifies users by the session cookie of their browser, which needs a nonce to act (specification 5.1). */
export default definePlugin<CookieAuthOptions>({
  name: 'cookie-auth',
  needs: ['store', 'users', 'roles', 'rest-headers'],
  provides: ['sessions', 'sessionCookie', 'nonces'],
  options: {
    session_life: { default: 172_800, type: 'integer', minimum: 1 },
    remember_life: { default: 1_209_600, type: 'integer', minimum: 1 },
    nonce_life: { default: 86_400, type: 'integer', minimum: 2 },
    confirmation_life: { default: 900, type: 'integer', minimum: 1 },
  },
  hooks: cookieAuthHooks,
  async apply(plugin, options) {
    const { hooks, services, provide, branding, urls } = plugin
    const { store, users } = services
    const sessions = new Sessions(store, {
      session: options.session_life,
      remember: options.remember_life,
      confirmation: options.confirmation_life,
    })
    const cookie = new SessionCookie(branding, urls)
    const nonces = createNonces(await keyOf(store), options.nonce_life)
    provide('sessions', sessions)
    provide('sessionCookie', cookie)
    provide('nonces', nonces)

    /** True if the cookie of a request is valid, else the reason why not. */
    const statuses = new WeakMap<RestRequest, true | string>()

    for (const fault of ['malformed', 'expired', 'bad_session_token', 'bad_username'] as const) {
      const event = `${EVENT}${fault}` as const
      hooks[event].tap('cookie-auth', (request) => void statuses.set(request, event.slice(EVENT.length)))
    }
    hooks.auth_cookie_valid.tap('cookie-auth', (_userId, request) => void statuses.set(request, true))

    const identify = async (token: string, request: RestRequest): Promise<CurrentUser> => {
      const session = await sessions.examine(token)
      if (typeof session === 'string') {
        hooks[`${EVENT}${session}`].call(request)
        return VISITOR
      }
      const user = await users.current(session.userId)
      if (user === undefined) {
        hooks.auth_cookie_bad_username.call(request)
        return VISITOR
      }
      hooks.auth_cookie_valid.call(user.id, request)
      return { ...user, session: session.id }
    }

    hooks.determine_current_user.tapPromise('cookie-auth', (user, request) => {
      const token = user.id === 0 ? cookie.read(request.headers) : null
      return token === null ? user : identify(token, request)
    })

    hooks.pre_change_account.tapPromise('cookie-auth', async (_change, { session }) => {
      if (session !== undefined && !(await sessions.isConfirmed(session))) throw errors.rest_confirmation_required()
    })

    checkNonces(plugin, nonces, (request) => statuses.get(request) === true)
  },
})

/**
 * Returns the key of the site's nonces, created at its first start. Processes that start at the same time agree on one.
 */
async function keyOf(store: Store): Promise<Buffer> {
  const newOption = { name: KEY, value: JSON.stringify(randomBytes(32).toString('base64url')) }
  const { db } = store
  await store.run(
    db
      .insertInto('options')
      .values(newOption)
      .onConflict((conflict) => conflict.column('name').doNothing()),
  )
  const row = await store.first<{ value: string }>(db.selectFrom('options').select('value').where('name', '=', KEY))
  return Buffer.from(JSON.parse(row!.value) as string, 'base64url')
}
