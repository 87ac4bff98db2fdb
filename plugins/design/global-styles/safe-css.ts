/** Maximum characters of a value; longer ones are not plausible. */
const MAX_VALUE_LENGTH = 2_000

/**
 * Returns a value that is safe in a CSS declaration. Returns null if it could end the declaration, load disallowed URLs
 * or run scripts. Runs in linear time.
 */
export function safeValue(value: unknown): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : null
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (text === '' || text.length > MAX_VALUE_LENGTH || /[{}<>;\\@\p{Cc}]|\/\*|!important/iu.test(text)) return null
  if (/expression\s*\(|javascript:|vbscript:|-moz-binding|behavior\s*:/i.test(text)) return null
  return isBalanced(text) && hasSafeUrls(text) ? text : null
}

/** Whether each `url()` is relative, an HTTP URL or an inline image. */
function hasSafeUrls(text: string): boolean {
  return text
    .split(/url\(/i)
    .slice(1)
    .every((rest) => {
      const url = rest.trimStart().replace(/^["']/, '')
      return /^(?:https?:|data:image\/(?:png|jpeg|gif|webp|avif);)/i.test(url) || !/^[a-z][a-z0-9+.-]*:/i.test(url)
    })
}

/** Whether all brackets, strings and comments in the CSS are closed. */
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

/** Returns the index of the closing quote of a string, or -1. */
function endOfText(css: string, begin: number): number {
  for (let at = begin + 1; at < css.length; at += 1) {
    if (css[at] === '\\') at += 1
    else if (css[at] === '\n') return -1
    else if (css[at] === css[begin]) return at
  }
  return -1
}

/** Whether CSS contains markup, which could end a `<style>` element and is not valid in style sheets. */
export function hasMarkup(css: string): boolean {
  return /<[/!?a-z]/i.test(css)
}

/** Resolves escape sequences in CSS: `@\69mport` becomes `@import`. */
function unescaped(css: string): string {
  return css.replace(/\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi, (_, code: string | undefined, letter: string) => {
    const point = code === undefined ? 0 : Number.parseInt(code, 16)
    return code === undefined ? letter : point > 0x10ffff ? '' : String.fromCodePoint(point)
  })
}

/** Returns custom CSS that is safe in a style sheet; '' if it is unsafe or unbalanced. */
export function safeCss(css: unknown): string {
  if (typeof css !== 'string' || hasMarkup(css) || /@(?:import|charset)/i.test(unescaped(css))) return ''
  return isBalanced(css) ? css.trim() : ''
}
