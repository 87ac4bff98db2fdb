import { UNLIMITED_TEXT, sanitizeValue } from '../requests/arguments/index.ts'
import {
  type ArgumentSchema,
  type Arguments,
  type Awaitable,
  applySyncFilter,
  isThenable,
  type Hooks,
  type PluginContext,
  type RestRequest,
  type Links,
  RestResponse,
  type PermissionCheck,
  type Route,
  type RestServer,
} from '../../kernel/index.ts'
import { ListBody, fragmentsOf, type FragmentKind } from '../library/caching/index.ts'
import type { ServedObjects } from '../library/advice/index.ts'
import { withoutCallbacks, type ItemContext, type ItemSchema } from './item-schema.ts'
import { paginate, type Page } from './pagination.ts'
import { ItemPreparer } from './item-preparer.ts'
import { Selection, shownIn } from './selection.ts'
import type { LinkedItem, MethodsClass } from './target-hints.ts'

/** A controller of one content type or taxonomy, constructed with its name. */
// oxlint-disable-next-line typescript/no-explicit-any -- a controller of any items
export type ControllerClass = new (plugin: PluginContext, name: string) => Controller<any>

/** The controllers of each site, by object type and route. */
// oxlint-disable-next-line typescript/no-explicit-any -- controllers of any items
const controllersBySite = new WeakMap<Hooks, Map<string, Controller<any>>>()

/** All controllers of each site: several can serve one object type and route. */
// oxlint-disable-next-line typescript/no-explicit-any -- controllers of any items
const instancesBySite = new WeakMap<Hooks, Set<Controller<any>>>()

// oxlint-disable-next-line typescript/no-explicit-any -- a controller of any items
function noteController(hooks: Hooks, controller: Controller<any>): void {
  const all = controllersBySite.get(hooks) ?? new Map<string, Controller>()
  controllersBySite.set(
    hooks,
    all.set(`${controller.objectType} ${controller.namespace}/${controller.restBase}`, controller),
  )
  instancesBySite.set(hooks, (instancesBySite.get(hooks) ?? new Set()).add(controller))
}

/**
 * Controller of one kind of object: its routes, schema and data. A subclass defines the schema, how an item becomes
 * data, and its links. It gets items from a service and contains no SQL.
 */
export abstract class Controller<T = unknown> {
  readonly namespace: string
  readonly restBase: string
  /** Name of the object in registered fields and in the hooks `rest_prepare_*` and `rest_*_item_schema`. */
  readonly objectType: string
  protected readonly plugin: PluginContext
  /** Permission checks of its own routes. A plugin can have replaced checks of the registered routes. */
  protected readonly checks = new WeakSet<PermissionCheck>()
  readonly #allowed = new Map<string, ReadonlySet<string>>()
  readonly #selections = new WeakMap<RestRequest, Selection>()
  readonly #items: ItemPreparer<T>
  #schema: ItemSchema | null = null

