import {
  applySyncFilter,
  type Awaitable,
  type CurrentUser,
  type Hooks,
  type PluginContext,
  type RequestCache,
} from '../../../kernel/index.ts'
import type { Role } from '../roles/index.ts'
import { hashOf, HashedPassword } from './credentials.ts'
import { CurrentUsers } from './current-users.ts'
import { readProfile, type Profile } from './profile.ts'
import { UserReader, type User } from './reader.ts'
import { UserWriter, type NewUser, type UserChange } from './writer.ts'

/** Users: their rows, profiles, credentials and permissions. */
export class UserService extends UserReader {
  readonly #services: PluginContext['services']
  readonly #hooks: Hooks
  /** Whether the site shows neither names nor slugs that contain usernames, unless users choose them. */
  readonly hidesLogins: boolean
  /** @internal */
  readonly writer: UserWriter
  readonly #currentUsers: CurrentUsers

  /**
   * Must be created while the plugin is applied.
   * @param hidesLogins whether names and slugs of new users must not contain their logins
   */
  constructor(plugin: PluginContext, hidesLogins: boolean) {
    const { hooks, services } = plugin
    super(services)
    this.#services = services
    this.#hooks = hooks
    this.#currentUsers = new CurrentUsers(services)
    this.hidesLogins = hidesLogins
    this.writer = new UserWriter(plugin, this, hidesLogins)
  }

  /** Returns the profile of an existing user, batched within a request. */
  profile(id: number, scope: RequestCache): Awaitable<Profile> {
    return readProfile(this.#services, id, scope)
  }

  /** Returns the ID of the user with a login or, otherwise, an email address, regardless of case. */
  async idOf(loginOrEmail: string): Promise<number | undefined> {
    if (loginOrEmail === '') return undefined
    const byLogin = await this.#idBy('login', loginOrEmail)
    return byLogin ?? (loginOrEmail.includes('@') ? this.#idBy('email', loginOrEmail) : undefined)
  }

  /** Returns the stored hash of a user's password: '' matches no password; undefined if the user does not exist. */
  async passwordHash(id: number): Promise<string | undefined> {
    const { store } = this.#services
    return (await store.first(store.db.selectFrom('users').select('password_hash').where('id', '=', id)))?.password_hash
  }

  /**
   * Stores a better hash of the user's current password.
   * @param from the hash to be replaced; if the stored hash differs, it stays
   */
  async upgradePasswordHash(id: number, from: string, to: string): Promise<void> {
    const { store } = this.#services
    const upgrade = store.db.updateTable('users').set({ password_hash: to })
    await store.run(upgrade.where('id', '=', id).where('password_hash', '=', from))
  }

  /**
   * Returns the user with the capabilities of their roles; undefined if no user has this ID. The result can be half a
   * second old if other code than this service changed the user. Cached users are returned without a promise.
   */
  current(id: number): Awaitable<CurrentUser | undefined> {
    return this.#currentUsers.get(id)
  }

  /** Whether the requesting user has all powers of another user and can therefore change them or act for them. */
  async reaches(requester: CurrentUser, id: number, scope: RequestCache): Promise<boolean> {
    if (id === requester.id) return true
    const { capabilities, roles } = this.#services
    return capabilities.hasPowersOf(requester, roles.capabilitiesOf((await this.profile(id, scope)).roles))
  }

  /** Returns the roles that a user can give to others: roles without powers that the user lacks. */
  assignableRoles(requester: CurrentUser): readonly Role[] {
    const { capabilities, roles } = this.#services
    const assignable = roles.all().filter((role) => capabilities.hasPowersOf(requester, role.capabilities))
    return applySyncFilter(this.#hooks.editable_roles, assignable, requester)
  }

  /**
   * Returns a change with its password hashed. For callers that store it in a transaction: hashing takes long, and
   * others wait for the end of a transaction.
   * @throws rest_user_invalid_password, password_queue_full
   */
  async secured<T extends UserChange>(change: T): Promise<T> {
    if (change.password === undefined) return change
    await this.#services.accountChanges.check('password')
    return { ...change, password: new HashedPassword(await hashOf(this.#services, change.password)) }
  }

  /**
   * Stores a new user.
   * @throws existing_user_login, existing_user_email, rest_user_invalid_username, rest_user_invalid_email,
   *   rest_user_invalid_password, rest_user_invalid_role
   */
  create(user: NewUser): Promise<User> {
    return this.writer.create(user, (work) => this.#services.store.inTurn(work))
  }

  /**
   * Changes a user. A new password ends all of their sessions.
   * @throws rest_user_invalid_id, rest_user_invalid_email, rest_user_invalid_slug, rest_user_invalid_password,
   *   rest_user_invalid_role
   */
  update(id: number, change: UserChange): Promise<User> {
    return this.writer.update(id, change, (work) => this.#services.store.inTurn(work))
  }

  /**
   * Deletes a user permanently, with their sessions, application passwords and meta.
   * @param reassign ID of the user who gets their content; with 0 it has no author, with null it is moved to the trash
   * @throws rest_user_invalid_id, rest_user_invalid_reassign
   */
  delete(id: number, reassign: number | null): Promise<void> {
    return this.writer.delete(id, reassign)
  }

  async #idBy(column: 'login' | 'email', value: string): Promise<number | undefined> {
    const { store } = this.#services
    const user = store.db.selectFrom('users').select('id').where(column, '=', value).orderBy('id').limit(1)
    return (await store.first(user))?.id
  }
}
