import { createRequire } from 'node:module'
import type Qs from 'qs'
import { cleanName, cleanText } from '../text/clean-text.ts'

const require = createRequire(import.meta.url)

/** Parameters by name. */
export type Params = Record<string, unknown>

const MAX_PARAMETERS = 1000
/** What may decode to a control character; few texts hold any. */
// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const SUSPECT = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f]|%(?:[01]|7f|c2%[89])/i

/** Makes maps that inherit nothing; V8 would make a dictionary of each `Object.create(null)`, which costs 200 bytes. */
const EmptyParams = function () {} as unknown as new () => Params
EmptyParams.prototype = Object.freeze(Object.create(null))

/** No parameters yet. */
export function noParams(): Params {
  return new EmptyParams()
}

/**
 * Reads a query string or a form body: `a=1`, lists `a[]=1` and `a[0]=1`, maps `a[k]=1`; of a repeated plain name the
 * last counts, and `+` is a space. Names that would reach an object's prototype are left out; names and values are clean
 * text, whatever was encoded.
 */
export function parseQuery(given: string): Params {
  if (given === '') return noParams()
  const text = firstPairs(given)
  const pairs = text.includes('%') || text.includes('+') ? new URLSearchParams(text) : plainPairs(text)
  return paramsOf(needsCleaning(text) ? cleanPairs(pairs) : pairs)
}

/** Parameters of names and values that are decoded and clean. */
export function paramsOf(pairs: Iterable<Pair>): Params {
  const params = noParams()
  let isNested = false
  for (const [name, value] of pairs) {
    if (name === '__proto__') continue
    const list = name.endsWith('[]') ? params[name] : undefined
    if (Array.isArray(list)) list.push(value)
    else params[name] = name.endsWith('[]') ? [value] : value
    isNested ||= name.includes('[')
  }
  return isNested ? nested(params) : params
}

/** A name and its value. */
export type Pair = readonly [name: string, value: string]

/** Whether what the text decodes to may have to be cleaned. */
function needsCleaning(text: string): boolean {
  return SUSPECT.test(text) || !text.isWellFormed()
}

/** As much of a query as is read; a body may hold millions of pairs. */
function firstPairs(text: string): string {
  let end = -1
  for (let count = 0; count < MAX_PARAMETERS; count += 1) {
    end = text.indexOf('&', end + 1)
    if (end < 0) return text
  }
  return text.slice(0, end)
}

/** Names and values of a query in which nothing is encoded. */
function plainPairs(text: string): Pair[] {
  const pairs: Pair[] = []
  for (const part of text.split('&')) {
    const at = part.indexOf('=')
    if (part !== '') pairs.push(at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)])
  }
  return pairs
}

function* cleanPairs(pairs: Iterable<Pair>): Generator<Pair> {
  for (const [name, value] of pairs) yield [cleanName(name), cleanText(value)]
}

/** Lists and maps of the names that have brackets. */
function nested(params: Params): Params {
  // Loaded with the first such name, or every start would take longer.
  const qs = require('qs') as typeof Qs
  const parsed = qs.parse(params as Record<string, string>, {
    depth: 5,
    parameterLimit: MAX_PARAMETERS,
    arrayLimit: MAX_PARAMETERS,
    plainObjects: true,
    allowPrototypes: false,
  })
  return Object.assign(noParams(), parsed)
}

/** Writes parameters as a query string; lists as `name[0]`, an empty value as its bare name. */
export function formatQuery(params: Readonly<Params>): string {
  const parts: string[] = []
  const add = (name: string, value: unknown) => {
    if (value === null || value === undefined || value === false) return
    if (Array.isArray(value)) value.forEach((item, index) => add(`${name}[${index}]`, item))
    else if (typeof value === 'object') for (const [key, item] of Object.entries(value)) add(`${name}[${key}]`, item)
    else if (typeof value === 'string' || typeof value === 'number' || value === true) {
      const text = value === true ? '1' : `${value}`
      const encoded = encode(name)
      parts.push(text === '' ? encoded : `${encoded}=${encode(text)}`)
    }
  }
  for (const name of Object.keys(params)) add(name, params[name])
  return parts.join('&')
}

/** Percent-encodes all but letters, digits and `-_.`, with `+` for a space, as forms do. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}
