import type { IncomingMessage } from 'node:http'
import { errors } from '../errors.ts'
import type { RequestBody, RestRequest } from '../rest/request.ts'
import type { Call } from './call.ts'
import { hasBody } from './request-line.ts'

/** The parsed body of a request. */
export interface Body extends RequestBody {
  /** Deletes uploaded files and buffered bytes, after the response is sent. */
  release?: () => Promise<void>
}

/** Reads the bodies of requests. The plugin `bodies` provides it as the service `bodies`. */
export interface BodyReader {
  /** Returns whether a request has a body that will be read. */
  reads(incoming: IncomingMessage): boolean
  /** Reads the body of a REST request into the request. @returns a function that deletes the body's files */
  readInto(request: RestRequest, call: Call): Promise<Body['release']>
  /** Reads the form that a user sends to a page of the site. @param files whether uploaded files are read */
  readForm(call: Call, userId: number, files: boolean): Promise<Body>
}

const refuse = () => Promise.reject(errors.rest_body_not_read())

/** Replaces the plugin `bodies` if it is switched off: refuses all bodies. */
export const noBodies: BodyReader = { reads: hasBody, readInto: refuse, readForm: refuse }
