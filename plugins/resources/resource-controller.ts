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
 * The five routes of a resource that is read and written: those of `CollectionController`, creating an item and changing
 * one. A subclass gives what that one asks for, and who may do what (`permissions`), what a request gives (`input`) and
 * where items are stored (`writer`). The rest is the same for all: hooks, the transaction, meta and registered fields,
 * `Location` (specification 4 and 5).
 *
 * `Change` is what a request gives of an item; the other types are those of `CollectionController`.
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

  /** What taps of `rest_*_collection_params` are told about the resource; its name in hooks unless a subclass knows more. */
  protected get kind(): unknown {
    return this.hookName
  }

  /** Whose meta a request writes with an item; null where items have none. */
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

  // What a request asks for and gives

  /** What a request asks of the list, after the filter `rest_*_query`. */
  protected override async filteredQuery(request: RestRequest): Promise<Query> {
    const hook = this.plugin.hooks.rest_query.for(this.hookName) as Filter<Query, [request: RestRequest], 'request'>
    return applyFilter(hook, await this.input.queryOf(request), request)
  }

  /** What a request gives of an item, after the filter `rest_pre_insert_*`. */
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
   * Stores an item with meta and registered fields in one transaction: all of it, or nothing. Takes the turn of the
   * transaction, so `writer` takes none.
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

  /** URL of an item that has been created. */
  protected locationOf(item: Item): string {
    return this.href(item.id)
  }

  /** An item as the user may see it who has created it: as one that they have changed, unless a subclass says otherwise. */
  protected prepareCreated(item: Item, request: RestRequest): Promise<RestResponse> {
    return this.prepareWritten(item, request)
  }

  /** An item as the user may see it who has changed it: whole, unless a subclass says otherwise. */
  protected prepareWritten(item: Item, request: RestRequest): Promise<RestResponse> {
    return this.prepareAs('edit', item, request)
  }
}
