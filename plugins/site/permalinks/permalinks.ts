import { sql } from 'kysely'
import DataLoader from 'dataloader'
import {
  addQuery,
  applySyncFilter,
  trimMarks,
  type CurrentUser,
  type PluginContext,
  type RequestCache,
} from '../../../kernel/index.ts'
import type { ContentType } from '../../content/content-types/index.ts'
import type { Row, Store } from '../../storage/store/index.ts'
import { FORMAT_TAXONOMY, formatOfSlug, type Taxonomy } from '../../content/taxonomies/index.ts'
import { slugify } from './slug.ts'

/** What the address of a post depends on. */
export type LinkedPost = Pick<
  Row<'posts'>,
  'id' | 'type' | 'status' | 'slug' | 'title' | 'author_id' | 'parent_id' | 'date'
>
/** What the address of a term depends on. */
export type LinkedTerm = Pick<Row<'terms'>, 'id' | 'taxonomy' | 'slug' | 'parent_id'>
/** What the address of a person depends on. */
export type LinkedUser = Pick<Row<'users'>, 'id' | 'slug'>

/** The addresses of the site's pages. Concurrent calls within one request share their statements. */
export interface Permalinks {
  /** The address of a post, page, attachment …; the plain form (`?p=12`) for what is not published. */
  post(post: LinkedPost, scope: RequestCache): Promise<string>
  /**
   * The address of a post as if it were published, with `%postname%` or `%pagename%` in place of its name:
   * `http://site.test/2025/06/15/%postname%/`
   */
  postTemplate(post: LinkedPost, scope: RequestCache): Promise<string>
  /**
   * The address at which a person sees a post as it would be.
   * @param beside whether they see what is saved beside the post, rather than the post itself
   */
  preview(post: LinkedPost, user: CurrentUser, scope: RequestCache, beside: boolean): Promise<string>
  /** Tells of a post that is read already, so that addresses below it need not read it again. */
  know(post: LinkedPost, scope: RequestCache): void
  /** The address of a term's page. */
  term(term: LinkedTerm, scope: RequestCache): Promise<string>
  /** The address of the page that lists a person's posts. */
  author(user: LinkedUser): Promise<string>
  /** The name of a title in addresses. */
  slugify(title: string): string
}

/** How addresses are written, from the options. */
interface Structure {
  /** With its marks: `/%year%/%postname%/`; '' for plain addresses. */
  post: string
  /** The same in parts: what stands between the marks, and their names, in turn. */
  parts: readonly string[]
  /** What comes before the first mark: `/`, or `/blog/`. */
  front: string
  /** What every pretty address begins with: `/`, or `/index.php/`. */
  root: string
  /** Whether addresses end with a slash. */
  slash: string
  categoryBase: string
  tagBase: string
  /** Id of the page that is the home page; 0 for none. */
  home: number
}

/** Statuses of content that will get an address once it is published. */
const TO_BE_PUBLISHED: ReadonlySet<string> = new Set(['draft', 'pending', 'auto-draft', 'future'])

const LINK_COLUMNS = ['id', 'type', 'status', 'slug', 'title', 'author_id', 'parent_id', 'date'] as const

