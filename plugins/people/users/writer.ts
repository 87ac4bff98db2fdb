import { applySyncFilter, RequestCache, runAction, VISITOR, type PluginContext } from '../../../kernel/index.ts'
import { formatUtc, cutSlug, firstFreeSlug, normalizeSlug, slugify } from '../../resources/index.ts'
import { validateValue } from '../../requests/arguments/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { hashOf, loginProblem, type HashedPassword } from './credentials.ts'
import { errors } from './errors.ts'
import { checkRoleNames, readProfile, writeProfile, type Profile } from './profile.ts'
import type { User, UserReader } from './reader.ts'

/** Changes to a user. */
export interface UserChange extends Partial<Profile> {
  email?: string
  slug?: string
  /** The display name; '' to compose it from the other names. */
  name?: string
  url?: string
  /** The new password as plain text, or hashed by `users.secured`. */
  password?: string | HashedPassword
}

/** A user about to be stored. Without a slug or a name, both derive from the login, unless the option `hide_logins` is on. */
export interface NewUser extends UserChange {
  login: string
  email: string
}

/** Maximum length of a slug, in characters. */
const SLUG_LENGTH = 50

/** Runs work in a transaction that has the write turn (`Store.inTurn`). */
type Turn = <T>(work: (tx: Store) => Promise<T>) => Promise<T>

/** Writes users. The `turn` of a controller, which already has the write turn, does not wait. */
export class UserWriter {
  readonly #plugin: PluginContext
  readonly #reader: UserReader
  readonly #hidesLogins: boolean

  /** @param hidesLogins whether names and slugs must not contain logins */
  constructor(plugin: PluginContext, reader: UserReader, hidesLogins: boolean) {
    this.#plugin = plugin
    this.#reader = reader
    this.#hidesLogins = hidesLogins
  }

