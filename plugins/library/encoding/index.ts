import { isUtf8 } from 'node:buffer'

const [PLUS, SPACE, PERCENT] = [0x2b, 0x20, 0x25]

/**
 * Decodes the escapes of a query or form: `%41` and `+`; incomplete escapes stay text. One pass over the bytes: there
 * can be millions of escapes.
 * @returns the same buffer if it contains no escapes
 */
export function unescapeBytes(encoded: Buffer): Buffer {
  if (!encoded.includes(PLUS) && !encoded.includes(PERCENT)) return encoded
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
  return bytes.subarray(0, length)
}

/** Returns the value of a hexadecimal digit, or -1 for any other byte. */
function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/**
 * Whether the percent-escapes of a text are valid UTF-8. Incomplete escapes such as `%z` are text.
 * @param text a query string or URL as received: each character is a byte
 */
export function isUtf8Encoded(text: string): boolean {
  return !text.includes('%') || isUtf8(unescapeBytes(Buffer.from(text, 'latin1')))
}
