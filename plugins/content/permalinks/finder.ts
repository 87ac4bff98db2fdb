import type { Awaitable, PluginContext, RequestCache } from '../../../kernel/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { slugOfFormat, FORMAT_TAXONOMY } from '../taxonomies/index.ts'
import type { FoundPage, FoundPost, FoundTerm, FoundUser } from './found-page.ts'
import type { LinkedPost, LinkedTerm, LinkedUser } from './linked.ts'
import { COMMENT_PAGE, ID_VARIABLES, PAGED, siteUrl, type SiteUrl } from './site-url.ts'
import type { Structure } from './structure.ts'

/** Maximum number of posts with the same slug to check. */
const MAX_POSTS = 50
/** Maximum length of a search text in URLs, in characters. */
const MAX_SEARCH_LENGTH = 200
const ID = /^[1-9]\d{0,14}$/

/** Builds the URLs that candidates are compared with. */
interface FinderLinks {
  parameters(): readonly string[]
  structure(scope: RequestCache): Awaitable<Structure>
  post(post: LinkedPost, scope: RequestCache): Awaitable<string>
  term(term: LinkedTerm, scope: RequestCache): Awaitable<string>
  author(user: LinkedUser, scope: RequestCache): Awaitable<string>
  archive(period: string, scope: RequestCache): Awaitable<string>
  typeArchive(type: ContentType, scope: RequestCache): Awaitable<string>
}

/** Resolves URLs of the site. It checks no rights: the code that shows a page checks who may see it. */
export class PageFinder {
  readonly #plugin: PluginContext
  readonly #permalinks: FinderLinks

  constructor(plugin: PluginContext, permalinks: FinderLinks) {
    this.#plugin = plugin
    this.#permalinks = permalinks
  }

