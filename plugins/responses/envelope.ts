import {
  applyFilter,
  definePlugin,
  filter,
  RestResponse,
  type Filter,
  type HeaderValue,
  type HookSpecs,
  type RestServer,
} from '../../kernel/index.ts'
import { ItemBody, Json } from '../library/caching/index.ts'

/** A response inside the body of another one, for batches and for clients that cannot read statuses or headers. */
export interface Envelope {
  body: unknown
  status: number
  /** Headers by name; an empty list without headers. */
  headers: Record<string, HeaderValue> | []
}

/** Returns a response as an object for the body of another response. */
export function envelopeOf(server: RestServer, response: RestResponse): Envelope {
  const { status, headers } = response
  return {
    body: server.responseToData(response),
    status,
    headers: headers.size === 0 ? [] : Object.fromEntries(headers),
  }
}

/** Hooks of envelopes. */
interface EnvelopeHooks {
  /** Filter: a response in its envelope, about to become the body of another one. @since 0.1.0 */
  rest_envelope_response: Filter<Envelope, [response: RestResponse]>
}

declare module '../../kernel/index.ts' {
  interface Hooks extends EnvelopeHooks {}
}

/** Wraps the status, headers and body of a response in the body of another one if the request has `_envelope`. */
export default definePlugin({
  name: 'envelope',
  hooks: { rest_envelope_response: filter('envelope', 'response') } satisfies HookSpecs<EnvelopeHooks>,
  apply({ hooks }) {
    // After all taps that change the response.
    hooks.rest_post_dispatch.tapPromise({ name: 'envelope', stage: 1000 }, (response, server, request) => {
      if (request.query['_envelope'] === undefined) return response
      const { body, headers, status } = response
      if (body !== null && !hooks.rest_envelope_response.isUsed()) {
        const metadata = { status, headers: headers.size === 0 ? [] : Object.fromEntries(headers) }
        const text = `{"body":${body.text},${JSON.stringify(metadata).slice(1)}`
        const enveloped = new RestResponse()
        enveloped.body = new ItemBody(Json.fromText(text), null)
        return enveloped
      }
      const envelope = async () =>
        new RestResponse(await applyFilter(hooks.rest_envelope_response, envelopeOf(server, response), response))
      return envelope()
    })
  },
})
