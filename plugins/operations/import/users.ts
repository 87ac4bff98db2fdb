import { normalize, trimMarks } from '../../../kernel/index.ts'
import type { RowChange } from '../../storage/store/schema.ts'
import { Numbering } from './id-map.ts'
import type { Job } from './context.ts'
import type { SiteUser } from './site-file.ts'
import { storedValue } from './php-values.ts'
import type { Value } from './php-values.ts'
import type { WxrAuthor } from './wxr/reader.ts'

/** Makes what is stored of a password. */
export interface Hashing {
  hashPassword(plain: string): Promise<string>
  hashApplicationPassword(plain: string): string
}

/** The role of people of whom the file tells none: it permits the least. */
const ROLE = 'subscriber'

/** The people of an import: those of the site file, the authors of the export, and whom its items name. */
export class People {
  private readonly job: Job
  private readonly hashing: Hashing
  private readonly numbering: Numbering
  /** By login in lower case. */
  private readonly logins = new Map<string, number>()
  /** By id in the file. */
  private readonly fileIds = new Map<number, number>()
  /** Whether users may write any HTML, by id here: those of the site file are all there before anybody is asked for. */
  private readonly trusted = new Map<number, boolean>()

  private constructor(job: Job, hashing: Hashing, numbering: Numbering) {
    this.job = job
    this.hashing = hashing
    this.numbering = numbering
  }

  static async open(job: Job, hashing: Hashing): Promise<People> {
    const highest = await job.highestId('users')
    return new People(job, hashing, new Numbering(highest === 0, highest))
  }

  /** Whether the site had no accounts, so that those of the file keep their ids. */
  get keepsIds(): boolean {
    return this.numbering.keep
  }

  /** A user of the site file. One who is there already, and can log in, stays as he is. */
  async addSiteUser(given: SiteUser): Promise<void> {
    const user = this.job.filters.user(given)
    if (await this.isHere(user.login, user.id ?? 0)) return await this.complete(user)
    const { login, first_name = '', last_name = '', nickname = login, bio = '' } = user
    const id = await this.add({
      id: user.id ?? 0,
      login,
      slug: user.slug ?? '',
      name: user.name ?? login,
      email: user.email ?? '',
      url: this.job.rewrite(user.url ?? ''),
      passwordHash: user.password === undefined ? '' : await this.hashing.hashPassword(user.password),
      registered: utc(new Date(user.registered ?? Date.now())),
      meta: { roles: [user.role ?? ROLE], first_name, last_name, nickname, description: bio },
    })
    await this.addMeta(id, eachValue(Object.entries(user.meta ?? {})))
    await this.addApplicationPasswords(id, user)
  }

  private async addApplicationPasswords(id: number, { application_passwords = [] }: SiteUser): Promise<void> {
    const { tx, counters } = this.job
    for (const { uuid, name, password } of application_passwords) {
      const hash = this.hashing.hashApplicationPassword(password)
      const row = { uuid, user_id: id, name, hash, created: Math.floor(Date.now() / 1000) }
      const insert = tx.db.insertInto('application_passwords').values(row)
      const { changes } = await tx.run(insert.onConflict((conflict) => conflict.column('uuid').doNothing()))
      if (changes === 0)
        counters.note('application password left out, because another has its uuid', `${name}, ${uuid}`)
    }
  }

  /**
   * Gives an account that nobody could log in with so far, as exports alone make them, what the site file has and it
   * lacks: what somebody has set meanwhile stays.
   */
  private async complete(user: SiteUser): Promise<void> {
    const { tx, counters } = this.job
    const id = this.logins.get(user.login.toLowerCase()) ?? 0
    const account = (await tx.first(tx.db.selectFrom('users').selectAll().where('id', '=', id)))!
    const programs = tx.db.selectFrom('application_passwords').select('id').where('user_id', '=', id)
    if (account.password_hash !== '' || (await tx.first(programs)) !== undefined) {
      return counters.note('account in use; stays as it is, whatever the site file says', user.login)
    }
    const had = await tx.all(tx.db.selectFrom('user_meta').select(['key', 'value']).where('user_id', '=', id))
    const said = new Map(had.map(({ key, value }) => [key, value]))
    const unset = (key: string, preset = '') => ['', preset, undefined].includes(said.get(key))

    const row: RowChange<'users'> = {}
    const url = this.job.rewrite(user.url ?? '')
    if (user.password !== undefined) row.password_hash = await this.hashing.hashPassword(user.password)
    if (account.email === '' && user.email !== undefined && user.email !== '') row.email = user.email
    if (account.url === '' && url !== '') row.url = url
    if (['', account.login].includes(account.name) && user.name !== undefined && user.name !== account.name) {
      row.name = user.name
    }
    const values: [string, Value][] = []
    const { role = ROLE, first_name, last_name, nickname, bio } = user
    if (unset('roles', JSON.stringify([ROLE])) && role !== ROLE) values.push(['roles', [role]])
    for (const [key, value] of Object.entries({ first_name, last_name, description: bio })) {
      if (unset(key) && value !== undefined && value !== '') values.push([key, value])
    }
    if (unset('nickname', account.login) && nickname !== undefined && nickname !== said.get('nickname')) {
      values.push(['nickname', nickname])
    }
    const extra = Object.entries(user.meta ?? {}).filter(([key]) => !said.has(key))

    if (Object.keys(row).length > 0) await tx.run(tx.db.updateTable('users').set(row).where('id', '=', id))
    const replaced = values.map(([key]) => key)
    if (replaced.length > 0) {
      await tx.run(tx.db.deleteFrom('user_meta').where('user_id', '=', id).where('key', 'in', replaced))
    }
    await this.addMeta(id, [...values, ...eachValue(extra)])
    await this.addApplicationPasswords(id, user)
    const gotPasswords = (user.application_passwords ?? []).length > 0
    if (Object.keys(row).length > 0 || values.length > 0 || extra.length > 0 || gotPasswords) {
      counters.note('account that nobody could log in with; completed from the site file', user.login)
    }
  }

