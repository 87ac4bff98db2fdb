import { isSafeUrl } from './url-attributes.ts'

/** Functions allowed in values. `url` is allowed for some properties only. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'blur brightness calc clamp conic-gradient contrast drop-shadow fit-content grayscale hsl hsla hue-rotate invert ' +
    'linear-gradient max min minmax opacity radial-gradient repeat repeating-conic-gradient repeating-linear-gradient ' +
    'repeating-radial-gradient rgb rgba saturate sepia var'
  ).split(' '),
)

const WITH_URL: ReadonlySet<string> = new Set(
  'background background-image cursor filter list-style list-style-image'.split(' '),
)

/** Matches one part of a value: a quoted text, an unquoted URL, the start of a function, a word, or one character. */
const PART = /"[^"]*"|'[^']*'|url\(\s*[^"'()\s][^"'()]*\)|(?:[a-z][\w-]*)?\(|[a-z][\w-]*|./gisy

/** Characters that are refused in quoted texts and URLs: escapes, and line ends that would terminate them. */
const BROKEN = /[\\\n\r\f]/

/** Words that made old browsers run scripts; no current value needs them. */
const RAN = /expression|javascript|vbscript/i

/**
 * Returns the allowed declarations of a `style` attribute, unchanged, or ''.
 * @param properties allowed properties, in addition to custom properties
 * @param protocols schemes allowed in URLs
 */
export function filterStyle(style: string, properties: ReadonlySet<string>, protocols: readonly string[]): string {
  return declarations(style)
    .filter((declaration) => isSafeDeclaration(declaration, properties, protocols))
    .join(';')
}

/** Splits a style into declarations. Semicolons in quotes and parentheses do not separate. */
function declarations(style: string): string[] {
  const found: string[] = []
  let quote = ''
  let depth = 0
  let start = 0
  for (let at = 0; at <= style.length; at += 1) {
    const char = style[at] ?? ';'
    if (at < style.length && quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === '(') depth += 1
    else if (char === ')') depth = Math.max(depth - 1, 0)
    else if (at === style.length || (char === ';' && depth === 0)) {
      const declaration = style.slice(start, at).trim()
      if (declaration !== '') found.push(declaration)
      start = at + 1
    }
  }
  return found
}

function isSafeDeclaration(text: string, properties: ReadonlySet<string>, protocols: readonly string[]): boolean {
  const [, name = '', value = ''] = /^(--[\w-]+|[a-z-]+)\s*:([\s\S]*)$/i.exec(text) ?? []
  const property = name.toLowerCase()
  if (!property.startsWith('--') && !properties.has(property)) return false
  return value.trim() !== '' && isSafeValue(value, WITH_URL.has(property) ? protocols : null)
}

/** @param protocols schemes allowed in URLs; null if URLs are not allowed */
function isSafeValue(value: string, protocols: readonly string[] | null): boolean {
  let depth = 0
  /** Whether the next quoted text is a URL. */
  let url = false
  for (const [part] of value.matchAll(PART)) {
    const first = part[0]!
    const wasUrl: boolean = url
    url = wasUrl && /^\s$/.test(part)
    if (url) continue
    if (wasUrl && !/^["')]/.test(part)) return false
    if (first === '"' || first === "'") {
      if (part.length < 2 || BROKEN.test(part)) return false
      if (wasUrl && !isSafeUrl(part.slice(1, -1), protocols!)) return false
    } else if (part.endsWith('(')) {
      const name = part.slice(0, -1).toLowerCase()
      if (name === 'url') {
        if (protocols === null) return false
        url = true
      } else if (name === '' ? depth === 0 : !FUNCTIONS.has(name)) return false
      depth += 1
    } else if (/^url\(/i.test(part)) {
      if (protocols === null || BROKEN.test(part) || !isSafeUrl(part.slice(4, -1), protocols)) return false
    } else if (part === ')') {
      depth -= 1
      if (depth < 0) return false
    } else if (part.length === 1 && !/[\w\s.,#%+*/!-]/.test(part)) return false
  }
  return depth === 0 && !/\/\*|\*\//.test(value) && !RAN.test(value)
}
