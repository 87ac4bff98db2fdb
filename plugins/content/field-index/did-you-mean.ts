import { suggest } from '../../../kernel/index.ts'

/** The nearest of the words that are known, as a sentence behind another; '' where none is near. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const nearest = suggest(word, known)
  return nearest === '' ? '' : ` Did you mean ${nearest}?`
}
