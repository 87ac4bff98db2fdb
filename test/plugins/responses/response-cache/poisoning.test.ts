import { request } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stopClock } from '../../../helpers/clock.ts'
import { openShop, type Shop } from '../../../helpers/shop.ts'
import { as, startOnly } from '../../../helpers/site.ts'

startOnly('response-cache')

const poisoning = suite('cache poisoning')

/** Sends a GET with raw headers, including ones that fetch does not send, and reads the whole response. */
function raw(shop: Shop, path: string, headers: Record<string, string> | string[], method = 'GET') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const url = new URL(`${shop.home}/svc-json${path}`)
    const sent = request(url, { method, headers }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (part: string) => (text += part))
      incoming.on('end', () => resolve({ status: incoming.statusCode!, headers: incoming.headers, text }))
    })
    sent.on('error', reject).end()
  })
}

poisoning('S35: request headers outside of the key never affect responses to other clients', async () => {
  using clock = stopClock()
  await using shop = await openShop({
    stock: ({ query }) => ({ query }),
    echo: (request) => ({ lang: request.headers.get('accept-language'), host: request.headers.get('host') }),
    address: ({ ip, secure }) => ({ ip, secure }),
  })
  clock.advance(1000)
  const attempts: Record<string, string>[] = [
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example' },
    { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.example' },
    { 'x-http-method-override': 'DELETE' },
    { 'x-original-url': '/evil', 'x-rewrite-url': '/evil' },
    { 'accept-language': 'xx-EVIL', accept: 'text/evil', 'user-agent': 'evil' },
    { origin: 'https://evil.example' },
    { cookie: 'svc_logged_in=evil', 'x-svc-nonce': '' },
    { range: 'bytes=0-3' },
  ]
  for (const [at, attempt] of attempts.entries()) {
    for (const route of ['stock', 'echo', 'address']) {
      const path = `/shop/v1/${route}?n=${at}`
      for (let time = 0; time < 3; time += 1) await raw(shop, path, attempt)
      const { status, headers, text } = await raw(shop, path, {})
      assert.is(status, 200)
      const seen = `${JSON.stringify(headers)} ${text}`
      assert.not.match(seen, /evil|EVIL|6\.6\.6\.6|DELETE/, `${route} ${JSON.stringify(attempt)}`)
      assert.is(headers['access-control-allow-origin'], undefined)
    }
  }
})

poisoning('S35: arguments are part of the key in any form', async () => {
  using clock = stopClock()
  await using shop = await openShop({
    stock: { args: { n: { type: 'integer', default: 1 } }, sale: ({ query }) => ({ query }) },
  })
  clock.advance(1000)
  for (const query of [
    '_fields=query',
    '_locale=xx',
    '_envelope',
    '_embed',
    'n=2',
    'n=1',
    'unknown=1',
    '_method=DELETE',
  ]) {
    for (let time = 0; time < 2; time += 1) await shop.getRoute(`stock?${query}`)
    const { text } = await shop.getRoute('stock')
    assert.match(text, '"query":{}', query)
  }
  assert.is(shop.calls['stock'], 9)
})

poisoning('S35: each origin gets its own CORS headers', async () => {
  using clock = stopClock()
  await using shop = await openShop()
  clock.advance(1000)
  for (let time = 0; time < 3; time += 1) {
    for (const origin of ['https://a.example', 'https://b.example', null]) {
      const { response } = await shop.getRoute('stock', origin === null ? {} : { origin })
      assert.is(response.headers.get('access-control-allow-origin'), origin)
      assert.match(response.headers.get('vary')!, 'Origin')
    }
  }
  assert.is(shop.calls['stock'], 1)
})

poisoning('S35: an ambiguous request is refused even if its response is cached', async () => {
  using clock = stopClock()
  await using shop = await openShop()
  clock.advance(1000)
  await shop.cacheStatuses('stock', 3)
  assert.is((await raw(shop, '/shop/v1/stock', ['Host', '127.0.0.1', 'Host', 'evil.example'])).status, 400)
  assert.is((await raw(shop, '/shop/v1/stock', { host: 'a b' })).status, 400)
  assert.is((await raw(shop, '/shop/v1/stock', {}, 'DELETE')).status, 404)
  assert.is((await raw(shop, '/shop/v1/stock', {}, 'OPTIONS')).status, 200)
  assert.is((await raw(shop, '/shop/v1/stock', {}, 'HEAD')).text, '')
})

poisoning('S35: a response to credentials is never served without them', async () => {
  using clock = stopClock()
  await using shop = await openShop({ me: ({ user }) => ({ id: user.id }) })
  clock.advance(1000)
  for (let time = 0; time < 3; time += 1) {
    assert.match((await shop.getRoute('me', as('administrator', 9))).text, '"id":9')
    const bearer = await shop.getRoute('me', { authorization: 'Bearer nobody' })
    assert.match(bearer.response.headers.get('cache-control')!, 'no-store', bearer.text)
    const { text, response } = await shop.getRoute('me')
    assert.match(text, '"id":0')
    assert.is(response.headers.get('cache-control'), 'public, max-age=0, must-revalidate')
  }
})

poisoning.run()
