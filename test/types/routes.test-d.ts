// Type tests of routes, requests and responses. `npm run check:types` compiles this file; it is never run.
import { expectTypeOf } from 'expect-type'
import {
  defineErrors,
  ensureRequest,
  ensureResponse,
  RestError,
  RestRequest,
  RestResponse,
  type Arguments,
  type RestServer,
  type Urls,
} from '../../kernel/index.ts'
import { parseValue, validateValue } from '../../plugins/requests/arguments/index.ts'
import { envelopeOf, type Envelope } from '../../plugins/responses/envelope.ts'

declare const server: RestServer
declare const urls: Urls
declare const args: Arguments

server.registerRoute('a/v1', 'it', { permission_callback: () => true, callback: () => ({ a: 1 }), args })
server.registerRoute('a/v1', 'it', {
  0: { methods: 'GET', callback: async (request) => request.get('a') },
  1: {
    methods: ['POST'],
    permission_callback: async () => new RestError('no', 'No.', { status: 403 }),
    callback: () => null,
  },
  args,
  schema: () => ({}),
})
// @ts-expect-error an endpoint needs a callback
server.registerRoute('a/v1', 'it', { methods: 'GET' })
// @ts-expect-error a permission is a boolean or an error
server.registerRoute('a/v1', 'it', { permission_callback: () => 'yes', callback: () => null })
// @ts-expect-error an error needs a status
void new RestError('no', 'No.', {})

expectTypeOf<Parameters<RestServer['dispatch']>[0]>().toExtend<
  RestRequest | string | Readonly<Record<string, unknown>>
>()
expectTypeOf(server.dispatch('/a/v1/it')).resolves.toEqualTypeOf<RestResponse>()
expectTypeOf(envelopeOf(server, new RestResponse())).toEqualTypeOf<Envelope>()
expectTypeOf(RestRequest.fromUrl('http://a', urls)).toEqualTypeOf<RestRequest | null>()
expectTypeOf(ensureRequest(3)).toEqualTypeOf<RestRequest>()
expectTypeOf(ensureResponse(3)).toEqualTypeOf<RestResponse | RestError>()
expectTypeOf(validateValue(1, { type: 'integer' }, 'a')).toEqualTypeOf<true | RestError>()
expectTypeOf(parseValue(1, { type: 'integer' }, 'a')).toBeUnknown()

// Errors: a function for each code, with the arguments of its message.
const errors = defineErrors({
  plain: [404, 'Not here.'],
  with_arguments: [409, (name: string, count: number) => `${name} ${count}`],
})
expectTypeOf(errors.plain()).toEqualTypeOf<RestError>()
expectTypeOf(errors.with_arguments('a', 1, { data: { b: 2 } })).toEqualTypeOf<RestError>()
// @ts-expect-error the message also takes a number
void errors.with_arguments('a')
// @ts-expect-error an unknown error code
void errors.other