  /** An author of the export: an account without password. */
  async addAuthor({ id, login, name, email, firstName, lastName }: WxrAuthor): Promise<void> {
    if (login === '') return this.job.counters.skipped('users', 'authors without login')
    if (await this.isHere(login, id)) return
    await this.addWithoutPassword(id, login, name, email, firstName, lastName)
  }

  /** Id of the user with this login, who is made where nobody has it; 0 for no login. */
  idOf(login: string): number | Promise<number> {
    return login === '' ? 0 : (this.logins.get(login.toLowerCase()) ?? this.find(login))
  }

  /** Whether a user may write any HTML; nobody (0) may not. */
  async mayWriteHtml(id: number): Promise<boolean> {
    if (id === 0) return false
    let may = this.trusted.get(id)
    if (may === undefined) {
      const { filters, tx } = this.job
      const query = tx.db.selectFrom('user_meta').select('value').where('user_id', '=', id).where('key', '=', 'roles')
      const row = await tx.first(query)
      may = filters.rules.mayWriteHtml(row === undefined ? [] : (JSON.parse(row.value) as string[]))
      this.trusted.set(id, may)
    }
    return may
  }

  /** Id of the user whom the file calls by this number; 0 when it tells nothing about him. */
  idOfFileId(id: number): number {
    return this.fileIds.get(id) ?? 0
  }

  private async find(login: string): Promise<number> {
    if (await this.isHere(login, 0)) return this.logins.get(login.toLowerCase()) ?? 0
    this.job.counters.note('author whom only items name; has an account without email now', login)
    return await this.addWithoutPassword(0, login, login, '', '', '')
  }

  private async addWithoutPassword(
    id: number,
    login: string,
    name: string,
    email: string,
    first_name: string,
    last_name: string,
  ): Promise<number> {
    this.job.counters.note(`account without password, with the role ${ROLE}: exports carry neither`, login)
    const meta = { roles: [ROLE], first_name, last_name, nickname: login, description: '' }
    const registered = utc(new Date())
    return await this.add({
      id,
      login,
      slug: '',
      name: name || login,
      email,
      url: '',
      passwordHash: '',
      registered,
      meta,
    })
  }

  /** Whether someone has the login; notes by which number the file calls him. */
  private async isHere(login: string, fileId: number): Promise<boolean> {
    const { tx, counters } = this.job
    const key = login.toLowerCase()
    if (!this.logins.has(key)) {
      const query = tx.db.selectFrom('users').select('id').where('login', '=', login)
      const found = await tx.first(query)
      if (found === undefined) return false
      counters.alreadyHere('users')
      this.logins.set(key, found.id)
    }
    this.remember(fileId, this.logins.get(key) ?? 0)
    return true
  }

  private async add(user: {
    id: number
    login: string
    slug: string
    name: string
    email: string
    url: string
    passwordHash: string
    registered: string
    meta: Record<string, Value>
  }): Promise<number> {
    const { tx, counters } = this.job
    const { login, name, email, url, registered, passwordHash: password_hash } = user
    const id = this.numbering.take(user.id)
    const slug = await this.freeSlug(user.slug || slugOf(login) || `user-${id}`)
    await tx.run(tx.db.insertInto('users').values({ id, login, slug, name, email, url, registered, password_hash }))
    await this.addMeta(id, Object.entries(user.meta))
    this.logins.set(login.toLowerCase(), id)
    this.remember(user.id, id)
    counters.imported('users')
    return id
  }

  private async addMeta(id: number, values: readonly (readonly [string, Value])[]): Promise<void> {
    const rows = values.map(([key, value]) => {
      const stored = storedValue(value)
      return [id, key, stored.value, stored.json]
    })
    await this.job.insert('user_meta', ['user_id', 'key', 'value', 'json'], rows)
  }

  private remember(fileId: number, id: number): void {
    if (fileId !== 0 && !this.fileIds.has(fileId)) this.fileIds.set(fileId, id)
  }

  private async freeSlug(wanted: string): Promise<string> {
    const { tx } = this.job
    for (let number = 1; ; number += 1) {
      const slug = number === 1 ? wanted : `${wanted}-${number}`
      const query = tx.db.selectFrom('users').select('id').where('slug', '=', slug)
      if ((await tx.first(query)) === undefined) return slug
    }
  }
}

/** The entries of lists as values of their own. */
function eachValue(entries: readonly (readonly [string, Value])[]): [string, Value][] {
  return entries.flatMap(([key, value]) => [value].flat().map((one): [string, Value] => [key, one]))
}

/** A login as part of an address. */
export function slugOf(login: string): string {
  const plain = normalize(login, 'NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return trimMarks(plain.replace(/[^\p{L}\p{N}_-]+/gu, '-'), '-')
}

/** `YYYY-MM-DD HH:MM:SS` in UTC. */
export function utc(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ')
}
