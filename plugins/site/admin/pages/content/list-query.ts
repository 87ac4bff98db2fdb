import type { AdminView } from '../../frame/view.ts'
import { pageQuery } from '../../parts/list.ts'
import type { TaxonomyData, TypeData } from './types.ts'

/** Parts of a list that are not statuses: all posts, posts of the user, sticky posts. */
export const [ALL, MINE, STICKY] = ['', 'mine', 'sticky'] as const

/** The parsed query of a list URL. */
export interface ListQuery {
  /** A status, or one of the parts above. */
  readonly part: string
  readonly orderby: string
  readonly order: 'asc' | 'desc'
  /** Query parameters that filter the list, without the part. */
  readonly filters: readonly string[]
  /** The same filters for the REST API, without the part and the page. */
  readonly query: Readonly<Record<string, unknown>>
}

const ORDERS = ['title', 'author', 'date', 'modified', 'menu_order']

/** Parses the query of a list URL. Invalid dates are ignored; the REST API refuses other invalid values. */
export function parseListQuery(view: AdminView, type: TypeData, taxonomies: readonly TaxonomyData[]): ListQuery {
  const { query } = view
  const get = (name: string) => query.get(name)?.trim() || undefined
  const orderby = get('orderby') ?? ''
  const by = ORDERS.includes(orderby) ? orderby : type.hierarchical ? 'title' : 'date'
  const requestedOrder = query.get('order')
  const order =
    requestedOrder === 'asc' || requestedOrder === 'desc'
      ? requestedOrder
      : by === 'title' || by === 'menu_order'
        ? 'asc'
        : 'desc'
  const bases = taxonomies.map(({ rest_base: base }) => base)
  const formats = 'post-formats' in type.supports ? ['format'] : []
  const parents = type.hierarchical ? ['parent'] : []
  const plain = ['search', 'author', ...parents, ...formats, ...bases]
  return {
    part: get('status') ?? ALL,
    orderby: by,
    order,
    filters: [...plain, 'after', 'before'],
    query: {
      ...Object.fromEntries(plain.map((name) => [name, get(name)])),
      after: beginOf(get('after')),
      before: endOf(get('before')),
    },
  }
}

/** Returns the REST query for a part of the list. */
export function partQuery(view: AdminView, part: string): Record<string, unknown> {
  if (part === MINE) return { status: 'any', author: view.user.id }
  if (part === STICKY) return { status: 'any', sticky: true }
  return { status: part === ALL ? 'any' : part }
}

/** Returns the REST query for a page of the list. */
export function listQuery(view: AdminView, parsedQuery: ListQuery): Record<string, unknown> {
  const { part, query, orderby, order } = parsedQuery
  return { context: 'edit', ...query, ...partQuery(view, part), ...pageQuery(view), orderby, order }
}

const DAY = /^\d{4}-\d\d-\d\d$/

/** Returns the last second before a day of the site, because `after` of the REST API is exclusive. */
function beginOf(day: string | undefined): string | undefined {
  return shiftDay(day, -1, 'T23:59:59')
}

/** Returns the first second after a day. */
function endOf(day: string | undefined): string | undefined {
  return shiftDay(day, 1, 'T00:00:00')
}

function shiftDay(day: string | undefined, days: number, time: string): string | undefined {
  const at = day !== undefined && DAY.test(day) ? new Date(`${day}T00:00:00Z`) : null
  if (at === null || Number.isNaN(at.getTime())) return undefined
  at.setUTCDate(at.getUTCDate() + days)
  const text = at.toISOString().slice(0, 10)
  return DAY.test(text) ? text + time : undefined
}
