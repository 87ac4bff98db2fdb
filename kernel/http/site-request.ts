import type { Readable } from 'node:stream'
import type { HeaderMap } from './headers.ts'
import type { CurrentUser } from '../rest/request.ts'

/** A request for a page of the site, or a file: any URL outside of the REST API. */
export interface SiteRequest {
  readonly method: string
  /** Decoded path below the home URL, with its leading slash. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: HeaderMap
  /** Reads a form body; an empty one when there is none. */
  form(): Promise<Record<string, unknown>>
  readonly user: CurrentUser
  /** IP address of the client. */
  readonly ip: string
  readonly secure: boolean
  readonly id: string
  /** Aborted when the page is not wanted any more: its time is over, or the client has gone. Pass it to what waits. */
  readonly signal: AbortSignal
}

/** The response to a request for a page or a file. */
export interface SitePage {
  status: number
  headers: HeaderMap
  body: string | Buffer | Readable | null
}
