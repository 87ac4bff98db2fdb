type Fields = Record<string, unknown>

/** Status codes by the words that Apache accepts for them. */
const WORDS: Readonly<Record<string, number>> = { permanent: 301, temp: 302, seeother: 303, gone: 410 }
/** Maximum length of a line that is read. */
const MAX_LINE_LENGTH = 4000

/**
 * Reads the redirects of an `.htaccess` file: Redirect, RedirectPermanent, RedirectTemp, RedirectMatch, and RewriteRule
 * with the flag R, G or F, or with a full URL as target. A rule with a condition other than a fixed query string is
 * skipped, because it would redirect too much without it.
 */
export function readHtaccess(text: string): Fields[] {
  const found: Fields[] = []
  /** Conditions of the next rule: a query, null if one cannot be kept, undefined without any. */
  let query: string | null | undefined
  for (const line of text.split(/\r?\n/)) {
    if (line.length > MAX_LINE_LENGTH) continue
    const [directive = '', ...words] = wordsOf(line)
    const name = directive.toLowerCase()
    if (name === 'rewritecond') {
      query = query === undefined ? queryOf(words) : null
    } else if (name === 'rewriterule') {
      const fields = query === null ? null : rewriteRule(words, query ?? '')
      if (fields !== null) found.push(fields)
      query = undefined
    } else {
      const fields = redirectLine(name, words)
      if (fields !== null) found.push(fields)
    }
  }
  return found
}

function redirectLine(name: string, words: readonly string[]): Fields | null {
  const fixed: Readonly<Record<string, string>> = { redirectpermanent: '301', redirecttemp: '302' }
  if (name !== 'redirect' && name !== 'redirectmatch' && !Object.hasOwn(fixed, name)) return null
  const isStatus = Object.hasOwn(fixed, name)
    ? false
    : /^\d{3}$/.test(words[0] ?? '') || Object.hasOwn(WORDS, words[0] ?? '')
  const [status, source = '', target = ''] = isStatus ? words : [fixed[name] ?? '302', ...words]
  const code = WORDS[status!] ?? Number(status)
  if (source === '') return null
  return fieldsOf({ source, target, code, isPattern: name === 'redirectmatch', ignoresCase: false, passesQuery: true })
}

function rewriteRule([pattern = '', target = '', flagText = '']: readonly string[], query: string): Fields | null {
  const flags = new Map(
    flagText
      .replaceAll(/[[\]]/g, '')
      .split(',')
      .map((flag) => {
        const [name = '', value = ''] = flag.trim().split('=')
        return [name.toLowerCase(), value] as const
      }),
  )
  const has = (...names: string[]) => names.some((name) => flags.has(name))
  const code = has('g', 'gone') ? 410 : has('f', 'forbidden') ? 403 : codeOf(flags.get('r') ?? flags.get('redirect'))
  const isFull = /^https?:\/\//i.test(target)
  if (pattern === '' || pattern.startsWith('!') || target.includes('%{') || /%\d/.test(target)) return null
  if (code === null && !isFull) return null
  const ignoresCase = has('nc', 'nocase')
  const source = pattern.startsWith('^') ? `^/${pattern.slice(1).replace(/^\//, '')}` : pattern
  // A path of literal characters, with an optional slash at the end.
  const path = /^\^(\/(?:[\w~%/-]|\\\.)*)(\/\?)?\$$/.exec(source)
  const isPlain = path !== null
  return fieldsOf({
    source: isPlain ? path[1]!.replaceAll('\\', '') + (query === '' ? '' : `?${query}`) : source,
    target: target === '-' ? '' : isFull || target.startsWith('/') || target === '' ? target : `/${target}`,
    code: code ?? 302,
    isPattern: !isPlain,
    ignoresCase,
    ignoresSlash: path?.[2] !== undefined,
    passesQuery: query === '' && !target.includes('?') ? true : has('qsa', 'qsappend'),
    exactQuery: query !== '',
  })
}

function fieldsOf(rule: {
  source: string
  target: string
  code: number
  isPattern: boolean
  ignoresCase: boolean
  ignoresSlash?: boolean
  passesQuery: boolean
  exactQuery?: boolean
}): Fields {
  const isError = rule.code >= 400
  const flagQuery = rule.exactQuery === true && !rule.passesQuery ? 'exact' : rule.passesQuery ? 'pass' : 'ignore'
  return {
    url: rule.source,
    match_data: {
      source: {
        flag_query: flagQuery,
        flag_case: rule.ignoresCase,
        flag_trailing: rule.ignoresSlash === true,
        flag_regex: rule.isPattern,
      },
    },
    match_type: 'url',
    action_type: isError ? 'error' : 'url',
    action_code: rule.code,
    action_data: { url: rule.target },
  }
}

function codeOf(value: string | undefined): number | null {
  if (value === undefined) return null
  return value === '' ? 302 : (WORDS[value.toLowerCase()] ?? Number(value))
}

/** Returns the fixed query of a condition; null for other conditions. */
function queryOf([subject = '', pattern = '', flags]: readonly string[]): string | null {
  const [, query] = /^\^([\w=&%.+\\-]*)\$$/.exec(pattern) ?? []
  return subject.toUpperCase() === '%{QUERY_STRING}' && query !== undefined && flags === undefined
    ? query.replaceAll('\\', '')
    : null
}

/** Splits a line at spaces outside quotes, in linear time. */
function wordsOf(line: string): string[] {
  return [...line.trim().matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!)
}
