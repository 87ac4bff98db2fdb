import type { Endpoint, RestServer, Route } from '../../../kernel/index.ts'

/** Cached paths. Clients request few paths, repeatedly. */
const MAX_REMEMBERED_PATHS = 1000
const MAX_PATH_LENGTH = 200

/** Cached paths by route table, which the server replaces whenever routes change. */
const cache = new WeakMap<ReadonlyMap<string, Route>, Map<string, boolean>>()

/**
 * Returns whether an endpoint for a path allows storing responses to reads. If none does, reads need not be recorded.
 */
export function isStorablePath(server: RestServer, path: string): boolean {
  // The tap can change the path for each request.
  if (server.hooks.rest_path_to_match.isUsed()) return true
  const { routes } = server
  let paths = cache.get(routes)
  if (paths === undefined) cache.set(routes, (paths = new Map()))
  let isStorable = paths.get(path)
  if (isStorable === undefined) {
    isStorable = server.match(path).some(({ route }) => route.endpoints.some(isStorableEndpoint))
    if (paths.size >= MAX_REMEMBERED_PATHS) paths.clear()
    if (path.length <= MAX_PATH_LENGTH) paths.set(path, isStorable)
  }
  return isStorable
}

const isStorableEndpoint = ({ cache, methods }: Endpoint) =>
  cache !== false && (methods.includes('GET') || methods.includes('HEAD'))
