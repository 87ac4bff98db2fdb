import { tablesOf } from '../../../../plugins/operations/importer/old-sites/tables.ts'
import type { Store } from '../../../../plugins/storage/store/store.ts'
import { rows } from './importing.ts'

/**
 * Returns everything that imports have written, in an order and with values that do not depend on how many imports there
 * were: all rows but for the numbers of meta rows and the time of accounts.
 */
export async function contentOf(store: Store): Promise<Record<string, readonly string[]>> {
  const sorted = (list: readonly object[]) => list.map((row) => JSON.stringify(row)).sort()
  const withoutId = async (table: 'post_meta' | 'term_meta' | 'comment_meta' | 'user_meta') =>
    sorted((await rows(store, table)).map((row) => ({ ...row, id: 0 })))
  const map = await store.all(tablesOf(store).selectFrom('importer__objects').selectAll())
  const pending = await store.all(tablesOf(store).selectFrom('importer__pending').selectAll())
  return {
    users: sorted((await rows(store, 'users')).map((row) => ({ ...row, registered: '' }))),
    posts: sorted(await rows(store, 'posts')),
    terms: sorted(await rows(store, 'terms')),
    comments: sorted(await rows(store, 'comments')),
    links: sorted(await rows(store, 'term_relationships')),
    options: sorted(
      (await rows(store, 'options')).map(({ name, value }) => {
        const parsed = JSON.parse(value) as unknown
        // Sticky posts are in the order of the imports.
        return { name, value: Array.isArray(parsed) ? new Set(parsed).size : parsed }
      }),
    ),
    postMeta: await withoutId('post_meta'),
    termMeta: await withoutId('term_meta'),
    commentMeta: await withoutId('comment_meta'),
    userMeta: await withoutId('user_meta'),
    objects: sorted(map),
    pending: sorted(pending.map((row) => ({ ...row, id: 0 }))),
  }
}

/** Some orders of a list of four: the given one, the reverse, and two others. */
export function someOrders<T>(list: readonly T[]): T[][] {
  const orders = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
    [2, 0, 3, 1],
    [1, 3, 0, 2],
  ]
  return orders.map((order) => order.map((index) => list[index]!))
}
