import type { PluginContext } from '../../../kernel/index.ts'
import { errors } from './errors.ts'

/** Maximum length of a login name, in characters. */
const LOGIN_LENGTH = 60
/** Maximum length of a password, in characters: hashing takes time that grows with it. */
const PASSWORD_LENGTH = 4096

/**
 * Why a text cannot be a login name, as the end of a sentence; null when it can. Logins are ASCII, so that two of them
 * that look the same are the same.
 */
export function loginProblem(login: string): string | null {
  if (login === '') return 'is empty'
  if (login.length > LOGIN_LENGTH) return `is longer than ${LOGIN_LENGTH} characters`
  if (!/^[\w .@-]+$/.test(login)) return 'may only have the letters a to z, digits, spaces and . _ - @'
  if (login.trim() !== login || login.includes('  ')) return 'has a space at an end, or two in a row'
  return null
}

/** Whether a text can be a password. A backslash cannot be in it: clients and other servers differ in what it means. */
export function isPassword(text: string): boolean {
  return text !== '' && text.length <= PASSWORD_LENGTH && !text.includes('\\')
}

/** A password of which only the hash is known. */
export class HashedPassword {
  readonly hash: string

  constructor(hash: string) {
    this.hash = hash
  }
}

/** The logins and password hashes of users. */
export class Credentials {
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services']) {
    this.#services = services
  }

  async idOf(loginOrEmail: string): Promise<number | undefined> {
    if (loginOrEmail === '') return undefined
    const byLogin = await this.#idBy('login', loginOrEmail)
    return byLogin ?? (loginOrEmail.includes('@') ? this.#idBy('email', loginOrEmail) : undefined)
  }

  async passwordHash(id: number): Promise<string | undefined> {
    const { store } = this.#services
    const row = await store.first<{ password_hash: string }>(
      store.db.selectFrom('users').select('password_hash').where('id', '=', id),
    )
    return row?.password_hash
  }

  async upgradePasswordHash(id: number, from: string, to: string): Promise<void> {
    const { store } = this.#services
    const upgrade = store.db.updateTable('users').set({ password_hash: to })
    await store.run(upgrade.where('id', '=', id).where('password_hash', '=', from))
  }

  /** @throws rest_user_invalid_password, password_queue_full */
  async hash(password: string | HashedPassword): Promise<string> {
    if (password instanceof HashedPassword) return password.hash
    if (!isPassword(password)) throw errors.rest_user_invalid_password()
    return this.#services.passwords.hash(password)
  }

  async #idBy(column: 'login' | 'email', value: string): Promise<number | undefined> {
    const { store } = this.#services
    const user = store.db.selectFrom('users').select('id').where(column, '=', value).orderBy('id').limit(1)
    return (await store.first<{ id: number }>(user))?.id
  }
}
