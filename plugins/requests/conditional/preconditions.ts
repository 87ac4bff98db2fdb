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
    'Nothing was changed: the resource does not match the precondition of the request (an If-* header). Read it again and retry.',
  ],
})

/** Methods whose preconditions are checked here. Preconditions of reads are evaluated when the response is created. */
const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Preconditions of a write (RFC 9110, 13.1). */
interface Conditions {
  readonly match: string | null
  readonly noneMatch: string | null
  /** Milliseconds since 1970. */
  readonly unmodifiedSince: number | null
}

/** Returns the preconditions of a request; null if it has none. */
function conditionsOf({ headers }: RestRequest): Conditions | null {
  const match = headers.get('If-Match')
  const noneMatch = headers.get('If-None-Match')
  // RFC 9110, 13.2.2: with an entity tag, the date is ignored.
  const unmodifiedSince = match === null ? parseHttpDate(headers.get('If-Unmodified-Since')) : null
  return match === null && noneMatch === null && unmodifiedSince === null ? null : { match, noneMatch, unmodifiedSince }
}

/**
 * Calls a handler if the preconditions of its request hold. They are checked before the call and again in the
 * transaction that writes first.
 * @throws rest_precondition_failed, in which case nothing has been written
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
  // Checked before side effects that a transaction cannot roll back, and for handlers that store nothing.
  await precondition.check()
  const work = request.work.part()
  work.guard = new WriteGuard(request.work, () => precondition.check())
  return runWork(work, act)
}

/** Contexts in which an item is read. The client's tag can be from any of them. */
const CONTEXTS = ['view', 'edit', 'embed']
/** Headers that must not be copied to the internal read. */
const CONDITIONAL = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since', 'If-Range', 'Range']

/** Compares the preconditions of a request with the response that the same user would get at the same URL. */
class Precondition {
  readonly #server: RestServer
  readonly #request: RestRequest
  readonly #conditions: Conditions
  /** Context of the client's tag, once found: the second check tries it first. */
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
    // Cached values of the request can be outdated, and values read here can change before the handler runs.
    scope.clear()
    try {
      if (!(await runWork(fresh, () => this.#holds()))) throw errors.rest_precondition_failed()
    } finally {
      scope.clear()
    }
  }

  async #holds(): Promise<boolean> {
    const { match, noneMatch, unmodifiedSince } = this.#conditions
    if (match !== null && !(await this.#hasMatch((etag) => includesEtag(match, etag, 'strong')))) return false
    if (unmodifiedSince !== null) {
      const modified = await this.#modified()
      if (modified !== null && modified > unmodifiedSince) return false
    }
    return noneMatch === null || !(await this.#hasMatch((etag) => includesEtag(noneMatch, etag, 'weak')))
  }

  /** Returns whether the representation at the URL has a matching tag in one of its contexts. */
  async #hasMatch(matches: (etag: string) => boolean): Promise<boolean> {
    for (const context of this.#contexts()) {
      const read = await this.#read(context === null ? {} : { context })
      if (read === null || !matches(read.response.headers.get('ETag') ?? '')) continue
      this.#context = context
      return true
    }
    return false
  }

  /** Returns the contexts to read in; null stands for the one in the URL. */
  #contexts(): (string | null)[] {
    const declared = this.#server.find(this.#buildRead({}))?.endpoint.args['context']?.enum as string[] | undefined
    if (declared === undefined || this.#request.query['context'] !== undefined) return [null]
    const contexts = CONTEXTS.filter((context) => declared.includes(context))
    return this.#context === null ? contexts : [this.#context, ...contexts.filter((one) => one !== this.#context)]
  }

  /** Returns when the resource was last modified, in milliseconds since 1970; null if unknown. */
  async #modified(): Promise<number | null> {
    const read = await this.#read({ _fields: undefined, _embed: undefined, _envelope: undefined })
    if (read === null) return null
    const { data, headers } = read.response
    const { modified_gmt: modified } = (data ?? {}) as { modified_gmt?: unknown }
    return typeof modified === 'string' ? Date.parse(`${modified}Z`) : parseHttpDate(headers.get('Last-Modified'))
  }

  /**
   * Reads the resource at the URL as the user of the request; returns null if it does not exist for this user.
   * @throws RestError if the read fails
   */
  async #read(query: Params): Promise<Served | null> {
    const served = await this.#server.represent(this.#buildRead(query))
    const { status, error } = served.response
    if (error !== null && status >= 500) throw error
    return status === 200 ? served : null
  }

  #buildRead(changed: Params): RestRequest {
    const { route, headers, url } = this.#request
    const query = Object.assign(noParams(), this.#request.query, changed)
    for (const name of ['_method', ...Object.keys(changed)]) if (changed[name] === undefined) delete query[name]
    const own = new HeaderMap(Object.fromEntries(headers) as Record<string, string>)
    for (const name of CONDITIONAL) own.delete(name)
    const parent = this.#request
    return new RestRequest('GET', route, { query, headers: own, url: url ?? undefined, parent })
  }
}
