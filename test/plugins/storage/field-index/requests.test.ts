import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache, type PluginContext } from '../../../../kernel/index.ts'
import type { PropertySchema } from '../../../../plugins/resources/index.ts'
import type { MetaSpec } from '../../../../plugins/content/meta/index.ts'
import type { PostQuery } from '../../../../plugins/content/posts/index.ts'
import { sql } from '../../../../plugins/storage/store/index.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { as, serve, type Site } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

const shown = { single: true, show_in_rest: true, filterable: true, sortable: true } as const

const withMeta = (specs: Record<string, MetaSpec>) =>
  definePlugin({
    name: 'shop',
    needs: ['meta'],
    apply({ services }) {
      for (const [key, spec] of Object.entries(specs)) services.meta.register('post', key, spec)
    },
  })

async function refusal(site: Site, path: string, headers = {}) {
  const response = await site.get(path, headers)
  const { code, data } = (await response.json()) as { code: string; data: { params?: Record<string, string> } }
  return [response.status, code, Object.values(data.params ?? {}).join()]
}

const ids = async (site: Site, path: string, headers = {}) => {
  const response = await site.get(path, headers)
  const items = (await response.json()) as { id: number }[]
  assert.is(response.status, 200, JSON.stringify(items))
  return [items.map(({ id }) => id), Number(response.headers.get('x-svc-total'))]
}

/** Returns the error message of a failing registration. */
async function refusedRegistration(apply: (services: PluginContext['services']) => void): Promise<string> {
  const plugin = definePlugin({
    name: 'wrong',
    needs: ['meta', 'extra-fields'],
    apply: ({ services }) => apply(services),
  })
  return serve({ add: [plugin] }).then(
    async (site) => {
      await site[Symbol.asyncDispose]()
      return ''
    },
    (error: Error) => error.message,
  )
}

const requests = suite('requests for lists by meta')

requests('fail with a precise message for a wrong field, comparison or value', async () => {
  await using site = await serve({
    add: [withMeta({ price: { ...shown, type: 'number' }, stock: { ...shown, type: 'integer', filterable: ['eq'] } })],
  })
  const list = '/svc/v2/posts'
  for (const [query, message] of [
    ['meta[pric]=1', 'meta[pric] is not a field that this list can be filtered by: did you mean price?'],
    ['meta[price][gte]=much', 'meta[price][gte] is not of type number.'],
    ['meta[price]=', 'meta[price] is not of type number.'],
    [
      'meta[price][atleast]=1',
      'meta[price][atleast] is not an allowed comparison: use eq, ne, gt, gte, lt, lte, in, not_in, exists.',
    ],
    [
      'meta[price][gtee]=1',
      'meta[price][gtee] is not an allowed comparison: use eq, ne, gt, gte, lt, lte, in, not_in, exists.',
    ],
    ['meta[stock][gt]=1', 'meta[stock][gt] is not an allowed comparison: use eq.'],
    ['meta[stock]=1.5', 'meta[stock] is not of type integer.'],
    ['meta=1', 'meta must name a field: meta[price]=…'],
    [
      'meta[constructor]=1',
      'meta[constructor] is not a field that this list can be filtered by: known are price, stock.',
    ],
    ['meta[price][exists]=perhaps', 'meta[price][exists] is not of type boolean.'],
  ] as const) {
    const [status, code, actualMessage] = await refusal(site, `${list}?${query}`)
    assert.equal([status, code], [400, 'rest_invalid_param'], `${query}: ${String(actualMessage)}`)
    assert.is(actualMessage, message)
  }
  const [status, code] = await refusal(site, `${list}?orderby=meta.pric`)
  assert.equal([status, code], [400, 'rest_invalid_param'])
  assert.equal((await refusal(site, `${list}?orderby=meta.price&cursor=bm9uZQ`)).slice(0, 2), [
    400,
    'rest_invalid_param',
  ])
})

