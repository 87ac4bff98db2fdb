import { formatUtc, normalizeSlug, slugify } from '../../../resources/index.ts'
import { freeUserSlug } from '../../../people/users/index.ts'
import type { Row } from '../../../storage/store/index.ts'
import type { ImportContext } from '../context.ts'
import type { IdSequence } from '../id-map.ts'
import type { Value } from '../php-values.ts'
import type { SiteUser } from '../site-file.ts'
import type { WxrAuthor } from '../wxr/types.ts'
import { completeAccount } from './completion.ts'
import {
  addApplicationPasswords,
  addMeta,
  eachValue,
  LEAST_ROLE,
  passwordHashOf,
  rolesOf,
  type Hashing,
} from './rows.ts'

/** A user about to be stored. An empty slug is derived from the login. */
interface NewUser extends Pick<
  Row<'users'>,
  'login' | 'slug' | 'name' | 'email' | 'url' | 'password_hash' | 'registered'
> {
  /** ID in the file; 0 for none. */
  id: number
  meta: Record<string, Value>
}

/** The users of an import: users of the site file, authors of the export, and authors that only items mention. */
export class ImportedUsers {
  readonly #context: ImportContext
  readonly #hashing: Hashing
  readonly #ids: IdSequence
  /** IDs by lowercase login. */
  readonly #logins = new Map<string, number>()
  /** IDs by ID in the file. */
  readonly #fileIds = new Map<number, number>()
  /** Whether users may write unfiltered HTML, by ID. Users of the site file are all added before the first lookup. */
  readonly #trusted = new Map<number, boolean>()

  constructor(context: ImportContext, hashing: Hashing, ids: IdSequence) {
    this.#context = context
    this.#hashing = hashing
    this.#ids = ids
  }

  /** Whether the site had no users, so that users of the file keep their IDs. */
  get preservesIds(): boolean {
    return this.#ids.keep
  }

  /** Adds a user of the site file. An existing user who can log in is not changed. */
  async addSiteUser(siteUser: SiteUser): Promise<void> {
    const user = this.#context.filter.user(siteUser)
    if (await this.#exists(user.login, user.id ?? 0)) {
      return await completeAccount(this.#context, this.#hashing, this.#idOfLogin(user.login), user)
    }
    const { login, first_name = '', last_name = '', nickname = login, bio = '' } = user
    const id = await this.#add({
      id: user.id ?? 0,
      login,
      slug: user.slug ?? '',
      name: user.name ?? login,
      email: user.email ?? '',
      url: this.#context.rewrite(user.url ?? ''),
      password_hash: await passwordHashOf(user, this.#hashing),
      registered: formatUtc(new Date(user.registered ?? Date.now()).getTime() / 1000),
      meta: { roles: rolesOf(user), first_name, last_name, nickname, description: bio },
    })
    await addMeta(this.#context, id, eachValue(Object.entries(user.meta ?? {})))
    await addApplicationPasswords(this.#context, this.#hashing, id, user)
  }

  /** Adds an author of the export: a user without a password. */
  async addAuthor(author: WxrAuthor): Promise<void> {
    if (author.login === '') return this.#context.counters.skipped('users', 'authors without a login')
    if (!(await this.#exists(author.login, author.id))) await this.#addWithoutPassword(author)
  }

  /** Returns the ID of the user with this login, and adds the user if necessary; 0 for an empty login. */
  idOf(login: string): number | Promise<number> {
    return login === '' ? 0 : (this.#logins.get(login.toLowerCase()) ?? this.#findOrAdd(login))
  }

  /** Whether a user may write unfiltered HTML; false for 0. */
  async mayWriteHtml(id: number): Promise<boolean> {
    if (id === 0) return false
    let may = this.#trusted.get(id)
    if (may === undefined) {
      const { filter, tx } = this.#context
      const query = tx.db.selectFrom('user_meta').select('value').where('user_id', '=', id).where('key', '=', 'roles')
      const row = await tx.first(query)
      may = filter.rules.mayWriteHtml(row === undefined ? [] : (JSON.parse(row.value) as string[]))
      this.#trusted.set(id, may)
    }
    return may
  }

  /** ID of the user with this ID in the file; 0 if the file has no such user. */
  idOfFileId(id: number): number {
    return this.#fileIds.get(id) ?? 0
  }

  async #findOrAdd(login: string): Promise<number> {
    if (await this.#exists(login, 0)) return this.#idOfLogin(login)
    this.#context.counters.note('author without a declaration; account created without an email address', login)
    return await this.#addWithoutPassword({ id: 0, login, name: login, email: '', firstName: '', lastName: '' })
  }

  async #addWithoutPassword(author: Omit<WxrAuthor, 'kind'>): Promise<number> {
    const { id, login, name, email, firstName: first_name, lastName: last_name } = author
    const { counters } = this.#context
    counters.note(
      'account created without a password and with the role {role}, because exports contain neither',
      login,
      1,
      { role: LEAST_ROLE },
    )
    return await this.#add({
      id,
      login,
      slug: '',
      name: name || login,
      email,
      url: '',
      password_hash: '',
      registered: formatUtc(Date.now() / 1000),
      meta: { roles: [LEAST_ROLE], first_name, last_name, nickname: login, description: '' },
    })
  }

  /** Whether a user with the login exists; remembers the user's ID in the file. */
  async #exists(login: string, fileId: number): Promise<boolean> {
    const { tx, counters } = this.#context
    const key = login.toLowerCase()
    if (!this.#logins.has(key)) {
      const found = await tx.first(tx.db.selectFrom('users').select('id').where('login', '=', login))
      if (found === undefined) return false
      counters.alreadyHere('users')
      this.#logins.set(key, found.id)
    }
    this.#remember(fileId, this.#idOfLogin(login))
    return true
  }

  async #add(user: NewUser): Promise<number> {
    const { tx, counters } = this.#context
    const { id: fileId, meta, ...columns } = user
    const id = this.#ids.next(fileId)
    const slug = await freeUserSlug(tx, normalizeSlug(user.slug) || slugify(user.login) || `user-${id}`)
    await tx.run(tx.db.insertInto('users').values({ ...columns, id, slug }))
    await addMeta(this.#context, id, Object.entries(meta))
    this.#logins.set(user.login.toLowerCase(), id)
    this.#remember(fileId, id)
    counters.imported('users')
    return id
  }

  #idOfLogin(login: string): number {
    return this.#logins.get(login.toLowerCase()) ?? 0
  }

  #remember(fileId: number, id: number): void {
    if (fileId !== 0 && !this.#fileIds.has(fileId)) this.#fileIds.set(fileId, id)
  }
}
