import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RawExchange } from '../rest/dispatch.ts'
import type { Call } from './call.ts'
import { REQUEST_ID } from './request-id.ts'

/** The request and response objects of Node for taps. A response that a tap writes itself carries the request ID, too. */
export class CallExchange implements RawExchange {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  get incoming(): IncomingMessage {
    return this.#call.incoming
  }

  get outgoing(): ServerResponse {
    const { outgoing, id } = this.#call
    if (!outgoing.headersSent && !outgoing.hasHeader(REQUEST_ID)) outgoing.setHeader(REQUEST_ID, id)
    return outgoing
  }
}
