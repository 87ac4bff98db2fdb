import type { Steps } from '../library/long-work/index.ts'
import { ItemBody, Json, ListBody } from '../library/caching/index.ts'

/** Levels of nesting that are inspected and encoded in steps. */
export const MAX_VALUE_DEPTH = 8
/** Characters that are encoded to bytes together. */
const PIECE_LENGTH = 65_536

/**
 * Encodes a value as JSON in steps.
 * @returns the bytes in pieces
 */
export function* encodeSteps(value: unknown): Steps<Buffer[]> {
  const pieces: Buffer[] = []
  let text = ''
  for (const part of partsOf(value, 0)) {
    text += part
    if (text.length < PIECE_LENGTH) continue
    pieces.push(Buffer.from(text))
    text = ''
    yield
  }
  if (text !== '') pieces.push(Buffer.from(text))
  return pieces
}

/** Yields the JSON text of a value in parts. */
function* partsOf(value: unknown, depth: number): Generator<string> {
  if (value instanceof ListBody) return yield* partsOf(value.items, depth)
  if (value instanceof ItemBody) return yield* partsOf(value.whole, depth)
  if (value instanceof Json) {
    if (value.isText) yield value.text
    else yield* partsOf(value.value, depth)
    return
  }
  if (typeof value !== 'object' || value === null || depth === MAX_VALUE_DEPTH || hasOwnEncoding(value)) {
    yield JSON.stringify(value) ?? 'null'
    return
  }
  let mark = ''
  if (Array.isArray(value)) {
    yield '['
    for (const item of value) {
      yield mark
      mark = ','
      yield* partsOf(item, depth + 1)
    }
    yield ']'
    return
  }
  yield '{'
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined || typeof inner === 'function' || typeof inner === 'symbol') continue
    yield `${mark}${JSON.stringify(name)}:`
    mark = ','
    yield* partsOf(inner, depth + 1)
  }
  yield '}'
}

function hasOwnEncoding(value: object): boolean {
  if ('toJSON' in value) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== Object.prototype && prototype !== null && !Array.isArray(value)
}
