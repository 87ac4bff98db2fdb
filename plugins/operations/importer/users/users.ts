import { formatUtc, normalizeSlug, slugify } from '../../../resources/index.ts'
import { freeUserSlug } from '../../../people/users/index.ts'
import type { Row } from '../../../storage/store/index.ts'
import type { ImportContext } from '../context.ts'
import type { IdSequence } from '../id-map.ts'
import { fingerprint, fingerprintOfName, keyOfName } from '../old-sites/fingerprint.ts'
import { fingerprintOf, readStates, writeState, type MetaRow } from '../old-sites/object-state.ts'
import type { MappedObject } from '../old-sites/old-site.ts'
import { DELETED_HERE } from '../old-sites/reasons.ts'
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
  /** IDs by lowercase login; 0 for users who were deleted here. */
  readonly #logins = new Map<string, number>()
  /** IDs of users of earlier imports, by the hash of their login on the old site; 0 for users who were deleted here. */
  readonly #earlier = new Map<number, number>()
  /** IDs in the file that this import has seen. */
  readonly #declared = new Set<number>()
  /** Whether users may write unfiltered HTML, by ID. Users of the site file are all added before the first lookup. */
  readonly #trusted = new Map<number, boolean>()

  private constructor(context: ImportContext, hashing: Hashing, ids: IdSequence) {
    this.#context = context
    this.#hashing = hashing
    this.#ids = ids
  }

  static async open(context: ImportContext, hashing: Hashing): Promise<ImportedUsers> {
    const users = new ImportedUsers(context, hashing, await context.idSequence('user'))
    for (const { name, newId } of await context.oldSite.all('user')) users.#earlier.set(name, newId)
    return users
  }

  /** Whether the site had no users, so that all users of the file keep their IDs. */
  get preservesIds(): boolean {
    return this.#ids.keep && this.#ids.highestBefore === 0
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
    if (await this.#exists(author.login, author.id)) await this.#update(author)
    else if (!this.#isDeleted(author.login)) await this.#addWithoutPassword(author)
  }

  /**
   * Updates a user of an earlier import, or one that only items mentioned, if the account has not been changed here and
   * has no password.
   */
  async #update(author: WxrAuthor): Promise<void> {
    const { counters, oldSite, tx } = this.#context
    const id = this.#idOfLogin(author.login)
    const source = sourceOf(author)
    const entries = (await oldSite.findByNewIds('user', [id])).get(id) ?? []
    const known = entries.find(({ written }) => written !== 0)
    if (known === undefined || known.source === source) return
    const before = (await readStates(tx, 'user', [id])).get(id)
    if (before === undefined || fingerprintOf('user', before) !== known.written || (await this.#hasPassword(id))) {
      // The account is in use here.
      if (known.source !== 0) counters.note('account that differs from the file, changed here; kept', author.login)
      return
    }
    const { name, email, firstName: first_name, lastName: last_name } = author
    const profile = Object.entries({ first_name, last_name }).map(([key, value]): MetaRow => [key, value, 0])
    const others = before.meta.filter(([key]) => key !== 'first_name' && key !== 'last_name')
    const after = {
      row: { ...before.row, name: name || author.login, email },
      meta: [...others, ...profile],
      terms: [],
    }
    await writeState(tx, 'user', id, before, after)
    const written = fingerprintOf('user', after)
    for (const entry of entries) oldSite.set(entry, { ...entry, source, written })
    if (known.source !== 0) counters.updated('users')
    if (known.source !== 0) counters.alreadyHere('users', -1)
  }

  async #hasPassword(id: number): Promise<boolean> {
    const query = this.#context.tx.db.selectFrom('users').select('password_hash').where('id', '=', id)
    return (await this.#context.tx.first(query))?.password_hash !== ''
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
    return this.#context.oldSite.newIdOf('user', id)
  }

  async #findOrAdd(login: string): Promise<number> {
    if (await this.#exists(login, 0)) return this.#idOfLogin(login)
    if (this.#isDeleted(login)) return 0
    this.#context.counters.note('author without a declaration; account created without an email address', login)
    const author = { id: 0, login, name: login, email: '', firstName: '', lastName: '' }
    return await this.#addWithoutPassword(author, false)
  }

  async #addWithoutPassword(author: Omit<WxrAuthor, 'kind'>, isDeclared = true): Promise<number> {
    const { id, login, name, email, firstName: first_name, lastName: last_name } = author
    const { counters } = this.#context
    counters.note(
      'account created without a password and with the role {role}, because exports contain neither',
      login,
      1,
      { role: LEAST_ROLE },
    )
    const user = {
      id,
      login,
      slug: '',
      name: name || login,
      email,
      url: '',
      password_hash: '',
      registered: formatUtc(Date.now() / 1000),
      meta: { roles: [LEAST_ROLE], first_name, last_name, nickname: login, description: '' },
    }
    return await this.#add(user, isDeclared ? sourceOf(author) : 0)
  }

  /** Whether a user with the login exists; remembers the user's ID in the file. */
  async #exists(login: string, fileId: number): Promise<boolean> {
    const { tx, counters } = this.#context
    const key = login.toLowerCase()
    if (!this.#logins.has(key)) {
      const found =
        this.#earlier.get(fingerprintOfName(key)) ||
        (await tx.first(tx.db.selectFrom('users').select('id').where('login', '=', login)))?.id
      if (found === undefined) return false
      counters.alreadyHere('users')
      this.#logins.set(key, found)
    }
    const id = this.#idOfLogin(login)
    await this.#remember(login, fileId, id)
    return id !== 0
  }

  /** Whether the user of an earlier import was deleted here and is not to be added again; counts such a user. */
  #isDeleted(login: string): boolean {
    const key = login.toLowerCase()
    if (this.#context.restores || this.#earlier.get(fingerprintOfName(key)) !== 0) return false
    if (!this.#logins.has(key)) this.#context.counters.skipped('users', DELETED_HERE)
    this.#logins.set(key, 0)
    return true
  }

  /** @param source hash of the author as the file declares it; 0 if it does not */
  async #add(user: NewUser, source = 0): Promise<number> {
    const { counters, tx } = this.#context
    const { id: fileId, meta, ...columns } = user
    const id = this.#ids.next(fileId, await this.#context.freeIds('user', this.#ids, [fileId]))
    const slug = await freeUserSlug(tx, normalizeSlug(user.slug) || slugify(user.login) || `user-${id}`)
    await tx.run(tx.db.insertInto('users').values({ ...columns, id, slug }))
    await addMeta(this.#context, id, Object.entries(meta))
    this.#logins.set(user.login.toLowerCase(), id)
    const state = (await readStates(tx, 'user', [id])).get(id)!
    await this.#remember(user.login, fileId, id, { source, written: fingerprintOf('user', state) })
    counters.imported('users')
    return id
  }

  #idOfLogin(login: string): number {
    return this.#logins.get(login.toLowerCase()) ?? 0
  }

  /** @param hashes of a user whom the import created */
  async #remember(login: string, fileId: number, newId: number, hashes?: Pick<MappedObject, 'source' | 'written'>) {
    const { oldSite } = this.#context
    const name = fingerprintOfName(login.toLowerCase())
    const isKnown = this.#earlier.get(name) === newId
    this.#earlier.set(name, newId)
    // The first declaration of an ID in this import counts.
    if (newId === 0 || (fileId === 0 && isKnown) || this.#declared.has(fileId)) return
    if (fileId !== 0) this.#declared.add(fileId)
    if (fileId !== 0 && isKnown && oldSite.newIdOf('user', fileId) === newId) return
    const oldId = fileId === 0 ? keyOfName(`user ${login.toLowerCase()}`) : fileId
    const [earlier] = (await oldSite.findByNewIds('user', [newId])).get(newId) ?? []
    // The user is no longer only a name.
    if (earlier !== undefined && earlier.oldId < 0 && fileId !== 0) await oldSite.remove(earlier)
    const { source, written } = hashes ?? earlier ?? { source: 0, written: 0 }
    oldSite.set({ kind: 'user', taxonomy: '', oldId }, { newId, name, source, written })
  }
}

/** Hash of an author as the file declares it. */
function sourceOf({ email, name, firstName, lastName }: Omit<WxrAuthor, 'kind'>): number {
  return fingerprint([email, name, firstName, lastName])
}
