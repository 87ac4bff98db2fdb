// Objects of all kinds with random meta for filtered and sorted lists, and a slow reference implementation of these lists.
import fc from 'fast-check'
import { definePlugin, RequestCache } from '../../kernel/index.ts'
import type { Compare } from '../../plugins/storage/field-index/index.ts'
import type { Site } from './site.ts'

export const OBJECTS = {
  post: { route: 'posts', filter: '', ofType: 'post' },
  term: { route: 'categories', filter: '', ofType: 'category' },
  user: { route: 'users', filter: '', ofType: '' },
  comment: { route: 'comments', filter: '', ofType: 'comment' },
} as const
export type Kind = keyof typeof OBJECTS

const queryable = { show_in_rest: true, filterable: true, sortable: true } as const

/** Meta keys of all value types. */
export const KEYS = {
  price: { ...queryable, type: 'number', single: true },
  stock: { ...queryable, type: 'integer', single: true, default: 7 },
  color: { ...queryable, type: 'string', single: true },
  hot: { ...queryable, type: 'boolean', single: true },
  sizes: { ...queryable, type: 'integer' },
  starts: {
    ...queryable,
    type: 'string',
    single: true,
    show_in_rest: { schema: { type: 'string', format: 'date-time' } },
  },
} as const
export type Key = keyof typeof KEYS

/** Registers the keys for objects of all kinds. */
export const indexedKeys = definePlugin({
  name: 'indexed-keys',
  needs: ['meta'],
  apply({ services }) {
    for (const kind of Object.keys(OBJECTS))
      for (const [key, spec] of Object.entries(KEYS)) services.meta.register(kind, key, spec)
  },
})

export type Value = string | number | boolean

const LONG_TEXT = 'a long text '.repeat(30)
const VALUES: Readonly<Record<Key, fc.Arbitrary<Value>>> = {
  price: fc.constantFrom<Value>(-3, 0, 0.1, 0.30000000000000004, 9.5, 10, 10.25, 100, 1e300, 9_007_199_254_740_994),
  stock: fc.integer({ min: -2, max: 4 }),
  color: fc.constantFrom<Value>(
    '',
    'red',
    'Red',
    'blue',
    'änd',
    'zulu',
    '日本',
    `${LONG_TEXT}x`,
    LONG_TEXT.slice(0, 200),
    'a_b',
    'a%',
  ),
  hot: fc.boolean(),
  sizes: fc.integer({ min: 1, max: 5 }),
  starts: fc.constantFrom<Value>(
    '2024-05-01T10:00:00+02:00',
    '2024-05-01T08:00:00',
    '2024-05-01T08:00:00Z',
    '2024-05-01T09:00:00Z',
    '2023-12-31T23:59:59Z',
  ),
}

export type MetaOf = Partial<Record<Key, readonly Value[]>>

/** Meta of one object; a value may be missing. */
export const randomMeta: fc.Arbitrary<MetaOf> = fc.record(
  Object.fromEntries(
    (Object.keys(KEYS) as Key[]).map((key) => {
      const many = key === 'sizes' ? { minLength: 0, maxLength: 3 } : { minLength: 0, maxLength: 1 }
      return [key, fc.array(VALUES[key], many)]
    }),
  ) as unknown as Record<Key, fc.Arbitrary<readonly Value[]>>,
)

export interface Condition {
  key: Key
  compare: Compare
  values: readonly Value[]
}

const COMPARES = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'exists'] as const

export const randomCondition: fc.Arbitrary<Condition> = fc
  .tuple(fc.constantFrom(...(Object.keys(KEYS) as Key[])), fc.constantFrom(...COMPARES))
  .filter(([key, compare]) => key !== 'hot' || !/^[gl]t/.test(compare))
  .chain(([key, compare]) => {
    const one = compare === 'exists' ? fc.boolean() : VALUES[key]
    const many =
      compare === 'in' || compare === 'not_in' ? { minLength: 1, maxLength: 3 } : { minLength: 1, maxLength: 1 }
    // A list of texts is a list of query parameters, which cannot be empty.
    const usable = key === 'color' ? one.filter((value) => value !== '') : one
    return fc.array(usable, many).map((values) => ({ key, compare, values }))
  })

/** Random conditions and orders of a request. */
export const randomQuery = fc.record({
  conditions: fc.uniqueArray(randomCondition, { maxLength: 3, selector: ({ key, compare }) => `${key} ${compare}` }),
  sort: fc.option(fc.constantFrom(...(Object.keys(KEYS) as Key[])), { nil: null }),
  order: fc.constantFrom<'asc' | 'desc'>('asc', 'desc'),
})

/** Returns the URL parameters of a query. */
export function parametersOf(query: { conditions: readonly Condition[]; sort: Key | null; order: string }): string {
  const params = new URLSearchParams()
  for (const { key, compare, values } of query.conditions) {
    const many = compare === 'in' || compare === 'not_in'
    for (const value of values) params.append(`meta[${key}][${compare}]${many ? '[]' : ''}`, String(value))
  }
  params.set('orderby', query.sort === null ? 'id' : `meta.${query.sort}`)
  params.set('order', query.order)
  return params.toString()
}

