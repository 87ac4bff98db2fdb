import { cursorOf, includedIds, normalizeSlug, pageRange, valuesOf, type ResourceInput } from '../../resources/index.ts'
import type { PluginContext, RestRequest } from '../../../kernel/index.ts'
import type { Taxonomy } from '../taxonomies/index.ts'
import { errors } from './errors.ts'
import type { Term, TermOrder, TermQuery } from './query.ts'
import type { NewTerm, TermChange } from './writer.ts'

const FIELDS = ['name', 'slug', 'description', 'parent'] as const

/** Converts list requests to queries and request bodies to changes, for terms of one taxonomy. */
export class TermInput implements ResourceInput<Term, TermQuery, NewTerm | TermChange> {
  readonly #plugin: PluginContext
  readonly #taxonomy: Taxonomy

  constructor(plugin: PluginContext, taxonomy: Taxonomy) {
    this.#plugin = plugin
    this.#taxonomy = taxonomy
  }

  /** Builds the query for a list request. */
  async queryOf(request: RestRequest): Promise<TermQuery> {
    const { name, hierarchical } = this.#taxonomy
    const { fieldIndex } = this.#plugin.services
    const fieldQuery = fieldIndex.has('term') ? await fieldIndex.conditionsOf('term', name, request) : null
    const query: TermQuery = {
      taxonomy: name,
      hierarchical,
      ...includedIds(request),
      slug: this.#slugsOf(request),
      hideEmpty: request.get('hide_empty') === true,
      orderby: fieldQuery?.orderby ?? (request.get('orderby') as TermOrder),
      order: request.get('order') as 'asc' | 'desc',
      ...pageRange(request),
      ...cursorOf(request),
    }
    if (fieldQuery !== null && fieldQuery.where.length > 0) query.where = fieldQuery.where
    const offset = hierarchical ? undefined : (request.get('offset') as number | undefined)
    if (offset) query.offset = Math.max(offset, 0)
    const search = request.get('search') as string | undefined
    if (search !== undefined) query.search = search
    const post = request.get('post') as number | null
    if (post) query.post = post
    const parent = hierarchical ? (request.get('parent') as number | undefined) : undefined
    if (parent !== undefined) query.parent = parent
    return query
  }

  /**
   * Returns the changes that the request makes to a term. The arguments require a name for a new term.
   * @throws rest_taxonomy_not_hierarchical
   */
  changeOf(request: RestRequest): NewTerm | TermChange {
    const change: Record<string, unknown> = {}
    for (const field of FIELDS) {
      const value = request.get(field)
      if (value !== undefined && value !== null) change[field] = value
    }
    if ('parent' in change && !this.#taxonomy.hierarchical) throw errors.rest_taxonomy_not_hierarchical()
    return change
  }

  /** The requested slugs, both as sent and in normalized form. */
  #slugsOf(request: RestRequest): readonly string[] {
    const slugs = valuesOf<string>(request, 'slug')
    return slugs.flatMap((slug) => [slug, normalizeSlug(slug)])
  }
}
