import { createRequire } from 'node:module'
import type Qs from 'qs'
import { cleanName, cleanText } from '../text/clean-text.ts'

const require = createRequire(import.meta.url)

export type Params = Record<string, unknown>

const MAX_PARAMETERS = 1000
/** Matches text that may decode to a control character. */
// oxlint-disable-next-line no-control-regex -- matches control characters
const SUSPECT = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f]|%(?:[01]|7f|c2%[89])/i

/** Class of maps without a prototype chain. `Object.create(null)` is a dictionary in V8, which takes 200 bytes more. */
const EmptyParams = function () {} as unknown as new () => Params
EmptyParams.prototype = Object.freeze(Object.create(null))

/** Creates an empty map of parameters without inherited properties. */
export function noParams(): Params {
  return new EmptyParams()
}

/**
 * Parses a query string or a form body: `a=1`, lists `a[]=1` and `a[0]=1`, maps `a[k]=1`. The last value of a repeated
 * plain name counts, and `+` is a space. Names that would change an object's prototype are dropped; names and values
 * are cleaned (`cleanName`, `cleanText`). Reads up to 1,000 parameters.
 */
export function parseQuery(query: string): Params {
  if (query === '') return noParams()
  const text = firstPairs(query)
  const pairs = text.includes('%') || text.includes('+') ? new URLSearchParams(text) : plainPairs(text)
  return paramsOf(needsCleaning(text) ? cleanPairs(pairs) : pairs)
}

/** Creates parameters from decoded and cleaned names and values. */
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

export type Pair = readonly [name: string, value: string]

/** Whether the decoded text may need cleaning. */
function needsCleaning(text: string): boolean {
  return SUSPECT.test(text) || !text.isWellFormed()
}

/** Returns the first MAX_PARAMETERS pairs of a query; a body can contain millions. */
function firstPairs(text: string): string {
  let end = -1
  for (let count = 0; count < MAX_PARAMETERS; count += 1) {
    end = text.indexOf('&', end + 1)
    if (end < 0) return text
  }
  return text.slice(0, end)
}

/** Returns the names and values of a query without encoded characters. */
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

/** Converts names with brackets to lists and maps. */
function nested(params: Params): Params {
  // Loaded at the first use, to keep the start fast.
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

/** Formats parameters as a query string, lists as `name[0]=…`, and an empty value as only its name. */
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

/** Percent-encodes all characters except letters, digits and `-_.`, and a space as `+`, as forms do. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*~]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}
