import { definePlugin, yieldToEventLoop, namesOf, RestRequest, type Link, type RestServer } from '../../kernel/index.ts'

type Item = Record<string, unknown>

/**
 * Puts the objects that a response links to into the response, as `_embedded`, where `_embed` asks for it
 * (specification 4.5). Each is asked for inside the process, by the same user and with the same checks as from
 * outside; what they may not see is embedded as its error. Linked objects of embedded objects are not followed.
 */
export default definePlugin({
  name: 'embed',
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
      const { data, isError } = response
      if (asked === undefined || isError || typeof data !== 'object' || data === null) {
        return response
      }
      const isList = Array.isArray(data) && !response.hasLinks
      const items = (isList ? data : [server.responseToData(response)]) as Item[]
      const fetcher = new Fetcher(server, request, relationsOf(asked), (href) => urls.pathOf(href))
      return embedded(items, fetcher).then((complete) => {
        response.data = isList ? complete : complete[0]
        response.links.clear()
        return response
      })
    })
  },
})

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
  readonly #fetched = new Map<string, Promise<unknown>>()

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
  fetch({ href, embeddable }: Link): Promise<unknown> | undefined {
    if (embeddable !== true) return undefined
    let found = this.#fetched.get(href)
    if (found === undefined) {
      const path = this.#pathOf(href)
      if (path === null) return undefined
      found = this.#ask(path)
      this.#fetched.set(href, found)
    }
    return found
  }

  async #ask(path: string): Promise<unknown> {
    this.#request.work.throwIfAborted()
    const request = RestRequest.fromPath(path, this.#request)
    request.query['context'] ??= 'embed'
    // Of a list more than a first page: as much as its route gives at once.
    const most = this.#server.find(request)?.endpoint.args['per_page']?.maximum
    if (most !== undefined) request.query['per_page'] ??= String(most)
    return this.#server.responseToData(await this.#server.dispatch(request))
  }
}

/** The items with what they link to. Everything is asked for at once, so that the reads of all items are batched. */
async function embedded(items: readonly Item[], fetcher: Fetcher): Promise<Item[]> {
  await yieldToEventLoop()
  const complete = await Promise.all(items.map((item) => embedInto(item, fetcher)))
  await yieldToEventLoop()
  return complete
}

async function embedInto(item: Item, fetcher: Fetcher): Promise<Item> {
  const links = item?.['_links']
  if (typeof links !== 'object' || links === null) return item
  const relations = Object.entries(links).flatMap(([relation, list]) => {
    if (!Array.isArray(list) || fetcher.relations?.has(relation) === false) return []
    const objects = (list as Link[]).map((link) => fetcher.fetch(link))
    return objects.some((object) => object !== undefined) ? [{ relation, objects }] : []
  })
  if (relations.length === 0) return item
  const complete = await Promise.all(
    relations.map(async ({ relation, objects }) => {
      // A link that embeds nothing leaves an empty place, so that links and objects keep their order.
      return [relation, await Promise.all(objects.map(async (object) => object ?? []))] as const
    }),
  )
  // A relation behind which there is nothing at all is left out.
  const filled = complete.filter(([, objects]) => objects.some((object) => !isEmptyList(object)))
  return filled.length === 0 ? item : { ...item, _embedded: Object.fromEntries(filled) }
}

const isEmptyList = (object: unknown) => Array.isArray(object) && object.length === 0
