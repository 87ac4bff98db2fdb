import {
  applyFilter,
  definePlugin,
  filter,
  RestResponse,
  type Envelope,
  type Filter,
  type HookSpecs,
} from '../../kernel/index.ts'
import { ItemBody, Json } from '../library/caching/index.ts'

/** The hooks of envelopes. */
interface EnvelopeHooks {
  /** Filter: a response in its envelope, about to become the body of another. @since 0.1.0 */
  rest_envelope_response: Filter<Envelope, [response: RestResponse]>
}

declare module '../../kernel/index.ts' {
  interface Hooks extends EnvelopeHooks {}
}

/** Puts status, headers and body of a response into the body of another where `_envelope` asks for it. */
export default definePlugin({
  name: 'envelope',
  hooks: { rest_envelope_response: filter('envelope', 'response') } satisfies HookSpecs<EnvelopeHooks>,
  apply({ hooks }) {
    // After the taps that still change the response itself.
    hooks.rest_post_dispatch.tapPromise({ name: 'envelope', stage: 1000 }, (response, server, request) => {
      if (request.query['_envelope'] === undefined) return response
      const { body, headers, status } = response
      if (body !== null && !hooks.rest_envelope_response.isUsed()) {
        const beside = { status, headers: headers.size === 0 ? [] : Object.fromEntries(headers) }
        const text = `{"body":${body.text},${JSON.stringify(beside).slice(1)}`
        const enveloped = new RestResponse()
        enveloped.body = new ItemBody(Json.fromText(text), null)
        return enveloped
      }
      const envelope = async () =>
        new RestResponse(await applyFilter(hooks.rest_envelope_response, server.envelope(response), response))
      return envelope()
    })
  },
})
