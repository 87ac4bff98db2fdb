import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../../../kernel/index.ts'
import type { ListCursor } from '../../../../../plugins/resources/index.ts'
import type {
  Post,
  PostList,
  PostOrder,
  PostQuery,
  ScopedPostQuery,
  ReadScope,
  TermClause,
} from '../../../../../plugins/content/posts/index.ts'
import type { FieldCondition } from '../../../../../plugins/storage/field-index/index.ts'
import { effectiveQuery } from '../../../../../plugins/content/posts/query/effective-query.ts'
import { PostLists } from '../../../../../plugins/content/posts/query/lists.ts'
import { parseSearch } from '../../../../../plugins/content/posts/query/search-terms.ts'
import { addPosts, addTerm, indexed } from '../../../../helpers/content.ts'
import {
  compared,
  indexedKeys,
  meets,
  randomCondition,
  randomMeta,
  valuesOf,
  type Condition,
  type Key,
  type MetaOf,
  type Value,
} from '../../../../helpers/indexed-fields.ts'
import { serveOn, type Site } from '../../../../helpers/site.ts'
import { places } from '../../../../helpers/stores.ts'

const QUERIES = 300
/** Fixed seed, so that failures are reproducible; changing it generates other queries. */
const SEED = 20_261_122
/** Maximum page size. */
const MAX_PAGE_SIZE = 12
/** Few distinct values, so that there are many ties. */
const TYPES = ['post', 'page']
const STATUSES = ['publish', 'draft', 'private']
const DAYS = [1, 2, 3, 4, 5, 6].map((day) => `2024-01-0${day} 08:00:00`)
const WORDS = ['garden', 'letter', 'river', 'ga', '%']
const AUTHORS = [1, 2, 3]

/** A post with the IDs of its terms. */
type TestPost = Post & { terms: readonly number[]; own: MetaOf }
/** The ID of a term and of its parent. */
type Term = { id: number; taxonomy: string; parent: number }

/** Fills a site with the same posts each time. */
async function fill({ store, kernel }: Site): Promise<{ posts: TestPost[]; terms: Term[] }> {
  const terms: Term[] = []
  for (const [index, taxonomy] of ['category', 'category', 'category', 'post_tag', 'post_tag'].entries()) {
    const parent = index === 1 ? terms[0]!.id : 0
    const id = await addTerm(store, { taxonomy, name: `Term ${index}`, parent_id: parent })
    terms.push({ id, taxonomy, parent })
  }
  const pick = <T>(list: readonly T[], seed: number) => list[(Math.imul(seed, 0x9e3779b1) >>> 12) % list.length]!
  const newPosts = Array.from({ length: 300 }, (_, index) => ({
    type: pick(TYPES, index + 1),
    status: index % 3 === 0 ? pick(STATUSES, index + 2) : 'publish',
    title: `${pick(WORDS, index + 3)} ${pick(WORDS, index + 4)}`,
    excerpt: index % 4 === 0 ? `${pick(WORDS, index + 5)} letter` : '',
    content: `${pick(WORDS, index + 6)} and ${pick(WORDS, index + 7)} river`,
    slug: `slug-${index % 40}`,
    date: pick(DAYS, index + 8),
    modified: pick(DAYS, index + 9),
    author_id: pick(AUTHORS, index + 10),
    parent_id: pick([0, 0, 1, 2], index + 11),
    menu_order: index % 4,
    mime_type: pick(['', 'image/png', 'image/jpeg', 'text/plain'], index + 12),
    password: index % 9 === 0 ? 'word' : '',
    terms: terms.flatMap(({ id }, nth) => (pick([true, false, false], index + 13 + nth) ? [id] : [])),
  }))
  const ids = await addPosts(store, ...newPosts)
  const rows = await store.all(store.db.selectFrom('posts').selectAll().where('id', 'in', ids))
  const metas = new Map(
    fc.sample(randomMeta, { numRuns: ids.length, seed: SEED }).map((meta, index) => [ids[index]!, meta]),
  )
  for (const [id, meta] of metas) await kernel.services.meta.writeAll('post', id, meta, new RequestCache())
  const posts = rows.map((row) => ({ ...row, terms: newPosts[ids.indexOf(row.id)]!.terms, own: metas.get(row.id)! }))
  return { posts, terms }
}

// The expected list, computed post by post.

function expected(
  posts: readonly TestPost[],
  terms: readonly Term[],
  query: PostQuery,
): { ids: number[]; total: number } {
  const matches = posts.filter((post) => belongs(post, terms, query)).sort((a, b) => compare(a, b, query))
  const { offset = 0, limit } = query
  return { ids: matches.slice(offset, offset + limit).map(({ id }) => id), total: matches.length }
}

