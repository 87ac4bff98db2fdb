/** Letters that decomposition does not reduce to a plain one. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ł: 'l', ħ: 'h', ı: 'i', ŋ: 'n', ŧ: 't', ĸ: 'k', ſ: 's',
} // prettier-ignore

/** The most bytes a slug has: names in addresses are kept in columns of that size everywhere. */
const LONGEST = 200

/**
 * The name of a title in addresses: lower-case letters, digits, `-` and `_`. Accents are left out, white space, dots
 * and slashes become `-`, and letters beyond ASCII are percent-encoded. Markup, entities and other marks are dropped.
 */
export function slugify(title: string): string {
  const plain = title
    // As HTML is read: what follows an opening bracket is markup, to the end where nothing closes it.
    .replace(/<(?!\s)[^>]*(?:>|$)/g, '')
    .replace(/&[a-z0-9#]+;/gi, '')
    .toLowerCase()
    .normalize('NFD')
    .replace(/(\p{Script=Latin})\p{Mark}+/gu, '$1')
    .normalize('NFC')
    .replace(/[ßæœøđðþłħıŋŧĸſ]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .replace(/[\s./\u00a0\u2010-\u2015]+/g, '-')
    .replace(/[\p{P}\p{S}\p{C}]/gu, (mark) => (mark === '-' || mark === '_' ? mark : ''))
    .replace(/-{2,}/g, '-')
    .replace(/^-|-$/g, '')
  return encode(plain)
}

/** Percent-encodes what is not ASCII, and cuts at the longest length without splitting a character. */
function encode(text: string): string {
  let slug = ''
  for (const letter of text) {
    const encoded = letter < '\x7f' ? letter : encodeURIComponent(letter.toWellFormed()).toLowerCase()
    if (slug.length + encoded.length > LONGEST) break
    slug += encoded
  }
  return slug.replace(/-$/, '')
}
