import { isAscii, isUtf8 } from 'node:buffer'
import { errors } from '../errors.ts'
import type { RepairCode } from '../repairs.ts'
import { phrase } from '../phrases.ts'

/** A part of a file as text, with the repairs of its bytes. */
export interface Decoded {
  text: string
  repairs: { code: RepairCode; index: number; value: string }[]
}

/** Bytes at the start of a file that decide its encoding. */
export const HEAD_BYTES = 1024
/** Part of the bytes of a UTF-16 text in a Latin script that are zero, at even or at odd positions. */
const MIN_ZERO_SHARE = 0.7
/** Maximum repairs per piece. */
const MAX_REPAIRS = 100
const DECLARATION = /<\?xml[^>]{0,200}\sencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/

/**
 * Decodes the bytes of a file to text. The encoding comes from a byte order mark, from the bytes, or from the XML
 * declaration. In UTF-8, invalid bytes are read as windows-1252. A file that declares another encoding, and whose bytes
 * are valid UTF-8, is read as UTF-8.
 */
export class Decoder {
  /** The declared encoding; undefined for UTF-8. */
  #declared: TextDecoder | undefined
  #declaredName = ''
  #decoder: TextDecoder | undefined
  /** Bytes of an incomplete UTF-8 sequence at the end of the last piece. */
  #rest: Uint8Array = new Uint8Array()
  #hasContradiction = false

  /**
   * @param head the first bytes of the file
   * @throws IMPORT_NOT_AN_EXPORT if the encoding is not supported
   */
  constructor(head: Uint8Array) {
    const wide = wideEncoding(head)
    if (wide !== undefined) {
      this.#decoder = new TextDecoder(wide)
      return
    }
    const name = DECLARATION.exec(Buffer.from(head).toString('latin1'))?.[1] ?? 'utf-8'
    const decoder = decoderOf(name)
    // A declaration that can be read byte by byte is not in UTF-16.
    if (decoder.encoding.startsWith('utf-16')) {
      this.#hasContradiction = true
      this.#declaredName = name
    } else if (decoder.encoding !== 'utf-8') {
      this.#declared = decoder
      this.#declaredName = name
    }
  }

  /** Decodes the next bytes. */
  decode(bytes: Uint8Array): Decoded {
    const decoded = this.#decode(bytes)
    if (this.#hasContradiction) {
      decoded.repairs.unshift({ code: 'wrong-encoding', index: 0, value: this.#declaredName })
      this.#hasContradiction = false
    }
    return decoded
  }

  /** Ends the file. */
  end(): Decoded {
    const decoder = this.#decoder
    if (decoder !== undefined) return withReplacements(decoder.decode())
    const rest = this.#rest
    this.#rest = new Uint8Array()
    return decodeUtf8(rest, true)
  }

  #decode(bytes: Uint8Array): Decoded {
    if (this.#decoder !== undefined) return withReplacements(this.#decoder.decode(bytes, { stream: true }))
    if (this.#rest.length === 0 && isAscii(bytes)) return { text: asciiOf(bytes), repairs: [] }
    const whole = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const end = completeLength(whole)
    const complete = whole.subarray(0, end)
    if (this.#declared !== undefined) {
      // The first bytes that are not ASCII show whether the declaration is right.
      if (!isUtf8(complete)) {
        this.#decoder = this.#declared
        this.#rest = new Uint8Array()
        return withReplacements(this.#decoder.decode(whole, { stream: true }))
      }
      if (!isAscii(complete)) {
        this.#declared = undefined
        this.#hasContradiction = true
      }
    }
    this.#rest = whole.slice(end)
    return decodeUtf8(complete, false)
  }
}

function decoderOf(name: string): TextDecoder {
  try {
    return new TextDecoder(name)
  } catch {
    throw unsupported(name)
  }
}

function unsupported(name: string): Error {
  return errors.IMPORT_NOT_AN_EXPORT({ reason: phrase('its encoding {name} is not supported', { name }) })
}

/** The encoding of a file whose characters have two bytes; undefined for other files. */
function wideEncoding(head: Uint8Array): string | undefined {
  const [first, second, third, fourth] = head
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  if (isWide && third === 0 && fourth === 0) throw unsupported('UTF-32')
  if (isWide) return first === 0xff ? 'utf-16le' : 'utf-16be'
  const zeros = [0, 0]
  head.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2]! += 1
  })
  const [even = 0, odd = 0] = zeros
  const min = (head.length / 2) * MIN_ZERO_SHARE
  if (head.length < 4 || Math.max(even, odd) < min || (even >= min && odd >= min)) return undefined
  return odd > even ? 'utf-16le' : 'utf-16be'
}

function asciiOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** Length of a part of UTF-8 bytes that does not end within a character. */
function completeLength(bytes: Uint8Array): number {
  const { length } = bytes
  for (let back = 1; back <= Math.min(3, length); back += 1) {
    const byte = bytes[length - back]!
    if (byte < 0x80) return length
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? length - back : length
  }
  return length
}

/** Decodes complete UTF-8 sequences; other bytes are read as windows-1252. */
function decodeUtf8(bytes: Uint8Array, isEnd: boolean): Decoded {
  if (isUtf8(bytes) && !isEnd) return { text: utf8Of(bytes), repairs: [] }
  const repairs: Decoded['repairs'] = []
  let text = ''
  let from = 0
  for (let at = 0; at < bytes.length;) {
    const size = sequenceLength(bytes, at)
    if (size > 0) {
      at += size
      continue
    }
    text += utf8Of(bytes.subarray(from, at))
    const start = at
    while (at < bytes.length && sequenceLength(bytes, at) === 0) at += 1
    const value = SINGLE_BYTES.decode(bytes.subarray(start, at))
    if (repairs.length < MAX_REPAIRS)
      repairs.push({ code: 'invalid-bytes', index: text.length, value: `${value.slice(0, 40)}` })
    text += value
    from = at
  }
  return { text: text + utf8Of(bytes.subarray(from)), repairs }
}

const SINGLE_BYTES = new TextDecoder('windows-1252')

function utf8Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

/** Number of bytes of the UTF-8 sequence at a position; 0 if the bytes there are invalid. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!
  if (first < 0x80) return 1
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4 || at + size > bytes.length) return 0
  return isUtf8(bytes.subarray(at, at + size)) ? size : 0
}

/** Reports characters that replace invalid bytes of another encoding than UTF-8. */
function withReplacements(text: string): Decoded {
  const repairs: Decoded['repairs'] = []
  for (
    let at = text.indexOf('\uFFFD');
    at !== -1 && repairs.length < MAX_REPAIRS;
    at = text.indexOf('\uFFFD', at + 1)
  ) {
    repairs.push({ code: 'invalid-bytes', index: at, value: '' })
  }
  return { text, repairs }
}
