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

/** Users: their rows, profiles, credentials and rights. */
export class UserService extends UserReader {
  readonly #services: PluginContext['services']
  readonly #hooks: Hooks
  /** @internal */
  readonly writer: UserWriter
  readonly #currentUsers: CurrentUsers

  /** To be made where the plugin is applied. */
  constructor(plugin: PluginContext) {
    const { hooks, services } = plugin
    super(services)
    this.#services = services
    this.#hooks = hooks
    this.#currentUsers = new CurrentUsers(services)
    this.writer = new UserWriter(plugin, this)
  }

  /** The profile of a user who is there, batched within a request. */
  profile(id: number, scope: RequestCache): Awaitable<Profile> {
    return readProfile(this.#services, id, scope)
  }

  /** The ID of the user with a login or, where no login is like it, an email address; whatever the case. */
  async idOf(loginOrEmail: string): Promise<number | undefined> {
    if (loginOrEmail === '') return undefined
    const byLogin = await this.#idBy('login', loginOrEmail)
    return byLogin ?? (loginOrEmail.includes('@') ? this.#idBy('email', loginOrEmail) : undefined)
  }

  /** The stored hash of a user's password: '' admits none, undefined is nobody. */
  async passwordHash(id: number): Promise<string | undefined> {
    const { store } = this.#services
    return (await store.first(store.db.selectFrom('users').select('password_hash').where('id', '=', id)))?.password_hash
  }

  /**
   * Stores a better hash of the password that a user has.
   * @param from the hash it replaces; one that was changed meanwhile stays
   */
  async upgradePasswordHash(id: number, from: string, to: string): Promise<void> {
    const { store } = this.#services
    const upgrade = store.db.updateTable('users').set({ password_hash: to })
    await store.run(upgrade.where('id', '=', id).where('password_hash', '=', from))
  }

  /**
   * The user who sends a request, with the rights of their roles; undefined if no user has this ID. It may be half a second
   * old when something else than this service changed the user. Given at once where it is kept.
   */
  current(id: number): Awaitable<CurrentUser | undefined> {
    return this.#currentUsers.get(id)
  }

  /** Whether a user has no power over the site that the one who asks lacks: then they may be changed, or acted for. */
  async reaches(asking: CurrentUser, id: number, scope: RequestCache): Promise<boolean> {
    if (id === asking.id) return true
    const { capabilities, roles } = this.#services
    return capabilities.hasPowersOf(asking, roles.capabilitiesOf((await this.profile(id, scope)).roles))
  }

  /** The roles that a user may give to others: none of them has a power over the site that the user lacks. */
  assignableRoles(asking: CurrentUser): readonly Role[] {
    const { capabilities, roles } = this.#services
    const holding = roles.all().filter((role) => capabilities.hasPowersOf(asking, role.capabilities))
    return applySyncFilter(this.#hooks.editable_roles, holding, asking)
  }

  /**
   * What is to be stored, with its password hashed. For those who store it in a transaction with something else: a hash
   * takes its time, and others wait for the end of a transaction.
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
   * Deletes a user for good, with their sessions, application passwords and meta.
   * @param reassign who gets their content; with 0 nobody, with null it goes to the trash
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
