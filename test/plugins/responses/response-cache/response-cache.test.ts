import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, Owner, RestResponse, type AnyPlugin } from '../../../../kernel/index.ts'
import { stopClock } from '../../../helpers/clock.ts'
import { openShop } from '../../../helpers/shop.ts'
import { as, serve, startOnly } from '../../../helpers/site.ts'
import { wireRequest } from '../../../helpers/wire.ts'

startOnly('response-cache')

const cache = suite('response-cache')

const STOCK = '/svc-json/shop/v1/stock'

cache('creates a response once until its data changes', async () => {
  await using shop = await openShop()
  assert.equal(await shop.cacheStatuses('stock', 3), ['MISS', 'HIT', 'HIT'])
  shop.sell('stock:8')
  assert.equal(await shop.cacheStatuses('stock', 1), ['HIT'])
  shop.sell()
  const { cache, text } = await shop.getRoute('stock')
  assert.equal([cache, text], ['MISS', '{"made":2}'])
  assert.is(shop.calls['stock'], 2)
})

cache('serves valid responses by URL', async () => {
  using clock = stopClock()
  await using shop = await openShop()
  clock.advance(1000)
  for (let sold = 1; sold <= 3; sold += 1) {
    for (let time = 0; time < 4; time += 1) assert.is((await shop.getRoute('stock?a=1')).text, `{"made":${sold}}`)
    shop.sell()
    clock.advance(1000)
  }
})

cache('sends each response with the ID of its own request', async () => {
  using clock = stopClock()
  await using shop = await openShop({
    stock: () => {
      const response = new RestResponse({ stock: 7 })
      response.headers.set('X-Request-Id', 'of-the-handler')
      return response
    },
  })
  clock.advance(2000)
  const send = (headers: Record<string, string> = {}) =>
    wireRequest(shop.home, 'GET', STOCK, { 'X-Request-ID': 'mine', ...headers })
  const [miss, hit, byUrl] = [
    await wireRequest(shop.home, 'GET', STOCK, { 'X-Request-Id': 'first' }),
    await send(),
    await send(),
  ]
  const etag = miss.headers['etag']!
  const unchanged = await send({ 'If-None-Match': etag })
  const generated = await wireRequest(shop.home, 'GET', STOCK)
  assert.is(shop.calls['stock'], 1)
  assert.equal(
    [miss, hit, byUrl, unchanged].map(({ status, headers }) => [
      status,
      headers['x-svc-cache'],
      headers['x-request-id'],
    ]),
    [
      [200, 'MISS', 'first'],
      [200, 'HIT', 'mine'],
      [200, 'HIT', 'mine'],
      [304, 'HIT', 'mine'],
    ],
  )
  for (const { headers } of [hit, byUrl, unchanged, generated]) assert.is(headers['etag'], etag)
  assert.match(generated.headers['x-request-id']!, /^[\da-f]{32}$/)
})

cache('does not cache a response whose data changes while it is created', async () => {
  await using shop = await openShop({ stock: () => shop.sell() ?? {} })
  assert.equal(await shop.cacheStatuses('stock', 2), ['MISS', 'MISS'])
})

cache('records the dependencies of internal requests', async () => {
  const inner = definePlugin({
    name: 'inner',
    apply: ({ hooks }) =>
      hooks.rest_api_init.tap('inner', (server) => {
        server.registerRoute('inner/v1', 'bin', {
          permission_callback: () => true,
          callback: (request) => (request.parent!.dependsOn('bin:1'), { inner: true }),
        })
      }),
  })
  await using shop = await openShop(
    {
      outer: async (request) => {
        const { RestRequest } = await import('../../../../kernel/index.ts')
        const innerRequest = RestRequest.fromPath('/inner/v1/bin', request)
        innerRequest.dependsOn('shelf:2')
        return { inner: (await shop.kernel.server.dispatch(innerRequest)).data }
      },
    },
    { others: [inner] },
  )
  for (const tag of ['bin:1', 'shelf:2', 'stock:7']) {
    assert.equal(await shop.cacheStatuses('outer', 2), ['MISS', 'HIT'], tag)
    shop.sell(tag)
  }
})

