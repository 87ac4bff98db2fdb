import type { Registrant } from '../ownership.ts'
import { Router, type Match } from './router.ts'
import { allowsMethod, type Route } from './routes.ts'

/** Paths of which it is remembered whether responses may be kept, and characters of the longest. */
const MOST_PATHS = 1000
const LONGEST_PATH = 200

/** The routes as they are used, until one comes or goes. */
export class RouteTable {
  /** By pattern, in order of registration. */
  readonly routes: ReadonlyMap<string, Route>
  readonly #router: Router
  readonly #keepable = new Map<string, boolean>()

  constructor(routes: ReadonlyMap<string, Route>) {
    this.routes = routes
    this.#router = new Router(routes.values())
  }

  /** The routes that match a path without slashes at its end. */
  match(path: string): Match[] {
    return this.#router.match(path)
  }

  /** Whether any endpoint lets responses to reads of a path be kept. Clients ask for few paths, often. */
  mayKeep(path: string): boolean {
    let known = this.#keepable.get(path)
    if (known === undefined) {
      known = this.match(path).some(({ route }) => route.endpoints.some(isKeepable))
      if (this.#keepable.size >= MOST_PATHS) this.#keepable.clear()
      if (path.length <= LONGEST_PATH) this.#keepable.set(path, known)
    }
    return known
  }
}

const isKeepable = (endpoint: Route['endpoints'][number]) => endpoint.cache !== false && allowsMethod(endpoint, 'HEAD')

/** A route as it was registered. */
export interface Registered {
  readonly route: Route
  /** Whether it takes the place of those of the same pattern before it. */
  readonly override: boolean
  readonly registrant: Registrant
}

/** The routes of a list by pattern: a second one adds its endpoints to the first, or takes its place. */
export function mergeRoutes(registered: Iterable<Omit<Registered, 'registrant'>>): Map<string, Route> {
  const merged = new Map<string, Route>()
  for (const { route, override } of registered) {
    const there = merged.get(route.pattern)
    if (there === undefined || override) merged.set(route.pattern, { ...route, endpoints: [...route.endpoints] })
    else there.endpoints.push(...route.endpoints)
  }
  return merged
}