/** Addresses by the options `permalink`, `category_base` and `tag_base`. */
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
    const { post, front, slash } = await this.#structure()
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

  /** How addresses are written, found out once for all that a request needs. */
  #structureIn(scope: RequestCache): Promise<Structure> {
    return scope.get('permalinks: structure', () => this.#structure())
  }

  async #structure(): Promise<Structure> {
    const { options } = this.#plugin.services
    const set = await options.many(['permalink', 'category_base', 'tag_base', 'show_on_front', 'page_on_front'])
    const post = typeof set.permalink === 'string' ? set.permalink : ''
    const rooted = post === '' || post.startsWith('/') ? post : `/${post}`
    return {
      post: rooted,
      parts: rooted.split(/%(\w+)%/),
      front: rooted.slice(0, rooted.includes('%') ? rooted.indexOf('%') : 1) || '/',
      root: rooted.startsWith('/index.php/') ? '/index.php/' : '/',
      slash: rooted.endsWith('/') ? '/' : '',
      categoryBase: baseOf(set.category_base),
      tagBase: baseOf(set.tag_base),
      home: set.show_on_front === 'page' ? Number(set.page_on_front) || 0 : 0,
    }
  }

  /** @param slug the post's own, or the mark that stands for it */
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

  /** Whether the post has no address of its own yet, or no longer. */
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
      // A bare number or a category would read as a part of the address of the post above.
      const ambiguous = /^\d+$/.test(name) || structure.post.includes('%category%')
      path = `${path.replace(/\/$/, '')}/${ambiguous ? 'attachment/' : ''}${name}${structure.slash}`
    }
    return path
  }

  /** The name of a post below those of its ancestors. */
  async #hierarchy(post: LinkedPost, slug: string, scope: RequestCache): Promise<string> {
    if (post.parent_id === 0) return slug
    const above = (await this.#ancestors(post, scope)).filter((one) => one.slug !== '').map((one) => one.slug)
    return [...above.toReversed(), slug].join('/')
  }

  know(post: LinkedPost, scope: RequestCache): void {
    if (post.parent_id === 0) this.#chains(scope).prime(post.id, [post])
  }

  /** The posts above a post, nearest first; as far as they are there. */
  async #ancestors(post: LinkedPost, scope: RequestCache): Promise<LinkedPost[]> {
    return this.#chains(scope).load(post.parent_id)
  }

  #chains(scope: RequestCache): DataLoader<number, LinkedPost[]> {
    const { store } = this.#plugin.services
    return scope.get(
      'permalinks: ancestors',
      () => new DataLoader((ids: readonly number[]) => loadAncestors(store, ids)),
    )
  }

  async #fill(parts: readonly string[], post: LinkedPost, slug: string, scope: RequestCache): Promise<string> {
    let path = ''
    for (const [index, part] of parts.entries()) {
      const isMark = index % 2 === 1
      if (isMark && part === 'category') path += await this.#categoryPath(post.id, scope)
      else if (isMark && part === 'author') path += await this.#authorSlug(post.author_id, scope)
      else path += isMark ? valueOf(part, post, slug) : part
    }
    return path
  }

  async #categoryPath(postId: number, scope: RequestCache): Promise<string> {
    const { store } = this.#plugin.services
    const loader = scope.get(
      'permalinks: categories',
      () => new DataLoader((ids: readonly number[]) => firstCategories(store, ids)),
    )
    const category = await loader.load(postId)
    return category === undefined ? 'uncategorized' : this.#termHierarchy(category, scope)
  }

  async #authorSlug(id: number, scope: RequestCache): Promise<string> {
    const { store } = this.#plugin.services
    const loader = scope.get(
      'permalinks: authors',
      () => new DataLoader((ids: readonly number[]) => authorSlugs(store, ids)),
    )
    return loader.load(id)
  }

  async #termPath(term: LinkedTerm, taxonomy: Taxonomy, structure: Structure, scope: RequestCache): Promise<string> {
    const {
      slug,
      with_front: withFront,
      hierarchical,
    } = taxonomy.rewrite || { slug: '', with_front: true, hierarchical: false }
    const set =
      taxonomy.name === 'category' ? structure.categoryBase : taxonomy.name === 'post_tag' ? structure.tagBase : ''
    const own = taxonomy.name === FORMAT_TAXONOMY ? formatOfSlug(term.slug) : term.slug
    const name = hierarchical ? await this.#termHierarchy(term, scope) : own
    const front = withFront && set === '' ? structure.front : structure.root
    return `${front}${set === '' ? slug : set}/${name}${structure.slash}`
  }

  async #termHierarchy(term: LinkedTerm, scope: RequestCache): Promise<string> {
    if (term.parent_id === 0) return term.slug
    const { store } = this.#plugin.services
    const loader = scope.get(
      'permalinks: terms',
      () => new DataLoader((ids: readonly number[]) => loadTermsAbove(store, ids)),
    )
    const above = await loader.load(term.parent_id)
    return [...above.toReversed().map(({ slug }) => slug), term.slug].join('/')
  }
}

function baseOf(option: unknown): string {
  return typeof option === 'string' ? trimMarks(option, '/') : ''
}

/** Where the parts of a date stand in `YYYY-MM-DD HH:MM:SS`. */
const DATE_PARTS: Readonly<Record<string, readonly [begin: number, end: number]>> = {
  year: [0, 4], monthnum: [5, 7], day: [8, 10], hour: [11, 13], minute: [14, 16], second: [17, 19],
} // prettier-ignore

