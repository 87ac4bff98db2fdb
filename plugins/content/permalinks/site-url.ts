import { decodePath, type PluginContext } from '../../../kernel/index.ts'

/** Characters of a URL that may be one of the site. */
const LONGEST_URL = 2000

/** Query variables of URLs that name a post by its ID. */
export const ID_VARIABLES = ['p', 'page_id', 'attachment_id'] as const
/** The parameter of a page of a list, in URLs without pretty paths. */
export const PAGED = 'paged'
/** The parameter of a page of comments, in URLs without pretty paths. */
export const COMMENT_PAGE = 'cpage'
/** Names of parameters that name pages, beside those of types and taxonomies. */
export const PAGE_PARAMETERS: readonly string[] = [
  ...ID_VARIABLES,
  'name',
  'pagename',
  'm',
  'year',
  'monthnum',
  'day',
  'author',
  'cat',
  'taxonomy',
  'term',
  'post_type',
  's',
  PAGED,
  'page',
  COMMENT_PAGE,
]

/** The parts of a URL that say which page of the site it is. */
export interface SiteUrl {
  /** Decoded, below the home URL, without the slash at its end; '' for the home page. */
  path: string
  query: URLSearchParams
}

/** A URL of the site as it is compared; null for one of another site. The scheme may be the other one. */
export function siteUrl(text: string, { urls }: Pick<PluginContext, 'urls'>): SiteUrl | null {
  const url = text.length > LONGEST_URL ? null : URL.parse(text)
  const home = new URL(urls.home)
  if (url === null || url.host !== home.host || !/^https?:$/.test(url.protocol)) return null
  const path = decodePath(url.pathname)
  if (path === null || !`${path}/`.startsWith(`${urls.basePath}/`)) return null
  return { path: path.slice(urls.basePath.length).replace(/\/$/, ''), query: url.searchParams }
}
