import { cleanName } from './text/clean-text.ts'
import type { Hooks } from './hooks/hook.ts'
import { applySyncFilter } from './hooks/run.ts'
import { formatQuery, type Params } from './http/query-string.ts'
import { trimEndMarks } from './text/trim.ts'
import type { Branding } from './branding.ts'
import { derivedOfAll } from './owned-map.ts'

/** The form of REST API URLs (specification 4.1). */
export type UrlForm = 'pretty' | 'index' | 'plain'

/**
 * Adds query parameters to a URL with or without a query.
 * @param url absolute or relative, without a fragment
 */
export function addQuery(url: string, params: Readonly<Params>): string {
  const query = formatQuery(params)
  if (query === '') return url
  return `${url}${url.includes('?') ? '&' : '?'}${query}`
}

/** Removes the slashes at the end of a path, in linear time for any input. */
export function trimEndSlashes(path: string): string {
  return trimEndMarks(path, '/')
}

/** Percent-decodes a path once; null if it is malformed or contains a NUL. */
export function decodePath(path: string): string | null {
  try {
    const decoded = decodeURIComponent(path)
    return decoded.includes('\0') ? null : cleanName(decoded)
  } catch {
    return null
  }
}

/** The parts of a decoded path of the site. */
export interface SitePath {
  /** Decoded path below the home URL, with its leading slash. */
  readonly path: string
  /** The REST route if the path begins with the prefix of the REST API, else null. */
  readonly route: string | null
}

/** The parameter of plain URLs that contains the route. */
const ROUTE = /^rest(?:_|%5f)route=/i

/** Maximum number of cached paths, and maximum length of a cached path. */
const MAX_CACHED_PATHS = 1000
const MAX_CACHED_PATH_LENGTH = 200

function parsePath(encoded: string, base: string, prefix: string): SitePath | null {
  const decoded = encoded.includes('%') ? decodePath(encoded) : encoded
  if (decoded === null) return null
  const rooted = decoded.replace(/^\/{2,}/, '/')
  const isBelow = base !== '' && (rooted === base || rooted.startsWith(`${base}/`))
  const path = isBelow ? rooted.slice(base.length) || '/' : decoded
  // The path may begin with the index script, and slashes before the prefix may be repeated.
  const below = path.replace(/^\/+(?:index\.php\/+)?/, '/')
  const isRoute = below.startsWith(prefix) && (below.length === prefix.length || below[prefix.length] === '/')
  return { path, route: isRoute ? below.slice(prefix.length) || '/' : null }
}

/** Builds and parses the URLs of the site and of the REST API. */
export class Urls {
  readonly #hooks: Hooks
  readonly #branding: Branding
  readonly #form: UrlForm
  /** The argument `scheme` of `rest_url`. */
  scheme = 'rest'
  /** Whether the argument `path` of `rest_url` always has a leading slash, or is passed as given to `rest`. */
  slashes = true
  #home = ''
  #basePath = ''
  #isSecure = false
  readonly #prefix = derivedOfAll(() => applySyncFilter(this.#hooks.rest_url_prefix, this.#branding.prefix))
  /** Root URL of the REST API, cached until taps change, because every link contains it. */
  readonly #root = derivedOfAll(() => this.#buildRoot())
  /** Cache of recently parsed paths. */
  readonly #parsedPaths = derivedOfAll(() => new Map<string, SitePath | null>())

  constructor(hooks: Hooks, branding: Branding, home: string, form: UrlForm) {
    this.#hooks = hooks
    this.#branding = branding
    this.#form = form
    this.home = home
  }

  /** Home URL of the site, without a trailing slash. */
  get home(): string {
    return this.#home
  }

  /** Sets the home URL when the port is known. */
  set home(url: string) {
    this.#home = trimEndSlashes(url)
    this.#basePath = trimEndSlashes(new URL(this.#home).pathname)
    this.#isSecure = this.#home.startsWith('https:')
    this.reset()
  }

  /** Path of the home URL, without a trailing slash: '' for a site at the root of its host. */
  get basePath(): string {
    return this.#basePath
  }

  /** Whether the site is served over TLS. */
  get isSecure(): boolean {
    return this.#isSecure
  }

  /** First path segment of the REST API. */
  get prefix(): string {
    return this.#prefix()
  }

  /** Returns a URL of the site: `site('/2025/hello/')`. */
  site(path = '/'): string {
    return `${this.#home}${path.startsWith('/') ? path : `/${path}`}`
  }

  /**
   * Returns a URL of the REST API (specification 4.1). The result is not escaped.
   * @param path route with an optional query; '' is the root
   */
  rest(path = '/'): string {
    const route = path.startsWith('/') && path[1] !== '/' ? path : `/${path.replace(/^\/+/, '')}`
    const url = this.#form === 'plain' ? this.#buildPlain(route) : `${this.#root()}${route.slice(1)}`
    return this.#hooks.rest_url.call(url, this.slashes || path === '' ? route : path, null, this.scheme)
  }

  /**
   * Returns route and query of a REST API URL of any form and scheme, in the format of `RestRequest.fromPath`; null for
   * any other URL.
   */
  pathOf(url: string): string | null {
    const root = this.#root()
    if (url.startsWith(root) && !url.includes('#')) return url.slice(root.length - 1)
    if (!URL.canParse(url)) return null
    const { protocol, host, pathname, search } = new URL(url)
    const home = new URL(this.#home)
    const isWeb = protocol === 'http:' || protocol === 'https:'
    if (!isWeb || host !== home.host || !`${pathname}/`.startsWith(`${this.#basePath}/`)) return null
    const path = pathname.slice(this.#basePath.length)
    const below = /^\/index\.php(\/.*)$/.exec(path)?.[1] ?? path
    const prefix = `/${this.prefix}`
    if (below === prefix || below.startsWith(`${prefix}/`)) return `${below.slice(prefix.length) || '/'}${search}`
    if (!/^(?:|\/|\/index\.php)$/.test(path)) return null
    const query = search.slice(1).split('&')
    const route = query.findLast((pair) => ROUTE.test(pair))
    if (route === undefined) return null
    const otherPairs = query.filter((pair) => !ROUTE.test(pair))
    const requested = route
      .replace(ROUTE, '')
      .replaceAll('+', '%20')
      .replace(/^(?:%2f)+/i, '/')
    if (requested === '') return null
    return `${requested.startsWith('/') ? '' : '/'}${requested}${otherPairs.length === 0 ? '' : `?${otherPairs.join('&')}`}`
  }

  /** Parses the raw path of a request URL; null if it cannot be decoded. Cached, because clients repeat few paths. */
  read(path: string): SitePath | null {
    const read = this.#parsedPaths()
    let parsed = read.get(path)
    if (parsed === undefined) {
      parsed = parsePath(path, this.#basePath, `/${this.prefix}`)
      if (read.size >= MAX_CACHED_PATHS) read.clear()
      if (path.length <= MAX_CACHED_PATH_LENGTH) read.set(path, parsed)
    }
    return parsed
  }

  /** Clears values derived from filters, after taps have changed. */
  reset(): void {
    this.#root.forget()
    this.#prefix.forget()
    this.#parsedPaths.forget()
  }

  #buildRoot(): string {
    return this.#form === 'index' ? this.site(`/index.php/${this.prefix}/`) : this.site(`/${this.prefix}/`)
  }

  #buildPlain(route: string): string {
    const at = route.indexOf('?')
    const path = at < 0 ? route : route.slice(0, at)
    const query = at < 0 ? '' : `&${route.slice(at + 1)}`
    return `${this.site('/index.php')}?rest_route=${path}${query}`
  }
}
