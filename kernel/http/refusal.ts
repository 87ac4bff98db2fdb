import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { errors, RestError } from '../errors.ts'
import { HeaderMap } from './headers.ts'
import { STATUS_CODES } from './node-http.ts'
import { REQUEST_ID } from './request-id.ts'
import { discard } from './transfer.ts'
import { logRefusal } from '../log-refusal.ts'
import { outageError, RETRY_AFTER } from '../outages.ts'
import type { Work } from '../work.ts'

export const JSON_TYPE = 'application/json; charset=UTF-8'

/** Headers of error responses that do not come from a route. */
const REFUSAL = {
  'Content-Type': JSON_TYPE,
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
  // The error is about this request, not about its URL.
  'Cache-Control': 'no-store',
}
/** Errors after which the rest of the body is not read, because its end is unknown or may never arrive. */
const UNREAD_BODY_CODES: ReadonlySet<string> = new Set([
  'rest_bad_request',
  'rest_header_too_large',
  'rest_request_timeout',
])

/** Returns the error that a client gets for a failure, and a function that logs the failure. */
export function toRefusal(
  failure: unknown,
  work: Work,
): { shown: RestError; log: (log: Logger, about: object) => void } {
  const clientError = failure instanceof RestError && !failure.isInternal ? failure : null
  const outage = clientError !== null && clientError.status < 500 ? null : outageError(failure, work)
  const shown = outage ?? clientError
  if (shown !== null) return { shown, log: (log, about) => logRefusal(log, shown, about) }
  const message = failure instanceof RestError ? failure.message : 'a request could not be handled'
  return { shown: errors.rest_internal_error(), log: (log, about) => log.error({ ...about, err: failure }, message) }
}

/** Sets headers on a response before its head is written. */
export function setHeaders(outgoing: ServerResponse, headers: HeaderMap): void {
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'set-cookie') outgoing.appendHeader(name, String(value))
    else outgoing.setHeader(name, value)
  }
}

/** Returns the error of a tap that refuses a request as a page, after which the connection stays open. */
export function refusalPage(error: RestError): { status: number; headers: HeaderMap; body: string } {
  const headers = new HeaderMap(REFUSAL)
  const wait = retryAfter(error)
  if (wait !== null) headers.set('Retry-After', wait)
  return { status: error.status, headers, body: JSON.stringify(error) }
}

/**
 * Responds with an error that does not come from a route, and closes the connection.
 * @param id ID of the request
 * @param maxBytes maximum bytes of the request body to read
 * @param page sent instead of JSON, unless null
 * @param headers headers that taps have set for every response to the request
 */
export function refuse(
  outgoing: ServerResponse,
  error: RestError,
  { id, maxBytes, page, headers }: RefusalParts,
): void {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
  const { req: incoming } = outgoing
  const body = page?.body ?? JSON.stringify(error)
  outgoing.statusCode = error.status
  // A failed write of another head may have left its status message and headers.
  outgoing.statusMessage = STATUS_CODES[error.status] ?? ''
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name)
  if (headers !== null) setHeaders(outgoing, headers)
  for (const [name, value] of Object.entries(REFUSAL)) outgoing.setHeader(name, value)
  outgoing.setHeader(REQUEST_ID, id)
  if (page !== null) setHeaders(outgoing, page.headers)
  outgoing.setHeader('Content-Length', Buffer.byteLength(body))
  const wait = retryAfter(error)
  if (wait !== null) outgoing.setHeader('Retry-After', wait)
  // Many clients only read the response after they have sent the whole body, so read the rest of it first.
  outgoing.setHeader('Connection', 'close')
  const isOver = incoming.complete || UNREAD_BODY_CODES.has(error.code)
  // After the response, Node no longer notifies readers of the body when the client leaves.
  if (!incoming.complete) outgoing.once('close', () => incoming.destroy())
  if (isOver || incoming.method === 'HEAD') return void outgoing.end(body)
  outgoing.write(body)
  void discard(incoming, maxBytes).then(() => outgoing.end())
}

/** The page of an error for browsers, with its additional headers. */
export interface ErrorPage {
  readonly headers: HeaderMap
  readonly body: string
}

interface RefusalParts {
  readonly id: string
  readonly maxBytes: number
  readonly page: ErrorPage | null
  readonly headers: HeaderMap | null
}

/** Returns the seconds for `Retry-After`; null for errors without it. */
function retryAfter({ status, data }: RestError): number | null {
  const { retry_after: wait } = data
  return typeof wait === 'number' ? wait : status === 503 ? RETRY_AFTER : null
}

/**
 * Responds to bytes that Node cannot parse as a request or its body, after the responses to earlier requests, and
 * closes the connection.
 * @param latest the response to the latest request of the connection
 * @param id ID of the request that the bytes belong to
 */
export function refuseBytes(
  socket: Socket,
  error: NodeJS.ErrnoException,
  latest: ServerResponse | null,
  id: string,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const refusal = parserError(error)
  if (latest !== null && !latest.writableFinished) {
    if (!latest.req.complete) return refuse(latest, refusal, { id, maxBytes: 0, page: null, headers: null })
    if (latest.shouldKeepAlive) latest.once('finish', () => socket.end())
    latest.shouldKeepAlive = false
    return
  }
  const body = JSON.stringify(refusal)
  const headers = { ...REFUSAL, [REQUEST_ID]: id, 'Content-Length': Buffer.byteLength(body), Connection: 'close' }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.code}\r\n${head.join('')}\r\n${body}`)
}

function parserError({ code }: NodeJS.ErrnoException): RestError {
  if (code === 'HPE_HEADER_OVERFLOW') return errors.rest_header_too_large()
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return errors.rest_request_timeout()
  return errors.rest_bad_request()
}
