import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createLog, describeHooks, type HookListing } from '../../../../bin/config/index.ts'
import { Advisor } from '../../../../plugins/library/advice/advisor.ts'
import { HeaderMap, Owner, type AnyPlugin } from '../../../../kernel/index.ts'
import { stopClock } from '../../../helpers/clock.ts'
import { as, serve, type Site } from '../../../helpers/site.ts'
import { until } from '../../../helpers/until.ts'
import { head, nextServerSocket, open, wireRequest } from '../../../helpers/wire.ts'
import { bare, IT, open as publicRoute, plugin, routed, type LogLine } from '../../../kernel/bare.ts'

const limits = suite('time limits')

const TIME = 200
const never = new Promise<never>(() => {})

/** A request to the site: REST, pages and files. */
interface SampleRequest {
  readonly method: string
  /** Path on the host. */
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: object
}

const ADMIN = as('administrator', 1)
const JSON_TYPE = { 'content-type': 'application/json' }

const REQUESTS: readonly SampleRequest[] = [
  { method: 'GET', path: '/svc-json/svc/v2/posts?_embed=1' },
  { method: 'HEAD', path: '/svc-json/svc/v2/posts/POST' },
  { method: 'POST', path: '/svc-json/svc/v2/posts', headers: { ...ADMIN, ...JSON_TYPE }, body: { title: 'New' } },
  { method: 'DELETE', path: '/svc-json/svc/v2/posts/POST?force=true', headers: ADMIN },
  { method: 'POST', path: '/svc-json/batch/v1', headers: { ...ADMIN, ...JSON_TYPE }, body: { requests: [] } },
  { method: 'GET', path: '/svc-json/' },
  { method: 'GET', path: '/a-page' },
  { method: 'GET', path: '/uploads/a.txt' },
  { method: 'HEAD', path: '/uploads/a.txt' },
]

/** Hooks of every request to the REST API, on any route. */
const EVERY_REST = [
  'request_received',
  'determine_current_user',
  'rest_authentication_errors',
  'rest_pre_dispatch',
  'rest_request_before_callbacks',
  'rest_dispatch_request',
  'rest_request_after_callbacks',
  'rest_post_dispatch',
  'rest_pre_serve_request',
  'rest_pre_echo_response',
  'rest_response_body',
  'response_sent',
]
const EVERY_PAGE = ['request_received', 'determine_current_user', 'site_request', 'site_page', 'response_sent']
/** Runs after the commit. Later timeouts must not claim that the request failed. */
const COMMITTED = /^rest_(after_insert|delete)_/
/** Actions that are not awaited. */
const NOT_AWAITED = new Set(['content_changed', 'response_sent'])

