import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RestResponse } from '../../../../kernel/index.ts'
import { findClientTag, lastModified } from '../../../../plugins/responses/response-cache/conditions.ts'
import { tagsValue } from '../../../../plugins/responses/response-cache/tags-header.ts'
import { stopClock } from '../../../helpers/clock.ts'
import { openShop } from '../../../helpers/shop.ts'
import { as, startOnly } from '../../../helpers/site.ts'
import { until } from '../../../helpers/until.ts'

startOnly('response-cache')

const conditions = suite('conditional requests')

const LONG = { sale: () => ({ text: 'word '.repeat(1000) }) }

conditions('get 304 for a matching tag, cached or not, with GET and HEAD', async () => {
  await using shop = await openShop({ cached: {}, fresh: { cache: false, sale: () => ({ made: 0 }) } })
  for (const headers of [{}, as('author', 5)]) {
    for (const route of ['cached', 'fresh']) {
      const etag = (await shop.getRoute(route, headers)).response.headers.get('etag')!
      assert.match(etag, /^"[\w-]+"$/)
      for (const [list, status] of [
        [etag, 304],
        [`W/${etag}`, 304],
        [`"other", ${etag}`, 304],
        ['*', 304],
        ['"other"', 200],
      ] as const) {
        for (const method of ['GET', 'HEAD']) {
          // Dates next to tags are ignored.
          const requestHeaders = { ...headers, 'if-none-match': list, 'if-modified-since': new Date().toUTCString() }
          const response = await shop.request(`/shop/v1/${route}`, { method, headers: requestHeaders })
          assert.is(response.status, status, `${method} ${route} ${list}`)
          assert.is(response.headers.get('etag'), etag)
          if (status === 304) {
            assert.equal([response.headers.get('content-type'), response.headers.get('content-length')], [null, null])
            assert.is(await response.text(), '')
            assert.ok(response.headers.get('vary'))
          }
        }
      }
    }
  }
  assert.is(shop.calls['cached'], 2)
})

conditions('get 200 after a change', async () => {
  await using shop = await openShop()
  const etag = (await shop.getRoute('stock')).response.headers.get('etag')!
  await shop.getRoute('stock')
  shop.sell()
  assert.is((await shop.getRoute('stock', { 'if-none-match': etag })).response.status, 200)
})

conditions('get no tag with errors', async () => {
  await using shop = await openShop({ missing: () => new RestResponse({}, 404) })
  assert.is((await shop.getRoute('missing', { 'if-none-match': '*' })).response.headers.get('etag'), null)
  const { status, headers } = await shop.get('/nope', { 'if-none-match': '*' })
  assert.equal([status, headers.get('etag')], [404, null])
})

conditions('get 304 by date without tags, but never miss a second change within one second', async () => {
  using clock = stopClock()
  await using shop = await openShop()
  clock.advance(1000)
  shop.sell()
  const first = (await shop.getRoute('stock')).response.headers.get('last-modified')!
  shop.sell()
  assert.is((await shop.getRoute('stock', { 'if-modified-since': first })).response.status, 200)
  clock.advance(1000)
  const second = (await shop.getRoute('stock')).response.headers.get('last-modified')!
  for (let time = 0; time < 3; time += 1) {
    const { response } = await shop.getRoute('stock', { 'if-modified-since': second })
    assert.equal([response.status, response.headers.get('last-modified')], [304, second])
  }
  assert.is((await shop.getRoute('stock', { 'if-modified-since': first })).response.status, 200)
  assert.is((await shop.getRoute('stock', { 'if-modified-since': 'yesterday' })).response.status, 200)
})

conditions('of logged-in users get no 304 by date, because the date can be from before the login', async () => {
  using clock = stopClock()
  await using shop = await openShop()
  await shop.getRoute('stock')
  clock.advance(1000)
  const date = (await shop.getRoute('stock')).response.headers.get('last-modified')!
  for (let time = 0; time < 3; time += 1) {
    const { response } = await shop.getRoute('stock', { ...as('author', 5), 'if-modified-since': date })
    assert.equal([response.status, response.headers.get('last-modified')], [200, null])
  }
  assert.is((await shop.getRoute('stock', { 'if-modified-since': date })).response.status, 304)
})

