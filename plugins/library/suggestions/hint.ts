import { suggest } from './suggest.ts'

/** More keys than anybody reads in one sentence. */
const MOST_LISTED = 12

/** The end of a sentence about an unknown word: the nearest known one, or all of them where they are few. */
export function hint(word: string, known: readonly string[], meant: Readonly<Record<string, string>> = {}): string {
  const alias = Object.hasOwn(meant, word.toLowerCase()) ? meant[word.toLowerCase()] : undefined
  const near = alias ?? nearest(word, known)
  if (near !== '') return `: did you mean ${near}?`
  return known.length > MOST_LISTED ? '' : `: known ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`
}

function nearest(word: string, known: readonly string[]): string {
  const same = known.find((one) => one.toLowerCase() === word.toLowerCase())
  return same ?? suggest(word, known)
}