requests('are described in the schema only if a field is registered', async () => {
  await using plain = await serve()
  await using site = await serve({
    add: [withMeta({ price: { ...shown, type: 'number', description: 'Price in euros.' } })],
  })
  const argsOf = async (one: Site, type: string) => {
    const response = await one.request(`/svc/v2/${type}`, { method: 'OPTIONS' })
    // oxlint-disable-next-line typescript/no-explicit-any -- the test checks it
    return ((await response.json()) as any).endpoints[0].args
  }
  assert.is((await argsOf(plain, 'posts')).meta, undefined)
  const { meta, orderby } = await argsOf(site, 'posts')
  assert.ok(orderby.enum.includes('meta.price'))
  assert.is(meta.type, 'object')
  assert.is(meta.properties.price.description, 'Price in euros.')
  assert.equal(Object.keys(meta.properties.price.properties), [
    'eq',
    'ne',
    'gt',
    'gte',
    'lt',
    'lte',
    'in',
    'not_in',
    'exists',
  ])
  assert.equal(meta.properties.price.properties.in, {
    description: 'Objects with one of these values.',
    type: 'array',
    items: { type: 'number' },
  })
  // Media always support meta.
  assert.ok((await argsOf(site, 'media')).meta)
  const names = (args: object) => Object.keys(args).filter((name) => name !== 'meta')
  assert.equal(names(await argsOf(site, 'posts')), names(await argsOf(plain, 'posts')))
})

requests('are accepted in the forms that the schema describes', async () => {
  const only = (filterable: MetaSpec['filterable']): MetaSpec => ({
    ...shown,
    type: 'number',
    ...(filterable && { filterable }),
  })
  const starts = { type: 'string', format: 'date-time' } as const
  await using site = await serve({
    add: [
      withMeta({
        all: only(true),
        ranges: only(['gte', 'lt']),
        listed: only(['in']),
        optional: { ...only(['eq']), show_in_rest: { schema: { type: ['number', 'null'] } } },
        starts: { ...shown, type: 'string', filterable: ['eq'], show_in_rest: { schema: starts } },
        later: { ...shown, type: 'string', filterable: ['gt'], show_in_rest: { schema: starts } },
      }),
    ],
  })
  const response = await site.request('/svc/v2/posts', { method: 'OPTIONS' })
  // oxlint-disable-next-line typescript/no-explicit-any -- the test checks it
  const { properties } = ((await response.json()) as any).endpoints[0].args.meta
  const { all, ranges, listed, optional, starts: date, later } = properties
  assert.equal(
    [all, ranges, listed, optional, date, later].map(({ type, format }) => [type, format]),
    [
      [['object', 'number', 'array'], undefined],
      [['object'], undefined],
      [['object', 'array'], undefined],
      [['object', 'number'], undefined],
      [['object', 'string'], 'date-time'],
      [['object'], undefined],
    ],
  )
  assert.equal(listed.items, { type: 'number' })
  const status = async (query: string) => (await site.get(`/svc/v2/posts?${query}`)).status
  assert.is(await status('meta[all]=1'), 200)
  assert.is(await status('meta[all][]=1&meta[all][]=2'), 200)
  assert.is(await status('meta[ranges]=1'), 400)
  assert.is(await status('meta[ranges][]=1'), 400)
  assert.is(await status('meta[listed]=1'), 400)
  assert.is(await status('meta[listed][]=1'), 200)
  assert.is(await status('meta[optional]=null'), 400)
})

requests('accept cursors of the same order only, with its public name', async () => {
  const own = { ...shown, type: 'number' } as const
  await using site = await serve({
    add: [
      withMeta({
        _price: { ...own, show_in_rest: { name: 'price' } },
        stock: own,
        color: { ...shown, type: 'string' },
      }),
    ],
  })
  await addPosts(
    site.store,
    ...[1, 2, 3].map((value) => ({ meta: { _price: value, stock: 10 - value, color: 'red' } })),
  )
  const walk = (order: string, cursor: string) =>
    site.get(`/svc/v2/posts?_fields=id&per_page=1&order=asc&orderby=${order}&cursor=${cursor}`)
  const first = await walk('meta.price', 'first')
  const [, cursor] = /cursor=([^&>]+)/.exec(first.headers.get('link')!)!
  assert.is((await walk('meta.price', cursor!)).status, 200)
  for (const order of ['meta.stock', 'meta.color', 'date', 'id'])
    assert.is((await walk(order, cursor!)).status, 400, order)
  const text = Buffer.from(cursor!, 'base64url').toString()
  assert.ok(text.startsWith('["meta.price asc,'), text)
  for (const value of ['1e999', '"1"', 'null', '[]', 'true']) {
    const forged = Buffer.from(text.replace('",1,', `",${value},`)).toString('base64url')
    assert.is((await walk('meta.price', forged)).status, 400, value)
  }
})

