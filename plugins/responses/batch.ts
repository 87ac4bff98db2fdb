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
import { mapInSlices, yieldToEventLoop } from '../library/long-work/index.ts'
import { parseValue } from '../requests/arguments/index.ts'
import { envelopeOf, type Envelope } from './envelope.ts'

export interface BatchOptions {
  /** Requests that one batch may hold. */
  max_items: number
  /** Bytes that the body of one batch may have; the limit on every body holds as well. */
  max_bytes: number
  /** Whether a batch may ask, with `transaction`, that all of its writes happen or none. */
  transactions: boolean
}

/** The hook of batches. */
interface BatchHooks {
  /** Filter: requests that one batch may hold, `max_items` of the config at first; asked for when routes are made. @since 0.1.0 */
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
  parse_path_failed: [400, 'The path of this request cannot be read: give one that starts with one slash.'],
  rest_batch_not_allowed: [400, 'This route does not take part in batches: ask for it by itself.'],
  rest_batch_too_large: [
    413,
    (limit: number) => `The batch is larger than the ${limit} bytes allowed here: send several.`,
  ],
  rest_batch_rolled_back: [
    409,
    'Another request of the batch failed, and with it nothing was kept: see its response, then send the batch again.',
  ],
})

/** One request of a batch, as a client writes it. */
interface BatchItem {
  method?: string
  path: string
  body?: Params
  headers?: Record<string, string | string[]>
}

/** A request of a batch, or why its path is that of none; either way it keeps its place. */
interface Item {
  readonly request: RestRequest
  readonly refused: RestError | null
}

