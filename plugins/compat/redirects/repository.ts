// oxlint-disable-next-line no-restricted-imports -- as in plugins of others, which have no other source of `sql`
import { sql } from 'kysely'
import { dependsOn, VersionedCache, type PluginContext } from '../../public.ts'
import { errors } from './errors.ts'
import type { NewRedirect } from './fields.ts'
import type { Group, Hits, MissingUrl, Redirect, Rule } from './types.ts'

type Store = PluginContext['services']['store']
type ItemRow = Readonly<{ id: number; group_id: number; position: number; enabled: number; url: string; rule: string }>

/** Maximum number of redirects of a site. */
const MAX_REDIRECTS = 50_000
/** Maximum number of URLs that were not found; the oldest are dropped. */
const MAX_MISSING = 10_000
const TABLES = ['redirects__items', 'redirects__groups']
/** Tags of pages that depend on redirects. */
const TAGS: readonly string[] = TABLES.map((table) => `table:${table}`)
const DEFAULT_GROUPS = ['Redirections', 'Modified Posts']

/** All redirects and groups. */
export interface Rules {
  readonly items: readonly Redirect[]
  readonly groups: readonly Group[]
}

/** Stores redirects, groups, hits, and URLs that were not found. */
export class Repository {
  readonly #store: Store
  readonly #rules: VersionedCache<string, Rules>

  constructor(store: Store) {
    this.#store = store
    this.#rules = new VersionedCache(store.changes, { maxEntries: 1, tables: TABLES, tagsOf: () => TAGS })
  }

