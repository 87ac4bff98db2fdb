import { Readable } from 'node:stream'
import {
  applyFilter,
  HeaderMap,
  RestRequest,
  type Call,
  type FormReader,
  type PageFinder,
  type PluginContext,
  type RequestUrl,
  type SitePage,
} from '../../../kernel/index.ts'
import { collectDependencies } from '../../library/caching/index.ts'
import { waitForData } from './body-start.ts'
import { errorPage } from './error-page.ts'
import type { SiteRequest } from './site-request.ts'

/** A request for a URL outside the REST API, before its user is identified. */
interface UnidentifiedRequest extends Pick<RequestUrl, 'path' | 'query'> {
  /** URL of the request line: encoded path and query. */
  readonly url: string
  readonly readForm: FormReader
}

/** Finds the pages and files of the site through the hook `site_request`. */
export class SiteRequests implements PageFinder {
  readonly errorPage = errorPage
  readonly #context: PluginContext

  constructor(context: PluginContext) {
    this.#context = context
  }

  /** Finds a page or a file and waits for the first piece of its body. @returns the page, or a 404 page */
  async find(call: Call, requestUrl: RequestUrl, readForm: FormReader): Promise<SitePage> {
    const { incoming, id, headers, client, work } = call
    const { method = 'GET', url = '/' } = incoming
    const request = new RestRequest(method, '/', { headers, ...client, work })
    request.id = id
    request.scope.query = Object.fromEntries(requestUrl.query)
    request.note = call.note
    call.request = request
    const page = await this.#find(request, { ...requestUrl, url, readForm })
    if (page.body instanceof Readable) await waitForData(page.body, call)
    return page
  }

  async #find(parent: RestRequest, { path, query, url, readForm }: UnidentifiedRequest): Promise<SitePage> {
    const { hooks, server } = this.#context
    const user = await server.identify(parent)
    let body: ReturnType<typeof readForm> | null = null
    const read = (files: boolean) => (body ??= readForm(user.id, files))
    const request = new ReceivedSiteRequest(parent, { path, query, url, user, read })
    try {
      // The response cache needs the dependencies of taps that read data before they find a page.
      const page = await collectDependencies(async () => {
        const content = (await applyFilter(hooks.site_request, null, request)) ?? notFound()
        return applyFilter(hooks.site_page, content, request)
      })
      hooks.site_headers.call(page.headers, request)
      return page
    } finally {
      await (await (body as ReturnType<typeof readForm> | null)?.catch(() => null))?.release?.()
    }
  }
}

interface SiteRequestParts extends Pick<SiteRequest, 'path' | 'query' | 'url' | 'user'> {
  /** Reads the body. @param files whether its files are stored */
  readonly read: (files: boolean) => ReturnType<FormReader>
}

/**
 * A request for a page. The IP address and the scheme are getters because each read is recorded as a dependency, as for
 * requests to the REST API.
 */
class ReceivedSiteRequest implements SiteRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly url: string
  readonly headers: HeaderMap
  readonly user: SiteRequest['user']
  readonly scope: SiteRequest['scope']
  readonly parent: RestRequest
  readonly id: string
  readonly #read: SiteRequestParts['read']

  constructor(parent: RestRequest, { path, query, url, user, read }: SiteRequestParts) {
    this.method = parent.method
    this.path = path
    this.query = query
    this.url = url
    this.headers = parent.headers
    this.user = user
    this.scope = parent.scope
    this.parent = parent
    this.id = parent.id
    this.#read = read
  }

  async form(): Promise<Record<string, unknown>> {
    return (await this.#read(false)).form ?? {}
  }

  async upload(): ReturnType<SiteRequest['upload']> {
    const { form = {}, files = [] } = await this.#read(true)
    return { form, files }
  }

  get ip(): string {
    return this.parent.ip
  }

  get secure(): boolean {
    return this.parent.secure
  }

  get signal(): AbortSignal {
    return this.parent.work.signal
  }
}

function notFound(): SitePage {
  const headers = new HeaderMap({
    'Content-Type': 'text/html; charset=UTF-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    // The page can exist later, or for another user.
    'Cache-Control': 'no-cache, must-revalidate, max-age=0',
  })
  const body =
    '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Not found</title><h1>Not found</h1></html>\n'
  return { status: 404, headers, body }
}
