import { Readable } from 'node:stream'
import type { Awaitable } from '../awaitable.ts'
import { errors } from '../errors.ts'
import { RestRequest } from '../rest/request.ts'
import type { Body, BodyReader } from './bodies.ts'
import type { Call } from './call.ts'
import type { HeaderMap } from './headers.ts'
import { refusalPage } from './refusal.ts'
import type { RequestUrl } from './request-url.ts'

/** The response to a request for a page or a file. */
export interface SitePage {
  status: number
  headers: HeaderMap
  body: string | Buffer | Readable | null
}

/** A request for a URL outside the REST API, before its user is identified. */
export interface PageRequest extends Pick<RequestUrl, 'path' | 'query'> {
  /** As the request line has it, with the query. */
  readonly url: string
  /** The request by which the user is identified, and the parent of internal requests. */
  readonly request: RestRequest
  /** Reads a form body of this user, with files or without; an empty one if there is none. Call `release` of the result. */
  readonly readForm: (userId: number, files: boolean) => Promise<Body>
}

/** Responds to URLs outside the REST API. The plugin `site-requests` provides one as the service `siteRequests`. */
export interface PageFinder {
  find(asked: PageRequest): Awaitable<SitePage>
}

/** Stands in for the plugin `site-requests` where it does not run. */
export const noPages: PageFinder = { find: () => refusalPage(errors.rest_no_route()) }

/** Finds a page of the site, or a file, whose body has begun. */
export async function findPage(
  finder: PageFinder,
  bodies: BodyReader,
  call: Call,
  { path, query }: RequestUrl,
): Promise<SitePage> {
  const { incoming, id, headers, client, work } = call
  const { method = 'GET', url = '/' } = incoming
  const request = new RestRequest(method, '/', { headers, ...client, work })
  request.id = id
  request.scope.query = Object.fromEntries(query)
  request.note = call.note
  call.request = request
  const readForm = async (userId: number, files: boolean) =>
    bodies.reads(incoming) ? bodies.readForm(call, userId, files) : {}
  const page = await finder.find({ request, path, query, url, readForm })
  if (page.body instanceof Readable) await begun(page.body, call)
  return page
}

/**
 * Waits until a body gives its first piece, so that one that gives none, or fails, can still become an error response. It is
 * destroyed where its response is over before that.
 */
async function begun(body: Readable, call: Call): Promise<void> {
  const { outgoing, incoming } = call
  if (outgoing.writableEnded || outgoing.destroyed) return void body.destroy()
  if (body.readableLength > 0 || body.readableEnded || incoming.method === 'HEAD') return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const begins = () => resolve()
  const isOver = () => body.destroy()
  body.once('readable', begins).once('end', begins).once('close', begins).once('error', reject)
  outgoing.once('close', isOver)
  call.stage = 'the body of the page has not begun'
  await promise
  call.stage = null
  body.off('readable', begins).off('end', begins).off('close', begins)
  outgoing.off('close', isOver)
}
