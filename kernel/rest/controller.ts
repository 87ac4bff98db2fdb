import { TEXTS_OF_ANY_LENGTH } from '../schema/size-limits.ts'
import { charactersIn, charactersOf, LONG } from './response-budget.ts'
import type { ArgumentSchema, Arguments } from '../schema/schema.ts'
import { sanitizeValue } from '../schema/validate.ts'
import { chain, isThenable, together, type Awaitable } from '../awaitable.ts'
import { applyFilter, applySyncFilter } from '../hooks/run.ts'
import type { PluginContext } from '../plugin.ts'
import { withoutCallbacks, type ItemContext, type ItemSchema } from './item-schema.ts'
import type { RestRequest } from './request.ts'
import { RestResponse, type Links } from './response.ts'
import { Selection, shownIn } from './selection.ts'
import type { RestServer } from './server.ts'
import { yieldToEventLoop } from '../time-slices.ts'
import { addQuery, trimEndSlashes } from '../urls.ts'

/** What an item shows of itself. */
interface ReadItem {
  data: Record<string, unknown>
  /** Null where none are wanted. */
  links: Links | null
}

/** A controller of one content type or taxonomy: constructed with its name. */
// oxlint-disable-next-line typescript/no-explicit-any -- a controller of whatever items
export type ControllerClass = new (plugin: PluginContext, name: string) => Controller<any>

/** What a list came to, for the headers that page through it. */
export interface Page {
  total: number
  perPage: number
  page: number
}

/**
 * The routes, the schema and the shape of one kind of object. A subclass says what the schema is, how an item becomes
 * data, and which links it has; it asks a model service for items and holds no SQL.
 */
export abstract class Controller<T = unknown> {
  readonly namespace: string
  readonly restBase: string
  /** The name that registered fields and the hooks `rest_prepare_*`, `rest_*_item_schema` know the object by. */
  readonly objectType: string
  protected readonly plugin: PluginContext
  readonly #allowed = new Map<string, ReadonlySet<string>>()
  readonly #selections = new WeakMap<RestRequest, Selection>()
  #schema: ItemSchema | null = null

  constructor(plugin: PluginContext, namespace: string, restBase: string, objectType: string) {
    this.plugin = plugin
    this.namespace = namespace
    this.restBase = restBase
    this.objectType = objectType
  }

  /** Registers the routes; called while the server is initialised. */
  abstract register(server: RestServer): void

  /** The schema of an item, before registered fields are added. */
  protected abstract itemSchema(): ItemSchema

  /**
   * Reads what all of some items need for their fields and links, in as few statements as it takes: each is then made
   * without waiting. What is not read here is read when an item asks for it.
   */
  protected gather(_items: readonly T[], _selection: Selection, _request: RestRequest): Awaitable<unknown> {
    return undefined
  }

  /** The fields of an item that `selection` has. */
  protected abstract toData(item: T, selection: Selection, request: RestRequest): Awaitable<Record<string, unknown>>

  /** The links of an item. Relations in their full form, or compact with `branding.relation`. */
  protected abstract toLinks(item: T, request: RestRequest): Awaitable<Links>

  /** Name of the object in hooks (`rest_prepare_*`, `rest_insert_*` …); the object type unless a subclass says otherwise. */
  protected get hookName(): string {
    return this.objectType
  }

  /** The schema of an item, registered fields and filters included. Made once. */
  get schema(): ItemSchema {
    this.#schema ??= applySyncFilter(this.plugin.hooks.rest_item_schema.for(this.objectType), this.itemSchema())
    return this.#schema
  }

  /** The schema as OPTIONS shows it. */
  publicSchema(): Record<string, unknown> {
    const properties: Record<string, unknown> = {}
    for (const [name, { arg_options: _, ...shown }] of Object.entries(this.schema.properties)) {
      properties[name] = withoutCallbacks(shown)
    }
    return { ...this.schema, properties }
  }

  /** URL of an item or of the collection: `href(12)`, `href()`. */
  href(id?: number | string): string {
    return this.plugin.urls.rest(`/${this.namespace}/${this.restBase}${id === undefined ? '' : `/${id}`}`)
  }