  /** Creates the groups of a new site. */
  async addDefaultGroups(): Promise<void> {
    await this.#store.inTurn(async (tx) => {
      if ((await tx.first(sql`select id from redirects__groups limit 1`)) !== undefined) return
      for (const [index, name] of DEFAULT_GROUPS.entries())
        await insertGroup(tx, { name, module_id: 1, enabled: true }, index + 1)
    })
  }

  /** Returns all redirects in the order in which they apply, and all groups; cached until one changes. */
  async rules(): Promise<Rules> {
    dependsOn(...TAGS)
    const cached = this.#rules.get('rules')
    if (cached !== undefined) return cached
    const state = this.#rules.begin()
    const groups = await this.#store.all<Omit<Group, 'enabled'> & { enabled: number }>(
      sql`select id, name, module_id, enabled, position from redirects__groups order by position, id`,
    )
    const rows = await this.#store.all<ItemRow>(
      sql`select id, group_id, position, enabled, url, rule from redirects__items`,
    )
    const order = new Map(groups.map(({ id }, index) => [id, index]))
    const items = rows
      .map(({ rule, enabled, ...row }) => ({ ...row, ...(JSON.parse(rule) as Rule), enabled: enabled === 1 }))
      .sort((a, b) => order.get(a.group_id)! - order.get(b.group_id)! || a.position - b.position || a.id - b.id)
    const rules = { items, groups: groups.map((group) => ({ ...group, enabled: group.enabled === 1 })) }
    this.#rules.set('rules', rules, state)
    return rules
  }

  /** Adds redirects. @throws redirect if a group does not exist; redirect_too_many */
  async add(redirects: readonly (NewRedirect & { id?: number })[]): Promise<number[]> {
    return this.#store.inTurn(async (tx) => {
      const { n, last } = (await tx.first<{ n: number; last: number | null }>(
        sql`select count(*) as n, max(id) as last from redirects__items`,
      ))!
      if (Number(n) + redirects.length > MAX_REDIRECTS) throw errors.redirect_too_many(MAX_REDIRECTS)
      const groups = new Set((await tx.all<{ id: number }>(sql`select id from redirects__groups`)).map(({ id }) => id))
      const used = new Set((await tx.all<{ id: number }>(sql`select id from redirects__items`)).map(({ id }) => id))
      let next = Number(last ?? 0) + 1
      const ids: number[] = []
      for (const { id: wanted, group_id: group, position, enabled, url, ...rule } of redirects) {
        if (!groups.has(group)) throw errors.redirect('Invalid group when creating redirect')
        const id = wanted !== undefined && !used.has(wanted) ? wanted : next
        next = Math.max(next, id + 1)
        used.add(id)
        ids.push(id)
        await tx.run(sql`insert into redirects__items (id, group_id, position, enabled, url, rule)
          values (${id}, ${group}, ${position}, ${enabled ? 1 : 0}, ${url}, ${JSON.stringify(rule)})`)
      }
      return ids
    })
  }

  /** Replaces a redirect. @returns whether it exists */
  async update(id: number, { group_id: group, position, enabled, url, ...rule }: NewRedirect): Promise<boolean> {
    const { changes } = await this.#store.run(sql`update redirects__items set group_id = ${group},
      position = ${position}, enabled = ${enabled ? 1 : 0}, url = ${url}, rule = ${JSON.stringify(rule)} where id = ${id}`)
    return changes > 0
  }

  async enable(ids: readonly number[], isEnabled: boolean): Promise<void> {
    for (const id of ids)
      await this.#store.run(sql`update redirects__items set enabled = ${isEnabled ? 1 : 0} where id = ${id}`)
  }

  async delete(ids: readonly number[]): Promise<void> {
    await this.#store.transaction(async (tx) => {
      for (const id of ids) {
        await tx.run(sql`delete from redirects__items where id = ${id}`)
        await tx.run(sql`delete from redirects__hits where id = ${id}`)
      }
    })
  }

  /** Adds a group. @returns its ID */
  async addGroup(group: Pick<Group, 'name' | 'module_id' | 'enabled'> & { id?: number }): Promise<number> {
    return this.#store.inTurn(async (tx) => {
      const rows = await tx.all<{ id: number }>(sql`select id from redirects__groups`)
      const ids = rows.map(({ id }) => id)
      const id = group.id !== undefined && !ids.includes(group.id) ? group.id : Math.max(0, ...ids) + 1
      await insertGroup(tx, group, id)
      return id
    })
  }

  /** Changes a group. @returns whether it exists */
  async updateGroup(
    id: number,
    { name, module_id, enabled }: Pick<Group, 'name' | 'module_id' | 'enabled'>,
  ): Promise<boolean> {
    const { changes } = await this.#store.run(sql`update redirects__groups set name = ${name},
      module_id = ${module_id}, enabled = ${enabled ? 1 : 0} where id = ${id}`)
    return changes > 0
  }

  async enableGroups(ids: readonly number[], isEnabled: boolean): Promise<void> {
    for (const id of ids)
      await this.#store.run(sql`update redirects__groups set enabled = ${isEnabled ? 1 : 0} where id = ${id}`)
  }

  /** Deletes groups with their redirects. */
  async deleteGroups(ids: readonly number[]): Promise<void> {
    await this.#store.transaction(async (tx) => {
      for (const id of ids) {
        await tx.run(sql`delete from redirects__items where group_id = ${id}`)
        await tx.run(sql`delete from redirects__groups where id = ${id}`)
      }
    })
  }

  /** Returns the hits of redirects by ID. */
  async hits(): Promise<ReadonlyMap<number, Hits>> {
    const rows = await this.#store.all<Hits & { id: number }>(sql`select id, hits, last_access from redirects__hits`)
    return new Map(rows.map(({ id, ...hits }) => [id, hits]))
  }

  async resetHits(ids: readonly number[]): Promise<void> {
    for (const id of ids) await this.#store.run(sql`delete from redirects__hits where id = ${id}`)
  }

  async addHits(id: number, { hits, last_access: time }: Hits): Promise<void> {
    await this.#store.run(sql`insert into redirects__hits (id, hits, last_access) values (${id}, ${hits}, ${time})
      on conflict (id) do update set hits = redirects__hits.hits + excluded.hits, last_access = excluded.last_access`)
  }

  /** Returns URLs that were not found, the newest first. */
  missing(): Promise<MissingUrl[]> {
    return this.#store.all<MissingUrl>(
      sql`select url, hits, agent, referrer, last_access from redirects__missing order by last_access desc, url`,
    )
  }

  async deleteMissing(urls: readonly string[]): Promise<void> {
    for (const url of urls) await this.#store.run(sql`delete from redirects__missing where url = ${url}`)
  }

  /** Records URLs that were not found, and drops the oldest beyond the limits. @param since UTC of the oldest to keep */
  async addMissing(urls: readonly MissingUrl[], since: string): Promise<void> {
    await this.#store.transaction(async (tx) => {
      for (const { url, hits, agent, referrer, last_access: time } of urls)
        await tx.run(sql`insert into redirects__missing (url, hits, agent, referrer, last_access)
          values (${url}, ${hits}, ${agent}, ${referrer}, ${time}) on conflict (url) do update set
          hits = redirects__missing.hits + excluded.hits, agent = excluded.agent, referrer = excluded.referrer,
          last_access = excluded.last_access`)
      await tx.run(sql`delete from redirects__missing where last_access < ${since} or url not in
        (select url from redirects__missing order by last_access desc limit ${MAX_MISSING})`)
    })
  }
}

async function insertGroup(
  tx: Store,
  { name, module_id, enabled }: Pick<Group, 'name' | 'module_id' | 'enabled'>,
  id: number,
) {
  await tx.run(sql`insert into redirects__groups (id, name, module_id, enabled, position)
    values (${id}, ${name}, ${module_id}, ${enabled ? 1 : 0}, ${id})`)
}
