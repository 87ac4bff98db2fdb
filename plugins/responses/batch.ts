import {
  applySyncFilter,
  decodePath,
  defineErrors,
  definePlugin,
  errors as kernelErrors,
  unlessAborted,
  HeaderMap,
  makeRoute,
  noParams,
  parseQuery,
  RestError,
  RestRequest,
  RestResponse,
  runWork,
  syncFilter,
  type ArgumentSchema,
  type Arguments,
  type HookSpecs,
  type Params,
  type RestServer,
  type SyncFilter,
  type Work,
} from '../../kernel/index.ts'
import { isUtf8Encoded } from '../library/encoding/index.ts'
import { mapInSlices, yieldToEventLoop } from '../library/long-work/index.ts'
import { parseValue } from '../requests/arguments/index.ts'
import { envelopeOf, type Envelope } from './envelope.ts'

export interface BatchOptions {
  /** Requests that one batch may hold. */
  max_items: number
  /** Bytes of the body of a batch. The general body limit applies as well. */
  max_bytes: number
  /** Whether the parameter `transaction` can request that all changes are rolled back if one request fails. */
  transactions: boolean
}

/** Hooks of batches. */
interface BatchHooks {
  /**
   * Filter: the maximum number of requests per batch, initially the option `max_items`. Runs when routes are created.
   * @since 0.2.0
   */
  rest_get_max_batch_size: SyncFilter<number>
}

declare module '../../kernel/index.ts' {
  interface Hooks extends BatchHooks {}
}

const batchHooks: HookSpecs<BatchHooks> = {
  rest_get_max_batch_size: {
    ...syncFilter('size'),
    lasting: true,
    accepts: (size) => Number.isSafeInteger(size) && Number(size) > 0,
  },
}

const errors = defineErrors({
  parse_path_failed: [400, 'Could not parse the path of this request. Start the path with a single slash.'],
  rest_batch_not_allowed: [400, 'This route does not support batch requests. Send the request separately.'],
  rest_batch_too_large: [
    413,
    (limit: number) => `The batch is larger than the allowed ${limit} bytes. Split it into several batches.`,
  ],
  rest_batch_rolled_back: [
    409,
    'Another request of the batch failed, so all changes were rolled back. Check its response and send the batch again.',
  ],
})

/** One request of a batch, as sent by the client. */
interface BatchRequest {
  method?: string
  path: string
  body?: Params
  headers?: Record<string, string | string[]>
}

/** A request of a batch, with an error if its path is invalid. It keeps its position in either case. */
interface Item {
  readonly request: RestRequest
  readonly refused: RestError | null
}

/**
 * Handles several requests in one (`/batch/v1`). Each response has the index of its request. All requests run as the
 * user who sends the batch; their headers cannot change the user.
 */
export default definePlugin<BatchOptions>({
  name: 'batch',
  after: ['store'],
  hooks: batchHooks,
  options: {
    max_items: { default: 25, type: 'integer', minimum: 1, maximum: 1000 },
    max_bytes: { default: 8_388_608, type: 'integer', minimum: 1024 },
    transactions: { default: false, type: 'boolean' },
  },
  apply({ config, hooks, services, has }, { max_items: maxItems, max_bytes: maxBytes, transactions }) {
    const runBatch = async (server: RestServer, batch: RestRequest) => {
      if (batch.raw !== null && batch.raw.size > maxBytes) throw errors.rest_batch_too_large(maxBytes)
      const isTransaction = transactions && batch.get('transaction') === true && has('store')
      // Requests in one transaction share the work of the batch.
      const workOf = () => (isTransaction ? batch.work : batch.work.part())
      const items = await mapInSlices(
        batch.get('requests') as BatchRequest[],
        (item) => readItem(item, batch, workOf()),
        1,
      )
      if (batch.get('validation') === 'require-all-validate') {
        const found = await problemsOf(server, items)
        if (found.some((problem) => problem !== null)) {
          const responses = found.map((problem) => problem && envelopeOf(server, RestResponse.fromError(problem)))
          return new RestResponse({ failed: 'validation', responses }, 207)
        }
      }
      const responses = isTransaction
        ? await runTogether(server, items, (work) => services.store.inTurn(work))
        : await runInOrder(server, items)
      return new RestResponse({ responses }, 207)
    }
    // Apart from the index, the only route without a namespace.
    hooks.rest_endpoints.tap('batch', (routes, server) => {
      const maxRequests = applySyncFilter(hooks.rest_get_max_batch_size, maxItems)
      const route = makeRoute('', '/batch/v1', {
        methods: 'POST',
        permission_callback: () => true,
        args: batchArguments({ maxItems: maxRequests, maxHeaders: config.limits.headers, transactions }),
        callback: (request) => runBatch(server, request),
      })
      return new Map([...routes, [route.pattern, { ...route, owner: 'batch' }]])
    })
  },
})

