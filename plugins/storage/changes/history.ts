import type { RawBuilder } from 'kysely'
import { OwnedList, type Awaitable } from '../../../kernel/index.ts'
import { addDeprecatedMembers } from '../../library/deprecated-names/index.ts'
import { changeOfRow, rowsQuery, sql, type Change, type ChangeFacts, type Store } from '../store/index.ts'

/** The range of stored changes. */
export interface HistoryBounds {
  /** Number of the oldest stored change; 0 if nothing has ever changed. */
  readonly first: number
  /** Number of the newest stored change; 0 if nothing has ever changed. */
  readonly last: number
}

/** A post right after a change. */
export interface PostMoment {
  /** ID of the post. */
  readonly id: number
  /** Number of the change. */
  readonly at: number
}

/**
 * The state of a post at a moment, taken from the first later change of it; `facts` is null if the post did not exist.
 */
export interface PostAt extends PostMoment {
  readonly facts: ChangeFacts | null
  /** False if a change of the whole database came in between: the state at the moment is then unknown. */
  readonly isKnown: boolean
}

/** The changes of the last days by their numbers, from all writers and processes. */
export interface ChangeHistory {
  /**
   * Returns the changes after a number, in the order of their commits. Deleted changes are missing: call `bounds` to
   * check whether the history goes back to the number.
   * @param id number of a change; 0 for the beginning
   * @param limit maximum number of changes
   */
  after(id: number, limit: number): Promise<Change[]>
  /** Returns the numbers of the oldest and the newest stored change. */
  bounds(): Promise<HistoryBounds>
  /** Returns the state of posts at given moments, in one statement. Posts that have not changed since are left out. */
  postsAt(moments: readonly PostMoment[]): Promise<PostAt[]>
  /**
   * Protects changes from deletion beyond their retention time.
   * @param first returns the number of the first change that is still needed, or null if there is no such change.
   * Called before each deletion
   * @returns a function that ends the protection
   */
  retainFrom(first: () => Awaitable<number | null>): () => void
  /** @deprecated Use `retainFrom`. */
  readonly keepFrom: ChangeHistory['retainFrom']
}

/** Reads changes from the database. */
export class StoredHistory implements ChangeHistory {
  /** @deprecated Use `retainFrom`. */
  declare readonly keepFrom: StoredHistory['retainFrom']
  readonly #store: Store
  readonly #needs = new OwnedList<() => Awaitable<number | null>>('need of old changes')

  constructor(store: Store) {
    this.#store = store
  }

  async after(id: number, limit: number): Promise<Change[]> {
    const { db } = this.#store
    const query = db.selectFrom('changes').selectAll().where('id', '>', id).orderBy('id').limit(limit)
    const rows = await this.#store.all(query, [])
    return rows.map(changeOfRow)
  }

  async bounds(): Promise<HistoryBounds> {
    const { db } = this.#store
    // Two subqueries: for `min` and `max` in one select SQLite would read every row.
    const end = (aggregate: 'min' | 'max') =>
      db.selectFrom('changes').select(sql<number>`${sql.raw(aggregate)}(id)`.as('id'))
    const query = sql<HistoryBounds>`select (${end('min')}) as first, (${end('max')}) as last`
    const row = await this.#store.first(query, [])
    return { first: row?.first ?? 0, last: row?.last ?? 0 }
  }

  async postsAt(moments: readonly PostMoment[]): Promise<PostAt[]> {
    const { dialect } = this.#store
    const requested = rowsQuery(
      dialect,
      moments.map(({ id, at }) => ({ object: String(id), at })),
      { object: 'text', at: 'bigint' },
    )
    const next = (condition: RawBuilder<unknown>) =>
      sql`select min(id) as id from changes where ${condition} and id > requested.at`
    const query = sql<{ object: string; at: number; kind: string; before: string | null }>`
      select requested.object, requested.at, changes.kind, changes.before from (${requested}) as requested
        join changes on changes.id = (select min(id) from (
          ${next(sql`kind = 'post' and object = requested.object`)} union all ${next(sql`kind = 'all'`)}) as either)`
    return (await this.#store.all(query, [])).map(({ object, at, kind, before }) => ({
      id: Number(object),
      at: Number(at),
      isKnown: kind === 'post',
      facts: before === null ? null : (JSON.parse(before) as ChangeFacts),
    }))
  }

  retainFrom(first: () => Awaitable<number | null>): () => void {
    return this.#needs.add(first)
  }

  /** Returns the number of the first change that `retainFrom` protects; Infinity if there is no such change. */
  async firstNeeded(): Promise<number> {
    const needed = await Promise.all(Array.from(this.#needs, async (first) => first()))
    return Math.min(...needed.map((id) => id ?? Infinity))
  }
}

addDeprecatedMembers(StoredHistory.prototype, 'services.changeHistory', { keepFrom: 'retainFrom' })