function belongs(post: TestPost, terms: readonly Term[], query: PostQuery): boolean {
  const within = <T>(list: readonly T[] | undefined, value: T) => !list?.length || list.includes(value)
  const outside = <T>(list: readonly T[] | undefined, value: T) => !list?.includes(value)
  const clauses = query.terms?.map((clause) => hasTerms(post, terms, clause)) ?? []
  const { required, excluded } = parseSearch(query.search ?? '')
  const has = (text: string) => [post.title, post.excerpt, post.content].some((one) => one.includes(text))
  return (
    query.types.includes(post.type) &&
    query.statuses.includes(post.status) &&
    within(query.author, post.author_id) &&
    outside(query.authorExclude, post.author_id) &&
    within(query.parent, post.parent_id) &&
    outside(query.parentExclude, post.parent_id) &&
    within(query.include, post.id) &&
    outside(query.exclude, post.id) &&
    within(query.slug, post.slug) &&
    within(query.mimeTypes, post.mime_type) &&
    (query.mediaType === undefined || post.mime_type.startsWith(`${query.mediaType}/`)) &&
    (query.menuOrder === undefined || post.menu_order === query.menuOrder) &&
    (query.after === undefined || post.date > query.after) &&
    (query.before === undefined || post.date < query.before) &&
    (query.modifiedAfter === undefined || post.modified > query.modifiedAfter) &&
    (query.modifiedBefore === undefined || post.modified < query.modifiedBefore) &&
    (clauses.length === 0 || (query.termRelation === 'or' ? clauses.includes(true) : !clauses.includes(false))) &&
    required.every(has) &&
    meets(post.own, conditionsOf(query)) &&
    (sortKeyOf(query) === null || valuesOf(post.own, sortKeyOf(query)!).length > 0) &&
    !excluded.some(has) &&
    (!query.search || query.opens === null || post.password === '' || isOf(query.opens, post)) &&
    isReached(post, query)
  )
}

/** The meta conditions of a query. */
function conditionsOf({ where = [] }: PostQuery): Condition[] {
  return where.map((condition) => {
    const { compare = 'eq', value } = condition
    return { key: ('meta' in condition ? condition.meta : '') as Key, compare, values: [value].flat() as Value[] }
  })
}

/** The meta key that a query is sorted by, or null. */
function sortKeyOf({ orderby = 'date' }: PostQuery): Key | null {
  return orderby.startsWith('meta.') ? (orderby.slice('meta.'.length) as Key) : null
}

function hasTerms(post: TestPost, terms: readonly Term[], clause: TermClause): boolean {
  const { taxonomy, includeChildren, operator } = clause
  const has = (term: number) =>
    terms.some(
      ({ id, taxonomy: own, parent }) =>
        post.terms.includes(id) && own === taxonomy && (id === term || (includeChildren && parent === term)),
    )
  if (operator === 'and') return clause.terms.every(has)
  return clause.terms.some(has) === (operator === 'in')
}

/** Query properties that depend only on the status and date of posts. */
const OPEN: ReadonlySet<string> = new Set<keyof PostQuery>([
  'types',
  'statuses',
  'order',
  'tieOrder',
  'limit',
  'offset',
  'opens',
  'readScope',
  'orderby',
  'termRelation',
  'exclude',
  'listsHidden',
])

function isReached(post: TestPost, query: PostQuery): boolean {
  const { readScope, orderby = 'date' } = query
  const isSet = (value: unknown) => value !== '' && !(Array.isArray(value) && value.length === 0)
  const isFiltered = Object.entries(query).some(([name, value]) => !OPEN.has(name) && isSet(value))
  if (readScope === null || (query.listsHidden === true && !isFiltered && ['date', 'id'].includes(orderby))) return true
  return isOf(readScope, post)
}

function isOf(readScopes: readonly ReadScope[] | undefined, { type, status, author_id: writer }: TestPost): boolean {
  return (readScopes ?? []).some(
    ({ types, any, own, others, user }) =>
      types.includes(type) &&
      (any.statuses.includes(status) || (user !== 0 && (user === writer ? own : others).statuses.includes(status))),
  )
}