/** Headers of one request in a batch. */
const MAX_HEADERS = 100
/** Bytes per header in addition to its name and value. */
const HEADER_OVERHEAD_BYTES = 4

interface ArgumentLimits {
  maxItems: number
  /** Bytes of all headers of one request. */
  maxHeaders: number
  transactions: boolean
}

function batchArguments({ maxItems, maxHeaders, transactions }: ArgumentLimits): Arguments {
  const item: ArgumentSchema = {
    type: 'object',
    properties: {
      method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'], default: 'POST' },
      path: { type: 'string', required: true },
      body: { type: 'object', properties: {}, additionalProperties: true },
      headers: {
        type: 'object',
        properties: {},
        additionalProperties: { type: ['string', 'array'], items: { type: 'string' } },
        // The same limits as for an HTTP request.
        size_limits: { entries: MAX_HEADERS, text: maxHeaders },
      },
    },
  }
  /** Lists that the validation has already parsed. */
  const parsedLists = new WeakMap<RestRequest, unknown[]>()
  const args: Arguments = {
    // `require-all-validate`: no request runs unless all of them are valid.
    validation: {
      type: 'string',
      enum: ['require-all-validate', 'normal'],
      default: 'normal',
    },
    requests: {
      required: true,
      type: 'array',
      maxItems,
      items: item,
      // Validates as the schema does, but item by item, and yields to other requests in between.
      validate_callback: async (value, request, name) => {
        const list = parseValue(value, { type: 'array', maxItems, items: {} }, name) as unknown[]
        const make = (one: unknown, index: number) => {
          const request = parseValue(one, item, `${name}[${index}]`) as BatchRequest
          checkHeaders(request, maxHeaders, `${name}[${index}][headers]`)
          return request
        }
        parsedLists.set(request, await mapInSlices(list, make, 1))
        return true
      },
      sanitize_callback: (value, request) => parsedLists.get(request) ?? value,
    },
  }
  if (transactions) {
    args['transaction'] = {
      description: 'Whether all changes are rolled back when one of the requests fails.',
      type: 'boolean',
      default: false,
    }
  }
  return args
}

/** @throws rest_invalid_param if the headers of a request exceed the limit of an HTTP request */
function checkHeaders({ headers = {} }: BatchRequest, maxBytes: number, name: string): void {
  let length = 0
  for (const header of Object.keys(headers)) {
    for (const value of [headers[header]!].flat())
      length += Buffer.byteLength(header) + Buffer.byteLength(value) + HEADER_OVERHEAD_BYTES
  }
  if (length <= maxBytes) return
  throw kernelErrors.rest_invalid_param(`${name} must have at most ${maxBytes} bytes.`, { data: { param: name } })
}

/** Origin of an absolute URL. It is ignored: the requests of a batch are always for this site. */
const ORIGIN = /^(?:https?:)?\/\/[\w.-]+(?::\d+)?(?=\/)/i

