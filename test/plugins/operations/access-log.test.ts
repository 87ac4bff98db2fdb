import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError, type AnyPlugin } from '../../../kernel/index.ts'
import type { SentResponse } from '../../../plugins/requests/request-hooks/index.ts'
import { stopClock } from '../../helpers/clock.ts'
import { as, serve } from '../../helpers/site.ts'
import { until } from '../../helpers/until.ts'
import { head, wire, wireRequest } from '../../helpers/wire.ts'

const accessLog = suite('access log of a site')

const LIST = '/svc-json/svc/v2/posts'
const FILE = '/uploads/a.txt'
const ADMIN = as('administrator', 1)

/** A site whose requests are logged, with a file of 1000 bytes. */
async function logged(others: readonly AnyPlugin[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'access-test-'))
  await mkdir(join(folder, 'uploads'))
  await writeFile(join(folder, 'uploads', 'a.txt'), 'x'.repeat(1000))
  const sent: SentResponse[] = []
  const plugin = definePlugin({
    name: 'access-log',
    apply: ({ hooks }) => hooks.response_sent.tap('access-log', (response) => void sent.push(response)),
  })
  const site = await serve({ uploads: join(folder, 'uploads'), add: [plugin, ...others] })
  const next = async (count: number) => {
    await until(() => sent.length >= count)
    return sent.splice(0)
  }
  return {
    site,
    sent,
    next,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

accessLog('has entries for rendered, cached and revalidated lists', async () => {
  using clock = stopClock()
  await using at = await logged()
  const { home } = at.site
  clock.advance(1000)
  const { headers } = await wireRequest(home, 'GET', LIST)
  const etag = { 'If-None-Match': headers['etag']! }
  const bytes: number[] = []
  const requests: [method: string, headers: Record<string, string>][] = [
    ['GET', { 'X-Mine': 'not found by the URL alone' }],
    ['GET', {}],
    ['GET', {}],
    ['HEAD', {}],
    ['GET', etag],
    ['HEAD', etag],
  ]
  for (const [method, more] of requests) bytes.push((await wireRequest(home, method, LIST, more)).bytes.length)
  const [uncached, ...cached] = await at.next(7)
  assert.equal([uncached!.fromCache, uncached!.status, uncached!.route], [false, 200, '/svc/v2/posts'])
  assert.equal(
    cached.map((one) => [one.method, one.status, one.route, one.fromCache, one.user.id, one.bytes]),
    [200, 200, 200, 200, 304, 304].map((status, index) => {
      return [requests[index]![0], status, '/svc/v2/posts', true, 0, bytes[index]]
    }),
  )
})

accessLog('has entries for files: complete, ranges, revalidated and missing', async () => {
  await using at = await logged()
  const { home } = at.site
  const { headers } = await wireRequest(home, 'GET', FILE)
  await at.next(1)
  const requests: [status: number, method: string, path: string, headers: Record<string, string>][] = [
    [200, 'HEAD', FILE, {}],
    [206, 'GET', FILE, { Range: 'bytes=0-9' }],
    [206, 'GET', FILE, { Range: 'bytes=0-9,20-29' }],
    [416, 'GET', FILE, { Range: 'bytes=5000-' }],
    [304, 'GET', FILE, { 'If-None-Match': headers['etag']! }],
    [405, 'DELETE', FILE, {}],
    [404, 'GET', '/uploads/b.txt', {}],
  ]
  for (const [status, method, path, more] of requests) {
    const answer = await wireRequest(home, method, path, more)
    const [one] = await at.next(1)
    assert.equal(
      [one!.status, one!.url, one!.route, one!.bytes, one!.aborted, one!.fromCache],
      [status, path, null, answer.bytes.length, false, false],
    )
  }
})

accessLog('has one entry with the user for a batch', async () => {
  await using at = await logged()
  const requests = [1, 2, 3].map((number) => ({ path: '/svc/v2/posts', body: { title: `Post ${number}` } }))
  const { status } = await at.site.request('/batch/v1', {
    method: 'POST',
    headers: { ...ADMIN, 'content-type': 'application/json' },
    body: JSON.stringify({ requests }),
  })
  const all = await at.next(1)
  assert.equal(
    all.map((one) => [one.method, one.route, one.status, one.user.id]),
    [['POST', '/batch/v1', status, 1]],
  )
  assert.is((await at.site.json('/svc/v2/posts?status=draft', ADMIN)).length, 3)
})

accessLog('has all requests of a connection in order, cached or not', async () => {
  using clock = stopClock()
  await using at = await logged()
  const { home } = at.site
  clock.advance(1000)
  for (let time = 0; time < 2; time += 1) await wireRequest(home, 'GET', LIST)
  await at.next(2)
  const paths = [LIST, FILE, '/nowhere', LIST, '/svc-json/svc/v2/types', LIST]
  const last = paths.length - 1
  const bytes = paths.map((path, index) => head('GET', path, index === last ? { Connection: 'close' } : {}))
  const all = await wire(home, bytes.join(''))
  const seen = await at.next(paths.length)
  assert.equal(
    seen.map(({ url }) => url),
    paths,
  )
  assert.equal(
    seen.filter(({ url }) => url === LIST).map(({ fromCache }) => fromCache),
    [true, true, true],
  )
  assert.is(
    seen.reduce((sum, one) => sum + one.bytes, 0),
    all.length,
  )
})

accessLog('has requests rejected by a rate limit, also for cached responses, which stay cached', async () => {
  using clock = stopClock()
  let left = 5
  const limit = definePlugin({
    name: 'limit',
    apply: ({ hooks }) =>
      hooks.request_received.tap('limit', (page, { responseHeaders }) => {
        left -= 1
        responseHeaders.set('RateLimit-Remaining', Math.max(0, left))
        if (left < 0) throw new RestError('too_many', 'Too many.', { status: 429, retry_after: 9 })
        return page
      }),
  })
  await using at = await logged([limit])
  const { home } = at.site
  clock.advance(1000)
  const { headers } = await wireRequest(home, 'GET', LIST)
  const seen = []
  for (const more of [{}, {}, { 'If-None-Match': headers['etag']! }, {}, {}, {}]) {
    const answer = await wireRequest(home, 'GET', LIST, more)
    seen.push([answer.status, answer.headers['ratelimit-remaining'], answer.headers['retry-after']])
  }
  assert.equal(seen, [
    [200, '3', undefined],
    [200, '2', undefined],
    [304, '1', undefined],
    [200, '0', undefined],
    [429, '0', '9'],
    [429, '0', '9'],
  ])
  assert.equal(
    (await at.next(7)).map(({ status, fromCache }) => [status, fromCache]),
    [
      [200, false],
      [200, true],
      [200, true],
      [304, true],
      [200, true],
      [429, false],
      [429, false],
    ],
  )
})

accessLog.run()
