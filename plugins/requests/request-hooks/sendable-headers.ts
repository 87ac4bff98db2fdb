import { HeaderMap, type HeaderValue } from '../../../kernel/index.ts'

// See kernel/http/node-http.ts.
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http')

/** Headers that say where a message ends, and how its bytes are to be read: only who writes them knows. */
const OF_THE_WRITER: ReadonlySet<string> = new Set([
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
 * Headers that can be sent with any response: another name or value is refused by a TypeError at once, as are those that
 * say how the bytes of a response are to be read.
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
  if (OF_THE_WRITER.has(name.toLowerCase().replaceAll('_', '-')))
    throw new TypeError(`${name} belongs to whoever writes the response: leave it out.`)
}
