import { sql } from 'kysely'
import type { Store } from '../../storage/store/index.ts'

/** Levels of attachments that are looked through for what they belong to. */
const MAX_LEVELS = 100

/**
 * For each post the ID of the nearest that has a status of its own, itself or above; null without any, undefined where
 * posts are above each other, or too many.
 */
export async function idWithOwnStatus(store: Store, ids: readonly number[]): Promise<(number | null | undefined)[]> {
  const query = store.forIds('posts inherited from', ids, (some) =>
    store.db
      .withRecursive('above(start, id, parent_id, status, level)', (cte) =>
        cte
          .selectFrom('posts')
          .select(['posts.id as start', 'posts.id', 'posts.parent_id', 'posts.status', sql<number>`1`.as('level')])
          .where('id', 'in', some)
          .unionAll(
            cte
              .selectFrom('posts')
              .innerJoin('above', 'above.parent_id', 'posts.id')
              .where('above.status', '=', 'inherit')
              .where('above.level', '<', MAX_LEVELS)
              .select(['above.start', 'posts.id', 'posts.parent_id', 'posts.status'])
              .select(sql<number>`above.level + 1`.as('level')),
          ),
      )
      .selectFrom('above')
      .select(['above.start', 'above.id', 'above.status', 'above.level']),
  )
  const rows = await store.all(query)
  const found = new Map(rows.filter(({ status }) => status !== 'inherit').map(({ start, id }) => [start, id]))
  const cut = new Set(rows.filter(({ level }) => level === MAX_LEVELS).map(({ start }) => start))
  return ids.map((id) => found.get(id) ?? (cut.has(id) ? undefined : null))
}
