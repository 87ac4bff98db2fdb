import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { levelOf } from '../log-refusal.ts'
import type { Awaitable } from '../awaitable.ts'
import type { RestError } from '../errors.ts'
import type { Served } from '../rest/response.ts'
import type { CachedResponse } from '../rest/http-cache.ts'
import type { RestServer } from '../rest/server.ts'
import type { BodyReader } from './bodies.ts'
import type { Call } from './call.ts'
import type { RequestLimits } from './limits.ts'
import { JSON_TYPE } from './refusal.ts'
import { OpenResponse } from '../rest/open-response.ts'
import { REQUEST_ID } from './request-id.ts'
import { isReadMethod } from './request-line.ts'
import type { RequestHooks } from './request-hooks.ts'
import { ResponseStreams } from './response-streams.ts'
import type { SitePage } from './pages.ts'
import { checkLength, isBodyless, lengthOf, writeBody } from './transfer.ts'

/** Maximum length of a body that is passed to Node as text, which Node writes together with the head. */
const MAX_JOINED_LENGTH = 4096
/** Status of responses with an empty body and a `Content-Length` of 0 (RFC 9110, 15.3.6). */
const RESET_STATUS = 205

interface ResponseWriterParts {
  readonly bodies: BodyReader
  readonly limits: RequestLimits
  readonly requestHooks: RequestHooks
  readonly refuse: (call: Call, error: RestError) => void
}

/** Writes responses, and has the limits watch slow clients. */
export class ResponseWriter {
  /** Whether every response closes its connection, because the server stops. */
  closesConnections = false
  readonly #rest: RestServer
  readonly #bodies: BodyReader
  readonly #limits: RequestLimits
  readonly #headOf: RequestHooks['headOf']
  readonly #refuse: (call: Call, error: RestError) => void
  readonly #streams: ResponseStreams

  /** @param parts.refuse ends a response with an error */
  constructor(rest: RestServer, { bodies, limits, requestHooks, refuse }: ResponseWriterParts) {
    this.#rest = rest
    this.#bodies = bodies
    this.#limits = limits
    this.#headOf = requestHooks.headOf
    this.#refuse = refuse
    this.#streams = new ResponseStreams((err) => rest.log.error({ err }, 'a streamed response failed'))
  }

  /** Ends streamed responses. */
  endStreams(kind: 'events' | 'all'): void {
    this.#streams.end(kind)
  }

