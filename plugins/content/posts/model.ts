import { sql } from 'kysely'
import { createHash, timingSafeEqual } from 'node:crypto'
import DataLoader from 'dataloader'
import type { Awaitable, CurrentUser, PluginContext, RestRequest, RequestCache } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import type { PostSubject } from '../../people/roles/index.ts'
import type { Row, Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import { freeSlugs, typesSharingSlugs } from './names.ts'
import { pageOf } from './plan.ts'
import {
  narrow,
  ordered,
  orderOf,
  reached,
  TRASHED_STATUS_KEY,
  type PostQuery,
  type ReadScope,
  type States,
} from './query.ts'

/** A post of whatever type, as it is stored. */
export type Post = Row<'posts'>
/** A post without its texts, which are long. */
export type LeanPost = Omit<Post, 'content' | 'excerpt' | 'content_filtered'>

/** Posts, and how many there are without `limit` and `offset`. */
export interface PostList<P = Post> {
  items: P[]
  total: number
}

/** The versions that a post has had. */
export interface Versions {
  count: number
  /** Id of the newest; 0 without any. */
  latest: number
}

/** Content of every type: reading it, and who may. What one request reads of many posts comes from one statement. */
export interface PostReading {
  /** A post of whatever type; undefined when there is none of this id. Asks for no rights. */
  get(id: number, scope: RequestCache): Promise<Post | undefined>
  /** The same; the post directly above is read in the same statement, so that `get` has both. */
  getAttached(id: number, scope: RequestCache): Promise<Post | undefined>
  /** The posts that a query asks for. Asks for no rights. Queries that differ in their one parent share a statement. */
  query(query: PostQuery, scope: RequestCache): Promise<PostList>
  /** The same without their texts. */
  queryLean(query: PostQuery): Promise<PostList<LeanPost>>
  /** Whether a person may read a post; its password is another matter. Attachments follow the post above. */
  isReadable(post: LeanPost, user: CurrentUser, scope: RequestCache): Promise<boolean>
  /**
   * The query limited to what a user may read, and its search to the texts that are open to them. What it says of that
   * already stays.
   */
  forUser(query: PostQuery, user: CurrentUser): PostQuery
  /** What a user may read that other items are attached to, for the query that lists those. */
  readScopeAbove(user: CurrentUser): ReadScope[]
  /** Whether a person may change a post. */
  isEditable(post: LeanPost, user: CurrentUser, scope: RequestCache): Promise<boolean>
  /** What a capability about the post needs to know of it. */
  subject(post: LeanPost, scope: RequestCache): Promise<PostSubject>
  /**
   * Whether a given password opens the post; one without a password is open. Takes the same time for every password.
   * Who has given too many wrong ones has to wait before anything is told of another.
   * @param request who asks: from where, and what was found out already in the same scope
   * @throws rest_post_too_many_attempts
   */
  opens(post: LeanPost, password: unknown, request: Pick<RestRequest, 'ip' | 'scope'>): Awaitable<boolean>
  /** The slug that the title gives the post if it is published without one. */
  generatedSlug(post: LeanPost, scope: RequestCache): Promise<string>
  /** How many revisions and autosaves a post has, and the newest. */
  versions(id: number, scope: RequestCache): Promise<Versions>
  /** Id of the image that stands for the post; 0 for none. */
  featuredMedia(id: number, scope: RequestCache): Promise<number>
  /** The template that shows the post; '' for that of its type. */
  template(id: number, scope: RequestCache): Promise<string>
  /** Ids of the posts that stay at the top. */
  sticky(): Promise<readonly number[]>
}

/** Key of the extra value that holds the image of a post. */
export const THUMBNAIL_KEY = '_thumbnail_id'
/** Key of the extra value that holds the template of a post. */
export const TEMPLATE_KEY = '_page_template'

const LEAN_COLUMNS = [
  'id', 'type', 'status', 'slug', 'title', 'password', 'author_id', 'parent_id', 'menu_order', 'date', 'date_gmt',
  'modified', 'modified_gmt', 'comment_status', 'ping_status', 'comment_count', 'guid', 'mime_type',
] as const // prettier-ignore
export const COLUMNS = [...LEAN_COLUMNS, 'content', 'excerpt', 'content_filtered'] as const

const NOTHING: States = { statuses: [], trashed: [] }

/** Posts over the store. */
export class PostModel implements PostReading {
  readonly #services: PluginContext['services']

  constructor(services: PluginContext['services']) {
    this.#services = services
  }

  get(id: number, scope: RequestCache): Promise<Post | undefined> {
    return id === 0 ? Promise.resolve(undefined) : this.#byId(scope).load(id)
  }

  async getAttached(id: number, scope: RequestCache): Promise<Post | undefined> {
    const loader = scope.get('posts with those above', () => {
      const read = async (ids: readonly number[]) => {
        const { db } = this.#services.store
        const query = this.#services.store.forIds('posts with those above', ids, (some) => {
          const named = db.selectFrom('posts').select('parent_id').where('id', 'in', some)
          return db
            .selectFrom('posts')
            .select(COLUMNS)
            .where('id', 'in', some)
            .unionAll(db.selectFrom('posts').select(COLUMNS).where('id', 'in', named))
        })
        const rows = await this.#services.store.all(query)
        const found = new Map(rows.map((post) => [post.id, post]))
        const byId = this.#byId(scope)
        for (const post of found.values()) byId.prime(post.id, post)
        return ids.map((one) => found.get(one))
      }
      return new DataLoader<number, Post | undefined>(read, { maxBatchSize: 1000 })
    })
    return id === 0 ? undefined : loader.load(id)
  }

  async query(asked: PostQuery, scope: RequestCache): Promise<PostList> {
    const query = reached(asked)
    if (isEmpty(query)) return { items: [], total: 0 }
    const list = await this.#listBelow(query, scope)
    const loader = this.#byId(scope)
    for (const post of list.items) loader.prime(post.id, post)
    return list
  }

  async queryLean(asked: PostQuery): Promise<PostList<LeanPost>> {
    const query = reached(asked)
    return isEmpty(query) ? { items: [], total: 0 } : this.#list<LeanPost>(query, LEAN_COLUMNS)
  }

  async isReadable(post: LeanPost, user: CurrentUser, scope: RequestCache): Promise<boolean> {
    const { capabilities, contentTypes, statuses } = this.#services
    const type = contentTypes.get(post.type)
    if (type === undefined) return false
    const openType = type.capabilities.read === 'read'
    if (openType && statuses.get(post.status)?.public === true) return true
    if (openType && post.status === 'inherit' && post.type !== 'revision') {
      const above = await this.#firstOwnStatus(post, scope)
      if (above === null || (above !== undefined && (await this.isReadable(above, user, scope)))) return true
      // Whoever put it there sees it wherever it is.
      return post.author_id === user.id && user.id !== 0 && capabilities.can(user, type.capabilities.read)
    }
    return capabilities.can(user, 'read_post', await this.subject(post, scope))
  }

  forUser(query: PostQuery, user: CurrentUser): PostQuery {
    const { capabilities, contentTypes } = this.#services
    const { statuses, search = '' } = query
    const limited = { ...query }
    if (query.readScope === undefined) {
      limited.readScope = this.#readScope(query.types, statuses, user, 'read')
      const there = new Set(limited.readScope.flatMap(({ types }) => types))
      if (query.listsHidden !== true) limited.types = query.types.filter((type) => there.has(type))
    }
    if (query.opens === undefined && search.trim() !== '')
      limited.opens = this.#readScope(limited.types, statuses, user, 'edit')
    if (query.above === undefined && statuses.includes('inherit')) {
      const known = limited.types.map((name) => contentTypes.get(name)?.capabilities.read)
      const readsOwn = known.every((read) => read !== undefined && capabilities.can(user, read))
      limited.above = { readScopes: this.readScopeAbove(user), author: readsOwn ? user.id : 0 }
    }
    return limited
  }

  readScopeAbove(user: CurrentUser): ReadScope[] {
    const { contentTypes, statuses } = this.#services
    const types = contentTypes.all().map(({ name }) => name)
    const own = statuses.all().flatMap(({ name }) => (name === 'inherit' ? [] : [name]))
    return this.#readScope(types, own, user, 'read')
  }

  /**
   * Which posts of these types and statuses a user may read, or change, passwords aside; of the status `inherit` all that
   * are not hidden with others. Types with the same rights stand together, those without any are left out.
   */
  #readScope(
    types: readonly string[],
    asked: readonly string[],
    user: CurrentUser,
    right: 'read' | 'edit',
  ): ReadScope[] {
    const before = this.#services.statuses.all().flatMap(({ name }) => (name === 'trash' ? [] : [name]))
    const alike = new Map<string, ReadScope & { types: string[] }>()
    for (const name of types) {
      const type = this.#services.contentTypes.get(name)
      if (type === undefined) continue
      const may = (author_id: number, status: string, previous_status?: string) => {
        const subject = { id: 0, type: name, status, author_id, parent_id: 0, parent: null, previous_status }
        return this.#may(right, type, subject, user)
      }
      // Neither right contains the other: some may change posts of others, and not their own.
      const states = (ofOthers: boolean, own: boolean): States => {
        const is = (status: string, previous?: string) =>
          may(0, status, previous) === ofOthers && (user.id === 0 || may(user.id, status, previous) === own)
        const trashed = asked.includes('trash') ? before.filter((previous) => is('trash', previous)) : []
        const all = trashed.length === before.length
        const statuses = asked.filter((status) => (status === 'trash' ? all : is(status)))
        return { statuses, trashed: all ? [] : trashed }
      }
      const any = states(true, true)
      const [own, others] = user.id === 0 ? [NOTHING, NOTHING] : [states(false, true), states(true, false)]
      if ([any, own, others].every(({ statuses, trashed }) => statuses.length + trashed.length === 0)) continue
      const rights = JSON.stringify([any, own, others])
      const readScope = alike.get(rights)
      if (readScope === undefined) alike.set(rights, { types: [name], any, own, others, user: user.id })
      else readScope.types.push(name)
    }
    return [...alike.values()]
  }

  /** Whether a user may read, or change, posts like one. */
  #may(right: 'read' | 'edit', { capabilities }: ContentType, post: PostSubject, user: CurrentUser): boolean {
    const rights = this.#services.capabilities
    if (right === 'edit') return user.id !== 0 && rights.can(user, 'edit_post', post)
    const open = capabilities.read === 'read'
    if (post.status === 'inherit' && post.type !== 'revision') return open || rights.can(user, capabilities.read)
    if (open && this.#services.statuses.get(post.status)?.public === true) return true
    return rights.can(user, 'read_post', post)
  }

  async isEditable(post: LeanPost, user: CurrentUser, scope: RequestCache): Promise<boolean> {
    // Visitors may change nothing: no need to read what the right depends on.
    if (user.id === 0) return false
    return this.#services.capabilities.can(user, 'edit_post', await this.subject(post, scope))
  }

  async subject(post: LeanPost, scope: RequestCache): Promise<PostSubject> {
    const subject = {
      id: post.id,
      type: post.type,
      status: post.status,
      author_id: post.author_id,
      parent_id: post.parent_id,
    }
    if (post.status === 'trash') {
      const { meta } = this.#services
      const previous = await meta.single('post', post.id, TRASHED_STATUS_KEY, scope)
      return typeof previous === 'string' ? { ...subject, previous_status: previous } : subject
    }
    if (post.status !== 'inherit' && post.type !== 'revision') return subject
    const parent = post.parent_id === post.id ? undefined : await this.get(post.parent_id, scope)
    // Nothing that is above a post inherits in turn, but for attachments of attachments, which nobody may read.
    if (parent === undefined || parent.status === 'inherit') return { ...subject, parent: null }
    return { ...subject, parent: await this.subject(parent, scope) }
  }

  opens(post: LeanPost, password: unknown, { ip, scope }: Pick<RestRequest, 'ip' | 'scope'>): Awaitable<boolean> {
    if (post.password === '') return true
    if (typeof password !== 'string' || password === '') return false
    // However often one request asks, it is one attempt.
    return scope.get(`post ${post.id} opened by ${password}`, async () => {
      const right = sameText(post.password, password)
      const wait = await this.#services.attempts.check(`post:${post.id}`, ip, right)
      if (wait > 0) throw errors.rest_post_too_many_attempts(wait, { data: { retry_after: wait } })
      return right
    })
  }

  /** The nearest post above that has a status of its own; null without any, undefined where posts are above each other. */
  async #firstOwnStatus(post: LeanPost, scope: RequestCache): Promise<Post | null | undefined> {
    const above = await this.get(post.parent_id, scope)
    if (above?.status !== 'inherit') return above ?? null
    const loader = scope.get('posts that others inherit from', () => {
      const read = (ids: readonly number[]) => inheritedFrom(this.#services.store, ids)
      return new DataLoader<number, number | null | undefined>(read, { maxBatchSize: 1000 })
    })
    const id = await loader.load(above.id)
    return id === null || id === undefined ? id : this.get(id, scope)
  }

  generatedSlug(post: LeanPost, scope: RequestCache): Promise<string> {
    const loader = scope.get('generated slugs', () => {
      const { contentTypes, permalinks, store } = this.#services
      const free = (posts: readonly LeanPost[]) =>
        freeSlugs(
          store,
          posts.map(({ id, type, parent_id, title }) => {
            const wanted = permalinks.slugify(title) || String(id)
            return { id, type, parent_id, wanted, hierarchical: typesSharingSlugs(contentTypes, type) }
          }),
        )
      return new DataLoader<LeanPost, string, number>(free, { cacheKeyFn: ({ id }) => id })
    })
    return loader.load(post)
  }

  versions(id: number, scope: RequestCache): Promise<Versions> {
    const { store } = this.#services
    return scope
      .get('versions of posts', () => new DataLoader((ids: readonly number[]) => countVersions(store, ids)))
      .load(id)
  }

  async featuredMedia(id: number, scope: RequestCache): Promise<number> {
    return Number(await this.#services.meta.single('post', id, THUMBNAIL_KEY, scope)) || 0
  }

  async template(id: number, scope: RequestCache): Promise<string> {
    const template = await this.#services.meta.single('post', id, TEMPLATE_KEY, scope)
    return typeof template === 'string' && template !== 'default' ? template : ''
  }

  async sticky(): Promise<readonly number[]> {
    const ids = await this.#services.options.get('sticky_posts')
    return Array.isArray(ids) ? ids.map(Number).filter(Number.isSafeInteger) : []
  }

  #byId(scope: RequestCache): DataLoader<number, Post | undefined> {
    return scope.get('posts', () => {
      const read = async (ids: readonly number[]) => {
        const { store } = this.#services
        const posts = await store.all(
          store.forIds('posts', ids, (some) => store.db.selectFrom('posts').select(COLUMNS).where('id', 'in', some)),
        )
        const found = new Map(posts.map((post) => [post.id, post]))
        return ids.map((id) => found.get(id))
      }
      return new DataLoader<number, Post | undefined>(read, { maxBatchSize: 1000 })
    })
  }

  /** The posts of a query. What asks for the same below different posts is asked for once. */
  #listBelow(query: PostQuery, scope: RequestCache): Promise<PostList> {
    const { parent = [], ...rest } = query
    const [only] = parent
    const ordered = rest.orderby !== 'include' && rest.orderby !== 'include_slugs'
    if (only === undefined || parent.length > 1 || !ordered) return this.#list(query, COLUMNS)
    const loader = scope.get(`posts below others: ${JSON.stringify(rest)}`, () => {
      const read = async (parents: readonly number[]) =>
        parents.length > 1
          ? listsBelow(this.#services.store, rest, parents)
          : [await this.#list<Post>({ ...rest, parent: parents }, COLUMNS)]
      return new DataLoader<number, PostList>(read, { maxBatchSize: 1000 })
    })
    return loader.load(only)
  }

  async #list<P extends LeanPost>(query: PostQuery, columns: readonly (keyof Post)[]): Promise<PostList<P>> {
    const { store } = this.#services
    const { limit, offset = 0, orderby = 'date' } = query
    if (orderby === 'include' || orderby === 'include_slugs') return this.#listAsGiven(query, columns)
    const select = store.once(`posts ${columns.length} ${JSON.stringify(query)}`, () => {
      const page = pageOf(store, query)
      if (page !== null) return ordered(store, store.db.selectFrom('posts').where(page).select(columns), query)
      return ordered(store, narrow(store, query).select(columns), query).limit(limit).offset(offset)
    })
    const items = (await store.all(select)) as unknown as P[]
    const last = items.length < limit && (items.length > 0 || offset === 0)
    return { items, total: last ? offset + items.length : await this.#count(query) }
  }

  /** The posts in the order of the list that names them, which is no order that the database knows. */
  async #listAsGiven<P extends LeanPost>(query: PostQuery, columns: readonly (keyof Post)[]): Promise<PostList<P>> {
    const { store } = this.#services
    const { limit, offset = 0, orderby, include = [], slug = [] } = query
    const found = await store.all(narrow(store, query).select(['posts.id', 'posts.slug']))
    const bySlug = orderby === 'include_slugs'
    const names: readonly (string | number)[] = bySlug ? slug : include
    const places = new Map([...names.entries()].toReversed().map(([place, name]) => [name, place]))
    const placeOf = (row: { id: number; slug: string }) => places.get(bySlug ? row.slug : row.id) ?? names.length
    const ids = found
      .sort((a, b) => placeOf(a) - placeOf(b) || a.id - b.id)
      .map(({ id }) => id)
      .slice(offset, offset + limit)
    if (ids.length === 0) return { items: [], total: found.length }
    const rows = (await store.all(
      store.db.selectFrom('posts').select(columns).where('id', 'in', ids),
    )) as unknown as P[]
    const byId = new Map(rows.map((row) => [row.id, row]))
    return { items: ids.flatMap((id) => byId.get(id) ?? []), total: found.length }
  }

  #count(query: PostQuery): Promise<number> {
    const { store } = this.#services
    const { limit: _, offset: __, order: ___, ...counted } = query
    const counting = store.once(`count of posts ${JSON.stringify(counted)}`, () =>
      narrow(store, query).select(({ fn }) => fn.countAll<number>().as('total')),
    )
    return store.total(counting)
  }
}

