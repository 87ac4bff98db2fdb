import { LRUCache } from 'lru-cache'
import { currentOwner } from './ownership.ts'

/** Milliseconds for which an entry is used. */
const LIFETIME = 500

/** Milliseconds that a transaction may take in which something was revoked. */
const UNSETTLED = 60_000

/** What values are read from, and tells of changes: the store. */
export interface ChangeSource {
  /** Changes once another process has written; null where that is unknown. */
  stateOfOthers(): string | null
  /** Calls the listener after each transaction; returns its removal. */
  onSettled(listener: () => void): () => void
}

interface Entry<V> {
  readonly value: V
  readonly at: number
  readonly state: string | null
}

/** The state before a read: where it changes meanwhile, the result is stale. */
export interface ReadStart {
  readonly at: number
  readonly state: string | null
  readonly revocations: number
}

/**
 * A cache of what may be revoked: sessions, passwords, roles. An entry is used for half a second at most, no longer once
 * another process is known to have written something, and no longer once this one has revoked it.
 */
export class ShortLivedCache<K extends string | number, V> {
  readonly #entries: LRUCache<K, Entry<V>>
  readonly #source: ChangeSource
  readonly #now: () => number
  #revocations = 0
  #unsettledUntil = -Infinity

  /**
   * To be made where a plugin is applied.
   * @param most entries at most
   */
  constructor(source: ChangeSource, most: number, now: () => number = () => performance.now()) {
    this.#source = source
    this.#entries = new LRUCache({ max: most })
    this.#now = now
    // What was read while the transaction that revokes was open is what was there before, or what it has taken back.
    const stop = source.onSettled(() => {
      if (this.#now() >= this.#unsettledUntil) return
      this.#revocations += 1
      this.#entries.clear()
    })
    currentOwner().onRemove(stop)
  }

  /** The value of a key while it is fresh. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (this.#now() - entry.at < LIFETIME && entry.state === this.#source.stateOfOthers()) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  /** To be called before a read whose result is to be cached. */
  begin(): ReadStart {
    return { at: this.#now(), state: this.#source.stateOfOthers(), revocations: this.#revocations }
  }

  /** Caches what was read, unless something was revoked since the read began. */
  keep(key: K, value: V, { at, state, revocations }: ReadStart): void {
    if (revocations !== this.#revocations) return
    this.#entries.set(key, { value, at, state })
  }

  /** Removes what was revoked; what is being read at the moment is not cached. */
  forget(revoked: (value: V, key: K) => boolean): void {
    this.#revocations += 1
    this.#unsettledUntil = this.#now() + UNSETTLED
    // A copy: an LRUCache must not change while it is iterated.
    const entries = [...this.#entries.entries()]
    for (const [key, { value }] of entries) if (revoked(value, key)) this.#entries.delete(key)
  }
}