function compare(a: TestPost, b: TestPost, query: PostQuery): number {
  const { orderby = 'date', order = 'desc', search = '' } = query
  const keys = (post: TestPost): (string | number)[] =>
    ({
      author: [post.author_id, post.date],
      date: [post.date],
      id: [],
      modified: [post.modified],
      parent: [post.parent_id],
      slug: [post.slug],
      title: [post.title],
      menu_order: [post.menu_order],
    })[orderby as 'date'] ?? []
  const key = sortKeyOf(query)
  if (key !== null) {
    const [one, other] = [a, b].map(({ own }) => valuesOf(own, key)[0]!)
    const byValue = compared(one!, other!) || (a.date < b.date ? -1 : a.date > b.date ? 1 : 0)
    if (byValue !== 0) return order === 'asc' ? byValue : -byValue
  }
  const compareValues = (x: string | number, y: string | number) => (x < y ? -1 : x > y ? 1 : 0)
  if (orderby === 'relevance') {
    const ranks = rankOf(a, search) - rankOf(b, search)
    return ranks || compareValues(b.date, a.date) || (query.tieOrder === 'asc' ? a.id - b.id : b.id - a.id)
  }
  const direction = order === 'asc' ? 1 : -1
  const others = keys(b)
  for (const [place, key] of keys(a).entries())
    if (key !== others[place]) return compareValues(key, others[place]!) * direction
  return (a.id - b.id) * ((query.tieOrder ?? order) === 'asc' ? 1 : -1)
}

function rankOf({ title, excerpt, content }: TestPost, search: string): number {
  const { required, single, sentence } = parseSearch(search)
  if (required.length === 0) return 0
  const all = required.every((text) => title.includes(text))
  if (single) return all ? 1 : 2
  if (title.includes(sentence)) return 1
  if (all) return 2
  if (required.some((text) => title.includes(text))) return 3
  return excerpt.includes(sentence) ? 4 : content.includes(sentence) ? 5 : 6
}

// Random queries.

const BY_META = ['meta.price', 'meta.color', 'meta.sizes', 'meta.starts'] as const
const ORDERS: readonly PostOrder[] = [
  'author',
  'date',
  'id',
  'modified',
  'parent',
  'slug',
  'title',
  'menu_order',
  ...BY_META,
]

const randomFieldCondition = randomCondition.map(({ key, compare: how, values }): FieldCondition => {
  const isList = how === 'in' || how === 'not_in'
  return { meta: key, compare: how, value: isList ? values : values[0] }
})

function queries(posts: readonly TestPost[], terms: readonly Term[]): fc.Arbitrary<ScopedPostQuery> {
  const seldom = <T>(value: fc.Arbitrary<T>) =>
    fc.oneof({ arbitrary: fc.constant(undefined), weight: 8 }, { arbitrary: value, weight: 1 })
  const some = <T>(values: readonly T[], maxLength = 3) =>
    seldom(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength }))
  const day = seldom(fc.constantFrom(...DAYS))
  const ids = posts.map(({ id }) => id)
  const clause = fc.record({
    taxonomy: fc.constantFrom('category', 'post_tag'),
    terms: fc.uniqueArray(fc.constantFrom(...terms.map(({ id }) => id), 9999), { minLength: 1, maxLength: 3 }),
    includeChildren: fc.boolean(),
    operator: fc.constantFrom('in', 'in', 'and', 'not in'),
  }) as fc.Arbitrary<TermClause>
  const states = fc.record({ statuses: fc.subarray(STATUSES), trashed: fc.constant([]) })
  const readScope = fc.array(
    fc.record({
      types: fc.subarray(TYPES),
      any: states,
      own: states,
      others: states,
      user: fc.constantFrom(0, 1, 2),
    }),
    { maxLength: 2 },
  )
  return fc
    .record({
      types: fc.subarray(TYPES, { minLength: 1 }),
      statuses: fc.oneof(fc.constant(['publish']), fc.subarray(STATUSES, { minLength: 1 })),
      search: seldom(
        fc.constantFrom(...WORDS, 'river garden', 'garden river', '"river letter"', 'river -garden', '-river'),
      ),
      readScope: fc.oneof(fc.constant(null), readScope),
      listsHidden: fc.boolean(),
      opens: fc.oneof(fc.constant(null), readScope),
      after: day,
      before: day,
      modifiedAfter: day,
      modifiedBefore: day,
      author: some(AUTHORS),
      authorExclude: some(AUTHORS),
      include: seldom(fc.subarray(ids.slice(0, 40), { minLength: 1 })),
      exclude: some(ids),
      parent: some([0, 1, 2]),
      parentExclude: some([0, 1]),
      slug: some(posts.map(({ slug }) => slug)),
      menuOrder: seldom(fc.nat({ max: 4 })),
      mimeTypes: some(['image/png', 'image/jpeg']),
      mediaType: seldom(fc.constantFrom('image', 'text')),
      where: fc.oneof(fc.constant([]), fc.array(randomFieldCondition, { maxLength: 2 })),
      terms: fc.oneof(fc.constant([]), fc.array(clause, { maxLength: 3 })),
      termRelation: fc.constantFrom('and', 'or'),
      orderby: fc.constantFrom(...ORDERS, 'date', 'date', 'relevance', 'relevance'),
      order: fc.constantFrom('asc', 'desc'),
      tieOrder: fc.constantFrom(undefined, 'asc', 'desc'),
      limit: fc.integer({ min: 1, max: MAX_PAGE_SIZE }),
      offset: fc.oneof(fc.constant(0), fc.nat({ max: 30 })),
    })
    .map((random) => {
      const entries = Object.entries(random).filter(([, value]) => value !== undefined)
      const query = Object.fromEntries(entries) as unknown as ScopedPostQuery
      return query.orderby === 'relevance' && !query.search ? { ...query, orderby: 'date' } : query
    })
}