/** What stands for a mark in the address of a post; a mark that nobody knows stays. */
function valueOf(mark: string, post: LinkedPost, slug: string): string {
  if (mark === 'postname' || mark === 'pagename') return slug
  if (mark === 'post_id') return String(post.id)
  const place = DATE_PARTS[mark]
  return place === undefined ? `%${mark}%` : post.date.slice(...place)
}

/** The address of a post by its number, or by name where its type has a query variable. */
function plainPath(post: LinkedPost, type: ContentType | undefined): string {
  if (post.type === 'page') return `/?page_id=${post.id}`
  if (post.type === 'attachment') return `/?attachment_id=${post.id}`
  if (type !== undefined && type.query_var !== false && post.slug !== '' && !TO_BE_PUBLISHED.has(post.status)) {
    return `/?${type.query_var}=${post.slug}`
  }
  return `/?post_type=${post.type}&p=${post.id}`
}

function plainTermPath(term: LinkedTerm, taxonomy: Taxonomy | undefined): string {
  if (term.taxonomy === 'category') return `/?cat=${term.id}`
  const name = taxonomy?.query_var ?? false
  return name === false ? `/?taxonomy=${term.taxonomy}&term=${term.slug}` : `/?${name}=${term.slug}`
}

/** For each id the post itself and those above it, nearest first. */
async function loadAncestors(store: Store, ids: readonly number[]): Promise<LinkedPost[][]> {
  const query = store.forIds('posts above', ids, (some) =>
    store.db
      .withRecursive('above', (cte) =>
        cte
          .selectFrom('posts')
          .select(LINK_COLUMNS)
          .select(sql<number>`1`.as('level'))
          .where('id', 'in', some)
          .union(
            cte
              .selectFrom('posts')
              .innerJoin('above', 'above.parent_id', 'posts.id')
              .where('above.level', '<', HIGHEST)
              .select(LINK_COLUMNS.map((column) => `posts.${column}` as const))
              .select(sql<number>`above.level + 1`.as('level')),
          ),
      )
      .selectFrom('above')
      .select(LINK_COLUMNS),
  )
  return chains(ids, await store.all(query))
}

async function loadTermsAbove(store: Store, ids: readonly number[]): Promise<LinkedTerm[][]> {
  const query = store.forIds('terms above', ids, (some) =>
    store.db
      .withRecursive('above', (cte) =>
        cte
          .selectFrom('terms')
          .select(['id', 'taxonomy', 'slug', 'parent_id'])
          .where('id', 'in', some)
          .union(
            cte
              .selectFrom('terms')
              .innerJoin('above', 'above.parent_id', 'terms.id')
              .select(['terms.id', 'terms.taxonomy', 'terms.slug', 'terms.parent_id']),
          ),
      )
      .selectFrom('above')
      .selectAll(),
  )
  return chains(ids, await store.all(query))
}

/** Levels that are named in an address at most: more than anybody nests, and few enough to be named for each of a list. */
const HIGHEST = 100

/** Follows each id upwards through the rows; a circle ends where it closes. */
function chains<T extends { id: number; parent_id: number }>(ids: readonly number[], rows: readonly T[]): T[][] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => {
    const chain = new Set<T>()
    for (let row = byId.get(id); row !== undefined && !chain.has(row); row = byId.get(row.parent_id)) {
      if (chain.size === HIGHEST) break
      chain.add(row)
    }
    return [...chain]
  })
}

/** For each post its category with the lowest id. */
async function firstCategories(store: Store, postIds: readonly number[]): Promise<(LinkedTerm | undefined)[]> {
  const rows = await store.all(
    store.db
      .selectFrom('term_relationships')
      .innerJoin('terms', 'terms.id', 'term_relationships.term_id')
      .where('terms.taxonomy', '=', 'category')
      .where('term_relationships.post_id', 'in', [...postIds])
      .select(['term_relationships.post_id', 'terms.id', 'terms.taxonomy', 'terms.slug', 'terms.parent_id'])
      .orderBy('terms.id', 'desc'),
  )
  const byPost = new Map(rows.map((row) => [row.post_id, row]))
  return postIds.map((id) => byPost.get(id))
}

async function authorSlugs(store: Store, ids: readonly number[]): Promise<string[]> {
  const rows = await store.all(
    store.db
      .selectFrom('users')
      .select(['id', 'slug'])
      .where('id', 'in', [...ids]),
  )
  const byId = new Map(rows.map(({ id, slug }) => [id, slug]))
  return ids.map((id) => byId.get(id) ?? '')
}
