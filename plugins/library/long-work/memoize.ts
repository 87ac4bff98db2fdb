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
    sizeCalculation: (made, text) => text.length + made.length || 1,
  })
  const store = (text: string, made: string) => {
    cache.set(text, made)
    return made
  }
  return (text) => {
    const cached = cache.get(text)
    if (cached !== undefined) return cached
    const made = make(text)
    if (!isThenable(made)) return store(text, made)
    return made.then((late) => store(text, late)) as R
  }
}
