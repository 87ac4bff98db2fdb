import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { Awaitable } from '../awaitable.ts'
import { errors, type RestError } from '../errors.ts'
import type { Body } from './bodies.ts'
import type { Call } from './call.ts'
import type { HeaderMap } from './headers.ts'
import { refusalPage, type ErrorPage } from './refusal.ts'
import type { RequestUrl } from './request-url.ts'

/** The response with a page or a file. */
export interface SitePage {
  status: number
  headers: HeaderMap
  body: string | Buffer | Readable | null
}

/** Reads the form body of a user, with or without its files; empty if it is missing. Call `release` of the result. */
export type FormReader = (userId: number, files: boolean) => Promise<Body>

/** Responds to URLs outside the REST API. The plugin `site-requests` provides it as the service `siteRequests`. */
export interface PageFinder {
  /** Finds a page of the site, or a file whose body is already being read. */
  find(call: Call, url: RequestUrl, readForm: FormReader): Awaitable<SitePage>
  /** Returns the page for an error; null if the client is not a browser. @param id ID of the request */
  errorPage(error: RestError, incoming: IncomingMessage, id: string): ErrorPage | null
}

/** Replaces the plugin `site-requests` if it is switched off. */
export const noPages: PageFinder = { find: () => refusalPage(errors.rest_no_route()), errorPage: () => null }
