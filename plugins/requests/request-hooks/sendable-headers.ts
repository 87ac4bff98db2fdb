import { HeaderMap, type HeaderValue } from '../../../kernel/index.ts'

// See kernel/http/node-http.ts.
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http')

/** Headers that describe the framing or encoding of a message. Only the code that writes the body can know them. */
const BODY_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Headers that can be added to any response. Setting an invalid name or value, or a header that describes the body,
 * throws a TypeError.
 */
export class SendableHeaders extends HeaderMap {
  override set(name: string, value: HeaderValue): void {
    check(name, String(value))
    super.set(name, value)
  }

  override append(name: string, value: string): void {
    check(name, value)
    super.append(name, value)
  }
}

function check(name: string, value: string): void {
  validateHeaderName(name)
  validateHeaderValue(name, value)
  if (BODY_HEADERS.has(name.toLowerCase().replaceAll('_', '-')))
    throw new TypeError(`The header "${name}" is set by the code that writes the response body. Remove it.`)
}