/** Creates a request from an item. It inherits the user of the batch. */
function readItem(
  { method = 'POST', path: rawPath, body, headers }: BatchRequest,
  parent: RestRequest,
  work: Work,
): Item {
  const path = rawPath.replace(ORIGIN, '')
  const [withoutHash = ''] = path.split('#', 1)
  const [encoded = '', query = ''] = withoutHash.split(/\?(.*)/s)
  const route = decodePath(encoded)
  const params = parseQuery(query)
  // Batch responses already are in envelopes.
  delete params['_envelope']
  const request = new RestRequest(method, route ?? '/', {
    query: params,
    form: Object.assign(noParams(), body),
    headers: new HeaderMap(headers),
    parent,
    work,
  })
  return { request, refused: route === null || !isUtf8Encoded(query) ? errors.parse_path_failed() : refusalOf(path) }
}

/** Returns why a path cannot match any route, or null. */
function refusalOf(path: string): RestError | null {
  const readable = !/^(?:\/\/|[a-z][a-z\d+.-]*:)/i.test(path) && URL.canParse(path, 'http://batch')
  if (!readable) return errors.parse_path_failed()
  return path.startsWith('/') ? null : kernelErrors.rest_no_route()
}

/**
 * Returns why an item cannot run, or null: invalid path, unknown route, route without batch support, invalid arguments.
 */
async function problemOf(server: RestServer, { request, refused }: Item): Promise<RestError | null> {
  if (refused !== null) return refused
  let error: RestError | null
  try {
    error = await server.check(request)
  } catch (cause) {
    error = cause instanceof RestError ? cause : kernelErrors.rest_internal_error({ cause })
  }
  if (request.endpoint !== null && request.endpoint.allow_batch?.v1 !== true) return errors.rest_batch_not_allowed()
  return error
}

/** Checks all items concurrently, so that their reads are batched, and yields to other requests if that takes long. */
async function problemsOf(server: RestServer, items: readonly Item[]): Promise<(RestError | null)[]> {
  const found: Promise<RestError | null>[] = []
  for (const item of items) {
    found.push(problemOf(server, item))
    const turn = yieldToEventLoop()
    if (turn !== undefined) await turn
  }
  return Promise.all(found)
}

/**
 * Runs an item after yielding to other requests. Its arguments are checked again, because earlier items can have
 * changed the data.
 */
async function responseTo(server: RestServer, item: Item): Promise<Envelope> {
  const { request } = item
  const turn = yieldToEventLoop()
  if (turn !== undefined) await turn
  const response = await server.respond(request, await problemOf(server, item))
  // The request can have changed the cached values.
  request.scope.clear()
  return envelopeOf(server, response)
}

/**
 * Returns the response to an item, or an error response if the time ran out before the item changed anything. The batch
 * can then still report the results of earlier items.
 */
async function untilAborted(
  server: RestServer,
  { work }: RestRequest,
  act: () => Promise<Envelope>,
): Promise<Envelope> {
  try {
    work.throwIfAborted()
    return await unlessAborted(act(), work.signal)
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    return envelopeOf(server, RestResponse.fromError(error))
  }
}

/** Runs the items in sequence, because a request can depend on changes of an earlier one. */
async function runInOrder(server: RestServer, items: readonly Item[]): Promise<Envelope[]> {
  const responses: Envelope[] = []
  for (const item of items) {
    const { work } = item.request
    responses.push(await untilAborted(server, item.request, () => runWork(work, () => responseTo(server, item))))
  }
  return responses
}

/** Runs the items in one transaction; the first failure rolls back all changes. */
async function runTogether(
  server: RestServer,
  items: readonly Item[],
  transaction: (work: () => Promise<Envelope[]>) => Promise<Envelope[]>,
): Promise<Envelope[]> {
  const responses: Envelope[] = []
  try {
    return await transaction(async () => {
      for (const item of items) {
        responses.push(await responseTo(server, item))
        if (responses.at(-1)!.status >= 400) throw new Error('A request of the batch failed.')
      }
      return responses
    })
  } catch (error) {
    // A failed statement invalidates the transaction even if the handler caught the error.
    if (responses.length === 0 || responses.at(-1)!.status < 400) throw error
    items[0]?.request.scope.clear()
    const failed = responses.length - 1
    const rolledBack = envelopeOf(server, RestResponse.fromError(errors.rest_batch_rolled_back()))
    return items.map((_, index) => (index === failed ? responses[failed]! : rolledBack))
  }
}
