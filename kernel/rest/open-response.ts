import type { ServerResponse } from 'node:http'
import { RestResponse } from './response.ts'

/** The body of a streamed response. */
export interface OpenBody {
  begin(): void
  /** Ends the body as complete. */
  end(): void
  /** Called when the connection is closed. */
  close(): void
}

/** A response that writes its own body while its client is connected, such as `StreamedResponse` of `svc-rest`. */
export abstract class OpenResponse extends RestResponse {
  /** @param fail logs an error */
  abstract open(outgoing: ServerResponse, fail: (error: unknown) => void): OpenBody
}
