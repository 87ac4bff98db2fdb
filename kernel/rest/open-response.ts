import type { ServerResponse } from 'node:http'
import { RestResponse } from './response.ts'

/** The body of a response that is being written. */
export interface OpenBody {
  begin(): void
  /** Ends it as one that is complete. */
  end(): void
  /** Called once the connection is closed. */
  close(): void
}

/** A response that writes its body itself, for as long as its client is there, such as `StreamedResponse` of `svc-rest`. */
export abstract class OpenResponse extends RestResponse {
  /** @param fail logs an error */
  abstract open(outgoing: ServerResponse, fail: (error: unknown) => void): OpenBody
}
