import type { Awaitable, RestError, RestRequest } from '../../kernel/index.ts'
import type { ListCursor } from './list-cursor.ts'

/** Result of a permission check: true, or false or an error with the reason. */
export type Permission = Awaitable<boolean | RestError>

/** Permission checks of a resource. `item` is the item in the URL. */
export interface ResourcePermissions<Item> {
  list(request: RestRequest): Permission
  read(item: Item, request: RestRequest): Permission
  create(request: RestRequest): Permission
  update(item: Item, request: RestRequest): Permission
  delete(item: Item, request: RestRequest): Permission
}

/** Reads the query of a list request. */
export interface CollectionInput<Query> {
  queryOf(request: RestRequest): Awaitable<Query>
}

/** Reads the query of a list request and the changes of a write. */
export interface ResourceInput<Item, Query, Change> extends CollectionInput<Query> {
  /**
   * Returns the changes of a request, without meta and registered fields.
   * @param before the stored item; null for a new one
   * @throws RestError if the changes cannot be stored
   */
  changeOf(request: RestRequest, before: Item | null): Awaitable<Change>
}

/** One page of a list, and the number of items on all pages. */
export interface ItemList<T> {
  readonly items: readonly T[]
  readonly total: number
  /**
   * Cursor of the next page of a list that is paged by cursor; null at its end. After the first page, `total` is the
   * number of items on the page, because items are not counted.
   */
  readonly next?: ListCursor | null
}

/** Reads the items of a list. */
export interface ResourceReader<Query, Listed> {
  /** Returns the page of a query. */
  query(query: Query, request: RestRequest): Promise<ItemList<Listed>>
}

/** Deletes items. */
export interface ItemRemover<Item> {
  /** Deletes an item permanently. */
  delete(item: Item, request: RestRequest): Promise<unknown>
}

/**
 * Stores items. Creating and updating run in a transaction together with the meta and registered fields of the item.
 */
export interface ResourceWriter<Item, Change> extends ItemRemover<Item> {
  create(change: Change, request: RestRequest): Promise<Item>
  /** Updates an item. @returns the updated item */
  update(before: Item, change: Change, request: RestRequest): Promise<Item>
}

/** The owner of meta that a request writes. */
export interface MetaSubject {
  /** `post`, `term`, `comment` or `user`. */
  readonly type: string
  /** Content type, taxonomy or comment type. */
  readonly subtype: string
  /** The stored item, for permission checks. */
  readonly object: { readonly id: number }
}

/** Combines several writes to one: all of them or none. The store provides it. */
export interface Transactions {
  /** Runs `work` in a transaction, serialized with other turns in every process. */
  inTurn<R>(work: () => Promise<R>): Promise<R>
}

declare module '../../kernel/index.ts' {
  interface Services {
    /**
     * Combines several writes to one transaction, for plugins that do not use the store.
     * @example
     * await services.transactions.inTurn(async () => {
     *   await services.meta.write('post', 12, 'litres', [3], request.scope)
     *   await services.options.set('garden_watered', 12)
     * })
     */
    transactions: Transactions
  }
}
