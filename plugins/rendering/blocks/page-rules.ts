import { isObject } from '../../../kernel/index.ts'
import { dependsOn } from '../../library/caching/index.ts'
import { escapeHtml } from '../../library/markup/index.ts'
import { safeStyle } from '../html/index.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Prefixes of the tags that carry the style rules and the SVG filters of blocks. As tags, they accompany each cached text
 * to all pages that show it; no change ever invalidates them.
 */
const RULE = 'block-rule:'
const FILTER = 'block-filter:'

/** Maximum characters of a rule; longer ones are omitted. */
const MAX_RULE_LENGTH = 2_000

/** The style rules and the SVG filters of the blocks on a page. */
export interface PageStyles {
  readonly css: string
  /** HTML of a hidden element; '' if no block uses a filter. */
  readonly filters: string
}

/**
 * Adds a style rule to the pages that show the text that is being rendered.
 * @param media media query that the rule is limited to
 */
export function addRule(selector: string, declarations: readonly string[], media = ''): void {
  if (declarations.length === 0) return
  const rule =
    media === '' ? `${selector}{${declarations.join(';')}}` : `@media ${media}{${selector}{${declarations.join(';')}}}`
  if (rule.length <= MAX_RULE_LENGTH) dependsOn(`${RULE}${rule}`)
}

/** Returns the rules and filters among the tags of a page, each once. */
export function pageStylesOf(tags: Iterable<string>): PageStyles {
  const rules: string[] = []
  const filters: string[] = []
  for (const tag of tags) {
    if (tag.startsWith(RULE)) rules.push(tag.slice(RULE.length))
    else if (tag.startsWith(FILTER)) filters.push(tag.slice(FILTER.length))
  }
  return {
    css: rules.join('\n'),
    filters:
      filters.length === 0
        ? ''
        : `<svg aria-hidden="true" focusable="false" width="0" height="0" style="position:absolute">${filters.join('')}</svg>`,
  }
}

