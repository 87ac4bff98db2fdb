import findMyWay, { type HTTPMethod } from 'find-my-way'
import { noParams, type Params } from '../http/query-string.ts'
import { expressionOf, segmentsOf, type Segments } from './route-pattern.ts'
import type { Route } from './routes.ts'

/** A matching route, with the values of its captures. */
export interface Match {
  route: Route
  captures: Params
}

interface Compiled {
  /** Position in the order of registration. */
  order: number
  route: Route
  expression: RegExp
}

/** A route with a part that can match several segments. */
interface Spanning extends Compiled {
  /** The segments before that part. */
  readonly head: Segments
}

/** A node of the tree: routes with the same segments, and all routes that a path found at the node can match. */
interface Node {
  readonly segments: Segments
  /** Whether all segments are literal. */
  readonly isLiteral: boolean
  readonly routes: Compiled[]
  /** Routes of this node, of nodes that match the same paths, and spanning routes; null until the first use. */
  candidates: readonly Compiled[] | null
}

const METHOD: HTTPMethod = 'GET'

/**
 * Finds routes by path. Patterns are regular expressions with named captures. A radix tree finds candidates, with
 * variable segments as its parameters, and the patterns decide. A pattern with a part that can match several segments
 * is a candidate for all paths with its first segments. Matching is case-insensitive and anchored.
 */
export class Router {
  readonly routes: ReadonlyMap<string, Route>
  readonly #tree = findMyWay({ caseSensitive: false, maxParamLength: 4096 })
  readonly #nodes = new Map<string, Node>()
  readonly #spanning: Spanning[] = []
  #count = 0

  /** @param routes by pattern, in order of registration */
  constructor(routes: ReadonlyMap<string, Route>) {
    this.routes = routes
    for (const route of routes.values()) this.#add(route)
  }

  /**
   * Returns all matching routes in order of registration.
   * @param path decoded path without a trailing slash
   */
  match(path: string): Match[] {
    // Fast path: a literal path in the spelling of its registration needs no tree.
    const exact = this.#nodes.get(path)
    const node = exact ?? (this.#tree.find(METHOD, encodePath(path))?.store as Node | undefined)
    const candidates = node === undefined ? this.#spanning : this.#candidates(node)
    const [only] = candidates
    if (exact?.isLiteral === true && candidates.length === 1) return [{ route: only!.route, captures: noParams() }]
    const matches: Match[] = []
    for (const { route, expression } of candidates) {
      const captures = exec(expression, path)
      if (captures !== null) matches.push({ route, captures })
    }
    return matches
  }

  #add(route: Route): void {
    const compiled = { order: this.#count++, route, expression: expressionOf(route.pattern) }
    const { segments, spans } = segmentsOf(route.pattern)
    if (spans) {
      this.#spanning.push({ ...compiled, head: segments })
      return
    }
    const key = segments
      .map((segment, index) => (segment === null ? `:p${index}` : segment.replaceAll(':', '::')))
      .join('/')
    const node = this.#nodes.get(key)
    if (node !== undefined) {
      node.routes.push(compiled)
      return
    }
    const isLiteral = segments.every((segment) => segment !== null)
    const created: Node = { segments, isLiteral, routes: [compiled], candidates: null }
    this.#nodes.set(key, created)
    this.#tree.on(METHOD, key, () => {}, created)
  }

  /** Returns the candidates of a node. The tree finds only one of the nodes that match a path. */
  #candidates(node: Node): readonly Compiled[] {
    node.candidates ??= [...this.#nodes.values()]
      .flatMap(({ segments, routes }) => (overlap(segments, node.segments) ? routes : []))
      .concat(this.#spanning.filter(({ head }) => overlap(head, node.segments.slice(0, head.length))))
      .sort((one, other) => one.order - other.order)
    return node.candidates
  }
}

/** Whether a path can match both. */
function overlap(one: Segments, other: Segments): boolean {
  if (one.length !== other.length) return false
  return one.every((segment, index) => segment === null || other[index] === null || segment === other[index])
}

/** Encodes characters of a decoded path that the tree would parse as parts of a URL. */
function encodePath(path: string): string {
  return /[%?#;]/.test(path) ? path.replace(/[%?#;]/g, encodeURIComponent) : path
}

function exec(expression: RegExp, path: string): Params | null {
  const result = expression.exec(path)
  if (result === null) return null
  const captures = noParams()
  if (result.groups !== undefined) {
    for (const name of Object.keys(result.groups)) {
      if (result.groups[name] !== undefined) captures[name] = result.groups[name]
    }
  }
  return captures
}
