import { applySyncFilter } from '../hooks/run.ts'
import { chain, type Awaitable } from '../awaitable.ts'
import type { Hooks } from '../hooks/hook.ts'
import { inSlices, type Steps } from '../time-slices.ts'
import { Json } from './json.ts'
import type { RestRequest } from './request.ts'
import { MAX_VALUE_DEPTH, type ResponseBudget } from './response-budget.ts'
import type { RestResponse } from './response.ts'
import { ItemBody, ListBody } from './response-body.ts'

/** The body of a response as JSON: a text at once, or bytes in pieces where it is long. */
export function encode(
  data: unknown,
  { hooks, responseBudget }: { readonly hooks: Hooks; readonly responseBudget: ResponseBudget },
  request: RestRequest,
  response: RestResponse,
): Awaitable<string | readonly Buffer[]> {
  const { rest_encoded_response: filter } = hooks
  if (!responseBudget.isLong(request.work)) return applySyncFilter(filter, textOf(data), request, response)
  const encoded = inSlices(encodeSteps(data))
  if (!filter.isUsed()) return encoded
  return chain(encoded, (pieces) => applySyncFilter(filter, Buffer.concat(pieces).toString(), request, response))
}

/** The body as text. Nothing has none: clients know `null` as an empty body. */
function textOf(data: unknown): string {
  if (data instanceof ListBody || data instanceof ItemBody) return data.text
  return data === null || data === undefined ? '' : JSON.stringify(data)
}

/** Characters that are made into bytes together. */
const PIECE_LENGTH = 65_536

/**
 * A value as JSON, in steps.
 * @returns the bytes, in pieces
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

/** The text of a value, part by part. */
function* partsOf(value: unknown, depth: number): Generator<string> {
  if (value instanceof ListBody) return yield* partsOf(value.items, depth)
  if (value instanceof ItemBody) return yield* partsOf(value.whole, depth)
  if (value instanceof Json) {
    if (value.isText) yield value.text
    else yield* partsOf(value.value, depth)
    return
  }
  if (typeof value !== 'object' || value === null || depth === MAX_VALUE_DEPTH || isWrittenByItself(value)) {
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

function isWrittenByItself(value: object): boolean {
  if ('toJSON' in value) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== Object.prototype && prototype !== null && !Array.isArray(value)
}