  async create(user: NewUser, turn: Turn): Promise<User> {
    const { login, email, url = '', password } = user
    await this.#plugin.services.accountChanges.check('user')
    this.#checkLogin(login)
    checkEmail(email)
    const { services } = this.#plugin
    const { options } = services
    const roles = user.roles ?? [await options.get('default_role', 'subscriber')]
    checkRoleNames(services.roles, roles)
    const { first_name = '', last_name = '', description = '', locale = '' } = user
    const nickname = user.nickname || login
    const password_hash = password === undefined ? '' : await hashOf(services, password)
    const registered = formatUtc(Math.floor(Date.now() / 1000))
    return turn(async (tx) => {
      if (await isTaken(tx, 'login', login)) throw errors.existing_user_login()
      if (email !== '' && (await isTaken(tx, 'email', email))) throw errors.existing_user_email()
      const row = { login, email, url, password_hash, registered, slug: `new ${login.toLowerCase()}` }
      const { id } = (await tx.first<{ id: number }>(tx.db.insertInto('users').values(row).returning('id')))!
      const name = user.name || this.#displayName({ id, login }, { first_name, last_name, nickname })
      const desired = normalizeSlug(user.slug ?? '') || slugify(this.#hidesLogins ? name : login) || `user-${id}`
      const slug = await freeUserSlug(tx, cutSlug(desired, SLUG_LENGTH))
      await tx.run(tx.db.updateTable('users').set({ name, slug }).where('id', '=', id))
      await writeProfile(services, id, { first_name, last_name, nickname, description, locale, roles })
      return this.#reader.readOne(id)
    })
  }

  async update(id: number, { password, ...change }: UserChange, turn: Turn): Promise<User> {
    const { hooks, services } = this.#plugin
    if (change.roles !== undefined) checkRoleNames(services.roles, change.roles)
    if (change.email !== undefined) checkEmail(change.email)
    const slug = change.slug === undefined ? undefined : cutSlug(normalizeSlug(change.slug), SLUG_LENGTH)
    if (slug === '') throw errors.rest_user_invalid_slug()
    if (password !== undefined) await services.accountChanges.check('password')
    const password_hash = password === undefined ? undefined : await hashOf(services, password)
    const changed = await turn((tx) => this.#change(tx, id, { ...change, slug, password_hash }))
    if (password_hash !== undefined) await runAction(hooks.password_changed, id)
    return changed
  }

  async delete(id: number, reassign: number | null): Promise<void> {
    const { has, hooks, services } = this.#plugin
    await services.accountChanges.check('user')
    await services.store.inTurn(async (tx) => {
      const user = await this.#reader.readOne(id)
      if (reassign !== null && reassign !== 0) {
        const [heir] = reassign === id ? [] : await this.#reader.readMany([reassign])
        if (heir === undefined) throw errors.rest_user_invalid_reassign()
      }
      await runAction(hooks.delete_user, user, reassign)
      const posts = has('posts') ? services.posts : undefined
      if (reassign === null) await posts?.trashOf(id, { user: VISITOR, scope: new RequestCache() })
      else await posts?.reassign(id, reassign)
      // Comments keep the name of their author.
      await tx.run(tx.db.updateTable('comments').set({ author_id: 0 }).where('author_id', '=', id))
      await tx.run(tx.db.deleteFrom('users').where('id', '=', id))
    })
  }

  async #change(tx: Store, id: number, change: Change): Promise<User> {
    const { services } = this.#plugin
    const { email, slug, name: requestedName, url, password_hash, ...profile } = change
    const { login, email: previousEmail } = await this.#reader.readOne(id)
    if (profile.nickname === '') profile.nickname = login
    // Clients send back the values that they have read: only a change is checked and stored.
    if (email !== undefined && email !== previousEmail) await services.accountChanges.check('email')
    if (profile.roles !== undefined && (await this.#hasRoles(id, profile.roles))) delete profile.roles
    if (profile.roles !== undefined) await services.accountChanges.check('roles')
    if (email !== undefined && email !== '' && (await isTaken(tx, 'email', email, id)))
      throw errors.rest_user_invalid_email()
    if (slug !== undefined && (await isTaken(tx, 'slug', slug, id))) throw errors.rest_user_invalid_slug()
    const nameless = requestedName === '' ? await readProfile(services, id, new RequestCache()) : null
    const name = nameless === null ? requestedName : this.#displayName({ id, login }, { ...nameless, ...profile })
    const row = Object.fromEntries(
      Object.entries({ email, slug, name, url, password_hash }).filter(([, value]) => value !== undefined),
    )
    if (Object.keys(row).length > 0) await tx.run(tx.db.updateTable('users').set(row).where('id', '=', id))
    if (password_hash !== undefined) await tx.run(tx.db.deleteFrom('sessions').where('user_id', '=', id))
    await writeProfile(services, id, profile)
    return this.#reader.readOne(id)
  }

  async #hasRoles(id: number, names: readonly string[]): Promise<boolean> {
    const { roles } = await readProfile(this.#plugin.services, id, new RequestCache())
    return roles.length === names.length && roles.every((name, index) => name === names[index])
  }

  /** Returns the display name of a user without one: the full name, the nickname or, unless hidden, the login. */
  #displayName(
    { id, login }: { id: number; login: string },
    { first_name, last_name, nickname }: Pick<Profile, 'first_name' | 'last_name' | 'nickname'>,
  ): string {
    const chosen = nickname === login ? '' : nickname
    return `${first_name} ${last_name}`.trim() || chosen || (this.#hidesLogins ? `User ${id}` : login)
  }

  #checkLogin(login: string): void {
    const problem = loginProblem(login)
    if (problem !== null) throw errors.rest_user_invalid_username(problem)
    const illegal = applySyncFilter(this.#plugin.hooks.illegal_user_logins, [])
    if (illegal.includes(login.toLowerCase())) throw errors.rest_user_invalid_username('is not available')
  }
}

/** A validated change. */
type Change = Omit<UserChange, 'slug' | 'password'> & { slug: string | undefined; password_hash: string | undefined }

function checkEmail(email: string): void {
  if (email !== '' && validateValue(email, { type: 'string', format: 'email' }, 'email') !== true)
    throw errors.rest_user_invalid_email()
}

async function isTaken(tx: Store, column: 'login' | 'email' | 'slug', value: string, exceptId = 0): Promise<boolean> {
  const other = tx.db.selectFrom('users').select('id').where(column, '=', value).where('id', '<>', exceptId)
  return (await tx.first(other)) !== undefined
}

/** Returns the slug, or if another user has it, the first free one with a number. */
export function freeUserSlug(tx: Store, desired: string): Promise<string> {
  return firstFreeSlug(desired, async (slugs) => {
    const users = await tx.all(tx.db.selectFrom('users').select('slug').where(tx.isIn('slug', slugs)))
    return new Set(users.map(({ slug }) => slug))
  })
}
