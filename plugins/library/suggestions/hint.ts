import { suggest } from './suggest.ts'

/** Longest list of names in a message. */
const MAX_LISTED = 12

/** Returns the end of a message about an unknown word: the most similar known word, or all of them if there are few. */
export function hint(word: string, known: readonly string[], meant: Readonly<Record<string, string>> = {}): string {
  const alias = Object.hasOwn(meant, word.toLowerCase()) ? meant[word.toLowerCase()] : undefined
  const near = alias ?? nearest(word, known)
  if (near !== '') return `: did you mean ${near}?`
  return known.length > MAX_LISTED ? '' : `: known ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`
}

function nearest(word: string, known: readonly string[]): string {
  const same = known.find((one) => one.toLowerCase() === word.toLowerCase())
  return same ?? suggest(word, known)
}
