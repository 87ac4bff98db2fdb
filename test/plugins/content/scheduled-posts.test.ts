import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { formatUtc } from '../../../plugins/resources/index.ts'
import { addPosts, addTerm } from '../../helpers/content.ts'
import { as, serve, type ServeOptions, type Site } from '../../kit/index.ts'
import { filePlace, places } from '../../helpers/stores.ts'
import { until } from '../../helpers/until.ts'

/** The date a number of seconds from now, in the format of posts. */
const inSeconds = (seconds: number) => formatUtc(Math.floor(Date.now() / 1000) + seconds)

const scheduled = (title: string, seconds: number) => {
  const date = inSeconds(seconds)
  return { title, status: 'future', date, date_gmt: date }
}

/** Records each transition of a post. */
function watch(seen: string[]) {
  return definePlugin({
    name: 'watch',
    needs: ['posts'],
    apply({ hooks }) {
      hooks.transition_post_status.tap('watch', (to, from, post) => void seen.push(`${post.title}: ${from} to ${to}`))
    },
  })
}

const titles = async (site: Site) =>
  ((await site.json('/svc/v2/posts?orderby=title&order=asc')) as { title: { rendered: string } }[]).map(
    ({ title }) => title.rendered,
  )

// An in-memory database belongs to a single process.
for (const { name, make: place } of places) {
  const make = name === 'SQLite' ? filePlace : place
  const schedule = suite(`scheduled posts on ${name}`)

  schedule('are published when due, also if they became due while no server was running', async () => {
    await using place = await make()
    const transitions: string[] = []
    const options: ServeOptions = { database: place.url, add: [watch(transitions)] }
    {
      await using site = await serve({ ...options, plugins: { 'scheduled-posts': false } })
      const news = await addTerm(site.store, { taxonomy: 'category', name: 'News' })
      const other = await addTerm(site.store, { taxonomy: 'category', name: 'Other' })
      await addPosts(
        site.store,
        { ...scheduled('A', -3600), terms: [news] },
        { ...scheduled('B', 2), terms: [other] },
        scheduled('C', 3600),
        { ...scheduled('D', -3600), type: 'page' },
        { ...scheduled('E', -3600), status: 'draft' },
      )
      assert.equal(await titles(site), [])
    }
    await using site = await serve(options)
    assert.equal((await titles(site)).slice(0, 1), ['A'])
    assert.is((await site.json('/svc/v2/pages'))[0].title.rendered, 'D')
    assert.is((await site.json('/svc/v2/categories?slug=news'))[0].count, 1)
    await until(async () => transitions.length === 3 && (await titles(site)).includes('B'))
    assert.equal(await titles(site), ['A', 'B'])
    assert.equal(transitions.sort(), ['A: future to publish', 'B: future to publish', 'D: future to publish'])
    const { date, date_gmt: gmt } = (await site.json('/svc/v2/posts?search=A&_fields=date,date_gmt'))[0]
    assert.is(date, gmt)
    assert.ok(Date.parse(`${gmt}Z`) < Date.now() - 3_500_000, 'the date stays')
    const versions = await site.json('/svc/v2/posts?status=future', as('administrator'))
    assert.is(versions.length, 1)
  })

  schedule('S40: are published once by several processes', async () => {
    await using place = await make()
    const transitions: string[] = []
    const options = { database: place.url, add: [watch(transitions)] }
    {
      await using one = await serve(options)
      await using _two = await serve(options)
      await addPosts(one.store, ...Array.from({ length: 20 }, (_, index) => scheduled(`P${index}`, 1)))
      await until(() => transitions.length >= 20)
    }
    // Both servers have stopped and finished their jobs.
    assert.equal(new Set(transitions).size, 20)
    assert.is(transitions.length, 20)
  })

  schedule.run()
}

const schedule = suite('scheduled posts')

schedule('are published although another one fails, and can be created through the API', async () => {
  await using place = await filePlace()
  const refuse = definePlugin({
    name: 'refuse',
    needs: ['posts'],
    apply({ hooks }) {
      hooks.save_post.tap('refuse', (post) => {
        if (post.title === 'bad' && post.status === 'publish') throw new Error('no')
      })
    },
  })
  const lines: string[] = []
  await using site = await serve({
    database: place.url,
    add: [refuse],
    log: 'info',
    logTo: (line) => void lines.push(line),
  })
  await addPosts(site.store, scheduled('bad', -10), scheduled('good', -5))
  await until(async () => (await titles(site)).includes('good'))
  assert.equal(await titles(site), ['good'])
  assert.match(lines.join(''), /publishing a scheduled post failed/)
  const body = JSON.stringify({ title: 'later', status: 'publish', date_gmt: inSeconds(7200).replace(' ', 'T') })
  const headers = { ...as('administrator'), 'content-type': 'application/json' }
  const created = (await (await site.request('/svc/v2/posts', { method: 'POST', headers, body })).json()) as {
    status: string
  }
  assert.is(created.status, 'future')
})

schedule('stay scheduled without the plugin', async () => {
  await using site = await serve({ plugins: { 'scheduled-posts': false } })
  await addPosts(site.store, scheduled('A', -10))
  assert.equal(await titles(site), [])
})

schedule.run()
