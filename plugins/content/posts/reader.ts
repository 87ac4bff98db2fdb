import DataLoader from 'dataloader'
import type { PluginContext, RequestCache } from '../../../kernel/index.ts'
import { TEMPLATE_KEY, THUMBNAIL_KEY } from '../meta-keys.ts'
import { idWithOwnStatus } from './inherited-status.ts'
import { PostLists } from './lists.ts'
import { COLUMNS, LEAN_COLUMNS, type LeanPost, type Post, type PostList } from './post.ts'
import { effectiveQuery } from './effective-query.ts'
import { isEmpty, type PostQuery } from './query.ts'
import { countRevisions, type RevisionCount } from './revisions.ts'
import { freeSlugs, typesSharingSlugs } from './free-slugs.ts'

/** Posts that one statement names. */
const MOST = { maxBatchSize: 1000 }

/** Reads posts. What one request reads of many of them comes from one statement. */
export class PostReader {
  readonly #services: PluginContext['services']
  readonly #lists: PostLists

  constructor(services: PluginContext['services']) {
    this.#services = services
    this.#lists = new PostLists(services.store)
  }

  get(id: number, scope: RequestCache): Promise<Post | undefined> {
    return id === 0 ? Promise.resolve(undefined) : this.#byId(scope).load(id)
  }

  async getAttached(id: number, scope: RequestCache): Promise<Post | undefined> {
    const loader = scope.get('posts with those above', () => {
      const read = (ids: readonly number[]) => this.#readWithAbove(ids, scope)
      return new DataLoader<number, Post | undefined>(read, MOST)
    })
    return id === 0 ? undefined : loader.load(id)
  }

  async query(asked: PostQuery, scope: RequestCache): Promise<PostList> {
    const query = effectiveQuery(asked)
    if (isEmpty(query)) return { items: [], total: 0 }
    const list = await this.#lists.below(query, scope)
    const loader = this.#byId(scope)
    for (const post of list.items) loader.prime(post.id, post)
    return list
  }

  async queryLean(asked: PostQuery): Promise<PostList<LeanPost>> {
    const query = effectiveQuery(asked)
    return isEmpty(query) ? { items: [], total: 0 } : this.#lists.read<LeanPost>(query, LEAN_COLUMNS)
  }

  /** The nearest post above that has a status of its own; null without any, undefined where posts are above each other. */
  async firstOwnStatus(post: LeanPost, scope: RequestCache): Promise<Post | null | undefined> {
    const above = await this.get(post.parent_id, scope)
    if (above?.status !== 'inherit') return above ?? null
    const loader = scope.get('posts that others inherit from', () => {
      const read = (ids: readonly number[]) => idWithOwnStatus(this.#services.store, ids)
      return new DataLoader<number, number | null | undefined>(read, MOST)
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

  revisions(id: number, scope: RequestCache): Promise<RevisionCount> {
    const { store } = this.#services
    return scope
      .get('revisions of posts', () => new DataLoader((ids: readonly number[]) => countRevisions(store, ids)))
      .load(id)
  }

  async featuredMedia(id: number, scope: RequestCache): Promise<number> {
    return Number(await this.#services.meta.single('post', id, THUMBNAIL_KEY, scope)) || 0
  }

  async template(id: number, scope: RequestCache): Promise<string> {
    const template = await this.#services.meta.single('post', id, TEMPLATE_KEY, scope)
    return typeof template === 'string' && template !== 'default' ? template : ''
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
      return new DataLoader<number, Post | undefined>(read, MOST)
    })
  }

  async #readWithAbove(ids: readonly number[], scope: RequestCache): Promise<(Post | undefined)[]> {
    const { store } = this.#services
    const { db } = store
    const query = store.forIds('posts with those above', ids, (some) => {
      const parents = db.selectFrom('posts').select('parent_id').where('id', 'in', some)
      return db
        .selectFrom('posts')
        .select(COLUMNS)
        .where('id', 'in', some)
        .unionAll(db.selectFrom('posts').select(COLUMNS).where('id', 'in', parents))
    })
    const found = new Map((await store.all(query)).map((post) => [post.id, post]))
    const byId = this.#byId(scope)
    for (const post of found.values()) byId.prime(post.id, post)
    return ids.map((id) => found.get(id))
  }
}
