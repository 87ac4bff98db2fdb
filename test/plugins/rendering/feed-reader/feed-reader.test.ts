import type { RequestListener } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import type { OutgoingHop } from '../../../../plugins/foundation/outgoing/index.ts'
import { sql } from '../../../../plugins/storage/store/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { serveOn, startOnly, type ServeOptions, type Site } from '../../../helpers/site.ts'
import { filePlace, kindsOf, postgresPlace } from '../../../helpers/stores.ts'
import { until } from '../../../helpers/until.ts'
import { receive } from '../../foundation/outgoing/asking.ts'

startOnly('content-rendering', 'core-blocks', 'feed-reader', 'jobs', 'outgoing', 'response-cache')

const LIST = '/svc/v2/posts?per_page=5'
const DAY_MS = 86_400_000

const block = (url: string, attributes: object = {}) =>
  `<!-- wp:rss ${JSON.stringify({ feedURL: url, ...attributes })} /-->`
const item = (title: string) => `<item><title>${title}</title><link>/${title}</link></item>`
const rss = (...titles: string[]) => `<rss version="2.0"><channel>${titles.map(item).join('')}</channel></rss>`
const atom = (title: string) =>
  `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>${title}</title><link href="/a"/></entry></feed>`

/** Starts a feed server whose response a test can change. */
async function feedServer() {
  const state: { answer: RequestListener } = { answer: (_, response) => response.end(rss('One')) }
  const server = await receive((request, response) => state.answer(request, response))
  return { ...server, answer: (next: RequestListener) => void (state.answer = next) }
}

/** A database that several servers can use. */
const places = kindsOf([{ name: 'SQLite', make: filePlace }], (server) => ({
  name: 'PostgreSQL',
  make: () => postgresPlace(server),
}))

