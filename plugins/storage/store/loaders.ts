import DataLoader from 'dataloader'
import { currentDependencies, withoutDependencies, type RequestCache } from '../../../kernel/index.ts'
import type { Query, Store } from './store.ts'

/** What something that is loaded depends on, by tags, for those who keep what they make of it. */
export interface LoaderTags<K, V> {
  /** Known before it is read. */
  of(key: K): readonly string[]
  /** Known once it is read. */
  found?(value: V): readonly string[]
}

/**
 * The loader that a request has for something: what is asked of it at the same time is read together, and once. It is who
 * asks that depends on what was asked for, so the tags tell all that `read` reads.
 */
export function loaderOf<V, K = number>(
  scope: RequestCache,
  key: unknown,
  read: (keys: readonly K[]) => Promise<V[]>,
  tags: LoaderTags<K, V>,
): DataLoader<K, V> {
  return scope.get(key, () => new TrackingLoader<K, V>((keys) => withoutDependencies(() => read(keys)), tags))
}

class TrackingLoader<K, V> extends DataLoader<K, V> {
  readonly #tags: LoaderTags<K, V>

  constructor(read: (keys: readonly K[]) => Promise<V[]>, tags: LoaderTags<K, V>) {
    super(read, { maxBatchSize: 1000 })
    this.#tags = tags
  }

  override load(key: K): Promise<V> {
    const dependencies = currentDependencies()
    if (dependencies === undefined) return super.load(key)
    dependencies.addAll(this.#tags.of(key))
    if (this.#tags.found === undefined) return super.load(key)
    return super.load(key).then((value) => {
      dependencies.addAll(this.#tags.found!(value))
      return value
    })
  }
}

/**
 * The rows that a query finds for some IDs, in the order of the IDs; undefined for one that is not there.
 * @param dependsOn as for `Store.all`; a loader tells it by itself
 */
export async function rowsOf<R extends { id: number }>(
  store: Store,
  query: Query<R>,
  ids: readonly number[],
  dependsOn?: readonly string[],
): Promise<(R | undefined)[]> {
  const found = new Map((await store.all(query, dependsOn)).map((row) => [row.id, row]))
  return ids.map((id) => found.get(id))
}
