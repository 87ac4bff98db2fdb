/** The last steps of dispatch: encodes the body of a response as JSON, sets its entity tag, and runs body filters. */
import { isThenable, type Awaitable } from '../awaitable.ts'
import type { Hooks } from '../hooks/hook.ts'
import { applyFilter, applySyncFilter } from '../hooks/run.ts'
import { isReadMethod } from '../http/request-line.ts'
import { isBodyless } from '../http/transfer.ts'
import { failureResponse } from './error-response.ts'
import type { RestRequest } from './request.ts'
import type { RestResponse, Served, Server } from './response.ts'
import { OpenResponse } from './open-response.ts'

/** Encodes the body of a response as JSON, and sets its `ETag` unless the handler has set it. Never throws. */
export async function encodeResponse(response: RestResponse, server: Server, request: RestRequest): Promise<Served> {
  const { status, headers } = response
  if (isBodyless(status) || response instanceof OpenResponse) return { response, text: null, served: false }
  try {
    const { rest_pre_echo_response: filter } = server.hooks
    // A body stored as text is sent unchanged, unless a tap reads its data.
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

/** Runs `rest_response_body`, for example for compression, and drops the body for HEAD. Never throws. */
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

/** Returns the error response for a body that could not be encoded. */
function toFailed(error: unknown, server: Server, request: RestRequest, { headers }: RestResponse): Served {
  headers.delete('ETag')
  const response = failureResponse(server, error, request, headers)
  return { response, text: JSON.stringify(response.data), served: false }
}

/** Encodes the body of a response as JSON: as text, or as bytes in pieces if it is long. */
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

/** Returns the body as text. Clients expect an empty body for null. */
function textOf(data: unknown, { body }: RestResponse): string {
  if (data === body && body !== null) return body.text
  return data === null || data === undefined ? '' : JSON.stringify(data)
}
