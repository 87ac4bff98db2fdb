import {
  doNotCache,
  type ContentType,
  type MetaField,
  type PostQuery,
  type RestRequest,
  type Services,
} from '../../public.ts'
import { dateConditions, metaConditions, orderNamed, type Order } from './conditions.ts'
import { Variables } from './variables.ts'

type Query = Pick<PostQuery, 'limit'> & Partial<PostQuery>
type TermClause = NonNullable<PostQuery['terms']>[number]

/** No post has this ID. */
const NO_POST = [0]
/** Maximum levels of the path in `pagename`. */
const MAX_LEVELS = 10
/** Maximum page number. */
const MAX_PAGE = 100_000

/** Applies the query variables in the parameter `filter` to queries of post lists. */
export class FilteredQueries {
  readonly #services: Services
  readonly #maxPosts: number

  /** @param maxPosts maximum posts of a page */
  constructor(services: Services, maxPosts: number) {
    this.#services = services
    this.#maxPosts = maxPosts
  }

  /**
   * Returns the query with the variables applied. Unknown variables, and variables that would show other posts than the
   * list does, such as `post_status`, are ignored.
   */
  async filtered<Q extends Query>(query: Q, type: ContentType, request: RestRequest): Promise<Q> {
    const variables = new Variables(request.get('filter'))
    if (variables.isEmpty) return query
    const key = this.#metaKey(variables.text('meta_key'), type)
    const search = variables.text('s')
    const conditions = [...dateConditions(variables), ...metaConditions(key, variables.text('meta_value'))]
    const result: Query = {
      ...query,
      ...this.#order(variables, key, search || (query.search ?? '')),
      ...(search !== '' && searchOf(search, variables)),
      ...(conditions.length > 0 && { conditions: [...(query.conditions ?? []), ...conditions] }),
    }
    this.#setRange(result, variables, request)
    await this.#limitToTerms(result, variables, type, request)
    await this.#limitToAuthors(result, variables)
    await this.#limitToPosts(result, variables, type, request)
    return result as Q
  }

