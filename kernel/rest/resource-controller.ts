import { applyFilter, applySyncFilter, runAction } from '../hooks/run.ts'
import type { Awaitable } from '../awaitable.ts'
import { errors, type RestError } from '../errors.ts'
import type { Arguments } from '../schema/schema.ts'
import { Controller } from './controller.ts'
import type { ItemContext } from './item-schema.ts'
import type { RestRequest } from './request.ts'
import { RestResponse, type Link } from './response.ts'
import type { EndpointGroup } from './routes.ts'
import type { RestServer } from './server.ts'

/** What a permission check returns: true, or false or an error that says why not. */
export type Permission = Awaitable<boolean | RestError>

/** Who may do what with the items of a resource. `item` is the one in the URL. */
export interface ResourcePermissions<T> {
  list(request: RestRequest): Permission
  read(item: T, request: RestRequest): Permission
  create(request: RestRequest): Permission
  update(item: T, request: RestRequest): Permission
  delete(item: T, request: RestRequest): Permission
}

/** One page of a list, and how many items there are on all pages. */
export interface ItemList<T> {
  readonly items: readonly T[]
  readonly total: number
}

/** Whose meta a request writes. */
export interface MetaSubject {
  /** `post`, `term`, `comment` or `user`. */
  readonly type: string
  /** The content type, the taxonomy, the type of the comment. */
  readonly subtype: string
  /** The stored item, as permission to change it is asked for. */
  readonly object: { readonly id: number }
}

/** What makes several writes one: all of them or none. The store provides it. */
export interface Transactions {
  /** Runs `work` in a transaction, one after the other with others of its kind, in every process. */
  inTurn<R>(work: () => Promise<R>): Promise<R>
}

declare module '../plugin.ts' {
  interface Services {
    transactions: Transactions
  }
}

/**
 * The five routes of a resource that is read and written: the list, the item, creating, changing and deleting one. A
 * subclass gives the schema, the shape, the links (`Controller`), what a request asks for and gives (`queryOf`,
 * `changeOf`), who may do what, and where items are read and written. The rest is the same for all: arguments, paging,
 * hooks, the transaction, meta and registered fields, `Location`, `deleted` and `previous` (specification 4 and 5).
 *
 * `Item` is what is stored, `Query` what a list asks for, `Change` what a request gives of an item; `Listed` is an item
 * of a list, where that holds less.
 */
export abstract class ResourceController<
  Item extends { id: number },
  Query,
  Change,
  Listed extends { id: number } = Item,
