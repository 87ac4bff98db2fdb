import { errors } from '../errors.ts'
import { WxrParser } from './parser.ts'
import type { WxrLimits, WxrRecord } from './types.ts'

/** Bytes decoded and parsed at a time. */
const SLICE_BYTES = 65536

/**
 * Reads a WXR file (versions 1.0 to 1.2) as a stream of records; memory holds one item with its comments. Control
 * characters are removed and counted.
 *
 * @throws RestError IMPORT_MALFORMED, IMPORT_TRUNCATED, IMPORT_NOT_AN_EXPORT, IMPORT_DOCTYPE (entities are never
 * expanded), IMPORT_TOO_DEEP, IMPORT_RECORD_TOO_LARGE
 */
export async function* readWxr(source: AsyncIterable<Uint8Array>, limits: WxrLimits = {}): AsyncGenerator<WxrRecord> {
  const parser = new WxrParser(limits)
  let decoder: TextDecoder | undefined
  for await (const bytes of source) {
    for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
      const slice = bytes.subarray(start, start + SLICE_BYTES)
      decoder ??= new TextDecoder(encodingOf(slice))
      parser.write(decoder.decode(slice, { stream: true }))
      yield* parser.takeRecords()
    }
  }
  if (decoder !== undefined) parser.write(decoder.decode())
  parser.end()
  yield* parser.takeRecords()
}

/** The encoding from a byte order mark or the XML declaration; UTF-8 by default. */
function encodingOf(start: Uint8Array): string {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  const head = new TextDecoder('latin1').decode(start.subarray(0, 200))
  const label = /^\s*(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*\sencoding=["']([\w.:-]+)["']/.exec(head)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(label).encoding
  } catch {
    throw errors.IMPORT_NOT_AN_EXPORT(`its encoding ${label} is not supported`)
  }
}
