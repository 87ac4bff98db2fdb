import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, serve, type Site } from 'svc-rest/testing'
import places from './places-search.ts'

const publish = async (site: Site, title: string, content: string) => {
  const response = await site.request('/svc/v2/posts', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as('administrator') },
    body: JSON.stringify({ title, content, status: 'publish' }),
  })
  assert.equal(response.status, 201)
}

test('search finds the places that a plugin adds, and still finds posts', async () => {
  await using site = await serve({ add: [places] })
  await publish(site, 'A bridge', '')
  const found = await site.json('/svc/v2/search?type=place&search=bridge')
  assert.deepEqual(
    found.map(({ title }: { title: string }) => title),
    ['The old bridge', 'The new bridge'],
  )
  const [post] = await site.json('/svc/v2/search?search=bridge')
  assert.equal(post.title, 'A bridge')
  assert.equal((await site.get('/svc/v2/search?type=palace')).status, 400)
})

test('search can be replaced by a plugin that searches titles only', async () => {
  const use = new URL('./title-search.ts', import.meta.url).href
  await using site = await serve({ plugins: { search: { use, most: 5 } } })
  await publish(site, 'Bridges', '')
  await publish(site, 'Rivers', 'with a bridge')
  const found = await site.json('/svc/v2/search?search=bridge')
  assert.deepEqual(
    found.map(({ title }: { title: string }) => title),
    ['Bridges'],
  )
})
