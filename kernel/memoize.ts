import { isThenable, type Awaitable } from './awaitable.ts'

/**
 * A function of a text with a cache of its latest results: the same posts are rendered for one list after the other.
 * @param make depends on the text only
 * @param characters of the texts and results in the cache
 */
export function memoize<R extends Awaitable<string>>(
  make: (text: string) => R,
  characters: number,
): (text: string) => R | string {
  const kept = new Map<string, string>()
  let held = 0
  const keep = (text: string, made: string) => {
    const size = text.length + made.length
    if (size * 4 > characters || kept.has(text)) return made
    kept.set(text, made)
    held += size
    for (const [oldest, result] of kept) {
      if (held <= characters) break
      kept.delete(oldest)
      held -= oldest.length + result.length
    }
    return made
  }
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) {
      kept.delete(text)
      kept.set(text, known)
      return known
    }
    const made = make(text)
    if (!isThenable(made)) return keep(text, made)
    return made.then((late) => keep(text, late)) as R
  }
}
