import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Served } from '../rest/dispatch.ts'
import type { KeptResponse } from '../rest/response-keeper.ts'
import type { RestServer } from '../rest/server.ts'
import type { BodyReader } from './body-reader.ts'
import type { Call } from './call.ts'
import { JSON_TYPE } from './refusal.ts'
import { isReadMethod } from './request-line.ts'
import type { SitePage, SiteRequest } from './site-request.ts'
import type { SlowClients } from './slow-clients.ts'
import { lengthOf, ResponseTransfer, writeBody } from './transfer.ts'

/** Characters up to which Node writes head and body as one text. */
const SHORT = 4096

/** Writes responses, and watches how fast clients take them. */
export class ResponseWriter {
  /** Whether every response ends its connection: the server stops. */
  closesConnections = false
  readonly #rest: RestServer
  readonly #bodies: BodyReader
  readonly #slowClients: SlowClients

  constructor(rest: RestServer, bodies: BodyReader, slowClients: SlowClients) {
    this.#rest = rest
    this.#bodies = bodies
    this.#slowClients = slowClients
  }

  /** Writes the response to a REST request, unless a tap has sent it. */
  write({ incoming, outgoing, id }: Call, { response, text, served }: Served): void {
    const { method, url } = incoming
    if (served) return this.#watch(outgoing, incoming.socket)
    if (outgoing.destroyed) return
    const { status, headers } = response
    if (status >= 500 && status !== 501)
      this.#rest.log.error({ request: id, method, url, status }, 'answered with an error')
    if (this.#isUnseenByCaches(incoming)) headers.set('Cache-Control', 'no-store')
    const head = headers.toList()
    if (status !== 304 && !headers.has('Content-Type')) head.push('Content-Type', JSON_TYPE)
    // Long text is made into bytes once, for its length and for the connection; short text goes with the head.
    const body = typeof text === 'string' && text.length > SHORT ? [Buffer.from(text)] : text
    const length = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : lengthOf(body)
    if (body !== null) head.push('Content-Length', String(length))
    if (this.closesConnections) head.push('Connection', 'close')
    outgoing.writeHead(status, head)
    if (method === 'HEAD' || body === null) outgoing.end()
    else if (typeof body !== 'string') writeBody(outgoing, body)
    // Text of ASCII alone is written as it stands in memory.
    else outgoing.end(body, length === text?.length ? 'latin1' : 'utf8')
    if (outgoing.writableLength > 0) this.#watch(outgoing, incoming.socket)
  }

  /** Writes a response that is known as a whole. */
  writeKept({ method, socket }: IncomingMessage, outgoing: ServerResponse, { status, head, body }: KeptResponse): void {
    outgoing.writeHead(status, head as string[])
    if (method === 'HEAD' || body === null) outgoing.end()
    else writeBody(outgoing, [body])
    if (outgoing.writableLength > 0) this.#watch(outgoing, socket)
  }

  /** Writes a page of the site, or a file. */
  async writePage({ incoming, outgoing }: Call, page: SitePage, request: SiteRequest): Promise<void> {
    const { hooks } = this.#rest
    const { body } = page
    if (outgoing.destroyed) {
      if (body instanceof Readable) body.destroy()
      return
    }
    if (hooks.site_headers.isUsed()) hooks.site_headers.call(page.headers, request)
    // No page is taken for another type than it says, whichever plugin has made it.
    outgoing.setHeader('X-Content-Type-Options', 'nosniff')
    for (const [name, value] of page.headers) outgoing.setHeader(name, value)
    if (this.#isUnseenByCaches(incoming)) outgoing.setHeader('Cache-Control', 'no-store')
    if (this.closesConnections) outgoing.setHeader('Connection', 'close')
    outgoing.statusCode = page.status
    if (body instanceof Readable) return this.#pipe(body, incoming, outgoing)
    if (body !== null && !page.headers.has('Content-Length'))
      outgoing.setHeader('Content-Length', Buffer.byteLength(body))
    if (request.method === 'HEAD' || body === null) outgoing.end()
    else writeBody(outgoing, [typeof body === 'string' ? Buffer.from(body) : body])
    if (outgoing.writableLength > 0) this.#watch(outgoing, incoming.socket)
  }

  async #pipe(body: Readable, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (incoming.method === 'HEAD') {
      body.destroy()
      outgoing.end()
      return
    }
    this.#watch(outgoing, incoming.socket)
    // A client that goes away in the middle is no failure of ours.
    await pipeline(body, outgoing).catch(() => outgoing.destroy())
  }

  /** Whether a response may depend on a body that caches, which know it by its URL, do not look at. */
  #isUnseenByCaches(incoming: IncomingMessage): boolean {
    return this.#rest.config.read_get_bodies && isReadMethod(incoming.method) && this.#bodies.reads(incoming)
  }

  #watch(outgoing: ServerResponse, socket: Socket): void {
    if (outgoing.writableFinished || outgoing.destroyed) return
    const transfer = new ResponseTransfer(outgoing, socket)
    this.#slowClients.add(transfer)
    outgoing.once('close', () => this.#slowClients.remove(transfer))
  }
}
