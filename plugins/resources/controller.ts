import { TEXTS_OF_ANY_LENGTH, sanitizeValue } from '../requests/arguments/index.ts'
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
import { ItemMaker } from './item-maker.ts'
import { Selection, shownIn } from './selection.ts'
import type { LinkedItem, MethodsClass } from './target-hints.ts'

/** A controller of one content type or taxonomy: constructed with its name. */
// oxlint-disable-next-line typescript/no-explicit-any -- a controller of whatever items
export type ControllerClass = new (plugin: PluginContext, name: string) => Controller<any>

/** The controllers that were made for a site, by what they serve. */
// oxlint-disable-next-line typescript/no-explicit-any -- controllers of whatever items
const made = new WeakMap<Hooks, Map<string, Controller<any>>>()

// oxlint-disable-next-line typescript/no-explicit-any -- a controller of whatever items
function noteController(hooks: Hooks, controller: Controller<any>): void {
  const all = made.get(hooks) ?? new Map<string, Controller>()
  made.set(hooks, all.set(`${controller.objectType} ${controller.namespace}/${controller.restBase}`, controller))
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
  /** The permission checks of its routes: a plugin may have put others in their place. */
  protected readonly checks = new WeakSet<PermissionCheck>()
  readonly #allowed = new Map<string, ReadonlySet<string>>()
  readonly #selections = new WeakMap<RestRequest, Selection>()
  readonly #items: ItemMaker<T>
  #schema: ItemSchema | null = null

  constructor(plugin: PluginContext, namespace: string, restBase: string, objectType: string) {
    this.plugin = plugin
    this.namespace = namespace
    this.restBase = restBase
    this.objectType = objectType
    noteController(plugin.hooks, this)
    this.#items = new ItemMaker(plugin, {
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

  /** The object types that the controllers of a site serve. */
  static served(hooks: Hooks): readonly ServedObjects[] {
    return [...(made.get(hooks)?.values() ?? [])].map((one) => ({
      objectType: one.objectType,
      hookName: one.hookName,
      properties: () => Object.keys(one.itemSchema().properties),
    }))
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

  /**
   * The object that the `self` link of an item names, if it is already read: `CollectionController.itemAsked` returns it to
   * permission checks, so that they do not read it again.
   */
  protected subject(item: T, _request: RestRequest): LinkedItem | undefined {
    return { item, collection: `${this.namespace}/${this.restBase}` }
  }

  /**
   * A name that items share whose methods are the same for one user, such as the status and whether the user is the author:
   * the permission checks of the item's route are then called for one of them. It has to name everything that the checks
   * read of an item and of what is around it. Null: they are called for each item. A class that extends another one has to
   * say so itself, because its checks may read more.
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
  prepare(item: T, request: RestRequest): Promise<RestResponse> {
    return this.#items.prepare(item, request)
  }

  /** Items as the body of a list, each with its links. */
  prepareList(items: readonly T[], request: RestRequest): Promise<unknown[]> {
    return this.#items.list(items, request)
  }

  /**
   * Returns the tags of the data that an item is made of, such as `post:12`, so that the item can be cached; null if it
   * cannot. Data that services read for the item adds its own tags. A cached item may depend on the context, the fields and
   * the user of the request, and on nothing else of it. A subclass must override this, because its items may depend on more.
   */
  protected tagsOf(_item: T): readonly string[] | null {
    return null
  }

  /**
   * Items of a list with all that they are made of, where the list has read less of them; undefined for one that is gone,
   * or may not be seen any more.
   */
  protected whole(items: readonly T[], _request: RestRequest): Awaitable<readonly (T | undefined)[]> {
    return items
  }

  /** Items as the response of a list. What some of them look like may be known already. */
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
    response.body = new ListBody(await this.#items.keptList(kind, items, request))
    return response
  }

  /** The response to a request for an item, which may be known already. @param make makes it */
  protected itemResponse(
    item: T & { id: number },
    request: RestRequest,
    make: () => Promise<RestResponse>,
  ): Promise<RestResponse> {
    const kind = this.fragments(request, 'item')
    return kind === null ? make() : this.#items.kept(kind, item, request, make)
  }

  /** Which fragments a request gets; null for none. */
  protected fragments(request: RestRequest, form: 'item' | 'list'): FragmentKind | null {
    if (!Object.hasOwn(Object.getPrototypeOf(this) as object, 'tagsOf')) return null
    const name = `${form} ${this.objectType} ${this.namespace}/${this.restBase}`
    return fragmentsOf(this.plugin.server).kindOf(request, name, this.selection(request).context)
  }

  /** Adds totals, and the links to the previous and the next page unless they are too long for a header. */
  paginate(response: RestResponse, request: RestRequest, page: Page): RestResponse {
    return paginate(this.plugin, response, request, page)
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

/** Bytes that a search may have. */
const LONGEST_SEARCH = 1_600

/** The text that a search looks for. A longer one than there may be counts as none, as clients know it. */
function searchText(text: string): string {
  if (text.length > LONGEST_SEARCH || Buffer.byteLength(text) > LONGEST_SEARCH) return ''
  // No search is for markup, or for white space.
  return sanitizeValue(text, { type: 'string', format: 'text-field' }) as string
}
