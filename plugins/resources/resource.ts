import type { Awaitable, RestError, RestRequest } from '../../kernel/index.ts'
import type { ListCursor } from './list-cursor.ts'

/** What a permission check returns: true, or false or an error that says why not. */
export type Permission = Awaitable<boolean | RestError>

/** Who may do what with the items of a resource. `item` is the one in the URL. */
export interface ResourcePermissions<Item> {
  list(request: RestRequest): Permission
  read(item: Item, request: RestRequest): Permission
  create(request: RestRequest): Permission
  update(item: Item, request: RestRequest): Permission
  delete(item: Item, request: RestRequest): Permission
}

/** What a request asks of a list. */
export interface CollectionInput<Query> {
  queryOf(request: RestRequest): Awaitable<Query>
}

/** What a request asks of a list, and gives of an item. */
export interface ResourceInput<Item, Query, Change> extends CollectionInput<Query> {
  /**
   * What a request gives of an item, beside meta and registered fields.
   * @param before the item as it is; null for one that is created
   * @throws RestError for what cannot be stored
   */
  changeOf(request: RestRequest, before: Item | null): Awaitable<Change>
}

/** One page of a list, and how many items there are on all pages. */
export interface ItemList<T> {
  readonly items: readonly T[]
  readonly total: number
  /**
   * Where a list goes on that is paged through by cursor; null at its end. Behind the first page `total` is that of the
   * page alone: nobody counts.
   */
  readonly next?: ListCursor | null
}

/** Reads the items of a list. */
export interface ResourceReader<Query, Listed> {
  /** The page that a query asks for. */
  query(query: Query, request: RestRequest): Promise<ItemList<Listed>>
}

/** Deletes items. */
export interface ItemRemover<Item> {
  /** Deletes an item for good. */
  delete(item: Item, request: RestRequest): Promise<unknown>
}

/** Stores items. Creating and changing run in a transaction, with the meta and the registered fields of the item. */
export interface ResourceWriter<Item, Change> extends ItemRemover<Item> {
  create(change: Change, request: RestRequest): Promise<Item>
  /** Returns the item as it is then. */
  update(before: Item, change: Change, request: RestRequest): Promise<Item>
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

declare module '../../kernel/index.ts' {
  interface Services {
    /**
     * Several writes as one, for those who know no store.
     * @example
     * await services.transactions.inTurn(async () => {
     *   await services.meta.write('post', 12, 'litres', [3], request.scope)
     *   await services.options.set('garden_watered', 12)
     * })
     */
    transactions: Transactions
  }
}