  /** Writes the response to a REST request, unless a tap sends it. */
  write(call: Call, { response, text, served, fromCache }: Served): void {
    const { incoming, outgoing, id } = call
    const { method, url } = incoming
    if (fromCache === true) call.fromCache = true
    if (served) return this.#watchSource(call, 'a tap of rest_pre_serve_request has not finished sending the response')
    if (outgoing.destroyed) return
    const { status, headers } = response
    const level = response.error === null ? 'error' : levelOf(response.error)
    if (status >= 500 && status !== 501 && level === 'error')
      this.#rest.log.error({ request: id, method, url, status }, 'responded with an error')
    if (this.#isUnseenByCaches(incoming)) headers.set('Cache-Control', 'no-store')
    // Handlers cannot know how the body is sent.
    headers.delete('Content-Length')
    headers.delete('Transfer-Encoding')
    headers.set(REQUEST_ID, id)
    const head = headers.toList()
    if (status !== 304 && !headers.has('Content-Type')) head.push('Content-Type', JSON_TYPE)
    if (response instanceof OpenResponse) return this.#stream(call, response, head)
    // Long text is encoded once, for its length and for the socket; Node writes short text together with the head.
    const whole = typeof text === 'string' && text.length > MAX_JOINED_LENGTH ? [Buffer.from(text)] : text
    const body = isBodyless(status) ? null : status === RESET_STATUS ? '' : whole
    const length = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : lengthOf(body)
    if (body !== null) head.push('Content-Length', String(length))
    if (this.closesConnections) head.push('Connection', 'close')
    outgoing.writeHead(status, this.#headOf(outgoing, head))
    if (method === 'HEAD' || body === null) outgoing.end()
    else if (typeof body !== 'string') writeBody(outgoing, body)
    // ASCII text can be written as latin1, which is faster.
    else outgoing.end(body, length === text?.length ? 'latin1' : 'utf8')
    if (outgoing.writableLength > 0) this.#watch(outgoing, incoming.socket)
  }

  #stream({ incoming, outgoing, request }: Call, response: OpenResponse, head: string[]): void {
    // Later requests on the connection would wait for the stream.
    head.push('Connection', 'close')
    // A POST request can override its method with HEAD.
    const isHead = incoming.method === 'HEAD' || request?.method === 'HEAD'
    if (isHead || isBodyless(response.status) || this.closesConnections) {
      outgoing.writeHead(response.status, this.#headOf(outgoing, head))
      return void outgoing.end()
    }
    this.#streams.begin(response, outgoing, this.#headOf(outgoing, head))
    this.#watch(outgoing, incoming.socket)
  }

  /** Writes a cached response, with the ID of this request. */
  writeCached(
    { method, socket }: IncomingMessage,
    outgoing: ServerResponse,
    id: string,
    { status, head, body }: CachedResponse,
  ): void {
    outgoing.writeHead(status, this.#headOf(outgoing, [...head, REQUEST_ID, id]))
    if (method === 'HEAD' || body === null) outgoing.end()
    else writeBody(outgoing, [body])
    if (outgoing.writableLength > 0) this.#watch(outgoing, socket)
  }

  /** Writes a page of the site, or a file. */
  writePage(call: Call, page: SitePage): Awaitable<void> {
    const { incoming, outgoing, id } = call
    const { status, headers } = page
    if (outgoing.destroyed) return destroyBody(page)
    // Browsers must not guess the type of a page of any plugin.
    if (!headers.has('X-Content-Type-Options')) headers.set('X-Content-Type-Options', 'nosniff')
    if (this.#isUnseenByCaches(incoming)) headers.set('Cache-Control', 'no-store')
    const isRead = incoming.method !== 'HEAD' && !isBodyless(status)
    if (status === RESET_STATUS) destroyBody(page)
    const body = status === RESET_STATUS ? '' : page.body
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    headers.delete('Transfer-Encoding')
    if (isBodyless(status)) headers.delete('Content-Length')
    else if (!(bytes instanceof Readable) && (isRead || bytes !== null))
      headers.set('Content-Length', bytes?.length ?? 0)
    headers.set(REQUEST_ID, id)
    const head = headers.toList()
    if (this.closesConnections) head.push('Connection', 'close')
    outgoing.writeHead(status, this.#headOf(outgoing, head))
    if (bytes instanceof Readable && isRead) return this.#pipe(bytes, headers.get('Content-Length'), call)
    destroyBody(page)
    if (!isRead || bytes === null || bytes instanceof Readable) outgoing.end()
    else writeBody(outgoing, [bytes])
    if (outgoing.writableLength > 0) this.#watch(outgoing, incoming.socket)
  }

  async #pipe(body: Readable, length: string | null, call: Call): Promise<void> {
    const { incoming, outgoing, id } = call
    this.#watchSource(call, 'the body of the page has stalled')
    // `pipeline` alone adds seven listeners for the end.
    outgoing.setMaxListeners(20)
    const abort = (err: unknown) => {
      outgoing.destroy()
      // A client that leaves early is not a failure of the server.
      if ((err as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE')
        this.#rest.log.error({ request: id, url: incoming.url, err }, 'a response was aborted: its body failed')
    }
    if (length !== null) checkLength(body, Number(length), abort)
    await pipeline(body, outgoing).catch(abort)
  }

  /** Watches client and source of a response that is written in chunks. @param late description of a slow source */
  #watchSource(call: Call, late: string): void {
    const { incoming, outgoing } = call
    this.#watch(outgoing, incoming.socket)
    if (!outgoing.writableEnded && !outgoing.destroyed)
      this.#limits.watchSource(call, late, (error) => this.#refuse(call, error))
  }

  /** Whether a response can depend on a request body, which caches ignore because they identify responses by URL. */
  #isUnseenByCaches(incoming: IncomingMessage): boolean {
    return this.#rest.config.read_get_bodies && isReadMethod(incoming.method) && this.#bodies.reads(incoming)
  }

  #watch(outgoing: ServerResponse, socket: Socket): void {
    if (!outgoing.writableFinished && !outgoing.destroyed) this.#limits.watchResponse(outgoing, socket)
  }
}

/** Destroys the body of a page that is not sent. */
function destroyBody({ body }: SitePage): void {
  if (body instanceof Readable) body.destroy()
}
