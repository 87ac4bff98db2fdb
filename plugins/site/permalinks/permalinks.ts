import {
  addQuery,
  applySyncFilter,
  type CurrentUser,
  type PluginContext,
  type RequestCache,
} from '../../../kernel/index.ts'
import type { ContentType } from '../../content/content-types/index.ts'
import { FORMAT_TAXONOMY, formatOfSlug, type Taxonomy } from '../../content/taxonomies/index.ts'
import type { LinkedPost, LinkedTerm, LinkedUser } from './linked.ts'
import { loadersOf, type PermalinkLoaders } from './loaders.ts'
import { slugify } from './slug.ts'
import { readStructure, tagValue, type Structure } from './structure.ts'

/** The URLs of the site's pages. Concurrent calls within one request share their statements. */
export interface Permalinks {
  /** The URL of a post, page, attachment …; the plain form (`?p=12`) for what is not published. */
  post(post: LinkedPost, scope: RequestCache): Promise<string>
  /**
   * The URL of a post as if it were published, with `%postname%` or `%pagename%` in place of its slug:
   * `http://site.test/2025/06/15/%postname%/`
   */
  postTemplate(post: LinkedPost, scope: RequestCache): Promise<string>
  /**
   * The URL at which a user sees a post as it would be.
   * @param beside whether they see what is saved beside the post, rather than the post itself
   */
  preview(post: LinkedPost, user: CurrentUser, scope: RequestCache, beside: boolean): Promise<string>
  /** Tells of a post that is read already, so that URLs below it need not read it again. */
  know(post: LinkedPost, scope: RequestCache): void
  /** The URL of a term's page. */
  term(term: LinkedTerm, scope: RequestCache): Promise<string>
  /** The URL of the page that lists the posts of a user. */
  author(user: LinkedUser): Promise<string>
  /** The slug of a title. */
  slugify(title: string): string
}

/** Statuses of content that will get a URL once it is published. */
const TO_BE_PUBLISHED: ReadonlySet<string> = new Set(['draft', 'pending', 'auto-draft', 'future'])
const NO_REWRITE = { slug: '', with_front: true, hierarchical: false }

/** URLs by the options `permalink`, `category_base` and `tag_base`. */
export class SitePermalinks implements Permalinks {
  readonly slugify = slugify
  readonly #plugin: PluginContext

  constructor(plugin: PluginContext) {
    this.#plugin = plugin
  }

  async post(post: LinkedPost, scope: RequestCache): Promise<string> {
    const structure = await this.#structureIn(scope)
    return this.#filtered(post, await this.#postPath(post, post.slug, structure, scope))
  }

  async postTemplate(post: LinkedPost, scope: RequestCache): Promise<string> {
    const structure = await this.#structureIn(scope)
    const published = TO_BE_PUBLISHED.has(post.status) ? { ...post, status: 'publish' } : post
    const mark = post.type === 'post' || post.type === 'attachment' ? '%postname%' : '%pagename%'
    const unattached = post.type === 'attachment' && post.parent_id === 0
    const path = unattached ? plainPath(post, undefined) : await this.#postPath(published, mark, structure, scope)
    return this.#plugin.urls.site(path)
  }

  async preview(post: LinkedPost, user: CurrentUser, scope: RequestCache, beside: boolean): Promise<string> {
    const link = addQuery(await this.post(post, scope), { ...(beside && { preview_id: post.id }), preview: 'true' })
    return applySyncFilter(this.#plugin.hooks.preview_post_link, link, post, user)
  }

  async term(term: LinkedTerm, scope: RequestCache): Promise<string> {
    const { hooks, services, urls } = this.#plugin
    const structure = await this.#structureIn(scope)
    const taxonomy = services.taxonomies.get(term.taxonomy)
    const path =
      structure.post === '' || taxonomy === undefined || taxonomy.rewrite === false
        ? plainTermPath(term, taxonomy)
        : await this.#termPath(term, taxonomy, structure, scope)
    return applySyncFilter(hooks.term_link, urls.site(path), term)
  }

  async author(user: LinkedUser): Promise<string> {
    const { hooks, urls } = this.#plugin
    const { post, front, slash } = await readStructure(this.#plugin.services.options)
    const path = post === '' ? `/?author=${user.id}` : `${front}author/${user.slug}${slash}`
    return applySyncFilter(hooks.author_link, urls.site(path), user)
  }

  #filtered(post: LinkedPost, path: string): string {
    const { hooks, urls, services } = this.#plugin
    const link = urls.site(path)
    if (post.type === 'page') return applySyncFilter(hooks.page_link, link, post)
    if (post.type === 'attachment') return applySyncFilter(hooks.attachment_link, link, post)
    const ofPosts = post.type === 'post' || !services.contentTypes.get(post.type)?.rewrite
    return applySyncFilter(ofPosts ? hooks.post_link : hooks.post_type_link, link, post)
  }

  /** How URLs are written, read once for all that a request needs. */
  #structureIn(scope: RequestCache): Promise<Structure> {
    return scope.get('permalinks: structure', () => readStructure(this.#plugin.services.options))
  }

  /** @param slug the post's own, or the tag that stands for it */
  async #postPath(post: LinkedPost, slug: string, structure: Structure, scope: RequestCache): Promise<string> {
    const { contentTypes } = this.#plugin.services
    const type = contentTypes.get(post.type)
    if (post.type === 'page' && post.id === structure.home) return '/'
    if (post.type === 'attachment') return this.#attachmentPath(post, slug, structure, scope)
    const likePosts = post.type === 'post' || type === undefined || (!type.rewrite && !type.viewable)
    if (structure.post === '' || slug === '' || this.#isHidden(post)) {
      if (likePosts) return `/?p=${post.id}`
      return plainPath(post, structure.post === '' ? type : undefined)
    }
    if (post.type === 'page') return `${structure.root}${await this.#hierarchy(post, slug, scope)}${structure.slash}`
    if (likePosts) return this.#fill(structure.parts, post, slug, scope)
    if (!type.rewrite) return plainPath(post, type)
    const name = type.hierarchical ? await this.#hierarchy(post, slug, scope) : slug
    return `${type.rewrite.with_front ? structure.front : structure.root}${type.rewrite.slug}/${name}${structure.slash}`
  }

  /** Whether the post has no URL of its own yet, or no longer. */
  #isHidden(post: LinkedPost): boolean {
    const status = this.#plugin.services.statuses.get(post.status)
    return status === undefined || status.internal || status.protected
  }

