import { escapeHtml } from '../../library/markup/index.ts'
import { isSafeUrl, PROTOCOLS } from '../html/index.ts'

type Attributes = Readonly<Record<string, unknown>>

/** An attribute that is a text; `''` without one. */
export function textOf(attributes: Attributes, name: string): string {
  const value = attributes[name]
  return typeof value === 'string' ? value : ''
}

/** An attribute that is a number; `fallback` without one. */
export function numberOf(attributes: Attributes, name: string, fallback: number): number {
  const value = attributes[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback
}

/** An attribute that is an object; an empty one without it. */
export function objectOf(attributes: Attributes, name: string): Attributes {
  const value = attributes[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Attributes) : {}
}

/** The IDs in a list, a number, or a text with commas; what is none is left out. */
export function idsOf(value: unknown): number[] {
  const given = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value]
  return given
    .map((one) => (typeof one === 'number' || typeof one === 'string' ? Number(one) : 0))
    .filter((id) => Number.isSafeInteger(id) && id > 0)
}

/** The element of a heading by its level: `h2`, or `p` for 0. */
export function headingTag(attributes: Attributes, fallback: number): string {
  const level = numberOf(attributes, 'level', fallback)
  if (level === 0) return 'p'
  return `h${Number.isInteger(level) && level > 0 && level <= 6 ? level : fallback}`
}

const ELEMENTS = new Set(['div', 'main', 'section', 'article', 'aside', 'header', 'footer', 'nav', 'ul', 'ol', 'li'])

/** The element that a block asks for, of those that hold other content. */
export function elementOf(attributes: Attributes, fallback: string): string {
  const name = textOf(attributes, 'tagName')
  return ELEMENTS.has(name) ? name : fallback
}

/** A URL as the value of an attribute; `''` for one that a browser would run. */
export function urlValue(url: string): string {
  return isSafeUrl(url, PROTOCOLS) ? escapeHtml(url.trim().replace(/\s/g, '%20')) : ''
}

/** A name that may be the value of `class`: its other characters are left out. */
export function classValue(name: string): string {
  return name.replace(/[^\w-]/g, '')
}
