import type { Readable } from 'node:stream'
import type { HeaderMap } from './headers.ts'
import type { CurrentUser } from '../rest/request.ts'

/** A request for an address that is not of the interface: a page, a file. */
export interface SiteRequest {
  readonly method: string
  /** Decoded path below the home address, with its leading slash. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: HeaderMap
  /** Reads a form body; an empty one when there is none. */
  form(): Promise<Record<string, unknown>>
  readonly user: CurrentUser
  /** Address of the peer. */
  readonly ip: string
  readonly secure: boolean
  readonly id: string
  /** Aborted when the page is not wanted any more: its time is over, or the client has gone. Hand it to what waits. */
  readonly signal: AbortSignal
}

/** The answer to a request for a page or a file. */
export interface SitePage {
  status: number
  headers: HeaderMap
  body: string | Buffer | Readable | null
}