/** Whether a query names no type or no status that it could find posts of. */
function isEmpty({ types, statuses }: PostQuery): boolean {
  return types.length === 0 || statuses.length === 0
}

/** For each post the list of what is directly below it. */
async function listsBelow(store: Store, query: PostQuery, parents: readonly number[]): Promise<PostList[]> {
  const { limit, offset = 0 } = query
  const order = orderOf(store, query)
  const numbered = narrow(store, { ...query, parent: parents })
    .select(COLUMNS)
    .select(({ fn }) => [
      fn
        .countAll<number>()
        .over((over) => over.partitionBy('posts.parent_id'))
        .as('total'),
      fn
        .agg<number>('row_number')
        .over((over) => {
          const part = over.partitionBy('posts.parent_id')
          return order.reduce((sorted, [by, direction]) => sorted.orderBy(by, direction), part)
        })
        .as('place'),
    ])
    .as('numbered')
  const rows = await store.all(
    store.db
      .selectFrom(numbered)
      .selectAll()
      // The first of each tells how many there are, also to a page behind the last.
      .where((eb) =>
        eb.or([eb('place', '=', 1), eb.and([eb('place', '>', offset), eb('place', '<=', offset + limit)])]),
      )
      .orderBy('place'),
  )
  const lists = new Map(parents.map((id): [number, PostList] => [id, { items: [], total: 0 }]))
  for (const { total, place, ...post } of rows) {
    const list = lists.get(post.parent_id)!
    list.total = total
    if (place > offset) list.items.push(post)
  }
  return parents.map((id) => lists.get(id)!)
}

