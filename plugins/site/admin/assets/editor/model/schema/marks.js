// Marks: each has the tag and all attributes of its element.
import { InputRule, Mark, markInputRule } from '@tiptap/core'
import { dataOf } from './attributes.js'

/** @typedef {Record<string, string | null>} ElementAttributes */

/**
 * @param {string} name
 * @param {readonly [string, ...string[]]} tags the first one is that of new marks
 * @param {{ shortcut?: string, rules?: readonly RegExp[], excludes?: string, inclusive?: boolean, attributes?: ElementAttributes }} [options]
 */
export function createMark(name, tags, { shortcut, rules = [], excludes, inclusive = true, attributes = {} } = {}) {
  return Mark.create({
    name,
    inclusive,
    ...(excludes === undefined ? {} : { excludes }),
    addAttributes: () => ({
      tag: {
        default: tags[0],
        rendered: false,
        parseHTML: (element) => dataOf(element)?.['tag'] ?? element.tagName.toLowerCase(),
      },
      attributes: {
        default: attributes,
        rendered: false,
        parseHTML: (element) => dataOf(element)?.['attributes'] ?? cleanAttributes(element),
      },
    }),
    parseHTML: () => tags.map((tag) => ({ tag })),
    renderHTML: ({ mark }) => [String(mark.attrs['tag']), shownOf(mark.attrs['attributes']), 0],
    addKeyboardShortcuts() {
      return shortcut === undefined ? {} : { [shortcut]: () => this.editor.commands.toggleMark(name) }
    },
    addInputRules() {
      return rules.map((find) => markInputRule({ find, type: this.type }))
    },
  })
}

/** Attributes of pasted elements that have a meaning in content. */
const PASTED = new Set([
  'href',
  'target',
  'rel',
  'lang',
  'dir',
  'title',
  'datetime',
  'cite',
  'data-fn',
  'data-type',
  'data-id',
])

/** @param {HTMLElement} element @returns {ElementAttributes} */
function cleanAttributes(element) {
  const isOwn = element.closest('[data-pm-slice]') !== null
  const attributes = [...element.attributes].filter(
    ({ name, value }) => (isOwn || PASTED.has(name)) && !name.startsWith('on') && !isScript(value),
  )
  return Object.fromEntries(attributes.map(({ name, value }) => [name, value]))
}

/**
 * Attributes as an element of the editor has them: without scripts.
 * @param {ElementAttributes} attributes
 */
function shownOf(attributes) {
  const shown = Object.entries(attributes).filter(
    ([name, value]) => !/^(?:on|srcdoc$)/i.test(name) && !isScript(value ?? ''),
  )
  return Object.fromEntries(shown.map(([name, value]) => [name, value ?? '']))
}

/**
 * Whether a value of an attribute is a URL that can run scripts.
 * @param {string} url
 */
export function isScript(url) {
  return /^(?:javascript|vbscript|data):/i.test(url.replace(/[\s\0-\x20]/g, ''))
}

const underline = createMark('underline', ['span', 'u'], {
  shortcut: 'Mod-u',
  attributes: { style: 'text-decoration: underline' },
}).extend({
  parseHTML: () => [
    { tag: 'u' },
    {
      tag: 'span',
      // Not the style as the browser has read it, which a policy against inline styles prevents.
      getAttrs: (element) =>
        /^\s*text-decoration:\s*underline\s*;?\s*$/i.test(element.getAttribute('style') ?? '') && null,
    },
  ],
})

/** An inline element without a mark for its meaning, such as `<abbr>`. Such marks can be nested. */
const element = createMark('element', ['span'], { excludes: '', inclusive: false }).extend({
  parseHTML: () => 'abbr bdi bdo cite data dfn ins q samp small time var'.split(' ').map((tag) => ({ tag })),
})

/**
 * Returns the typing rule of a mark: text between two delimiters, without spaces at its ends. The first one does not
 * follow a letter, digit or delimiter.
 * @param {string} delimiter
 */
function between(delimiter) {
  const [mark] = delimiter
  return new RegExp(
    `(?<![\\p{L}\\p{N}${mark}])[${mark}]{${delimiter.length}}(?=\\S)([^${mark}]+)(?<=\\S)[${mark}]{${delimiter.length}}$`,
    'u',
  )
}

const link = createMark('link', ['a'], { inclusive: false }).extend({
  priority: 1000,
  parseHTML: () => [{ tag: 'a[href]' }],
  addInputRules() {
    return [
      new InputRule({
        // Tiptap writes `%leaf%` for an image or a line break.
        find: /(?<!!)\[((?:(?!%leaf%)[^[\]])+)\]\(([^\s()]+)\)$/,
        handler: ({ state: { tr }, range, match: [, text = '', href = ''] }) => {
          if (isScript(href)) return null
          const end = range.from + 1 + text.length
          tr.delete(end, range.to).delete(range.from, range.from + 1)
          tr.addMark(range.from, end - 1, this.type.create({ attributes: { href } })).removeStoredMark(this.type)
        },
      }),
    ]
  },
})

export const marks = [
  link,
  createMark('bold', ['strong', 'b'], { shortcut: 'Mod-b', rules: [between('**'), between('__')] }),
  createMark('italic', ['em', 'i'], { shortcut: 'Mod-i', rules: [between('*'), between('_')] }),
  createMark('strike', ['s', 'del', 'strike'], { shortcut: 'Mod-Shift-s', rules: [between('~~')] }),
  underline,
  createMark('subscript', ['sub'], { shortcut: 'Mod-,', excludes: 'subscript superscript' }),
  createMark('superscript', ['sup'], { shortcut: 'Mod-.', excludes: 'subscript superscript' }).extend({
    parseHTML: () => [{ tag: 'sup:not([data-fn])' }],
  }),
  createMark('highlight', ['mark'], { attributes: { class: 'has-inline-color' } }),
  createMark('keyboard', ['kbd']),
  createMark('code', ['code'], { shortcut: 'Mod-e', rules: [between('`')], inclusive: false }),
  element,
]
