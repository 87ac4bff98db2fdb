import { HeaderMap, type ReceivedHeaders } from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { OutgoingResponse } from './outgoing.ts'

/** Returns the encoding of a response body; '' for responses without a body, regardless of their headers. */
export function encodingOf(method: string, answer: { statusCode: number; headers: ReceivedHeaders }): string {
  const { statusCode, headers } = answer
  const isEmpty = method === 'HEAD' || statusCode === 204 || statusCode === 304 || headers['content-length'] === '0'
  return isEmpty ? '' : String(headers['content-encoding'] ?? '')
}

/** Builds the response. */
export function responseOf(status: number, headers: ReceivedHeaders, url: URL, body: Buffer): OutgoingResponse {
  return {
    status,
    headers: HeaderMap.received(headers),
    url: url.href,
    body,
    text: () => body.toString('utf8'),
    json() {
      try {
        return JSON.parse(body.toString('utf8')) as unknown
      } catch {
        throw errors.OUTGOING_FAILED(url.origin, 'its response is not JSON')
      }
    },
  }
}
