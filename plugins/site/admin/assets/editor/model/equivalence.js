// Compares HTML by its meaning: the order of attributes, classes and nested marks, entities, and spaces between blocks do
// not count.
import { decode, parseHtml } from './html.js'
import { isBlockTag } from './inline.js'

/** @typedef {import('./grammar.js').BlockSource} BlockSource */
/** @typedef {import('./html.js').HtmlPart} HtmlPart */
/** @typedef {import('./html.js').ElementPart} ElementPart */

/** Stands for an inner block, which is compared on its own. */
export const INNER_BLOCK = '<!--inner block-->'

/** A tag or a text. @typedef {{ isTag: boolean, text: string, marks: string, isVerbatim: boolean }} Token */

/**
 * @param {readonly (string | BlockSource)[]} a
 * @param {readonly (string | BlockSource)[]} b
 */
export function isEquivalent(a, b) {
  const first = canonical(a)
  return first !== null && first === canonical(b)
}

/** @param {readonly (string | BlockSource)[]} parts */
function canonical(parts) {
  const tree = parseHtml(parts)
  if (tree === null) return null
  /** @type {Token[]} */
  const tokens = []
  for (const part of tree) addPart(part, [], false, tokens)
  return JSON.stringify(
    tokens
      .map(({ text, marks, isTag, isVerbatim }, index) => {
        let trimmed = text
        if (!isTag && !isVerbatim && tokens[index - 1]?.isTag !== false) trimmed = trimmed.trimStart()
        if (!isTag && !isVerbatim && tokens[index + 1]?.isTag !== false) trimmed = trimmed.trimEnd()
        return [trimmed, marks]
      })
      .filter(([text]) => text !== ''),
  )
}

/** @param {HtmlPart} part @param {readonly string[]} marks @param {boolean} isVerbatim @param {Token[]} tokens */
function addPart(part, marks, isVerbatim, tokens) {
  const path = [...new Set(marks)].sort().join('')
  /** @param {string} text */
  const addInline = (text) => {
    const last = tokens[tokens.length - 1]
    if (last !== undefined && !last.isTag && last.marks === path) last.text += text
    else tokens.push({ isTag: false, text, marks: path, isVerbatim })
  }
  /** @param {string} text */
  const addTag = (text) => void tokens.push({ isTag: true, text, marks: '', isVerbatim })
  if (part.type === 'block') addTag(INNER_BLOCK)
  else if (part.type === 'comment' && part.raw === INNER_BLOCK) addTag(part.raw)
  else if (part.type === 'comment') addInline(`\0${part.raw}\0`)
  else if (part.type === 'text') {
    const text = decode(part.raw) ?? part.raw
    addInline(isVerbatim ? text.replace(/\r\n?/g, '\n') : text.replace(/[ \t\r\n]+/g, ' '))
  } else {
    const tag = canonicalTag(part)
    if (isBlockTag(part.tag)) {
      addTag(tag)
      for (const child of part.children) addPart(child, [], isVerbatim || part.tag === 'pre', tokens)
      addTag(`</${part.tag}>`)
    } else if (part.children.length === 0) addInline(`\0${tag}\0`)
    else for (const child of part.children) addPart(child, [...marks, tag], isVerbatim, tokens)
  }
}

/** @param {ElementPart} element */
function canonicalTag({ tag, attributes }) {
  const names = Object.keys(attributes).sort()
  return `<${tag}${names.map((name) => canonicalAttribute(name.toLowerCase(), attributes[name] ?? '')).join('')}>`
}

/** @param {string} name @param {string} value */
function canonicalAttribute(name, value) {
  if (name === 'class') {
    const classes = [...new Set(value.split(/\s+/).filter(Boolean))].sort().join(' ')
    return classes === '' ? '' : ` class="${classes}"`
  }
  if (name !== 'style') return ` ${name}=${JSON.stringify(value)}`
  const declarations = value
    .split(';')
    .map((declaration) => declaration.replace(/\s*:\s*/, ':').trim())
    .filter(Boolean)
  return declarations.length === 0 ? '' : ` style="${declarations.sort().join(';')}"`
}
