import { createHash } from 'node:crypto'
import { invalidParam } from '../../public.ts'
import { matchUrlOf, recordOf, shownRedirect, targetsOf, textOf } from './fields.ts'
import type { Rules } from './repository.ts'
import type { Hits, MissingUrl, Redirect } from './types.ts'

/** Page, order and filters of a list. */
export interface ListQuery {
  readonly page: number
  readonly per_page: number
  readonly orderby?: string
  readonly direction?: 'asc' | 'desc'
  readonly filterBy?: Readonly<Record<string, unknown>>
}

/** Returns the arguments of a list. @param orders values of `orderby` */
export const LIST_ARGUMENTS = (orders: readonly string[]) => ({
  filterBy: {},
  orderby: { type: 'string', enum: orders },
  direction: { type: 'string', default: 'desc', enum: ['asc', 'desc'] },
  per_page: { type: 'integer', default: 25, minimum: 5, maximum: 200 },
  page: { type: 'integer', minimum: 0, default: 0 },
})

type Test = (redirect: Redirect, value: string) => boolean

const includes = (text: string, value: string) => text.toLowerCase().includes(value.toLowerCase())
const targetTexts = ({ action_data: data, match_type: type }: Redirect) =>
  targetsOf(type).map((name) => textOf(data?.[name]))

/** Filters of redirects by name. */
const FILTERS: Readonly<Record<string, Test>> = {
  status: ({ enabled }, value) => enabled === (value === 'enabled'),
  url: ({ url }, value) => includes(url, value),
  'url-exact': (redirect, value) => matchUrlOf(redirect) === value.toLowerCase() || redirect.url === value,
  target: (redirect, value) => targetTexts(redirect).some((target) => includes(target, value)),
  title: ({ title }, value) => includes(title, value),
  match: ({ match_type: type }, value) => type === value,
  action: ({ action_type: type }, value) => type === value,
  http: ({ action_code: code }, value) => String(code) === value,
  group: ({ group_id: group }, value) => String(group) === value,
  id: ({ id }, value) => String(id) === value,
  'url-match': ({ flags }, value) => flags.flag_regex === (value === 'regular'),
}
const OTHER_FILTERS = [
  'access',
  'name',
  'module',
  'ip',
  'agent',
  'referrer',
  'domain',
  'method',
  'total',
  'redirect_by',
]

/** Checks the names of filters. @throws rest_invalid_param */
export function isKnownFilter(filterBy: unknown, route: string): void {
  if (filterBy === undefined || filterBy === null || filterBy === '') return
  const known = [...Object.keys(FILTERS), ...OTHER_FILTERS]
  const names = Object.keys(recordOf(filterBy))
  if (typeof filterBy !== 'object' || names.some((name) => !known.includes(name)))
    throw invalidParam('filterBy', `A filter of ${route} is unknown.`)
}

/** Returns a page of redirects as the REST API shows them. */
export function listRedirects(items: readonly Redirect[], hits: ReadonlyMap<number, Hits>, query: ListQuery) {
  const filters = Object.entries(query.filterBy ?? {})
  const chosen = items.filter((redirect) =>
    filters.every(([name, value]) => {
      if (name === 'access') return hits.has(redirect.id) === (value !== 'never')
      return FILTERS[name]?.(redirect, textOf(value)) ?? true
    }),
  )
  const keys: Readonly<Record<string, (redirect: Redirect) => string | number>> = {
    // Patterns come first.
    source: ({ url, flags }) => (flags.flag_regex ? '' : url),
    position: ({ position }) => position,
    last_count: ({ id }) => hits.get(id)?.hits ?? 0,
    last_access: ({ id }) => hits.get(id)?.last_access ?? '',
  }
  const sorted = inOrder(chosen, keys[query.orderby ?? ''] ?? (({ id }) => id), query)
  return paged(sorted, query, (redirect) => shownRedirect(redirect, hits.get(redirect.id)))
}

/** Returns a page of groups with their numbers of redirects. @param last group of the last created redirect */
export function listGroups({ items, groups }: Rules, last: number, query: ListQuery) {
  const counts = new Map<number, number>()
  for (const { group_id: group } of items) counts.set(group, (counts.get(group) ?? 0) + 1)
  const { name, status, module } = query.filterBy ?? {}
  const chosen = groups.filter(
    (group) =>
      (name === undefined || includes(group.name, textOf(name))) &&
      (status === undefined || group.enabled === (status === 'enabled')) &&
      (module === undefined || String(group.module_id) === textOf(module)),
  )
  const sorted = inOrder(chosen, query.orderby === 'id' ? ({ id }) => id : (group) => group.name, query)
  return paged(sorted, query, ({ id, name: shown, module_id, enabled }) => ({
    id,
    name: shown,
    redirects: counts.get(id) ?? 0,
    module_id,
    moduleName: ['', 'WordPress', 'Apache', 'Nginx'][module_id] ?? 'WordPress',
    enabled,
    ...(id === last && { default: true }),
  }))
}

/** Returns a page of URLs that were not found. */
export function listMissing(missing: readonly MissingUrl[], query: ListQuery) {
  const filters = Object.entries(query.filterBy ?? {})
  const chosen = missing.filter((one) =>
    filters.every(([name, value]) => {
      if (name === 'url-exact') return one.url === value
      return name === 'url' || name === 'agent' || name === 'referrer' ? includes(one[name], textOf(value)) : true
    }),
  )
  const keys: Readonly<Record<string, (one: MissingUrl) => string | number>> = {
    url: ({ url }) => url,
    total: ({ hits }) => hits,
    count: ({ hits }) => hits,
  }
  const sorted = inOrder(chosen, keys[query.orderby ?? ''] ?? ((one) => one.last_access), query)
  return paged(sorted, query, ({ url, hits, agent, referrer, last_access: created }) => ({
    id: createHash('sha256').update(url).digest('hex').slice(0, 16),
    created,
    url,
    agent,
    referrer,
    hits,
    ip: '',
    http_code: 404,
    request_method: 'GET',
  }))
}

function inOrder<T>(items: readonly T[], key: (item: T) => string | number, { direction = 'desc' }: ListQuery): T[] {
  const sign = direction === 'asc' ? 1 : -1
  const byId = (item: T) => (item as { id?: number }).id ?? 0
  return items.toSorted((a, b) => {
    const [first, second] = [key(a), key(b)]
    if (first === second) return byId(a) - byId(b)
    return first < second ? -sign : sign
  })
}

function paged<T, R>(items: readonly T[], { page, per_page: size }: ListQuery, show: (item: T) => R) {
  return { items: items.slice(page * size, page * size + size).map(show), total: items.length }
}
