import { cleanText } from '../../public.ts'
import { errors } from './errors.ts'
import type { ActionData, Redirect, SourceFlags } from './types.ts'

const MAX_TITLE_LENGTH = 500
/** Maximum length of URLs and patterns, in characters. */
const MAX_URL_LENGTH = 2000
const QUERY_FLAGS = ['exact', 'exactorder', 'ignore', 'pass']
const REDIRECT_CODES = [301, 302, 303, 304, 307, 308]
const ERROR_CODES = [400, 401, 403, 404, 410, 418, 451, 500, 501, 502, 503, 504]
const ACTION_TYPES = ['url', 'error', 'nothing', 'pass', 'random']

/** Fields of the conditions of each type of match, in addition to its targets. */
const CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  url: [],
  login: [],
  agent: ['regex', 'agent'],
  referrer: ['regex', 'referrer'],
  header: ['regex', 'name', 'value'],
  cookie: ['regex', 'name', 'value'],
  custom: ['filter'],
  role: ['role'],
  server: ['server'],
  ip: ['ip'],
  page: ['page'],
  language: ['language'],
}

/** Returns the names of the targets of a type of match. */
export function targetsOf(matchType: string): readonly string[] {
  if (matchType === 'url' || matchType === 'page') return ['url']
  return matchType === 'login' ? ['logged_in', 'logged_out'] : ['url_from', 'url_notfrom']
}

/** A redirect without its ID. */
export type NewRedirect = Omit<Redirect, 'id'>

/**
 * Reads a redirect as clients and exports send it.
 * @param defaults flags of redirects that do not set them
 * @param position position of the redirect if it does not set one
 * @throws redirect for a missing group, or an unknown type of match or action
 */
export function readRedirect(
  sent: Readonly<Record<string, unknown>>,
  defaults: SourceFlags,
  position: number,
): NewRedirect {
  const flags = flagsOf(sent, defaults)
  const groupId = Number(sent['group_id'])
  if (!Number.isSafeInteger(groupId) || groupId <= 0) throw errors.redirect('Invalid group when creating redirect')
  const matchType = textOf(sent['match_type'])
  if (!Object.hasOwn(CONDITIONS, matchType)) throw errors.redirect('Invalid redirect matcher')
  const actionType = textOf(sent['action_type'])
  if (!ACTION_TYPES.includes(actionType)) throw errors.redirect('Invalid redirect action')
  const isEnabled = sent['status'] === undefined ? sent['enabled'] !== false : sent['status'] !== 'disabled'
  return {
    group_id: groupId,
    position,
    enabled: isEnabled,
    url: sourceOf(textOf(sent['url']), flags.flag_regex),
    flags,
    match_type: matchType,
    action_type: actionType,
    action_code: codeOf(actionType, Number(sent['action_code'])),
    action_data: hasTarget(actionType) ? dataOf(matchType, sent['action_data']) : null,
    title: plainText(textOf(sent['title'])).slice(0, MAX_TITLE_LENGTH),
  }
}

/** Returns the path of a URL by which redirects are found: in lower case, without query and trailing slash. */
export function matchUrlOf({ url, flags }: Pick<Redirect, 'url' | 'flags'>): string {
  if (flags.flag_regex) return 'regex'
  const path = url.split('?', 1)[0]!.toLowerCase()
  return path.length > 1 ? path.replace(/\/$/, '') : path
}

/** Returns a redirect as the REST API shows it. */
export function shownRedirect(redirect: Redirect, hits?: { hits: number; last_access: string }) {
  const { id, url, flags, action_code, action_type, action_data, match_type, title, group_id, position } = redirect
  const { flag_query, flag_case, flag_trailing, flag_regex } = flags
  return {
    id,
    url,
    match_url: matchUrlOf(redirect),
    match_data: { source: { flag_query, flag_case, flag_trailing, flag_regex } },
    action_code,
    action_type,
    action_data,
    match_type,
    title,
    hits: hits?.hits ?? 0,
    regex: flag_regex,
    group_id,
    position,
    last_access: hits?.last_access ?? '-',
    enabled: redirect.enabled,
  }
}

function flagsOf(sent: Readonly<Record<string, unknown>>, defaults: SourceFlags): SourceFlags {
  const matchData = recordOf(sent['match_data'])
  const source = recordOf(matchData['source'])
  const flag = (name: 'flag_case' | 'flag_trailing') => (name in source ? isTrue(source[name]) : defaults[name])
  const query = textOf(source['flag_query'])
  return {
    flag_query: (QUERY_FLAGS.includes(query) ? query : defaults.flag_query) as SourceFlags['flag_query'],
    flag_case: flag('flag_case'),
    flag_trailing: flag('flag_trailing'),
    flag_regex: 'flag_regex' in source ? isTrue(source['flag_regex']) : isTrue(sent['regex']) || defaults.flag_regex,
  }
}

/** Returns the source: a path without its host, or a pattern. */
function sourceOf(url: string, isPattern: boolean): string {
  const text = cleanText(url)
    .replaceAll(/[\r\n\t]/g, '')
    .trim()
    .slice(0, MAX_URL_LENGTH)
  if (isPattern) return text
  const path = text.replace(/^https?:\/\/[^/?#]*/i, '').split('#', 1)[0]!
  return path.startsWith('/') ? path : `/${path}`
}

function hasTarget(actionType: string): boolean {
  return actionType === 'url' || actionType === 'pass'
}

function codeOf(actionType: string, code: number): number {
  if (actionType === 'error') return ERROR_CODES.includes(code) ? code : 404
  if (actionType === 'nothing' || actionType === 'pass') return 0
  return REDIRECT_CODES.includes(code) ? code : 301
}

/** Returns the conditions and targets of a match; a match without a target leads to the front page. */
function dataOf(matchType: string, sent: unknown): ActionData {
  const record = typeof sent === 'string' ? { url: sent } : recordOf(sent)
  const data: Record<string, string | boolean | readonly string[]> = {}
  for (const name of CONDITIONS[matchType]!) {
    const value = record[name]
    if (name === 'regex') data[name] = isTrue(value)
    else if (name === 'ip') data[name] = (Array.isArray(value) ? value : [value]).map(textOf).filter((ip) => ip !== '')
    else data[name] = plainText(textOf(value)).slice(0, MAX_URL_LENGTH)
  }
  for (const name of targetsOf(matchType)) data[name] = targetOf(textOf(record[name]))
  if (matchType === 'url' && data['url'] === '') data['url'] = '/'
  return data
}

function targetOf(text: string): string {
  const target = cleanText(text)
    .replaceAll(/[\r\n\t]/g, '')
    .trim()
    .slice(0, MAX_URL_LENGTH)
  // Other schemes would run in the page of a browser that opens the target from a list.
  return /^(?:javascript|data|vbscript):/i.test(target) ? '' : target
}

/** Removes tags from a text. */
export function plainText(text: string): string {
  return cleanText(text)
    .replaceAll(/<[^<>]*>/g, '')
    .trim()
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true'
}
