import {
  type Awaitable,
  type RestError,
  applyFilter,
  applySyncFilter,
  runAction,
  type Arguments,
  type RestRequest,
  type RestResponse,
  type EndpointGroup,
  type Filter,
} from '../../kernel/index.ts'
import { CollectionController } from './collection-controller.ts'
import type { MetaSubject, Permission, ResourceInput, ResourcePermissions, ResourceWriter } from './resource.ts'

/**
 * Controller of a resource that can be read and written: the routes of `CollectionController`, and creating and
 * updating an item. A subclass additionally supplies permissions (`permissions`), the changes of a request (`input`)
 * and the service that stores items (`writer`). The base class supplies hooks, the transaction, meta, registered fields
 * and `Location` (specification 4 and 5).
 *
 * `Change` is the changes of a request; the other types are the ones of `CollectionController`.
 */
export abstract class ResourceController<
  Item extends { id: number },
  Query,
  Change,
  Listed extends { id: number } = Item,
> extends CollectionController<Item, Query, Listed> {
  protected abstract readonly permissions: ResourcePermissions<Item>
  protected abstract override readonly input: ResourceInput<Item, Query, Change>
  protected abstract override readonly writer: ResourceWriter<Item, Change>

  /**
   * Description of the resource for taps of `rest_*_collection_params`; its name in hooks unless a subclass overrides
   * it.
   */
  protected get kind(): unknown {
    return this.hookName
  }

  /** Returns the owner of the meta that a request writes with an item; null if items have no meta. */
  protected metaSubject(_item: Item, _request: RestRequest): Awaitable<MetaSubject | null> {
    return null
  }

  protected override listEndpoints(): EndpointGroup[] {
    const create: EndpointGroup = {
      methods: 'POST',
      callback: (request) => this.create(request),
      permission_callback: (request) => this.mayCreate(request),
      args: this.itemArguments('create'),
    }
    return [...super.listEndpoints(), create]
  }

  protected override itemEndpoints(): EndpointGroup[] {
    const update: EndpointGroup = {
      methods: ['POST', 'PUT', 'PATCH'],
      callback: (request) => this.update(request),
      permission_callback: (request) => this.mayUpdate(request),
      args: this.itemArguments('update'),
    }
    return super.itemEndpoints().toSpliced(1, 0, update)
  }

  override collectionParams(): Arguments {
    const hook = this.plugin.hooks.rest_collection_params.for(this.hookName)
    return applySyncFilter(hook, super.collectionParams(), this.kind)
  }

  // Permissions

  override mayList(request: RestRequest): Permission {
    return this.permissions.list(request)
  }

  override mayRead(request: RestRequest): Permission {
    return this.#may('read', request)
  }

  mayCreate(request: RestRequest): Permission {
    return this.permissions.create(request)
  }

  mayUpdate(request: RestRequest): Permission {
    return this.#may('update', request)
  }

  override mayDelete(request: RestRequest): Permission {
    return this.#may('delete', request)
  }

  async #may(act: 'read' | 'update' | 'delete', request: RestRequest): Promise<boolean | RestError> {
    return this.permissions[act](await this.itemAsked(request), request)
  }

  // Queries and changes of requests

  /** Returns the query of a list request after the filter `rest_*_query`. */
  protected override async filteredQuery(request: RestRequest): Promise<Query> {
    const hook = this.plugin.hooks.rest_query.for(this.hookName) as Filter<Query, [request: RestRequest], 'request'>
    return applyFilter(hook, await this.input.queryOf(request), request)
  }

  /** Returns the changes of a request after the filter `rest_pre_insert_*`. */
  protected async filteredChange(request: RestRequest, before: Item | null): Promise<Change> {
    const hook = this.plugin.hooks.rest_pre_insert.for(this.hookName) as Filter<Change, [request: RestRequest]>
    return applyFilter(hook, await this.input.changeOf(request, before), request)
  }

  // Writing

  protected async create(request: RestRequest): Promise<RestResponse | RestError> {
    const change = await this.filteredChange(request, null)
    const item = await this.write(request, true, () => this.writer.create(change, request))
    const response = await this.prepareCreated(item, request)
    response.status = 201
    response.headers.set('Location', this.locationOf(item))
    return response
  }

  protected async update(request: RestRequest): Promise<RestResponse | RestError> {
    const before = await this.itemOf(request)
    const change = await this.filteredChange(request, before)
    const item = await this.write(request, false, () => this.writer.update(before, change, request))
    return this.prepareWritten(item, request)
  }

  /**
   * Stores an item with meta and registered fields in one transaction. `writer` must not take a turn of its own,
   * because the transaction already has it.
   * @param store stores the item itself
   */
  protected async write(request: RestRequest, creating: boolean, store: () => Promise<Item>): Promise<Item> {
    const { hooks, services } = this.plugin
    const writeAll = async () => {
      const item = await store()
      request.scope.clear()
      await runAction(hooks.rest_insert.for(this.hookName), item, request, creating)
      const subject = await this.metaSubject(item, request)
      await runAction(hooks.rest_update_additional_fields, item, this.objectType, request, subject)
      return item
    }
    try {
      const written = await services.transactions.inTurn(writeAll)
      request.scope.clear()
      await runAction(hooks.rest_after_insert.for(this.hookName), written, request, creating)
      return written
    } finally {
      request.scope.clear()
    }
  }

  /** Returns the URL of a new item. */
  protected locationOf(item: Item): string {
    return this.href(item.id)
  }

  /** Creates the response to creating an item: the same as for updating one, unless a subclass overrides it. */
  protected prepareCreated(item: Item, request: RestRequest): Promise<RestResponse> {
    return this.prepareWritten(item, request)
  }

  /** Creates the response to updating an item: the context `edit`, unless a subclass overrides it. */
  protected prepareWritten(item: Item, request: RestRequest): Promise<RestResponse> {
    return this.prepareAs('edit', item, request)
  }
}
