import type { SiteRequest } from '../../requests/site-requests/index.ts'

/** Feed formats. */
export type FeedFormat = 'rss' | 'atom'

/** The feed that a URL requests. */
export interface FeedUrl {
  readonly format: FeedFormat
  /** Path of the page whose feed is requested, as requested, with a trailing slash: `/`, `/category/news/`. */
  readonly path: string
  /**
   * Whether the feed lists the comments of the whole site. The feed of a post lists its comments, too, but this is
   * false.
   */
  readonly ofComments: boolean
}

const FORMATS: Readonly<Record<string, FeedFormat>> = { feed: 'rss', rss: 'rss', rss2: 'rss', atom: 'atom' }
const MAX_PATH_LENGTH = 1000

/**
 * Parses the URL of a feed: `/news/feed/atom/`, `/?feed=rss2`; null for other URLs, and for paths of more than 1,000
 * characters.
 */
export function feedUrl({ path, query }: Pick<SiteRequest, 'path' | 'query'>): FeedUrl | null {
  if (path.length > MAX_PATH_LENGTH) return null
  const feedParam = query.get('feed')
  if (feedParam !== null) return path === '/' ? byQuery(feedParam) : null
  const found = /^(.*)\/feed(?:\/(feed|rss|rss2|atom))?\/?$/.exec(path)
  if (found === null) return null
  const [, page = '', format = 'feed'] = found
  const ofSiteComments = page === '/comments'
  return {
    format: FORMATS[format]!,
    path: ofSiteComments ? '/' : `${page}/`,
    ofComments: ofSiteComments,
  }
}

function byQuery(feedParam: string): FeedUrl | null {
  const ofComments = feedParam.startsWith('comments-')
  const name = ofComments ? feedParam.slice('comments-'.length) : feedParam
  return Object.hasOwn(FORMATS, name) ? { format: FORMATS[name]!, path: '/', ofComments } : null
}
