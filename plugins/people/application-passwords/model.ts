import { createHash, randomInt } from 'node:crypto'
import { requestingUser } from '../../../kernel/index.ts'
import { sanitizeValue } from '../../requests/arguments/index.ts'
import type { AccountChanges } from '../roles/index.ts'
import type { Row, Store } from '../../storage/store/index.ts'
import { userErrors } from '../users/index.ts'
import { errors } from './errors.ts'

/** Permissions of an application password beyond content: `accounts` for changes of accounts (`accountChanges`). */
export const SCOPES = ['accounts'] as const
export type Scope = (typeof SCOPES)[number]

/** An application password without the secret, of which only the SHA-256 hash is stored. */
export interface ApplicationPassword {
  readonly id: number
  readonly uuid: string
  readonly userId: number
  /** UUID that the program sends; '' if it sends none. */
  readonly appId: string
  readonly name: string
  /** Unix seconds. */
  readonly created: number
  /** Unix seconds; null until its first use. */
  readonly lastUsed: number | null
  readonly lastIp: string | null
  readonly scopes: readonly Scope[]
}

/** Changeable properties of an application password. */
export interface ApplicationPasswordChange {
  /** Converted to one line of plain text. */
  name?: string
  appId?: string
  /** Fixed at creation. */
  scopes?: readonly Scope[]
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** Length of a secret, in characters: 142 bits. */
const SECRET_LENGTH = 24
const SECRET = new RegExp(`^[A-Za-z0-9]{${SECRET_LENGTH}}$`)

/** Whether a text has the form of an application password, with or without spaces. */
export function isSecretShaped(text: string): boolean {
  return text.length < 2 * SECRET_LENGTH && SECRET.test(text.replaceAll(' ', ''))
}

type StoredRow = Row<'application_passwords'>

/** Passwords that users create for programs. Each can be revoked separately. */
export class ApplicationPasswords {
  readonly #store: Store
  readonly #accountChanges: AccountChanges
  readonly #uniqueNames: boolean

  /** @param uniqueNames whether the names of a user's passwords must differ */
  constructor(store: Store, accountChanges: AccountChanges, uniqueNames: boolean) {
    this.#store = store
    this.#accountChanges = accountChanges
    this.#uniqueNames = uniqueNames
  }

  /** Returns the application passwords of a user, oldest first. */
  async list(userId: number): Promise<ApplicationPassword[]> {
    const rows = await this.#store.all<StoredRow>(this.#of(userId).orderBy('id'))
    return rows.map(toItem)
  }

  /** Returns whether any user has an application password. */
  async areUsed(): Promise<boolean> {
    const query = this.#store.db.selectFrom('application_passwords').select('id').limit(1)
    return (await this.#store.first(query)) !== undefined
  }

  /** Returns an application password of a user; undefined if the user has none with this UUID. */
  async get(userId: number, uuid: string): Promise<ApplicationPassword | undefined> {
    const row = await this.#store.first<StoredRow>(this.#of(userId).where('uuid', '=', uuid))
    return row === undefined ? undefined : toItem(row)
  }

  /**
   * Creates an application password.
   * @returns the password, and its secret in groups of four characters, which cannot be read again
   * @throws application_password_empty_name, application_password_duplicate_name, rest_user_invalid_id
   */
  async create(
    userId: number,
    { name: requestedName = '', appId = '', scopes = [] }: ApplicationPasswordChange,
  ): Promise<{ item: ApplicationPassword; password: string }> {
    await this.#checkChange()
    const name = plainName(requestedName)
    return this.#forUser(userId, name, '', async () => {
      const password = Array.from({ length: SECRET_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
      const { v7: timedUuid } = await import('uuid')
      const row = {
        // Version 7 grows with time, which suits the index; its beginning contains letters, so tools do not take it for
        // an ID.
        uuid: timedUuid(),
        user_id: userId,
        app_id: appId,
        name,
        hash: hashApplicationPassword(password),
        created: Math.floor(Date.now() / 1000),
        scopes: JSON.stringify(scopes),
      }
      const insert = this.#store.db.insertInto('application_passwords').values(row).returningAll()
      const stored = await this.#store.first<StoredRow>(insert)
      return { item: toItem(stored!), password: password.replace(/.{4}(?=.)/g, '$& ') }
    })
  }

  /**
   * Renames an application password.
   * @throws rest_application_password_not_found, application_password_empty_name, rest_user_invalid_id
   */
  async update(
    userId: number,
    uuid: string,
    { name: newName, appId }: ApplicationPasswordChange,
  ): Promise<ApplicationPassword> {
    await this.#checkChange()
    const item = await this.get(userId, uuid)
    if (item === undefined) throw errors.rest_application_password_not_found()
    const name = newName === undefined ? item.name : plainName(newName)
    return this.#forUser(userId, name, uuid, async () => {
      const change = { name, app_id: appId ?? item.appId }
      const update = this.#store.db.updateTable('application_passwords').set(change).where('uuid', '=', uuid)
      const { changes } = await this.#store.run(update)
      if (changes === 0) throw errors.rest_application_password_not_found()
      return { ...item, name: change.name, appId: change.app_id }
    })
  }

