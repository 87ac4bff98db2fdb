import { definePlugin, RestRequest, type Link, type RestResponse, type RestServer } from '../../kernel/index.ts'
import { yieldToEventLoop } from '../library/long-work/index.ts'
import { ItemBody, Json, ListBody, responseToJson, fragmentsOf } from '../library/caching/index.ts'
import { namesOf } from '../resources/index.ts'

/** The links of a relation, in their order: the URL of each that may be embedded, null for any other. */
type Embeddable = readonly (readonly [relation: string, hrefs: readonly (string | null)[]])[]

/**
 * Puts the objects that a response links to into the response, as `_embedded`, where `_embed` asks for it
 * (specification 4.5). Each is asked for inside the process, by the same user and with the same checks as from
 * outside; what they may not see is embedded as its error. Linked objects of embedded objects are not followed.
 */
export default definePlugin({
  name: 'embed',
  needs: ['resources'],
  apply({ hooks, urls }) {
    // Before anything is done: what is refused here must not have been written.
    hooks.rest_pre_dispatch.tap({ name: 'embed', stage: -1000 }, (result, _server, request) => {
      const [asked, inQuery] = [request.get('_embed'), request.query['_embed']]
      namesIn(asked)
      if (inQuery !== asked) namesIn(inQuery)
      return result
    })
    hooks.rest_post_dispatch.tapPromise({ name: 'embed', stage: 500 }, (response, server, request) => {
      const asked = request.query['_embed']
      if (asked === undefined || response.isError) return response
      const list = itemsOf(response)
      const items = list ?? [responseToJson(server, response)]
      const fetcher = new Fetcher(server, request, relationsOf(asked), (href) => urls.pathOf(href))
      return embedded(items, fetcher).then((complete) => {
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

/** The items of a list; null for a single object. */
function itemsOf(response: RestResponse): readonly Json[] | null {
  const { body } = response
  if (body !== null) return body instanceof ListBody ? body.items : null
  const { data, hasLinks } = response
  return Array.isArray(data) && !hasLinks ? data.map((item) => Json.of(item)) : null
}

/** The relations that `_embed` names; null for all. */
function relationsOf(asked: unknown): ReadonlySet<string> | null {
  // `0` counts as empty (specification 4.5): clients get everything for it.
  if (asked === 'true' || asked === '1' || asked === '0') return null
  const named = namesIn(asked)
  return named.length === 0 ? null : new Set(named)
}

/** @throws rest_invalid_param (400) for more names than a response has relations */
function namesIn(asked: unknown): string[] {
  return asked === undefined ? [] : namesOf('_embed', asked, /[\s,]+/)
}

/** Fetches what links point at, each URL once in one response. */
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

  /** The object behind an embeddable link of this site; undefined for any other link. */
  get(href: string): Promise<Json> | undefined {
    let found = this.#fetched.get(href)
    if (found === undefined) {
      const path = this.#pathOf(href)
      if (path === null) return undefined
      found = this.#ask(path)
      this.#fetched.set(href, found)
    }
    return found
  }

  async #ask(path: string): Promise<Json> {
    this.#request.work.throwIfAborted()
    const { responseBudget } = this.#server
    const fragments = fragmentsOf(this.#server)
    const request = RestRequest.fromPath(path, this.#request)
    return fragments.once(fragments.kindOf(request, 'embedded'), path, async () => {
      request.query['context'] ??= 'embed'
      // Of a list more than a first page: as much as its route gives at once.
      const most = this.#server.find(request)?.endpoint.args['per_page']?.maximum
      if (most !== undefined) request.query['per_page'] ??= String(most)
      const response = await this.#server.dispatch(request)
      // Who makes texts knows what they depend on.
      const isKept = response.body !== null && response.status === 200 && !responseBudget.isLong(request.work)
      return { json: responseToJson(this.#server, response), isKept }
    })
  }
}

/** The items with what they link to. Everything is asked for at once, so that the reads of all items are batched. */
async function embedded(items: readonly Json[], fetcher: Fetcher): Promise<Json[]> {
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
      // A link that embeds nothing leaves an empty place, so that links and objects keep their order.
      return [relation, await Promise.all(objects.map(async (object) => object ?? Json.of([])))] as const
    }),
  )
  // A relation behind which there is nothing at all is left out.
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

/** The links of an item that may be embedded, by relations that have any. */
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
