import { VISITOR } from '../../../../kernel/index.ts'
import type { PostOrder, PostQuery, TermClause } from '../../../content/posts/index.ts'
import { FORMAT_TAXONOMY, slugOfFormat } from '../../../content/taxonomies/index.ts'
import { idsOf, numberOf, objectOf, textOf } from '../attributes.ts'
import type { CoreBlock, Rendering } from '../renderer.ts'
import { pageAround, type PageContext } from '../page-context.ts'
import { askedPage } from './asked-page.ts'
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
  const id = context['queryId']
  return typeof id === 'number' && Number.isSafeInteger(id) ? `query-${id}-page` : 'query-page'
}

/**
 * Returns the requested page of the surrounding query. Lists public posts only, because the output is the same for all
 * readers. The blocks of a query share one read.
 */
export async function queryPage(block: CoreBlock, rendering: Rendering): Promise<QueryPage> {
  const asked = objectOf(block.context, 'query')
  // Inherit the list of the page; post content has no page around it.
  if (inherits(asked)) return pageAround(rendering)?.list ?? NOTHING
  const page = askedPage(pageParameter(block), LAST_PAGE, rendering)
  const current = asked['excludeCurrent'] === true ? (rendering.post?.id ?? 0) : 0
  return rendering.once(['query', asked, page, current], () => readPage(asked, page, current, rendering))
}

function inherits(asked: Attributes): boolean {
  return asked['inherit'] === true || Object.keys(asked).length === 0
}

/** Returns the page around a block, if the surrounding query inherits its list. */
export function inheritedPage({ context }: CoreBlock, rendering: Rendering): PageContext | null {
  return inherits(objectOf(context, 'query')) ? pageAround(rendering) : null
}

async function readPage(asked: Attributes, page: number, current: number, rendering: Rendering): Promise<QueryPage> {
  const { options, posts } = rendering.plugin.services
  const usual = Number(await options.get('posts_per_page', 10)) || 10
  const wanted = Math.trunc(numberOf(asked, 'perPage', usual)) || usual
  // Negative values ask for all posts.
  const perPage = wanted > 0 ? Math.min(wanted, MAX_POSTS_PER_PAGE) : MAX_POSTS_PER_PAGE
  const offset = Math.max(Math.trunc(numberOf(asked, 'offset', 0)), 0)
  const most = Math.max(Math.trunc(numberOf(asked, 'pages', 0)), 0)
  const query = await postQueryOf(asked, current, rendering)
  if (query === null || (most > 0 && page > most)) return NOTHING
  const range = { limit: perPage, offset: offset + (page - 1) * perPage }
  const list = await posts.query(posts.forUser({ ...query, ...range }, VISITOR), rendering.scope)
  const total = Math.max(list.total - offset, 0)
  const all = Math.ceil(total / perPage)
  const first =
    page === 1 && leadsWithSticky(asked, query) ? await withSticky(list.items, query, rendering) : list.items
  return { posts: first, total, perPage, page, pages: most > 0 ? Math.min(all, most) : all }
}

/** Converts the attributes to a query; null if it cannot match any post. */
async function postQueryOf(
  asked: Attributes,
  current: number,
  rendering: Rendering,
): Promise<Omit<PostQuery, 'limit'> | null> {
  const { contentTypes, posts } = rendering.plugin.services
  const wanted = asked['postType'] ?? 'post'
  const types = [wanted].flat().filter((name): name is string => typeof name === 'string')
  const shown = types.filter((name) => contentTypes.get(name)?.viewable === true)
  if (shown.length === 0) return null
  const exclude = idsOf(asked['exclude'])
  if (current !== 0) exclude.push(current)
  const include: number[] = []
  const sticky = textOf(asked, 'sticky')
  if (sticky === 'exclude') exclude.push(...(await posts.sticky()))
  if (sticky === 'only') {
    include.push(...(await posts.sticky()))
    if (include.length === 0) return null
  }
  const parents = idsOf(asked['parents'])
  const authors = idsOf(asked['author'])
  const order = textOf(asked, 'order').toLowerCase() === 'asc' ? 'asc' : 'desc'
  const search = textOf(asked, 'search')
  const terms = await termClauses(asked, rendering)
  if (terms === null) return null
  return {
    types: shown,
    statuses: shown.includes('attachment') ? ['publish', 'inherit'] : ['publish'],
    orderby: Object.hasOwn(ORDERS, textOf(asked, 'orderBy')) ? ORDERS[textOf(asked, 'orderBy')]! : 'date',
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
async function termClauses(asked: Attributes, { plugin, scope }: Rendering): Promise<TermClause[] | null> {
  const { taxonomies, terms } = plugin.services
  const clauses: TermClause[] = []
  const add = (given: Attributes, operator: 'in' | 'not in') => {
    for (const [taxonomy, value] of Object.entries(given)) {
      const ids = idsOf(value)
      if (ids.length > 0 && taxonomies.get(taxonomy)?.publicly_queryable === true)
        clauses.push({ taxonomy, terms: ids, operator })
    }
  }
  const taxQuery = objectOf(asked, 'taxQuery')
  // Current format: `include` and `exclude`. Legacy format: included terms directly by taxonomy.
  add(objectOf(taxQuery, 'include'), 'in')
  add(objectOf(taxQuery, 'exclude'), 'not in')
  const { include: _, exclude: __, ...former } = taxQuery
  add(
    {
      ...former,
      category: former['category'] ?? asked['categoryIds'],
      post_tag: former['post_tag'] ?? asked['tagIds'],
    },
    'in',
  )
  const formats = Array.isArray(asked['format']) ? asked['format'].filter((one) => typeof one === 'string') : []
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

/** Whether sticky posts lead the list: only in an unrestricted list of all posts. */
function leadsWithSticky(
  asked: Attributes,
  { types, author, search, terms, include, parent }: Omit<PostQuery, 'limit'>,
) {
  const limited = [author, search, terms, include, parent].some((condition) => condition !== undefined)
  return textOf(asked, 'sticky') === '' && !limited && types.length === 1 && types[0] === 'post'
}