/** Converts a value for comparison, as documented for each type. */
function keyOf(key: Key, value: Value): string | number {
  if (key === 'starts') return Date.parse(/Z|[+-]\d\d:\d\d$/.test(String(value)) ? String(value) : `${value}Z`) / 1000
  return typeof value === 'boolean' ? Number(value) : value
}

export const compared = (one: string | number, other: string | number) =>
  typeof one === 'number' && typeof other === 'number'
    ? one - other
    : Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))

/** Returns the values of an object, converted for comparison. */
export function valuesOf(meta: MetaOf, key: Key): (string | number)[] {
  return (meta[key] ?? []).map((value) => keyOf(key, value))
}

/** Whether an object meets all conditions. */
export function meets(meta: MetaOf, conditions: readonly Condition[]): boolean {
  const byKey = Map.groupBy(conditions, ({ key }) => key)
  return [...byKey].every(([key, list]) => {
    const stored = valuesOf(meta, key)
    const comparable = ({ values }: Condition) => values.map((value) => keyOf(key, value))
    const exists = list.filter(({ compare }) => compare === 'exists').map(({ values }) => values[0]!)
    if (exists.includes(true) && stored.length === 0) return false
    if (exists.includes(false) && stored.length > 0) return false
    const others = list.filter(({ compare }) => compare !== 'exists')
    if (others.length === 0) return true
    if (stored.length === 0) return false
    const none = others.filter(({ compare }) => compare === 'ne' || compare === 'not_in').flatMap(comparable)
    if (stored.some((value) => none.includes(value))) return false
    const bounds = others.filter(({ compare }) => compare !== 'ne' && compare !== 'not_in')
    return stored.some((value) =>
      bounds.every((bound) => {
        const [first] = comparable(bound)
        const difference = compared(value, first!)
        if (bound.compare === 'gt') return difference > 0
        if (bound.compare === 'gte') return difference >= 0
        if (bound.compare === 'lt') return difference < 0
        if (bound.compare === 'lte') return difference <= 0
        return comparable(bound).includes(value)
      }),
    )
  })
}

/** An object and its fields other than meta. */
export interface StoredObject {
  id: number
  /** Order of objects with equal values. */
  date: string
  meta: MetaOf
}

/** Returns the expected IDs of a list, in order. */
export function expectedIds(
  objects: readonly StoredObject[],
  { conditions, sort, order }: { conditions: readonly Condition[]; sort: Key | null; order: string },
): number[] {
  const sign = order === 'asc' ? 1 : -1
  const listed = objects.filter(
    ({ meta }) => meets(meta, conditions) && (sort === null || (meta[sort] ?? []).length > 0),
  )
  const first = ({ meta }: StoredObject) => keyOf(sort!, meta[sort!]![0]!)
  return listed
    .toSorted((one, other) => {
      const byValue = sort === null ? 0 : compared(first(one), first(other))
      const byDate = sort === null ? 0 : compared(one.date, other.date)
      return sign * (byValue || byDate || one.id - other.id)
    })
    .map(({ id }) => id)
}

/** Stores objects of a kind, with their meta through the meta service. */
export async function addObjects(site: Site, kind: Kind, metas: readonly MetaOf[]): Promise<StoredObject[]> {
  const { store, kernel } = site
  const { db } = store
  const objects: StoredObject[] = []
  const scope = new RequestCache()
  for (const [index, meta] of metas.entries()) {
    const date = `2024-01-0${1 + (index % 3)} 10:00:00`
    const unique = `${kind}-${index}`
    const row = await (kind === 'post'
      ? store.first(
          db.insertInto('posts').values({ status: 'publish', title: unique, slug: unique, date }).returning('id'),
        )
      : kind === 'term'
        ? store.first(
            db.insertInto('terms').values({ taxonomy: 'category', name: unique, slug: unique }).returning('id'),
          )
        : kind === 'user'
          ? store.first(
              db
                .insertInto('users')
                .values({ login: unique, slug: unique, email: `${unique}@a.test` })
                .returning('id'),
            )
          : store.first(
              db
                .insertInto('comments')
                .values({ post_id: await postOf(site), date, date_gmt: date, content: unique })
                .returning('id'),
            ))
    const { id } = row!
    await kernel.services.meta.writeAll(kind, id, meta, scope)
    objects.push({ id, date: kind === 'post' || kind === 'comment' ? date : '', meta })
  }
  return objects
}

/** Returns the ID of a post for comments. */
async function postOf({ store }: Site): Promise<number> {
  const about = { status: 'publish', title: 'Talked about', slug: 'talked-about' }
  const found = await store.first(store.db.selectFrom('posts').select('id').where('slug', '=', about.slug))
  return found?.id ?? (await store.first(store.db.insertInto('posts').values(about).returning('id')))!.id
}
