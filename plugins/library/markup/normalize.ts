/** More combining marks per letter than any script uses. */
const MAX_MARKS = 30
const MARKS = new RegExp(`(\\p{M}{${MAX_MARKS}})\\p{M}+`, 'gu')

/**
 * Normalizes a text to a Unicode normalization form. Drops combining marks after the 30th in a row, because sorting
 * them takes quadratic time (UAX #15 has the same limit).
 */
export function normalize(text: string, form: 'NFC' | 'NFD' | 'NFKD'): string {
  return text.replace(MARKS, '$1').normalize(form)
}
