import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../../kernel/index.ts'
import type { PostQuery } from '../../../../plugins/content/posts/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { serveOn, type Site, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

startOnly('posts')

const day = (index: number) => `2024-${String(1 + (index % 12)).padStart(2, '0')}-10 08:00:00`

/** Reads a page, and the same page with an equivalent query that uses another plan. */
async function readWithBothPlans(site: Site, query: PostQuery): Promise<[unknown, unknown]> {
  const { posts } = site.kernel.services
  const read = async (filters: PostQuery) => {
    const { items, total } = await posts.query({ readScope: null, ...filters }, new RequestCache())
    return { ids: items.map(({ id }) => id), total }
  }
  return [await read(query), await read({ ...query, exclude: [999_999] })]
}

for (const { name, make } of places) {
  const pages = suite(`term archive pages on ${name}`)
  stopClockFor(pages)

  pages('equal the filtered list after any change to the posts', async () => {
    await using site = await serveOn(await make())
    const { store } = site
    const [news, other] = [
      await addTerm(store, { taxonomy: 'category', name: 'News' }),
      await addTerm(store, { taxonomy: 'category', name: 'Other' }),
    ]
    const ids = await addPosts(
      store,
      ...Array.from({ length: 40 }, (_, index) => ({
        title: `Post ${index}`,
        date: day(index),
        status: index % 5 === 0 ? 'draft' : 'publish',
        terms: index % 3 === 0 ? [other] : index % 7 === 0 ? [other, news] : [news],
      })),
    )
    const check = async (terms: readonly number[]) => {
      for (const order of ['desc', 'asc'] as const) {
        for (const offset of [0, 7, 500]) {
          const clause = { taxonomy: 'category', terms, operator: 'in' } as const
          const query = { types: ['post'], statuses: ['publish'], terms: [clause], order, limit: 7, offset }
          const [short, long] = await readWithBothPlans(site, query)
          assert.equal(short, long, `${terms.join()} ${order} ${offset}`)
        }
      }
    }
    const change = (index: number, to: { status?: string; date?: string; type?: string }) =>
      store.run(store.db.updateTable('posts').set(to).where('id', '=', ids[index]!))
    await check([news])
    await change(1, { status: 'private' })
    await change(2, { date: '2030-01-01 00:00:00' })
    await change(4, { type: 'page' })
    await change(5, { status: 'publish', date: '2001-01-01 00:00:00' })
    await check([news])
    await check([other])
    await check([news + 1000])
    const list = await site.json(`/svc/v2/posts?categories=${news}&_fields=id&per_page=3`)
    assert.is(list[0].id, ids[2])
  })

  pages('take as few statements as other lists', async () => {
    await using site = await serveOn(await make())
    const term = await addTerm(site.store, { taxonomy: 'post_tag', name: 'Tag' })
    await addPosts(site.store, ...Array.from({ length: 12 }, () => ({ terms: [term] })))
    const statements = await site.statements(() => site.json(`/svc/v2/posts?tags=${term}&_fields=id`))
    assert.is(statements.length, 2)
    assert.match(statements[0]!, /order by post_date desc, post_id desc limit/)
  })

  pages.run()
}
