/** More marks on one letter than any script has. */
const MOST_MARKS = 30
const MARKS = new RegExp(`(\\p{M}{${MOST_MARKS}})\\p{M}+`, 'gu')

/**
 * A text in a Unicode normalization form. Of more than 30 combining marks in a row the rest are left out: to bring them
 * into their order takes time that grows with the square of their number (UAX #15 draws the same line).
 */
export function normalize(text: string, form: 'NFC' | 'NFD' | 'NFKD'): string {
  return text.replace(MARKS, '$1').normalize(form)
}
