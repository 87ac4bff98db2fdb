import { createHash, randomBytes } from 'node:crypto'
import { VersionedCache } from '../../library/caching/index.ts'
import { isForeignKeyViolation, type Store } from '../../storage/store/index.ts'
import { userErrors } from '../users/index.ts'

/** A session of a user in a browser. */
export interface Session {
  /** Hash of the token; the token itself is not stored. */
  readonly id: string
  readonly userId: number
  /** Unix seconds. */
  readonly expires: number
  /** When the user last entered their password in this session, in Unix seconds; 0 if unknown. */
  readonly confirmed: number
}

/** Details of a session that its user can see. */
export interface SessionDetails extends Session {
  /** Unix seconds. */
  readonly created: number
  /** IP address at the log-in. */
  readonly ip: string
  /** User agent of the browser. */
  readonly agent: string
}

/** A newly created session. */
export interface NewSession extends Session {
  /** Token that the browser sends from now on. */
  readonly token: string
  /** Whether the session outlives the browser window. */
  readonly remember: boolean
}

/** Why a token is invalid; named like the events of the cookie. */
export type SessionFault = 'malformed' | 'expired' | 'bad_session_token'

/** Life of sessions, in seconds. */
export interface SessionLife {
  readonly session: number
  readonly remember: number
  /** How long after a password entry a session can change accounts. */
  readonly confirmation: number
}

/** Maximum number of remembered sessions. */
const MAX_REMEMBERED_SESSIONS = 10_000
const MAX_AGENT_LENGTH = 500
/** Maximum number of listed sessions of a user. */
const MAX_LISTED_SESSIONS = 100

/** Sessions of users in browsers. */
export class Sessions {
  readonly #store: Store
  readonly #life: SessionLife
  readonly #recent: VersionedCache<string, Session>

  constructor(store: Store, life: SessionLife) {
    this.#store = store
    this.#life = life
    this.#recent = new VersionedCache(store.changes, {
      maxEntries: MAX_REMEMBERED_SESSIONS,
      tables: ['sessions', 'users'],
      tagsOf: ({ userId }) => [`session:${userId}`],
    })
  }

  /**
   * Creates a session. It counts as confirmed for its first minutes, since the user has just logged in.
   * @throws rest_user_invalid_id if the user does not exist
   */
  async create(
    userId: number,
    { remember = false, ip, agent }: { remember?: boolean; ip: string; agent: string },
  ): Promise<NewSession> {
    const { db, dialect } = this.#store
    const token = randomBytes(32).toString('base64url')
    const created = seconds()
    const expires = created + (remember ? this.#life.remember : this.#life.session)
    const row = {
      id: idOf(token),
      user_id: userId,
      created,
      expires,
      ip,
      agent: agent.slice(0, MAX_AGENT_LENGTH),
      confirmed: created,
    }
    const over = db.selectFrom('sessions').select('id').where('expires', '<', created)
    // Skips sessions that another transaction is deleting, which prevents deadlocks.
    const ended = dialect === 'postgres' ? over.forUpdate().skipLocked() : over
    await this.#store.run(db.deleteFrom('sessions').where('id', 'in', ended))
    try {
      await this.#store.run(db.insertInto('sessions').values(row))
    } catch (error) {
      throw isForeignKeyViolation(error) ? userErrors.rest_user_invalid_id() : error
    }
    return { id: row.id, userId, expires, confirmed: created, token, remember }
  }

  /** Returns the session of a token, or the reason why it has none. */
  async examine(token: string): Promise<Session | SessionFault> {
    if (!/^[\w-]{43}$/.test(token)) return 'malformed'
    const session = await this.#read(idOf(token))
    if (session === undefined) return 'bad_session_token'
    return session.expires > seconds() ? session : 'expired'
  }

  /** Returns the valid session of a token, or undefined. */
  async verify(token: string): Promise<Session | undefined> {
    const found = await this.examine(token)
    return typeof found === 'string' ? undefined : found
  }

  /** Returns the latest valid sessions of a user, newest first. */
  async list(userId: number): Promise<SessionDetails[]> {
    const { db } = this.#store
    const query = db
      .selectFrom('sessions')
      .select(['id', 'created', 'expires', 'ip', 'agent', 'confirmed'])
      .where('user_id', '=', userId)
      .where('expires', '>', seconds())
      .orderBy('created', 'desc')
      .orderBy('id')
      .limit(MAX_LISTED_SESSIONS)
    const rows = await this.#store.all<Omit<SessionDetails, 'userId'>>(query)
    return rows.map((row) => ({ ...row, userId }))
  }

  /**
   * Records that the user has entered their password in a session.
   * @param id as in `CurrentUser.session`
   * @returns until when this permits changes of accounts, in Unix seconds
   */
  async confirm(id: string): Promise<number> {
    const now = seconds()
    const session = this.#store.db.updateTable('sessions').set({ confirmed: now }).where('id', '=', id)
    await this.#store.run(session)
    return now + this.#life.confirmation
  }

  /** Whether the user has recently entered their password in a session. @param id as in `CurrentUser.session` */
  async isConfirmed(id: string): Promise<boolean> {
    const session = await this.#read(id)
    return session !== undefined && session.confirmed > seconds() - this.#life.confirmation
  }

  /** Ends a session of a user. @param id as in `list` @returns whether it existed */
  async end(userId: number, id: string): Promise<boolean> {
    const session = this.#store.db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '=', id)
    return (await this.#store.run(session)).changes > 0
  }

  /** Ends the session of a token. */
  async destroy(token: string): Promise<void> {
    const id = idOf(token)
    await this.#store.run(this.#store.db.deleteFrom('sessions').where('id', '=', id))
  }

  /** Ends all sessions of a user, except the session of the token `except`. */
  async destroyAll(userId: number, except?: string): Promise<void> {
    const exceptId = except === undefined ? '' : idOf(except)
    const others = this.#store.db.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', exceptId)
    await this.#store.inTurn((tx) => tx.run(others))
  }

  async #read(id: string): Promise<Session | undefined> {
    const cached = this.#recent.get(id)
    if (cached !== undefined) return cached
    const state = this.#recent.begin()
    const row = await this.#store.first<{ user_id: number; expires: number; confirmed: number }>(
      this.#store.db.selectFrom('sessions').select(['user_id', 'expires', 'confirmed']).where('id', '=', id),
    )
    if (row === undefined) return undefined
    const session = { id, userId: row.user_id, expires: row.expires, confirmed: row.confirmed }
    this.#recent.set(id, session, state)
    return session
  }
}

const seconds = () => Math.floor(Date.now() / 1000)

/** A random token of 256 bits needs neither a slow hash nor a salt. */
function idOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