/** A site with a file and a plugin that taps every asynchronous hook. */
async function tapped() {
  const folder = await mkdtemp(join(tmpdir(), 'limits-test-'))
  await mkdir(join(folder, 'uploads'))
  await writeFile(join(folder, 'uploads', 'a.txt'), 'a text')
  const lines: LogLine[] = []
  const state: { fired: Set<string>; hanging: string | null } = { fired: new Set(), hanging: null }
  const mayWait = ({ kind, name }: HookListing) => (kind === 'filter' || kind === 'action') && !name.includes('*')
  const site = await serve({
    uploads: join(folder, 'uploads'),
    limits: { requestTimeout: TIME },
    log: 'error',
    logTo: (line) => lines.push(JSON.parse(line) as LogLine),
    // The hanging tap must run, so its response must not come from the cache.
    plugins: { 'response-cache': { enabled: false } },
  })
  const { hooks, registry } = site.kernel
  new Owner('sloth', undefined, false, new Advisor(createLog('silent'), [], [])).run(() => {
    const names = new Set(
      describeHooks(registry)
        .filter(mayWait)
        .map(({ name }) => name),
    )
    for (const family of ['query', 'prepare', 'pre_insert', 'insert', 'after_insert', 'delete']) {
      for (const type of ['post', 'user', 'category']) {
        names.add(family === 'query' ? `rest_${type}_query` : `rest_${family}_${type}`)
      }
    }
    for (const name of names) {
      const hook = hooks[name as 'rest_index']
      if (!('tapPromise' in hook)) continue
      try {
        hook.tapPromise({ name: 'waits', cache: false }, () => {
          state.fired.add(name)
          return state.hanging === name ? never : undefined
        })
      } catch (error) {
        // Some members of families are synchronous.
        assert.is((error as { code?: string }).code, 'HOOK_SYNC_ONLY', name)
      }
    }
  })
  return {
    site,
    lines,
    state,
    async [Symbol.asyncDispose]() {
      await site.kernel.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function createPost(site: Site): Promise<number> {
  const body = JSON.stringify({ title: 'Old', status: 'publish' })
  const response = await site.request('/svc/v2/posts', { method: 'POST', headers: { ...ADMIN, ...JSON_TYPE }, body })
  return ((await response.json()) as { id: number }).id
}

const send = async (site: Site, { method, path, headers = {}, body }: SampleRequest, post: number) => {
  const answer = await fetch(`${site.home}${path.replace('POST', String(post))}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, headers: answer.headers, text: () => answer.text() }
}

for (const request of REQUESTS) {
  limits(`log the hanging tap in every hook of ${request.method} ${request.path}`, async () => {
    using clock = stopClock('kernel/http', 'plugins/requests/limits')
    await using at = await tapped()
    const { site, state, lines } = at
    let post = await createPost(site)
    state.fired.clear()
    const { status } = await send(site, request, post)
    assert.ok(status < 300 || status === 404, String(status))
    await until(() => state.fired.has('response_sent'))
    const fired = [...state.fired]
    for (const hook of request.path.startsWith('/svc-json') ? EVERY_REST : EVERY_PAGE)
      assert.ok(fired.includes(hook), `${hook} was not run`)
    const commit = fired.findIndex((hook) => COMMITTED.test(hook))
    for (const [index, hook] of fired.entries()) {
      if (NOT_AWAITED.has(hook)) continue
      if (request.method === 'DELETE') post = await createPost(site)
      state.fired.clear()
      state.hanging = hook
      lines.length = 0
      const isCommitted = commit >= 0 && index >= commit
      const answer = send(site, request, post).then(
        async ({ status, headers, text }) => `${status} ${headers.get('content-type')} ${await text()}`,
        () => 'cut',
      )
      await until(() => state.fired.has(hook))
      // After a commit, the time limit is doubled.
      if (isCommitted) clock.advance(TIME)
      clock.advance(TIME)
      const refused = await answer
      // The response does not reveal the pending tap.
      assert.not.match(refused, 'sloth')
      if (isCommitted) assert.is(refused, 'cut', hook)
      else assert.match(refused, /^503 application\/json; charset=UTF-8 /, hook)
      if (!isCommitted && request.method !== 'HEAD') assert.match(refused, '"code":"rest_handler_timeout"', hook)
      const late = isCommitted
        ? ' after it had committed changes, and its connection was closed without a response'
        : ''
      const [named = '', ...more] = lines.map(({ msg }) => msg)
      const expected = `a request took too long${late}: the tap waits of the plugin sloth on ${hook} has not ended`
      assert.equal([named.replace(/, and \d more$/, ''), more], [expected, []])
      state.hanging = null
    }
  })
}

limits('name the hanging tap in the response in debug mode', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  const asleep = Promise.withResolvers<void>()
  const slow = plugin('slow', ({ hooks }) => {
    hooks.rest_post_dispatch.tapPromise('nap', () => {
      asleep.resolve()
      return never
    })
  })
  const it = routed({ ...publicRoute, callback: () => 1 })
  await using at = await bare([it, slow], { limits: { requestTimeout: TIME }, debug: true })
  const answer = at.raw(IT)
  await asleep.promise
  clock.advance(TIME)
  const waits = 'the tap nap of the plugin slow on rest_post_dispatch has not ended'
  assert.equal((await answer).json.data, { status: 503, waits_for: waits })
})

limits('log the innermost hanging tap, or the handler if no tap is pending', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  const asleep = { inner: Promise.withResolvers<void>(), handler: Promise.withResolvers<void>() }
  const layered: AnyPlugin = plugin('layered', ({ hooks }) => {
    hooks.rest_api_init.tap('layered', (server) => {
      server.registerRoute('layers/v1', 'inner', { ...publicRoute, callback: () => 1 })
      server.registerRoute('layers/v1', 'outer', { ...publicRoute, callback: () => 2 })
      server.registerRoute('layers/v1', 'hangs', {
        ...publicRoute,
        callback: () => {
          asleep.handler.resolve()
          return never
        },
      })
    })
    hooks.rest_dispatch_request.tapPromise('inside', (result, { route }) => {
      if (route !== '/layers/v1/inner') return result
      asleep.inner.resolve()
      return never
    })
    hooks.rest_post_dispatch.tapPromise('outside', async (response, server, { route }) => {
      if (route === '/layers/v1/outer') await server.dispatch('/layers/v1/inner')
      return response
    })
  })
  await using at = await bare([layered], { limits: { requestTimeout: TIME } })
  const late = () => at.lines.map(({ msg }) => msg ?? '').filter((msg) => msg.startsWith('a request took too long'))
  const outer = at.raw('/svc-json/layers/v1/outer')
  await asleep.inner.promise
  clock.advance(TIME)
  assert.is((await outer).status, 503)
  const hangs = at.raw('/svc-json/layers/v1/hangs')
  await asleep.handler.promise
  clock.advance(TIME)
  assert.is((await hangs).status, 503)
  assert.equal(late(), [
    'a request took too long: the tap inside of the plugin layered on rest_dispatch_request has not ended, and 1 more',
    'a request took too long: the handler of /layers/v1/hangs of the plugin layered has not ended',
  ])
})

const page = (body: Readable) => ({
  status: 200,
  headers: new HeaderMap({ 'Content-Type': 'text/plain', ETag: '"1"', 'Content-Length': '100' }),
  body,
})

limits('apply to the first piece of a page and to each later one', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  let destroyed = 0
  const reading = Promise.withResolvers<void>()
  class Silent extends Readable {
    override _read(): void {
      reading.resolve()
    }
    override _destroy(_error: Error | null, done: () => void): void {
      destroyed += 1
      done()
    }
  }
  const pages = plugin('pages', ({ hooks }) => {
    hooks.site_request.tap('pages', (found, { path }) => {
      if (path === '/silent') return page(new Silent())
      if (path !== '/stops') return found
      const stops = new Silent()
      stops.push('so far')
      return page(stops)
    })
  })
  await using at = await bare([pages], { limits: { requestTimeout: TIME } })
  const silent = wireRequest(at.home, 'GET', '/silent')
  await reading.promise
  clock.advance(TIME)
  const { status, headers, body } = await silent
  assert.equal([status, headers['etag'], headers['content-length']], [503, undefined, String(body.length)])
  assert.match(body.toString(), 'rest_handler_timeout')
  await until(() => destroyed === 1)
  const serving = nextServerSocket()
  const stops = open(at.home, head('GET', '/stops'))
  let text = ''
  stops.on('data', (piece) => (text += piece.toString())).on('error', () => {})
  await until(() => text.endsWith('so far'))
  // The server checks the response before and after its deadline.
  clock.advance(TIME / 2)
  assert.is((await serving).destroyed, false)
  clock.advance(2 * TIME)
  await until(() => stops.closed)
  await until(() => destroyed === 2)
  assert.equal(
    at.lines.filter(({ level }) => level === 50).map(({ msg, url }) => [url, msg]),
    [
      ['/silent', 'a request took too long: the body of the page has not emitted any data'],
      ['/stops', 'a response was aborted: the body of the page has stalled'],
    ],
  )
})

limits('apply to taps that send a response themselves', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  let calls = 0
  const sender = plugin('sender', ({ hooks }) => {
    hooks.rest_pre_serve_request.tap('sender', () => {
      calls += 1
      return true
    })
  })
  const it = routed({ ...publicRoute, callback: () => 1 })
  await using at = await bare([it, sender], { limits: { requestTimeout: TIME } })
  const answer = at.raw(IT)
  await until(() => calls === 1)
  clock.advance(TIME)
  const { status, json } = await answer
  assert.equal([status, json.code], [503, 'rest_handler_timeout'])
})

limits('destroy the body of a page that comes too late', async () => {
  using clock = stopClock('kernel/http', 'plugins/requests/limits')
  const asleep = Promise.withResolvers<void>()
  const wake = Promise.withResolvers<void>()
  const body = Readable.from(['late'])
  const slow = plugin('slow', ({ hooks }) => {
    hooks.site_request.tapPromise('slow', async () => {
      asleep.resolve()
      await wake.promise
      return page(body)
    })
  })
  await using at = await bare([slow], { limits: { requestTimeout: TIME } })
  const answer = at.raw('/slow')
  await asleep.promise
  clock.advance(TIME)
  assert.is((await answer).status, 503)
  wake.resolve()
  await until(() => body.destroyed)
})

limits.run()
