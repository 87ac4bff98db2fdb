import { createRequire } from 'node:module'
import type Qs from 'qs'
import { errors } from '../errors.ts'
import { cleanName, cleanText } from '../text/clean-text.ts'

const require = createRequire(import.meta.url)

/** Parameters by name. */
export type Params = Record<string, unknown>

const MAX_PARAMETERS = 1000
/** Bytes of the name of a form's field, as it is encoded; a URL with its query has not much more. */
const MOST_NAME = 8192
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

/**
 * Reads a form's body as `parseQuery` does.
 * @throws rest_invalid_body where a name is longer than any field's: brackets take their time
 */
export function parseForm(bytes: Buffer): Params {
  return paramsOf(cleanPairs(formPairs(bytes)))
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

/** How many fields of a form are read. */
export function countFields(form: Buffer): number {
  let count = 1
  for (let at = form.indexOf('&'); at >= 0 && count < MAX_PARAMETERS; at = form.indexOf('&', at + 1)) count += 1
  return count
}

function* formPairs(bytes: Buffer): Generator<Pair> {
  let from = 0
  for (let count = 0; count < MAX_PARAMETERS && from < bytes.length; count += 1) {
    const next = bytes.indexOf('&', from)
    const part = bytes.subarray(from, next < 0 ? undefined : next)
    from += part.length + 1
    if (part.length === 0) continue
    const at = part.indexOf('=')
    const name = at < 0 ? part : part.subarray(0, at)
    if (name.length > MOST_NAME) throw errors.rest_invalid_body(`the name of a field has more than ${MOST_NAME} bytes`)
    yield [decoded(name), at < 0 ? '' : decoded(part.subarray(at + 1))]
  }
}

function* cleanPairs(pairs: Iterable<Pair>): Generator<Pair> {
  for (const [name, value] of pairs) yield [cleanName(name), cleanText(value)]
}

const [PLUS, SPACE, PERCENT] = [0x2b, 0x20, 0x25]

/** What a name or a value of a form stands for. One pass over the bytes: there may be millions of signs. */
function decoded(encoded: Buffer): string {
  if (!encoded.includes(PLUS) && !encoded.includes(PERCENT)) return encoded.toString()
  const bytes = Buffer.allocUnsafe(encoded.length)
  let length = 0
  for (let at = 0; at < encoded.length; at += 1) {
    let byte = encoded[at]!
    if (byte === PLUS) byte = SPACE
    else if (byte === PERCENT) {
      const [high, low] = [digit(encoded[at + 1]), digit(encoded[at + 2])]
      if (high >= 0 && low >= 0) {
        byte = high * 16 + low
        at += 2
      }
    }
    bytes[length] = byte
    length += 1
  }
  return bytes.toString('utf8', 0, length)
}

/** The value of a hexadecimal digit; -1 of anything else. */
function digit(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
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
