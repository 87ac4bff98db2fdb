import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache } from '../../../../kernel/index.ts'
import { serve, type Site } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { addPosts } from '../../../helpers/content.ts'

const shown = { single: true, show_in_rest: true, filterable: true, sortable: true } as const

/** Registers indexed meta keys of each type. */
const shop = definePlugin({
  name: 'shop',
  needs: ['meta'],
  apply({ services }) {
    const { meta } = services
    meta.register('post', 'price', { ...shown, type: 'number' })
    meta.register('post', 'stock', { ...shown, type: 'integer', default: 0, filterable: ['eq', 'gte', 'exists'] })
    meta.register('post', 'color', { ...shown, type: 'string' })
    meta.register('post', 'hot', { ...shown, type: 'boolean' })
    meta.register('post', 'sizes', { type: 'integer', show_in_rest: true, filterable: true, sortable: true })
    meta.register('post', 'starts', {
      ...shown,
      type: 'string',
      show_in_rest: { schema: { type: 'string', format: 'date-time' } },
    })
  },
})

const ids = async (site: Site, query: string, headers = {}) => {
  const response = await site.get(`/svc/v2/posts?_fields=id&${query}`, headers)
  const body = (await response.json()) as { id: number }[]
  assert.is(response.status, 200, JSON.stringify(body))
  const found = body.map(({ id }) => id)
  assert.is(Number(response.headers.get('x-svc-total')), found.length, query)
  return found
}

async function addMeta(site: Site, id: number, values: Record<string, string | number | boolean | number[]>) {
  const all = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, [value].flat()]))
  await site.kernel.services.meta.writeAll('post', id, all, new RequestCache())
}

for (const { name, make } of places) {
  const lists = suite(`posts by meta, on ${name}`)

  lists('are filtered and sorted by values', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [shop] })
    await addPosts(
      site.store,
      ...[1, 2, 3, 4, 5].map((id) => ({ id, title: `Post ${id}`, status: 'publish', date: `2024-01-0${id} 10:00:00` })),
    )
    await addMeta(site, 1, { price: 10, color: 'red', hot: true, sizes: [1, 5], starts: '2024-05-01T10:00:00+02:00' })
    await addMeta(site, 2, { price: 9.5, color: 'Red', hot: false, sizes: [3], starts: '2024-05-01T09:00:00' })
    await addMeta(site, 3, { price: 100, color: 'blue', hot: true, sizes: [2, 9] })
    await addMeta(site, 4, { price: -3, stock: 3 })
    assert.equal(await ids(site, 'meta[price]=10'), [1])
    assert.equal(await ids(site, 'meta[price][gte]=9.5&meta[price][lt]=100'), [2, 1])
    assert.equal(await ids(site, 'meta[price][gt]=9.5'), [3, 1])
    assert.equal(await ids(site, 'meta[price][lte]=9.5'), [4, 2])
    assert.equal(await ids(site, 'meta[price][in]=10,100'), [3, 1])
    assert.equal(await ids(site, 'meta[price][]=10&meta[price][]=100'), [3, 1])
    assert.equal(await ids(site, 'meta[price][ne]=10'), [4, 3, 2])
    assert.equal(await ids(site, 'meta[price][not_in]=10,100'), [4, 2])
    assert.equal(await ids(site, 'meta[price][exists]=false'), [5])
    assert.equal(await ids(site, 'meta[price][exists]=true'), [4, 3, 2, 1])
    assert.equal(await ids(site, 'orderby=meta.price&order=asc'), [4, 2, 1, 3])
    assert.equal(await ids(site, 'orderby=meta.price'), [3, 1, 2, 4])
    assert.equal(await ids(site, 'meta[color]=red'), [1])
    assert.equal(await ids(site, 'meta[hot]=true&orderby=meta.price&order=asc'), [1, 3])
    assert.equal(await ids(site, 'meta[hot]=false'), [2])
    assert.equal(await ids(site, 'meta[sizes][gte]=2&meta[sizes][lt]=5'), [3, 2])
    assert.equal(await ids(site, 'orderby=meta.sizes&order=asc'), [1, 3, 2])
    assert.equal(await ids(site, 'meta[starts]=2024-05-01T08:00:00Z'), [1])
    assert.equal(await ids(site, 'meta[starts][gt]=2024-05-01T10:00:00%2B02:00'), [2])
    assert.equal(await ids(site, 'meta[stock]=0'), [])
    assert.equal(await ids(site, 'meta[price][gte]=0&meta[color][in]=red,blue&orderby=title&order=asc'), [1, 3])
  })
  lists.run()
}
