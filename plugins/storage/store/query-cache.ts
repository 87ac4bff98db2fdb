import type { Compilable, CompiledQuery } from 'kysely'
import { LRUCache } from 'lru-cache'

const queryLimit = 1000
/** How many characters a key may have for its query to be kept. */
const longestKey = 3000
/** The first of the numbers that stand for IDs in a compiled query; none of them is an ID. */
const FIRST_PLACEHOLDER = Number.MIN_SAFE_INTEGER

/** Queries that are built and compiled at their first use, by their keys; `Store.once` and `Store.forIds` say more. */
export class QueryCache {
  readonly #queries = new LRUCache<string, CompiledQuery>({ max: queryLimit })

  once<T>(key: string, build: () => Compilable<T>): CompiledQuery<T> {
    const known = this.#queries.get(key) as CompiledQuery<T> | undefined
    if (known !== undefined) return known
    const query = build().compile()
    // A key may hold what a client sent.
    if (key.length <= longestKey) this.#queries.set(key, query)
    return query
  }

  forIds<T>(key: string, ids: readonly number[], build: (ids: readonly number[]) => Compilable<T>): CompiledQuery<T> {
    // Powers of two keep the statements few; an ID that is named twice changes nothing.
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
