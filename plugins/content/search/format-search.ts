import { applyFilter, type PluginContext, type RequestCache, type RestRequest } from '../../../kernel/index.ts'
import { pageRange } from '../../resources/index.ts'
import { FORMAT_TAXONOMY, formatOfSlug, slugOfFormat } from '../taxonomies/index.ts'
import type { Term } from '../terms/index.ts'
import type { Found, FoundId, FoundItem, SearchHandler } from './handler.ts'

/** Query of a search in post formats. */
export interface FormatQuery {
  /** Text to find in slug or name. */
  readonly search: string
  /** IDs of format terms. */
  readonly exclude: readonly number[]
  readonly limit: number
  readonly offset: number
}

/** Names of the post formats that have archives. */
const FORMATS: Readonly<Record<string, string>> = {
  aside: 'Aside',
  chat: 'Chat',
  gallery: 'Gallery',
  link: 'Link',
  image: 'Image',
  quote: 'Quote',
  status: 'Status',
  video: 'Video',
  audio: 'Audio',
}

/** Searches post formats, such as `aside`, that have a term. */
export class FormatSearch implements SearchHandler {
  readonly type = 'post-format'
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  subtypes(): string[] {
    return []
  }

  async search(request: RestRequest): Promise<Found> {
    const requestQuery: FormatQuery = {
      search: (request.get('search') as string | undefined) ?? '',
      exclude: request.get('exclude') as readonly number[],
      ...pageRange(request),
    }
    const query = await applyFilter(this.#plugin.hooks.rest_query.for('post_format_search'), requestQuery, request)
    const { exclude, limit, offset } = query
    const text = query.search.toLowerCase()
    const terms = await this.#terms(request.scope)
    const matches = Object.entries(FORMATS).filter(([slug, name]) => {
      const term = terms.get(slug)
      const matches = slug.includes(text) || name.toLowerCase().includes(text)
      return matches && term !== undefined && !exclude.includes(term.id)
    })
    return { ids: matches.slice(offset, offset + limit).map(([slug]) => slug), total: matches.length }
  }

  async prepare(id: FoundId, _fields: readonly string[], { scope }: RestRequest): Promise<FoundItem> {
    const term = (await this.#terms(scope)).get(String(id))!
    return { id, title: FORMATS[id]!, url: await this.#plugin.services.permalinks.term(term, scope), type: this.type }
  }

  links(): Record<string, never> {
    return {}
  }

  /** The terms of used formats, by format. */
  #terms(scope: RequestCache): Promise<ReadonlyMap<string, Term>> {
    return scope.get('formats found', async () => {
      const slug = Object.keys(FORMATS).map((format) => slugOfFormat(format))
      const { items } = await this.#plugin.services.terms.query({ taxonomy: FORMAT_TAXONOMY, slug }, scope)
      return new Map(items.map((term) => [formatOfSlug(term.slug), term]))
    })
  }
}