  async #attachmentPath(post: LinkedPost, slug: string, structure: Structure, scope: RequestCache): Promise<string> {
    if (structure.post === '' || slug === '') return plainPath(post, undefined)
    const above = post.parent_id === 0 ? [] : await this.#ancestors(post, scope)
    // Attachments stand below each other, however many: what they belong to is the first that is none.
    const owner = above.findIndex(({ type }) => type !== 'attachment')
    const between = owner < 0 ? above : above.slice(0, owner)
    if (between.some((one) => one.slug === '')) return plainPath(post, undefined)
    const slugs = [...between.map((one) => one.slug).toReversed(), slug]
    const first = owner < 0 ? `${structure.root}${slugs.shift()!}${structure.slash}` : null
    let path = first ?? (await this.#postPath(above[owner]!, above[owner]!.slug, structure, scope))
    if (path.includes('?')) return plainPath(post, undefined)
    for (const name of slugs) {
      // A bare number or a category would read as a part of the URL of the post above.
      const ambiguous = /^\d+$/.test(name) || structure.post.includes('%category%')
      path = `${path.replace(/\/$/, '')}/${ambiguous ? 'attachment/' : ''}${name}${structure.slash}`
    }
    return path
  }

  /** The slug of a post below those of its ancestors. */
  async #hierarchy(post: LinkedPost, slug: string, scope: RequestCache): Promise<string> {
    if (post.parent_id === 0) return slug
    const above = (await this.#ancestors(post, scope)).filter((one) => one.slug !== '').map((one) => one.slug)
    return [...above.toReversed(), slug].join('/')
  }

  know(post: LinkedPost, scope: RequestCache): void {
    if (post.parent_id === 0) this.#loaders(scope).ancestors.prime(post.id, [post])
  }

  /** The ancestors of a post, nearest first; as far as they are there. */
  #ancestors(post: LinkedPost, scope: RequestCache): Promise<LinkedPost[]> {
    return this.#loaders(scope).ancestors.load(post.parent_id)
  }

  #loaders(scope: RequestCache): PermalinkLoaders {
    return scope.get('permalinks: loaders', () => loadersOf(this.#plugin.services.store, scope))
  }

  async #fill(parts: readonly string[], post: LinkedPost, slug: string, scope: RequestCache): Promise<string> {
    let path = ''
    for (const [index, part] of parts.entries()) {
      const isTag = index % 2 === 1
      if (isTag && part === 'category') path += await this.#categoryPath(post.id, scope)
      else if (isTag && part === 'author') path += await this.#loaders(scope).authorSlugs.load(post.author_id)
      else path += isTag ? tagValue(part, post, slug) : part
    }
    return path
  }

  async #categoryPath(postId: number, scope: RequestCache): Promise<string> {
    const category = await this.#loaders(scope).firstCategories.load(postId)
    return category === undefined ? 'uncategorized' : this.#termHierarchy(category, scope)
  }

  async #termPath(term: LinkedTerm, taxonomy: Taxonomy, structure: Structure, scope: RequestCache): Promise<string> {
    const { slug, with_front, hierarchical } = taxonomy.rewrite || NO_REWRITE
    const set =
      taxonomy.name === 'category' ? structure.categoryBase : taxonomy.name === 'post_tag' ? structure.tagBase : ''
    const own = taxonomy.name === FORMAT_TAXONOMY ? formatOfSlug(term.slug) : term.slug
    const name = hierarchical ? await this.#termHierarchy(term, scope) : own
    const front = with_front && set === '' ? structure.front : structure.root
    return `${front}${set === '' ? slug : set}/${name}${structure.slash}`
  }

  async #termHierarchy(term: LinkedTerm, scope: RequestCache): Promise<string> {
    if (term.parent_id === 0) return term.slug
    const above = await this.#loaders(scope).termAncestors.load(term.parent_id)
    return [...above.toReversed().map(({ slug }) => slug), term.slug].join('/')
  }
}

/** The URL of a post by its ID, or by slug where its type has a query variable. */
function plainPath(post: LinkedPost, type: ContentType | undefined): string {
  if (post.type === 'page') return `/?page_id=${post.id}`
  if (post.type === 'attachment') return `/?attachment_id=${post.id}`
  if (type !== undefined && type.query_var !== false && post.slug !== '' && !TO_BE_PUBLISHED.has(post.status)) {
    return `/?${type.query_var}=${post.slug}`
  }
  return `/?post_type=${post.type}&p=${post.id}`
}

/** The URL of a term by its ID, or by slug where its taxonomy has a query variable. */
function plainTermPath(term: LinkedTerm, taxonomy: Taxonomy | undefined): string {
  if (term.taxonomy === 'category') return `/?cat=${term.id}`
  const name = taxonomy?.query_var ?? false
  return name === false ? `/?taxonomy=${term.taxonomy}&term=${term.slug}` : `/?${name}=${term.slug}`
}
