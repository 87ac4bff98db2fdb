import { currentSpan, trace, tracing, type Awaitable, type Span } from '../../../kernel/index.ts'
import { currentDependencies, type Dependencies } from '../../library/caching/index.ts'
import './tracing.ts'

/** Keys that are read together at most. */
const MAX_KEYS_PER_READ = 1000

/** What something that is loaded depends on, by tags, for those who keep what they make of it. */
export interface LoaderTags<K, V> {
  /** Known before it is read. */
  of(key: K): readonly string[]
  /** Known once it is read. */
  found?(value: V): readonly string[]
}

/** Keys that wait to be read together, and when they have been. */
interface Batch<K> {
  readonly keys: K[]
  /** What asks for them, where somebody traces it. */
  readonly askers: Set<Span>
  readonly read: Promise<void>
}

/**
 * Reads what is asked for at the same time together, and each of it once. What has been read is there without waiting, so
 * that a list can ask for all that its items need with one promise (`loadAll`), and then make them one after the other.
 */
export class Loader<V, K = number> {
  readonly #read: (keys: readonly K[]) => Promise<readonly V[]>
  readonly #tags: LoaderTags<K, V>
  readonly #known = new Map<K, V>()
  /** Batches that the keys are in which are not known yet. */
  readonly #asked = new Map<K, Batch<K>>()
  /** The batch that takes further keys. */
  #open: Batch<K> | null = null

  /** @param read the values of some keys, in their order */
  constructor(read: (keys: readonly K[]) => Promise<readonly V[]>, tags: LoaderTags<K, V>) {
    this.#read = read
    this.#tags = tags
  }

  /**
   * The value of a key: at once where it is known and nothing waits to be read. Else those who have theirs already wait as
   * well, so that what is asked for after it is asked for together, too.
   */
  load(key: K): Awaitable<V> {
    const dependencies = currentDependencies()
    dependencies?.addAll(this.#tags.of(key))
    const known = this.#known.get(key)
    const isKnown = known !== undefined || this.#known.has(key)
    if (isKnown && this.#open === null) return this.#noted(known as V, dependencies)
    const batch = isKnown ? this.#open! : this.#batchOf(key)
    return batch.read.then(() => this.#noted(this.#known.get(key) as V, dependencies))
  }

  /** Has all of some keys read; undefined where they are known. */
  loadAll(keys: readonly K[]): Promise<unknown> | undefined {
    const dependencies = currentDependencies()
    if (dependencies !== undefined) for (const key of keys) dependencies.addAll(this.#tags.of(key))
    const batches = new Set<Promise<void>>()
    for (const key of keys) if (!this.#known.has(key)) batches.add(this.#batchOf(key).read)
    return batches.size === 0 ? undefined : Promise.all(batches)
  }

  /** Tells of a value that was read elsewhere, unless there is one. */
  prime(key: K, value: V): void {
    if (!this.#known.has(key)) this.#known.set(key, value)
  }

  /** A value, once who asks for it is known to depend on it. */
  #noted(value: V, dependencies: Dependencies | undefined): V {
    if (dependencies !== undefined && this.#tags.found !== undefined) dependencies.addAll(this.#tags.found(value))
    return value
  }

  /** The batch that reads a key. */
  #batchOf(key: K): Batch<K> {
    const batch = this.#asked.get(key) ?? this.#addKey(key)
    if (tracing.load.hasSubscribers) noteAsker(batch)
    return batch
  }

  #addKey(key: K): Batch<K> {
    const batch = (this.#open ??= this.#begin())
    batch.keys.push(key)
    this.#asked.set(key, batch)
    return batch
  }

  #begin(): Batch<K> {
    const keys: K[] = []
    const askers = new Set<Span>()
    // Once all that runs now waits: who is told of a value may ask for the next one.
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
      for (const key of keys) this.#asked.delete(key)
    }
  }
}

function noteAsker({ askers }: { askers: Set<Span> }): void {
  const asker = currentSpan()
  if (asker !== null) askers.add(asker)
}
