import {
  includedIds,
  type Link,
  type PluginContext,
  type RestRequest,
  type RequestCache,
} from '../../../kernel/index.ts'
import type { Term } from '../terms/index.ts'
import { pageOf, type Found, type FoundId, type FoundItem, type SearchHandler } from './handler.ts'

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
    if (subtypes.length === 0) return { ids: [], total: 0 }
    const query = {
      taxonomy: subtypes,
      search: (request.get('search') as string | undefined) ?? '',
      ...includedIds(request),
      ...pageOf(request),
    }
    const { items, total } = await this.#plugin.services.terms.query(query, request.scope)
    return { ids: items.map(({ id }) => id), total }
  }

  async prepare(id: FoundId, fields: readonly string[], request: RestRequest): Promise<FoundItem> {
    const term = await this.#term(id, request.scope)
    // Clients of such servers find the taxonomy where other objects have their kind.
    const item: FoundItem = { id: term.id, title: term.name, type: term.taxonomy }
    if (fields.includes('url')) item.url = await this.#plugin.services.permalinks.term(term, request.scope)
    return item
  }

  async links(id: FoundId, request: RestRequest): Promise<Record<string, Link>> {
    const { services, urls, branding } = this.#plugin
    const term = await this.#term(id, request.scope)
    const { rest_namespace: namespace, rest_base: base } = services.taxonomies.get(term.taxonomy)!
    return {
      self: { href: urls.rest(`/${namespace}/${base}/${term.id}`), embeddable: true },
      about: { href: urls.rest(`/${branding.namespace('v2')}/taxonomies/${term.taxonomy}`) },
    }
  }

  async #term(id: FoundId, scope: RequestCache): Promise<Term> {
    return (await this.#plugin.services.terms.get(Number(id), scope))!
  }
}
