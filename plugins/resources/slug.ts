import { cleanName } from '../../kernel/index.ts'
import { normalize } from '../library/markup/index.ts'

/** Letters that Unicode decomposition does not reduce to ASCII. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ŧ: 't',
  ĸ: 'k',
  ſ: 's',
}

/** Percent-encoded letters outside of ASCII. */
const ENCODED = /(?:%[89a-f][\da-f])+/gi

/** Maximum length of a slug in bytes: the size of the column in servers of this kind. */
export const MAX_SLUG_BYTES = 200

/**
 * Creates the slug of a title: lower-case letters, digits, `-` and `_`. Removes accents, replaces white space, dots and
 * slashes by `-` and the multiplication sign by `x`, and percent-encodes letters and emoji outside of ASCII. Removes
 * markup, entities and other characters. Percent-encoded letters stay.
 */
export function slugify(title: string): string {
  const text = title
    // As in HTML, an unclosed tag extends to the end.
    .replace(/<(?!\s)[^>]*(?:>|$)/g, '')
    .replace(/&[a-z0-9#]+;/gi, '')
    .replace(ENCODED, decode)
    .toLowerCase()
  const unaccented = normalize(text, 'NFD').replace(/(\p{Script=Latin})\p{Mark}+/gu, '$1')
  const plain = normalize(unaccented, 'NFC')
    .replace(/[ßæœøđðþłħıŋŧĸſ]/g, (letter) => PLAIN_LETTERS[letter] ?? letter)
    .replace(/[\s./\u00a0\u2010-\u2015]+/g, '-')
    .replaceAll('×', 'x')
    // Removes other characters, except emoji (captured). Key caps are digits or characters here. The regular expression
    // takes 15 ms to compile, so it is not created at start.
    .replace(/((?![#*\d])\p{RGI_Emoji})|[[\p{P}\p{S}\p{C}\p{Me}\ufe0f]--[\-_]]/gv, '$1')
    .replace(/-{2,}/g, '-')
    .replace(/^-|-$/g, '')
  return encode(plain)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Percent-encodes characters outside of ASCII, and cuts at the maximum length without splitting a character. */
function encode(text: string): string {
  let slug = ''
  for (const letter of text) {
    const encoded = letter < '\x7f' ? letter : encodeURIComponent(letter.toWellFormed()).toLowerCase()
    if (slug.length + encoded.length > MAX_SLUG_BYTES) break
    slug += encoded
  }
  return slug.replace(/-$/, '')
}

/** A slug in its stored form, apart from the case of its letters and repeated hyphens. */
const STORED = /^(?:[a-z0-9_-]|%[89a-f][0-9a-f])*$/i

/**
 * Returns a slug from a request or an import in the form in which slugs are stored and compared: lower case, letters
 * outside of ASCII in Unicode normalization form C, percent-encoded in lower-case hex. Removes bytes that are not valid
 * UTF-8. A text that is not a slug is treated as a title (`slugify`).
 * @returns at most `MAX_SLUG_BYTES` characters; '' if no character can be part of a slug
 */
export function normalizeSlug(value: string): string {
  const text = value.trim()
  if (!STORED.test(text)) return slugify(text)
  const whole = text.replace(ENCODED, (bytes) => encodeName(decodeLoosely(bytes)))
  return cutSlug(whole.toLowerCase().replace(/-{2,}/g, '-').replace(/^-|-$/g, ''))
}

/** Decodes percent-encoded bytes and removes those that are not valid UTF-8. */
function decodeLoosely(bytes: string): string {
  return new TextDecoder().decode(Buffer.from(bytes.replaceAll('%', ''), 'hex')).replaceAll('\ufffd', '')
}

/**
 * Returns a decoded name of a URL in the normal form of names: lower case, normalization form C, and all characters
 * except printable ASCII percent-encoded in lower-case hex. Names in this form can be compared with each other and with
 * stored slugs.
 * @param name a slug or a whole path
 */
export function encodeName(name: string): string {
  if (/^[a-z0-9_/-]*$/.test(name)) return name
  return normalize(name.toWellFormed().toLowerCase(), 'NFC').replace(/[^!-~]+/g, (text) =>
    encodeURIComponent(text).toLowerCase(),
  )
}

/** Decodes the percent-encoded letters of a name, for display; bytes that are not valid UTF-8 stay. */
export function decodeName(name: string): string {
  return name.replace(ENCODED, decode)
}

/**
 * Returns the stored slugs that a name in a URL can stand for, the most likely first: its normal form, the slug of the
 * same text as a title, and the name as it is, which older imports stored.
 * @param name decoded, or in the normal form of names
 */
export function slugsOfName(name: string): readonly string[] {
  if (/^[a-z0-9_-]+$/.test(name)) return [name]
  const encoded = encodeName(name)
  const raw = cleanName(decode(encoded))
  const decomposed = encodeURIComponent(normalize(raw, 'NFD')).toLowerCase()
  return [...new Set([encoded, slugify(raw), raw, decomposed])].filter((slug) => slug !== '')
}

/** Cuts a slug without splitting an encoded letter. */
export function cutSlug(slug: string, length = MAX_SLUG_BYTES): string {
  if (slug.length <= length) return slug
  let end = slug.slice(0, length).replace(/%[0-9a-f]?$/, '')
  // A letter outside of ASCII has two to four encoded bytes, which are invalid alone.
  while (end !== '' && !decodes(end)) end = end.slice(0, -3)
  return end.replace(/-$/, '')
}

function decodes(slug: string): boolean {
  try {
    decodeURIComponent(slug)
    return true
  } catch {
    return false
  }
}
