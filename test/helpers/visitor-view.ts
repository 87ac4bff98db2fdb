import { readOf, READS } from './random-reads.ts'
import type { RandomObjects } from './random-tools.ts'
import { RawReader } from './raw-read.ts'
import type { SiteWithUsers } from './site-with-users.ts'

/** Paths of pages and files to which no REST response links. */
const UNLINKED_PATHS = [
  '/',
  '/page/2/',
  '/?s=river',
  '/no-such-page/',
  '/feed/',
  '/feed/atom/',
  '/comments/feed/',
  '/robots.txt',
  '/svc-styles.css',
  '/svc-sitemap.xml',
  '/sitemap.xml',
  '/2025/',
  '/2025/03/',
]
/** Maximum number of concurrent requests. */
const MAX_CONCURRENT_REQUESTS = 4
/** Maximum number of objects of a list whose routes and pages are read. */
const MAX_FOLLOWED_OBJECTS = 6

/** A response to a visitor: status and body, without parts that change with each response. */
export interface Seen {
  readonly text: string
  /** Cache tags; empty for responses that are not cached. */
  readonly tags: readonly string[]
}

/** Reads everything visible to a visitor: the routes of the REST index, the objects in its lists, pages and feeds. */
export class VisitorView implements Disposable {
  readonly #site: SiteWithUsers
  readonly #reader = new RawReader()

  constructor(site: SiteWithUsers) {
    this.#site = site
  }

  async read(objects: RandomObjects): Promise<Map<string, Seen>> {
    const seen = new Map<string, Seen>()
    const { users } = this.#site
    const index = JSON.parse((await this.#get('/svc-json/')).text.slice(4)) as {
      routes: Record<string, { methods: string[] }>
    }
    const routes = Object.keys(index.routes).filter(
      (route) => !route.includes('(') && index.routes[route]!.methods.includes('GET'),
    )
    const first = [
      ...routes.map((route) => `/svc-json${route}`),
      ...READS.map((read) => `/svc-json${readOf(read, objects, users.ann)}`),
      ...UNLINKED_PATHS,
    ]
    const lists = await this.#all(first, seen)
    const links = new Set<string>()
    for (const { text } of lists) for (const link of linksOf(text, this.#site.home)) links.add(link)
    await this.#all([...links], seen)
    return seen
  }

  async #all(paths: readonly string[], seen: Map<string, Seen>): Promise<Seen[]> {
    const left = [...new Set(paths)].filter((path) => !seen.has(path))
    const found: Seen[] = []
    const work = async () => {
      for (let path = left.pop(); path !== undefined; path = left.pop()) {
        const one = await this.#get(path)
        seen.set(path, one)
        found.push(one)
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_REQUESTS }, work))
    return found
  }

  async #get(path: string): Promise<Seen> {
    const { status, headers, text } = await this.#reader.read(`${this.#site.listening}${path}`, {})
    const tags = String(headers['cache-tag'] ?? '')
      .split(',')
      .filter(Boolean)
    return { text: `${status} ${normalised(text)}`, tags }
  }

  [Symbol.dispose](): void {
    this.#reader[Symbol.dispose]()
  }
}

/** Returns the routes and pages of the first objects of a list. */
function linksOf(text: string, home: string): string[] {
  if (!text.startsWith('200 [')) return []
  const list = JSON.parse(text.slice(4)) as { link?: unknown; _links?: { self?: { href: string }[] } }[]
  return list.slice(0, MAX_FOLLOWED_OBJECTS).flatMap((one) => {
    const urls = [one?._links?.self?.[0]?.href, one?.link].filter((url) => typeof url === 'string')
    return urls.filter((url) => url.startsWith(home)).map((url) => url.slice(home.length))
  })
}

/**
 * JSON keys that are removed: the number of revisions, whose changes do not invalidate responses, and fields of the plugin
 * `furniture` with content that visitors are not allowed to read.
 */
const HIDDEN =
  /^(?:version-history|predecessor-version|by_(?:versions|drafts|held_comments|comments?|comments_\w+|replies|users?|author_acting|post|post_above|terms|terms_of_post|link_of_page))$/

/** Removes the time of the response and numbers that change with each rendering. */
function normalised(text: string): string {
  const shown = /^[[{]/.test(text)
    ? JSON.stringify(JSON.parse(text), (key, value: unknown) => (HIDDEN.test(key) ? undefined : value))
    : text
  return shown
    .replaceAll(/<lastBuildDate>[^<]*<\/lastBuildDate>/g, '')
    .replaceAll(/(<feed[^>]*>[\s\S]*?)<updated>[^<]*<\/updated>/g, '$1')
    .replaceAll(/name="(?:token|time|_\w+)" value="[^"]*"/g, '')
    .replaceAll(/wp-block-search__input-\d+/g, '')
}
