import { randomInt } from 'node:crypto'
import { v7 as timedUuid } from 'uuid'
import { sanitizeValue } from '../../../kernel/index.ts'
import type { Row, Store } from '../../storage/store/index.ts'
import { userErrors } from '../users/index.ts'
import { errors } from './errors.ts'
import { hashApplicationPassword } from './secret.ts'

/** An application password, without the secret: that is kept nowhere. */
export interface ApplicationPassword {
  readonly id: number
  readonly uuid: string
  readonly userId: number
  /** What the program calls itself, a UUID; '' where it does not say. */
  readonly appId: string
  readonly name: string
  /** Unix seconds. */
  readonly created: number
  /** Unix seconds; null until its first use. */
  readonly lastUsed: number | null
  readonly lastIp: string | null
}

/** What can be said of an application password. */
export interface ApplicationPasswordChange {
  /** What becomes one line of plain text. */
  name?: string
  appId?: string
}

/** Passwords that users give to programs, each of which can be revoked on its own. */
export interface ApplicationPasswords {
  /** Those of a user, oldest first. */
  list(userId: number): Promise<ApplicationPassword[]>
  get(userId: number, uuid: string): Promise<ApplicationPassword | undefined>
  /**
   * Makes one.
   * @returns it, and the secret in groups of four characters, which nobody can tell again
   * @throws application_password_empty_name, application_password_duplicate_name, rest_user_invalid_id
   */
  create(userId: number, change: ApplicationPasswordChange): Promise<{ item: ApplicationPassword; password: string }>
  /**
   * Changes what one is called.
   * @throws rest_application_password_not_found, application_password_empty_name, application_password_duplicate_name
   */
  update(userId: number, uuid: string, change: ApplicationPasswordChange): Promise<ApplicationPassword>
  /** Revokes one. Answers whether there was one. */
  revoke(userId: number, uuid: string): Promise<boolean>
  /** Revokes all of a user and answers how many there were. */
  revokeAll(userId: number): Promise<number>
  /**
   * The application password of a login name, or an email address, and a secret. Read with one statement.
   * @param login as it was sent, whatever its case
   * @param plain the secret; spaces do not count
   */
  find(login: string, plain: string): Promise<ApplicationPassword | undefined>
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Characters of a secret: 142 bits. */
const LENGTH = 24

type StoredRow = Row<'application_passwords'>

/**
 * Application passwords over the table `application_passwords`.
 * @param onRevoked told before the caller learns it: which one was revoked, or of whom all were
 */
export function createApplicationPasswords(
  store: Store,
  onRevoked: (what: { uuid: string } | { userId: number }) => void,
): ApplicationPasswords {
  const { db } = store
  const of = (userId: number) => db.selectFrom('application_passwords').selectAll().where('user_id', '=', userId)
  const read = async (userId: number, uuid: string) => {
    const row = await store.first<StoredRow>(of(userId).where('uuid', '=', uuid))
    return row === undefined ? undefined : toItem(row)
  }
  /** Keeps two of a user from getting one name at the same time, and one from being made for a user who goes. */
  const withFreeName = <T>(userId: number, name: string, but: string, work: () => Promise<T>): Promise<T> =>
    store.inTurn(async (tx) => {
      if (name === '') throw errors.application_password_empty_name()
      const user = await tx.first(db.selectFrom('users').select('id').where('id', '=', userId))
      if (user === undefined) throw userErrors.rest_user_invalid_id()
      const taken = await tx.first(of(userId).where('name', '=', name).where('uuid', '<>', but))
      if (taken !== undefined) throw errors.application_password_duplicate_name()
      return work()
    })

  return {
    async list(userId) {
      const rows = await store.all<StoredRow>(of(userId).orderBy('id'))
      return rows.map(toItem)
    },

    get: read,

    create(userId, { name: wanted = '', appId = '' }) {
      const name = plainName(wanted)
      return withFreeName(userId, name, '', async () => {
        const password = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
        const row = {
          // Version 7 grows with time and so does the index; and begins alike, where a tool would take digits for an id.
          uuid: timedUuid(),
          user_id: userId,
          app_id: appId,
          name,
          hash: hashApplicationPassword(password),
          created: Math.floor(Date.now() / 1000),
        }
        const stored = await store.first<StoredRow>(db.insertInto('application_passwords').values(row).returningAll())
        return { item: toItem(stored!), password: password.replace(/.{4}(?=.)/g, '$& ') }
      })
    },

    async update(userId, uuid, { name: wanted, appId }) {
      const item = await read(userId, uuid)
      if (item === undefined) throw errors.rest_application_password_not_found()
      const name = wanted === undefined ? item.name : plainName(wanted)
      return withFreeName(userId, name, uuid, async () => {
        const change = { name, app_id: appId ?? item.appId }
        const written = await store.run(db.updateTable('application_passwords').set(change).where('uuid', '=', uuid))
        if (written.changes === 0) throw errors.rest_application_password_not_found()
        return { ...item, name: change.name, appId: change.app_id }
      })
    },

    async revoke(userId, uuid) {
      const gone = db.deleteFrom('application_passwords').where('user_id', '=', userId).where('uuid', '=', uuid)
      const { changes } = await store.run(gone)
      onRevoked({ uuid })
      return changes > 0
    },

    async revokeAll(userId) {
      const gone = db.deleteFrom('application_passwords').where('user_id', '=', userId)
      const { changes } = await store.inTurn((tx) => tx.run(gone))
      onRevoked({ userId })
      return changes
    },

    async find(login, plain) {
      const rows = await store.all<StoredRow & { login: string; email: string }>(
        db
          .selectFrom('application_passwords')
          .innerJoin('users', 'users.id', 'application_passwords.user_id')
          .selectAll('application_passwords')
          .select(['users.login', 'users.email'])
          .where('application_passwords.hash', '=', hashApplicationPassword(plain)),
      )
      const asked = login.toLowerCase()
      const row = rows.find(({ login: name, email }) =>
        [name, email].some((one) => one !== '' && one.toLowerCase() === asked),
      )
      return row === undefined ? undefined : toItem(row)
    },
  }
}

/** One line of plain text, as it stands in lists of them. */
function plainName(text: string): string {
  return sanitizeValue(text, { type: 'string', format: 'text-field' }) as string
}

function toItem(row: StoredRow): ApplicationPassword {
  const { id, uuid, user_id: userId, app_id: appId, name, created, last_used: lastUsed, last_ip: lastIp } = row
  return { id, uuid, userId, appId, name, created, lastUsed, lastIp }
}