  /** The fields that a request gets. */
  selection(request: RestRequest): Selection {
    let selection = this.#selections.get(request)
    if (selection === undefined) {
      const context = (request.get('context') as ItemContext | undefined) ?? 'view'
      let allowed = this.#allowed.get(context)
      if (allowed === undefined) {
        allowed = new Set(shownIn(this.schema.properties, context))
        this.#allowed.set(context, allowed)
      }
      selection = new Selection(allowed, context, request)
      this.#selections.set(request, selection)
    }
    return selection
  }

  /** An item as a response: data, registered fields, links, then the filter `rest_prepare_*`. */
  async prepare(item: T, request: RestRequest): Promise<RestResponse> {
    const gathered = this.gather([item], this.selection(request), request)
    if (isThenable(gathered)) await gathered
    return this.#complete(item, await this.#read(item, request), request)
  }

  /**
   * Items as the body of a list, each with its links. All go the same way at the same time, so that what plugins read
   * for them comes from one statement, too, where some items are read sooner than others.
   */
  async prepareList(items: readonly T[], request: RestRequest): Promise<unknown[]> {
    const weight = charactersOf(items)
    return weight <= LONG ? this.#prepareTogether(items, request) : this.#prepareLong(items, weight, request)
  }

  /**
   * Items of long texts, some at a time, so that no more is in memory than there is room for.
   * @throws rest_answer_too_large, rest_unavailable
   */
  async #prepareLong(items: readonly T[], weight: number, request: RestRequest): Promise<unknown[]> {
    const { responseBudget } = this.plugin.server
    responseBudget.take(weight)
    const made: unknown[] = []
    let size = 0
    for (const some of inGroups(items)) {
      const group = await this.#prepareTogether(some, request)
      const added = charactersIn(group)
      responseBudget.take(added)
      size += added
      responseBudget.check(size)
      made.push(...group)
    }
    return made
  }

  async #prepareTogether(items: readonly T[], request: RestRequest): Promise<unknown[]> {
    const { server } = this.plugin
    const gathered = this.gather(items, this.selection(request), request)
    if (isThenable(gathered)) await gathered
    const read = await together(...items.map((item) => () => this.#read(item, request)))
    // By now others may wait, or nobody for this.
    await yieldToEventLoop()
    const responses = await together(...items.map((item, index) => () => this.#complete(item, read[index]!, request)))
    await yieldToEventLoop()
    return responses.map((response) => server.responseToData(response))
  }

  /** Data and links of an item, asked for at once. */
  #read(item: T, request: RestRequest): Awaitable<ReadItem> {
    const selection = this.selection(request)
    const data = this.toData(item, selection, request)
    const links = selection.links ? this.#linksOf(item, data, request) : null
    if (!isThenable(data) && !isThenable(links)) return { data, links }
    return Promise.all([data, links]).then(([ownData, ownLinks]) => ({ data: ownData, links: ownLinks }))
  }

  /** Its links. Where they cannot be made, its data may fail as well, and nobody would hear of that. */
  #linksOf(item: T, data: Awaitable<unknown>, request: RestRequest): Awaitable<Links> {
    try {
      return this.toLinks(item, request)
    } catch (error) {
      if (isThenable(data)) data.then(undefined, () => {})
      throw error
    }
  }

  #complete(item: T, { data, links }: ReadItem, request: RestRequest): Awaitable<RestResponse> {
    const { hooks } = this.plugin
    const selection = this.selection(request)
    const filled = applyFilter(hooks.rest_additional_fields, data, this.objectType, request, selection)
    return chain(filled, (whole) => {
      const response = new RestResponse(whole)
      if (whole === data) response.own = data
      if (links !== null) response.addLinks(links)
      return applyFilter(hooks.rest_prepare.for(this.hookName), response, item, request)
    })
  }

  /** Adds totals, and the links to the previous and the next page unless they are too long for a header. */
  paginate(response: RestResponse, request: RestRequest, { total, perPage, page }: Page): RestResponse {
    const pages = Math.ceil(total / perPage)
    const { branding, urls } = this.plugin
    response.headers.set(branding.header('Total'), total)
    response.headers.set(branding.header('TotalPages'), pages)
    // The route as it was registered where that is a URL: clients may have asked in other letters.
    const { matchedRoute: matched } = request
    const base = urls.rest(matched === null || matched.includes('(') ? trimEndSlashes(request.route) : matched)
    const { rest_route: route, ...query } = request.query
    // A plain URL names its route already.
    const kept = route === undefined || base.includes('?rest_route=') ? query : request.query
    // Values as they were checked: `true` is 1, `false` a bare name, and a text that lists values is a list.
    const checked = Object.fromEntries(
      Object.keys(kept).map((name) => [name, request.get(name) === false ? '' : request.get(name)]),
    )
    const at = (number: number) => addQuery(base, { ...checked, page: number })
    const links: [relation: string, href: string][] = []
    if (page > 1) links.push(['prev', at(Math.min(page - 1, Math.max(pages, 1)))])
    if (page < pages) links.push(['next', at(page + 1)])
    // Clients and proxies refuse a response with more than so much in its head; totals are enough to page by.
    const length = links.reduce((sum, [, href]) => sum + href.length, 0)
    if (length <= LONGEST_LINKS) for (const [relation, href] of links) response.linkHeader(relation, href)
    return response
  }

  /** The argument `context`, with the contexts that the schema knows. */
  contextParam(preset?: ItemContext): ArgumentSchema {
    const known = new Set(Object.values(this.schema.properties).flatMap((property) => property.context ?? []))
    const param: ArgumentSchema = {
      description: 'Scope under which the request is made; determines the fields in the response.',
      type: 'string',
    }
    const values = (['view', 'embed', 'edit'] as const).filter((context) => known.has(context))
    if (values.length > 0) param.enum = values
    if (preset !== undefined) param.default = preset
    return param
  }

  /** The arguments of every list: context, page, per_page, search. */
  collectionParams(): Arguments {
    return {
      context: this.contextParam(),
      page: { description: 'Page of the list.', type: 'integer', default: 1, minimum: 1 },
      per_page: { description: 'Items per page.', type: 'integer', default: 10, minimum: 1, maximum: 100 },
      search: {
        description: 'Limits the list to items that match a text.',
        type: 'string',
        size_limits: TEXTS_OF_ANY_LENGTH,
        sanitize_callback: (value) => searchText(String(value)),
      },
    }
  }

  /** The arguments that write an item: every field of the schema that is not read-only. */
  itemArguments(use: 'create' | 'update'): Arguments {
    const args: Arguments = {}
    for (const [name, property] of Object.entries(this.schema.properties)) {
      if (property.readonly) continue
      const { context: _, readonly: __, arg_options: options, required, default: preset, ...rest } = property
      const argument: ArgumentSchema = { ...rest, ...options }
      if (use === 'create') {
        if (required === true) argument.required = true
        if (preset !== undefined && argument.default === undefined) argument.default = preset
      } else {
        delete argument.required
        delete argument.default
      }
      args[name] = argument
    }
    return args
  }
}

/** Characters that the links of a page may have together. */
const LONGEST_LINKS = 8_000

/** Bytes that a search may have. */
const LONGEST_SEARCH = 1_600

/** The text that a search looks for. A longer one than there may be counts as none, as clients know it. */
function searchText(text: string): string {
  if (text.length > LONGEST_SEARCH || Buffer.byteLength(text) > LONGEST_SEARCH) return ''
  // No search is for markup, or for white space.
  return sanitizeValue(text, { type: 'string', format: 'text-field' }) as string
}

/** Items in their order, so many together that their texts are not long, or one whose are. */
function* inGroups<T>(items: readonly T[]): Generator<T[]> {
  let group: T[] = []
  let weight = 0
  for (const item of items) {
    const added = charactersOf([item])
    if (group.length > 0 && weight + added > LONG) {
      yield group
      group = []
      weight = 0
    }
    group.push(item)
    weight += added
  }
  if (group.length > 0) yield group
}