/** Characters of a CSS value that can neither end a declaration nor begin a comment, an escape or a quoted text. */
const VALUE = /^[\p{L}\d\s.,%()#+*|_-]{1,200}(?:\/[\p{L}\d\s.,%()#+_-]{1,50})?$/u

/**
 * Returns declarations that are safe in a rule: those that a style attribute could have, without URLs and quoted texts.
 * @param values by property; null, undefined and unsafe values are omitted
 * @param mark prefix of the variables that preset references become
 */
export function safeDeclarations(values: Values, mark: string): string[] {
  return Object.entries(values).flatMap(([property, value]) => {
    if (typeof value !== 'string' && typeof value !== 'number') return []
    const text = presetValue(String(value), mark)
    if (!VALUE.test(text) || /url\(/i.test(text) || !isBalanced(text)) return []
    const declaration = safeStyle(`${property}:${text}`)
    return declaration === '' ? [] : [declaration.replace(/;$/, '')]
  })
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const letter of text) {
    if (letter === '(') depth += 1
    else if (letter === ')') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}

/** Resolves a reference to a preset: `var:preset|color|base` becomes `var(--MARK--preset--color--base)`. */
export function presetValue(value: string, mark: string): string {
  if (!value.startsWith('var:')) return value
  return `var(--${mark}--${value.slice('var:'.length).split('|').map(slugOf).join('--')})`
}

/** Converts a name to its form in classes: `vividRed2` becomes `vivid-red-2`. */
export function slugOf(value: unknown): string {
  if (typeof value !== 'string' || value.length > 200) return ''
  return value
    .replace(/([a-z])([A-Z\d])/g, '$1-$2')
    .replace(/(\d)([A-Za-z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z\d_-]+/g, '-')
}

/** Returns the class of a block type: `MARK-block-site-title`, `MARK-block-shop-price`. */
export function classOf(name: string, mark: string): string {
  return `${mark}-block-${name.replace(/^core\//, '').replace('/', '-')}`
}

/** Adds the rules for the elements of a block: links, headings, buttons and captions, and their states. */
export function addElementRules(selector: string, elements: Values, mark: string): void {
  const parts = elementsOf(mark)
  for (const [name, inner] of Object.entries(parts)) {
    const styles = elements[name]
    if (!isObject(styles)) continue
    const scoped = (state: string) => inner.map((one) => `${selector} ${one}${state}`).join(',')
    addRule(scoped(''), declarationsOf(styles, mark))
    for (const state of STATES) {
      const ofState = styles[state]
      if (isObject(ofState)) addRule(scoped(state), declarationsOf(ofState, mark))
    }
  }
}

const STATES = [':link', ':visited', ':hover', ':focus', ':focus-visible', ':active']
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']

const elementsOf = (mark: string): Readonly<Record<string, readonly string[]>> => ({
  link: [`a:where(:not(.${mark}-element-button))`],
  heading: HEADINGS,
  ...Object.fromEntries(HEADINGS.map((name) => [name, [name]])),
  button: [`.${mark}-element-button`, `.${mark}-block-button__link`],
  caption: [`.${mark}-element-caption`, 'figcaption'],
  cite: ['cite'],
})

/** The CSS properties of elements, by their path in the attribute `style`. */
const ELEMENT_PROPERTIES: readonly (readonly [group: string, name: string, property: string])[] = [
  ['color', 'text', 'color'],
  ['color', 'background', 'background-color'],
  ['color', 'gradient', 'background'],
  ['border', 'color', 'border-color'],
  ['border', 'radius', 'border-radius'],
  ['border', 'style', 'border-style'],
  ['border', 'width', 'border-width'],
  ['spacing', 'margin', 'margin'],
  ['spacing', 'padding', 'padding'],
  ['typography', 'fontFamily', 'font-family'],
  ['typography', 'fontSize', 'font-size'],
  ['typography', 'fontStyle', 'font-style'],
  ['typography', 'fontWeight', 'font-weight'],
  ['typography', 'letterSpacing', 'letter-spacing'],
  ['typography', 'lineHeight', 'line-height'],
  ['typography', 'textDecoration', 'text-decoration'],
  ['typography', 'textTransform', 'text-transform'],
]

function declarationsOf(styles: Values, mark: string): string[] {
  return ELEMENT_PROPERTIES.flatMap(([group, name, property]) => {
    const part = styles[group]
    const value = isObject(part) ? part[name] : undefined
    if (!isObject(value)) return safeDeclarations({ [property]: value }, mark)
    const sides = Object.entries(value).filter(([side]) => /^(?:top|right|bottom|left)$/.test(side))
    return safeDeclarations(Object.fromEntries(sides.map(([side, size]) => [`${property}-${side}`, size])), mark)
  })
}

/** Matches a color in hexadecimal form. */
const HEX = /^#(?:[\da-f]{3}|[\da-f]{6})$/i

/**
 * Adds the rule and the filter of a duotone: shadows in the first color, highlights in the last one.
 * @param name class of the block and ID of the filter
 * @param selectors of the filtered elements, each starting with the class of the block type
 * @returns whether all colors are known
 */
export function addDuotone(name: string, selectors: string, colors: readonly unknown[]): boolean {
  const channels = colors.map((color) => (typeof color === 'string' && HEX.test(color) ? channelsOf(color) : null))
  if (channels.length < 2 || channels.length > 8 || channels.includes(null)) return false
  const table = (at: number) => channels.map((one) => one![at]).join(' ')
  const gray = '0.299 0.587 0.114 0 0 '
  const parts = ['R', 'G', 'B'].map((part, at) => `<feFunc${part} type="table" tableValues="${table(at)}"/>`)
  addDuotoneRule(name, selectors, `url(#${name})`)
  dependsOn(
    `${FILTER}<filter id="${escapeHtml(name)}" color-interpolation-filters="sRGB">` +
      `<feColorMatrix type="matrix" values="${gray.repeat(3)}0 0 0 1 0"/>` +
      `<feComponentTransfer>${parts.join('')}</feComponentTransfer></filter>`,
  )
  return true
}

/** Adds the rule of a duotone, or the one that removes it: `none`. */
export function addDuotoneRule(name: string, selectors: string, filter: string): void {
  const scoped = selectors.split(',').map((selector) => `.${name}${selector.trim()}`)
  addRule(scoped.join(','), [`filter:${filter}`])
}

/** Returns red, green and blue from 0 to 1. */
function channelsOf(color: string): number[] {
  const digits = color.slice(1)
  const hex = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits
  return [0, 2, 4].map((at) => Math.round((Number.parseInt(hex.slice(at, at + 2), 16) / 255) * 1000) / 1000)
}
