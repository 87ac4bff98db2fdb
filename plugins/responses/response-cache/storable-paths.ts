import type { Endpoint, RestServer, Route } from '../../../kernel/index.ts'

/** Paths that are remembered, of which clients request few, often. */
const MAX_REMEMBERED_PATHS = 1000
const MAX_PATH_LENGTH = 200

/** Remembered paths by the routes of a server, which has others once a plugin comes or goes. */
const known = new WeakMap<ReadonlyMap<string, Route>, Map<string, boolean>>()

/** Whether an endpoint for a path lets responses to reads be stored. If it does not, no read needs to be recorded. */
export function isStorablePath(server: RestServer, path: string): boolean {
  // Such a tap may change the path for this request alone.
  if (server.hooks.rest_path_to_match.isUsed()) return true
  const { routes } = server
  let paths = known.get(routes)
  if (paths === undefined) known.set(routes, (paths = new Map()))
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