  constructor(plugin: PluginContext, namespace: string, restBase: string, objectType: string) {
    this.plugin = plugin
    this.namespace = namespace
    this.restBase = restBase
    this.objectType = objectType
    noteController(plugin.hooks, this)
    this.#items = new ItemPreparer(plugin, {
      objectType,
      hookName: () => this.hookName,
      selection: (request) => this.selection(request),
      toData: (item, selection, request) => this.toData(item, selection, request),
      toLinks: (item, request) => this.toLinks(item, request),
      gather: (items, selection, request) => this.gather(items, selection, request),
      subject: (item, request) => this.subject(item, request),
      methodsClass: (item, request) => this.#classOf(item, request),
      tagsOf: (item) => this.tagsOf(item) ?? [],
      whole: (items, request) => this.whole(items, request),
    })
  }

  /** Returns the object types that the controllers of a site serve. */
  static served(hooks: Hooks): readonly ServedObjects[] {
    return [...(controllersBySite.get(hooks)?.values() ?? [])].map((one) => ({
      objectType: one.objectType,
      hookName: one.hookName,
      properties: () => Object.keys(one.itemSchema().properties),
    }))
  }

  /** Makes the controllers of a site create their schemas again, after data has changed that schemas depend on. */
  static forgetSchemas(hooks: Hooks): void {
    for (const controller of instancesBySite.get(hooks) ?? []) {
      controller.#schema = null
      controller.#allowed.clear()
    }
  }

  /** Registers the routes. Called while the server is initialized. */
  abstract register(server: RestServer): void

  /** Returns the schema of an item, without registered fields. */
  protected abstract itemSchema(): ItemSchema

  /**
   * Reads the data for the fields and links of several items with as few statements as possible, so that each item is
   * then prepared synchronously. Data that is not read here is read for each item.
   */
  protected gather(_items: readonly T[], _selection: Selection, _request: RestRequest): Awaitable<unknown> {
    return undefined
  }

  /** Returns the fields of an item that `selection` includes. */
  protected abstract toData(item: T, selection: Selection, request: RestRequest): Awaitable<Record<string, unknown>>

  /** Returns the links of an item, with full relations or compact ones from `branding.relation`. */
  protected abstract toLinks(item: T, request: RestRequest): Awaitable<Links>

  /**
   * Returns the object to which the item's `self` link points, if that object has already been read; otherwise
   * undefined. Permission checks get it from `CollectionController.itemAsked` and do not read it again.
   */
  protected subject(item: T, _request: RestRequest): LinkedItem | undefined {
    return { item, collection: `${this.namespace}/${this.restBase}` }
  }

  /**
   * Returns a key for items that allow the same methods to one user, such as the status and whether the user is the
   * author. Permission checks of the item's route then run for one item per key. The key must contain all data that the
   * checks read of an item and related objects. With null, they run for each item. A subclass of another controller
   * must override this itself, because its checks can read more.
   */
  protected methodsKey(_item: T, _request: RestRequest): Awaitable<string | null> {
    return null
  }

  #classOf(item: T, request: RestRequest): Awaitable<MethodsClass | null> {
    if (!Object.hasOwn(Object.getPrototypeOf(this) as object, 'methodsKey')) return null
    const named = (name: string | null) => (name === null ? null : { name, decides: this.#decides })
    const key = this.methodsKey(item, request)
    return isThenable(key) ? key.then(named) : named(key)
  }

  readonly #decides = ({ endpoints }: Route): boolean =>
    endpoints.every(({ permission_callback: check }) => check !== null && this.checks.has(check))

  /**
   * Name of the object in hooks (`rest_prepare_*`, `rest_insert_*` …); the object type unless a subclass overrides it.
   */
  protected get hookName(): string {
    return this.objectType
  }

  /** The schema of an item, with registered fields and filters. Cached until `forgetSchemas`. */
  get schema(): ItemSchema {
    this.#schema ??= applySyncFilter(this.plugin.hooks.rest_item_schema.for(this.objectType), this.itemSchema())
    return this.#schema
  }

  /** Returns the schema for OPTIONS. */
  publicSchema(): Record<string, unknown> {
    const properties: Record<string, unknown> = {}
    for (const [name, { arg_options: _, ...shown }] of Object.entries(this.schema.properties)) {
      properties[name] = withoutCallbacks(shown)
    }
    return { ...this.schema, properties }
  }

  /** Returns the URL of an item or of the collection: `href(12)`, `href()`. */
  href(id?: number | string): string {
    return this.plugin.urls.rest(`/${this.namespace}/${this.restBase}${id === undefined ? '' : `/${id}`}`)
  }

  /** Returns the fields that a request selects. */
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

  /** Creates the response of an item: data, registered fields, links, then the filter `rest_prepare_*`. */
  prepare(item: T, request: RestRequest): Promise<RestResponse> {
    return this.#items.prepare(item, request)
  }

  /** Creates the body of a list, each item with its links. */
  prepareList(items: readonly T[], request: RestRequest): Promise<unknown[]> {
    return this.#items.list(items, request)
  }

  /**
   * Returns the tags of the data that an item depends on, such as `post:12`, so that the item can be cached; null if it
   * cannot. Data that services read for the item adds its own tags. Of the request, a cached item can only depend on
   * the context, the fields and the user. A subclass must override this, because its items can depend on more.
   */
  protected tagsOf(_item: T): readonly string[] | null {
    return null
  }

  /**
   * Returns the complete items of a list whose query has read less of them; undefined for an item that has been deleted
   * or that the user can no longer see.
   */
  protected whole(items: readonly T[], _request: RestRequest): Awaitable<readonly (T | undefined)[]> {
    return items
  }

  /** Creates the response of a list from cached and new items. */
  protected async listResponse(items: readonly (T & { id: number })[], request: RestRequest): Promise<RestResponse> {
    const kind = this.fragments(request, 'list')
    if (kind === null) {
      const whole = await this.whole(items, request)
      return new RestResponse(
        await this.prepareList(
          whole.filter((item) => item !== undefined),
          request,
        ),
      )
    }
    const response = new RestResponse()
    response.body = new ListBody(await this.#items.cachedList(kind, items, request))
    return response
  }

  /** Returns the response to a request for an item from the cache, or creates it. @param make creates the response */
  protected itemResponse(
    item: T & { id: number },
    request: RestRequest,
    make: () => Promise<RestResponse>,
  ): Promise<RestResponse> {
    const kind = this.fragments(request, 'item')
    return kind === null ? make() : this.#items.cachedResponse(kind, item, request, make)
  }

  /** Returns the kind of cached fragments for a request; null for none. */
  protected fragments(request: RestRequest, form: 'item' | 'list'): FragmentKind | null {
    if (!Object.hasOwn(Object.getPrototypeOf(this) as object, 'tagsOf')) return null
    const name = `${form} ${this.objectType} ${this.namespace}/${this.restBase}`
    return fragmentsOf(this.plugin.server).kindOf(request, name, this.selection(request).context)
  }

  /** Adds totals, and links to the previous and next page unless they are too long for a header. */
  paginate(response: RestResponse, request: RestRequest, page: Page): RestResponse {
    return paginate(this.plugin, response, request, page)
  }

  /** Returns the argument `context` with the contexts of the schema. */
  contextParam(preset?: ItemContext): ArgumentSchema {
    const contexts = new Set(Object.values(this.schema.properties).flatMap((property) => property.context ?? []))
    const param: ArgumentSchema = {
      description: 'Scope under which the request is made; determines the fields in the response.',
      type: 'string',
    }
    const values = (['view', 'embed', 'edit'] as const).filter((context) => contexts.has(context))
    if (values.length > 0) param.enum = values
    if (preset !== undefined) param.default = preset
    return param
  }

  /** Returns the arguments of every list: context, page, per_page, search. */
  collectionParams(): Arguments {
    return {
      context: this.contextParam(),
      page: { description: 'Page of the list.', type: 'integer', default: 1, minimum: 1 },
      per_page: { description: 'Items per page.', type: 'integer', default: 10, minimum: 1, maximum: 100 },
      search: {
        description: 'Limits the list to items that match a text.',
        type: 'string',
        size_limits: UNLIMITED_TEXT,
        sanitize_callback: (value) => searchText(String(value)),
      },
    }
  }

  /** Returns the arguments that write an item: every field of the schema that is not read-only. */
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

/** Bytes of a search text. */
const MAX_SEARCH_BYTES = 1_600

/** Sanitizes a search text. A longer text counts as empty, as clients expect. */
function searchText(text: string): string {
  if (text.length > MAX_SEARCH_BYTES || Buffer.byteLength(text) > MAX_SEARCH_BYTES) return ''
  // Searches ignore markup and extra white space.
  return sanitizeValue(text, { type: 'string', format: 'text-field' }) as string
}
