/** Bytes that are searched for the encoding in the XML declaration. */
const HEAD_BYTES = 1024
/** Byte order marks and their encodings. */
const MARKS: readonly [bytes: readonly number[], label: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
]

/**
 * Decodes a feed by its byte order mark, the charset of its content type, or the encoding in its XML declaration, in
 * this order; otherwise as UTF-8. Invalid bytes become U+FFFD.
 * @param contentType value of the header `Content-Type`; null if it is missing
 */
export function decodeFeed(body: Buffer, contentType: string | null): string {
  const mark = MARKS.find(([bytes]) => bytes.every((byte, at) => body[at] === byte))?.[1]
  const inHeader = /charset=\s*["']?([\w:.-]{1,40})/i.exec(contentType ?? '')?.[1]
  const head = body.toString('latin1', 0, HEAD_BYTES)
  const inFeed = /^\s*<\?xml[^>]{0,200}\sencoding\s*=\s*["']([\w:.-]{1,40})/i.exec(head)?.[1]
  for (const label of [mark, inHeader, inFeed]) {
    try {
      if (label !== undefined) return new TextDecoder(label).decode(body)
    } catch {
      // Unknown encoding: try the next one.
    }
  }
  return new TextDecoder().decode(body)
}