requests('use the public name of a field, and no hidden fields', async () => {
  await using site = await serve({
    add: [
      withMeta({
        _price: { ...shown, type: 'number', show_in_rest: { name: 'price' } },
        hidden: { ...shown, type: 'number', show_in_rest: false },
      }),
    ],
  })
  const [first, second] = await addPosts(site.store, { meta: { _price: 3 } }, { meta: { _price: 4 } })
  assert.equal(await ids(site, '/svc/v2/posts?meta[price][gt]=3'), [[second], 1])
  assert.equal(await ids(site, '/svc/v2/posts?orderby=meta.price&order=asc'), [[first, second], 2])
  assert.is((await refusal(site, '/svc/v2/posts?meta[_price]=3'))[0], 400)
  assert.is((await refusal(site, '/svc/v2/posts?meta[hidden]=3'))[0], 400)
  const { posts } = site.kernel.services
  const query = {
    types: ['post'],
    statuses: ['publish'],
    readScope: null,
    limit: 10,
    where: [{ meta: 'hidden', value: 3 }],
  }
  assert.is((await posts.query(query, new RequestCache())).total, 0)
})

requests('S5: fail for fields that the user cannot read', async () => {
  const schema = { type: 'number', context: ['edit'] } as const
  await using site = await serve({
    add: [
      withMeta({
        cost: { ...shown, type: 'number', show_in_rest: { schema } },
        secret: {
          ...shown,
          type: 'number',
          show_in_rest: { prepare_callback: (value, { user }) => (user.id === 0 ? null : value), dependsOn: 'nothing' },
          query_callback: ({ user }) => user.id !== 0,
        },
      }),
    ],
  })
  for (const query of [
    'meta[cost]=1',
    'meta[cost][exists]=true',
    'meta[secret]=1',
    'orderby=meta.cost',
    'orderby=meta.secret',
  ]) {
    const code = query.startsWith('meta') ? 'rest_forbidden_filter' : 'rest_forbidden_orderby'
    assert.equal((await refusal(site, `/svc/v2/posts?${query}`)).slice(0, 2), [401, code], query)
    if (query.includes('cost'))
      assert.equal((await refusal(site, `/svc/v2/posts?${query}`, as('author'))).slice(0, 2), [403, code])
  }
  assert.equal((await refusal(site, '/svc/v2/posts?context=edit&meta[cost]=1')).slice(0, 1), [401])
  assert.equal(await ids(site, '/svc/v2/posts?meta[secret]=1', as('subscriber')), [[], 0])
})

requests('S6: reveal hidden values by no total and no order', async () => {
  const schema = { type: 'number', context: ['edit'] } as const
  await using site = await serve({
    add: [
      withMeta({ price: { ...shown, type: 'number' }, cost: { ...shown, type: 'number', show_in_rest: { schema } } }),
    ],
  })
  const meta = { price: 5, cost: 7 }
  const [open] = await addPosts(
    site.store,
    { meta },
    { meta, status: 'private' },
    { meta, status: 'draft', author_id: 7 },
  )
  for (const query of ['meta[price]=5', 'meta[price][gte]=1', 'orderby=meta.price']) {
    assert.equal(await ids(site, `/svc/v2/posts?${query}`), [[open], 1], query)
    assert.equal(await ids(site, `/svc/v2/posts?${query}&status=publish`, as('subscriber')), [[open], 1], query)
  }
  // Authors see the costs of their own posts only.
  const own = as('author', 7)
  assert.equal(await ids(site, '/svc/v2/posts?context=edit&status=publish,draft&meta[cost]=7', own), [[3], 1])
  assert.equal(await ids(site, '/svc/v2/posts?context=edit&orderby=meta.cost', own), [[], 0])
  assert.equal((await ids(site, '/svc/v2/posts?context=edit&orderby=meta.cost', as('editor')))[1], 1)
})

requests('can use computed fields of plugins', async () => {
  let factor = 1
  const plugin = definePlugin({
    name: 'ratings',
    needs: ['extra-fields'],
    apply({ services }) {
      services.extraFields.register(['post', 'category'], 'rating', {
        get_callback: (data) => Number(data['id']) * factor,
        dependsOn: 'nothing',
        schema: { type: 'number', context: ['view', 'edit'] },
        filterable: true,
        sortable: true,
        index: { type: 'number', value: ({ id }: { id: number }) => id * factor },
      })
    },
  })
  await using site = await serve({ add: [plugin] })
  const [one, two, three] = await addPosts(site.store, {}, {}, {})
  assert.equal(await ids(site, `/svc/v2/posts?field[rating][gte]=${two}&orderby=field.rating&order=desc`), [
    [three, two],
    2,
  ])
  assert.equal(await ids(site, `/svc/v2/posts?field[rating]=${one}`), [[one], 1])
  factor = -1
  await site.kernel.services.extraFields.reindex('post', 'rating', [one!])
  assert.equal(await ids(site, '/svc/v2/posts?field[rating][lt]=0'), [[one], 1])
  await site.kernel.services.extraFields.reindex('post', 'rating')
  assert.equal(await ids(site, '/svc/v2/posts?orderby=field.rating&order=asc'), [[three, two, one], 3])
  const term = await addTerm(site.store, { taxonomy: 'category', name: 'Rated' })
  assert.equal(await ids(site, `/svc/v2/categories?field[rating]=${-term}`), [[term], 1])
})

