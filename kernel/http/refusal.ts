import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { errors, RestError } from '../errors.ts'
import { HeaderMap } from './headers.ts'
import { STATUS_CODES } from './node-http.ts'
import { REQUEST_ID } from './request-id.ts'
import { discard } from './transfer.ts'
import { logRefusal } from '../log-refusal.ts'
import { outageOf, RETRY_AFTER } from '../outages.ts'
import type { Work } from '../work.ts'

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
const NOT_AWAITED: ReadonlySet<string> = new Set(['rest_bad_request', 'rest_header_too_large', 'rest_request_timeout'])

/** The error that a client gets for a failure, which `log` logs. */
export function toRefusal(
  failure: unknown,
  work: Work,
): { shown: RestError; log: (log: Logger, about: object) => void } {
  const known = failure instanceof RestError && !failure.isInternal ? failure : null
  const outage = known !== null && known.status < 500 ? null : outageOf(failure, work)
  const shown = outage ?? known
  if (shown !== null) return { shown, log: (log, about) => logRefusal(log, shown, about) }
  const message = failure instanceof RestError ? failure.message : 'a request could not be answered'
  return { shown: errors.rest_internal_error(), log: (log, about) => log.error({ ...about, err: failure }, message) }
}

/** Sets headers that the head of the response is going to meet. */
export function setHeaders(outgoing: ServerResponse, headers: HeaderMap): void {
  for (const [name, value] of headers) {
    if (name.toLowerCase() === 'set-cookie') outgoing.appendHeader(name, String(value))
    else outgoing.setHeader(name, value)
  }
}

/** The error by which a tap refuses a request, as a response after which the connection goes on. */
export function refusalPage(error: RestError): { status: number; headers: HeaderMap; body: string } {
  const headers = new HeaderMap(REFUSAL)
  const wait = retryAfter(error)
  if (wait !== null) headers.set('Retry-After', wait)
  return { status: error.status, headers, body: JSON.stringify(error) }
}

/**
 * Responds with an error that comes from no route, and ends the connection.
 * @param id of the request
 * @param most bytes of the body that are read
 * @param page to send in place of JSON
 * @param more headers that every response to the request has
 */
export function refuse(outgoing: ServerResponse, error: RestError, { id, most, page, more }: RefusalParts): void {
  if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy()
  const { req: incoming } = outgoing
  const body = page?.body ?? JSON.stringify(error)
  outgoing.statusCode = error.status
  // A head that could not be written has left its own message, and what belongs to another body.
  outgoing.statusMessage = STATUS_CODES[error.status] ?? ''
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name)
  if (more !== null) setHeaders(outgoing, more)
  for (const [name, value] of Object.entries(REFUSAL)) outgoing.setHeader(name, value)
  outgoing.setHeader(REQUEST_ID, id)
  if (page !== null) setHeaders(outgoing, page.headers)
  outgoing.setHeader('Content-Length', Buffer.byteLength(body))
  const wait = retryAfter(error)
  if (wait !== null) outgoing.setHeader('Retry-After', wait)
  // A client reads the response once it has sent its whole body, unless it is unknown where that ends.
  outgoing.setHeader('Connection', 'close')
  const isOver = incoming.complete || NOT_AWAITED.has(error.code)
  // Node tells a reader of the body that its client has gone only as long as there is no response.
  if (!incoming.complete) outgoing.once('close', () => incoming.destroy())
  if (isOver || incoming.method === 'HEAD') return void outgoing.end(body)
  outgoing.write(body)
  void discard(incoming, most).then(() => outgoing.end())
}

/** An error as a page for browsers, with the headers that its JSON does not have. */
export interface ErrorPage {
  readonly headers: HeaderMap
  readonly body: string
}

interface RefusalParts {
  readonly id: string
  readonly most: number
  readonly page: ErrorPage | null
  readonly more: HeaderMap | null
}

/** Seconds after which to try again; null where an error does not say. */
function retryAfter({ status, data }: RestError): number | null {
  const { retry_after: wait } = data
  return typeof wait === 'number' ? wait : status === 503 ? RETRY_AFTER : null
}

/**
 * Refuses bytes that are no request, or the body of one, behind the responses to the requests before. Then the connection
 * ends.
 * @param latest the response to the latest request of the connection
 * @param id of the request that the bytes belong to
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
    if (!latest.req.complete) return refuse(latest, refusal, { id, most: 0, page: null, more: null })
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
