import type { Hooks } from '../hooks/hook.ts'
import { applySyncFilter } from '../hooks/run.ts'
import type { Urls } from '../urls.ts'

/** The parsed URL of a request. */
export interface RequestUrl {
  /** Decoded path below the home URL, with its leading slash. */
  path: string
  search: string
  query: URLSearchParams
  /** The REST route; null for a page of the site. */
  route: string | null
}

const NO_QUERY = new URLSearchParams()

/** Parses the URL of a request: decodes the path and finds the REST route. Returns null if it cannot be decoded. */
export function parseRequestUrl(url: string, { urls, hooks }: { urls: Urls; hooks: Hooks }): RequestUrl | null {
  const at = url.indexOf('?')
  const search = at < 0 ? '' : url.slice(at + 1)
  const read = urls.read(at < 0 ? url : url.slice(0, at))
  if (read === null) return null
  const { path, route: pretty } = read
  const query = pretty === null ? new URLSearchParams(search) : NO_QUERY
  const route = applySyncFilter(hooks.rest_route_of_address, pretty, path, query)
  return { path, search, query, route }
}
