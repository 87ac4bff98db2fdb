import type { Compilable, CompiledQuery } from 'kysely'
import { LRUCache } from 'lru-cache'

const MAX_QUERIES = 1000
/** Longest key that is cached, in characters. */
const MAX_KEY_LENGTH = 3000
/** First placeholder for IDs in a compiled query; placeholders are never valid IDs. */
const FIRST_PLACEHOLDER = Number.MIN_SAFE_INTEGER

/** Caches compiled queries by key; see `Store.once` and `Store.forIds`. */
export class QueryCache {
  readonly #queries = new LRUCache<string, CompiledQuery>({ max: MAX_QUERIES })

  once<T>(key: string, build: () => Compilable<T>): CompiledQuery<T> {
    const cached = this.#queries.get(key) as CompiledQuery<T> | undefined
    if (cached !== undefined) return cached
    const query = build().compile()
    // Keys can contain client input of any length.
    if (key.length <= MAX_KEY_LENGTH) this.#queries.set(key, query)
    return query
  }

  forIds<T>(key: string, ids: readonly number[], build: (ids: readonly number[]) => Compilable<T>): CompiledQuery<T> {
    // Sizes are powers of two, to have few statements; the last ID fills the remaining places.
    const size = 2 ** Math.ceil(Math.log2(ids.length))
    const query = this.once(`${key}, ${size} ids`, () =>
      build(Array.from({ length: size }, (_, offset) => FIRST_PLACEHOLDER + offset)),
    )
    const parameters = [...query.parameters]
    for (const [at, value] of parameters.entries()) {
      const index = typeof value === 'number' ? value - FIRST_PLACEHOLDER : size
      if (index < size) parameters[at] = ids[Math.min(index, ids.length - 1)]
    }
    return { ...query, parameters }
  }
}