conditions('get as Last-Modified only seconds that are over', () => {
  const at = Date.parse('2026-01-01T10:00:05.400Z')
  assert.is(lastModified(at, at + 500), 'Thu, 01 Jan 2026 10:00:04 GMT')
  assert.is(lastModified(at, at + 600), 'Thu, 01 Jan 2026 10:00:05 GMT')
  const modifiedSince = (date: string) => ({ ifNoneMatch: null, ifModifiedSince: date })
  const clientTag = (date: string) => findClientTag(modifiedSince(date), { etag: '"a"', modified: at })
  assert.is(clientTag('Thu, 01 Jan 2026 10:00:04 GMT'), null)
  assert.is(clientTag('Thu, 01 Jan 2026 10:00:05 GMT'), '"a"')
  assert.is(findClientTag(modifiedSince('Thu, 01 Jan 2026 10:00:05 GMT'), { etag: '"a"', modified: null }), null)
})

conditions('get the tag that a plugin has set', async () => {
  await using shop = await openShop({
    own: () => {
      const response = new RestResponse({})
      response.headers.set('ETag', '"mine"')
      return response
    },
  })
  for (let time = 0; time < 2; time += 1) {
    assert.is((await shop.getRoute('own')).response.headers.get('etag'), '"mine"')
    assert.is((await shop.getRoute('own', { 'if-none-match': '"mine"' })).response.status, 304)
  }
})

conditions('get a separate tag for each encoding', async () => {
  using clock = stopClock()
  await using shop = await openShop({ long: LONG })
  clock.advance(1000)
  const plain = (await shop.getRoute('long', { 'accept-encoding': 'identity' })).response.headers.get('etag')!
  for (const encoding of ['gzip', 'br', 'zstd']) {
    const requestHeaders = { 'accept-encoding': encoding }
    await until(
      async () => (await shop.getRoute('long', requestHeaders)).response.headers.get('content-encoding') === encoding,
    )
    const { cache, response, text } = await shop.getRoute('long', requestHeaders)
    const etag = `"${plain.slice(1, -1)}-${encoding}"`
    assert.equal([cache, response.headers.get('etag')], ['HIT', etag])
    assert.match(response.headers.get('vary')!, 'Accept-Encoding')
    assert.match(text, 'word word')
    const again = await shop.getRoute('long', { ...requestHeaders, 'if-none-match': etag })
    assert.equal([again.response.status, again.response.headers.get('etag')], [304, etag])
  }
  const { headers } = (await shop.getRoute('long', { 'accept-encoding': 'br;q=0, zstd;q=0, gzip;q=0' })).response
  assert.equal([headers.get('content-encoding'), headers.get('etag')], [null, plain])
  const refused = (await shop.getRoute('long', { 'accept-encoding': 'gzip, identity;q=0' })).response
  assert.is(refused.headers.get('content-encoding'), 'gzip')
  assert.is(shop.calls['long'], 1)
})

conditions('of visitors get the Cache-Control of the option cache_control', async () => {
  await using shop = await openShop()
  const cacheControl = async (headers = {}) =>
    (await shop.getRoute('stock', headers)).response.headers.get('cache-control')
  assert.equal(
    [await cacheControl(), await cacheControl()],
    Array.from({ length: 2 }, () => 'public, max-age=0, must-revalidate'),
  )
  assert.match((await cacheControl(as('author')))!, 'no-store')
  assert.match((await cacheControl({ authorization: 'Bearer x' }))!, 'no-store')
  await using minute = await openShop(undefined, {
    plugins: { 'response-cache': { cache_control: 'public, max-age=60' } },
  })
  assert.is((await minute.getRoute('stock')).response.headers.get('cache-control'), 'public, max-age=60')
})

conditions('of visitors get the tags of the response in the header of the option tags_header', async () => {
  for (const [header, value] of [
    ['Surrogate-Key', 'stock:7 a%20b%2C'],
    ['Cache-Tag', 'stock:7,a%20b%2C'],
  ] as const) {
    await using shop = await openShop(
      { stock: (request) => request.dependsOn('a b,') ?? {} },
      { plugins: { 'response-cache': { tags_header: header } } },
    )
    for (let time = 0; time < 2; time += 1)
      assert.is((await shop.getRoute('stock')).response.headers.get(header), value)
    assert.is((await shop.getRoute('stock', as('author'))).response.headers.get(header), null)
  }
})

conditions('get tags of tables if there are too many objects', () => {
  const posts = Array.from({ length: 3000 }, (_, id) => `post:${id}`)
  assert.is(
    tagsValue([...posts, 'revisions:parent=3', 'option:title', 'table:terms', 'stock:7', 'all'], 'Cache-Tag'),
    'table:posts,table:options,table:terms,stock:7,all',
  )
  assert.is(tagsValue(posts.slice(0, 2), 'Surrogate-Key'), 'post:0 post:1')
  assert.is(
    tagsValue(
      posts.map((tag) => tag.replace(':', '-')),
      'Surrogate-Key',
    )?.length ?? null,
    null,
  )
})

conditions.run()
