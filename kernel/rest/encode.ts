/** The last steps of dispatch: the body of a response becomes text with an entity tag, in the encoding that the client takes. */
import { isThenable, type Awaitable } from '../awaitable.ts'
import type { Hooks } from '../hooks/hook.ts'
import { applyFilter, applySyncFilter } from '../hooks/run.ts'
import { isReadMethod } from '../http/request-line.ts'
import { isBodyless } from '../http/transfer.ts'
import { failureResponse } from './error-response.ts'
import type { RestRequest } from './request.ts'
import type { RestResponse, Served, Server } from './response.ts'
import { OpenResponse } from './open-response.ts'

/** Writes the body of a response as JSON text, and sets its `ETag` unless the handler has set one. Never throws. */
export async function encodeResponse(response: RestResponse, server: Server, request: RestRequest): Promise<Served> {
  const { status, headers } = response
  if (isBodyless(status) || response instanceof OpenResponse) return { response, text: null, served: false }
  try {
    const { rest_pre_echo_response: filter } = server.hooks
    // A body of texts is written as it is, unless a tap reads its data.
    const data: unknown =
      response.body !== null && !filter.isUsed()
        ? response.body
        : applyFilter(filter, server.responseToData(response), server, request, response)
    const encoded = toJson(isThenable(data) ? await data : data, server, request, response)
    const text = isThenable(encoded) ? await encoded : encoded
    if (status === 200 && isReadMethod(request.method) && !headers.has('ETag')) {
      const tagged = server.conditional.tag(response, text)
      if (isThenable(tagged)) await tagged
    }
    return { response, text, served: false }
  } catch (error) {
    return toFailed(error, server, request, response)
  }
}

/** Lets taps encode the text once more, such as by compression; a HEAD request gets no body. Never throws. */
export async function encodeBody(served: Served, server: Server, request: RestRequest): Promise<Served> {
  if (served.served || served.response instanceof OpenResponse) return served
  let encoded: Served
  try {
    const filtered = applyFilter(server.hooks.rest_response_body, served, request)
    encoded = isThenable(filtered) ? await filtered : filtered
  } catch (error) {
    encoded = toFailed(error, server, request, served.response)
  }
  return request.method === 'HEAD' ? { ...encoded, text: null } : encoded
}

/** The error response that is sent if a body could not be written. */
function toFailed(error: unknown, server: Server, request: RestRequest, { headers }: RestResponse): Served {
  headers.delete('ETag')
  const response = failureResponse(server, error, request, headers)
  return { response, text: JSON.stringify(response.data), served: false }
}

/** The body of a response as JSON: a text, or bytes in pieces where it is long. */
function toJson(
  data: unknown,
  { hooks, responseBudget }: Server,
  request: RestRequest,
  response: RestResponse,
): Awaitable<string | readonly Buffer[]> {
  const { rest_encoded_response: filter } = hooks
  if (!responseBudget.isLong(request.work)) return applySyncFilter(filter, textOf(data, response), request, response)
  const pieces = responseBudget.encode(data)
  return filter.isUsed() ? filterPieces(pieces, filter, request, response) : pieces
}

async function filterPieces(
  pieces: Awaitable<readonly Buffer[]>,
  filter: Hooks['rest_encoded_response'],
  request: RestRequest,
  response: RestResponse,
): Promise<string> {
  return applySyncFilter(filter, Buffer.concat(await pieces).toString(), request, response)
}

/** The body as text. Clients know `null` as an empty body. */
function textOf(data: unknown, { body }: RestResponse): string {
  if (data === body && body !== null) return body.text
  return data === null || data === undefined ? '' : JSON.stringify(data)
}
