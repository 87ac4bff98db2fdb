import { readOf, READS } from './random-reads.ts'
import type { RandomObjects } from './random-tools.ts'
import { RawReader } from './raw-read.ts'
import type { SiteWithUsers } from './site-with-users.ts'

/** Pages and files that no response of the REST API links to. */
const OTHERS = [
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
/** Requests in flight at the same time. */
const AT_ONCE = 4
/** Objects of a list whose own routes and pages are read. */
const FOLLOWED = 6

/** A response as a visitor sees it: status and body, without what is new in each response. */
export interface Seen {
  readonly text: string
  /** Cache tags; none for what is not kept. */
  readonly tags: readonly string[]
}

/** Reads all that a visitor sees of a site: the routes of the REST index, the objects in its lists, pages and feeds. */
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
      ...OTHERS,
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
    await Promise.all(Array.from({ length: AT_ONCE }, work))
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

/** Own routes and pages of the first objects of a list. */
function linksOf(text: string, home: string): string[] {
  if (!text.startsWith('200 [')) return []
  const list = JSON.parse(text.slice(4)) as { link?: unknown; _links?: { self?: { href: string }[] } }[]
  return list.slice(0, FOLLOWED).flatMap((one) => {
    const urls = [one?._links?.self?.[0]?.href, one?.link].filter((url) => typeof url === 'string')
    return urls.filter((url) => url.startsWith(home)).map((url) => url.slice(home.length))
  })
}

/**
 * Keys of JSON that are left out: the number of revisions, which are reported to no client, and fields of the plugin
 * `furniture` that show what no visitor may read.
 */
const HIDDEN =
  /^(?:version-history|predecessor-version|by_(?:versions|drafts|held_comments|comments?|comments_\w+|replies|users?|author_acting|post|post_above|terms|terms_of_post|link_of_page))$/

/** Text without the time of the response, and without what is numbered anew each time it is rendered. */
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
