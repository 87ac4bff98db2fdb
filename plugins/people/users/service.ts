import type { Awaitable, CurrentUser, PluginContext, RequestCache } from '../../../kernel/index.ts'
import { Credentials, HashedPassword } from './credentials.ts'
import { CurrentUsers } from './current-users.ts'
import { Profiles, type Profile } from './profile.ts'
import { UserReader, type User } from './reader.ts'
import { UserWriter, type NewUser, type UserChange } from './writer.ts'

/** Users: their rows, profiles, credentials and rights. */
export class UserService extends UserReader {
  readonly #services: PluginContext['services']
  readonly #writer: UserWriter
  readonly #profiles: Profiles
  readonly #credentials: Credentials
  readonly #currentUsers: CurrentUsers

  /** To be made where the plugin is applied. */
  constructor(plugin: PluginContext) {
    const { services } = plugin
    super(services)
    this.#services = services
    this.#profiles = new Profiles(services)
    this.#credentials = new Credentials(services)
    this.#currentUsers = new CurrentUsers(services)
    this.#writer = new UserWriter(plugin, {
      reader: this,
      profiles: this.#profiles,
      credentials: this.#credentials,
      currentUsers: this.#currentUsers,
    })
  }

  /** The profile of a user who is there, batched within a request. */
  profile(id: number, scope: RequestCache): Promise<Profile> {
    return this.#profiles.read(id, scope)
  }

  /** The ID of the user with a login or, where no login is like it, an email address; whatever the case. */
  idOf(loginOrEmail: string): Promise<number | undefined> {
    return this.#credentials.idOf(loginOrEmail)
  }

  /** The stored hash of a user's password: '' admits none, undefined is nobody. */
  passwordHash(id: number): Promise<string | undefined> {
    return this.#credentials.passwordHash(id)
  }

  /**
   * Stores a better hash of the password that a user has.
   * @param from the hash it replaces; one that was changed meanwhile stays
   */
  upgradePasswordHash(id: number, from: string, to: string): Promise<void> {
    return this.#credentials.upgradePasswordHash(id, from, to)
  }

  /**
   * A user as the one who asks, with what their roles allow; undefined when nobody has this ID. It may be half a second
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

  /**
   * What is to be stored, with its password hashed. For those who store it in a transaction with something else: a hash
   * takes its time, and others wait for the end of a transaction.
   * @throws rest_user_invalid_password, password_queue_full
   */
  async secured<T extends UserChange>(change: T): Promise<T> {
    if (change.password === undefined) return change
    return { ...change, password: new HashedPassword(await this.#credentials.hash(change.password)) }
  }

  /**
   * Stores a new user.
   * @throws existing_user_login, existing_user_email, rest_user_invalid_username, rest_user_invalid_email,
   *   rest_user_invalid_password, rest_user_invalid_role
   */
  create(user: NewUser): Promise<User> {
    return this.#writer.create(user)
  }

  /**
   * Changes a user. A new password ends all of their sessions.
   * @throws rest_user_invalid_id, rest_user_invalid_email, rest_user_invalid_slug, rest_user_invalid_password,
   *   rest_user_invalid_role
   */
  update(id: number, change: UserChange): Promise<User> {
    return this.#writer.update(id, change)
  }

  /**
   * Deletes a user for good, with their sessions, application passwords and meta.
   * @param reassign who gets their content; with null it goes to the trash
   * @throws rest_user_invalid_id, rest_user_invalid_reassign
   */
  delete(id: number, reassign: number | null): Promise<void> {
    return this.#writer.delete(id, reassign)
  }
}
