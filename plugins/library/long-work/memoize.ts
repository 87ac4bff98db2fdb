import { LRUCache } from 'lru-cache'
import { isThenable, type Awaitable } from '../../../kernel/index.ts'

/**
 * Wraps a function of a text in a cache of its latest results, because the same posts are rendered for many lists.
 * @param make function that depends on the text only
 * @param characters of all texts and results in the cache
 */
export function memoize<R extends Awaitable<string>>(
  make: (text: string) => R,
  characters: number,
): (text: string) => R | string {
  const cache = new LRUCache<string, string>({
    maxSize: characters,
    // One entry must not fill the cache.
    maxEntrySize: Math.floor(characters / 4),
    sizeCalculation: (result, text) => text.length + result.length || 1,
  })
  const store = (text: string, result: string) => {
    cache.set(text, result)
    return result
  }
  return (text) => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const result = make(text)
    if (!isThenable(result)) return store(text, result)
    return result.then((late) => store(text, late)) as R
  }
}
