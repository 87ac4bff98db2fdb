import { Controller, type ItemSchema, type Selection, type LinkedItem } from '../../resources/index.ts'
import {
  RestError,
  RestResponse,
  applySyncFilter,
  type Arguments,
  type Links,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { FoundId, FoundItem, SearchHandler } from './handler.ts'
import { ANY_SUBTYPE, searchArguments, searchSchema, type Searchable } from './schema.ts'

/** A found object and the handler that found it. */
interface Result {
  readonly id: FoundId
  readonly handler: SearchHandler
}

const FIELDS = ['id', 'title', 'url', 'type', 'subtype'] as const satisfies readonly (keyof FoundItem)[]

/** The search route, which delegates to one handler per type of objects. */
export class SearchController extends Controller<Result> {
  readonly #handlers: ReadonlyMap<string, SearchHandler>

  /**
   * @param plugin the context of the search plugin
   * @param handlers handlers by type; the first one is the default
   */
  constructor(plugin: PluginContext, handlers: ReadonlyMap<string, SearchHandler>) {
    super(plugin, plugin.branding.namespace('v2'), 'search', 'search-result')
    this.#handlers = handlers
  }

  override register(server: RestServer): void {
    server.registerRoute(this.namespace, this.restBase, {
      0: {
        callback: (request) => this.#search(request),
        permission_callback: () => true,
        args: this.collectionParams(),
      },
      schema: () => this.publicSchema(),
    })
  }

  override collectionParams(): Arguments {
    const { context: _, ...common } = super.collectionParams()
    const params = { context: this.contextParam('view'), ...common, ...searchArguments(this.#searchable) }
    return applySyncFilter(this.plugin.hooks.rest_collection_params.for('search'), params, 'search')
  }

  get #searchable(): Searchable {
    const handlers = [...this.#handlers.values()]
    return {
      types: [...this.#handlers.keys()],
      subtypes: [...new Set(handlers.flatMap((handler) => handler.subtypes()))],
    }
  }

  protected override itemSchema(): ItemSchema {
    return searchSchema(this.#searchable)
  }

  async #search(request: RestRequest): Promise<RestResponse | RestError> {
    const handler = this.#handlers.get(request.get('type') as string)!
    const requestedSubtypes = [request.get('subtype')].flat() as string[]
    const subtypesOfType = handler.subtypes()
    const subtypes = requestedSubtypes.includes(ANY_SUBTYPE)
      ? subtypesOfType
      : subtypesOfType.filter((name) => requestedSubtypes.includes(name))
    const result = await handler.search(request, subtypes)
    if (result instanceof RestError) return result
    const { ids, total } = result
    const [perPage, page] = [request.get('per_page') as number, request.get('page') as number]
    if (total > 0 && page > Math.ceil(total / perPage)) return errors.rest_search_invalid_page_number()
    const results = ids.map((id) => ({ id, handler }))
    const response = new RestResponse(await this.prepareList(results, request))
    return this.paginate(response, request, { total, perPage, page })
  }

  protected override async toData(
    { id, handler }: Result,
    selection: Selection,
    request: RestRequest,
  ): Promise<Record<string, unknown>> {
    const fields = FIELDS.filter((field) => selection.has(field))
    const item = await handler.prepare(id, fields, request)
    return Object.fromEntries(fields.flatMap((field) => (item[field] === undefined ? [] : [[field, item[field]]])))
  }

  protected override subject({ id, handler }: Result, request: RestRequest): LinkedItem | undefined {
    return handler.subject?.(id, request)
  }

  protected override async toLinks({ id, handler }: Result, request: RestRequest): Promise<Links> {
    return { ...(await handler.links(id, request)), collection: { href: this.href() } }
  }
}
