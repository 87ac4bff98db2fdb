/** From a response to what is sent: its body as text, with its tag, and as the client takes it. */
import { chain, isThenable, type Awaitable } from '../awaitable.ts'
import { applyFilter } from '../hooks/run.ts'
import type { Hooks } from '../hooks/hook.ts'
import { isReadMethod } from '../http/request-line.ts'
import { isBodyless } from '../http/transfer.ts'
import { encode } from './encode.ts'
import { etagOf, etagOfLatest, etagOfPieces } from './etag.ts'
import { failureResponse } from './error-response.ts'
import type { RestRequest } from './request.ts'
import type { RestResponse, Served } from './response.ts'
import { StreamedResponse } from './streamed-response.ts'

/** For which request the server responds. */
interface Asked {
  /** The server, as hooks are given it. Its own module imports this one. */
  readonly server: Parameters<Hooks['rest_api_init']['promise']>[0]
  readonly request: RestRequest
}

/** The response with its body as text: links, embedded items, envelope, JSON. */
export function toServed(response: RestResponse, asked: Asked): Awaitable<Served> {
  if (isBodyless(response.status) || response instanceof StreamedResponse)
    return { response, text: null, served: false }
  const { server, request } = asked
  try {
    const { rest_pre_echo_response: filter } = server.hooks
    // Texts are written as they are, unless somebody looks at what they say.
    const data =
      response.body !== null && !filter.isUsed()
        ? response.body
        : applyFilter(filter, server.responseToData(response), server, request, response)
    const served: Awaitable<Served> = isThenable(data)
      ? Promise.resolve(data).then((late) => tagged(encode(late, server, request, response), request, response))
      : tagged(encode(data, server, request, response), request, response)
    return isThenable(served) ? served.then(undefined, (error: unknown) => toFailed(error, asked, response)) : served
  } catch (error) {
    return toFailed(error, asked, response)
  }
}

/** With the `ETag` of what was read, unless the handler knows a better one. */
function tagged(
  encoded: Awaitable<string | readonly Buffer[]>,
  request: RestRequest,
  response: RestResponse,
): Awaitable<Served> {
  if (isThenable(encoded)) return encoded.then((text) => tagged(text, request, response))
  const served: Served = { response, text: encoded, served: false }
  const { status, headers, endpoint } = response
  if (status !== 200 || !isReadMethod(request.method) || headers.has('ETag')) return served
  if (typeof encoded !== 'string') {
    return chain(etagOfPieces(encoded), (etag) => {
      headers.set('ETag', etag)
      return served
    })
  }
  headers.set('ETag', endpoint === null ? etagOf(encoded) : etagOfLatest(endpoint, encoded))
  return served
}

/** The response as it is written: its body may be encoded once more, and that of HEAD is left out. */
export function toWritten(served: Served, asked: Asked): Awaitable<Served> {
  if (served.served || served.response instanceof StreamedResponse) return served
  const written = encodedBody(served, asked)
  return asked.request.method === 'HEAD' ? chain(written, withoutBody) : written
}

function encodedBody(served: Served, asked: Asked): Awaitable<Served> {
  const { server, request } = asked
  try {
    const written = applyFilter(server.hooks.rest_response_body, served, request)
    return isThenable(written)
      ? written.then(undefined, (error: unknown) => toFailed(error, asked, served.response))
      : written
  } catch (error) {
    return toFailed(error, asked, served.response)
  }
}

function withoutBody(served: Served): Served {
  return { ...served, text: null }
}

/** What is sent in place of a response whose body could not be made. */
function toFailed(error: unknown, { server, request }: Asked, { headers }: RestResponse): Served {
  headers.delete('ETag')
  const failed = failureResponse(server, error, request, headers)
  return { response: failed, text: JSON.stringify(failed.data), served: false }
}
