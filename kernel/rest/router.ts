import { noParams, type Params } from '../http/query-string.ts'
import { expressionOf, segmentsOf } from './route-pattern.ts'
import type { Route } from './routes.ts'

/** A route that a path matches, with the values of its captures. */
export interface Match {
  route: Route
  captures: Params
}

interface Compiled {
  /** Place in the order of registration. */
  readonly order: number
  readonly route: Route
  readonly expression: RegExp
}

/** First segments of a path by which its routes are found: namespace and name of most routes, `/svc/v2/posts`. */
const KEY_SEGMENTS = 3

/**
 * Finds routes by path. Patterns are regular expressions with named captures. The first segments of a path propose the
 * routes that begin with them and those whose first segments vary, and the patterns decide. Matching is case-insensitive
 * and anchored.
 */
export class Router {
  readonly #byKey = new Map<string, Compiled[]>()
  /** Routes whose first segments vary: candidates for every path. */
  readonly #varying: Compiled[] = []

  constructor(routes: Iterable<Route>) {
    let order = 0
    for (const route of routes) {
      const compiled = { order: order++, route, expression: expressionOf(route.pattern) }
      const { segments, spans } = segmentsOf(route.pattern)
      // A pattern begins with a slash, so its first segment is empty.
      const key = segments.slice(0, KEY_SEGMENTS + 1)
      if (key.includes(null) || (spans && key.length <= KEY_SEGMENTS)) this.#varying.push(compiled)
      else this.#byKey.set(key.join('/'), [...(this.#byKey.get(key.join('/')) ?? []), compiled])
    }
    for (const [key, own] of this.#byKey)
      this.#byKey.set(
        key,
        own.concat(this.#varying).sort((one, other) => one.order - other.order),
      )
  }

  /**
   * Every route that matches, in the order of registration.
   * @param path decoded path, without trailing slash
   */
  match(path: string): Match[] {
    const matches: Match[] = []
    for (const { route, expression } of this.#byKey.get(keyOf(path)) ?? this.#varying) {
      const found = expression.exec(path)
      if (found !== null) matches.push({ route, captures: capturesOf(found) })
    }
    return matches
  }
}

/** The first segments of a path, in lower case. */
function keyOf(path: string): string {
  let end = 0
  for (let count = 0; count < KEY_SEGMENTS && end >= 0; count += 1) end = path.indexOf('/', end + 1)
  return (end < 0 ? path : path.slice(0, end)).toLowerCase()
}

function capturesOf({ groups = {} }: RegExpExecArray): Params {
  const captures = noParams()
  for (const name of Object.keys(groups)) if (groups[name] !== undefined) captures[name] = groups[name]
  return captures
}
