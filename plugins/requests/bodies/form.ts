import { isUtf8 } from 'node:buffer'
import { cleanName, cleanText, paramsOf, type Pair, type Params } from '../../../kernel/index.ts'
import { unescapeBytes } from '../../library/encoding/index.ts'
import { errors } from './errors.ts'

/** Fields of a form that are read; further ones are ignored. */
const MAX_FIELDS = 1000
/** Bytes of an encoded field name; a URL with its query is not much longer. */
const MAX_NAME_BYTES = 8192

/**
 * Parses a form body as `parseQuery` parses a query.
 * @throws rest_invalid_utf8; rest_invalid_body if a field name is too long: parsing its brackets takes time
 */
export function parseForm(bytes: Buffer): Params {
  if (!isUtf8(bytes)) throw errors.rest_invalid_utf8()
  return paramsOf(formPairs(bytes))
}

/** Counts the fields of a form that are read. */
export function countFields(form: Buffer): number {
  let count = 1
  for (let at = form.indexOf('&'); at >= 0 && count < MAX_FIELDS; at = form.indexOf('&', at + 1)) count += 1
  return count
}

function* formPairs(bytes: Buffer): Generator<Pair> {
  let from = 0
  for (let count = 0; count < MAX_FIELDS && from < bytes.length; count += 1) {
    const next = bytes.indexOf('&', from)
    const part = bytes.subarray(from, next < 0 ? undefined : next)
    from += part.length + 1
    if (part.length === 0) continue
    const at = part.indexOf('=')
    const name = at < 0 ? part : part.subarray(0, at)
    if (name.length > MAX_NAME_BYTES)
      throw errors.rest_invalid_body(`the name of a field has more than ${MAX_NAME_BYTES} bytes`)
    yield [cleanName(decode(name)), at < 0 ? '' : cleanText(decode(part.subarray(at + 1)))]
  }
}

/** Decodes a name or a value of a form. @throws rest_invalid_utf8 */
function decode(encoded: Buffer): string {
  const bytes = unescapeBytes(encoded)
  if (bytes !== encoded && !isUtf8(bytes)) throw errors.rest_invalid_utf8()
  return bytes.toString()
}
