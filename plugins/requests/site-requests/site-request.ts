import type { CurrentUser, HeaderMap, RequestCache, RestRequest, UploadedFile } from '../../../kernel/index.ts'

/** A request for a page of the site, or a file: any URL outside of the REST API. */
export interface SiteRequest {
  readonly method: string
  /** Decoded path below the home URL, with its leading slash. */
  readonly path: string
  readonly query: URLSearchParams
  /** As the request line has it, with the query. */
  readonly url: string
  readonly headers: HeaderMap
  /** Reads a form body; an empty one when there is none. Files in it are left out. @throws rest_body_too_large */
  form(): Promise<Record<string, unknown>>
  /**
   * Reads a form body with the files in it, as large as a request to the REST API may be. Ask first whether the user may
   * send files at all. They are there until the response has been made. A body is read once: the first of `form` and
   * `upload` decides.
   * @throws rest_body_too_large
   */
  upload(): Promise<{ form: Record<string, unknown>; files: readonly UploadedFile[] }>
  readonly user: CurrentUser
  /** What was read for this request: services that read many things at once take it. */
  readonly scope: RequestCache
  /**
   * The parent of internal requests, which then are of the same user and read what was read once.
   * @example
   * const posts = await server.dispatch(RestRequest.fromPath('/svc/v2/posts', request.parent))
   */
  readonly parent: RestRequest
  /** IP address of the client. */
  readonly ip: string
  readonly secure: boolean
  readonly id: string
  /** Aborted when the page is not wanted any more: its time is over, or the client has gone. Pass it to what waits. */
  readonly signal: AbortSignal
}