  /** Resolves a URL. Returns null if it leads nowhere, or to a post that `isShown` rejects. */
  async find(
    { path, query }: SiteUrl,
    isShown: (post: FoundPost) => Promise<boolean>,
    scope: RequestCache,
  ): Promise<FoundPage | null> {
    const structure = await this.#permalinks.structure(scope)
    const rooted = path.replace(/^\/index\.php(?=\/|$)/, structure.root === '/' ? '' : '$&').replace(/\/$/, '')
    const search = query.get('s')
    const { path: bare, page } = paged(rooted, query)
    const named = async (): Promise<FoundTarget | null> => {
      const isHome = bare === '' || bare === '/index.php'
      if (isHome && search !== null)
        return { kind: 'search', search: search.slice(0, MAX_SEARCH_LENGTH).trim(), url: null }
      const target = await this.#byQuery(bare, query, isShown, scope)
      if (target !== undefined) return target
      if (!isHome) return this.#byPath(bare, structure, isShown, scope)
      const front = structure.home === 0 ? undefined : await this.#plugin.services.posts.get(structure.home, scope)
      if (front !== undefined) return this.#post(front, isShown, scope)
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
  async #byQuery(
    path: string,
    query: URLSearchParams,
    isShown: (post: FoundPost) => Promise<boolean>,
    scope: RequestCache,
  ): Promise<FoundTarget | null | undefined> {
    if (path !== '' || query.size === 0) return undefined
    const { contentTypes, posts, taxonomies } = this.#plugin.services
    const id = ID_VARIABLES.map((name) => query.get(name)).find((value) => value !== null)
    if (id !== undefined && id !== null) {
      const post = ID.test(id) ? await posts.getAttached(Number(id), scope) : undefined
      return post === undefined ? null : this.#post(post, isShown, scope)
    }
    const slug = query.get('name') ?? query.get('pagename')
    if (slug !== null) return this.#postBySlug(slug, query.has('name') ? ['post'] : ['page'], isShown, scope)
    const year = query.get('m')?.replace(/^(\d{4})(\d\d)?(\d\d)?$/, joinDate) ?? datesOf(query)
    if (year !== null) return this.#date(year, scope)
    const author = query.get('author')
    if (author !== null) return ID.test(author) ? this.#author({ include: [Number(author)] }, scope) : null
    const category = query.get('cat')
    if (category !== null)
      return ID.test(category) ? this.#term(await this.#termById(Number(category), scope), scope) : null
    for (const { name, query_var: variable } of taxonomies.all()) {
      const value = variable === false ? null : query.get(variable)
      if (value !== null) return this.#term(await this.#termBySlug(name, value, scope), scope)
    }
    const taxonomy = taxonomies.get(query.get('taxonomy') ?? '')
    if (taxonomy !== undefined)
      return this.#term(await this.#termBySlug(taxonomy.name, query.get('term') ?? '', scope), scope)
    for (const { name, query_var: variable, viewable } of contentTypes.all()) {
      const value = variable === false || !viewable ? null : query.get(variable)
      if (value !== null) return this.#postBySlug(value, [name], isShown, scope)
    }
    if (!query.has('post_type')) return undefined
    const type = contentTypes.get(query.get('post_type') ?? '')
    return type?.viewable === true && type.has_archive !== false ? this.#typeArchive(type, scope) : null
  }

  async #byPath(
    path: string,
    structure: Structure,
    isShown: (post: FoundPost) => Promise<boolean>,
    scope: RequestCache,
  ): Promise<FoundTarget | null> {
    const below = (base: string) => (path.toLowerCase().startsWith(base.toLowerCase()) ? path.slice(base.length) : null)
    if (structure.post !== '') {
      const belowFront = below(structure.front)
      const dated =
        (structure.post.startsWith(`${structure.front}%post_id%`) ? below(`${structure.front}date/`) : belowFront) ?? ''
      const period = /^(\d{4})(?:\/(\d\d))?(?:\/(\d\d))?$/.exec(dated)
      const date = period === null ? null : await this.#date(period.slice(1).filter(Boolean).join('-'), scope)
      if (date !== null) return date
      const author = /^author\/([^/]+)$/i.exec(belowFront ?? '')
      if (author !== null) return this.#author({ slugs: [author[1]!.toLowerCase()] }, scope)
      const listed = (await this.#termIn(path, structure, scope)) ?? (await this.#typeIn(path, scope))
      if (listed !== null) return listed
    }
    return this.#postIn(path, isShown, scope)
  }

  async #typeIn(path: string, scope: RequestCache): Promise<FoundTarget | null> {
    for (const type of this.#plugin.services.contentTypes.all()) {
      if (!type.viewable || type.has_archive === false || type.name === 'post') continue
      const archive = await this.#typeArchive(type, scope)
      if (siteUrl(archive.url ?? '', this.#plugin)?.path.toLowerCase() === path.toLowerCase()) return archive
    }
    return null
  }

  async #typeArchive(type: ContentType, scope: RequestCache): Promise<FoundTarget> {
    return { kind: 'type', type, url: await this.#permalinks.typeArchive(type, scope) }
  }

  /** The term for a path below the base of its taxonomy, by the last slug of the path. */
  async #termIn(path: string, structure: Structure, scope: RequestCache): Promise<FoundTarget | null> {
    for (const { name, rewrite } of this.#plugin.services.taxonomies.all()) {
      if (rewrite === false) continue
      const set = name === 'category' ? structure.categoryBase : name === 'post_tag' ? structure.tagBase : ''
      const front = rewrite.with_front && set === '' ? structure.front : structure.root
      const base = `${front}${set === '' ? rewrite.slug : set}/`
      if (!path.toLowerCase().startsWith(base.toLowerCase())) continue
      const slug = path.slice(path.lastIndexOf('/') + 1)
      const found = await this.#term(
        await this.#termBySlug(name, name === FORMAT_TAXONOMY ? slugOfFormat(slug) : slug, scope),
        scope,
      )
      if (found !== null) return found
    }
    return null
  }

