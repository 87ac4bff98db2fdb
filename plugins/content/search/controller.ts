import {
  applySyncFilter,
  Controller,
  RestError,
  RestResponse,
  SCHEMA_DRAFT,
  type Arguments,
  type ItemSchema,
  type Link,
  type PluginContext,
  type PropertySchema,
  type RestRequest,
  type RestServer,
  type Selection,
} from '../../../kernel/index.ts'
import { errors } from './errors.ts'
import type { FoundId, FoundItem, SearchHandler } from './handler.ts'

/** An object that was found, and who found it. */
interface Result {
  readonly id: FoundId
  readonly handler: SearchHandler
}

/** Every subtype that the handler of the type has. */
const ANY = 'any'
const FIELDS = ['id', 'title', 'url', 'type', 'subtype'] as const satisfies readonly (keyof FoundItem)[]

/** The route that searches, each kind of object by its handler. */
export class SearchController extends Controller<Result> {
  readonly #handlers: ReadonlyMap<string, SearchHandler>

  /**
   * @param plugin the context of the search plugin
   * @param handlers by type; the first is that of a search that names no type
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
    const types = [...this.#handlers.keys()]
    const ids = { type: 'array', items: { type: 'integer' }, default: [] }
    const params: Arguments = {
      context: this.contextParam('view'),
      ...common,
      type: { description: 'Kind of objects to search.', type: 'string', default: types[0], enum: types },
      subtype: {
        description: 'Limits the search to these kinds of content, or to terms of these taxonomies.',
        type: 'array',
        items: { type: 'string', enum: [...this.#subtypes(), ANY] },
        default: ANY,
      },
      exclude: { description: 'Leaves these objects out.', ...ids },
      include: { description: 'Limits the search to these objects.', ...ids },
    }
    const filter = this.plugin.hooks.rest_collection_params.for('search')
    return applySyncFilter(filter, params, 'search')
  }

  #subtypes(): string[] {
    return [...new Set([...this.#handlers.values()].flatMap((handler) => handler.subtypes()))]
  }

  protected override itemSchema(): ItemSchema {
    const shown = (description: string, more: Partial<PropertySchema> = {}): PropertySchema => ({
      description,
      type: 'string',
      context: ['view', 'embed'],
      readonly: true,
      ...more,
    })
    return {
      $schema: SCHEMA_DRAFT,
      title: 'search-result',
      type: 'object',
      properties: {
        id: shown('Number or name of the object.', { type: ['integer', 'string'] }),
        title: shown('What the object is called.'),
        url: shown('Address of the page of the object.', { format: 'uri' }),
        type: shown('Kind of the object.', { enum: [...this.#handlers.keys()] }),
        subtype: shown('Which of the kind it is.', { enum: this.#subtypes() }),
      },
    }
  }

  async #search(request: RestRequest): Promise<RestResponse | RestError> {
    const handler = this.#handlers.get(request.get('type') as string)!
    const asked = [request.get('subtype')].flat() as string[]
    const known = handler.subtypes()
    const found = await handler.search(
      request,
      asked.includes(ANY) ? known : known.filter((name) => asked.includes(name)),
    )
    if (found instanceof RestError) return found
    const { ids, total } = found
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

  protected override async toLinks(
    { id, handler }: Result,
    request: RestRequest,
  ): Promise<Record<string, Link | readonly Link[]>> {
    return { ...(await handler.links(id, request)), collection: { href: this.href() } }
  }
}
