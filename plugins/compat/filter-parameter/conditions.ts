import type { PostQuery, Services } from '../../public.ts'
import type { Variables } from './variables.ts'

type Condition = NonNullable<PostQuery['conditions']>[number]
/** An order of a list: by a column, or by SQL. */
export type Order = Pick<PostQuery, 'orderby' | 'sort'>
type Dialect = Services['store']['dialect']

/** Places of the parts of a date such as `2024-06-01 09:30:00`: first character from 1, and length. */
const DATE_PARTS = {
  year: [1, 4],
  monthnum: [6, 2],
  day: [9, 2],
  hour: [12, 2],
  minute: [15, 2],
  second: [18, 2],
} as const
/** Characters of the values of `m`, which is a date without separators: `2024`, `202406`, `20240601`. */
const M_PARTS = [4, 6, 8, 10, 12, 14]

/** The orders that WordPress documents, except those by meta. */
const ORDERS: Readonly<Record<string, Order>> = {
  ID: { orderby: 'id' },
  id: { orderby: 'id' },
  none: { orderby: 'id' },
  author: { orderby: 'author' },
  title: { orderby: 'title' },
  name: { orderby: 'slug' },
  type: { orderby: 'date' },
  date: { orderby: 'date' },
  modified: { orderby: 'modified' },
  parent: { orderby: 'parent' },
  menu_order: { orderby: 'menu_order' },
  relevance: { orderby: 'relevance' },
  comment_count: { sort: ({ ref }) => ref('comment_count') },
}
/** SQL of a meta value as a number; texts that are not numbers are 0. */
const NUMBER: Readonly<Record<Dialect, string>> = {
  sqlite: 'cast(post_meta.value as real)',
  postgres: "case when post_meta.value ~ '^-?[0-9]{1,15}([.][0-9]{1,15})?$' then post_meta.value::numeric else 0 end",
}
/** The longer names of columns, which start with `post_`. */
const COLUMN_PREFIX = 'post_'

/** Returns the conditions on the date of a post: each part that the variables name must be equal. */
export function dateConditions(variables: Variables): Condition[] {
  const conditions = Object.entries(DATE_PARTS).flatMap(([name, [from, length]]): Condition[] => {
    const value = variables.number(name)
    if (value === undefined || value < 0) return []
    const part = String(value).padStart(length, '0')
    return [({ ref, sql }) => sql`substr(${ref('date')}, ${from}, ${length}) = ${part}`]
  })
  const digits = variables.text('m').replace(/\D/g, '')
  const length = M_PARTS.findLast((one) => one <= digits.length)
  if (length === undefined) return conditions
  const parts = [digits.slice(0, 4), ...(digits.slice(4, length).match(/\d\d/g) ?? [])]
  const start = `${parts.slice(0, 3).join('-')}${parts.length > 3 ? ` ${parts.slice(3).join(':')}` : ''}`
  return [...conditions, ({ ref, sql }) => sql`substr(${ref('date')}, 1, ${start.length}) = ${start}`]
}

/** Returns the condition that a post has a value under a key; without a value, that it has the key. */
export function metaConditions(key: string, value: string): Condition[] {
  if (key === '') return []
  // WordPress compares texts regardless of case.
  return [
    ({ ref, sql }) =>
      value === ''
        ? sql`exists (select 1 from post_meta where post_meta.post_id = ${ref('id')} and post_meta.key = ${key})`
        : sql`exists (select 1 from post_meta where post_meta.post_id = ${ref('id')} and post_meta.key = ${key}
            and lower(post_meta.value) = lower(${value}))`,
  ]
}

/**
 * Returns an order by name; undefined for an unknown one.
 * @param key the meta key that the request may use; '' for none
 */
export function orderNamed(name: string, key: string, dialect: Dialect): Order | undefined {
  if (key !== '' && (name === 'meta_value' || name === key)) return { sort: orderByMeta(key, 'post_meta.value') }
  if (key !== '' && name === 'meta_value_num') return { sort: orderByMeta(key, NUMBER[dialect]) }
  const short = name.startsWith(COLUMN_PREFIX) ? name.slice(COLUMN_PREFIX.length) : name
  return Object.hasOwn(ORDERS, short) ? ORDERS[short] : undefined
}

/** @param value SQL of one value */
function orderByMeta(key: string, value: string): NonNullable<PostQuery['sort']> {
  return ({ ref, sql }) => sql`(select min(${sql.raw(value)}) from post_meta
    where post_meta.post_id = ${ref('id')} and post_meta.key = ${key})`
}
