import { LRUCache } from 'lru-cache'
import { isThenable, type Awaitable } from '../../../kernel/index.ts'

/**
 * A function of a text with a cache of its latest results: the same posts are rendered for one list after the other.
 * @param make depends on the text only
 * @param characters of the texts and results in the cache
 */
export function memoize<R extends Awaitable<string>>(
  make: (text: string) => R,
  characters: number,
): (text: string) => R | string {
  const kept = new LRUCache<string, string>({
    maxSize: characters,
    // One alone would fill much of it.
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
