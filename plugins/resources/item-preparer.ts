import {
  awaitAll,
  isObject,
  isThenable,
  type Awaitable,
  applyFilter,
  type PluginContext,
  type RestRequest,
  type Links,
  RestResponse,
} from '../../kernel/index.ts'
import { rejecting, yieldToEventLoop } from '../library/long-work/index.ts'
import {
  Json,
  ItemBody,
  type LinkTexts,
  fragmentsOf,
  collectInto,
  currentDependencies,
  partOfCurrent,
  type Dependencies,
  type Fragment,
  type FragmentKind,
} from '../library/caching/index.ts'
import { charactersIn, charactersOf, LONG_RESPONSE_LENGTH } from './response-budget.ts'
import type { Selection } from './selection.ts'
import { withTargetHints, type LinkedItem, type MethodsClass } from './target-hints.ts'

/** The parts of a controller that describe its items. */
export interface ItemSource<T> {
  readonly objectType: string
  hookName(): string
  selection(request: RestRequest): Selection
  toData(item: T, selection: Selection, request: RestRequest): Awaitable<Record<string, unknown>>
  toLinks(item: T, request: RestRequest): Awaitable<Links>
  gather(items: readonly T[], selection: Selection, request: RestRequest): Awaitable<unknown>
  subject(item: T, request: RestRequest): LinkedItem | undefined
  methodsClass(item: T, request: RestRequest): Awaitable<MethodsClass | null>
  tagsOf(item: T): readonly string[]
  whole(items: readonly T[], request: RestRequest): Awaitable<readonly (T | undefined)[]>
}

/** Data and links of an item. */
interface ReadItem {
  data: Record<string, unknown>
  /** Null if the request does not select links. */
  links: Links | null
}

/** Creates the responses of a controller's items: data, registered fields, links, then the filter `rest_prepare_*`. */
export class ItemPreparer<T> {
  readonly #plugin: PluginContext
  readonly #source: ItemSource<T>

  constructor(plugin: PluginContext, source: ItemSource<T>) {
    this.#plugin = plugin
    this.#source = source
  }

  async prepare(item: T, request: RestRequest): Promise<RestResponse> {
    const selection = this.#source.selection(request)
    const gathered = this.#source.gather([item], selection, request)
    if (isThenable(gathered)) await gathered
    return this.#complete(item, await this.#read(item, selection, request), selection, request)
  }

  /** Creates the body of a list. All items are prepared concurrently, so that reads of plugins are batched as well. */
  async list(items: readonly T[], request: RestRequest): Promise<unknown[]> {
    const weight = charactersOf(items)
    return weight <= LONG_RESPONSE_LENGTH ? this.#prepareAll(items, request) : this.#prepareLong(items, weight, request)
  }

