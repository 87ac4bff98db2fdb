import { LRUCache } from 'lru-cache'
import { currentOwner } from './ownership.ts'

/** Milliseconds for which something is used without another look where nobody tells of changes. */
const LIFE = 500

/** Milliseconds that a transaction may take in which something was revoked. */
const UNSETTLED = 60_000

/** Where it is read from: the store. */
export interface RecentSource {
  /** Changes once another process has written; null where nobody can tell. */
  stateOfOthers(): string | null
  /** Calls the listener after each transaction; returns its removal. */
  onSettled(listener: () => void): () => void
}

interface Kept<V> {
  readonly value: V
  readonly at: number
  readonly state: string | null
}

/** What a read began with: what changes meanwhile makes it old. */
export interface ReadBegun {
  readonly at: number
  readonly state: string | null
  readonly forgotten: number
}

/**
 * What was read a moment ago of what may be revoked: sessions, passwords, roles. It is used for half a second at most,
 * no longer once another process is known to have written something, and no longer once this one has revoked it.
 */
export class Recent<K extends string | number, V> {
  readonly #kept: LRUCache<K, Kept<V>>
  readonly #source: RecentSource
  readonly #now: () => number
  #forgotten = 0
  #unsettledUntil = -Infinity

  /**
   * To be made where a plugin is applied.
   * @param most how many are kept
   */
  constructor(source: RecentSource, most: number, now: () => number = () => performance.now()) {
    this.#source = source
    this.#kept = new LRUCache({ max: most })
    this.#now = now
    // What was read while the transaction that revokes was open is what was there before, or what it has taken back.
    const stop = source.onSettled(() => {
      if (this.#now() >= this.#unsettledUntil) return
      this.#forgotten += 1
      this.#kept.clear()
    })
    currentOwner().onRemove(stop)
  }

  /** What was kept, while it is good. */
  get(key: K): V | undefined {
    const there = this.#kept.get(key)
    if (there === undefined) return undefined
    if (this.#now() - there.at < LIFE && there.state === this.#source.stateOfOthers()) return there.value
    this.#kept.delete(key)
    return undefined
  }

  /** To be called before a read whose result is to be kept. */
  begin(): ReadBegun {
    return { at: this.#now(), state: this.#source.stateOfOthers(), forgotten: this.#forgotten }
  }

  /** Keeps what was read, unless something was forgotten since the read began. */
  keep(key: K, value: V, { at, state, forgotten }: ReadBegun): void {
    if (forgotten !== this.#forgotten) return
    this.#kept.set(key, { value, at, state })
  }

  /** Forgets what was revoked, and does not keep what is being read at the moment. */
  forget(revoked: (value: V, key: K) => boolean): void {
    this.#forgotten += 1
    this.#unsettledUntil = this.#now() + UNSETTLED
    // A copy: an LRUCache is not to be changed while it is walked through.
    const entries = [...this.#kept.entries()]
    for (const [key, { value }] of entries) if (revoked(value, key)) this.#kept.delete(key)
  }
}
