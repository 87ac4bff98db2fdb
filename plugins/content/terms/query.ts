import type { Expression, SqlBool } from 'kysely'
import type { ListCursor } from '../../resources/index.ts'
import {
  expressionBuilder,
  isBehind,
  sql,
  type Database,
  type Row,
  type SortColumn,
  type Store,
} from '../../storage/store/index.ts'
import {
  meetsFields,
  sortColumnOf,
  tagsOfFields,
  type FieldOrder,
  type FieldQuery,
} from '../../storage/field-index/index.ts'

/** A term as it is stored. */
export type Term = Row<'terms'>

/** What terms can be ordered by; `include` and `include_slugs` keep the order of the list of the same name. */
export const TERM_ORDERS = [
  'id',
  'include',
  'name',
  'slug',
  'include_slugs',
  'term_group',
  'description',
  'count',
] as const
export type TermOrder = (typeof TERM_ORDERS)[number] | FieldOrder

/** Which terms of a taxonomy, or of several, in which order. What is left out does not narrow. */
export interface TermQuery extends FieldQuery<keyof Term> {
  taxonomy: string | readonly string[]
  include?: readonly number[]
  exclude?: readonly number[]
  /** A text that name or slug contain. */
  search?: string
  slug?: readonly string[]
  /** The term directly above; 0 for terms at the top. */
  parent?: number
  /** A post that has the terms. */
  post?: number
  /** Leaves terms out that count no posts, and in a hierarchical taxonomy have nobody below them that does. */
  hideEmpty?: boolean
  hierarchical?: boolean
  /** By name unless it says otherwise; equals are ordered by id; `meta.rank` lists what has a rank. */
  orderby?: TermOrder
  order?: 'asc' | 'desc'
  /** Direction of the IDs of terms that are equal in the order; from the first on unless it says otherwise. */
  tieOrder?: 'asc' | 'desc'
  /** Pages by place: the list begins behind it, or at its first term for null, and says where it goes on. */
  cursor?: ListCursor | null
  /** How many at most, after `offset` of them. */
  limit?: number
  offset?: number
}

export const of = expressionBuilder<Database, 'terms'>()

/** The conditions of a query. Values are bound; the text of the statement follows from which of them are there. */
export function conditionsOf(
  store: Store,
  { taxonomy, include = [], exclude = [], slug = [], ...query }: TermQuery,
): Expression<SqlBool>[] {
  const { search = '', parent, post, hideEmpty = false, hierarchical = false } = query
  const taxonomies = [taxonomy].flat()
  const found: Expression<SqlBool>[] = [of('taxonomy', 'in', taxonomies)]
  if (include.length > 0) found.push(store.isIn('terms.id', include))
  if (exclude.length > 0) found.push(of.not(store.isIn('terms.id', exclude)))
  if (slug.length > 0) found.push(store.isIn('slug', slug))
  if (parent !== undefined) found.push(of('parent_id', '=', parent))
  if (search !== '') found.push(of.or(['name', 'slug'].map((column) => store.contains(column, search))))
  if (query.cursor) found.push(isBehind(sortColumns(query)!, query.cursor))
  found.push(...meetsFields(store, query, 'terms.id', { types: taxonomies, statuses: [''] }))
  if (post !== undefined)
    found.push(
      of('terms.id', 'in', store.db.selectFrom('term_relationships').select('term_id').where('post_id', '=', post)),
    )
  if (hideEmpty) found.push(hierarchical ? of('terms.id', 'in', used(store, taxonomies)) : of('count', '>', 0))
  return found
}

/** The terms that count posts, and those above them. */
function used(store: Store, taxonomies: readonly string[]) {
  return store.db
    .withRecursive('used(id, parent_id)', (cte) =>
      cte
        .selectFrom('terms')
        .select(['terms.id', 'terms.parent_id'])
        .where('taxonomy', 'in', taxonomies)
        .where('count', '>', 0)
        .union(
          cte
            .selectFrom('terms')
            .innerJoin('used', 'used.parent_id', 'terms.id')
            .select(['terms.id', 'terms.parent_id'])
            .where('taxonomy', 'in', taxonomies),
        ),
    )
    .selectFrom('used')
    .select('used.id')
}

/** What the terms of a query are ordered by; null for texts of any length. */
export function sortColumns({
  orderby = 'name',
  order: direction = 'asc',
  tieOrder = 'asc',
  fields,
  ownSort,
}: Pick<TermQuery, 'orderby' | 'order' | 'tieOrder' | 'fields' | 'ownSort'>): SortColumn[] | null {
  if (ownSort !== undefined) return null
  if (fields?.sort)
    return [sortColumnOf(fields.sort, 'terms.id', direction), { name: 'id', by: sql.ref('terms.id'), direction }]
  if (orderby === 'description') return null
  const last = { name: 'id', by: sql.ref('terms.id') }
  if (orderby === 'id') return [{ ...last, direction }]
  // Terms are in no groups, so that all are equal by it.
  if (orderby === 'term_group') return [{ ...last, direction: 'asc' }]
  const name = orderby === 'slug' || orderby === 'count' ? orderby : 'name'
  return [
    { name, by: sql.ref(name), direction },
    { ...last, direction: tieOrder },
  ]
}

/** What a list of terms depends on. */
export function tagsOf(query: TermQuery): string[] {
  const tags = [query.taxonomy].flat().map((name) => `terms:taxonomy=${name}`)
  tags.push(...tagsOfFields(query, 'term', ['terms']))
  return query.post === undefined ? tags : [...tags, `post:${query.post}`]
}
