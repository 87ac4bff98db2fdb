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

/** A stored term. */
export type Term = Row<'terms'>

/** Orders of a term list; `include` and `include_slugs` preserve the order of the lists `include` and `slug`. */
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

/** Selects and orders terms of one or more taxonomies. An omitted condition does not limit the list. */
export interface TermQuery extends FieldQuery<keyof Term> {
  taxonomy: string | readonly string[]
  include?: readonly number[]
  exclude?: readonly number[]
  /** Text to find in name or slug. */
  search?: string
  slug?: readonly string[]
  /** Names that match exactly. */
  names?: readonly string[]
  /** ID of the parent term; 0 for top-level terms. */
  parent?: number
  /** ID of a post that has the terms. */
  post?: number
  /**
   * Leaves out terms without published posts. In a hierarchical taxonomy, terms with a descendant that has posts are
   * included.
   */
  hideEmpty?: boolean
  hierarchical?: boolean
  /** `name` by default; ties are ordered by ID. `meta.rank` lists only terms with a rank. */
  orderby?: TermOrder
  order?: 'asc' | 'desc'
  /** Direction of the IDs of terms that are equal in the order; ascending by default. */
  tieOrder?: 'asc' | 'desc'
  /** Pages by cursor: the list starts after it, or at the first term if null, and returns the next cursor. */
  cursor?: ListCursor | null
  /** Maximum number of terms, after skipping `offset` terms. */
  limit?: number
  offset?: number
}

export const expr = expressionBuilder<Database, 'terms'>()

/** The SQL conditions of a query. Values are bound, so the SQL depends only on which conditions are present. */
export function conditionsOf(
  store: Store,
  { taxonomy, include = [], exclude = [], slug = [], names = [], ...query }: TermQuery,
): Expression<SqlBool>[] {
  const { search = '', parent, post, hideEmpty = false, hierarchical = false } = query
  const taxonomies = [taxonomy].flat()
  const conditions: Expression<SqlBool>[] = [expr('taxonomy', 'in', taxonomies)]
  if (include.length > 0) conditions.push(store.isIn('terms.id', include))
  if (exclude.length > 0) conditions.push(expr.not(store.isIn('terms.id', exclude)))
  if (slug.length > 0) conditions.push(store.isIn('slug', slug))
  if (names.length > 0) conditions.push(store.isIn('name', names))
  if (parent !== undefined) conditions.push(expr('parent_id', '=', parent))
  if (search !== '') conditions.push(expr.or(['name', 'slug'].map((column) => store.contains(column, search))))
  if (query.cursor) conditions.push(isBehind(sortColumns(query)!, query.cursor))
  conditions.push(...meetsFields(store, query, 'terms.id', { types: taxonomies, statuses: [''] }))
  if (post !== undefined)
    conditions.push(
      expr('terms.id', 'in', store.db.selectFrom('term_relationships').select('term_id').where('post_id', '=', post)),
    )
  if (hideEmpty)
    conditions.push(hierarchical ? expr('terms.id', 'in', termsInUse(store, taxonomies)) : expr('count', '>', 0))
  return conditions
}

/** Terms with published posts, and their ancestors. */
function termsInUse(store: Store, taxonomies: readonly string[]) {
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

/** Sort columns of a query; null for texts of any length and custom SQL, which have no cursor. */
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
  // Term groups are not supported, so all terms are equal in this order.
  if (orderby === 'term_group') return [{ ...last, direction: 'asc' }]
  const name = orderby === 'slug' || orderby === 'count' ? orderby : 'name'
  return [
    { name, by: sql.ref(name), direction },
    { ...last, direction: tieOrder },
  ]
}

/** Cache tags of a list of terms. */
export function tagsOf(query: TermQuery): string[] {
  const tags = [query.taxonomy].flat().map((name) => `terms:taxonomy=${name}`)
  tags.push(...tagsOfFields(query, 'term', ['terms']))
  return query.post === undefined ? tags : [...tags, `post:${query.post}`]
}
