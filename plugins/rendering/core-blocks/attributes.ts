import { escapeHtml } from '../../library/markup/index.ts'
import { isSafeUrl, PROTOCOLS } from '../html/index.ts'

type Attributes = Readonly<Record<string, unknown>>

/** Returns a text attribute; `''` if it is missing or not a text. */
export function textOf(attributes: Attributes, name: string): string {
  const value = attributes[name]
  return typeof value === 'string' ? value : ''
}

/** Returns a number attribute; `fallback` if it is missing or not a finite number. */
export function numberOf(attributes: Attributes, name: string, fallback: number): number {
  return numberIn(attributes[name]) ?? fallback
}

/** Matches a number in a text, as old editors and other tools write it: `"2"`. */
const NUMBER = /^\s*[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})\s*$/

/** Returns a finite number or the number in a text; null for all other values. */
export function numberIn(value: unknown): number | null {
  if (typeof value === 'string') return NUMBER.test(value) ? Number(value) : null
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** Returns an object attribute; an empty object if it is missing or not an object. */
export function objectOf(attributes: Attributes, name: string): Attributes {
  const value = attributes[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Attributes) : {}
}

/** Returns the valid IDs in a list, a number, or a comma-separated text. */
export function idsOf(value: unknown): number[] {
  const list = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value]
  return list
    .map((one) => (typeof one === 'number' || typeof one === 'string' ? Number(one) : 0))
    .filter((id) => Number.isSafeInteger(id) && id > 0)
}

/** Returns the heading element for the attribute `level`: `h2`, or `p` for level 0. */
export function headingTag(attributes: Attributes, fallback: number): string {
  const level = numberOf(attributes, 'level', fallback)
  if (level === 0) return 'p'
  return `h${Number.isInteger(level) && level > 0 && level <= 6 ? level : fallback}`
}

const ELEMENTS = new Set(['div', 'main', 'section', 'article', 'aside', 'header', 'footer', 'nav', 'ul', 'ol', 'li'])

/** Returns the element in `tagName`, if it is an allowed container element; otherwise `fallback`. */
export function elementOf(attributes: Attributes, fallback: string): string {
  const name = textOf(attributes, 'tagName')
  return ELEMENTS.has(name) ? name : fallback
}

/** Returns a URL escaped as an attribute value, with `&#038;` as in WordPress; `''` if its scheme is not allowed. */
export function urlValue(url: string): string {
  if (!isSafeUrl(url, PROTOCOLS)) return ''
  return escapeHtml(url.trim().replace(/\s/g, '%20')).replaceAll('&amp;', '&#038;')
}

/** Returns a name usable as a class, without its other characters. */
export function classValue(name: string): string {
  return name.replace(/[^\w-]/g, '')
}

/** Returns the declarations in a style, with a space after their colons. @param style `color:red;width:1px;` */
export function declarationsIn(style: string): string[] {
  const declarations = style.match(/(?:[^;(]|\([^)]*\)?)+/g) ?? []
  return declarations.map((one) => one.replace(':', ': '))
}