requests('are impossible for fields whose registration cannot be indexed', async () => {
  const meta = (type: MetaSpec['type'], more: object) =>
    refusedRegistration(({ meta: fields }) => fields.register('post', 'x', { ...shown, type, ...more }))
  assert.match(await meta('array', { show_in_rest: false }), /meta key x \(array of post\) cannot be filterable/)
  assert.match(
    await meta('number', { filterable: ['gtee'] }),
    /filterable by gtee, which is not a comparison: did you mean gte\?/,
  )
  const shownAs = (type: MetaSpec['type'], schema: NonNullable<PropertySchema['type']>) =>
    meta(type, { show_in_rest: { schema: { type: schema } } })
  assert.match(await shownAs('number', 'string'), /its schema has the type string, but the key has number/)
  assert.match(await shownAs('number', ['number', 'string']), /its type is number, but its schema has number or string/)
  for (const schema of ['number', ['number', 'integer'], ['number', 'null']] as const)
    assert.is(await shownAs('number', schema), '')
  assert.match(
    await meta('number', { show_in_rest: { prepare_callback: () => 1, dependsOn: 'nothing' } }),
    /decide in query_callback who may filter/,
  )
  const field = (args: object) =>
    refusedRegistration(({ extraFields }) => extraFields.register('post', 'x', { filterable: true, ...args }))
  assert.match(await field({}), /define its type and value in index/)
  assert.match(
    await field({ index: { type: 'money', value: () => 1 } }),
    /its type is money: use text, number, date, boolean/,
  )
})

requests.run()

for (const { name, make } of places) {
  const queries = suite(`plugin queries by fields, on ${name}`)

  queries('accept conditions and orders in SQL, and depend on the tables in them', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [withMeta({ price: { ...shown, type: 'number' } })] })
    const { store, kernel } = site
    await store.run(sql`create table shop_stock (post_id bigint, pieces bigint)`)
    const [one, two, three] = await addPosts(
      store,
      { meta: { price: 1 } },
      { meta: { price: 2 } },
      { meta: { price: 3 } },
    )
    for (const [post, pieces] of [
      [one, 5],
      [two, 0],
      [three, 9],
    ] as const)
      await store.run(sql`insert into shop_stock values (${post}, ${pieces})`)
    const scope = new RequestCache()
    const read = async (more: Partial<PostQuery>, least = 1) => {
      const { items, total } = await kernel.services.posts.query(
        {
          types: ['post'],
          statuses: ['publish'],
          readScope: null,
          limit: 10,
          conditions: [
            ({ ref, sql: own }) =>
              own<boolean>`exists (select 1 from shop_stock where post_id = ${ref('id')} and pieces >= ${least})`,
          ],
          ...more,
        },
        scope,
      )
      assert.is(total, items.length)
      return items.map(({ id }) => id)
    }
    const stock: PostQuery['sort'] = ({ ref }) => sql`(select pieces from shop_stock where post_id = ${ref('id')})`
    assert.equal(await read({}), [one, three])
    assert.equal(await read({}, 6), [three], 'a bound value is part of the cache key')
    assert.equal(await read({ sort: stock, order: 'desc' }), [three, one])
    assert.equal(await read({ where: [{ meta: 'price', compare: 'lt', value: 3 }] }), [one])
    assert.equal(await read({ orderby: 'meta.price', order: 'desc' }), [three, one])
    await store.run(sql`update shop_stock set pieces = 7 where post_id = ${two}`)
    assert.equal(await read({ orderby: 'meta.price', order: 'desc' }), [three, two, one])
    const error = await read({ where: [{ meta: 'prise', value: 3 }] }).catch(({ message }: Error) => message)
    assert.match(
      String(error),
      /Lists of post cannot be filtered or sorted by meta\.prise: register it.*did you mean meta\.price\?/,
    )
  })

  queries.run()
}
