import type { RestError, RestRequest } from '../../../kernel/index.ts'
import type { Steps } from '../../library/long-work/index.ts'
import { errors } from './errors.ts'

/** Deeper texts are not checked; the depth of parsed bodies is limited elsewhere. */
const MAX_ARGUMENT_DEPTH = 100
/** Maximum characters of a name in an error message. */
const MAX_NAME_LENGTH = 200

/** Values checked between two yields. */
const VALUES_PER_STEP = 1_000

/**
 * Refuses a request that has a text of more than `maxBytes` bytes anywhere in its arguments, so that no single text blocks
 * the event loop for long. Yields between slices of work.
 * @returns rest_content_too_large; null if every text fits
 */
export function* refuseLargeTexts(request: RestRequest, maxBytes: number): Steps<RestError | null> {
  for (const source of [request.json, request.form]) {
    if (!(yield* hasLargeText(source, maxBytes))) continue
    const name = largeTextIn(source, maxBytes) ?? 'The body'
    return errors.rest_content_too_large(name.slice(0, MAX_NAME_LENGTH), maxBytes)
  }
  return null
}

/** Whether a value contains a text of more than `maxBytes` bytes. Property names count as texts. */
function* hasLargeText(value: unknown, maxBytes: number): Steps<boolean> {
  /** Values still to check, level by level. */
  let level: readonly unknown[] = [value]
  let count = 0
  for (let depth = 0; level.length > 0 && depth <= MAX_ARGUMENT_DEPTH; depth += 1) {
    const below: unknown[] = []
    for (const one of level) {
      if (typeof one === 'string' && isLarge(one, maxBytes)) return true
      if (typeof one !== 'object' || one === null || depth === MAX_ARGUMENT_DEPTH) continue
      for (const key in one) {
        if (isLarge(key, maxBytes)) return true
        const inner = (one as Record<string, unknown>)[key]
        if (typeof inner === 'object' || typeof inner === 'string') below.push(inner)
        count += 1
        if (count % VALUES_PER_STEP === 0) yield
      }
    }
    level = below
  }
  return false
}

/** Returns the path of a text of more than `maxBytes` bytes, such as `content[raw]`, or null. */
function largeTextIn(value: unknown, maxBytes: number, name = '', depth = 0): string | null {
  if (typeof value === 'string') return isLarge(value, maxBytes) ? name || 'The body' : null
  if (typeof value !== 'object' || value === null || depth === MAX_ARGUMENT_DEPTH) return null
  for (const [key, inner] of Object.entries(value)) {
    if (isLarge(key, maxBytes)) return 'The name of a value'
    const found = largeTextIn(inner, maxBytes, name === '' ? key : `${name}[${key}]`, depth + 1)
    if (found !== null) return found
  }
  return null
}

/** Measures bytes only if needed: a UTF-16 code unit has at most three bytes in UTF-8. */
function isLarge(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes)
}
