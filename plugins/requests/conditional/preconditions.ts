import {
  defineErrors,
  HeaderMap,
  noParams,
  RestRequest,
  runWork,
  type Awaitable,
  type Params,
  type RestServer,
  type Served,
} from '../../../kernel/index.ts'
import { includesEtag } from './etag.ts'
import { parseHttpDate } from './http-date.ts'
import { WriteGuard } from './write-guard.ts'

const errors = defineErrors({
  rest_precondition_failed: [
    412,
    'Nothing was changed: what is at this URL is not as the If-… header of the request says. Read it again, then decide.',
  ],
})

/** Methods whose requests have conditions here; those that read have theirs where their response is made. */
const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** What a request asks for before it may write (RFC 9110, 13.1). */
interface Conditions {
  readonly match: string | null
  readonly noneMatch: string | null
  /** Milliseconds since 1970. */
  readonly unmodifiedSince: number | null
}

/** The conditions under which a request may write; null if it has none. */
function conditionsOf({ headers }: RestRequest): Conditions | null {
  const match = headers.get('If-Match')
  const noneMatch = headers.get('If-None-Match')
  // RFC 9110, 13.2.2: a date is ignored next to an entity tag.
  const unmodifiedSince = match === null ? parseHttpDate(headers.get('If-Unmodified-Since')) : null
  return match === null && noneMatch === null && unmodifiedSince === null ? null : { match, noneMatch, unmodifiedSince }
}

/**
 * Calls a handler if the conditions of its request hold: before it is called, and in the transaction that writes first.
 * @throws rest_precondition_failed; nothing has been written
 */
export function runIfConditionsHold(
  server: RestServer,
  request: RestRequest,
  act: () => Awaitable<unknown>,
): Awaitable<unknown> {
  const conditions = WRITES.has(request.method) ? conditionsOf(request) : null
  return conditions === null ? act() : runGuarded(new Precondition(server, request, conditions), request, act)
}

async function runGuarded(
  precondition: Precondition,
  request: RestRequest,
  act: () => Awaitable<unknown>,
): Promise<unknown> {
  // Before anything is done that no transaction takes back, and for handlers that store nothing.
  await precondition.check()
  const work = request.work.part()
  work.guard = new WriteGuard(request.work, () => precondition.check())
  return runWork(work, act)
}

/** Contexts in which an item is read. A tag may have been made in any of them. */
const CONTEXTS = ['view', 'edit', 'embed']
/** Headers that are about this request, and not about what is read. */
const CONDITIONAL = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since', 'If-Range', 'Range']

/** Compares the conditions of a request with what the same user would read at the same URL. */
class Precondition {
  readonly #server: RestServer
  readonly #request: RestRequest
  readonly #conditions: Conditions
  /** The context in which the tag was made, once it is known: the second look begins there. */
  #context: string | null = null

  constructor(server: RestServer, request: RestRequest, conditions: Conditions) {
    this.#server = server
    this.#request = request
    this.#conditions = conditions
  }

  /** @throws rest_precondition_failed */
  async check(): Promise<void> {
    const { scope, work } = this.#request
    const fresh = work.part()
    fresh.readsFresh = true
    // What the request has read until now may have changed, and what is read here may change before it goes on.
    scope.clear()
    try {
      if (!(await runWork(fresh, () => this.#holds()))) throw errors.rest_precondition_failed()
    } finally {
      scope.clear()
    }
  }

  async #holds(): Promise<boolean> {
    const { match, noneMatch, unmodifiedSince } = this.#conditions
    if (match !== null && !(await this.#isAnywhere((etag) => includesEtag(match, etag, 'strong')))) return false
    if (unmodifiedSince !== null) {
      const modified = await this.#modified()
      if (modified !== null && modified > unmodifiedSince) return false
    }
    return noneMatch === null || !(await this.#isAnywhere((etag) => includesEtag(noneMatch, etag, 'weak')))
  }

  /** Whether there is anything at the URL, in one of its contexts, whose tag is right. */
  async #isAnywhere(isRight: (etag: string) => boolean): Promise<boolean> {
    for (const context of this.#contexts()) {
      const read = await this.#read(context === null ? {} : { context })
      if (read === null || !isRight(read.response.headers.get('ETag') ?? '')) continue
      this.#context = context
      return true
    }
    return false
  }

  /** The contexts to read in; null for that of the URL. */
  #contexts(): (string | null)[] {
    const known = this.#server.find(this.#get({}))?.endpoint.args['context']?.enum as string[] | undefined
    if (known === undefined || this.#request.query['context'] !== undefined) return [null]
    const contexts = CONTEXTS.filter((context) => known.includes(context))
    return this.#context === null ? contexts : [this.#context, ...contexts.filter((one) => one !== this.#context)]
  }

  /** When what is at the URL was changed last, in milliseconds since 1970; null where that is not known. */
  async #modified(): Promise<number | null> {
    const read = await this.#read({ _fields: undefined, _embed: undefined, _envelope: undefined })
    if (read === null) return null
    const { data, headers } = read.response
    const { modified_gmt: modified } = (data ?? {}) as { modified_gmt?: unknown }
    return typeof modified === 'string' ? Date.parse(`${modified}Z`) : parseHttpDate(headers.get('Last-Modified'))
  }

  /**
   * What the user would read at the URL of the request; null where there is nothing for them.
   * @throws RestError why it could not be found out
   */
  async #read(query: Params): Promise<Served | null> {
    const served = await this.#server.represent(this.#get(query))
    const { status, error } = served.response
    if (error !== null && status >= 500) throw error
    return status === 200 ? served : null
  }

  #get(changed: Params): RestRequest {
    const { route, headers, url } = this.#request
    const query = Object.assign(noParams(), this.#request.query, changed)
    for (const name of ['_method', ...Object.keys(changed)]) if (changed[name] === undefined) delete query[name]
    const own = new HeaderMap(Object.fromEntries(headers) as Record<string, string>)
    for (const name of CONDITIONAL) own.delete(name)
    const parent = this.#request
    return new RestRequest('GET', route, { query, headers: own, url: url ?? undefined, parent })
  }
}
