import { shown } from '../../../kernel/index.ts'

/** Patterns of paths that never match, with the correct syntax. */
const MISTAKES: readonly (readonly [slip: RegExp, advice: (name: string) => string])[] = [
  // Syntax of Express, Fastify, OpenAPI and Next.
  [/(?:^|\/)(:([A-Za-z_]\w*))/, parameter],
  [/(?:^|\/)(\{([A-Za-z_]\w*)\})/, parameter],
  [/(?:^|\/)(<([A-Za-z_]\w*)>)/, parameter],
  [/(?:^|\/)(\[(?:\.\.\.)?(id|\w{3,})\])(?:\/|$)/, parameter],
  [/(?:^|\/)(\*+)(?:\/|$)/, () => 'which repeats the slash: write (?P<rest>.*) for the rest of the path'],
  [/^(\^)/, () => 'which never matches: a path is always matched as a whole'],
  [/(\?\w+=)/, () => 'which belongs to the query: declare query parameters in args'],
  [/(\[\^?[dws]-?\]|\[-[dws]\])/, letter],
  [/\(\?P?<\w+>([dws][+*])/, letter],
]

function parameter(name: string): string {
  return `which is not a parameter here: write (?P<${name}>[^/]+)`
}

function letter(): string {
  return 'which matches a letter: a backslash is lost, write it twice'
}

/** Returns the mistake in the namespace or path of a route, or null. */
export function pathMistake(namespace: unknown, path: unknown): string | null {
  if (typeof namespace !== 'string')
    return `its namespace is ${shown(namespace)}: write registerRoute(namespace, path, endpoint)`
  if (typeof path !== 'string') return `its path is ${shown(path)}: write registerRoute(namespace, path, endpoint)`
  for (const [slip, adviceFor] of MISTAKES) {
    const [, syntax, name = ''] = slip.exec(path.replace(/^\/+/, '')) ?? []
    if (syntax !== undefined) return `its path has "${syntax}", ${adviceFor(name)}`
  }
  return null
}

/** Returns a mistake if an argument differs from a path parameter only in capitalization, or null. */
export function parameterMistake(path: string, args: object): string | null {
  const parameters = [...path.matchAll(/\(\?P?<(\w+)>/g)].map(([, name]) => name!)
  for (const name of Object.keys(args)) {
    const near = parameters.find((one) => one !== name && one.toLowerCase() === name.toLowerCase())
    if (near !== undefined && !parameters.includes(name)) return `the argument "${name}" is "${near}" in its path`
  }
  return null
}