cache('caches third-party routes only with cache: true, and nothing that refuses caching', async () => {
  await using shop = await openShop({
    silent: { cache: undefined as never },
    never: { cache: false },
    prevented: (request) => request.preventCaching('it is rolled') ?? {},
  })
  for (const route of ['silent', 'never', 'prevented']) {
    assert.equal(await shop.cacheStatuses(route, 2), ['BYPASS', 'BYPASS'], route)
    assert.is(shop.calls[route], 2)
  }
})

cache('caches registries until an object is registered or removed', async () => {
  await using shop = await openShop()
  for (const path of ['/svc/v2/types', '/svc/v2/taxonomies', '/svc/v2/statuses', '/']) {
    const origin = async () => (await shop.get(path)).headers.get('x-svc-cache')
    assert.equal([await origin(), await origin()], ['MISS', 'HIT'], path)
    const note = new Owner('note')
    note.run(() => void shop.kernel.services.contentTypes.register('note', { public: true, show_in_rest: true }))
    assert.equal([await origin(), await origin()], ['MISS', 'HIT'], path)
    await note.remove()
    assert.is(await origin(), 'MISS', path)
  }
})

cache('never caches errors, cookies, private responses and writes', async () => {
  const status = (code: number) => () => new RestResponse({}, code)
  const withHeader = (name: string, value: string) => () => {
    const response = new RestResponse({ name })
    response.headers.set(name, value)
    return response
  }
  await using shop = await openShop({
    created: status(201),
    missing: status(404),
    cookie: withHeader('Set-Cookie', 'a=1'),
    'no-store': withHeader('Cache-Control', 'no-store'),
    private: withHeader('Cache-Control', 'max-age=9, private'),
    counter: async () => {
      const { store } = shop
      await store.transaction(() => store.run(store.db.updateTable('posts').set({ title: 'x' })))
      return {}
    },
  })
  for (const route of Object.keys(shop.calls)) {
    await shop.cacheStatuses(route, 3)
    assert.is(shop.calls[route], 3, route)
  }
})

cache('never caches an enveloped error', async () => {
  await using shop = await openShop({ missing: () => new RestResponse({}, 404) })
  await shop.cacheStatuses('missing?_envelope=1', 2)
  assert.is(shop.calls['missing'], 2)
})

cache('never caches responses to a password, a nonce or a body', async () => {
  await using shop = await openShop()
  for (const query of ['password=x', '_svcnonce=']) {
    await shop.cacheStatuses(`stock?${query}`, 2)
    const { cache } = await shop.getRoute(`stock?${query}`)
    assert.is.not(cache, 'HIT', query)
  }
  await using reading = await openShop(undefined, { read_get_bodies: true })
  // fetch cannot send a body with GET, so a POST overrides its method.
  for (let time = 0; time < 2; time += 1) {
    await reading.request('/shop/v1/stock?_method=GET', { method: 'POST', body: '{"a":1}' })
  }
  assert.is(reading.calls['stock'], 2)
})

cache('never serves the response of another user', async () => {
  await using shop = await openShop({ me: ({ user }) => ({ id: user.id, roles: user.roles ?? null }) })
  const [ann, bob, promoted] = [as('author', 5), as('author', 6), as('editor', 5)]
  for (const round of ['MISS', 'HIT']) {
    const answers = [
      await shop.getRoute('me'),
      await shop.getRoute('me', ann),
      await shop.getRoute('me', bob),
      await shop.getRoute('me', promoted),
    ]
    assert.equal(
      answers.map(({ cache }) => cache),
      [round, round, round, round],
    )
    assert.equal(
      answers.map(({ text }) => (JSON.parse(text) as { id: number }).id),
      [0, 5, 6, 5],
    )
    assert.match(answers[3]!.text, 'editor')
    assert.match(answers[1]!.response.headers.get('cache-control')!, /no-store.*private/)
  }
})

