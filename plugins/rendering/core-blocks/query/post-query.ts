import type { PostOrder, PostQuery, TermClause } from '../../../content/posts/index.ts'
import { FORMAT_TAXONOMY, slugOfFormat } from '../../../content/taxonomies/index.ts'
import { idsOf, numberIn, numberOf, objectOf, textOf } from '../attributes.ts'
import type { CoreBlock, Rendering } from '../renderer.ts'
import { pageAround, type PageContext } from '../page-context.ts'
import { requestedPage } from './requested-page.ts'
import type { QueryPage } from './query-page.ts'
import { withSticky } from './sticky.ts'

type Attributes = Readonly<Record<string, unknown>>

/** Maximum posts on one page. */
const MAX_POSTS_PER_PAGE = 100
/** Highest page number that can be requested. */
const LAST_PAGE = 10_000

const ORDERS: Readonly<Record<string, PostOrder>> = {
  date: 'date',
  title: 'title',
  modified: 'modified',
  author: 'author',
  id: 'id',
  ID: 'id',
  name: 'slug',
  parent: 'parent',
  menu_order: 'menu_order',
}

const NOTHING: QueryPage = { posts: [], total: 0, perPage: 0, page: 1, pages: 0 }

/** Returns the name of the URL parameter for the page number of a query. */
export function pageParameter({ context }: CoreBlock): string {
  const id = numberIn(context['queryId'])
  return Number.isSafeInteger(id) ? `query-${id}-page` : 'query-page'
}

/**
 * Returns the requested page of the surrounding query. Lists public posts only, because the output is the same for all
 * readers. The blocks of a query share one read.
 */
export async function queryPage(block: CoreBlock, rendering: Rendering): Promise<QueryPage> {
  const query = objectOf(block.context, 'query')
  // Inherit the list of the page; post content has no page around it.
  if (inherits(query)) return pageAround(rendering)?.list ?? NOTHING
  const page = requestedPage(pageParameter(block), LAST_PAGE, rendering)
  const hasCurrent = query['excludeCurrent'] === true || query['relatedToCurrent'] === true
  const current = hasCurrent ? (rendering.post?.id ?? pageAround(rendering)?.post?.id ?? 0) : 0
  return rendering.once(['query', query, page, current], () => readPage(query, page, current, rendering))
}

function inherits(query: Attributes): boolean {
  return query['inherit'] === true || Object.keys(query).length === 0
}

/** Returns the page around a block, if the surrounding query inherits its list. */
export function inheritedPage({ context }: CoreBlock, rendering: Rendering): PageContext | null {
  return inherits(objectOf(context, 'query')) ? pageAround(rendering) : null
}

async function readPage(
  attributes: Attributes,
  page: number,
  current: number,
  rendering: Rendering,
): Promise<QueryPage> {
  const { options, posts } = rendering.plugin.services
  const defaultSize = Number(await options.get('posts_per_page', 10)) || 10
  const requested = Math.trunc(numberOf(attributes, 'perPage', defaultSize)) || defaultSize
  // Negative values ask for all posts.
  const perPage = requested > 0 ? Math.min(requested, MAX_POSTS_PER_PAGE) : MAX_POSTS_PER_PAGE
  const offset = Math.max(Math.trunc(numberOf(attributes, 'offset', 0)), 0)
  const maxPages = Math.max(Math.trunc(numberOf(attributes, 'pages', 0)), 0)
  const query = await postQueryOf(attributes, current, rendering)
  if (query === null || (maxPages > 0 && page > maxPages)) return NOTHING
  const range = { limit: perPage, offset: offset + (page - 1) * perPage }
  const list = await posts.query(await posts.forPage({ ...query, ...range }, rendering.scope), rendering.scope)
  const total = Math.max(list.total - offset, 0)
  const all = Math.ceil(total / perPage)
  const first =
    page === 1 && leadsWithSticky(attributes, query) ? await withSticky(list.items, query, rendering) : list.items
  return { posts: first, total, perPage, page, pages: maxPages > 0 ? Math.min(all, maxPages) : all }
}