/** Levels of attachments that are looked through for what they belong to. */
const HIGHEST = 100

/**
 * For each post the nearest that has a status of its own, itself or above; null without any, undefined where posts are
 * above each other, or too many.
 */
async function inheritedFrom(store: Store, ids: readonly number[]): Promise<(number | null | undefined)[]> {
  const query = store.forIds('posts inherited from', ids, (some) =>
    store.db
      .withRecursive('above(start, id, parent_id, status, level)', (cte) =>
        cte
          .selectFrom('posts')
          .select(['posts.id as start', 'posts.id', 'posts.parent_id', 'posts.status', sql<number>`1`.as('level')])
          .where('id', 'in', some)
          .unionAll(
            cte
              .selectFrom('posts')
              .innerJoin('above', 'above.parent_id', 'posts.id')
              .where('above.status', '=', 'inherit')
              .where('above.level', '<', HIGHEST)
              .select(['above.start', 'posts.id', 'posts.parent_id', 'posts.status'])
              .select(sql<number>`above.level + 1`.as('level')),
          ),
      )
      .selectFrom('above')
      .select(['above.start', 'above.id', 'above.status', 'above.level']),
  )
  const rows = await store.all(query)
  const found = new Map(rows.filter(({ status }) => status !== 'inherit').map(({ start, id }) => [start, id]))
  const cut = new Set(rows.filter(({ level }) => level === HIGHEST).map(({ start }) => start))
  return ids.map((id) => found.get(id) ?? (cut.has(id) ? undefined : null))
}

/** Compares two texts in a time that tells nothing of where they differ. */
function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

async function countVersions(store: Store, ids: readonly number[]): Promise<Versions[]> {
  const query = store.forIds('versions of posts', ids, (some) => {
    const numbered = store.db
      .selectFrom('posts')
      .where('type', '=', 'revision')
      .where('parent_id', 'in', some)
      .select(({ fn }) => [
        'id',
        'parent_id',
        fn
          .countAll<number>()
          .over((over) => over.partitionBy('parent_id'))
          .as('count'),
        fn
          .agg<number>('row_number')
          .over((over) => over.partitionBy('parent_id').orderBy('date', 'desc').orderBy('id', 'desc'))
          .as('place'),
      ])
      .as('numbered')
    return store.db
      .selectFrom(numbered)
      .select(['numbered.id', 'numbered.parent_id', 'numbered.count'])
      .where('place', '=', 1)
  })
  const rows = await store.all(query)
  const byPost = new Map(rows.map(({ parent_id: post, count, id }) => [post, { count, latest: id }]))
  return ids.map((id) => byPost.get(id) ?? { count: 0, latest: 0 })
}
