import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { errors, type RestError } from '../errors.ts'
import { STATUS_CODES } from './node-http.ts'
import { discard } from './transfer.ts'
import { RETRY_AFTER } from '../outages.ts'

export const JSON_TYPE = 'application/json; charset=UTF-8'

/** Headers of every error response that comes from no route. */
const REFUSAL = {
  'Content-Type': JSON_TYPE,
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  // It is about this one request, not its URL.
  'Cache-Control': 'no-store',
}
/** Errors after which it is unknown where the body ends, or when. */
const NOT_AWAITED: ReadonlySet<string> = new Set(['rest_bad_request', 'rest_request_timeout'])

/** Responds with an error that comes from no route, and ends the connection. @param most bytes of the body that are read */
export function refuse(outgoing: ServerResponse, error: RestError, most: number): void {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
  const body = JSON.stringify(error)
  outgoing.statusCode = error.status
  // A head that could not be written has left its own message.
  outgoing.statusMessage = STATUS_CODES[error.status] ?? ''
  for (const [name, value] of Object.entries(REFUSAL)) outgoing.setHeader(name, value)
  outgoing.setHeader('Content-Length', Buffer.byteLength(body))
  if (error.status === 503) outgoing.setHeader('Retry-After', Number(error.data['retry_after'] ?? RETRY_AFTER))
  // A client reads the response once it has sent its whole body, unless it is unknown where that ends.
  outgoing.setHeader('Connection', 'close')
  const { req: incoming } = outgoing
  const isOver = incoming.complete || NOT_AWAITED.has(error.code)
  if (isOver || incoming.method === 'HEAD') return void outgoing.end(body)
  outgoing.write(body)
  void discard(incoming, most).then(() => outgoing.end())
}

/**
 * Refuses bytes that are no request, unless the connection is in the middle of a response.
 * @param latest the response to the latest request of the connection
 */
export function refuseBytes(socket: Socket, error: NodeJS.ErrnoException, latest: ServerResponse | null): void {
  const isPending = latest !== null && !latest.writableFinished
  const isAnswering = isPending && latest.headersSent
  if (!socket.writable || isAnswering || error.code === 'ECONNRESET') return void socket.destroy()
  // The request before gets its response; then the connection ends.
  if (isPending && latest.req.complete) return void (latest.shouldKeepAlive = false)
  const refusal = parserError(error)
  const body = JSON.stringify(refusal)
  const headers = { ...REFUSAL, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.code}\r\n${head.join('')}\r\n${body}`)
}

function parserError({ code }: NodeJS.ErrnoException): RestError {
  if (code === 'HPE_HEADER_OVERFLOW') return errors.rest_header_too_large()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errors.rest_request_timeout()
  return errors.rest_bad_request()
}
