import type { CurrentUser, HeaderMap, RequestCache, RestRequest, UploadedFile } from '../../../kernel/index.ts'

/** A request for a page or a file of the site: any URL outside the REST API. */
export interface SiteRequest {
  readonly method: string
  /** Decoded path below the home URL, with its leading slash. */
  readonly path: string
  readonly query: URLSearchParams
  /** URL of the request line: encoded path and query. */
  readonly url: string
  readonly headers: HeaderMap
  /**
   * Reads a form body without its files; returns an empty object if the request has none. @throws rest_body_too_large
   */
  form(): Promise<Record<string, unknown>>
  /**
   * Reads a form body with its files, which can be as large as in a request to the REST API. Check first whether the
   * user can upload files. The files are deleted once the response has been created. A body is read only once: the
   * first call of `form` or `upload` decides whether its files are stored.
   * @throws rest_body_too_large
   */
  upload(): Promise<{ form: Record<string, unknown>; files: readonly UploadedFile[] }>
  readonly user: CurrentUser
  /** Values read for this request. Pass it to services that read many items in one statement. */
  readonly scope: RequestCache
  /**
   * Parent of internal requests, which then run as the same user and reuse values that were already read.
   * @example
   * const posts = await server.dispatch(RestRequest.fromPath('/svc/v2/posts', request.parent))
   */
  readonly parent: RestRequest
  /** IP address of the client. */
  readonly ip: string
  readonly secure: boolean
  readonly id: string
  /** Aborted when the request times out or the client disconnects. Pass it to operations that wait. */
  readonly signal: AbortSignal
}
