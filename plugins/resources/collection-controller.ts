import {
  type Awaitable,
  errors,
  type RestError,
  runAction,
  type Arguments,
  type ArgumentSchema,
  type RestRequest,
  type Links,
  RestResponse,
  type EndpointGroup,
  type RestServer,
} from '../../kernel/index.ts'
import { Controller } from './controller.ts'
import type { ItemContext } from './item-schema.ts'
import { paginateByCursor } from './pagination.ts'
import type { CollectionInput, ItemRemover, Permission, ResourceReader } from './resource.ts'
import { subjectOf } from './target-hints.ts'

const FORCE: Arguments = {
  force: {
    description: 'Whether to delete the item for good instead of moving it to the trash.',
    type: 'boolean',
    default: false,
  },
}

/**
 * Controller of a resource whose items can be listed, read and deleted. A subclass supplies the schema, the data and
 * the links (`Controller`), the permissions, the query of a list, and the services that read and delete items. The base
 * class supplies arguments, paging, hooks, and `deleted` and `previous` (specification 4 and 5).
 *
 * `Item` is a stored item, `Query` the query of a list, and `Listed` an item of a list if that has less data.
 */
export abstract class CollectionController<
  Item extends { id: number },
  Query,
  Listed extends { id: number } = Item,
> extends Controller<Item | Listed> {
  protected abstract readonly input: CollectionInput<Query>
  protected abstract readonly reader: ResourceReader<Query, Listed>
  protected abstract readonly writer: ItemRemover<Item>

  /** Whether batches can write items. */
  protected readonly inBatches: boolean = false

  /** Arguments of the DELETE route. */
  protected readonly deleteParams = FORCE

  /**
   * Returns the item in the URL.
   * @throws RestError if it does not exist
   */
  abstract itemOf(request: RestRequest): Promise<Item>

  /** Returns the item for a permission check: as `itemOf`, but reuses an item that has already been read. */
  protected itemAsked(request: RestRequest): Awaitable<Item> {
    return (subjectOf(request, `${this.namespace}/${this.restBase}`) as Item | undefined) ?? this.itemOf(request)
  }

  // Permissions of the three routes

  abstract mayList(request: RestRequest): Permission
  abstract mayRead(request: RestRequest): Permission
  abstract mayDelete(request: RestRequest): Permission

  /** Returns links to the item and to the list. Subclasses can add more. */
  protected override toLinks(item: Item | Listed, _request: RestRequest): Awaitable<Links> {
    return { self: { href: this.href(item.id) }, collection: { href: this.href() } }
  }

  // Routes

  override register(server: RestServer): void {
    this.registerRoute(server, this.restBase, this.listEndpoints())
    const id: ArgumentSchema = { description: 'ID of the item.', type: 'integer' }
    this.registerRoute(server, `${this.restBase}/(?P<id>[\\d]+)`, this.itemEndpoints(), { id })
  }

  /**
   * @param args arguments in the path
   * @param shownPath the path that index documents show if it differs
   */
  protected registerRoute(
    server: RestServer,
    path: string,
    endpoints: EndpointGroup[],
    args: Arguments = {},
    shownPath = path,
  ): void {
    const schema = () => this.publicSchema()
    const batches = this.inBatches && { allow_batch: { v1: true } }
    for (const { permission_callback: check } of endpoints) if (typeof check === 'function') this.checks.add(check)
    const shown = shownPath !== path && { 'x-shown-route': shownPath }
    server.registerRoute(this.namespace, path, Object.assign({ args, schema, ...batches, ...shown }, endpoints))
  }

  /** The endpoints of the list. */
  protected listEndpoints(): EndpointGroup[] {
    return [
      {
        callback: (request) => this.list(request),
        permission_callback: (request) => this.mayList(request),
        args: this.collectionParams(),
      },
    ]
  }

  /** The endpoints of the item in the URL. */
  protected itemEndpoints(): EndpointGroup[] {
    return [
      {
        callback: (request) => this.item(request),
        permission_callback: (request) => this.mayRead(request),
        args: this.itemParams(),
      },
      {
        methods: 'DELETE',
        callback: (request) => this.delete(request),
        permission_callback: (request) => this.mayDelete(request),
        args: this.deleteParams,
      },
    ]
  }

  // Arguments

  override collectionParams(): Arguments {
    return { ...super.collectionParams(), context: this.contextParam('view'), ...this.listArguments() }
  }

  /** Additional arguments of the list. */
  protected listArguments(): Arguments {
    return {}
  }

  /** Arguments of the single item. */
  protected itemParams(): Arguments {
    return { context: this.contextParam('view') }
  }

  // Reading

  protected async list(request: RestRequest): Promise<RestResponse> {
    const query = await this.filteredQuery(request)
    const { items, total, next } = await this.reader.query(query, request)
    const response = await this.listResponse(items, request)
    if (next !== undefined) return paginateByCursor(this.plugin, response, request, { total, next })
    // Without `per_page`, all items are on one page.
    const perPage = this.perPageOf(query, request) ?? Math.max(total, 1)
    return this.paginate(response, request, { total, perPage, page: this.pageOf(query, request) })
  }

  /** Returns the query of a list request after its filters. The base class has no filter. */
  protected filteredQuery(request: RestRequest): Awaitable<Query> {
    return this.input.queryOf(request)
  }

  /** Returns the number of items per page of a query; undefined if all items are on one page. */
  protected perPageOf(_query: Query, request: RestRequest): number | undefined {
    return request.get('per_page') as number | undefined
  }

  /** Returns the page number of a query. */
  protected pageOf(_query: Query, request: RestRequest): number {
    return request.get('page') as number
  }

  protected async item(request: RestRequest): Promise<RestResponse> {
    const item = await this.itemOf(request)
    return this.itemResponse(item, request, () => this.prepareItem(item, request))
  }

  /** Creates the response to a request for an item. An override can only depend on data that `tagsOf` covers. */
  protected prepareItem(item: Item, request: RestRequest): Promise<RestResponse> {
    return this.prepare(item, request)
  }

  // Deleting

  protected async delete(request: RestRequest): Promise<RestResponse | RestError> {
    const item = await this.itemOf(request)
    const response = await (request.get('force') === true
      ? this.#deleteForGood(item, request)
      : this.#trash(item, request))
    await runAction(this.plugin.hooks.rest_delete.for(this.hookName), item, response, request)
    return response
  }

  async #deleteForGood(item: Item, request: RestRequest): Promise<RestResponse> {
    const previous = await this.prepareDeleted(item, request)
    await this.clearing(request, () => this.writer.delete(item, request))
    return new RestResponse({ deleted: true, previous: previous.data })
  }

  async #trash(item: Item, request: RestRequest): Promise<RestResponse> {
    const trashed = await this.clearing(request, () => this.trash(item, request))
    return this.prepareDeleted(trashed, request, item)
  }

  /**
   * Moves an item to the trash.
   * @throws rest_trash_not_supported if the resource has no trash, as in this class
   */
  protected async trash(_item: Item, _request: RestRequest): Promise<Item> {
    throw errors.rest_trash_not_supported()
  }

  /**
   * Creates the response to deleting an item, as far as the user can see the item.
   * @param before the item before it was deleted
   */
  protected prepareDeleted(item: Item, request: RestRequest, _before: Item = item): Promise<RestResponse> {
    return this.prepareAs('edit', item, request)
  }

  /**
   * Prepares an item in a context instead of the requested one. With null, only the ID, for users who cannot see the
   * item.
   */
  protected async prepareAs(context: ItemContext | null, item: Item, request: RestRequest): Promise<RestResponse> {
    if (context === null) return new RestResponse({ id: item.id })
    request.set('context', context)
    return this.prepare(item, request)
  }

  /** Runs a write, and clears the values that the request has cached, also if the write fails. */
  protected async clearing<R>(request: RestRequest, work: () => Promise<R>): Promise<R> {
    try {
      return await work()
    } finally {
      request.scope.clear()
    }
  }
}
