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
import type { Reference } from '../library/schemas/index.ts'

const errors = defineErrors({
  REFERENCE_SOURCE_MISSING: (argument: string, source: string) =>
    `The argument ${argument} references "${source}", but no plugin registers this source. Register it with services.resources.registerReference.`,
})

/**
 * Looks up a value that names another object: an ID or a name.
 * @param value the value of the argument, which is never 0 or '', or one item of a list
 * @param request the request, whose user is permitted to send it
 * @param argument name of the argument
 * @param of the subtype that the argument declares; '' if it declares none
 * @returns the error for a value that names no object, or null
 */
export type ReferenceCheck = (
  value: string | number,
  request: RestRequest,
  argument: string,
  of: string,
) => Awaitable<RestError | null>

/** Returns a value as an ID; 0, which no object has, if the value cannot be an ID. */
export function referencedId(value: unknown): number {
  const id = Number(value)
  return Number.isSafeInteger(id) && id > 0 ? id : 0
}

/** Refuses requests whose arguments name unknown objects, before their handlers run and after the permission checks. */
export class References {
  readonly #sources = new OwnedMap<ReferenceCheck>('reference source')

  /** Registers the source of a kind of objects, which arguments name in `references`. */
  registerReference(name: string, check: ReferenceCheck): void {
    this.#sources.set(name, check)
  }

  /**
   * Returns the error of the first argument of a request that names an unknown object, or null. The server calls it before
   * each handler; a handler calls it in its transaction if a deleted object would leave an invalid reference.
   */
  async refuse(request: RestRequest): Promise<RestError | null> {
    for (const [argument, reference] of referencesOf(request.endpoint?.args ?? {})) {
      // Also without a value, so that the plugin finds the mistake with its first request.
      this.#sourceOf(reference, argument)
      const sent = request.get(argument)
      if (sent === 0 || sent === '') continue
      for (const value of [sent].flat()) {
        if (typeof value !== 'number' && typeof value !== 'string') continue
        const refused = await this.check(reference, value, request, argument)
        if (refused !== null) return refused
      }
    }
    return null
  }

  /** Returns the error if a value of an argument names no object of a reference, or null. */
  async check(
    reference: Reference,
    value: string | number,
    request: RestRequest,
    argument: string,
  ): Promise<RestError | null> {
    const { of = '', error, unknown } = reference
    const look = this.#sourceOf(reference, argument)
    if (unknown !== undefined) return null
    const refused = await look(value, request, argument, of)
    return refused === null ? null : (error?.(value) ?? refused)
  }

  #sourceOf({ source }: Reference, argument: string): ReferenceCheck {
    const look = this.#sources.get(source)
    if (look === undefined) throw errors.REFERENCE_SOURCE_MISSING(argument, source)
    return look
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
    if (referencesOf(endpoint.args).length === 0) return endpoint
    const callback = async (request: RestRequest) => (await this.refuse(request)) ?? endpoint.callback(request)
    return { ...endpoint, callback }
  }
}

function referencesOf(args: Arguments): [argument: string, reference: Reference][] {
  return Object.entries(args).flatMap(([name, { references }]) =>
    references === undefined ? [] : [[name, typeof references === 'string' ? { source: references } : references]],
  )
}
