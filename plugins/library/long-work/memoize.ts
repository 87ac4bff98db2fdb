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
  const kept = new LRUCache<string, string>({
    maxSize: characters,
    // One entry must not fill the cache.
    maxEntrySize: Math.floor(characters / 4),
    sizeCalculation: (made, text) => text.length + made.length || 1,
  })
  const keep = (text: string, made: string) => {
    kept.set(text, made)
    return made
  }
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const made = make(text)
    if (!isThenable(made)) return keep(text, made)
    return made.then((late) => keep(text, late)) as R
  }
}
