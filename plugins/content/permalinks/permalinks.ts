import {
  addQuery,
  applyFilter,
  applySyncFilter,
  awaitAll,
  isThenable,
  type Awaitable,
  type CurrentUser,
  type PluginContext,
  RequestCache,
} from '../../../kernel/index.ts'
import { addDeprecatedMembers } from '../../library/deprecated-names/index.ts'
import type { ContentType } from '../content-types/index.ts'
import { FORMAT_TAXONOMY, formatOfSlug, type Taxonomy } from '../taxonomies/index.ts'
import type { PageFinder } from './finder.ts'
import type { FoundPage, FoundPost } from './found-page.ts'
import type { FrontPages, UrlResolution } from './hooks.ts'
import type { LinkedPost, LinkedSubject, LinkedTerm, LinkedUser } from './linked.ts'
import { loadersOf, type PermalinkLoaders } from './loaders.ts'
import { COMMENT_PAGE, PAGE_PARAMETERS, type SiteUrl } from './site-url.ts'
import { decodeName, slugify } from '../../resources/index.ts'
import { readStructure, STRUCTURE_OPTIONS, tagValue, type Structure } from './structure.ts'

/** A content type, as far as the URL of its archive depends on it. */
export type ArchivedType = Pick<ContentType, 'name' | 'has_archive' | 'rewrite'>

/** URLs of the site's pages. Concurrent calls within one request share their statements. */
export interface Permalinks {
  /** Returns the URL of a post of any type; the plain form (`?p=12`) unless it is published. */
  post(post: LinkedPost, scope: RequestCache): Awaitable<string>
  /**
   * Returns the URL of a post as if it were published, with `%postname%` or `%pagename%` in place of its slug:
   * `http://site.test/2025/06/15/%postname%/`. The slugs of a page's ancestors are decoded.
   */
  postTemplate(post: LinkedPost, scope: RequestCache): Awaitable<string>
  /**
   * Returns the URL at which a user previews a post.
   * @param autosave ID of the autosave to show; null for the post itself
   */
  preview(post: LinkedPost, user: CurrentUser, scope: RequestCache, autosave: number | null): Promise<string>
  /** Caches a post that has already been read, so that URLs of its children do not read it again. */
  prime(post: LinkedPost, scope: RequestCache): void
  /** @deprecated Use `prime`. */
  readonly know: Permalinks['prime']
  /** Preloads the URL structure, so that URLs that depend on nothing else are returned synchronously. */
  ready(scope: RequestCache): Awaitable<unknown>
  /**
   * Returns the ancestors of a post, nearest first; one statement reads all levels for many posts. Does not check
   * permissions.
   */
  above(post: Pick<LinkedPost, 'parent_id'>, scope: RequestCache): Awaitable<readonly LinkedPost[]>
  /** Returns the ancestors of a term, nearest first, in the same way. */
  termsAbove(term: Pick<LinkedTerm, 'parent_id'>, scope: RequestCache): Awaitable<readonly LinkedTerm[]>
  /** Returns the URL of a term's page. */
  term(term: LinkedTerm, scope: RequestCache): Awaitable<string>
  /** Returns the URL of the page that lists the posts of a user. */
  author(user: LinkedUser, scope?: RequestCache): Awaitable<string>
  /** Returns the URL of the posts of a year, month or day: `2025`, `2025-01`, `2025-01-05`. */
  archive(period: string, scope: RequestCache): Awaitable<string>
  /** Returns the URL of the archive of a content type that has one. */
  typeArchive(type: ArchivedType, scope: RequestCache): Awaitable<string>
  /**
   * Resolves a URL of the site. Returns null if it leads nowhere, or to a post that `isShown` rejects.
   * @param url with its trailing slash, if it has one
   */
  find(url: SiteUrl, isShown: (post: FoundPost) => Promise<boolean>, scope: RequestCache): Promise<FoundPage | null>
  /** Returns a URL without the parts that plugins add to links, as `find` searches for it. */
  resolved(url: SiteUrl, scope: RequestCache): Promise<SiteUrl>
  /** Returns the URL of the front page. */
  home(scope: RequestCache): Awaitable<string>
  /** Returns the pages that the owner has chosen as front page and as page of the newest posts; read once per request. */
  frontPages(scope: RequestCache): Awaitable<FrontPages>
  /**
   * Returns the URL of a further page of a list: `http://site.test/category/news/page/2/`. @param url URL of its first
   * page
   */
  paged(url: string, page: number, structure: Structure): string
  /** Returns the URL structure, read once per request. */
  structure(scope: RequestCache): Awaitable<Structure>
  /** Returns the URL of a page of search results. @param page page number from 1 */
  search(words: string, page: number): string
  /** Names of the query parameters that identify a page of the site. */
  parameters(): readonly string[]
  /** Returns the URL of a part of a multi-page post. @param url URL of the first part */
  part(url: string, part: number): string
  /** Returns the URL of a comment page of a post. @param url URL of the post */
  commentPage(url: string, page: number): string
  /** Generates a slug from a title. */
  slugify(title: string): string
}

