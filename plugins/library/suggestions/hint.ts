import { suggest } from './suggest.ts'

/** Longest list of names in a message. */
const MAX_LISTED = 12

/** Returns the end of a message about an unknown word: the most similar known word, or all of them if there are few. */
export function hint(
  word: string,
  knownWords: readonly string[],
  synonyms: Readonly<Record<string, string>> = {},
): string {
  const alias = Object.hasOwn(synonyms, word.toLowerCase()) ? synonyms[word.toLowerCase()] : undefined
  const near = alias ?? nearest(word, knownWords)
  if (near !== '') return `: did you mean ${near}?`
  return knownWords.length > MAX_LISTED
    ? ''
    : `: known ${knownWords.length === 1 ? 'is' : 'are'} ${knownWords.join(', ')}`
}

function nearest(word: string, knownWords: readonly string[]): string {
  const same = knownWords.find((one) => one.toLowerCase() === word.toLowerCase())
  return same ?? suggest(word, knownWords)
}