for (const { name, make } of places) {
  const reader = suite(`feed-reader: ${name}`)

  const open = async (port: number | null, { plugins, ...others }: ServeOptions = {}) => {
    const allow = port === null ? [] : [`127.0.0.1:${port}`]
    return withFeeds(await serveOn(await make(), { ...others, plugins: { outgoing: { allow }, ...plugins } }))
  }

  reader('serves a list from the cache although the host of a feed does not resolve', async () => {
    await using site = await open(null)
    await addPosts(site.store, { title: 'Around', content: block('http://feed.invalid/') })
    const waiting = await (await site.get(LIST)).text()
    assert.match(waiting, '<strong>RSS Error:</strong> The feed is not available yet.')
    await until(async () => (await site.feeds())[0]?.failures === 1)
    await (await site.get(LIST)).text()
    const second = await site.get(LIST)
    assert.is(second.headers.get('x-svc-cache'), 'HIT')
    assert.match(await second.text(), 'The feed is not available yet.')
  })

  reader('fetches once for all visitors, and invalidates cached responses', async () => {
    await using server = await feedServer()
    await using site = await open(server.port)
    const [id] = await addPosts(site.store, { title: 'Around', content: block(`${server.url}/feed`) })
    const paths = [LIST, `/svc/v2/posts/${id}`, `/svc/v2/posts/${id}?_fields=content`, '/svc/v2/posts?search=Around']
    await Promise.all(Array.from({ length: 40 }, (_, at) => site.get(paths[at % paths.length]!)))
    await until(async () => (await (await site.get(LIST)).text()).includes('>One</a>'))
    await Promise.all(Array.from({ length: 40 }, (_, at) => site.get(paths[at % paths.length]!)))
    assert.equal(server.requestLines, ['GET /feed'])
    for (const path of paths) {
      const again = await site.get(path)
      assert.is(again.headers.get('x-svc-cache'), 'HIT', path)
      assert.match(await again.text(), `${server.url}/One`)
    }
  })

  reader('keeps the last entries while the server fails, and shows new ones after it recovers', async () => {
    await using server = await feedServer()
    await using site = await open(server.port)
    await addPosts(site.store, { title: 'Around', content: block(`${server.url}/feed`) })
    const shown = async () => (await site.get(LIST)).text()
    await shown()
    await until(async () => (await shown()).includes('>One</a>'))
    const broken: RequestListener[] = [
      (_, response) => response.writeHead(500).end('no'),
      (_, response) => response.destroy(),
      (_, response) => response.end('<html><body>Not a feed</body></html>'),
      (_, response) => response.end(`<rss>${' '.repeat(1_100_000)}</rss>`),
      (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/feed' }).end(),
    ]
    for (const [at, answer] of broken.entries()) {
      server.answer(answer)
      await site.fetchNow()
      // The job is rescheduled after the failure is stored.
      await until(async () => (await site.feeds())[0]!.failures === at + 1 && (await site.secondsToNext()) > 0)
      assert.match(await shown(), '>One</a>')
      // Visitors cause no attempt before the delay is over; each further delay is longer.
      const requestCount = server.requestLines.length
      const wait = await site.secondsToNext()
      const maxDelay = Math.min(60 * 2 ** at, 3600)
      assert.ok(wait > maxDelay * 0.79 - 5 && wait <= maxDelay * 1.2, `${at}: ${wait}`)
      await Promise.all(Array.from({ length: 10 }, (_, index) => site.get(`${LIST}&page=1&per_page=${index + 1}`)))
      assert.is(server.requestLines.length, requestCount)
    }
    server.answer((_, response) => response.end(atom('Two')))
    await site.fetchNow()
    await until(async () => (await shown()).includes('>Two</a>'))
    assert.not.match(await shown(), '>One</a>')
    assert.is((await site.feeds())[0]!.failures, 0)
    // A fetch without changes invalidates nothing.
    assert.is((await site.get(LIST)).headers.get('x-svc-cache'), 'HIT')
    const { tried } = (await site.feeds())[0]!
    await site.fetchNow()
    await until(async () => (await site.feeds())[0]!.tried > tried && (await site.secondsToNext()) > 60)
    assert.is((await site.get(LIST)).headers.get('x-svc-cache'), 'HIT')
  })

  reader('fetches once for several servers of one site', async () => {
    await using server = await feedServer()
    const place = await make()
    const plugins = { outgoing: { allow: [`127.0.0.1:${server.port}`] } }
    await using one = withFeeds(await serveOn(place, { plugins }))
    const other = await serveOn({ url: place.url, async [Symbol.asyncDispose]() {} }, { plugins })
    try {
      await addPosts(one.store, { title: 'Around', content: block(`${server.url}/feed`) })
      const all = [one, other]
      await Promise.all(Array.from({ length: 20 }, (_, at) => all[at % 2]!.get(LIST)))
      for (const site of all) await until(async () => (await (await site.get(LIST)).text()).includes('>One</a>'))
      assert.is(server.requestLines.length, 1)
      server.answer((_, response) => response.end(rss('Two')))
      await one.fetchNow()
      for (const site of all) await until(async () => (await (await site.get(LIST)).text()).includes('>Two</a>'))
      assert.is(server.requestLines.length, 2)
    } finally {
      await other[Symbol.asyncDispose]()
    }
  })

  reader('stops fetching feeds that no page requests, and starts again on demand', async () => {
    await using server = await feedServer()
    await using site = await open(server.port)
    const [id] = await addPosts(site.store, { title: 'Around', content: block(`${server.url}/feed`) })
    const shown = async () => (await site.get(LIST)).text()
    await shown()
    await until(async () => (await shown()).includes('>One</a>'))
    // Cached pages send no requests: the job invalidates them, and the next visitor requests the feed.
    await site.makeOlder(1.5 * DAY_MS)
    await site.fetchNow()
    await until(async () => (await site.secondsToNext()) > 60)
    assert.is(server.requestLines.length, 1)
    server.answer((_, response) => response.end(rss('Two')))
    assert.match(await shown(), '>One</a>')
    await until(async () => (await shown()).includes('>Two</a>'))
    assert.is(server.requestLines.length, 2)
    // Without visitors the feed is removed.
    await site.store.run(site.store.db.updateTable('posts').set({ status: 'draft' }).where('id', '=', id!))
    await site.makeOlder(2.5 * DAY_MS)
    await site.fetchNow()
    await until(async () => (await site.feeds()).length === 0)
    await until(async () => (await site.kernel.services.jobs.list({ name: 'fetch-feed' })).length === 0)
    assert.is(server.requestLines.length, 2)
  })

  reader('limits the number of stored feeds per author and in total', async () => {
    await using server = await feedServer()
    const limits = { max_feeds: 5, max_per_author: 3 }
    await using site = await open(server.port, { plugins: { 'feed-reader': limits } })
    const feeds = (of: string) => Array.from({ length: 12 }, (_, at) => block(`${server.url}/${of}${at}`)).join('')
    await addPosts(
      site.store,
      { title: 'A', content: feeds('a'), author_id: 1 },
      { title: 'B', content: feeds('b'), author_id: 2 },
    )
    await site.get(LIST)
    await until(async () => (await site.feeds()).length === 5)
    await until(() => server.requestLines.length === 5)
    const all = await site.feeds()
    for (const userId of [1, 2]) assert.ok(all.filter((one) => one.asker === userId).length <= 3)
    // Removing a feed invalidates the pages that lack theirs.
    await site.makeOlder(2.5 * DAY_MS, 1)
    await site.fetchNow()
    await until(async () => !(await site.feeds()).some(({ key }) => key === all[0]!.key))
    await site.get(LIST)
    await until(async () => (await site.feeds()).length === 5)
  })

  reader('charges fetches to the author of the content, within the limit of the user', async () => {
    const askers: OutgoingHop['requester'][] = []
    const watch = definePlugin({
      name: 'watch',
      needs: ['outgoing'],
      apply({ hooks }) {
        hooks.outgoing_request_headers.tap('watch', (headers, { requester: asker }) => {
          askers.push(asker)
          return headers
        })
      },
    })
    await using server = await feedServer()
    const outgoing = { allow: [`127.0.0.1:${server.port}`], per_user: 4 }
    await using site = await open(null, { add: [watch], plugins: { outgoing } })
    const content = Array.from({ length: 10 }, (_, at) => block(`${server.url}/${at}`)).join('')
    await addPosts(site.store, { title: 'A', content, author_id: 7 })
    await site.get(LIST)
    await until(async () => (await site.feeds()).filter(({ tried }) => tried > 0).length === 10)
    assert.equal(askers, [7, 7, 7, 7])
    const refused = (await site.feeds()).filter(({ entries }) => entries === '')
    assert.is(refused.length, 6)
    assert.ok(refused.every(({ failures }) => failures === 0))
  })

  reader('shows a notice for URLs that cannot be fetched, and does not store them', async () => {
    await using site = await open(null)
    const urls = ['http://10.0.0.1/', 'http://[::1]/', 'http://127.1/', `https://a.test/${'x'.repeat(3000)}`, 'http://']
    await addPosts(site.store, { title: 'A', content: urls.map((url) => block(url)).join('') })
    const html = await (await site.get(LIST)).text()
    assert.is(html.split('The feed is not available yet.').length - 1, urls.length)
    await until(async () => (await site.get(LIST)).headers.get('x-svc-cache') === 'HIT')
    assert.equal(await site.feeds(), [])
  })

  reader('lets a site start without jobs or outgoing requests, and shows the notice there', async () => {
    for (const plugins of [{ outgoing: false }, { jobs: false, 'scheduled-posts': false, webhooks: false }] as const) {
      await using site = await serveOn(await make(), { plugins })
      await addPosts(site.store, { title: 'A', content: block('http://feed.invalid/') })
      assert.match(await (await site.get(LIST)).text(), 'The feed is not available yet.')
      await until(async () => (await site.get(LIST)).headers.get('x-svc-cache') === 'HIT')
    }
  })

  reader.run()
}

interface StoredFeed {
  key: string
  asker: number
  asked: number
  tried: number
  failures: number
  entries: string
}

/** Adds helpers for feeds to a site. */
function withFeeds(site: Site) {
  const { store } = site
  const { jobs } = site.kernel.services
  const feeds = async () => {
    const rows = await store.all(sql<StoredFeed>`select * from feed_reader__feeds order by key`, [])
    return rows.map((row) => ({
      ...row,
      asker: Number(row.asker),
      asked: Number(row.asked),
      tried: Number(row.tried),
      failures: Number(row.failures),
    }))
  }
  return Object.assign(site, {
    feeds,
    /** Starts all waiting fetches. */
    async fetchNow() {
      // A running job is rescheduled only after it has stored its result.
      await until(async () => (await jobs.list({ name: 'fetch-feed', state: 'running' })).length === 0)
      for (const { id } of await jobs.list({ name: 'fetch-feed', state: 'waiting' })) await jobs.retry(id)
    },
    /** Seconds until the next fetch; -1 while one runs. */
    async secondsToNext() {
      const [job] = await jobs.list({ name: 'fetch-feed', state: 'waiting' })
      return job === undefined ? -1 : (job.due.getTime() - Date.now()) / 1000
    },
    /** Moves the times of feeds into the past. @param limit number of feeds to move, from the first */
    async makeOlder(milliseconds: number, limit = Infinity) {
      for (const { key } of (await feeds()).slice(0, limit)) {
        await store.run(sql`update feed_reader__feeds
          set asked = asked - ${milliseconds}, tried = tried - ${milliseconds} where key = ${key}`)
      }
    },
  })
}
