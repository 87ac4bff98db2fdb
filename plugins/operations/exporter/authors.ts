import { LAST_EDITOR_KEY } from '../../content/meta-keys.ts'
import { sql, type Row, type Store } from '../../storage/store/index.ts'
import { ROWS_PER_BATCH } from './batches.ts'
import type { Selection } from './selection.ts'

/** An author with the names of their profile. */
export interface ExportedAuthor extends Pick<Row<'users'>, 'id' | 'login' | 'email' | 'name'> {
  readonly firstName: string
  readonly lastName: string
}

/**
 * Yields the users that the selected items refer to: their authors, their last editors, and the authors of their
 * comments.
 */
export async function* authorsOf(reader: Store, selection: Selection): AsyncGenerator<ExportedAuthor> {
  const { db } = reader
  const items = sql`select posts.id from posts where ${selection.posts}`
  const isReferred = sql<boolean>`users.id in (
    select author_id from posts where ${selection.posts}
    union select author_id from comments where post_id in (${items})
    union select cast(value as integer) from post_meta
      where key = ${LAST_EDITOR_KEY} and length(value) between 1 and 9 and trim(value, ${'0123456789'}) = ''
        and post_id in (${items}))`
  const query = db.selectFrom('users').select(['id', 'login', 'email', 'name']).where(isReferred)
  for (let last = 0; ;) {
    const users = await reader.all(query.where('id', '>', last).orderBy('id').limit(ROWS_PER_BATCH))
    if (users.length === 0) return
    last = users.at(-1)!.id
    const names = await profileNames(
      reader,
      users.map(({ id }) => id),
    )
    for (const user of users) {
      const { first_name: firstName = '', last_name: lastName = '' } = names.get(user.id) ?? {}
      yield { ...user, firstName, lastName }
    }
  }
}

type Names = Partial<Record<'first_name' | 'last_name', string>>

async function profileNames(reader: Store, ids: readonly number[]): Promise<Map<number, Names>> {
  const query = reader.db.selectFrom('user_meta').select(['user_id', 'key', 'value']).where('user_id', 'in', ids)
  const rows = await reader.all(query.where('key', 'in', ['first_name', 'last_name']).orderBy('id'))
  const byUser = Map.groupBy(rows, ({ user_id: id }) => id)
  return new Map(
    [...byUser].map(([id, meta]) => [id, Object.fromEntries(meta.map(({ key, value }) => [key, value])) as Names]),
  )
}

/** Returns the logins of users by ID. */
export class Logins {
  readonly #reader: Store
  readonly #logins = new Map<number, string>()

  constructor(reader: Store) {
    this.#reader = reader
  }

  /** Reads the logins of these users. */
  async load(ids: Iterable<number>): Promise<void> {
    const missing = [...new Set(ids)].filter((id) => id > 0 && !this.#logins.has(id))
    if (missing.length === 0) return
    for (const id of missing) this.#logins.set(id, '')
    const query = this.#reader.db.selectFrom('users').select(['id', 'login']).where('id', 'in', missing)
    for (const { id, login } of await this.#reader.all(query)) this.#logins.set(id, login)
  }

  /** The login of a user, `''` for none. */
  of(id: number): string {
    return this.#logins.get(id) ?? ''
  }
}