  /**
   * Revokes an application password. Sessions need no confirmation, and an application password can revoke itself
   * without the scope `accounts`.
   * @returns whether it existed
   * @throws rest_insufficient_scope
   */
  async revoke(userId: number, uuid: string): Promise<boolean> {
    await this.#checkRevocation(uuid)
    const { changes } = await this.#store.run(this.#deletion(userId).where('uuid', '=', uuid))
    return changes > 0
  }

  /**
   * Revokes all application passwords of a user. Sessions need no confirmation.
   * @returns the number of revoked passwords
   * @throws rest_insufficient_scope
   */
  async revokeAll(userId: number): Promise<number> {
    await this.#checkRevocation()
    const { changes } = await this.#store.inTurn((tx) => tx.run(this.#deletion(userId)))
    return changes
  }

  /**
   * Returns the application password for a login name or an email address and a secret, with one statement.
   * @param login as sent; case does not matter
   * @param plain the secret; spaces are ignored
   */
  async find(login: string, plain: string): Promise<ApplicationPassword | undefined> {
    const rows = await this.#store.all<StoredRow & { login: string; email: string }>(
      this.#store.db
        .selectFrom('application_passwords')
        .innerJoin('users', 'users.id', 'application_passwords.user_id')
        .selectAll('application_passwords')
        .select(['users.login', 'users.email'])
        .where('application_passwords.hash', '=', hashApplicationPassword(plain)),
    )
    const lowerCaseLogin = login.toLowerCase()
    const row = rows.find(({ login: name, email }) =>
      [name, email].some((one) => one !== '' && one.toLowerCase() === lowerCaseLogin),
    )
    return row === undefined ? undefined : toItem(row)
  }

  #checkChange(): Promise<void> {
    return this.#accountChanges.check('application_passwords')
  }

  /** Checks less than other changes of accounts: revoking access must be easy, above all after a theft. */
  async #checkRevocation(uuid?: string): Promise<void> {
    const user = requestingUser()
    const isOwn = uuid !== undefined && user?.applicationPassword === uuid
    if (user?.session === undefined && !isOwn) await this.#checkChange()
  }

  #of(userId: number) {
    return this.#store.db.selectFrom('application_passwords').selectAll().where('user_id', '=', userId)
  }

  #deletion(userId: number) {
    return this.#store.db.deleteFrom('application_passwords').where('user_id', '=', userId)
  }

  /** Runs `work` in turn, so that the user cannot be deleted in between and unique names stay unique. */
  #forUser<T>(userId: number, name: string, exceptUuid: string, work: () => Promise<T>): Promise<T> {
    return this.#store.inTurn(async (tx) => {
      if (name === '') throw errors.application_password_empty_name()
      const user = await tx.first(tx.db.selectFrom('users').select('id').where('id', '=', userId))
      if (user === undefined) throw userErrors.rest_user_invalid_id()
      if (this.#uniqueNames) {
        const duplicate = await tx.first(this.#of(userId).where('name', '=', name).where('uuid', '<>', exceptUuid))
        if (duplicate !== undefined) throw errors.application_password_duplicate_name()
      }
      return work()
    })
  }
}

/** Converts a name to one line of plain text. */
function plainName(text: string): string {
  return sanitizeValue(text, { type: 'string', format: 'text-field' }) as string
}

function toItem(row: StoredRow): ApplicationPassword {
  const { id, uuid, user_id: userId, app_id: appId, name, created, last_used: lastUsed, last_ip: lastIp } = row
  return { id, uuid, userId, appId, name, created, lastUsed, lastIp, scopes: scopesOf(row.scopes) }
}

/** Returns the known scopes of a stored list. */
function scopesOf(json: string): readonly Scope[] {
  const stored = JSON.parse(json) as readonly string[]
  return SCOPES.filter((scope) => stored.includes(scope))
}

/**
 * Hashes an application password for storage. It is a random secret of 142 bits, so one fast hash protects it, and each
 * request can be checked cheaply. Spaces are for readability and are ignored.
 * @param plain the password as shown or sent
 */
export function hashApplicationPassword(plain: string): string {
  return `sha256:${createHash('sha256').update(plain.replace(/\s+/g, '')).digest('hex')}`
}
