/** A parsed search text. */
export interface SearchTerms {
  /** The text without its marks, for the ranking of whole matches. */
  sentence: string
  /** Whether the text is a single word or phrase, which has no word order to rank by. */
  single: boolean
  /** Words and phrases that must all be found. */
  required: string[]
  /** Words that must not be found. */
  excluded: string[]
}

/** A phrase in quotation marks, or a word; either can be preceded by a minus. */
const TERM = /(-?)"([^"]*)"|(-?)([^\s",+]+)/g
/** Longer texts are searched as one phrase: each word costs a scan of every text. */
const MAX_WORDS = 9
/** Words that occur in nearly every text, so they do not narrow a search. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  'about an are as at be by com for from how in is it of on or that the this to was what when where who will with www'.split(
    ' ',
  ),
)

/**
 * Parses a search text into words, "phrases", and -words that must not occur. Single letters and the most common words
 * are left out, unless there are no other words.
 */
export function parseSearch(text: string): SearchTerms {
  const sentence = text.replace(/[\r\n]+/g, ' ').trim()
  const required: string[] = []
  const excluded: string[] = []
  let parts = 0
  for (const [, phraseMinus, phrase, wordMinus, word] of sentence.matchAll(TERM)) {
    parts += 1
    const term = (phrase ?? word ?? '').trim()
    const minus = (phraseMinus ?? wordMinus) === '-'
    if (minus && term !== '') excluded.push(term)
    else if (phrase === undefined ? isSignificant(term) : term !== '') required.push(term)
  }
  const single = parts === 1
  const words = unique(required)
  const isWithinLimits = words.length > 0 && words.length <= MAX_WORDS && excluded.length <= MAX_WORDS
  if (isWithinLimits || (words.length === 0 && excluded.length > 0 && excluded.length <= MAX_WORDS)) {
    return { sentence, single, required: words, excluded: unique(excluded) }
  }
  return { sentence, single, required: sentence === '' ? [] : [sentence], excluded: [] }
}

function isSignificant(word: string): boolean {
  return word !== '' && !/^[a-z]$/i.test(word) && !COMMON_WORDS.has(word.toLowerCase())
}

function unique(terms: readonly string[]): string[] {
  return [...new Set(terms.map((term) => term.toLowerCase()))]
}
