import type { RequestCache } from '../../../kernel/index.ts'
import { withoutDependencies } from '../../library/caching/index.ts'
import { Loader, type LoaderTags } from './loader.ts'
import type { SqlQuery, Store } from './store.ts'

/**
 * The loader that a request has for something: what is asked of it at the same time is read together, and once. It is who
 * asks that depends on what was asked for, so the tags tell all that `read` reads.
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
 * The rows that a query finds for some IDs, in the order of the IDs; undefined for one that is not there.
 * @param dependsOn as for `Store.all`; a loader tells it by itself
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
