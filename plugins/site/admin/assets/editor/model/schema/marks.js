// Marks: each has the tag and all attributes of its element.
import { Mark, markInputRule } from '@tiptap/core'
import { dataOf } from './attributes.js'

/** @typedef {Record<string, string | null>} ElementAttributes */

/**
 * @param {string} name
 * @param {readonly [string, ...string[]]} tags the first one is that of new marks
 * @param {{ shortcut?: string, rule?: RegExp, excludes?: string, inclusive?: boolean, attributes?: ElementAttributes }} [options]
 */
export function createMark(name, tags, { shortcut, rule, excludes, inclusive = true, attributes = {} } = {}) {
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
      return rule === undefined ? [] : [markInputRule({ find: rule, type: this.type })]
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

export const marks = [
  createMark('link', ['a'], { inclusive: false }).extend({ priority: 1000, parseHTML: () => [{ tag: 'a[href]' }] }),
  createMark('bold', ['strong', 'b'], {
    shortcut: 'Mod-b',
    rule: /(?:^|\s)(\*\*(?!\s+\*\*)([^*]+)\*\*(?!\s+\*\*))$/,
  }).extend({}),
  createMark('italic', ['em', 'i'], { shortcut: 'Mod-i', rule: /(?:^|\s)(\*(?!\s+\*)([^*]+)\*(?!\s+\*))$/ }),
  createMark('strike', ['s', 'del', 'strike'], {
    shortcut: 'Mod-Shift-s',
    rule: /(?:^|\s)(~~(?!\s+~~)([^~]+)~~(?!\s+~~))$/,
  }),
  underline,
  createMark('subscript', ['sub'], { shortcut: 'Mod-,', excludes: 'subscript superscript' }),
  createMark('superscript', ['sup'], { shortcut: 'Mod-.', excludes: 'subscript superscript' }).extend({
    parseHTML: () => [{ tag: 'sup:not([data-fn])' }],
  }),
  createMark('highlight', ['mark'], { attributes: { class: 'has-inline-color' } }),
  createMark('keyboard', ['kbd']),
  createMark('code', ['code'], { shortcut: 'Mod-e', rule: /(?:^|\s)(`(?!\s+`)([^`]+)`(?!\s+`))$/, inclusive: false }),
  element,
]
