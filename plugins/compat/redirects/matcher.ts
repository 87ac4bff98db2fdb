import { RE2JS } from 're2js'
import { decodePath } from '../../public.ts'
import { matchUrlOf } from './fields.ts'
import type { Redirect } from './types.ts'

/** The URL of a request. */
export interface RequestedUrl {
  /** Decoded path with its leading slash. */
  readonly path: string
  /** Encoded query without its question mark. */
  readonly query: string
}

/** A redirect that matches a URL. */
export interface MatchedRedirect {
  readonly redirect: Redirect
  /** Returns a target with the groups of a pattern, and the query if the redirect passes it on. */
  target(this: void, template: string): string
}

type Pattern = ReturnType<typeof RE2JS.compile>
interface PatternRule {
  readonly redirect: Redirect
  readonly pattern: Pattern
}

/** Finds the redirects of URLs. Patterns are matched in time linear in the length of the URL. */
export class Matcher {
  readonly #plain = new Map<string, { redirect: Redirect; index: number }[]>()
  readonly #patterns: (PatternRule & { index: number })[] = []
  /** Redirects whose pattern is too long, or cannot be matched in linear time, such as one with look-around. */
  readonly unsupported: Redirect[] = []

  /** @param redirects enabled redirects in the order in which they apply */
  constructor(redirects: readonly Redirect[]) {
    for (const [index, redirect] of redirects.entries()) {
      if (redirect.flags.flag_regex) {
        const pattern = compile(redirect.url, redirect.flags.flag_case)
        if (pattern === null) this.unsupported.push(redirect)
        else this.#patterns.push({ redirect, pattern, index })
        continue
      }
      const key = decoded(matchUrlOf(redirect))
      const list = this.#plain.get(key) ?? []
      list.push({ redirect, index })
      this.#plain.set(key, list)
    }
  }

  /** Returns the redirects that match a URL, in the order in which they apply. */
  *find(requested: RequestedUrl): Generator<MatchedRedirect> {
    const { path } = requested
    const lower = path.toLowerCase()
    const key = lower.length > 1 ? lower.replace(/\/$/, '') : lower
    const plain = (this.#plain.get(key) ?? []).filter(({ redirect }) => matchesPlain(redirect, requested))
    let at = 0
    for (const { redirect, pattern, index } of this.#patterns) {
      while (at < plain.length && plain[at]!.index < index) yield matched(plain[at++]!.redirect, requested)
      const match = matchPattern(redirect, pattern, requested)
      if (match !== null) yield match
    }
    while (at < plain.length) yield matched(plain[at++]!.redirect, requested)
  }
}

/** Maximum length of a pattern in characters. */
const MAX_PATTERN_LENGTH = 2000

/** Compiles a pattern; null if it is malformed, too long, or needs backtracking. */
export function compile(source: string, ignoresCase: boolean): Pattern | null {
  if (source.length > MAX_PATTERN_LENGTH) return null
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), ignoresCase ? RE2JS.CASE_INSENSITIVE : 0)
  } catch {
    return null
  }
}

function matchesPlain({ url, flags }: Redirect, { path, query }: RequestedUrl): boolean {
  const at = url.indexOf('?')
  const [sourcePath, sourceQuery] = at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
  const form = (text: string) => {
    const cased = flags.flag_case ? text.toLowerCase() : text
    return flags.flag_trailing && cased.length > 1 ? cased.replace(/\/$/, '') : cased
  }
  if (form(decoded(sourcePath)) !== form(path)) return false
  const [wanted, sent] = [sourceQuery, query].map((text) => parametersOf(flags.flag_case ? text.toLowerCase() : text))
  if (flags.flag_query === 'exactorder') return wanted!.join('&') === sent!.join('&')
  if (flags.flag_query === 'exact') return wanted!.toSorted().join('&') === sent!.toSorted().join('&')
  return wanted!.every((parameter) => sent!.includes(parameter))
}

function matched(redirect: Redirect, { query }: RequestedUrl): MatchedRedirect {
  return { redirect, target: (template) => withQuery(template, redirect, query) }
}

function matchPattern(redirect: Redirect, pattern: Pattern, { path, query }: RequestedUrl): MatchedRedirect | null {
  const isExact = redirect.flags.flag_query.startsWith('exact')
  const subject = isExact && query !== '' ? `${path}?${query}` : path
  const matcher = pattern.matcher(subject)
  if (!matcher.find()) return null
  const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index) ?? '')
  // A pattern that ends within the URL keeps the rest of it.
  const rest = matcher.start() === 0 ? subject.slice(matcher.end()) : ''
  return {
    redirect,
    target(template) {
      const target = template.replaceAll(/\$(\d{1,2})/g, (_, group: string) => groups[Number(group)] ?? '') + rest
      // A group must not turn a path into the URL of another host.
      const isPath = template.startsWith('/') && !template.startsWith('//')
      return withQuery(isPath ? target.replace(/^[/\\]{2,}/, '/') : target, redirect, query)
    },
  }
}

function withQuery(target: string, { flags }: Redirect, query: string): string {
  if (flags.flag_query !== 'pass' || query === '') return target
  return `${target}${target.includes('?') ? '&' : '?'}${query}`
}

function parametersOf(query: string): string[] {
  return query === '' ? [] : [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value}`)
}

function decoded(path: string): string {
  return decodePath(path) ?? path
}