/** Queries that filter only by type, status and fields. */
const byFields: fc.Arbitrary<PostQuery> = fc.record({
  types: fc.subarray(TYPES, { minLength: 1 }),
  statuses: fc.subarray(STATUSES, { minLength: 1 }),
  readScope: fc.constant(null),
  opens: fc.constant(null),
  where: fc.array(randomFieldCondition, { maxLength: 2 }),
  orderby: fc.constantFrom<PostOrder>('date', ...BY_META),
  limit: fc.integer({ min: 1, max: 3 }),
})

for (const { name, make } of places) {
  const plans = suite(`pages of lists on ${name}`)

  plans('match a reference implementation for random queries and every plan', async () => {
    await using site = await serveOn(await make(), { add: [indexedKeys] })
    const { store } = site
    const { posts, terms } = await fill(site)
    await indexed(store)
    let maxPageLength = 0
    const property = fc.asyncProperty(queries(posts, terms), fc.constantFrom(0, 6, 2000), async (query, maxSorted) => {
      const expectation = expected(posts, terms, query)
      maxPageLength = Math.max(maxPageLength, expectation.ids.length)
      const { items, total } = await site.kernel.services.posts.query(query, new RequestCache())
      assert.equal({ ids: items.map(({ id }) => id), total }, expectation)
      if (query.types.length === 0 || query.statuses.length === 0) return
      // With so few posts the default bound would always choose sorting.
      const lists = new PostLists(store, maxSorted)
      const { fieldIndex } = site.kernel.services
      const planned = await fieldIndex.planned('post', query.types, query, query.orderby)
      const read = await lists.read(effectiveQuery(planned), ['id'])
      assert.equal({ ids: read.items.map(({ id }) => id), total: read.total }, expectation)
    })
    await fc.assert(property, { numRuns: QUERIES, seed: SEED })
    assert.is(maxPageLength, MAX_PAGE_SIZE)
  })

  plans('have the right total for queries by fields only', async () => {
    await using site = await serveOn(await make(), { add: [indexedKeys] })
    const { posts, terms } = await fill(site)
    const { fieldIndex } = site.kernel.services
    const property = fc.asyncProperty(byFields, async (query) => {
      const lists = new PostLists(site.store, 0)
      const planned = await fieldIndex.planned('post', query.types, query, query.orderby)
      assert.is((await lists.read(effectiveQuery(planned), ['id'])).total, expected(posts, terms, query).total)
    })
    await fc.assert(property, { numRuns: QUERIES, seed: SEED })
  })

  plans('form the whole list when paged by cursor', async () => {
    await using site = await serveOn(await make(), { add: [indexedKeys] })
    const { store } = site
    const { posts, terms } = await fill(site)
    await indexed(store)
    const property = fc.asyncProperty(queries(posts, terms), async (randomQuery) => {
      const orderby = randomQuery.orderby === 'relevance' ? 'date' : randomQuery.orderby!
      const query = { ...randomQuery, orderby, offset: 0 }
      const ids: number[] = []
      let cursor: ListCursor | null = null
      do {
        const page: PostList = await site.kernel.services.posts.query({ ...query, cursor }, new RequestCache())
        ids.push(...page.items.map(({ id }) => id))
        assert.ok(page.items.length === query.limit || page.next === null, 'only the last page has fewer items')
        cursor = page.next!
      } while (cursor !== null)
      assert.equal(ids, expected(posts, terms, { ...query, limit: posts.length }).ids)
    })
    await fc.assert(property, { numRuns: QUERIES / 3, seed: SEED })
  })

  plans.run()
}
