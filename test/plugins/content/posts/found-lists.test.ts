import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'

for (const { name, place } of databases) {
  const cachedLists = suite(`cached search results on ${name}`)

  cachedLists('equal uncached results after posts are created, changed and deleted', async () => {
    await using site = await serveWithUsers(place, { plugins: { 'response-cache': { enabled: false, items: false } } })
    const day = (at: number) => `2025-03-${String(at).padStart(2, '0')} 10:00:00`
    const texts = Array.from({ length: 20 }, (_, at) => ({
      title: at % 3 === 0 ? `Kavannu ${at}` : `Title ${at}`,
      content: at % 2 === 0 ? 'A kavannu letter.' : 'Another letter.',
      date: day(at + 1),
      date_gmt: day(at + 1),
      status: 'publish',
    }))
    await addPosts(site.store, ...texts)
    const lists = ['', '&orderby=relevance', '&orderby=title&order=asc'].map((order) => `search=kavannu${order}`)
    const page = async (query: string, number: number) => {
      const url = `/svc/v2/posts?${query}&per_page=4&page=${number}&_fields=id`
      const response = await site.request(url)
      const items = (await response.json()) as { id: number }[]
      return { ids: items.map(({ id }) => id), total: Number(response.headers.get('x-svc-total')) }
    }
    const wholeList = async (query: string) => {
      const response = await site.request(`/svc/v2/posts?${query}&per_page=100&_fields=id`)
      return ((await response.json()) as { id: number }[]).map(({ id }) => id)
    }
    const compare = async () => {
      for (const query of lists) {
        // Repeated, so that the list is counted, computed and then read from the cache.
        for (let time = 0; time < 4; time++) {
          const pages = [await page(query, 1), await page(query, 2), await page(query, 3)]
          const expected = await wholeList(`${query}&exclude=${900_000 + time}`)
          assert.equal(
            pages.flatMap(({ ids }) => ids),
            expected.slice(0, 12),
            `${query}, ${time}`,
          )
          assert.ok(
            pages.every(({ total }) => total === expected.length),
            `${query}, ${time}`,
          )
        }
      }
    }
    await compare()
    const before = await wholeList(lists[0]!)
    const written = await site.send('POST', '/svc/v2/posts', { title: 'Kavannu new', status: 'publish' }, 'ed')
    const { id } = (await written.json()) as { id: number }
    assert.is((await page(lists[0]!, 1)).ids[0], id)
    await compare()
    await site.send('POST', `/svc/v2/posts/${before[0]}`, { title: 'Other', content: 'Other' }, 'ed')
    assert.is((await page(lists[0]!, 1)).total, before.length)
    await site.send('DELETE', `/svc/v2/posts/${id}?force=true`, {}, 'ed')
    assert.is((await page(lists[0]!, 1)).total, before.length - 1)
    await compare()

    const searches: string[] = []
    const end = site.store.onStatement(({ sql }) => {
      if (/\bposts\b/.test(sql) && !/where "id" in \(/.test(sql)) searches.push(sql)
    })
    await page(lists[0]!, 2)
    end()
    assert.equal(searches, [], 'a further page reads its posts by their IDs')
  })

  cachedLists.run()
}
