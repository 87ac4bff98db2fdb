import { matchUrlOf, shownRedirect } from './fields.ts'
import type { Hits, Redirect } from './types.ts'

/** Version of the format, which imports of the original plugin check. */
const FORMAT_VERSION = '5.4.2'

/** Redirects and groups of an export. */
interface Exported {
  readonly redirects: readonly Redirect[]
  readonly groups: readonly object[]
  readonly hits: ReadonlyMap<number, Hits>
}

/** Returns redirects as text in a format: `json`, `csv`, `apache` or `nginx`. */
export function exportAs(format: string, { redirects, groups, hits }: Exported): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(
        {
          plugin: { version: FORMAT_VERSION, date: new Date().toUTCString() },
          groups,
          redirects: redirects.map((redirect) => shownRedirect(redirect, hits.get(redirect.id))),
        },
        null,
        4,
      )}\n`
    case 'csv':
      return csvOf(redirects, hits)
    case 'apache':
      return framed(['<IfModule mod_rewrite.c>', ...enabled(redirects).flatMap(apacheRules), '</IfModule>'])
    default:
      return framed([
        'server {',
        ...enabled(redirects)
          .flatMap(nginxRules)
          .map((line) => `    ${line}`),
        '}',
      ])
  }
}

function enabled(redirects: readonly Redirect[]): Redirect[] {
  return redirects.filter((redirect) => redirect.enabled)
}

function framed(lines: readonly string[]): string {
  const head = [
    '# Created by Redirection',
    `# ${new Date().toUTCString()}`,
    `# Redirection ${FORMAT_VERSION} - https://redirection.me`,
    '',
  ]
  return `${[...head, ...lines, '', '# End of Redirection'].join('\n')}\n`
}

function csvOf(redirects: readonly Redirect[], hits: ReadonlyMap<number, Hits>): string {
  const rows = redirects.map(({ id, url, action_data: data, flags, action_code: code, action_type: type, ...rest }) => {
    const target = data === null ? '' : typeof data['url'] === 'string' ? data['url'] : '/unknown'
    const status = rest.enabled ? 'active' : 'disabled'
    const count = hits.get(id)?.hits ?? 0
    return [
      quoted(url),
      quoted(target),
      flags.flag_regex ? 1 : 0,
      code,
      quoted(type),
      count,
      quoted(rest.title),
      quoted(status),
    ].join(',')
  })
  return `${['source,target,regex,code,type,hits,title,status', ...rows].join('\n')}\n`
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

/** Returns the rules of a redirect for `.htaccess`; none for conditions that Apache cannot check. */
function apacheRules(redirect: Redirect): string[] {
  const { action_type: type, action_data: data, match_type: match, flags } = redirect
  if (type === 'nothing') return []
  const query = flags.flag_regex ? '' : (redirect.url.split('?', 2)[1] ?? '')
  const rule = (target: string) => {
    const conditions = query === '' ? [] : [`RewriteCond %{QUERY_STRING} ^${escaped(query)}$`]
    return [...conditions, `RewriteRule ${apachePattern(redirect)} ${targetFor(target)} [${apacheFlags(redirect)}]`]
  }
  if (data === null || match === 'url') return rule(textOf(data?.['url']) || '/')
  const variables: Readonly<Record<string, readonly [variable: string, field: string]>> = {
    agent: ['HTTP_USER_AGENT', 'agent'],
    referrer: ['HTTP_REFERER', 'referrer'],
  }
  const [variable, field] = variables[match] ?? []
  if (variable === undefined || field === undefined) return []
  const value = textOf(data[field])
  const literal = value.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const pattern = data['regex'] === true ? value : match === 'referrer' ? `^${literal}$` : literal
  const [from, notFrom] = [textOf(data['url_from']), textOf(data['url_notfrom'])]
  return [
    ...(from === '' ? [] : [`RewriteCond %{${variable}} ${pattern} [NC]`, ...rule(from)]),
    ...(notFrom === '' ? [] : [`RewriteCond %{${variable}} !${pattern} [NC]`, ...rule(notFrom)]),
  ]
}

function apachePattern(redirect: Redirect): string {
  const { url, flags } = redirect
  if (flags.flag_regex)
    return url
      .replaceAll(' ', String.raw`\s`)
      .replace(/^\^\//, '^')
      .replace(/^\//, '')
  return `^${sourcePattern(redirect).slice(1)}${flags.flag_trailing && sourcePattern(redirect) !== '/' ? '/?' : ''}$`
}

function apacheFlags({ action_type: type, action_code: code, flags }: Redirect): string {
  const first = type === 'error' ? [code === 410 ? 'G' : 'F'] : type === 'pass' ? ['L'] : [`R=${code}`, 'L']
  return [...first, ...(flags.flag_case ? ['NC'] : []), ...(flags.flag_query === 'pass' ? ['QSA'] : [])].join(',')
}

function nginxRules(redirect: Redirect): string[] {
  const { action_type: type, action_code: code, action_data: data, match_type: match, flags } = redirect
  if (match !== 'url' || type === 'nothing' || type === 'pass' || type === 'random') return []
  const ignoresCase = flags.flag_case ? '(?i)' : ''
  const pattern = flags.flag_regex
    ? redirect.url.replaceAll(' ', String.raw`\s`)
    : `^${sourcePattern(redirect)}${flags.flag_trailing && sourcePattern(redirect) !== '/' ? '/?' : ''}$`
  if (type === 'error')
    return [`location ~${flags.flag_case ? '*' : ''} "${pattern.replaceAll('"', String.raw`\"`)}" { return ${code}; }`]
  const kind = code === 301 || code === 308 ? 'permanent' : 'redirect'
  return [
    `rewrite "${ignoresCase}${pattern.replaceAll('"', String.raw`\"`)}" ${targetFor(textOf(data?.['url']) || '/')} ${kind};`,
  ]
}

/** Returns the path of a source as a pattern, without the slash at its end if that is ignored. */
function sourcePattern(redirect: Redirect): string {
  const path = redirect.url.split('?', 1)[0]!
  const trimmed = redirect.flags.flag_trailing && matchUrlOf(redirect) !== '/' ? path.replace(/\/$/, '') : path
  return escaped(trimmed)
}

function escaped(text: string): string {
  const encoded = encodeURI(decodedOnce(text)).replaceAll(
    /[()[\]:]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return encoded.replaceAll(/[.*+?^${}|\\]/g, String.raw`\$&`)
}

function decodedOnce(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}

/** Returns a target without characters that end a rule. */
function targetFor(target: string): string {
  return target.replaceAll(/[\s;"{}]/g, (character) => encodeURIComponent(character))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
