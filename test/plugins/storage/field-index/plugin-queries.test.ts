import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache } from '../../../../kernel/index.ts'
import { sql } from '../../../../plugins/storage/store/index.ts'
import { addObjects, indexedKeys, OBJECTS, type Kind } from '../../../helpers/indexed-fields.ts'
import { as, serve, type Site, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

startOnly('field-index', ...CONTENT_PLUGINS)

const KINDS = Object.keys(OBJECTS) as Kind[]

/** Untyped query options, as plugins in JavaScript can pass them. */
type QueryOptions = Record<string, unknown>

/** Queries objects of a kind with the given options and without a limit of visibility. */
async function read({ kernel }: Site, kind: Kind, options: QueryOptions): Promise<number[]> {
  const { posts, terms, users, comments } = kernel.services
  const scope = new RequestCache()
  const page = { limit: 100, offset: 0 }
  const published = { types: ['post'], statuses: ['publish'], readScope: null }
  const { items, total } = await (kind === 'post'
    ? posts.query({ ...published, ...page, ...options }, scope)
    : kind === 'term'
      ? terms.query({ taxonomy: 'category', ...page, ...options }, scope)
      : kind === 'user'
        ? users.query({ orderBy: 'id', order: 'asc', ...page, ...options })
        : comments.query({ visibility: null, types: ['comment'], ...page, ...options }, scope))
  assert.is(total, items.length)
  return items.map(({ id }) => id)
}

const refusal = (site: Site, kind: Kind, options: QueryOptions) =>
  read(site, kind, options).then(
    (ids) => `nothing: ${JSON.stringify(ids)}`,
    ({ code, message }: Error & { code: string }) => `${code} ${message}`,
  )

for (const { name, make } of places) {
  const queries = suite(`plugin queries, on ${name}`)

  queries('keep all other conditions of a list, even if their SQL contains an or', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [indexedKeys] })
    for (const kind of KINDS) {
      const [one] = await addObjects(site, kind, [{ price: [1] }, { price: [2] }])
      const anything = { conditions: [({ ref }: Row) => sql<boolean>`${ref('id')} = 0 or 1 = 1`] }
      assert.equal(await read(site, kind, { ...anything, where: [{ meta: 'price', value: 1 }] }), [one!.id], kind)
      assert.equal(await read(site, kind, { ...anything, include: [one!.id] }), [one!.id], kind)
    }
  })

  queries('S6: find only posts that the user can read', async () => {
    const open = definePlugin({
      name: 'open',
      apply({ hooks }) {
        hooks.rest_query.for('post').tap('open', (query) => ({
          ...query,
          conditions: [({ ref, sql: own }) => own<boolean>`${ref('id')} > 0 or 1 = 1`],
        }))
      },
    })
    await using place = await make()
    await using site = await serve({ database: place.url, add: [open] })
    const { store } = site
    const rows = ['publish', 'draft', 'private', 'trash'].map((status) => ({ status, slug: status, author_id: 99 }))
    await store.run(store.db.insertInto('posts').values(rows))
    for (const [path, headers] of [
      ['/svc/v2/posts', {}],
      ['/svc/v2/posts?status=draft', as('author')],
      ['/svc/v2/posts?cursor=first', as('author')],
    ] as const) {
      const response = await site.get(path, headers)
      const slugs = ((await response.json()) as { slug: string }[]).map(({ slug }) => slug)
      assert.equal(slugs, path.includes('draft') ? [] : ['publish'], path)
    }
  })

  queries('fail with a precise message for invalid conditions', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [indexedKeys] })
    const on = (condition: QueryOptions) => ({ where: [{ meta: 'price', ...condition }] })
    const invalid: readonly [QueryOptions, RegExp][] = [
      [{ where: 'price' }, /^FIELD_CONDITION_INVALID where of a query must be a list/],
      [{ where: { meta: 'price', value: 1 } }, /^FIELD_CONDITION_INVALID/],
      [{ where: [null] }, /^FIELD_CONDITION_INVALID/],
      [{ where: [{ key: 'price', value: 1 }] }, /^FIELD_CONDITION_INVALID/],
      [{ where: [{ meta: 'price', field: 'price', value: 1 }] }, /^FIELD_CONDITION_INVALID/],
      [{ where: [{ meta: `price' or 1=1 --`, value: 1 }] }, /^FIELD_NOT_INDEXED/],
      [{ where: [{ field: 'price', value: 1 }] }, /^FIELD_NOT_INDEXED/],
      [on({}), /^FIELD_VALUE_INVALID/],
      [
        on({ value: '1' }),
        /^FIELD_VALUE_INVALID A condition on meta\.price has an invalid value: it must be of the type number\./,
      ],
      [on({ value: NaN }), /^FIELD_VALUE_INVALID/],
      [on({ value: null }), /^FIELD_VALUE_INVALID/],
      [on({ value: [1, 2] }), /^FIELD_VALUE_INVALID/],
      [on({ value: new Date() }), /^FIELD_VALUE_INVALID/],
      [on({ compare: 'in', value: [1, Infinity] }), /^FIELD_VALUE_INVALID/],
      [on({ compare: 'exists' }), /^FIELD_VALUE_INVALID .*: use true or false\./],
      [on({ compare: 'exists', value: 'false' }), /^FIELD_VALUE_INVALID/],
      [on({ compare: 'gtee', value: 1 }), /^FIELD_COMPARE_UNKNOWN .*use eq, ne/],
      [on({ compare: '__proto__', value: 1 }), /^FIELD_COMPARE_UNKNOWN/],
      [{ where: [{ meta: 'starts', value: new Date(NaN) }] }, /^FIELD_VALUE_INVALID .*of the type date/],
      [{ where: [{ meta: 'starts', value: '2024-02-30T10:00:00Z' }] }, /^FIELD_VALUE_INVALID/],
      [{ conditions: 'id > 7' }, /^FIELD_SQL_INVALID/],
      [{ conditions: ['id > 7'] }, /^FIELD_SQL_INVALID/],
      [{ conditions: [() => 'id > 7'] }, /^FIELD_SQL_INVALID/],
      [{ conditions: [() => true] }, /^FIELD_SQL_INVALID/],
      [{ conditions: [async () => sql`1 = 1`] }, /^FIELD_SQL_INVALID/],
      [{ sort: 'price' }, /^FIELD_SQL_INVALID/],
      [{ sort: () => 'price' }, /^FIELD_SQL_INVALID/],
    ]
    for (const kind of KINDS)
      for (const [options, message] of invalid)
        assert.match(await refusal(site, kind, options), message, `${kind} ${JSON.stringify(options)}`)
  })

  queries('accept empty lists of values and thousands of values', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [indexedKeys] })
    const numbers = Array.from({ length: 40_000 }, (_, at) => at + 0.5)
    const texts = Array.from({ length: 70_000 }, (_, at) => `no colour "${at}"`)
    for (const kind of KINDS) {
      const objects = await addObjects(site, kind, [
        { price: [1.5], color: ['a "b" \\ 日本'] },
        { price: [-3], color: ['red'] },
      ])
      const [one, two] = objects.map(({ id }) => id)
      const by = (meta: string, compare: string, value: unknown) =>
        read(site, kind, { where: [{ meta, compare, value }] })
      assert.equal(await by('price', 'in', []), [], kind)
      assert.equal(await by('price', 'in', numbers), [one], kind)
      assert.equal(await by('price', 'not_in', numbers), [two], kind)
      assert.equal(await by('color', 'in', [...texts, 'a "b" \\ 日本']), [one], kind)
      assert.equal(await by('color', 'not_in', [...texts, 'red']), [one], kind)
    }
  })

  queries('find only values that the user can read', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url })
    assert.match(await refusal(site, 'post', { readScope: undefined }), /^POSTS_SCOPE_MISSING .*forUser\(query, user\)/)
    assert.match(await refusal(site, 'comment', { visibility: undefined }), /^COMMENTS_VISIBILITY_MISSING/)
  })

  queries.run()
}

interface Row {
  readonly ref: (column: string) => unknown
}
