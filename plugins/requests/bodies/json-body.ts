import sjson from 'secure-json-parse'
import { cleanJson } from '../../library/markup/index.ts'
import { errors } from './errors.ts'

/** More values and names than any client sends at once: reading millions of them would keep everybody else waiting. */
const MOST_VALUES = 50_000
/** How JSON may write half a surrogate pair or a control character; few texts hold any. */
const SUSPECT = /\\(?:[bf]|u(?:00[0189]|007f|d[89a-f]))|[\x7f-\x9f]/i

/** The value of a JSON text; undefined for one of white space alone. @throws rest_invalid_json */
export function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  if (text.trim() === '') return undefined
  try {
    // Keys that reach a prototype are dropped.
    const json: unknown = sjson.parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' })
    return SUSPECT.test(text) ? cleanJson(json) : json
  } catch (cause) {
    const data = { json_error_code: 4, json_error_message: 'Syntax error' }
    throw errors.rest_invalid_json({ cause, data })
  }
}

/**
 * How many values and names a JSON text has, counted without parsing it: also empty lists take memory and time.
 * @throws rest_body_too_deep, rest_invalid_body: it is more than can be parsed in good time
 */
export function countValues(json: Buffer, most: number): number {
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
      if (values > MOST_VALUES) throw errors.rest_invalid_body(`it holds more than ${MOST_VALUES} values and names`)
      if (mark < 91) continue
      depth += 1
      if (depth > most) throw errors.rest_body_too_deep(most)
    } else if (mark === 125 || mark === 93) depth -= 1
  }
  return values
}
