import type { RequestCache } from '../../../kernel/index.ts'
import { withoutDependencies } from '../../library/caching/index.ts'
import { Loader, type LoaderTags } from './loader.ts'
import type { SqlQuery, Store } from './store.ts'

/**
 * Returns the loader of a request for one kind of value: it batches reads and reads each key once. The caller of `load`
 * depends on the tags, so they must cover everything that `read` reads.
 */
export function loaderOf<V, K = number>(
  scope: RequestCache,
  key: unknown,
  read: (keys: readonly K[]) => Promise<readonly V[]>,
  tags: LoaderTags<K, V>,
): Loader<V, K> {
  return scope.getObject(key, () => new Loader<V, K>((keys) => withoutDependencies(() => read(keys)), tags))
}

/**
 * Returns the rows of a query in the order of the IDs; undefined for an ID without a row.
 * @param dependsOn as for `Store.all`; not needed in a loader
 */
export async function rowsOf<R extends { id: number }>(
  store: Store,
  query: SqlQuery<R>,
  ids: readonly number[],
  dependsOn?: readonly string[],
): Promise<(R | undefined)[]> {
  const found = new Map((await store.all(query, dependsOn)).map((row) => [row.id, row]))
  return ids.map((id) => found.get(id))
}
