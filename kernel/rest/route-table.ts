import type { Registrant } from '../ownership.ts'
import { Router, type Match } from './router.ts'
import type { Route } from './routes.ts'

/** The routes as they are used, until one comes or goes. */
export class RouteTable {
  /** By pattern, in order of registration. */
  readonly routes: ReadonlyMap<string, Route>
  readonly #router: Router

  constructor(routes: ReadonlyMap<string, Route>) {
    this.routes = routes
    this.#router = new Router(routes.values())
  }

  /** The routes that match a path without slashes at its end. */
  match(path: string): Match[] {
    return this.#router.match(path)
  }
}

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
