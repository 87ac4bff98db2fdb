import { createHash, randomBytes } from 'node:crypto'
import { ShortLivedCache } from '../../../kernel/index.ts'
import { isForeignKeyViolation, type Store } from '../../storage/store/index.ts'
import { userErrors } from '../users/index.ts'

/** A browser in which a user is logged in. */
export interface Session {
  /** Hash of the token, which itself is kept nowhere. */
  readonly id: string
  readonly userId: number
  /** Unix seconds. */
  readonly expires: number
}

/** A session that has just begun. */
export interface NewSession extends Session {
  /** What the browser shows from now on. */
  readonly token: string
  /** Whether it outlives the browser's window. */
  readonly remember: boolean
}

/** Browsers in which users are logged in. */
export interface Sessions {
  /**
   * Begins a session.
   * @throws rest_user_invalid_id when there is no such user any more
   */
  create(userId: number, from: { remember?: boolean; ip: string; agent: string }): Promise<NewSession>
  /** The session of a token; undefined when there is none, or none any more. */
  verify(token: string): Promise<Session | undefined>
  /** Ends the session of a token. */
  destroy(token: string): Promise<void>
  /** Ends every session of a user, but for that of the token `except`. */
  destroyAll(userId: number, except?: string): Promise<void>
}

/** Why a token is no good, named as the events of the cookie are. */
export type SessionFault = 'malformed' | 'expired' | 'bad_session_token'

/** Sessions, with what only the cookie's own plugin needs. */
export interface SessionsModel extends Sessions {
  /** The session of a token, or why it has none. */
  examine(token: string): Promise<Session | SessionFault>
  /** Forgets what is remembered of a user's sessions, when something else has ended them. */
  forget(userId: number): void
}

/** How long sessions last, in seconds. */
export interface SessionLife {
  readonly session: number
  readonly remember: number
}

/** How many are remembered. */
const MOST = 10_000
const LONGEST_AGENT = 500

/** Sessions over the table `sessions`. */
export function createSessions(store: Store, life: SessionLife, now: () => number = Date.now): SessionsModel {
  const { db } = store
  const recent = new ShortLivedCache<string, Session>(store, MOST, now)
  const seconds = () => Math.floor(now() / 1000)
  const read = async (id: string): Promise<Session | undefined> => {
    const there = recent.get(id)
    if (there !== undefined) return there
    const begun = recent.begin()
    const row = await store.first<{ user_id: number; expires: number }>(
      db.selectFrom('sessions').select(['user_id', 'expires']).where('id', '=', id),
    )
    if (row === undefined) return undefined
    const session = { id, userId: row.user_id, expires: row.expires }
    recent.keep(id, session, begun)
    return session
  }

  const sessions: SessionsModel = {
    async create(userId, { remember = false, ip, agent }) {
      const token = randomBytes(32).toString('base64url')
      const created = seconds()
      const expires = created + (remember ? life.remember : life.session)
      const row = { id: idOf(token), user_id: userId, created, expires, ip, agent: agent.slice(0, LONGEST_AGENT) }
      const over = db.selectFrom('sessions').select('id').where('expires', '<', created)
      // Those that somebody else is about to end are left to them, or both could wait for each other.
      const ended = store.dialect === 'postgres' ? over.forUpdate().skipLocked() : over
      await store.run(db.deleteFrom('sessions').where('id', 'in', ended))
      try {
        await store.run(db.insertInto('sessions').values(row))
      } catch (error) {
        throw isForeignKeyViolation(error) ? userErrors.rest_user_invalid_id() : error
      }
      return { id: row.id, userId, expires, token, remember }
    },

    async examine(token) {
      if (!/^[\w-]{43}$/.test(token)) return 'malformed'
      const session = await read(idOf(token))
      if (session === undefined) return 'bad_session_token'
      return session.expires > seconds() ? session : 'expired'
    },

    async verify(token) {
      const found = await sessions.examine(token)
      return typeof found === 'string' ? undefined : found
    },

    async destroy(token) {
      const id = idOf(token)
      await store.run(db.deleteFrom('sessions').where('id', '=', id))
      recent.forget((_, other) => other === id)
    },

    async destroyAll(userId, except) {
      const kept = except === undefined ? '' : idOf(except)
      const others = db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', kept)
      await store.inTurn((tx) => tx.run(others))
      recent.forget((session, id) => session.userId === userId && id !== kept)
    },

    forget: (userId) => recent.forget((session) => session.userId === userId),
  }
  return sessions
}

/** A random token of 256 bits needs no slow hash, and no salt. */
function idOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
