import { cleanName } from './text/clean-text.ts'
import type { Hooks } from './hooks/hook.ts'
import { applySyncFilter } from './hooks/run.ts'
import { formatQuery, type Params } from './http/query-string.ts'
import { trimEndMarks } from './text/trim.ts'
import type { Branding } from './branding.ts'

/** How addresses of the interface are written (specification 4.1). */
export type AddressForm = 'pretty' | 'index' | 'plain'

/** What the URL builder needs to know of the request under way. */
export interface RequestAddress {
  secure: boolean
  host: string
}

/**
 * Adds query parameters to an address that may have some.
 * @param address absolute or relative, without a fragment
 */
export function addQuery(address: string, params: Readonly<Params>): string {
  const query = formatQuery(params)
  if (query === '') return address
  return `${address}${address.includes('?') ? '&' : '?'}${query}`
}

/** A path without the slashes at its end. In linear time, whatever a client sends. */
export function trimEndSlashes(path: string): string {
  return trimEndMarks(path, '/')
}

/** A path with its percent-encoding taken away, once; null when it is no text or holds a NUL. */
export function decodePath(path: string): string | null {
  try {
    const decoded = decodeURIComponent(path)
    return decoded.includes('\0') ? null : cleanName(decoded)
  } catch {
    return null
  }
}

/** Builds the addresses of the site and of the interface. */
export class Urls {
  readonly #hooks: Hooks
  readonly #branding: Branding
  readonly #form: AddressForm
  /** The scheme that taps of `rest_url` are told where the caller names none. */
  scheme = 'rest'
  #home = ''
  #basePath = ''
  #root: string | null = null
  #prefix: string | null = null

  constructor(hooks: Hooks, branding: Branding, home: string, form: AddressForm) {
    this.#hooks = hooks
    this.#branding = branding
    this.#form = form
    this.home = home
  }

  /** The site's home address, without a trailing slash. */
  get home(): string {
    return this.#home
  }

  /** Sets the home address once the port is known. */
  set home(address: string) {
    this.#home = trimEndSlashes(address)
    this.#basePath = trimEndSlashes(new URL(this.#home).pathname)
    this.#root = null
  }

  /** Path of the home address, without a trailing slash: '' for a site at the root of its host. */
  get basePath(): string {
    return this.#basePath
  }

  /** First path segment of the interface. */
  get prefix(): string {
    this.#prefix ??= applySyncFilter(this.#hooks.rest_url_prefix, this.#branding.prefix)
    return this.#prefix
  }

  /** An address of the site: `site('/2025/hello/')`. */
  site(path = '/'): string {
    return `${this.#home}${path.startsWith('/') ? path : `/${path}`}`
  }

  /**
   * An address of the interface (specification 4.1). The result is not escaped.
   * @param path route with an optional query; '' is the root
   * @param request the request under way: over TLS and for the home's host, the address is of TLS too
   */
  rest(path = '/', request?: RequestAddress, blogId: number | null = null, scheme = this.scheme): string {
    const route = path.startsWith('/') && path[1] !== '/' ? path : `/${path.replace(/^\/+/, '')}`
    // The root is asked for with every link: without a tap on either filter it stays the same.
    this.#root ??= this.#makeRoot()
    let address = this.#form === 'plain' ? this.#plain(route) : `${this.#root}${route.slice(1)}`
    if (request?.secure && address.startsWith('http://') && new URL(this.#home).host === request.host) {
      address = `https://${address.slice('http://'.length)}`
    }
    return applySyncFilter(this.#hooks.rest_url, address, path === '' ? '/' : path, blogId, scheme)
  }

  /**
   * The route and the query that an address of the interface names, as `RestRequest.fromPath` takes them, whatever its
   * form and scheme; null for any other address.
   */
  pathOf(address: string): string | null {
    this.#root ??= this.#makeRoot()
    if (address.startsWith(this.#root) && !address.includes('#')) return address.slice(this.#root.length - 1)
    if (!URL.canParse(address)) return null
    const { protocol, host, pathname, search } = new URL(address)
    const home = new URL(this.#home)
    const isWeb = protocol === 'http:' || protocol === 'https:'
    if (!isWeb || host !== home.host || !`${pathname}/`.startsWith(`${this.#basePath}/`)) return null
    const path = pathname.slice(this.#basePath.length)
    const below = /^\/index\.php(\/.*)$/.exec(path)?.[1] ?? path
    const prefix = `/${this.prefix}`
    if (below === prefix || below.startsWith(`${prefix}/`)) return `${below.slice(prefix.length) || '/'}${search}`
    if (!/^(?:|\/|\/index\.php)$/.test(path)) return null
    const query = search.slice(1).split('&')
    const route = query.findLast((pair) => pair.startsWith('rest_route='))
    if (route === undefined || route === 'rest_route=') return null
    const others = query.filter((pair) => !pair.startsWith('rest_route='))
    const asked = route.slice('rest_route='.length).replaceAll('+', '%20')
    return `${asked.startsWith('/') ? '' : '/'}${asked}${others.length === 0 ? '' : `?${others.join('&')}`}`
  }

  /** Forgets what was derived from filters, after the taps have changed. */
  reset(): void {
    this.#root = null
    this.#prefix = null
  }

  #makeRoot(): string {
    return this.#form === 'index' ? this.site(`/index.php/${this.prefix}/`) : this.site(`/${this.prefix}/`)
  }

  #plain(route: string): string {
    const at = route.indexOf('?')
    const path = at < 0 ? route : route.slice(0, at)
    const query = at < 0 ? '' : `&${route.slice(at + 1)}`
    return `${this.site('/index.php')}?rest_route=${path}${query}`
  }
}
