import type { Awaitable, PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { slugOfFormat, FORMAT_TAXONOMY } from '../taxonomies/index.ts'
import { normalize } from '../../library/markup/index.ts'
import { encodeName, slugsOfName } from '../../resources/index.ts'
import type { FoundPage, FoundTarget, FoundTerm, FoundUser } from './found-page.ts'
import type { LinkedTerm, LinkedUser } from './linked.ts'
import { PostFinder, type PageRequest, type PostLinks } from './post-finder.ts'
import {
  CHOSEN_ARCHIVE,
  COMMENT_PAGE,
  ID_VARIABLES,
  NO_TERM,
  PAGED,
  SLUG_VARIABLES,
  siteUrl,
  type SiteUrl,
} from './site-url.ts'
import type { Structure } from './structure.ts'

/** Maximum number of terms with the same slug to check. */
const MAX_TERMS = 50
/** Maximum length of a search text in URLs, in characters. */
const MAX_SEARCH_LENGTH = 200
const ID = /^[1-9]\d{0,14}$/

/** Builds the URLs that candidates are compared with. */
interface FinderLinks extends PostLinks {
  parameters(): readonly string[]
  structure(scope: RequestCache): Awaitable<Structure>
  term(term: LinkedTerm, scope: RequestCache): Awaitable<string>
  author(user: LinkedUser, scope: RequestCache): Awaitable<string>
  archive(period: string, scope: RequestCache): Awaitable<string>
  typeArchive(type: ContentType, scope: RequestCache): Awaitable<string>
}

/**
 * Resolves URLs of the site. It checks no rights: the code that shows a page checks who may see it.
 *
 * Names are compared in one normal form (`encodeName`): percent-encoded in either case, decoded, composed or decomposed
 * paths lead to the same page. If several pages have one URL, the first of these is found: a post with the URL of a date
 * archive, date archives, authors, terms, archives of types, pages, posts, attachments.
 */
export class PageFinder {
  readonly #plugin: PluginContext
  readonly #permalinks: FinderLinks
  readonly #posts: PostFinder

  constructor(plugin: PluginContext, permalinks: FinderLinks) {
    this.#plugin = plugin
    this.#permalinks = permalinks
    this.#posts = new PostFinder(plugin, permalinks, (taxonomy, slug, request) =>
      this.#termBySlug(taxonomy, slug, request),
    )
  }

  /** Resolves a URL. Returns null if it leads nowhere, or to a post that `isShown` rejects. */
  async find({ path, query }: SiteUrl, request: PageRequest): Promise<FoundPage | null> {
    const { scope } = request
    const chosen = query.get(CHOSEN_ARCHIVE) ?? ''
    if ((path === '' || path === '/') && chosen !== '') {
      const url = siteUrl(chosen, this.#plugin)
      return url === null || url.query.has(CHOSEN_ARCHIVE) ? null : this.find(url, request)
    }
    const structure = await this.#permalinks.structure(scope)
    const normal = encodeName(path)
    const rooted = normal.replace(/^\/index\.php(?=\/|$)/, structure.root === '/' ? '' : '$&').replace(/\/$/, '')
    const search = query.get('s')
    const { path: bare, page } = paged(rooted, query)
    const named = async (): Promise<FoundTarget | null> => {
      const isHome = bare === '' || bare === '/index.php'
      if (isHome && search !== null)
        return { kind: 'search', search: normalize(search.slice(0, MAX_SEARCH_LENGTH), 'NFC').trim(), url: null }
      const target = await this.#byQuery(bare, query, request)
      if (target !== undefined) return target
      if (!isHome) return this.#byPath(bare, structure, request)
      const front = structure.home === 0 ? undefined : await this.#plugin.services.posts.get(structure.home, scope)
      if (front !== undefined) return this.#posts.page(front, request)
      return { kind: 'home', url: this.#plugin.urls.site('/') }
    }
    const target = await named()
    if (target === null) return null
    const commentPageValue = query.get(COMMENT_PAGE) ?? ''
    const commentPage = /^[1-9]\d{0,5}$/.test(commentPageValue) ? Number(commentPageValue) : 0
    if (target.kind === 'post' && target.commentPage === 0 && commentPage > 0) return { page, ...target, commentPage }
    return { page, ...target }
  }

  /**
   * Resolves query parameters: `?p=12`, `?cat=3`, `?author=1`, `?m=202405`. Null if the target does not exist,
   * undefined without such parameters.
   */
  async #byQuery(path: string, query: URLSearchParams, request: PageRequest): Promise<FoundTarget | null | undefined> {
    if (path !== '' || query.size === 0) return undefined
    const { contentTypes, posts, taxonomies } = this.#plugin.services
    const { scope } = request
    const id = ID_VARIABLES.map((name) => query.get(name)).find((value) => value !== null)
    if (id !== undefined && id !== null) {
      const post = ID.test(id) ? await posts.getAttached(Number(id), scope) : undefined
      return post === undefined ? null : this.#posts.page(post, request)
    }
    for (const [name, type] of Object.entries(SLUG_VARIABLES)) {
      const slug = query.get(name)
      if (slug !== null) return this.#posts.bySlug(slug, [type], request)
    }
    const year = query.get('m')?.replace(/^(\d{4})(\d\d)?(\d\d)?$/, joinDate) ?? datesOf(query)
    if (year !== null) return this.#date(year, scope)
    const author = query.get('author')
    if (author !== null) return ID.test(author) ? this.#author({ include: [Number(author)] }, scope) : null
    const authorName = query.get('author_name')
    if (authorName !== null) return this.#author({ slugs: slugsOfName(encodeName(authorName)) }, scope)
    const category = query.get('cat')
    if (category !== null)
      return ID.test(category) ? this.#term(await this.#termById(Number(category), scope), scope) : null
    for (const { name, query_var: variable } of taxonomies.all()) {
      const value = variable === false ? null : query.get(variable)
      if (value === NO_TERM) return undefined
      if (value !== null) return this.#term(await this.#termBySlug(name, value, request), scope)
    }
    const taxonomy = taxonomies.get(query.get('taxonomy') ?? '')
    if (taxonomy !== undefined)
      return this.#term(await this.#termBySlug(taxonomy.name, query.get('term') ?? '', request), scope)
    for (const { name, query_var: variable, viewable } of contentTypes.all()) {
      const value = variable === false || !viewable ? null : query.get(variable)
      if (value !== null) return this.#posts.bySlug(value, [name], request)
    }
    if (!query.has('post_type')) return undefined
    const type = contentTypes.get(query.get('post_type') ?? '')
    return type?.viewable === true && type.has_archive !== false ? this.#typeArchive(type, scope) : null
  }

  /** @param path in the normal form of names */
  async #byPath(path: string, structure: Structure, request: PageRequest): Promise<FoundTarget | null> {
    const { scope } = request
    const below = (base: string) => (path.startsWith(encodeName(base)) ? path.slice(encodeName(base).length) : null)
    if (structure.post !== '') {
      const belowFront = below(structure.front)
      const dated =
        (structure.post.startsWith(`${structure.front}%post_id%`) ? below(`${structure.front}date/`) : belowFront) ?? ''
      const period = /^(\d{4})(?:\/(\d\d))?(?:\/(\d\d))?$/.exec(dated)
      const date = period === null ? null : await this.#date(period.slice(1).filter(Boolean).join('-'), scope)
      if (date !== null) return (await this.#posts.byExactPath(path, structure, request)) ?? date
      const author = /^author\/([^/]+)$/.exec(belowFront ?? '')
      const listed =
        (author === null ? null : await this.#author({ slugs: slugsOfName(author[1]!) }, scope)) ??
        (await this.#termIn(path, structure, request)) ??
        (await this.#typeIn(path, scope))
      if (listed !== null) return listed
    }
    return this.#posts.byPath(path, structure, request)
  }

  async #typeIn(path: string, scope: RequestCache): Promise<FoundTarget | null> {
    for (const type of this.#plugin.services.contentTypes.all()) {
      if (!type.viewable || type.has_archive === false || type.name === 'post') continue
      const archive = await this.#typeArchive(type, scope)
      if (encodeName(siteUrl(archive.url ?? '', this.#plugin)?.path ?? '') === path) return archive
    }
    return null
  }

  async #typeArchive(type: ContentType, scope: RequestCache): Promise<FoundTarget> {
    return { kind: 'type', type, url: await this.#permalinks.typeArchive(type, scope) }
  }

  /** The term for a path below the base of its taxonomy, by the last slug of the path. */
  async #termIn(path: string, structure: Structure, request: PageRequest): Promise<FoundTarget | null> {
    for (const { name, rewrite } of this.#plugin.services.taxonomies.all()) {
      if (rewrite === false) continue
      const set = name === 'category' ? structure.categoryBase : name === 'post_tag' ? structure.tagBase : ''
      const front = rewrite.with_front && set === '' ? structure.front : structure.root
      const base = encodeName(`${front}${set === '' ? rewrite.slug : set}/`)
      if (!path.startsWith(base)) continue
      const slug = path.slice(path.lastIndexOf('/') + 1)
      const found = await this.#term(
        await this.#termBySlug(name, name === FORMAT_TAXONOMY ? slugOfFormat(slug) : slug, request),
        request.scope,
      )
      if (found !== null) return found
    }
    return null
  }

  /** @param path slug of the term, which can follow the slugs of its ancestors */
  async #termBySlug(
    taxonomy: string,
    path: string,
    { isTermPreferred, scope }: Pick<PageRequest, 'isTermPreferred' | 'scope'>,
  ): Promise<FoundTerm | undefined> {
    const slugs = slugsOfName(encodeName(path.slice(path.lastIndexOf('/') + 1)))
    if (slugs.length === 0) return undefined
    const limit = isTermPreferred === undefined ? slugs.length : MAX_TERMS
    const { items } = await this.#plugin.services.terms.query({ taxonomy, slug: slugs, limit }, scope)
    if (isTermPreferred !== undefined && items.length > 1)
      for (const term of items) if (await isTermPreferred(term)) return term
    return firstBySlug(items, slugs)
  }

  async #termById(id: number, scope: RequestCache): Promise<FoundTerm | undefined> {
    const term = await this.#plugin.services.terms.get(id, scope)
    return term?.taxonomy === 'category' ? term : undefined
  }

  async #term(term: FoundTerm | undefined, scope: RequestCache): Promise<FoundTarget | null> {
    const taxonomy = term === undefined ? undefined : this.#plugin.services.taxonomies.get(term.taxonomy)
    if (term === undefined || taxonomy?.publicly_queryable !== true) return null
    return { kind: 'term', term, url: await this.#permalinks.term(term, scope) }
  }

  /** A user with published posts; other users are not revealed. */
  async #author(
    by: { include: number[] } | { slugs: readonly string[] },
    scope: RequestCache,
  ): Promise<FoundTarget | null> {
    const { contentTypes, users } = this.#plugin.services
    const authorsOf = contentTypes
      .all()
      .flatMap(({ name, viewable }) => (viewable && name !== 'attachment' ? [name] : []))
    const slugs = 'slugs' in by ? by.slugs : null
    if (slugs?.length === 0) return null
    const limit = slugs?.length ?? 1
    const { items } = await users.query({ ...by, authorsOf, orderBy: 'id', order: 'asc', limit, offset: 0 })
    const user: FoundUser | undefined = slugs === null ? items[0] : firstBySlug(items, slugs)
    return user === undefined ? null : { kind: 'author', user, url: await this.#permalinks.author(user, scope) }
  }

  async #date(period: string, scope: RequestCache): Promise<FoundTarget | null> {
    const [year = '', month = '01', day = '01'] = period.split('-')
    const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
    // 2024-02-31 is not a date.
    if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(`${year}-${month}-${day}`)) return null
    return { kind: 'date', period, url: await this.#permalinks.archive(period, scope) }
  }
}

/** The first item in the order of the slugs. */
function firstBySlug<T extends { slug: string }>(items: readonly T[], slugs: readonly string[]): T | undefined {
  for (const slug of slugs) {
    const found = items.find((item) => item.slug === slug)
    if (found !== undefined) return found
  }
  return undefined
}

/** Splits the page number off a list URL: `/news/page/2`, or `?paged=2`. */
function paged(path: string, query: URLSearchParams): { path: string; page: number } {
  const match = /^(.*)\/page\/([1-9]\d{0,8})$/.exec(path)
  if (match !== null) return { path: match[1]!, page: Number(match[2]) }
  const value = query.get(PAGED) ?? query.get('page') ?? ''
  return { path, page: ID.test(value) ? Math.min(Number(value), 999_999_999) : 1 }
}

function joinDate(_: string, year: string, month?: string, day?: string): string {
  return [year, month, day].filter(Boolean).join('-')
}

/** The period of `?year=2024&monthnum=5&day=3`; null without a year. */
function datesOf(query: URLSearchParams): string | null {
  const year = query.get('year')
  if (year === null) return null
  const rest = ['monthnum', 'day'].map((name) => query.get(name)).filter((part) => part !== null)
  return [year, ...rest.map((part) => part.padStart(2, '0'))].join('-')
}
