import type { RawBuilder } from 'kysely'
import { OwnedList, type Awaitable } from '../../../kernel/index.ts'
import { changeOfRow, rowsQuery, sql, type Change, type ChangeFacts, type Store } from '../store/index.ts'

/** Which changes are kept. */
export interface HistoryBounds {
  /** Number of the oldest change that is kept; 0 where nothing has ever changed. */
  readonly first: number
  /** Number of the newest one; 0 where nothing has ever changed. */
  readonly last: number
}

/** A post right after a change. */
export interface PostMoment {
  /** ID of the post. */
  readonly id: number
  /** Number of the change. */
  readonly at: number
}

/** What a change after a moment says of a post at that moment; null where it was not there. */
export interface PostAt extends PostMoment {
  readonly facts: ChangeFacts | null
  /** Whether that is known: after a change of everything nobody knows. */
  readonly isKnown: boolean
}

/** The changes of the last days by their numbers, whoever made them. */
export interface ChangeHistory {
  /**
   * The changes after a number, in the order of their commits. Deleted changes are missing: call `bounds` to check whether
   * the history goes back to the number.
   * @param id number of a change; 0 for the beginning
   * @param most the most changes to return
   */
  after(id: number, most: number): Promise<Change[]>
  /** The numbers of the oldest and the newest stored change. */
  bounds(): Promise<HistoryBounds>
  /** How posts were at moments, for those that have changed since; the others are still as they were. In one statement. */
  postsAt(moments: readonly PostMoment[]): Promise<PostAt[]>
  /**
   * Has changes kept beyond their time as long as somebody needs them.
   * @param first number of the first one that is needed still; null where none is. Asked each time before changes are forgotten
   * @returns ends that
   */
  keepFrom(first: () => Awaitable<number | null>): () => void
}

/** Reads changes from the database. */
export class StoredHistory implements ChangeHistory {
  readonly #store: Store
  readonly #needs = new OwnedList<() => Awaitable<number | null>>('need of old changes')

  constructor(store: Store) {
    this.#store = store
  }

  async after(id: number, most: number): Promise<Change[]> {
    const { db } = this.#store
    const query = db.selectFrom('changes').selectAll().where('id', '>', id).orderBy('id').limit(most)
    const rows = await this.#store.all(query, [])
    return rows.map(changeOfRow)
  }

  async bounds(): Promise<HistoryBounds> {
    const { db } = this.#store
    // One by one, or SQLite would read every row for the two of them.
    const end = (which: 'min' | 'max') => db.selectFrom('changes').select(sql<number>`${sql.raw(which)}(id)`.as('id'))
    const query = sql<HistoryBounds>`select (${end('min')}) as first, (${end('max')}) as last`
    const row = await this.#store.first(query, [])
    return { first: row?.first ?? 0, last: row?.last ?? 0 }
  }

  async postsAt(moments: readonly PostMoment[]): Promise<PostAt[]> {
    const { dialect } = this.#store
    const asked = rowsQuery(
      dialect,
      moments.map(({ id, at }) => ({ object: String(id), at })),
      { object: 'text', at: 'bigint' },
    )
    const next = (condition: RawBuilder<unknown>) =>
      sql`select min(id) as id from changes where ${condition} and id > asked.at`
    const query = sql<{ object: string; at: number; kind: string; before: string | null }>`
      select asked.object, asked.at, changes.kind, changes.before from (${asked}) as asked
        join changes on changes.id = (select min(id) from (
          ${next(sql`kind = 'post' and object = asked.object`)} union all ${next(sql`kind = 'all'`)}) as either)`
    return (await this.#store.all(query, [])).map(({ object, at, kind, before }) => ({
      id: Number(object),
      at: Number(at),
      isKnown: kind === 'post',
      facts: before === null ? null : (JSON.parse(before) as ChangeFacts),
    }))
  }

  keepFrom(first: () => Awaitable<number | null>): () => void {
    return this.#needs.add(first)
  }

  /** Number of the first change that somebody needs still; Infinity where nobody does. */
  async firstNeeded(): Promise<number> {
    const needed = await Promise.all(Array.from(this.#needs, async (first) => first()))
    return Math.min(...needed.map((id) => id ?? Infinity))
  }
}
