import { encodingOf } from './encoding.ts'
import { WxrParser } from './parser.ts'
import type { WxrLimits, WxrRecord } from './types.ts'

/** Bytes decoded and parsed at a time. */
const SLICE = 65536

/**
 * Reads a WXR file (versions 1.0 to 1.2) as it streams in, one record at a time; memory holds one item with its
 * comments. Control characters are left out and counted.
 *
 * @throws RestError IMPORT_MALFORMED, IMPORT_TRUNCATED, IMPORT_NOT_AN_EXPORT, IMPORT_DOCTYPE (entities are never
 * expanded), IMPORT_TOO_DEEP, IMPORT_RECORD_TOO_LARGE
 */
export async function* readWxr(source: AsyncIterable<Uint8Array>, limits: WxrLimits = {}): AsyncGenerator<WxrRecord> {
  const parser = new WxrParser(limits)
  let decoder: TextDecoder | undefined
  for await (const bytes of source) {
    for (let start = 0; start < bytes.length; start += SLICE) {
      const slice = bytes.subarray(start, start + SLICE)
      decoder ??= new TextDecoder(encodingOf(slice))
      parser.write(decoder.decode(slice, { stream: true }))
      yield* parser.take()
    }
  }
  if (decoder !== undefined) parser.write(decoder.decode())
  parser.end()
  yield* parser.take()
}
