import type { IncomingMessage, ServerResponse } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { exportedNames } from '../../../../../plugins/library/branding/index.ts'
import type { LiveReport } from '../../../../../plugins/operations/importer/index.ts'
import { serve } from '../../../../helpers/site.ts'
import { receive, type Receiver } from '../../../foundation/outgoing/asking.ts'
import { rows } from '../importing.ts'

const hostile = suite('old sites with hostile or broken responses')

type Reply = (query: URLSearchParams, response: ServerResponse, request: IncomingMessage) => unknown

const WORD = exportedNames.blockMark
const post = (id: number, more: object = {}) => ({
  id,
  date: '2024-05-01T10:00:00',
  date_gmt: '2024-05-01T10:00:00',
  modified: '2024-05-01T10:00:00',
  modified_gmt: '2024-05-01T10:00:00',
  slug: `post-${id}`,
  status: 'publish',
  type: 'post',
  title: { rendered: `Post ${id}` },
  content: { rendered: `<p>Text ${id}</p>`, protected: false },
  author: 0,
  ...more,
})
const posts = (count: number) => Array.from({ length: count }, (_, index) => post(index + 1))

/** Starts an old site whose route of posts gives these replies. */
function oldSite(reply: Reply, routes: Record<string, Reply> = {}): Promise<Receiver> {
  const args = { context: {}, page: {}, per_page: {}, offset: {}, orderby: { enum: ['id', 'date'] }, order: {} }
  const base = `/${WORD}-json/${WORD}/v2`
  const all: Record<string, Reply> = {
    types: () => ({ post: { slug: 'post', name: 'Posts', rest_base: 'posts', rest_namespace: `${WORD}/v2` } }),
    taxonomies: () => ({}),
    statuses: () => ({}),
    posts: reply,
    ...routes,
  }
  return receive((request, response) => {
    const url = new URL(request.url!, 'http://old.test')
    const send = (body: unknown) => {
      if (response.writableEnded || body === undefined) return
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    }
    if (url.pathname === `/${WORD}-json/`) {
      const index = { [`/${WORD}/v2/types`]: {}, [`/${WORD}/v2/posts`]: { endpoints: [{ methods: ['GET'], args }] } }
      return send({
        name: 'Old',
        url: 'http://old.test',
        home: 'http://old.test',
        namespaces: [`${WORD}/v2`],
        routes: index,
      })
    }
    const route = all[url.pathname.slice(base.length + 1)]
    if (route !== undefined) return send(route(url.searchParams, response, request))
    response.statusCode = 404
    send({ code: 'rest_no_route', message: 'No route' })
  })
}

/** A list as the REST API pages it. */
function pageOf(all: readonly unknown[], query: URLSearchParams, response: ServerResponse): unknown[] {
  const size = Number(query.get('per_page') ?? 10)
  const start = query.has('offset') ? Number(query.get('offset')) : (Number(query.get('page') ?? 1) - 1) * size
  response.setHeader(`X-${WORD.toUpperCase()}-Total`, all.length)
  return all.slice(start, start + size)
}

/** Imports from an old site into an empty one. Returns the report and the IDs of the posts. */
async function importPosts(old: Receiver, options: object = {}): Promise<{ report: LiveReport; ids: number[] }> {
  await using here = await serve()
  const all = { url: old.url, allow: ['127.0.0.1:*'], retryDelay: 1, download: false as const, ...options }
  const report = await here.kernel.services.importer.runLive(all)
  return { report, ids: (await rows(here.store, 'posts')).map(({ id }) => id).sort((one, other) => one - other) }
}

const idsTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const reasons = ({ gaps }: LiveReport) => gaps.map(({ reason }) => reason).join('\n')

hostile('bring every post once if posts are deleted and added while pages are read', async () => {
  const all = posts(350)
  let pages = 0
  await using old = await oldSite((query, response) => {
    if (query.get('per_page') !== '1' && ++pages === 2) all.splice(10, 120)
    return pageOf(all, query, response)
  })
  const { ids } = await importPosts(old, { concurrency: 1 })
  // Everything that existed the whole time is here.
  for (const { id } of all) assert.ok(ids.includes(id), String(id))
  assert.is(new Set(ids).size, ids.length)
})