  /** The key if every reader may know its values: internal keys begin with an underscore. */
  #metaKey(key: string, type: ContentType): string {
    const registered = this.#services.meta.fieldsOf('post', type.name).find((field) => field.key === key)
    return key.startsWith('_') || (registered !== undefined && !isPublic(registered)) ? '' : key
  }

  #order(variables: Variables, key: string, search: string): Partial<Query> {
    const direction = (text: string | null): 'asc' | 'desc' => (/^asc$/i.test(text ?? '') ? 'asc' : 'desc')
    const given = variables.text('order')
    const order = /^(?:asc|desc)$/i.test(given) && { order: direction(given) }
    for (const { name, order: own } of variables.orders()) {
      if (name === 'rand') {
        doNotCache('the order is random')
        return { sort: ({ sql }) => sql`random()` }
      }
      const found: Order | undefined = orderNamed(name, key, this.#services.store.dialect)
      if (found === undefined || (found.orderby === 'relevance' && search === '')) continue
      return { ...found, ...order, ...(own !== null && { order: direction(own) }) }
    }
    return { ...order }
  }

  #setRange(query: Query, variables: Variables, request: RestRequest): void {
    const perPage = variables.number('posts_per_page')
    const page = variables.number('paged')
    if (perPage === undefined && page === undefined) return
    const given = perPage ?? query.limit
    query.limit = given === -1 ? this.#maxPosts : Math.min(Math.abs(given) || 1, this.#maxPosts)
    if (query.cursor !== undefined || request.get('offset') !== undefined) return
    const number = Math.min(page === undefined || page < 1 ? Number(request.get('page')) : page, MAX_PAGE)
    query.offset = (number - 1) * query.limit
  }

  async #limitToTerms(query: Query, variables: Variables, type: ContentType, request: RestRequest): Promise<void> {
    const clauses: TermClause[] = []
    const taxonomies = this.#services.taxonomies.ofType(type.name).filter((one) => one.publicly_queryable)
    const hierarchical = new Set(taxonomies.flatMap(({ name, hierarchical: isTree }) => (isTree ? [name] : [])))
    const add = (taxonomy: string, terms: readonly number[], operator: TermClause['operator']) =>
      void clauses.push({ taxonomy, terms, operator, includeChildren: hierarchical.has(taxonomy) })
    const { included, excluded } = variables.ids('cat')
    if (included.length > 0) add('category', included, 'in')
    if (excluded.length > 0) add('category', excluded, 'not in')
    const named = [
      ...taxonomies.flatMap(({ name, query_var: variable }) => {
        const own = name === 'category' ? 'category_name' : name === 'post_tag' ? 'tag' : variable
        return own === false ? [] : [{ taxonomy: name, ...variables.names(own) }]
      }),
      { taxonomy: variables.text('taxonomy'), ...variables.names('term') },
    ]
    for (const { taxonomy, names, all } of named) {
      if (names.length === 0 || !taxonomies.some(({ name }) => name === taxonomy)) continue
      // The last part of a path of slugs is the term.
      const slug = [...new Set(names.map((name) => name.slice(name.lastIndexOf('/') + 1).toLowerCase()))]
      const { items } = await this.#services.terms.query({ taxonomy, slug, limit: slug.length }, request.scope)
      const isMissing = items.length === 0 || (all && items.length < slug.length)
      const ids = items.map(({ id }) => id)
      if (isMissing) query.include = NO_POST
      else if (all) for (const id of ids) add(taxonomy, [id], 'in')
      else add(taxonomy, ids, 'in')
    }
    if (clauses.length > 0) query.terms = [...(query.terms ?? []), ...clauses]
  }

  async #limitToAuthors(query: Query, variables: Variables): Promise<void> {
    const { included, excluded } = variables.ids('author')
    if (included.length > 0) limitAuthors(query, included)
    if (excluded.length > 0) query.authorExclude = [...(query.authorExclude ?? []), ...excluded]
    const name = variables.text('author_name')
    if (name === '') return
    const found = { slugs: [name.toLowerCase()], orderBy: 'id', order: 'asc', limit: 1, offset: 0 } as const
    const { items } = await this.#services.users.query(found)
    if (items.length === 0) query.include = NO_POST
    else limitAuthors(query, [items[0]!.id])
  }

  async #limitToPosts(query: Query, variables: Variables, type: ContentType, request: RestRequest): Promise<void> {
    const ids = ['p', 'page_id', 'attachment_id'].map((name) => variables.number(name)).filter((id) => (id ?? 0) > 0)
    for (const id of ids) query.include = within(query.include, [id!])
    const slugs = ['name', 'attachment', type.query_var || 'name'].map((name) => variables.text(name))
    for (const slug of new Set(slugs)) if (slug !== '') query.slug = withinSlugs(query.slug, slug.toLowerCase())
    const path = variables.text('pagename').toLowerCase().split('/').filter(Boolean)
    if (path.length === 0 || path.length > MAX_LEVELS) return
    query.slug = withinSlugs(query.slug, path.at(-1)!)
    if (path.length > 1) query.parent = await this.#idsOf(path.slice(0, -1), type, request)
  }

  /** The IDs of the published posts with a path of slugs. */
  async #idsOf(path: readonly string[], type: ContentType, { scope, user }: RestRequest): Promise<readonly number[]> {
    const { posts } = this.#services
    let parents: readonly number[] = [0]
    for (const slug of path) {
      const level = { types: [type.name], statuses: ['publish'], slug: [slug], parent: parents, limit: 10 }
      const { items } = await posts.query(posts.forUser(level, user), scope)
      parents = items.map(({ id }) => id)
      if (parents.length === 0) return [-1]
    }
    return parents
  }
}

function isPublic({ shown, show_in_rest: rest, query_callback: check }: MetaField): boolean {
  return shown !== null && check === undefined && (typeof rest !== 'object' || rest.prepare_callback === undefined)
}

function searchOf(search: string, variables: Variables): Partial<Query> {
  if (variables.text('exact') === '1') return { search, searchExact: true }
  return { search: variables.text('sentence') === '1' ? `"${search.replaceAll('"', ' ')}"` : search }
}

function limitAuthors(query: Query, ids: readonly number[]): void {
  const common = within(query.author, ids)
  if (common === NO_POST) query.include = NO_POST
  query.author = common
}

/** The values that two conditions have in common; `NO_POST` without common values. */
function within(current: readonly number[] = [], values: readonly number[]): readonly number[] {
  if (current.length === 0) return values
  const common = values.filter((value) => current.includes(value))
  return common.length === 0 ? NO_POST : common
}

function withinSlugs(current: readonly string[] = [], slug: string): readonly string[] {
  return current.length === 0 || current.includes(slug) ? [slug] : ['\0']
}
