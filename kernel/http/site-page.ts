import { Readable } from 'node:stream'
import { applyFilter } from '../hooks/run.ts'
import { reads } from '../reads.ts'
import { RestRequest } from '../rest/request.ts'
import type { RestServer } from '../rest/server.ts'
import type { Body } from './body.ts'
import type { BodyReader } from './body-reader.ts'
import type { Call } from './call.ts'
import { HeaderMap } from './headers.ts'
import { SHUT } from './refusal.ts'
import type { RequestUrl } from './request-url.ts'
import type { SitePage, SiteRequest } from './site-request.ts'

/** A page of the site, with the request for it. */
export interface FoundPage {
  readonly page: SitePage
  readonly request: SiteRequest
}

/** Finds a page of the site, or a file, whose body has begun; 404 if no tap of `site_request` has it. */
export async function findPage(rest: RestServer, bodies: BodyReader, call: Call, url: RequestUrl): Promise<FoundPage> {
  const found = await askTaps(rest, bodies, call, url)
  const { body } = found.page
  if (body instanceof Readable) await begun(body, call)
  return found
}

async function askTaps(
  rest: RestServer,
  bodies: BodyReader,
  call: Call,
  { path, query }: RequestUrl,
): Promise<FoundPage> {
  const { incoming, id, work, headers, client } = call
  const { method = 'GET' } = incoming
  // The user is found out as for a REST request.
  const identified = new RestRequest(method, '/', { headers, ...client, work })
  identified.id = id
  identified.scope.query = Object.fromEntries(query)
  identified.note = call.note
  call.request = identified
  const user = await rest.identify(identified)
  let body: Promise<Body> | null = null
  const read = (files: boolean): Promise<Body> =>
    (body ??= bodies.reads(incoming) ? bodies.readForm(call, user.id, files) : Promise.resolve({}))
  const request: SiteRequest = {
    method,
    path,
    query,
    url: incoming.url ?? '/',
    headers,
    form: async () => (await read(false)).form ?? {},
    upload: async () => {
      const { form = {}, files = [] } = await read(true)
      return { form, files }
    },
    user,
    scope: identified.scope,
    parent: identified,
    // Reading these is noted, as for a request to the REST API.
    get ip() {
      return identified.ip
    },
    get secure() {
      return identified.secure
    },
    id,
    get signal() {
      return work.signal
    },
  }
  try {
    // The response cache needs to know what taps read before they find a page.
    return await reads.collect(async () => {
      const page = (await applyFilter(rest.hooks.site_request, null, request)) ?? notFound()
      return { page: await applyFilter(rest.hooks.site_page, page, request), request }
    })
  } finally {
    await (await (body as Promise<Body> | null)?.catch(() => null))?.release?.()
  }
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

function notFound(): SitePage {
  const headers = new HeaderMap({
    'Content-Type': 'text/html; charset=UTF-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': SHUT,
    // It may be there tomorrow, and for another user today.
    'Cache-Control': 'no-cache, must-revalidate, max-age=0',
  })
  const body =
    '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Not found</title><h1>Not found</h1></html>\n'
  return { status: 404, headers, body }
}
