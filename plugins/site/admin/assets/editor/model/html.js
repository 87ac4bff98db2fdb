// Parses the HTML of a block strictly: everything of the source is in the tree, and markup that a browser would repair
// is refused, because a repaired block could not be written back as it was.

/** @typedef {import('./grammar.js').BlockSource} BlockSource */
/** @typedef {Record<string, string | null>} Attributes attribute values without entities; null for `<a download>` */

/**
 * @typedef {object} ElementPart
 * @property {'element'} type
 * @property {string} tag
 * @property {string} open the start tag as written
 * @property {Attributes} attributes
 * @property {HtmlPart[]} children
 * @property {string} close the end tag as written; '' for a void element
 */
/** @typedef {{ type: 'text', raw: string } | { type: 'comment', raw: string } | { type: 'block', block: BlockSource } | ElementPart} HtmlPart */

const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** Elements whose content is text up to the end tag. */
const RAW_TEXT = new Set(['script', 'style', 'textarea', 'title', 'iframe', 'noscript', 'xmp'])
const MAX_DEPTH = 60

const ATTRIBUTE = /\s+([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y
const START = /<([a-z][a-z0-9:-]*)/iy
const TAG_END = /\s*(\/?)>/y
const END = /<\/([a-z][a-z0-9:-]*)\s*>/iy

/**
 * Parses HTML and inner blocks to a tree.
 * @param {readonly (string | BlockSource)[]} parts
 * @returns {HtmlPart[] | null} null if a tag is not closed, closed in the wrong order, or cannot be read
 */
export function parseHtml(parts) {
  /** @type {ElementPart} */
  const root = { type: 'element', tag: '', open: '', attributes: {}, children: [], close: '' }
  const open = [root]
  for (const part of parts) {
    const parent = /** @type {ElementPart} */ (open[open.length - 1])
    if (typeof part !== 'string') parent.children.push({ type: 'block', block: part })
    else if (!parseText(part, open)) return null
  }
  return open.length === 1 ? root.children : null
}

/**
 * @param {string} html
 * @param {ElementPart[]} open
 * @returns {boolean} false if the HTML cannot be read
 */
function parseText(html, open) {
  let begin = 0
  /** @param {HtmlPart} part */
  const add = (part) => open[open.length - 1]?.children.push(part)
  /** @param {number} end */
  const addText = (end) => {
    if (end > begin) add({ type: 'text', raw: html.slice(begin, end) })
  }
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const next = html[at + 1] ?? ''
    if (!/[a-z/!?]/i.test(next)) {
      at += 1
      continue
    }
    addText(at)
    if (html.startsWith('<!--', at)) {
      const end = html.indexOf('-->', at + 4)
      if (end < 0) return false
      begin = end + 3
      add({ type: 'comment', raw: html.slice(at, begin) })
    } else if (next === '/') {
      const tag = matchAt(END, html, at)
      const element = open.length > 1 ? open.pop() : undefined
      if (tag === null || element?.tag !== (tag[1] ?? '').toLowerCase()) return false
      element.close = tag[0]
      begin = at + tag[0].length
    } else {
      const element = startTag(html, at)
      if (element === null) return false
      begin = at + element.open.length
      add(element)
      if (RAW_TEXT.has(element.tag)) {
        const search = new RegExp(`</${element.tag}(?=[\\s/>])`, 'gi')
        search.lastIndex = begin
        const end = search.exec(html)?.index ?? -1
        const tag = end < 0 ? null : matchAt(END, html, end)
        if (tag === null) return false
        if (end > begin) element.children.push({ type: 'text', raw: html.slice(begin, end) })
        element.close = tag[0]
        begin = end + tag[0].length
      } else if (!isClosed(element, open)) {
        if (element.open.endsWith('/>') || open.length > MAX_DEPTH) return false
        open.push(element)
      }
    }
    at = begin
  }
  addText(html.length)
  return true
}

/**
 * Whether a start tag has no end tag.
 * @param {ElementPart} element
 * @param {ElementPart[]} open
 */
function isClosed({ tag, open: source }, open) {
  if (VOID.has(tag)) return true
  const isForeign = tag === 'svg' || open.some((one) => one.tag === 'svg' || one.tag === 'math')
  return isForeign && source.endsWith('/>')
}

/**
 * Parses the start tag at a position.
 * @param {string} html
 * @param {number} at
 * @returns {ElementPart | null}
 */
export function startTag(html, at = 0) {
  const name = matchAt(START, html, at)
  if (name === null) return null
  /** @type {Attributes} */
  const attributes = {}
  let end = at + name[0].length
  for (let found = matchAt(ATTRIBUTE, html, end); found !== null; found = matchAt(ATTRIBUTE, html, end)) {
    const [whole, key = '', double, single, bare] = found
    const value = double ?? single ?? bare ?? null
    const text = value === null ? null : decode(value)
    // A repeated attribute, or an entity that is not known here.
    if (Object.hasOwn(attributes, key) || text === undefined || key === '__proto__') return null
    attributes[key] = text
    end += whole.length
  }
  const tagEnd = matchAt(TAG_END, html, end)
  if (tagEnd === null) return null
  const open = html.slice(at, end + tagEnd[0].length)
  return { type: 'element', tag: (name[1] ?? '').toLowerCase(), open, attributes, children: [], close: '' }
}

/** @param {RegExp} pattern sticky @param {string} text @param {number} at */
function matchAt(pattern, text, at) {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/**
 * Returns the source of a part.
 * @param {HtmlPart} part
 * @returns {string}
 */
export function sourceOf(part) {
  if (part.type === 'element') return part.open + part.children.map(sourceOf).join('') + part.close
  return part.type === 'block' ? part.block.source : part.raw
}

/** @type {Readonly<Record<string, string>>} */
const ENTITIES = Object.fromEntries(
  (
    'amp:& lt:< gt:> quot:" apos:\' iexcl:¡ cent:¢ pound:£ curren:¤ yen:¥ brvbar:¦ sect:§ uml:¨ copy:© ordf:ª ' +
    'laquo:« not:¬ reg:® macr:¯ deg:° plusmn:± sup2:² sup3:³ acute:´ micro:µ para:¶ middot:· cedil:¸ sup1:¹ ordm:º ' +
    'raquo:» frac14:¼ frac12:½ frac34:¾ iquest:¿ Agrave:À Aacute:Á Acirc:Â Atilde:Ã Auml:Ä Aring:Å AElig:Æ Ccedil:Ç ' +
    'Egrave:È Eacute:É Ecirc:Ê Euml:Ë Igrave:Ì Iacute:Í Icirc:Î Iuml:Ï ETH:Ð Ntilde:Ñ Ograve:Ò Oacute:Ó Ocirc:Ô ' +
    'Otilde:Õ Ouml:Ö times:× Oslash:Ø Ugrave:Ù Uacute:Ú Ucirc:Û Uuml:Ü Yacute:Ý THORN:Þ szlig:ß agrave:à aacute:á ' +
    'acirc:â atilde:ã auml:ä aring:å aelig:æ ccedil:ç egrave:è eacute:é ecirc:ê euml:ë igrave:ì iacute:í icirc:î ' +
    'iuml:ï eth:ð ntilde:ñ ograve:ò oacute:ó ocirc:ô otilde:õ ouml:ö divide:÷ oslash:ø ugrave:ù uacute:ú ucirc:û ' +
    'uuml:ü yacute:ý thorn:þ yuml:ÿ OElig:Œ oelig:œ Scaron:Š scaron:š hellip:… mdash:— ndash:– lsquo:‘ rsquo:’ ' +
    'sbquo:‚ ldquo:“ rdquo:” bdquo:„ lsaquo:‹ rsaquo:› bull:• dagger:† Dagger:‡ permil:‰ prime:′ Prime:″ euro:€ ' +
    'trade:™ larr:← uarr:↑ rarr:→ darr:↓ harr:↔ minus:− infin:∞ asymp:≈ ne:≠ le:≤ ge:≥ hearts:♥ check:✓'
  )
    .split(' ')
    .map((pair) => [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)]),
)

/**
 * @param {string} name `amp`, `#8217` or `#x2019`
 * @returns {string | undefined}
 */
function character(name) {
  if (name === 'nbsp') return '\u00a0'
  if (name === 'shy') return '\u00ad'
  if (!name.startsWith('#')) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
  // Browsers read numbers below 160 as windows-1252 and replace some others.
  const isPlain = (code >= 32 && code < 127) || code === 10 || (code >= 160 && code < 0xd800) || code > 0xdfff
  return isPlain && code <= 0x10ffff && code !== 0xfffe && code !== 0xffff ? String.fromCodePoint(code) : undefined
}

/**
 * Splits a text into characters and entities that are not known here.
 * @param {string} raw
 * @returns {{ text: string, isUnknown: boolean }[]}
 */
export function decodePieces(raw) {
  /** @type {{ text: string, isUnknown: boolean }[]} */
  const pieces = []
  let text = ''
  let begin = 0
  for (const { 0: found, 1: name = '', 2: end, index } of raw.matchAll(
    /&(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{0,30})(;?)/gi,
  )) {
    const known = character(name)
    const isEntity = known !== undefined || end === ';'
    text += raw.slice(begin, index) + (isEntity ? (known ?? '') : found)
    begin = index + found.length
    if (known !== undefined || !isEntity) continue
    if (text !== '') pieces.push({ text, isUnknown: false })
    pieces.push({ text: found, isUnknown: true })
    text = ''
  }
  text += raw.slice(begin)
  if (text !== '') pieces.push({ text, isUnknown: false })
  return pieces
}

/**
 * @param {string} raw
 * @returns {string | undefined} undefined if an entity is not known here
 */
export function decode(raw) {
  if (!raw.includes('&')) return raw
  const pieces = decodePieces(raw)
  return pieces.some(({ isUnknown }) => isUnknown) ? undefined : pieces.map(({ text }) => text).join('')
}

/** @param {string} text */
export function escapeText(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\u00a0', '&nbsp;')
}

/** @param {string} text */
function escapeAttribute(text) {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/**
 * Returns a start tag.
 * @param {string} tag
 * @param {Attributes} attributes
 * @param {string} end `/` for an element that is closed by its start tag
 */
export function tagSource(tag, attributes, end = '') {
  const written = Object.entries(attributes).map(([name, value]) =>
    value === null ? ` ${name}` : ` ${name}="${escapeAttribute(value)}"`,
  )
  return `<${tag}${written.join('')}${end}>`
}
