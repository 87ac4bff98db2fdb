import { currentSpan, trace, tracing, type Awaitable, type Span } from '../../../kernel/index.ts'
import { currentDependencies, type Dependencies } from '../../library/caching/index.ts'
import './tracing.ts'

/** Maximum number of keys in one read. */
const MAX_KEYS_PER_READ = 1000

/** Returns the tags that loaded values depend on, for caches of values computed from them. */
export interface LoaderTags<K, V> {
  /** Tags known before the read. */
  of(key: K): readonly string[]
  /** Tags known only from the value. */
  found?(value: V): readonly string[]
}

/** Keys that are read together. */
interface Batch<K> {
  readonly keys: K[]
  /** The spans that requested the keys, while tracing is active. */
  readonly askers: Set<Span>
  readonly read: Promise<void>
}

/**
 * Batches reads: keys requested at the same time are read together, each only once. Loaded values are returned without
 * a promise, so that a list can load everything its items need first (`loadAll`) and then render them one after the
 * other.
 */
export class Loader<V, K = number> {
  readonly #read: (keys: readonly K[]) => Promise<readonly V[]>
  readonly #tags: LoaderTags<K, V>
  readonly #values = new Map<K, V>()
  /** The pending batch of each key that is not loaded. */
  readonly #pending = new Map<K, Batch<K>>()
  /** The batch that still accepts keys. */
  #open: Batch<K> | null = null

  /** @param read returns the values of keys, in their order */
  constructor(read: (keys: readonly K[]) => Promise<readonly V[]>, tags: LoaderTags<K, V>) {
    this.#read = read
    this.#tags = tags
  }

  /**
   * Returns the value of a key: directly if it is loaded and no batch is open. While one is open, callers with loaded
   * values wait for it too, so that the keys they request next form one batch as well.
   */
  load(key: K): Awaitable<V> {
    const dependencies = currentDependencies()
    dependencies?.addAll(this.#tags.of(key))
    const loaded = this.#values.get(key)
    const isLoaded = loaded !== undefined || this.#values.has(key)
    if (isLoaded && this.#open === null) return this.#withTags(loaded as V, dependencies)
    const batch = isLoaded ? this.#open! : this.#batchOf(key)
    return batch.read.then(() => this.#withTags(this.#values.get(key) as V, dependencies))
  }

  /** Loads all keys; returns undefined if they are already loaded. */
  loadAll(keys: readonly K[]): Promise<unknown> | undefined {
    const dependencies = currentDependencies()
    if (dependencies !== undefined) for (const key of keys) dependencies.addAll(this.#tags.of(key))
    const batches = new Set<Promise<void>>()
    for (const key of keys) if (!this.#values.has(key)) batches.add(this.#batchOf(key).read)
    return batches.size === 0 ? undefined : Promise.all(batches)
  }

  /** Adds a value that was read elsewhere, unless the key is loaded. */
  prime(key: K, value: V): void {
    if (!this.#values.has(key)) this.#values.set(key, value)
  }

  /** Adds the tags of a value to the dependencies of the caller. */
  #withTags(value: V, dependencies: Dependencies | undefined): V {
    if (dependencies !== undefined && this.#tags.found !== undefined) dependencies.addAll(this.#tags.found(value))
    return value
  }

  /** The batch that reads a key. */
  #batchOf(key: K): Batch<K> {
    const batch = this.#pending.get(key) ?? this.#addKey(key)
    if (tracing.load.hasSubscribers) addRequestingSpan(batch)
    return batch
  }

  #addKey(key: K): Batch<K> {
    const batch = (this.#open ??= this.#openBatch())
    batch.keys.push(key)
    this.#pending.set(key, batch)
    return batch
  }

  #openBatch(): Batch<K> {
    const keys: K[] = []
    const askers = new Set<Span>()
    // Read only after all running code waits: code that has just received a value may request the next key.
    const turn = Promise.resolve().then(() => new Promise<void>((resolve) => process.nextTick(resolve)))
    return { keys, askers, read: turn.then(() => this.#readBatch(keys, askers)) }
  }

  #readBatch(keys: readonly K[], askers: ReadonlySet<Span>): Awaitable<void> {
    this.#open = null
    if (!tracing.load.hasSubscribers) return this.#readAll(keys)
    return trace(tracing.load, { keys: keys.length, askers }, () => this.#readAll(keys))
  }

  async #readAll(keys: readonly K[]): Promise<void> {
    try {
      for (let at = 0; at < keys.length; at += MAX_KEYS_PER_READ) {
        const some = keys.length <= MAX_KEYS_PER_READ ? keys : keys.slice(at, at + MAX_KEYS_PER_READ)
        const values = await this.#read(some)
        for (const [index, key] of some.entries()) this.prime(key, values[index]!)
      }
    } finally {
      for (const key of keys) this.#pending.delete(key)
    }
  }
}

function addRequestingSpan({ askers }: { askers: Set<Span> }): void {
  const span = currentSpan()
  if (span !== null) askers.add(span)
}
