import type { Awaitable, PluginContext, RequestCache } from '../../../kernel/index.ts'
import { encodeName, slugsOfName } from '../../resources/index.ts'
import type { FoundPost, FoundTarget, FoundTerm } from './found-page.ts'
import type { UrlResolution } from './hooks.ts'
import type { LinkedPost } from './linked.ts'
import { matchStructure, type TagValues } from './match-structure.ts'
import { siteUrl } from './site-url.ts'
import { DATE_TAGS, type Structure } from './structure.ts'

/** Maximum number of posts with the same slug to check. */
const MAX_POSTS = 50
/** Maximum number of IDs in a path to check. */
const MAX_IDS = 5
const ID = /^[1-9]\d{0,14}$/
const STATUSES = ['publish', 'inherit', 'private']

/** A request for a page. */
export interface PageRequest {
  /** Whether the user may see a post. */
  readonly isShown: (post: FoundPost) => Promise<boolean>
  /** Whether the URL leads to a term in preference to other terms with the same slug. */
  readonly isTermPreferred?: UrlResolution['isTermPreferred']
  readonly scope: RequestCache
}

/** Builds the URLs that candidates are compared with. */
export interface PostLinks {
  post(post: LinkedPost, scope: RequestCache): Awaitable<string>
  above(post: LinkedPost, scope: RequestCache): Awaitable<readonly LinkedPost[]>
}

/** Finds posts by the paths of their URLs. */
export class PostFinder {
  readonly #plugin: PluginContext
  readonly #permalinks: PostLinks
  readonly #termBySlug: (
    taxonomy: string,
    slug: string,
    request: Pick<PageRequest, 'scope'>,
  ) => Promise<FoundTerm | undefined>

  /** @param termBySlug returns a term by the last name of its path */
  constructor(
    plugin: PluginContext,
    permalinks: PostLinks,
    termBySlug: (taxonomy: string, slug: string, request: Pick<PageRequest, 'scope'>) => Promise<FoundTerm | undefined>,
  ) {
    this.#plugin = plugin
    this.#permalinks = permalinks
    this.#termBySlug = termBySlug
  }

  /** Returns the page of a post; null if its type has no pages, or if the user may not see it. */
  async page(post: FoundPost, { isShown, scope }: PageRequest, parts = FIRST_PAGE): Promise<FoundTarget | null> {
    const { contentTypes, posts } = this.#plugin.services
    if (contentTypes.get(post.type)?.viewable !== true || !(await isShown(post))) return null
    await posts.getAttached(post.id, scope)
    const { page, commentPage } = parts
    const url = await this.#permalinks.post(post, scope)
    return { kind: 'post', post, commentPage, url, ...(page !== null && { page }) }
  }

  /**
   * Returns the post with a slug.
   * @param path the slug, which can follow the slugs of its ancestors: the post with exactly these ancestors is preferred
   */
  async bySlug(path: string, types: readonly string[], request: PageRequest): Promise<FoundTarget | null> {
    const names = encodeName(path).replace(/^\/|\/$/g, '')
    let first: FoundTarget | null = null
    for (const post of await this.#candidates([lastOf(names)], types, request.scope)) {
      const found = await this.page(post, request)
      if (found === null) continue
      const above = await this.#permalinks.above(post, request.scope)
      if (
        [post, ...above]
          .map(({ slug }) => encodeName(slug))
          .toReversed()
          .join('/') === names
      )
        return found
      first ??= found
    }
    return first
  }

  /**
   * Returns the post whose URL has this path. Candidates are found by the slug and ID in the path, and the link of each
   * is compared with it. Several posts can have one URL: pages come first, attachments last. If no post has this URL,
   * returns the only post with the slug or ID, as for a URL from before a change of the structure.
   * @param path in the normal form of names, without a slash at its end
   */
  async byPath(path: string, structure: Structure, request: PageRequest): Promise<FoundTarget | null> {
    const readings = partsOf(path).map((parts) => ({ ...parts, tags: matchStructure(structure.parts, parts.path) }))
    const guesses: FoundTarget[][] = []
    for (const { path: own, tags, ...parts } of readings) {
      const similar: FoundTarget[] = []
      for (const post of await this.#candidatesFor(own, tags, request.scope)) {
        const found = await this.page(post, request, parts)
        if (found === null) continue
        if (this.#hasPath(found, own)) return found
        if (isNamed(post, own, tags)) similar.push(found)
      }
      guesses.push(similar)
    }
    return guesses.find((similar) => similar.length === 1)?.[0] ?? null
  }

  /** Returns the post with exactly this path, as `byPath` does, but without other readings of the path. */
  async byExactPath(path: string, structure: Structure, request: PageRequest): Promise<FoundTarget | null> {
    const tags = matchStructure(structure.parts, path)
    for (const post of await this.#candidatesFor(path, tags, request.scope)) {
      const found = await this.page(post, request)
      if (found !== null && this.#hasPath(found, path)) return found
    }
    return null
  }

  #hasPath({ url }: FoundTarget, path: string): boolean {
    return encodeName(siteUrl(url ?? '', this.#plugin)?.path ?? '') === path
  }

  async #candidatesFor(path: string, tags: TagValues | null, scope: RequestCache): Promise<FoundPost[]> {
    const { contentTypes, posts } = this.#plugin.services
    const types = contentTypes.all().flatMap(({ name, viewable }) => (viewable ? [name] : []))
    const named = await this.#candidates(namesIn(path, tags), types, scope)
    const ids = [...(tags?.get('post_id') ?? []), ...path.split('/')].filter((part) => ID.test(part)).slice(0, MAX_IDS)
    const byId = await Promise.all(ids.map((id) => posts.getAttached(Number(id), scope)))
    const hasName = tags === null || ['postname', 'pagename', 'post_id'].some((tag) => tags.has(tag))
    const byOtherTags = hasName ? [] : await this.#candidatesByTags(tags, scope)
    const rank = (type: string) => (type === 'page' ? 0 : type === 'attachment' ? 2 : 1)
    return [...named, ...byId.filter((post) => post !== undefined), ...byOtherTags].toSorted(
      (a, b) => rank(a.type) - rank(b.type),
    )
  }

  async #candidates(names: readonly string[], types: readonly string[], scope: RequestCache): Promise<FoundPost[]> {
    const slugs = names.flatMap((name) => slugsOfName(name))
    if (slugs.length === 0) return []
    const query = { types, statuses: STATUSES, slug: slugs, limit: MAX_POSTS }
    return (await this.#plugin.services.posts.query({ ...query, readScope: null, opens: null }, scope)).items
  }

  /** The newest posts by the other tags of a structure without slug and ID: date, author and category. */
  async #candidatesByTags(tags: TagValues, scope: RequestCache): Promise<FoundPost[]> {
    const { posts, users } = this.#plugin.services
    const author = tags.get('author')?.flatMap((name) => slugsOfName(name))
    const authors =
      author === undefined
        ? undefined
        : await users.query({ slugs: author, orderBy: 'id', order: 'asc', limit: MAX_IDS, offset: 0 })
    const category = tags.get('category')?.[0]
    const term = category === undefined ? undefined : await this.#termBySlug('category', category, { scope })
    const range = dateRange(tags)
    if (range === null && authors === undefined && term === undefined) return []
    const query = {
      ...range,
      types: ['post'],
      statuses: STATUSES,
      ...(authors !== undefined && { author: authors.items.map(({ id }) => id) }),
      ...(term !== undefined && { terms: [{ taxonomy: 'category', terms: [term.id], operator: 'in' as const }] }),
      limit: MAX_POSTS,
    }
    if (query.author?.length === 0) return []
    return (await posts.query({ ...query, readScope: null, opens: null }, scope)).items
  }
}