const FRONT_PAGE_OPTIONS = ['show_on_front', 'page_on_front', 'page_for_posts'] as const
const ALL_OPTIONS = [...STRUCTURE_OPTIONS, ...FRONT_PAGE_OPTIONS] as const
type FrontPageOptions = Readonly<Partial<Record<(typeof FRONT_PAGE_OPTIONS)[number], unknown>>>

/** Statuses of posts without a public URL that will get one when they are published. */
const TO_BE_PUBLISHED: ReadonlySet<string> = new Set(['draft', 'pending', 'auto-draft', 'future'])

/** Builds URLs from the options `permalink`, `category_base` and `tag_base`. */
export class SitePermalinks implements Permalinks {
  /** @deprecated Use `prime`. */
  declare readonly know: SitePermalinks['prime']
  readonly slugify = slugify
  readonly #plugin: PluginContext
  /** The hook that links pass through; null for the finder, which compares paths with links that have not. */
  readonly #siteLink: PluginContext['hooks']['site_link'] | null
  #finder: Promise<PageFinder> | null = null

  constructor(plugin: PluginContext, siteLink: PluginContext['hooks']['site_link'] | null = plugin.hooks.site_link) {
    this.#plugin = plugin
    this.#siteLink = siteLink
  }

  async find(
    url: SiteUrl,
    isShown: (post: FoundPost) => Promise<boolean>,
    scope: RequestCache,
  ): Promise<FoundPage | null> {
    const finder = await (this.#finder ??= this.#loadFinder())
    const resolution = await this.#resolution(url, scope)
    const { isPreferred, isTermPreferred } = resolution
    const preferred =
      isPreferred === null
        ? null
        : await finder.find(resolution.url, {
            isShown: async (post) => (await isPreferred(post)) && isShown(post),
            isTermPreferred,
            scope,
          })
    const found = preferred ?? (await finder.find(resolution.url, { isShown, isTermPreferred, scope }))
    if (found === null || found.url === null) return found
    return { ...found, url: await this.#finished(found.url, subjectOf(found), scope) }
  }

  async resolved(url: SiteUrl, scope: RequestCache): Promise<SiteUrl> {
    return (await this.#resolution(url, scope)).url
  }

  #resolution(url: SiteUrl, scope: RequestCache): Awaitable<UrlResolution> {
    return applyFilter(this.#plugin.hooks.site_url_resolution, { url, isPreferred: null }, scope)
  }

  home(scope: RequestCache): Awaitable<string> {
    return this.#finished(this.#plugin.urls.site('/'), { kind: 'home' }, scope)
  }

  frontPages(scope: RequestCache): Awaitable<FrontPages> {
    return scope.getLater('permalinks: front pages', async () =>
      this.#filteredFrontPages(await this.#plugin.services.options.many(FRONT_PAGE_OPTIONS), scope),
    )
  }

  #filteredFrontPages(set: FrontPageOptions, scope: RequestCache): Awaitable<FrontPages> {
    const hook = this.#plugin.hooks.site_front_pages
    const chosen = chosenPages(set)
    return hook.isUsed() ? applyFilter(hook, chosen, scope) : chosen
  }

  #finished(link: Awaitable<string>, subject: LinkedSubject, scope: RequestCache): Awaitable<string> {
    const hook = this.#siteLink
    if (hook?.isUsed() !== true) return link
    return isThenable(link)
      ? link.then((late) => applyFilter(hook, late, subject, scope))
      : applyFilter(hook, link, subject, scope)
  }

  async #loadFinder(): Promise<PageFinder> {
    const { PageFinder } = await import('./finder.ts')
    return new PageFinder(this.#plugin, new SitePermalinks(this.#plugin, null))
  }

  post(post: LinkedPost, scope: RequestCache): Awaitable<string> {
    const structure = this.structure(scope)
    const path = isThenable(structure)
      ? structure.then((late) => this.#postPath(post, post.slug, late, scope))
      : this.#postPath(post, post.slug, structure, scope)
    const link = isThenable(path) ? path.then((late) => this.#filtered(post, late)) : this.#filtered(post, path)
    // Lists call this for each post, so the subject is made only for a tap.
    return this.#siteLink?.isUsed() === true ? this.#finished(link, { kind: 'post', post }, scope) : link
  }

  async postTemplate(post: LinkedPost, scope: RequestCache): Promise<string> {
    const published = TO_BE_PUBLISHED.has(post.status) ? { ...post, status: 'publish' } : post
    const mark = post.type === 'post' || post.type === 'attachment' ? '%postname%' : '%pagename%'
    const unattached = post.type === 'attachment' && post.parent_id === 0
    const path = unattached
      ? plainPath(post, undefined)
      : await this.#postPath(published, mark, await this.structure(scope), scope)
    const isHierarchical = this.#plugin.services.contentTypes.get(post.type)?.hierarchical === true
    const link = this.#plugin.urls.site(isHierarchical ? decodeName(path) : path)
    return this.#finished(link, { kind: 'post', post }, scope)
  }

  async preview(post: LinkedPost, user: CurrentUser, scope: RequestCache, autosave: number | null): Promise<string> {
    const previewId = autosave !== null && { preview_id: post.id }
    const link = addQuery(await this.post(post, scope), { ...previewId, preview: 'true' })
    return applyFilter(this.#plugin.hooks.preview_post_link, link, post, user, autosave)
  }

  term(term: LinkedTerm, scope: RequestCache): Awaitable<string> {
    const { hooks, urls } = this.#plugin
    const filtered = (path: string) => applySyncFilter(hooks.term_link, urls.site(path), term)
    const structure = this.structure(scope)
    const path = isThenable(structure)
      ? structure.then((late) => this.#termPath(term, late, scope))
      : this.#termPath(term, structure, scope)
    const link = isThenable(path) ? path.then(filtered) : filtered(path)
    return this.#siteLink?.isUsed() === true ? this.#finished(link, { kind: 'term', term }, scope) : link
  }

  async author(user: LinkedUser, scope = new RequestCache()): Promise<string> {
    const { hooks, urls } = this.#plugin
    const { post, front, slash } = await this.structure(scope)
    const path = post === '' ? `/?author=${user.id}` : `${front}author/${user.slug}${slash}`
    return this.#finished(applySyncFilter(hooks.author_link, urls.site(path), user), { kind: 'author', user }, scope)
  }

  async archive(period: string, scope: RequestCache): Promise<string> {
    const { urls } = this.#plugin
    const { post, front, slash } = await this.structure(scope)
    const finished = (path: string) => this.#finished(urls.site(path), { kind: 'date', period }, scope)
    if (post === '') return finished(`/?m=${period.replaceAll('-', '')}`)
    // A post ID at this position could be confused with a year.
    const before = post.startsWith(`${front}%post_id%`) ? `${front}date/` : front
    return finished(`${before}${period.replaceAll('-', '/')}${slash}`)
  }

  async typeArchive({ name, has_archive: own, rewrite }: ArchivedType, scope: RequestCache): Promise<string> {
    const { urls } = this.#plugin
    const { post, front, root, slash } = await this.structure(scope)
    const finished = (path: string) => this.#finished(urls.site(path), { kind: 'type', name }, scope)
    if (post === '' || rewrite === false) return finished(`/?post_type=${name}`)
    const slug = typeof own === 'string' ? own : rewrite.slug
    return finished(`${rewrite.with_front ? front : root}${slug}${slash}`)
  }

  #filtered(post: LinkedPost, path: string): string {
    const { hooks, urls, services } = this.#plugin
    const link = urls.site(path)
    if (post.type === 'page') return applySyncFilter(hooks.page_link, link, post)
    if (post.type === 'attachment') return applySyncFilter(hooks.attachment_link, link, post)
    const ofPosts = post.type === 'post' || !services.contentTypes.get(post.type)?.rewrite
    return applySyncFilter(ofPosts ? hooks.post_link : hooks.post_type_link, link, post)
  }

  structure(scope: RequestCache): Awaitable<Structure> {
    return scope.getLater('permalinks: structure', async () => {
      const set = await this.#plugin.services.options.many(ALL_OPTIONS)
      return readStructure(set, (await this.#filteredFrontPages(set, scope)).front)
    })
  }

  /** @param slug slug of the post, or the placeholder for it */
  #postPath(post: LinkedPost, slug: string, structure: Structure, scope: RequestCache): Awaitable<string> {
    const { contentTypes } = this.#plugin.services
    const type = contentTypes.get(post.type)
    if (post.type === 'page' && post.id === structure.home) return '/'
    if (post.type === 'attachment') return this.#attachmentPath(post, slug, structure, scope)
    const likePosts = post.type === 'post' || type === undefined || (!type.rewrite && !type.viewable)
    if (structure.post === '' || slug === '' || this.#isHidden(post)) {
      if (likePosts) return `/?p=${post.id}`
      return structure.post === '' ? this.#plainPath(post, slug, type, scope) : plainPath(post, undefined)
    }
    const below = (base: string) => this.#below(base, post, slug, structure, scope)
    if (post.type === 'page') return below(structure.root)
    if (likePosts) return this.#fill(structure.parts, post, slug, scope)
    if (!type.rewrite) return this.#plainPath(post, slug, type, scope)
    const base = `${type.rewrite.with_front ? structure.front : structure.root}${type.rewrite.slug}/`
    return type.hierarchical ? below(base) : `${base}${slug}${structure.slash}`
  }

  /** The plain path. It contains the ancestors, because slugs of hierarchical types are unique below one parent only. */
  #plainPath(post: LinkedPost, slug: string, type: ContentType, scope: RequestCache): Awaitable<string> {
    const path = plainPath(post, type)
    const base = `/?${type.query_var}=`
    if (!type.hierarchical || post.parent_id === 0 || !path.startsWith(base)) return path
    return this.#below(base, post, slug, { slash: '' }, scope)
  }

  /** Whether the post has no public URL. */
  #isHidden(post: LinkedPost): boolean {
    const status = this.#plugin.services.statuses.get(post.status)
    return status === undefined || status.internal || status.protected
  }

  async #attachmentPath(post: LinkedPost, slug: string, structure: Structure, scope: RequestCache): Promise<string> {
    if (structure.post === '' || slug === '') return plainPath(post, undefined)
    const above = await this.above(post, scope)
    // Attachments can be nested to any depth; the owner is the nearest ancestor of another type.
    const owner = above.findIndex(({ type }) => type !== 'attachment')
    const between = owner < 0 ? above : above.slice(0, owner)
    if (between.some((one) => one.slug === '')) return plainPath(post, undefined)
    const slugs = [...between.map((one) => one.slug).toReversed(), slug]
    const first = owner < 0 ? `${structure.root}${slugs.shift()!}${structure.slash}` : null
    let path = first ?? (await this.#postPath(above[owner]!, above[owner]!.slug, structure, scope))
    if (path.includes('?')) return plainPath(post, undefined)
    for (const name of slugs) {
      // A bare number, or a structure with categories, would be ambiguous after the URL of the parent.
      const ambiguous = /^\d+$/.test(name) || structure.post.includes('%category%')
      path = `${path.replace(/\/$/, '')}/${ambiguous ? 'attachment/' : ''}${name}${structure.slash}`
    }
    return path
  }

  /** The path of a hierarchical post: base, slugs of the ancestors, own slug. */
  #below(
    base: string,
    post: LinkedPost,
    slug: string,
    { slash }: Pick<Structure, 'slash'>,
    scope: RequestCache,
  ): Awaitable<string> {
    if (post.parent_id === 0) return `${base}${slug}${slash}`
    const pathOf = (ancestors: readonly LinkedPost[]) => {
      const above = ancestors.filter((one) => one.slug !== '').map((one) => one.slug)
      return `${base}${[...above.toReversed(), slug].join('/')}${slash}`
    }
    const ancestors = this.above(post, scope)
    return isThenable(ancestors) ? ancestors.then(pathOf) : pathOf(ancestors)
  }

  paged(url: string, page: number, { post, root, slash }: Structure): string {
    if (page < 2) return url
    if (post === '' || url.includes('?')) return addQuery(url, { paged: page })
    const first = url === this.#plugin.urls.site('/') ? this.#plugin.urls.site(root) : url
    return `${first.replace(/\/$/, '')}/page/${page}${slash}`
  }

  parameters(): readonly string[] {
    const { hooks, services } = this.#plugin
    const { contentTypes, taxonomies } = services
    const own = [...contentTypes.all(), ...taxonomies.all()].flatMap(({ query_var: name }) => name || [])
    return applySyncFilter(hooks.site_url_parameters, [...PAGE_PARAMETERS, ...own])
  }

  search(words: string, page: number): string {
    return addQuery(this.#plugin.urls.site('/'), { s: words, ...(page > 1 && { paged: page }) })
  }

  part(url: string, part: number): string {
    if (part < 2) return url
    return url.includes('?')
      ? addQuery(url, { page: part })
      : `${url.replace(/\/$/, '')}/${part}${url.endsWith('/') ? '/' : ''}`
  }

  commentPage(url: string, page: number): string {
    return url.includes('?')
      ? addQuery(url, { [COMMENT_PAGE]: page })
      : `${url.replace(/\/$/, '')}/comment-page-${page}${url.endsWith('/') ? '/' : ''}`
  }

  ready(scope: RequestCache): Awaitable<unknown> {
    return this.structure(scope)
  }

  prime(post: LinkedPost, scope: RequestCache): void {
    if (post.parent_id === 0) this.#loaders(scope).ancestors.prime(post.id, [post])
  }

  above({ parent_id: id }: Pick<LinkedPost, 'parent_id'>, scope: RequestCache): Awaitable<readonly LinkedPost[]> {
    return id === 0 ? [] : this.#loaders(scope).ancestors.load(id)
  }

  termsAbove({ parent_id: id }: Pick<LinkedTerm, 'parent_id'>, scope: RequestCache): Awaitable<readonly LinkedTerm[]> {
    return id === 0 ? [] : this.#loaders(scope).termAncestors.load(id)
  }

  #loaders(scope: RequestCache): PermalinkLoaders {
    return scope.getObject('permalinks: loaders', () => loadersOf(this.#plugin.services.store, scope))
  }

  #fill(parts: readonly string[], post: LinkedPost, slug: string, scope: RequestCache): Awaitable<string> {
    const names = awaitAll([
      parts.includes('category') ? this.#categoryPath(post.id, scope) : '',
      parts.includes('author') ? this.#loaders(scope).authorSlugs.load(post.author_id) : '',
    ])
    const pathOf = ([category, author]: [string, string]) => {
      let path = ''
      for (const [at, part] of parts.entries()) {
        if (at % 2 === 0) path += part
        else if (part === 'category') path += category
        else path += part === 'author' ? author : tagValue(part, post, slug)
      }
      return path
    }
    return isThenable(names) ? names.then(pathOf) : pathOf(names)
  }

  async #categoryPath(postId: number, scope: RequestCache): Promise<string> {
    const category = await this.#loaders(scope).firstCategories.load(postId)
    return category === undefined ? 'uncategorized' : this.#termHierarchy(category, scope)
  }

  #termPath(term: LinkedTerm, structure: Structure, scope: RequestCache): Awaitable<string> {
    const taxonomy = this.#plugin.services.taxonomies.get(term.taxonomy)
    if (structure.post === '' || taxonomy === undefined || taxonomy.rewrite === false)
      return plainTermPath(term, taxonomy)
    const { slug, with_front, hierarchical } = taxonomy.rewrite
    const set =
      taxonomy.name === 'category' ? structure.categoryBase : taxonomy.name === 'post_tag' ? structure.tagBase : ''
    const own = taxonomy.name === FORMAT_TAXONOMY ? formatOfSlug(term.slug) : term.slug
    const front = with_front && set === '' ? structure.front : structure.root
    const pathOf = (name: string) => `${front}${set === '' ? slug : set}/${name}${structure.slash}`
    const name = hierarchical ? this.#termHierarchy(term, scope) : own
    return isThenable(name) ? name.then(pathOf) : pathOf(name)
  }

  #termHierarchy(term: LinkedTerm, scope: RequestCache): Awaitable<string> {
    if (term.parent_id === 0) return term.slug
    const pathOf = (above: readonly LinkedTerm[]) =>
      [...above.toReversed().map(({ slug }) => slug), term.slug].join('/')
    const above = this.termsAbove(term, scope)
    return isThenable(above) ? above.then(pathOf) : pathOf(above)
  }
}

