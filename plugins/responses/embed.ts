import { definePlugin, RestRequest, type Link, type RestResponse, type RestServer } from '../../kernel/index.ts'
import { yieldToEventLoop } from '../library/long-work/index.ts'
import { ItemBody, Json, ListBody, responseToJson, fragmentsOf } from '../library/caching/index.ts'
import { namesOf } from '../resources/index.ts'

/** The links of each relation in order: the URL of an embeddable link, null for any other. */
type Embeddable = readonly (readonly [relation: string, hrefs: readonly (string | null)[]])[]

/**
 * Adds linked objects to a response as `_embedded` if the request has `_embed` (specification 4.5). Each object is
 * fetched with an internal request by the same user and with the same checks as an external one. An object that the
 * user cannot see is embedded as an error. Links of embedded objects are not followed.
 */
export default definePlugin({
  name: 'embed',
  needs: ['resources'],
  apply({ hooks, urls }) {
    // Runs before the handler: a refused request must not have written anything.
    hooks.rest_pre_dispatch.tap({ name: 'embed', stage: -1000 }, (result, _server, request) => {
      const [embedParam, inQuery] = [request.get('_embed'), request.query['_embed']]
      namesIn(embedParam)
      if (inQuery !== embedParam) namesIn(inQuery)
      return result
    })
    hooks.rest_post_dispatch.tapPromise({ name: 'embed', stage: 500 }, (response, server, request) => {
      const embedParam = request.query['_embed']
      if (embedParam === undefined || response.isError) return response
      const list = itemsOf(response)
      const items = list ?? [responseToJson(server, response)]
      const fetcher = new Fetcher(server, request, relationsOf(embedParam), (href) => urls.pathOf(href))
      return embedAll(items, fetcher).then((complete) => {
        const isText = complete.some((item) => item.isText)
        if (isText) response.body = list !== null ? new ListBody(complete) : new ItemBody(complete[0]!, null)
        else {
          response.data = list !== null ? complete.map(({ value }) => value) : complete[0]!.value
          response.links.clear()
        }
        return response
      })
    })
  },
})

/** Returns the items of a list; null for a single object. */
function itemsOf(response: RestResponse): readonly Json[] | null {
  const { body } = response
  if (body !== null) return body instanceof ListBody ? body.items : null
  const { data, hasLinks } = response
  return Array.isArray(data) && !hasLinks ? data.map((item) => Json.of(item)) : null
}

/** Returns the relations in `_embed`; null for all. */
function relationsOf(embedParam: unknown): ReadonlySet<string> | null {
  // `0` counts as empty (specification 4.5), so all relations are embedded.
  if (embedParam === 'true' || embedParam === '1' || embedParam === '0') return null
  const named = namesIn(embedParam)
  return named.length === 0 ? null : new Set(named)
}

/** @throws rest_invalid_param (400) for more names than a response has relations */
function namesIn(embedParam: unknown): string[] {
  return embedParam === undefined ? [] : namesOf('_embed', embedParam, /[\s,]+/)
}

/** Fetches linked objects, each URL once per response. */
class Fetcher {
  readonly relations: ReadonlySet<string> | null
  readonly #server: RestServer
  readonly #request: RestRequest
  readonly #pathOf: (href: string) => string | null
  readonly #fetched = new Map<string, Promise<Json>>()

  constructor(
    server: RestServer,
    request: RestRequest,
    relations: ReadonlySet<string> | null,
    pathOf: (href: string) => string | null,
  ) {
    this.#server = server
    this.#request = request
    this.relations = relations
    this.#pathOf = pathOf
  }

  /** Returns the object of a link to this site; undefined for any other link. */
  get(href: string): Promise<Json> | undefined {
    let object = this.#fetched.get(href)
    if (object === undefined) {
      const path = this.#pathOf(href)
      if (path === null) return undefined
      object = this.#dispatch(path)
      this.#fetched.set(href, object)
    }
    return object
  }

  async #dispatch(path: string): Promise<Json> {
    this.#request.work.throwIfAborted()
    const { responseBudget } = this.#server
    const fragments = fragmentsOf(this.#server)
    const request = RestRequest.fromPath(path, this.#request)
    return fragments.once(fragments.kindOf(request, 'embedded'), path, async () => {
      request.query['context'] ??= 'embed'
      // Embeds as many items of a list as its route allows per page.
      const maxPerPage = this.#server.find(request)?.endpoint.args['per_page']?.maximum
      if (maxPerPage !== undefined) request.query['per_page'] ??= String(maxPerPage)
      const response = await this.#server.dispatch(request)
      // Dependencies are recorded only for responses whose body is stored as text.
      const isCacheable = response.body !== null && response.status === 200 && !responseBudget.isLong(request.work)
      return { json: responseToJson(this.#server, response), isCacheable }
    })
  }
}

/**
 * Returns the items with their linked objects. All objects are requested concurrently, so that their reads are batched.
 */
async function embedAll(items: readonly Json[], fetcher: Fetcher): Promise<Json[]> {
  await yieldToEventLoop()
  const complete = await Promise.all(items.map((item) => embedInto(item, fetcher)))
  await yieldToEventLoop()
  return complete
}

async function embedInto(item: Json, fetcher: Fetcher): Promise<Json> {
  const relations = item.find('embeddable', embeddableIn).flatMap(([relation, hrefs]) => {
    if (fetcher.relations?.has(relation) === false) return []
    const objects = hrefs.map((href) => (href === null ? undefined : fetcher.get(href)))
    return objects.some((object) => object !== undefined) ? [{ relation, objects }] : []
  })
  if (relations.length === 0) return item
  const complete = await Promise.all(
    relations.map(async ({ relation, objects }) => {
      // A link without an object gets an empty list, so that links and objects have the same order.
      return [relation, await Promise.all(objects.map(async (object) => object ?? Json.of([])))] as const
    }),
  )
  // Relations without any object are omitted.
  const filled = complete.filter(([, objects]) => objects.some((object) => !isEmptyList(object)))
  if (filled.length === 0) return item
  if (!item.isText) {
    const values = filled.map(([relation, objects]) => [relation, objects.map(({ value }) => value)] as const)
    return Json.of({ ...(item.value as object), _embedded: Object.fromEntries(values) })
  }
  const texts = filled.map(
    ([relation, objects]) => `${JSON.stringify(relation)}:[${objects.map(({ text }) => text).join(',')}]`,
  )
  return item.with('_embedded', `{${texts.join(',')}}`)
}

/** Returns the embeddable links of an item by relation. */
function embeddableIn(item: unknown): Embeddable {
  const links = (item as Record<string, unknown> | null)?.['_links']
  if (typeof links !== 'object' || links === null) return []
  return Object.entries(links).flatMap(([relation, list]) => {
    if (!Array.isArray(list)) return []
    const hrefs = (list as Link[]).map(({ href, embeddable }) => (embeddable === true ? href : null))
    return hrefs.some((href) => href !== null) ? [[relation, hrefs] as const] : []
  })
}

const isEmptyList = (object: Json) => (object.isText ? object.text === '[]' : isEmpty(object.value))

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0
