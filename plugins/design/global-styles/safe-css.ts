/** Most characters of a value; more is no value that anybody writes. */
const LONGEST_VALUE = 2_000

/**
 * A value as it may stand in a declaration; null for one that could end it, or that loads or runs what it should not.
 * Takes time in proportion to its length.
 */
export function safeValue(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (text === '' || text.length > LONGEST_VALUE || /[{}<>;\\@\p{Cc}]|\/\*|!important/iu.test(text)) return null
  if (/expression\s*\(|javascript:|vbscript:|-moz-binding|behavior\s*:/i.test(text)) return null
  return isBalanced(text) && hasSafeUrls(text) ? text : null
}

/** Whether each `url()` is of a file, an HTTP address or an image in place. */
function hasSafeUrls(text: string): boolean {
  return text
    .split(/url\(/i)
    .slice(1)
    .every((rest) => {
      const url = rest.trimStart().replace(/^["']/, '')
      return /^(?:https?:|data:image\/(?:png|jpeg|gif|webp|avif);)/i.test(url) || !/^[a-z][a-z0-9+.-]*:/i.test(url)
    })
}

/** Whether a text opens no bracket, text or comment of CSS that it does not close. */
function isBalanced(text: string): boolean {
  const open: string[] = []
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!
    if (letter === '\\') at += 1
    else if (letter === '"' || letter === "'") {
      at = endOfText(text, at)
      if (at === -1) return false
    } else if (letter === '/' && text[at + 1] === '*') {
      at = text.indexOf('*/', at + 2) + 1
      if (at === 0) return false
    } else if (letter in CLOSING) open.push(CLOSING[letter]!)
    else if ((letter === ')' || letter === '}' || letter === ']') && open.pop() !== letter) return false
  }
  return open.length === 0
}

const CLOSING: Readonly<Record<string, string>> = Object.assign(Object.create(null), { '(': ')', '{': '}', '[': ']' })

/** Where the text that begins somewhere ends; -1 where it does not. */
function endOfText(css: string, begin: number): number {
  for (let at = begin + 1; at < css.length; at += 1) {
    if (css[at] === '\\') at += 1
    else if (css[at] === '\n') return -1
    else if (css[at] === css[begin]) return at
  }
  return -1
}

/** Whether CSS has markup in it, which no style sheet needs and which could end a `<style>` element. */
export function hasMarkup(css: string): boolean {
  return /<[/!?a-z]/i.test(css)
}

/** CSS with its escaped letters as letters: `@\69mport` is `@import`. */
function unescaped(css: string): string {
  return css.replace(/\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi, (_, code: string | undefined, letter: string) => {
    const point = code === undefined ? 0 : Number.parseInt(code, 16)
    return code === undefined ? letter : point > 0x10ffff ? '' : String.fromCodePoint(point)
  })
}

/** CSS that a user wrote as it may stand in a style sheet; '' where it is none, or would not end. */
export function safeCss(css: unknown): string {
  if (typeof css !== 'string' || hasMarkup(css) || /@(?:import|charset)/i.test(unescaped(css))) return ''
  return isBalanced(css) ? css.trim() : ''
}