/** Converts the attributes to a query; null if it cannot match any post. */
async function postQueryOf(
  attributes: Attributes,
  current: number,
  rendering: Rendering,
): Promise<Omit<PostQuery, 'limit'> | null> {
  const { contentTypes, posts } = rendering.plugin.services
  const postType = attributes['postType'] ?? 'post'
  const { ownTypeName } = rendering.plugin.branding
  const types = [postType].flat().flatMap((name) => (typeof name === 'string' ? [ownTypeName(name)] : []))
  const shown = types.filter((name) => contentTypes.get(name)?.viewable === true)
  if (shown.length === 0) return null
  const exclude = idsOf(attributes['exclude'])
  if (current !== 0) exclude.push(current)
  const include: number[] = []
  const sticky = textOf(attributes, 'sticky')
  if (sticky === 'exclude') exclude.push(...(await posts.sticky()))
  if (sticky === 'only') {
    include.push(...(await posts.sticky()))
    if (include.length === 0) return null
  }
  const parents = idsOf(attributes['parents'])
  const authors = idsOf(attributes['author'])
  const order = textOf(attributes, 'order').toLowerCase() === 'asc' ? 'asc' : 'desc'
  const search = textOf(attributes, 'search')
  const terms = await termClauses(attributes, rendering)
  const related = attributes['relatedToCurrent'] === true ? await relatedClause(current, rendering) : []
  if (terms === null || related === null) return null
  terms.push(...related)
  return {
    types: shown,
    statuses: shown.includes('attachment') ? ['publish', 'inherit'] : ['publish'],
    orderby: Object.hasOwn(ORDERS, textOf(attributes, 'orderBy')) ? ORDERS[textOf(attributes, 'orderBy')]! : 'date',
    order,
    ...(search !== '' && { search }),
    ...(authors.length > 0 && { author: authors }),
    ...(exclude.length > 0 && { exclude }),
    ...(include.length > 0 && { include }),
    ...(parents.length > 0 && { parent: parents }),
    ...(terms.length > 0 && { terms }),
  }
}

/** Returns the term conditions of a query, including post formats; null if no post can match. */
async function termClauses(attributes: Attributes, { plugin, scope }: Rendering): Promise<TermClause[] | null> {
  const { taxonomies, terms } = plugin.services
  const clauses: TermClause[] = []
  const add = (termsByTaxonomy: Attributes, operator: 'in' | 'not in') => {
    for (const [name, value] of Object.entries(termsByTaxonomy)) {
      const taxonomy = plugin.branding.ownTypeName(name)
      const ids = idsOf(value)
      if (ids.length > 0 && taxonomies.get(taxonomy)?.publicly_queryable === true)
        clauses.push({ taxonomy, terms: ids, operator })
    }
  }
  const taxQuery = objectOf(attributes, 'taxQuery')
  // Current format: `include` and `exclude`. Legacy format: included terms directly by taxonomy.
  add(objectOf(taxQuery, 'include'), 'in')
  add(objectOf(taxQuery, 'exclude'), 'not in')
  const { include: _, exclude: __, ...legacyTerms } = taxQuery
  add(
    {
      ...legacyTerms,
      category: legacyTerms['category'] ?? attributes['categoryIds'],
      post_tag: legacyTerms['post_tag'] ?? attributes['tagIds'],
    },
    'in',
  )
  const formats = Array.isArray(attributes['format'])
    ? attributes['format'].filter((one) => typeof one === 'string')
    : []
  if (formats.length > 0) {
    const slug = formats.map(slugOfFormat)
    const found = await terms.query({ taxonomy: FORMAT_TAXONOMY, slug, limit: slug.length }, scope)
    // The standard format has no term: posts without a format term have it.
    if (found.items.length === 0 && !formats.includes('standard')) return null
    if (!formats.includes('standard'))
      clauses.push({ taxonomy: FORMAT_TAXONOMY, terms: found.items.map(({ id }) => id), operator: 'in' })
  }
  return clauses
}

/** Returns the condition that a post shares a tag or, without tags, a category with a post; null if it has no terms. */
async function relatedClause(id: number, { plugin, scope }: Rendering): Promise<TermClause[] | null> {
  if (id === 0) return null
  const ofPost = await plugin.services.terms.ofPosts(scope).load(id)
  for (const taxonomy of ['post_tag', 'category']) {
    const terms = (ofPost.get(taxonomy) ?? []).map((term) => term.id)
    if (terms.length > 0) return [{ taxonomy, terms, operator: 'in' }]
  }
  return null
}

/** Whether sticky posts lead the list: only in an unrestricted list of all posts. */
function leadsWithSticky(
  attributes: Attributes,
  { types, author, search, terms, include, parent }: Omit<PostQuery, 'limit'>,
) {
  const limited = [author, search, terms, include, parent].some((condition) => condition !== undefined)
  return textOf(attributes, 'sticky') === '' && !limited && types.length === 1 && types[0] === 'post'
}