  async #termBySlug(taxonomy: string, slug: string, scope: RequestCache): Promise<FoundTerm | undefined> {
    const last = slug.slice(slug.lastIndexOf('/') + 1).toLowerCase()
    if (last === '') return undefined
    return (await this.#plugin.services.terms.query({ taxonomy, slug: [last], limit: 1 }, scope)).items[0]
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
  async #author(by: { include: number[] } | { slugs: string[] }, scope: RequestCache): Promise<FoundTarget | null> {
    const { contentTypes, users } = this.#plugin.services
    const authorsOf = contentTypes
      .all()
      .flatMap(({ name, viewable }) => (viewable && name !== 'attachment' ? [name] : []))
    const { items } = await users.query({ ...by, authorsOf, orderBy: 'id', order: 'asc', limit: 1, offset: 0 })
    const user: FoundUser | undefined = items[0]
    return user === undefined ? null : { kind: 'author', user, url: await this.#permalinks.author(user, scope) }
  }

  async #date(period: string, scope: RequestCache): Promise<FoundTarget | null> {
    const [year = '', month = '01', day = '01'] = period.split('-')
    const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
    // 2024-02-31 is not a date.
    if (Number.isNaN(date.getTime()) || !date.toISOString().startsWith(`${year}-${month}-${day}`)) return null
    return { kind: 'date', period, url: await this.#permalinks.archive(period, scope) }
  }

  async #post(
    post: FoundPost,
    isShown: (post: FoundPost) => Promise<boolean>,
    scope: RequestCache,
    parts: PostParts = FIRST_PAGE,
  ): Promise<FoundTarget | null> {
    if (this.#plugin.services.contentTypes.get(post.type)?.viewable !== true || !(await isShown(post))) return null
    await this.#plugin.services.posts.getAttached(post.id, scope)
    const { page, commentPage } = parts
    return {
      kind: 'post',
      post,
      commentPage,
      url: await this.#permalinks.post(post, scope),
      ...(page !== null && { page }),
    }
  }

  async #postBySlug(
    slug: string,
    types: readonly string[],
    isShown: (post: FoundPost) => Promise<boolean>,
    scope: RequestCache,
  ): Promise<FoundTarget | null> {
    for (const post of await this.#candidates(slug.slice(slug.lastIndexOf('/') + 1), types, scope)) {
      const found = await this.#post(post, isShown, scope)
      if (found !== null) return found
    }
    return null
  }

  /**
   * The post for a path. Candidates are found by slug or ID, and the post with this URL wins. If none has it, the only
   * post with the slug is returned.
   */
  async #postIn(
    path: string,
    isShown: (post: FoundPost) => Promise<boolean>,
    scope: RequestCache,
  ): Promise<FoundTarget | null> {
    const types = this.#plugin.services.contentTypes.all().flatMap(({ name, viewable }) => (viewable ? [name] : []))
    const parted = partsOf(path)
    for (const { path: own, ...parts } of parted) {
      const slug = own.slice(own.lastIndexOf('/') + 1)
      const ids = own.split('/').filter((part) => ID.test(part))
      const byId = await Promise.all(
        ids.slice(0, 5).map(async (id) => this.#plugin.services.posts.getAttached(Number(id), scope)),
      )
      const shown: FoundTarget[] = []
      for (const post of [...(slug === '' ? [] : await this.#candidates(slug, types, scope)), ...byId]) {
        const found = post === undefined ? null : await this.#post(post, isShown, scope, parts)
        if (found === null) continue
        if (siteUrl(found.url ?? '', this.#plugin)?.path.toLowerCase() === own.toLowerCase()) return found
        if (post !== undefined && post.slug === slug.toLowerCase()) shown.push(found)
      }
      if (shown.length === 1) return shown[0]!
    }
    return null
  }

  async #candidates(slug: string, types: readonly string[], scope: RequestCache): Promise<FoundPost[]> {
    const { posts } = this.#plugin.services
    const query = { types, statuses: ['publish', 'inherit', 'private'], slug: [slug.toLowerCase()], limit: MAX_POSTS }
    const { items } = await posts.query({ ...query, readScope: null, opens: null }, scope)
    return items
  }
}

type Distribute<T> = T extends unknown ? Omit<T, 'page'> & { page?: number } : never
type FoundTarget = Distribute<FoundPage>

interface PostParts {
  /** Requested part of the content; null if the URL does not have one. */
  page: number | null
  commentPage: number
}

const FIRST_PAGE: PostParts = { page: null, commentPage: 0 }

/** The possible readings of a path: as the URL of a post, of a part of its content, or of a page of its comments. */
function partsOf(path: string): (PostParts & { path: string })[] {
  const comments = /^(.+)\/comment-page-([1-9]\d{0,5})$/.exec(path)
  if (comments !== null) return [{ path: comments[1]!, page: null, commentPage: Number(comments[2]) }]
  const part = /^(.+)\/([1-9]\d{0,5})$/.exec(path)
  return [
    { path, ...FIRST_PAGE },
    ...(part === null ? [] : [{ path: part[1]!, page: Number(part[2]), commentPage: 0 }]),
  ]
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
