import { isUtf8 } from 'node:buffer'
import { cleanName, cleanText, paramsOf, type Pair, type Params } from '../../../kernel/index.ts'
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

const [PLUS, SPACE, PERCENT] = [0x2b, 0x20, 0x25]

/** Decodes a name or a value of a form. One pass over the bytes: there can be millions of escapes. */
function decode(encoded: Buffer): string {
  if (!encoded.includes(PLUS) && !encoded.includes(PERCENT)) return encoded.toString()
  const bytes = Buffer.allocUnsafe(encoded.length)
  let length = 0
  for (let at = 0; at < encoded.length; at += 1) {
    let byte = encoded[at]!
    if (byte === PLUS) byte = SPACE
    else if (byte === PERCENT) {
      const [high, low] = [hexValue(encoded[at + 1]), hexValue(encoded[at + 2])]
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

/** Returns the value of a hexadecimal digit, or -1 for any other byte. */
function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}