> extends Controller<Item | Listed> {
  /** Who may do what. */
  protected abstract readonly permissions: ResourcePermissions<Item>

  /**
   * The item in the URL.
   * @throws RestError when there is none
   */
  abstract itemOf(request: RestRequest): Promise<Item>

  /** What a request for the list asks for. */
  protected abstract queryOf(request: RestRequest): Awaitable<Query>

  /** Reads a page of the list. */
  protected abstract read(query: Query, request: RestRequest): Promise<ItemList<Listed>>

  /**
   * What a request gives of an item, beside meta and registered fields.
   * @param before the item as it is; null for one that is made
   * @throws RestError for what cannot be stored
   */
  protected abstract changeOf(request: RestRequest, before: Item | null): Awaitable<Change>

  /** Stores a new item; the transaction is open. */
  protected abstract insert(change: Change, request: RestRequest): Promise<Item>

  /** Changes an item; the transaction is open. Returns it as it is then. */
  protected abstract change(before: Item, change: Change, request: RestRequest): Promise<Item>

  /** Deletes an item for good. */
  protected abstract remove(item: Item, request: RestRequest): Promise<unknown>

  /**
   * Moves an item to the trash.
   * @throws rest_trash_not_supported where there is none, as here
   */
  protected async trash(_item: Item, _request: RestRequest): Promise<Item> {
    throw errors.rest_trash_not_supported()
  }

  /** The arguments of the list beside those of every list. */
  protected listArguments(): Arguments {
    return {}
  }

  /** What taps of `rest_*_collection_params` are told about the resource; its name in hooks unless a subclass knows more. */
  protected get kind(): unknown {
    return this.hookName
  }

  /** Whether a batch may write items. */
  protected get inBatches(): boolean {
    return false
  }

  /** Whose meta a request writes with an item; null where items have none. */
  protected metaSubject(_item: Item, _request: RestRequest): Awaitable<MetaSubject | null> {
    return null
  }

  /** To the item itself and to the list, unless a subclass knows more. */
  protected override toLinks(
    item: Item | Listed,
    _request: RestRequest,
  ): Awaitable<Record<string, Link | readonly Link[]>> {
    return { self: { href: this.href(item.id) }, collection: { href: this.href() } }
  }

  override register(server: RestServer): void {
    const shared = { schema: () => this.publicSchema(), ...(this.inBatches && { allow_batch: { v1: true } }) }
    server.registerRoute(this.namespace, this.restBase, {
      0: {
        callback: (request) => this.list(request),
        permission_callback: (request) => this.mayList(request),
        args: this.collectionParams(),
      },
      1: {
        methods: 'POST',
        callback: (request) => this.create(request),
        permission_callback: (request) => this.mayCreate(request),
        args: this.itemArguments('create'),
      },
      ...shared,
    })
    server.registerRoute(this.namespace, `${this.restBase}/(?P<id>[\\d]+)`, {
      args: { id: { description: 'ID of the item.', type: 'integer' } },
      ...this.itemEndpoints(),
      ...shared,
    })
  }

  /** Reading, changing and deleting the item in the URL. */
  protected itemEndpoints(): Record<0 | 1 | 2, EndpointGroup> {
    return {
      0: {
        callback: (request) => this.item(request),
        permission_callback: (request) => this.mayRead(request),
        args: this.itemParams(),
      },
      1: {
        methods: ['POST', 'PUT', 'PATCH'],
        callback: (request) => this.update(request),
        permission_callback: (request) => this.mayUpdate(request),
        args: this.itemArguments('update'),
      },
      2: {
        methods: 'DELETE',
        callback: (request) => this.delete(request),
        permission_callback: (request) => this.mayDelete(request),
        args: this.deleteParams(),
      },
    }
  }

  // Arguments

  override collectionParams(): Arguments {
    const params = { ...super.collectionParams(), context: this.contextParam('view'), ...this.listArguments() }
    return applySyncFilter(this.plugin.hooks.rest_collection_params.for(this.hookName), params, this.kind)
  }

  /** The arguments of the single item. */
  protected itemParams(): Arguments {
    return { context: this.contextParam('view') }
  }

  /** The arguments of deleting an item. */
  protected deleteParams(): Arguments {
    const description = 'Whether to delete the item for good instead of moving it to the trash.'
    return { force: { description, type: 'boolean', default: false } }
  }

  // Permissions

  mayList(request: RestRequest): Permission {
    return this.permissions.list(request)
  }

  async mayRead(request: RestRequest): Promise<boolean | RestError> {
    return this.permissions.read(await this.itemOf(request), request)
  }

  mayCreate(request: RestRequest): Permission {
    return this.permissions.create(request)
  }

  async mayUpdate(request: RestRequest): Promise<boolean | RestError> {
    return this.permissions.update(await this.itemOf(request), request)
  }

  async mayDelete(request: RestRequest): Promise<boolean | RestError> {
    return this.permissions.delete(await this.itemOf(request), request)
  }

  // Reading

  protected async list(request: RestRequest): Promise<RestResponse> {
    const hook = this.plugin.hooks.rest_query.for(this.hookName)
    const query: Query = await applyFilter(hook, await this.queryOf(request), request)
    const { items, total } = await this.read(query, request)
    const response = new RestResponse(await this.prepareList(items, request))
    const perPage = request.get('per_page') as number
    return this.paginate(response, request, { total, perPage, page: this.pageOf(query, request) })
  }

  /** The page of a list that a query asks for. */
  protected pageOf(_query: Query, request: RestRequest): number {
    return request.get('page') as number
  }

  protected async item(request: RestRequest): Promise<RestResponse> {
    return this.prepare(await this.itemOf(request), request)
  }

  // Writing

  protected async create(request: RestRequest): Promise<RestResponse | RestError> {
    const change = await this.filteredChange(request, null)
    const item = await this.write(request, true, () => this.insert(change, request))
    const response = await this.prepareCreated(item, request)
    response.status = 201
    response.headers.set('Location', this.href(item.id))
    return response
  }

  protected async update(request: RestRequest): Promise<RestResponse | RestError> {
    const before = await this.itemOf(request)
    const change = await this.filteredChange(request, before)
    const item = await this.write(request, false, () => this.change(before, change, request))
    return this.prepareWritten(item, request, before)
  }

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
    await this.#clearing(request, () => this.remove(item, request))
    return new RestResponse({ deleted: true, previous: previous.data })
  }

  async #trash(item: Item, request: RestRequest): Promise<RestResponse> {
    const trashed = await this.#clearing(request, () => this.trash(item, request))
    return this.prepareDeleted(trashed, request, item)
  }

  /** What a request gives of an item, after the filter `rest_pre_insert_*`. */
  protected async filteredChange(request: RestRequest, before: Item | null): Promise<Change> {
    const hook = this.plugin.hooks.rest_pre_insert.for(this.hookName)
    return applyFilter(hook, await this.changeOf(request, before), request)
  }

  /**
   * Stores an item with meta and registered fields in one transaction: all of it, or nothing.
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
    const written = await this.#clearing(request, () => services.transactions.inTurn(writeAll))
    await runAction(hooks.rest_after_insert.for(this.hookName), written, request, creating)
    return written
  }

  /** Does something that changes what the request has read, and forgets that, whatever became of it. */
  async #clearing<R>(request: RestRequest, work: () => Promise<R>): Promise<R> {
    try {
      return await work()
    } finally {
      request.scope.clear()
    }
  }

  /** An item as the user may see it who has created it: as one that they have changed, unless a subclass says otherwise. */
  protected prepareCreated(item: Item, request: RestRequest): Promise<RestResponse> {
    return this.prepareWritten(item, request)
  }

  /** An item as the user may see it who has written it: whole, unless a subclass says otherwise. */
  protected prepareWritten(item: Item, request: RestRequest, _before: Item = item): Promise<RestResponse> {
    return this.prepareAs('edit', item, request)
  }

  /**
   * An item as the user may see it who deletes it.
   * @param before the item as the user found it
   */
  protected prepareDeleted(item: Item, request: RestRequest, _before: Item = item): Promise<RestResponse> {
    return this.prepareAs('edit', item, request)
  }

  /** An item in a context, whatever the request asks for. Null: nothing but its ID, for users who may not see it. */
  protected async prepareAs(context: ItemContext | null, item: Item, request: RestRequest): Promise<RestResponse> {
    if (context === null) return new RestResponse({ id: item.id })
    request.set('context', context)
    return this.prepare(item, request)
  }
}