interface PostParts {
  /** Requested part of the content; null if the URL does not have one. */
  page: number | null
  commentPage: number
}

const FIRST_PAGE: PostParts = { page: null, commentPage: 0 }

/** The possible readings of a path: as the URL of a post, of a part of its content, or of a page of its comments. */
export function partsOf(path: string): (PostParts & { path: string })[] {
  const comments = /^(.+)\/comment-page-([1-9]\d{0,5})$/.exec(path)
  if (comments !== null) return [{ path: comments[1]!, page: null, commentPage: Number(comments[2]) }]
  const part = /^(.+)\/([1-9]\d{0,5})$/.exec(path)
  return [
    { path, ...FIRST_PAGE },
    ...(part === null ? [] : [{ path: part[1]!, page: Number(part[2]), commentPage: 0 }]),
  ]
}

const lastOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/**
 * Returns the names in a path that can be the slug of a post: its last segment, and the slugs that the structure finds.
 * @param path in the normal form of names
 */
export function namesIn(path: string, tags: TagValues | null): string[] {
  const names = [lastOf(path), ...(tags?.get('postname') ?? []), ...(tags?.get('pagename') ?? [])]
  return [...new Set(names)].filter((name) => name !== '')
}

function isNamed({ id, slug }: FoundPost, path: string, tags: TagValues | null): boolean {
  if (tags?.get('post_id')?.includes(String(id))) return true
  return namesIn(path, tags).some((name) => slugsOfName(name).includes(slug))
}

/** The exclusive limits of the dates that begin with the tags of a path; null without a year. */
function dateRange(tags: TagValues): { after: string; before: string } | null {
  const known = DATE_TAGS.map((tag) => tags.get(tag)?.[0])
  const count = known.includes(undefined) ? known.indexOf(undefined) : known.length
  if (count === 0) return null
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = known.slice(0, count).map(Number)
  const time = (offset: number) => {
    const step = (at: number) => (at === count - 1 ? offset : 0)
    const date = Date.UTC(
      year + step(0),
      month - 1 + step(1),
      day + step(2),
      hour + step(3),
      minute + step(4),
      second + step(5),
    )
    return Number.isNaN(date) ? null : date
  }
  const [first, next] = [time(0), time(1)]
  if (first === null || next === null) return null
  const stored = (date: number) => new Date(date).toISOString().slice(0, 19).replace('T', ' ')
  return { after: stored(first - 1000), before: stored(next) }
}
