import {
  defineErrors,
  OwnedMap,
  type Arguments,
  type Awaitable,
  type Endpoint,
  type RestError,
  type RestRequest,
  type Route,
} from '../../kernel/index.ts'

const errors = defineErrors({
  REFERENCE_SOURCE_MISSING: (argument: string, source: string) =>
    `The argument ${argument} references "${source}", but no plugin registers this source. Register it with services.resources.registerReference.`,
})

/**
 * Looks up a value that names another object: an ID or a name.
 * @param value the value of the argument, or one item of a list; never 0 or ''
 * @param request the request, whose user is permitted to send it
 * @param argument name of the argument
 * @returns the error for a value that names no object, or null
 */
export type ReferenceCheck = (
  value: string | number,
  request: RestRequest,
  argument: string,
) => Awaitable<RestError | null>

/** Refuses requests whose arguments name unknown objects, before their handlers run and after the permission checks. */
export class References {
  readonly #sources = new OwnedMap<ReferenceCheck>('reference source')

  /** Registers the source of a kind of objects, which arguments name in `references`. */
  registerReference(name: string, check: ReferenceCheck): void {
    this.#sources.set(name, check)
  }

  /** Returns the routes; handlers of endpoints with references look them up first. @internal */
  guard(routes: Map<string, Route>): Map<string, Route> {
    return new Map(
      [...routes].map(([pattern, route]) => {
        if (route.endpoints.every(({ args }) => referencesOf(args).length === 0)) return [pattern, route] as const
        return [pattern, { ...route, endpoints: route.endpoints.map((one) => this.#guarded(one)) }] as const
      }),
    )
  }

  #guarded(endpoint: Endpoint): Endpoint {
    const declared = referencesOf(endpoint.args)
    if (declared.length === 0) return endpoint
    const callback = async (request: RestRequest) =>
      (await this.#refuse(declared, request)) ?? endpoint.callback(request)
    return { ...endpoint, callback }
  }

  async #refuse(declared: readonly Reference[], request: RestRequest): Promise<RestError | null> {
    for (const [argument, source] of declared) {
      const check = this.#sources.get(source)
      if (check === undefined) throw errors.REFERENCE_SOURCE_MISSING(argument, source)
      for (const value of [request.get(argument)].flat()) {
        if ((typeof value !== 'number' && typeof value !== 'string') || value === 0 || value === '') continue
        const refused = await check(value, request, argument)
        if (refused !== null) return refused
      }
    }
    return null
  }
}

type Reference = readonly [argument: string, source: string]

function referencesOf(args: Arguments): Reference[] {
  return Object.entries(args).flatMap(([name, { references }]) =>
    references === undefined ? [] : [[name, references]],
  )
}
