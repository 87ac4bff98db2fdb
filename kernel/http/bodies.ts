import type { IncomingMessage } from 'node:http'
import { errors } from '../errors.ts'
import type { RequestBody, RestRequest } from '../rest/request.ts'
import type { Call } from './call.ts'
import { hasBody } from './request-line.ts'

/** A request's body, read and parsed. */
export interface Body extends RequestBody {
  /** Deletes files and other bytes, once the response is sent. */
  release?: () => Promise<void>
}

/** Reads the bodies of requests. The plugin `bodies` provides it as the service `bodies`. */
export interface BodyReader {
  /** Returns whether a request has a body that is read. */
  reads(incoming: IncomingMessage): boolean
  /** Reads the body of a REST request into it. @returns what forgets the body */
  readInto(request: RestRequest, call: Call): Promise<Body['release']>
  /** Reads the form that a user sends to a page of the site, with its files or without. */
  readForm(call: Call, userId: number, files: boolean): Promise<Body>
}

const refuse = () => Promise.reject(errors.rest_body_not_read())

/** Stands in for the plugin `bodies` where it does not run: it refuses every body. */
export const noBodies: BodyReader = { reads: hasBody, readInto: refuse, readForm: refuse }
