import { isUtf8 } from 'node:buffer'
import sjson from 'secure-json-parse'
import { cleanJson } from '../../library/markup/index.ts'
import { errors } from './errors.ts'

/** More values and names than any client sends at once. Parsing millions would block all other requests. */
const MAX_VALUES = 50_000
/** Escapes and characters that can produce half a surrogate pair or a control character; few texts contain any. */
const SUSPECT = /\\(?:[bf]|u(?:00[0189]|007f|d[89a-f]))|[\x7f-\x9f]/i

/** Parses a JSON text. @returns undefined for white space only @throws rest_invalid_json, rest_invalid_utf8 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw errors.rest_invalid_utf8()
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') return undefined
  try {
    // Keys that could change a prototype are dropped.
    const json: unknown = sjson.parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' })
    return SUSPECT.test(text) ? cleanJson(json) : json
  } catch (cause) {
    const data = { json_error_code: 4, json_error_message: 'Syntax error' }
    throw errors.rest_invalid_json({ cause, data })
  }
}

/**
 * Counts the values and names of a JSON text without parsing it: even empty lists take memory and time.
 * @param maxDepth levels of nested lists and objects
 * @throws rest_body_too_deep, rest_invalid_body if it contains too many values
 */
export function countValues(json: Buffer, maxDepth: number): number {
  let depth = 0
  let values = 0
  let inString = false
  for (let at = 0; at < json.length; at += 1) {
    const mark = json[at]
    if (inString) {
      if (mark === 92) at += 1
      else if (mark === 34) inString = false
    } else if (mark === 34) inString = true
    else if (mark === 44 || mark === 58 || mark === 123 || mark === 91) {
      values += 1
      if (values > MAX_VALUES) throw errors.rest_invalid_body(`it contains more than ${MAX_VALUES} values and names`)
      if (mark < 91) continue
      depth += 1
      if (depth > maxDepth) throw errors.rest_body_too_deep(maxDepth)
    } else if (mark === 125 || mark === 93) depth -= 1
  }
  return values
}
