import { decodePath, type PluginContext } from '../../../kernel/index.ts'

/** Maximum length of a URL of the site, in characters. */
const MAX_URL_LENGTH = 2000

/** Query variables that identify a post by its ID. */
export const ID_VARIABLES = ['p', 'page_id', 'attachment_id'] as const
/** Query variables that identify a post by its slug, with its type. */
export const SLUG_VARIABLES: Readonly<Record<string, string>> = {
  name: 'post',
  pagename: 'page',
  attachment: 'attachment',
}
/** Query parameter for the page of a list, in plain URLs. */
export const PAGED = 'paged'
/** Query parameter with the URL of an archive, as lists of archives submit it. */
export const CHOSEN_ARCHIVE = 'archive-dropdown'
/** Value of the query variable of a taxonomy in lists from which no term is chosen. */
export const NO_TERM = '-1'
/** Query parameter for the page of comments, in plain URLs. */
export const COMMENT_PAGE = 'cpage'
/** Query parameters that identify pages, in addition to the query variables of types and taxonomies. */
export const PAGE_PARAMETERS: readonly string[] = [
  ...ID_VARIABLES,
  ...Object.keys(SLUG_VARIABLES),
  'm',
  'year',
  'monthnum',
  'day',
  'author',
  'author_name',
  'cat',
  'taxonomy',
  'term',
  'post_type',
  's',
  CHOSEN_ARCHIVE,
  PAGED,
  'page',
  COMMENT_PAGE,
]

/** The parts of a URL that identify a page of the site. */
export interface SiteUrl {
  /** Decoded path below the home URL, without its trailing slash; '' for the home page. */
  path: string
  query: URLSearchParams
}

/** Parses a URL of the site; null for a URL of another site. Accepts both `http` and `https`. */
export function siteUrl(text: string, { urls }: Pick<PluginContext, 'urls'>): SiteUrl | null {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text)
  const home = new URL(urls.home)
  if (url === null || url.host !== home.host || !/^https?:$/.test(url.protocol)) return null
  const path = decodePath(url.pathname)
  if (path === null || !`${path}/`.startsWith(`${urls.basePath}/`)) return null
  return { path: path.slice(urls.basePath.length).replace(/\/$/, ''), query: url.searchParams }
}
