import {
  applyFilter,
  type Link,
  type PluginContext,
  type RequestCache,
  type RestRequest,
} from '../../../kernel/index.ts'
import { includedIds, pageRange } from '../../resources/index.ts'
import type { Term, TermQuery } from '../terms/index.ts'
import { routeLinks, type Found, type FoundId, type FoundItem, type SearchHandler } from './handler.ts'

/** Searches the terms of public taxonomies, by name. */
export class TermSearch implements SearchHandler {
  readonly type = 'term'
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  subtypes(): string[] {
    const taxonomies = this.#plugin.services.taxonomies.exposed()
    return taxonomies.filter((taxonomy) => taxonomy.public).map(({ name }) => name)
  }

  async search(request: RestRequest, subtypes: readonly string[]): Promise<Found> {
    const requestQuery: TermQuery = {
      // Clients rely on subtypes of other types being ignored here.
      taxonomy: subtypes.length === 0 ? this.subtypes() : subtypes,
      search: (request.get('search') as string | undefined) ?? '',
      ...includedIds(request),
      ...pageRange(request),
    }
    const { hooks, services } = this.#plugin
    const query = await applyFilter(hooks.rest_query.for('term_search'), requestQuery, request)
    const { items, total } = await services.terms.query(query, request.scope)
    return { ids: items.map(({ id }) => id), total }
  }

  async prepare(id: FoundId, fields: readonly string[], request: RestRequest): Promise<FoundItem> {
    const term = await this.#term(id, request.scope)
    // Clients expect the taxonomy in `type`, where other results have their object type.
    const item: FoundItem = { id: term.id, title: term.name, type: term.taxonomy }
    if (fields.includes('url')) item.url = await this.#plugin.services.permalinks.term(term, request.scope)
    return item
  }

  async links(id: FoundId, request: RestRequest): Promise<Record<string, Link>> {
    const term = await this.#term(id, request.scope)
    const route = this.#plugin.services.taxonomies.itemRoute(term)
    return routeLinks(this.#plugin, route, `taxonomies/${term.taxonomy}`)
  }

  async #term(id: FoundId, scope: RequestCache): Promise<Term> {
    return (await this.#plugin.services.terms.get(Number(id), scope))!
  }
}
