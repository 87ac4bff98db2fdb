import type { RequestCache } from '../../../kernel/index.ts'
import { sql, loaderOf, type Loader, type Store } from '../../storage/store/index.ts'
import type { LinkedPost, LinkedTerm } from './linked.ts'

/** Batched loaders of the rows that URLs depend on, for one request. */
export interface PermalinkLoaders {
  /** By post ID: the post and its ancestors, nearest first. */
  readonly ancestors: Loader<LinkedPost[]>
  /** By term ID: the term and its ancestors, nearest first. */
  readonly termAncestors: Loader<LinkedTerm[]>
  /** By post ID: its category with the lowest ID. */
  readonly firstCategories: Loader<LinkedTerm | undefined>
  /** By user ID: the slug of the user. */
  readonly authorSlugs: Loader<string>
}

export function loadersOf(store: Store, scope: RequestCache): PermalinkLoaders {
  const posts = (chain: LinkedPost[]) => chain.flatMap(({ id, parent_id: above }) => [`post:${id}`, `post:${above}`])
  const terms = (chain: LinkedTerm[]) => chain.flatMap(({ id, parent_id: above }) => [`term:${id}`, `term:${above}`])
  const readAncestors = async (ids: readonly number[]) => {
    const chains = await loadAncestors(store, ids)
    // The chain of a page contains the chains of its ancestors.
    for (const chain of chains) {
      if (chain.at(-1)?.parent_id === 0) chain.forEach(({ id }, at) => ancestors.prime(id, chain.slice(at)))
    }
    return chains
  }
  const ancestors = loaderOf(scope, 'permalinks: ancestors', readAncestors, {
    of: (id) => [`post:${id}`],
    found: posts,
  })
  return {
    ancestors,
    termAncestors: loaderOf(scope, 'permalinks: terms', (ids) => loadTermAncestors(store, ids), {
      of: (id) => [`term:${id}`],
      found: terms,
    }),
    firstCategories: loaderOf(scope, 'permalinks: categories', (ids) => firstCategories(store, ids), {
      of: (id) => [`post:${id}`],
      found: (term) => (term === undefined ? [] : terms([term])),
    }),
    authorSlugs: loaderOf(scope, 'permalinks: authors', (ids) => authorSlugs(store, ids), {
      of: (id) => [`user:${id}`],
    }),
  }
}

const LINK_COLUMNS = ['id', 'type', 'status', 'slug', 'title', 'author_id', 'parent_id', 'date'] as const

/** For each ID the post and its ancestors, nearest first. */
async function loadAncestors(store: Store, ids: readonly number[]): Promise<LinkedPost[][]> {
  const query = store.forIds('posts above', ids, (some) =>
    store.db
      .withRecursive('above', (cte) =>
        cte
          .selectFrom('posts')
          .select(LINK_COLUMNS)
          .select(sql<number>`1`.as('level'))
          .where('id', 'in', some)
          .union(
            cte
              .selectFrom('posts')
              .innerJoin('above', 'above.parent_id', 'posts.id')
              .where('above.level', '<', MAX_PARENT_LEVELS)
              .select(LINK_COLUMNS.map((column) => `posts.${column}` as const))
              .select(sql<number>`above.level + 1`.as('level')),
          ),
      )
      .selectFrom('above')
      .select(LINK_COLUMNS),
  )
  return chains(ids, await store.all(query))
}

/** For each ID the term and its ancestors, nearest first. */
async function loadTermAncestors(store: Store, ids: readonly number[]): Promise<LinkedTerm[][]> {
  const query = store.forIds('terms above', ids, (some) =>
    store.db
      .withRecursive('above', (cte) =>
        cte
          .selectFrom('terms')
          .select(['id', 'taxonomy', 'slug', 'parent_id'])
          .where('id', 'in', some)
          .union(
            cte
              .selectFrom('terms')
              .innerJoin('above', 'above.parent_id', 'terms.id')
              .select(['terms.id', 'terms.taxonomy', 'terms.slug', 'terms.parent_id']),
          ),
      )
      .selectFrom('above')
      .selectAll(),
  )
  return chains(ids, await store.all(query))
}

/** Maximum depth of a URL: more than sites use, and low enough to read for each post of a list. */
const MAX_PARENT_LEVELS = 100

/** Follows each ID upwards through the rows; a cycle ends where it closes. */
function chains<T extends { id: number; parent_id: number }>(ids: readonly number[], rows: readonly T[]): T[][] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => {
    const chain = new Set<T>()
    for (let row = byId.get(id); row !== undefined && !chain.has(row); row = byId.get(row.parent_id)) {
      if (chain.size === MAX_PARENT_LEVELS) break
      chain.add(row)
    }
    return [...chain]
  })
}

/** For each post its category with the lowest ID. */
async function firstCategories(store: Store, postIds: readonly number[]): Promise<(LinkedTerm | undefined)[]> {
  const rows = await store.all(
    store.db
      .selectFrom('term_relationships')
      .innerJoin('terms', 'terms.id', 'term_relationships.term_id')
      .where('terms.taxonomy', '=', 'category')
      .where('term_relationships.post_id', 'in', [...postIds])
      .select(['term_relationships.post_id', 'terms.id', 'terms.taxonomy', 'terms.slug', 'terms.parent_id'])
      .orderBy('terms.id', 'desc'),
  )
  const byPost = new Map(rows.map((row) => [row.post_id, row]))
  return postIds.map((id) => byPost.get(id))
}

async function authorSlugs(store: Store, ids: readonly number[]): Promise<string[]> {
  const users = store.db.selectFrom('users').select(['id', 'slug']).where('id', 'in', ids)
  const byId = new Map((await store.all(users)).map(({ id, slug }) => [id, slug]))
  return ids.map((id) => byId.get(id) ?? '')
}
