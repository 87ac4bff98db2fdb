import { sql } from './kysely.ts'
import type { Store } from './store.ts'

/**
 * Returns the IDs of a post or a comment and its ancestors, nearest first, in one statement. Empty if there is
 * no such row.
 * @param limit maximum number of IDs; a cycle of parents is followed until then
 */
export async function idsWithAncestors(
  store: Store,
  table: 'posts' | 'comments',
  id: number,
  limit: number,
): Promise<number[]> {
  const above = store.db
    .withRecursive('above(id, parent_id, level)', (cte) =>
      cte
        .selectFrom(table)
        .select([`${table}.id`, `${table}.parent_id`, sql<number>`1`.as('level')])
        .where(`${table}.id`, '=', id)
        .unionAll(
          cte
            .selectFrom(table)
            .innerJoin('above', 'above.parent_id', `${table}.id`)
            .where('above.level', '<', limit)
            .select([`${table}.id`, `${table}.parent_id`, sql<number>`above.level + 1`.as('level')]),
        ),
    )
    .selectFrom('above')
    .select('above.id')
  return (await store.all(above)).map((row) => row.id)
}