addDeprecatedMembers(SitePermalinks.prototype, 'services.permalinks', { know: 'prime' })

/** Returns the pages that the options name. */
function chosenPages(set: FrontPageOptions): FrontPages {
  if (set.show_on_front !== 'page') return { front: 0, posts: 0 }
  return { front: Number(set.page_on_front) || 0, posts: Number(set.page_for_posts) || 0 }
}

/** Returns the subject of the links to a found page. */
function subjectOf(found: FoundPage): LinkedSubject {
  if (found.kind === 'search') return { kind: 'home' }
  return found.kind === 'type' ? { kind: 'type', name: found.type.name } : found
}

/** The URL path of a post by ID, or by slug if its type has a query variable. */
function plainPath(post: LinkedPost, type: ContentType | undefined): string {
  if (post.type === 'page') return `/?page_id=${post.id}`
  if (post.type === 'attachment') return `/?attachment_id=${post.id}`
  if (type !== undefined && type.query_var !== false && post.slug !== '' && !TO_BE_PUBLISHED.has(post.status)) {
    return `/?${type.query_var}=${post.slug}`
  }
  return `/?post_type=${post.type}&p=${post.id}`
}

/** The URL path of a term by ID, or by slug if its taxonomy has a query variable. */
function plainTermPath(term: LinkedTerm, taxonomy: Taxonomy | undefined): string {
  if (term.taxonomy === 'category') return `/?cat=${term.id}`
  const name = taxonomy?.query_var ?? false
  return name === false ? `/?taxonomy=${term.taxonomy}&term=${term.slug}` : `/?${name}=${term.slug}`
}
