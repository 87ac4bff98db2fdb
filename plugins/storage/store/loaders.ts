import type { RequestCache } from '../../../kernel/index.ts'
import { Loader } from './loader.ts'
import type { Query, Store } from './store.ts'

/** The loader that a request has for something: what is asked of it at the same time is read together, and once. */
export function loaderOf<V, K = number>(
  scope: RequestCache,
  key: unknown,
  read: (keys: readonly K[]) => Promise<readonly V[]>,
): Loader<V, K> {
  return scope.get(key, () => new Loader<V, K>(read))
}

/** The rows that a query finds for some IDs, in the order of the IDs; undefined for one that is not there. */
export async function rowsOf<R extends { id: number }>(
  store: Store,
  query: Query<R>,
  ids: readonly number[],
): Promise<(R | undefined)[]> {
  const found = new Map((await store.all(query)).map((row) => [row.id, row]))
  return ids.map((id) => found.get(id))
}
