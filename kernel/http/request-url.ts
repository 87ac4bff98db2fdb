import type { Hooks } from '../hooks/hook.ts'
import { applySyncFilter } from '../hooks/run.ts'
import { decodePath, type Urls } from '../urls.ts'

/** The URL of a request, and what it names. */
export interface RequestUrl {
  /** Decoded path below the home URL, with its leading slash. */
  path: string
  search: string
  query: URLSearchParams
  /** The REST route; null for a page of the site. */
  route: string | null
}

const NO_QUERY = new URLSearchParams()

/** Reads the URL of a request once: decodes the path, and finds the REST route. Null when it cannot be decoded. */
export function parseRequestUrl(url: string, { urls, hooks }: { urls: Urls; hooks: Hooks }): RequestUrl | null {
  const at = url.indexOf('?')
  const search = at < 0 ? '' : url.slice(at + 1)
  const decoded = decode(at < 0 ? url : url.slice(0, at))
  if (decoded === null) return null
  const path = belowHome(decoded, urls.basePath)
  const pretty = prettyRoute(path, `/${urls.prefix}`)
  const query = pretty === null ? new URLSearchParams(search) : NO_QUERY
  const route = applySyncFilter(hooks.rest_route_of_address, pretty, path, query)
  return { path, search, query, route }
}

const decode = (path: string) => (path.includes('%') ? decodePath(path) : path)

function belowHome(path: string, base: string): string {
  return base !== '' && (path === base || path.startsWith(`${base}/`)) ? path.slice(base.length) || '/' : path
}

/** The route of a path below the prefix of the REST API, with or without the index script before it; else null. */
function prettyRoute(path: string, prefix: string): string | null {
  const below = path.startsWith('/index.php/') ? path.slice('/index.php'.length) : path
  const isRoute = below.startsWith(prefix) && (below.length === prefix.length || below[prefix.length] === '/')
  return isRoute ? below.slice(prefix.length) || '/' : null
}
