import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, serve, type Site } from 'svc-rest/testing'
import events from './events.ts'

const add = (site: Site, title: string, meta: object) =>
  site.request('/svc/v2/events', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as('administrator') },
    body: JSON.stringify({ title, status: 'publish', meta }),
  })

test('events are filtered and sorted by venue and price, and by default sorted by start', async () => {
  await using site = await serve({ add: [events], plugins: { events: { dearest: 100 } } })
  await add(site, 'Ball', { venue: 'Mill', price: 30, begins: '2030-03-01T20:00:00Z' })
  await add(site, 'Fair', { venue: 'Mill', price: 0, begins: '2030-01-01T10:00:00Z' })
  await add(site, 'Play', { venue: 'Barn', price: 12.5, begins: '2030-02-01T20:00:00Z' })
  const titles = async (query: string) => {
    const list = (await site.json(`/svc/v2/events?${query}`)) as { title: { rendered: string } }[]
    return list.map(({ title }) => title.rendered)
  }
  assert.deepEqual(await titles(''), ['Fair', 'Play', 'Ball'])
  assert.deepEqual(await titles('meta[venue]=Mill'), ['Fair', 'Ball'])
  assert.deepEqual(await titles('meta[price][gt]=0&orderby=meta.price&order=desc'), ['Ball', 'Play'])
  assert.deepEqual(await titles('meta[price][lte]=20&meta[venue][in]=Mill,Barn&orderby=title'), ['Fair', 'Play'])
})

test('events reject prices above the maximum, and invalid filters and orders', async () => {
  await using site = await serve({ add: [events], plugins: { events: { dearest: 100 } } })
  assert.equal((await add(site, 'Gala', { price: 101 })).status, 400)
  for (const query of ['meta[prize]=1', 'meta[price][above]=1', 'meta[price]=dear', 'orderby=meta.prize']) {
    assert.equal((await site.get(`/svc/v2/events?${query}`)).status, 400, query)
  }
})