/**
 * Handles many requests in one (`/batch/v1`). The response at an index is always that to the request at this index. Each
 * is made by the user who sends the batch: nothing inside it can change who that is.
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
      const together = transactions && batch.get('transaction') === true && has('store')
      // What stands or falls together is one piece of work.
      const workOf = () => (together ? batch.work : batch.work.part())
      const items = await mapInSlices(
        batch.get('requests') as BatchItem[],
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
      const responses = together
        ? await runTogether(server, items, (work) => services.store.inTurn(work))
        : await runInOrder(server, items)
      return new RestResponse({ responses }, 207)
    }
    // The one route beside the index that is of no namespace.
    hooks.rest_endpoints.tap('batch', (routes, server) => {
      const most = applySyncFilter(hooks.rest_get_max_batch_size, maxItems)
      const route = makeRoute('', '/batch/v1', {
        methods: 'POST',
        permission_callback: () => true,
        args: batchArguments({ maxItems: most, maxHeaders: config.limits.headers, transactions }),
        callback: (request) => runBatch(server, request),
      })
      return new Map([...routes, [route.pattern, { ...route, owner: 'batch' }]])
    })
  },
})

/** Headers that one request of a batch may have. */
const MOST_HEADERS = 100
/** Bytes that a header has beside its name and its value. */
const HEADER_ENDS = 4

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
        // As on the wire, where a request has as many of its own.
        size_limits: { entries: MOST_HEADERS, text: maxHeaders },
      },
    },
  }
  /** What was made of a list when it was checked. */
  const checked = new WeakMap<RestRequest, unknown[]>()
  const args: Arguments = {
    // `require-all-validate`: nothing is done unless the arguments of all requests are valid.
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
      // As the schema has it, one by one: others get their turn between them.
      validate_callback: async (value, request, name) => {
        const list = parseValue(value, { type: 'array', maxItems, items: {} }, name) as unknown[]
        const make = (one: unknown, index: number) => {
          const made = parseValue(one, item, `${name}[${index}]`) as BatchItem
          checkHeaders(made, maxHeaders, `${name}[${index}][headers]`)
          return made
        }
        checked.set(request, await mapInSlices(list, make, 1))
        return true
      },
      sanitize_callback: (value, request) => checked.get(request) ?? value,
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

/** @throws rest_invalid_param where the headers of a request are longer than those of a request may be */
function checkHeaders({ headers = {} }: BatchItem, most: number, name: string): void {
  let length = 0
  for (const header of Object.keys(headers)) {
    for (const value of [headers[header]!].flat())
      length += Buffer.byteLength(header) + Buffer.byteLength(value) + HEADER_ENDS
  }
  if (length <= most) return
  throw kernelErrors.rest_invalid_param(`${name} must have at most ${most} bytes.`, { data: { param: name } })
}

/** Where a whole URL leads to: a batch stays on its site, whatever it names. */
const ORIGIN = /^(?:https?:)?\/\/[\w.-]+(?::\d+)?(?=\/)/i

/** Reads what a client wrote; the user who asks and what is known of them are those of the batch. */
function readItem({ method = 'POST', path: given, body, headers }: BatchItem, parent: RestRequest, work: Work): Item {
  const path = given.replace(ORIGIN, '')
  const [bare = ''] = path.split('#', 1)
  const [encoded = '', query = ''] = bare.split(/\?(.*)/s)
  const route = decodePath(encoded)
  const params = parseQuery(query)
  // Each response is in an envelope already.
  delete params['_envelope']
  const request = new RestRequest(method, route ?? '/', {
    query: params,
    form: Object.assign(noParams(), body),
    headers: new HeaderMap(headers),
    parent,
    work,
  })
  return { request, refused: route === null ? errors.parse_path_failed() : refusalOf(path) }
}

/** Why no route can match a path, whatever routes there are; null when one can. */
function refusalOf(path: string): RestError | null {
  const readable = !/^(?:\/\/|[a-z][a-z\d+.-]*:)/i.test(path) && URL.canParse(path, 'http://batch')
  if (!readable) return errors.parse_path_failed()
  return path.startsWith('/') ? null : kernelErrors.rest_no_route()
}

/** Why an item is refused before anything is done: unreadable, unknown, not for batches, bad arguments. */
async function problemOf(server: RestServer, { request, refused }: Item): Promise<RestError | null> {
  if (refused !== null) return refused
  let bad: RestError | null
  try {
    bad = await server.check(request)
  } catch (cause) {
    bad = cause instanceof RestError ? cause : kernelErrors.rest_internal_error({ cause })
  }
  if (request.endpoint !== null && request.endpoint.allow_batch?.v1 !== true) return errors.rest_batch_not_allowed()
  return bad
}

/** What is wrong with each item. What they read for it, they read together, unless it takes long to begin with all of them. */
async function problemsOf(server: RestServer, items: readonly Item[]): Promise<(RestError | null)[]> {
  const found: Promise<RestError | null>[] = []
  for (const item of items) {
    found.push(problemOf(server, item))
    const turn = yieldToEventLoop()
    if (turn !== undefined) await turn
  }
  return Promise.all(found)
}

/** The response to an item, once others have had their turn. Its arguments are checked again on their way to the handler: much may have changed since. */
async function responseTo(server: RestServer, item: Item): Promise<Envelope> {
  const { request } = item
  const turn = yieldToEventLoop()
  if (turn !== undefined) await turn
  const response = await server.respond(request, await problemOf(server, item))
  // What was read for this request may have been changed by it.
  request.scope.clear()
  return envelopeOf(server, response)
}

/**
 * The response to an item, or that its time was over before it had changed anything: the batch then tells what became of
 * those before it.
 */
async function inTime(server: RestServer, { work }: RestRequest, act: () => Promise<Envelope>): Promise<Envelope> {
  try {
    work.throwIfAborted()
    return await unlessAborted(act(), work.signal)
  } catch (error) {
    if (!(error instanceof RestError)) throw error
    return envelopeOf(server, RestResponse.fromError(error))
  }
}

/** One after the other: a later request may rely on what an earlier one wrote. */
async function runInOrder(server: RestServer, items: readonly Item[]): Promise<Envelope[]> {
  const responses: Envelope[] = []
  for (const item of items) {
    const { work } = item.request
    responses.push(await inTime(server, item.request, () => runWork(work, () => responseTo(server, item))))
  }
  return responses
}

/** All or nothing: the first failure takes back what was written before it. */
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
    // A failed statement spoils the transaction, whatever the handler made of it.
    if (responses.length === 0 || responses.at(-1)!.status < 400) throw error
    items[0]?.request.scope.clear()
    const failed = responses.length - 1
    const taken = envelopeOf(server, RestResponse.fromError(errors.rest_batch_rolled_back()))
    return items.map((_, index) => (index === failed ? responses[failed]! : taken))
  }
}
