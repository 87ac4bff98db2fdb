import {
  siteUrl,
  VISITOR,
  type FoundPage,
  type PluginContext,
  type PostQuery,
  type RequestCache,
} from '../../public.ts'
import { pageOf, type SeoPage } from './page.ts'

/** Separates the parts of a post. */
const PART_MARK = '<!--nextpage-->'
const FEED = /(?:^|\/)feed(?:\/(?:rss|rss2|rdf|atom))?\/?$/

/** Finds the pages that URLs and objects of the REST API stand for, as visitors see them. */
export class SeoResolver {
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  /** Returns the page at a URL of the site; null for a URL of another site. */
  async at(url: string, scope: RequestCache): Promise<SeoPage | null> {
    const { posts } = this.#plugin.services
    const parsed = siteUrl(url, this.#plugin)
    if (parsed === null) return null
    const place = { url: null, page: 1, pages: 1, isFront: false, scope }
    // The path decides; a query alone, as in `?p=5`, is not resolved.
    if ((parsed.path === '' && parsed.query.size > 0) || FEED.test(parsed.path)) return { ...place, kind: 'other' }
    const isShown = async (post: Parameters<typeof posts.isReadable>[0]) => posts.isReadable(post, VISITOR, scope)
    const found = await this.#plugin.services.permalinks.find(
      { ...parsed, query: new URLSearchParams() },
      isShown,
      scope,
    )
    return found === null ? pageOf(null, place) : this.of(found, scope)
  }

  /** Returns the page of found content; of a page that its list does not have, a missing page. */
  async of(found: FoundPage, scope: RequestCache): Promise<SeoPage> {
    const { permalinks } = this.#plugin.services
    const isFront = await this.isFront(found)
    const pages = found.kind === 'post' ? partsOf(found.post.content) : await this.#pagesOf(found)
    const place = { page: found.page, pages, isFront, scope }
    if (found.page > pages) return pageOf(null, { ...place, url: null })
    if (found.url === null || found.page === 1) return pageOf(found, { ...place, url: found.url })
    const url =
      found.kind === 'post'
        ? permalinks.part(found.url, found.page)
        : permalinks.paged(found.url, found.page, await permalinks.structure(scope))
    return pageOf(found, { ...place, url })
  }

  /** Whether content is the front page of the site. */
  async isFront(found: FoundPage | null): Promise<boolean> {
    if (found?.kind !== 'post') return found?.kind === 'home'
    const { show_on_front: front, page_on_front: id } = await this.#plugin.services.options.many([
      'show_on_front',
      'page_on_front',
    ])
    return front === 'page' && found.post.id === Number(id)
  }

  /** Returns the URL of another page of the same list or post; '' if it has none. */
  async urlOf(page: SeoPage, number: number): Promise<string> {
    const { permalinks } = this.#plugin.services
    if (page.url === null || number < 1 || number > page.pages || page.kind === 'missing' || page.kind === 'other')
      return ''
    const first = await this.firstUrl(page)
    if (number === 1) return first
    return page.kind === 'post'
      ? permalinks.part(first, number)
      : permalinks.paged(first, number, await permalinks.structure(page.scope))
  }

  /** Returns the URL of the first page. */
  async firstUrl(page: SeoPage): Promise<string> {
    const { permalinks } = this.#plugin.services
    switch (page.kind) {
      case 'post':
        return permalinks.post(page.post, page.scope)
      case 'term':
        return permalinks.term(page.term, page.scope)
      case 'author':
        return permalinks.author(page.user, page.scope)
      case 'date':
        return permalinks.archive(page.period, page.scope)
      case 'type':
        return permalinks.typeArchive(page.type, page.scope)
      case 'home':
        return this.#plugin.urls.site('/')
      case 'search':
      case 'missing':
      case 'other':
        return page.url ?? ''
    }
  }

  /** The number of pages of a list. Only later pages need it. */
  async #pagesOf(found: FoundPage): Promise<number> {
    const { options, posts } = this.#plugin.services
    if (found.kind === 'post' || found.kind === 'search') return 1
    const perPage = Math.max(Number(await options.get('posts_per_page', 10)) || 10, 1)
    const query: PostQuery = { types: ['post'], statuses: ['publish'], limit: 1, ...conditionsOf(found, this.#plugin) }
    const { total } = await posts.queryKeys(posts.forUser(query, VISITOR))
    return Math.max(Math.ceil(total / perPage), 1)
  }
}

const partsOf = (content: string) => content.split(PART_MARK).length

function conditionsOf(found: FoundPage, { services }: PluginContext): Partial<PostQuery> {
  if (found.kind === 'author') return { author: [found.user.id] }
  if (found.kind === 'type') return { types: [found.type.name] }
  if (found.kind === 'date') {
    const { period } = found
    return { conditions: [({ ref, sql }) => sql`substr(${ref('date')}, 1, ${period.length}) = ${period}`] }
  }
  if (found.kind !== 'term') return {}
  const { id, taxonomy } = found.term
  const types = services.contentTypes
    .all()
    .flatMap(({ name, viewable }) =>
      viewable && name !== 'attachment' && services.taxonomies.ofType(name).some((one) => one.name === taxonomy)
        ? [name]
        : [],
    )
  return { types, terms: [{ taxonomy, terms: [id], operator: 'in', includeChildren: true }] }
}
