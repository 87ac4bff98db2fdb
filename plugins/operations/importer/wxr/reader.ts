import { Decoder, HEAD_BYTES } from './decoder.ts'
import { WxrParser, type WxrOptions } from './parser.ts'
import type { WxrRecord } from './types.ts'

/** Bytes decoded and parsed at a time. */
const SLICE_BYTES = 65536

/**
 * Reads a WXR file (versions 1.0 to 1.2) as a stream of records; memory holds one item with its comments. The export
 * begins at `<rss` and ends at `</rss>`. Text that is not well-formed and values that are not valid are repaired, and
 * each repair is a record.
 *
 * @throws RestError IMPORT_TRUNCATED, IMPORT_NOT_AN_EXPORT, IMPORT_DOCTYPE (entities are never expanded),
 * IMPORT_TOO_DEEP, IMPORT_RECORD_TOO_LARGE
 */
export async function* readWxr(source: AsyncIterable<Uint8Array>, options: WxrOptions = {}): AsyncGenerator<WxrRecord> {
  const parser = new WxrParser(options)
  let decoder: Decoder | undefined
  /** The start of the file, until it contains enough bytes to find its encoding. */
  let head: Uint8Array = new Uint8Array()
  const write = ({ text, repairs }: ReturnType<Decoder['decode']>) => {
    for (const { code, index, value } of repairs) parser.noteNext(code, text, index, value)
    parser.write(text)
    return parser.takeRecords()
  }
  for await (let bytes of source) {
    if (decoder === undefined) {
      head = Buffer.concat([head, bytes])
      if (head.length < HEAD_BYTES) continue
      decoder = new Decoder(head.subarray(0, HEAD_BYTES))
      bytes = head
    }
    for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
      yield* write(decoder.decode(bytes.subarray(start, start + SLICE_BYTES)))
    }
  }
  if (decoder === undefined && head.length > 0) yield* write((decoder = new Decoder(head)).decode(head))
  if (decoder !== undefined) yield* write(decoder.end())
  parser.end()
  yield* parser.takeRecords()
}