cache('checks the permission of each user', async () => {
  await using shop = await openShop({
    staff: { permission_callback: ({ user }) => user.id === 5, sale: () => ({}) },
  })
  assert.is((await shop.getRoute('staff', as('author', 5))).cache, 'MISS')
  const { response, cache } = await shop.getRoute('staff')
  assert.equal([response.status, cache, response.headers.get('etag')], [401, null, null])
  assert.is((await shop.getRoute('staff', as('author', 6))).response.status, 403)
  assert.is((await shop.getRoute('staff', as('author', 5))).cache, 'HIT')
})

cache('is limited in bytes, and a huge response does not evict all others', async () => {
  const big = (size: number) => () => ({ text: 'x'.repeat(size) })
  await using shop = await openShop(
    { a: big(20_000), huge: big(300_000) },
    {
      plugins: { 'response-cache': { bytes: 200_000 } },
    },
  )
  await shop.cacheStatuses('a?n=1', 2)
  assert.equal(await shop.cacheStatuses('huge', 2), ['BYPASS', 'BYPASS'])
  assert.equal(await shop.cacheStatuses('a?n=1', 1), ['HIT'])
  for (let n = 2; n < 20; n += 1) await shop.getRoute(`a?n=${n}`)
  assert.equal(await shop.cacheStatuses('a?n=1', 1), ['MISS'])
  assert.equal(await shop.cacheStatuses('a?n=19', 1), ['HIT'])
})

cache('caches nothing if it is disabled or the state of the data is unknown', async () => {
  await using off = await openShop(undefined, { plugins: { 'response-cache': { enabled: false } } })
  assert.equal(await off.cacheStatuses('stock', 2), ['BYPASS', 'BYPASS'])
  assert.ok((await off.getRoute('stock')).response.headers.get('etag'))
  await using shop = await openShop()
  await shop.cacheStatuses('stock', 2)
  const { changes } = shop.kernel.services
  const state = changes.state.bind(changes)
  const broken = () => {
    throw new Error('gone')
  }
  for (const failing of [() => null, broken]) {
    changes.state = failing
    assert.equal(await shop.cacheStatuses('stock', 2), ['BYPASS', 'BYPASS'])
  }
  changes.state = state
  assert.equal(await shop.cacheStatuses('stock', 2), ['HIT', 'HIT'])
})

cache('runs third-party taps that set headers for each request', async () => {
  using clock = stopClock()
  let seen = 0
  const counter: AnyPlugin = definePlugin({
    name: 'counter',
    apply: ({ hooks }) =>
      hooks.rest_pre_serve_request.tap('counter', (served, { response }) => {
        seen += 1
        response.headers.set('X-Seen', `${seen} ${JSON.stringify(response.data)}`)
        return served
      }),
  })
  await using shop = await openShop(undefined, { others: [counter] })
  clock.advance(1000)
  for (const turn of [1, 2, 3]) {
    const { response } = await shop.getRoute('stock')
    assert.is(response.headers.get('x-seen'), `${turn} {"made":1}`)
  }
  assert.is(shop.calls['stock'], 1)
})

cache('lets a tap replace a cached response, also by an error', async () => {
  let mode = ''
  const moody: AnyPlugin = definePlugin({
    name: 'moody',
    apply: ({ hooks }) =>
      hooks.rest_pre_serve_request.tap('moody', (served, { raw }) => {
        if (mode === 'fail') throw new Error('no')
        if (mode !== 'send') return served
        raw!.outgoing.end('mine')
        return true
      }),
  })
  await using shop = await openShop(undefined, { others: [moody] })
  await shop.cacheStatuses('stock', 2)
  mode = 'fail'
  assert.is((await shop.getRoute('stock')).response.status, 500)
  mode = 'send'
  assert.is((await shop.getRoute('stock')).text, 'mine')
  mode = ''
  assert.equal(await shop.cacheStatuses('stock', 1), ['HIT'])
})

cache('can be disabled', async () => {
  await using site = await serve({ plugins: { 'response-cache': false } })
  const { headers } = await site.get('/svc/v2/types')
  assert.is(headers.get('x-svc-cache'), null)
  assert.ok(headers.get('etag'))
})

cache.run()