hostile('are read by page if they ignore order and position', async () => {
  const all = posts(250).toReversed()
  await using old = await oldSite((query, response) => {
    query.delete('offset')
    return pageOf(all, query, response)
  })
  assert.equal((await importPosts(old)).ids, idsTo(250))
})

hostile('end the list if it repeats itself or never ends', async () => {
  await using repeating = await oldSite((_query, response) =>
    pageOf(posts(100), new URLSearchParams('per_page=100'), response),
  )
  assert.equal((await importPosts(repeating)).ids, idsTo(100))
  await using endless = await oldSite((query, response) => {
    response.setHeader(`X-${WORD.toUpperCase()}-Total`, '10')
    const start = query.has('offset') ? Number(query.get('offset')) : Number(query.get('page')) * 100
    return Array.from({ length: Number(query.get('per_page')) }, (_, index) => post(start + index + 1))
  })
  const { report } = await importPosts(endless)
  assert.match(reasons(report), /more objects than the 10 it states/)
  assert.ok(endless.requestLines.length < 300, String(endless.requestLines.length))
})

hostile('lose only what cannot be read: a page that is too large or fails, entries without an ID', async () => {
  await using old = await oldSite((query, response) => {
    const page = pageOf([...posts(120), { id: 'x' }, null, 'text'], query, response)
    if (query.get('per_page') !== '1' && page.some((one) => (one as { id?: number } | null)?.id === 60)) {
      response.statusCode = 500
      return { code: 'internal', message: 'Fatal <b>error</b>' }
    }
    return query.get('per_page') === '1' && query.get('offset') === '59' ? ((response.statusCode = 500), {}) : page
  })
  const { ids, report } = await importPosts(old)
  assert.equal(
    ids,
    idsTo(120).filter((id) => id !== 60),
  )
  assert.match(reasons(report), /1 left out, because the old site fails/)
})

hostile('are asked again after 429 and 503, and wait as long as they ask for', async () => {
  let refusals = 0
  await using old = await oldSite((query, response) => {
    if (query.get('per_page') !== '1' && refusals++ < 3) {
      response.statusCode = refusals === 1 ? 429 : 503
      response.setHeader('retry-after', '0')
      return {}
    }
    return pageOf(posts(30), query, response)
  })
  assert.equal((await importPosts(old)).ids, idsTo(30))
})

hostile('are reported if a route sends HTML, needs rights or does not exist', async () => {
  await using old = await oldSite((query, response) => pageOf(posts(3), query, response), {
    users: (_query, response) => void response.end('<!doctype html><p>Maintenance</p>'),
    comments: (_query, response) => ((response.statusCode = 401), { code: 'rest_forbidden', message: 'No' }),
    settings: (_query, response) => ((response.statusCode = 403), { code: 'rest_forbidden', message: 'No' }),
  })
  const { ids, report } = await importPosts(old)
  assert.equal(ids, [1, 2, 3])
  assert.match(reasons(report), /HTML instead of JSON/)
  assert.match(reasons(report), /moderate_comments/)
  assert.match(reasons(report), /manage_options/)
})

hostile('are read although PHP prints messages before the JSON', async () => {
  await using old = await oldSite((query, response) => {
    const page = pageOf(posts(2), query, response)
    response.end(`<br />\n<b>Notice</b>: Undefined index [0] in /a.php on line 3<br />\n${JSON.stringify(page)}`)
  })
  assert.equal((await importPosts(old)).ids, [1, 2])
})

hostile('cannot send requests to private hosts, other files or terminals', async () => {
  await using old = await oldSite(
    (query, response) => pageOf([post(1, { title: { rendered: 'A\u001b[2J' } })], query, response),
    {
      types: () => ({
        post: { slug: 'post', rest_base: 'posts', rest_namespace: `${WORD}/v2` },
        evil: { slug: '../../evil', rest_base: '../../x', rest_namespace: '../..' },
      }),
      users: (_query, response) => {
        response.statusCode = 302
        response.setHeader('location', 'http://10.0.0.1/users')
        return {}
      },
      comments: (_query, response) => ((response.statusCode = 403), { message: 'No\u001b[2J<b>x</b>' }),
    },
  )
  const { ids, report } = await importPosts(old)
  assert.equal(ids, [1])
  assert.not.ok(reasons(report).includes('\u001b'))
  assert.match(report.gaps.map(({ subject }) => subject).join('\n'), /evil/)
})

hostile.run()