  /** Creates the body of a list from cached texts, and prepares only the items that are not cached. */
  async cachedList(kind: FragmentKind, items: readonly (T & { id: number })[], request: RestRequest): Promise<Json[]> {
    const { responseBudget } = this.#plugin.server
    const fragments = fragmentsOf(this.#plugin.server)
    const cached = new Map<T, Json>()
    for (const item of items) {
      const fragment = fragments.get(kind, item.id)
      if (fragment !== undefined) cached.set(item, Json.kept(fragment))
    }
    const missing = items.filter((item) => !cached.has(item))
    const prepared = missing.length === 0 ? null : await this.#prepareMissing(kind, missing, request)
    const list = items.flatMap((item) => cached.get(item) ?? prepared?.get(item) ?? [])
    let size = 0
    for (const json of list) if (json.isText) size += json.text.length
    if (size > LONG_RESPONSE_LENGTH) {
      responseBudget.take(size)
      responseBudget.check(size)
    }
    return list
  }

  /** Returns the response for a single item as text. An embedded item is cached by the plugin `embed` instead. */
  async cachedResponse(
    kind: FragmentKind,
    item: T & { id: number },
    request: RestRequest,
    make: () => Promise<RestResponse>,
  ): Promise<RestResponse> {
    const { responseBudget } = this.#plugin.server
    const fragments = fragmentsOf(this.#plugin.server)
    const isEmbedded = request.parent !== null
    const cached = isEmbedded ? undefined : fragments.get(kind, item.id)
    if (cached !== undefined) return responseOf(cached)
    const part = partOfCurrent()
    const response = await collectInto(part, make)
    if (!isCacheable(response) || responseBudget.isLong(request.work) || part.partRefusal !== null) return response
    const { data, hasLinks, headers } = response
    const links = hasLinks ? this.#textsOf(response) : null
    const json = Json.of(data)
    const metadata = { links, headers: [...headers] }
    response.body = new ItemBody(isEmbedded ? json : fragments.keep(kind, item.id, part, json, metadata), links)
    return response
  }

  /** Prepares and caches items. @returns their texts by the items of the list */
  async #prepareMissing(
    kind: FragmentKind,
    listed: readonly (T & { id: number })[],
    request: RestRequest,
  ): Promise<Map<T, Json>> {
    const found = await this.#source.whole(listed, request)
    const items = found.filter((item) => item !== undefined)
    const parts = charactersOf(items) <= LONG_RESPONSE_LENGTH ? items.map(() => partOfCurrent()) : null
    const prepared = parts === null ? await this.list(items, request) : await this.#prepareAll(items, request, parts)
    const fragments = fragmentsOf(this.#plugin.server)
    const byItem = new Map<T, Json>()
    let index = 0
    for (const [place, item] of listed.entries()) {
      if (found[place] === undefined) continue
      const [value, part] = [prepared[index], parts?.[index]]
      index += 1
      const json = Json.of(value)
      byItem.set(item, part === undefined ? json : fragments.keep(kind, item.id, part, json))
    }
    return byItem
  }

  #textsOf(response: RestResponse): LinkTexts {
    const compact = JSON.stringify(this.#plugin.server.compactLinks(response.shownLinks))
    return { compact, full: JSON.stringify([...response.links]) }
  }

  /**
   * Prepares items with long texts in groups, so that the response stays within the memory budget.
   * @throws rest_answer_too_large, rest_unavailable
   */
  async #prepareLong(items: readonly T[], weight: number, request: RestRequest): Promise<unknown[]> {
    const { responseBudget } = this.#plugin.server
    responseBudget.take(weight)
    const prepared: unknown[] = []
    let size = 0
    for (const some of splitIntoGroups(items)) {
      const group = await this.#prepareAll(some, request)
      const added = charactersIn(group)
      responseBudget.take(added)
      size += added
      responseBudget.check(size)
      prepared.push(...group)
    }
    return prepared
  }

  /** @param parts recorded dependencies of each item, if the items can be cached */
  async #prepareAll(
    items: readonly T[],
    request: RestRequest,
    parts: readonly Dependencies[] | null = null,
  ): Promise<unknown[]> {
    const { server } = this.#plugin
    const within = <R>(index: number, make: () => R): R => (parts === null ? make() : collectInto(parts[index]!, make))
    request.isForList = true
    const selection = this.#source.selection(request)
    const gathered = this.#source.gather(items, selection, request)
    if (isThenable(gathered)) await gathered
    const read = await awaitAll(
      items.map((item, index) => within(index, () => rejecting(() => this.#read(item, selection, request)))),
    )
    // Yields: other requests may be queued, or this one may have been aborted.
    await yieldToEventLoop()
    const complete = (item: T, index: number) =>
      within(index, () => rejecting(() => this.#complete(item, read[index]!, selection, request)))
    const responses = await awaitAll(items.map(complete))
    await yieldToEventLoop()
    return responses.map((response, index) => {
      if (parts !== null && !isCacheable(response)) parts[index]!.refusePart('the item is not a plain object')
      return server.responseToData(response)
    })
  }

  /** Reads the data and links of an item concurrently. */
  #read(item: T, selection: Selection, request: RestRequest): Awaitable<ReadItem> {
    currentDependencies()?.addAll(this.#source.tagsOf(item))
    const data = this.#source.toData(item, selection, request)
    const links = selection.links ? rejecting(() => this.#linksOf(item, request)) : null
    const read = awaitAll([data, links])
    return isThenable(read) ? read.then(toReadItem) : toReadItem(read)
  }

  /** Usually synchronous for items of a list. */
  #linksOf(item: T, request: RestRequest): Awaitable<Links> {
    const links = this.#source.toLinks(item, request)
    if (!this.#plugin.since('6.7')) return links
    // Only for lists: for a single item, computing its class takes longer than its permission checks.
    const named = request.isForList ? rejecting(() => this.#source.methodsClass(item, request)) : null
    const read = awaitAll([links, named])
    const withHints = (ownLinks: Links, ofClass: MethodsClass | null) =>
      withTargetHints(this.#plugin.server, ownLinks, this.#source.subject(item, request), request, ofClass)
    return isThenable(read)
      ? read.then(([ownLinks, ofClass]) => withHints(ownLinks, ofClass))
      : withHints(read[0], read[1])
  }

  #complete(item: T, { data, links }: ReadItem, selection: Selection, request: RestRequest): Awaitable<RestResponse> {
    const { hooks } = this.#plugin
    const prepare = (whole: Record<string, unknown>) => {
      const response = new RestResponse(whole)
      if (whole === data) response.own = data
      if (links !== null) response.addLinks(links)
      return applyFilter(hooks.rest_prepare.for(this.#source.hookName()), response, item, request)
    }
    const filled = applyFilter(hooks.rest_additional_fields, data, this.#source.objectType, request, selection)
    return isThenable(filled) ? filled.then(prepare) : prepare(filled)
  }
}

function toReadItem([data, links]: [Record<string, unknown>, Links | null]): ReadItem {
  return { data, links }
}

/** Creates a response from a cached item. */
function responseOf(fragment: Fragment): RestResponse {
  const response = new RestResponse()
  for (const [name, value] of fragment.headers) response.headers.set(name, value)
  response.body = new ItemBody(Json.kept(fragment), fragment.links)
  return response
}

/** Returns whether the response is an object to which links and embedded objects can be appended. */
function isCacheable({ data, hasLinks, isError, status }: RestResponse): boolean {
  if (status !== 200 || isError || !isObject(data) || '_embedded' in data) return false
  return !hasLinks || !('_links' in data)
}

/** Splits items into groups whose texts are not long; an item with a long text forms its own group. */
function* splitIntoGroups<T>(items: readonly T[]): Generator<T[]> {
  let group: T[] = []
  let weight = 0
  for (const item of items) {
    const added = charactersOf([item])
    if (group.length > 0 && weight + added > LONG_RESPONSE_LENGTH) {
      yield group
      group = []
      weight = 0
    }
    group.push(item)
    weight += added
  }
  if (group.length > 0) yield group
}
