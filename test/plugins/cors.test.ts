import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../kernel/index.ts'
import { failureOf } from '../kernel/failure.ts'
import { as, serve } from '../site.ts'

const cors = suite('cors')

const SHOP = 'https://shop.test'

cors('admits any origin unless told otherwise, as clients expect', async () => {
  await using site = await serve()
  for (const origin of [SHOP, 'http://localhost:3000', 'null', 'app://local']) {
    const { headers } = await site.get('/svc/v2/types', { origin })
    assert.is(headers.get('access-control-allow-origin'), origin)
    assert.is(headers.get('access-control-allow-methods'), 'OPTIONS, GET, POST, PUT, PATCH, DELETE')
    assert.is(headers.get('access-control-allow-credentials'), 'true')
    assert.is(headers.get('vary'), 'Origin')
  }
})

cors('reflects nothing that is no origin', async () => {
  await using site = await serve()
  for (const origin of ['https://a.test/path', '<script>', 'a', 'https://a.test, https://b.test']) {
    const { headers } = await site.get('/svc/v2/types', { origin })
    assert.is(headers.get('access-control-allow-origin'), null, origin)
    assert.is(headers.get('vary'), 'Origin')
  }
})

cors('admits a listed origin and no other', async () => {
  await using site = await serve({ plugins: { cors: { origins: [SHOP] } } })
  assert.is((await site.get('/svc/v2/types', { origin: SHOP })).headers.get('access-control-allow-origin'), SHOP)
  for (const origin of ['https://elsewhere.test', 'https://shop.test.evil.test', 'HTTPS://SHOP.TEST', 'null']) {
    const { headers } = await site.get('/svc/v2/types', { origin })
    for (const name of ['origin', 'methods', 'credentials']) {
      assert.is(headers.get(`access-control-allow-${name}`), null, origin)
    }
    assert.is(headers.get('vary'), 'Origin')
  }
})

cors('tells caches that answers differ by origin: visitors who read with any, everybody with a list', async () => {
  const vary = async (config: Record<string, never> | { cors: { origins: string[] } }, init: RequestInit = {}) => {
    await using site = await serve({ plugins: config })
    return (await site.request('/svc/v2/types', init)).headers.get('vary')
  }
  assert.is(await vary({}), 'Origin')
  assert.is(await vary({}, { headers: as('author') }), null)
  assert.is(await vary({}, { method: 'POST' }), null)
  assert.is(await vary({}, { method: 'POST', headers: { 'x-http-method-override': 'GET' } }), null)
  assert.is(await vary({ cors: { origins: [SHOP] } }, { headers: as('author') }), 'Origin')
})

cors('names the headers that pages may read and send, and filters change them', async () => {
  const more = definePlugin({
    name: 'more',
    apply({ hooks }) {
      hooks.rest_exposed_cors_headers.tap('more', (names) => [...names, 'ETag'])
      hooks.rest_allowed_cors_headers.tap('more', (names) => names.filter((name) => name !== 'Content-MD5'))
    },
  })
  await using site = await serve({ add: [more] })
  const { headers } = await site.get('/svc/v2/types')
  assert.is(headers.get('access-control-expose-headers'), 'X-SVC-Total, X-SVC-TotalPages, Link, ETag')
  assert.is(
    headers.get('access-control-allow-headers'),
    'Authorization, X-SVC-Nonce, Content-Disposition, Content-Type',
  )
})

cors('writes header names with the word of the site', async () => {
  await using site = await serve({ word: 'wp' })
  const { headers } = await site.get('/wp/v2/types')
  assert.match(headers.get('access-control-allow-headers')!, 'X-WP-Nonce')
  assert.match(headers.get('access-control-expose-headers')!, 'X-WP-Total')
})

cors('answers a preflight request, for a browser to remember', async () => {
  await using site = await serve()
  const headers = { origin: SHOP, 'access-control-request-method': 'POST' }
  const answer = await site.request('/svc/v2/types', { method: 'OPTIONS', headers })
  assert.is(answer.status, 200)
  assert.is(answer.headers.get('access-control-allow-origin'), SHOP)
  assert.is(answer.headers.get('access-control-max-age'), '600')
})

cors('lets pages find the interface in the headers of the front page', async () => {
  await using site = await serve()
  const { headers } = await site.get(`${site.home}/`, { origin: SHOP })
  assert.is(headers.get('access-control-allow-origin'), SHOP)
  assert.is(headers.get('access-control-expose-headers'), 'Link')
  assert.is(headers.get('access-control-allow-credentials'), null)
})

cors('adds nothing once disabled', async () => {
  await using site = await serve({ plugins: { cors: false } })
  const { headers } = await site.get('/svc/v2/types', { origin: SHOP })
  assert.equal(
    [...headers.keys()].filter((name) => name.startsWith('access-control')),
    [],
  )
  assert.is(headers.get('vary'), null)
})

cors('names the option that is wrong', async () => {
  for (const origins of ['*', ['shop.test'], ['https://shop.test/']]) {
    const error = await failureOf(() => serve({ plugins: { cors: { origins } } }))
    assert.is(error.code, 'PLUGIN_OPTIONS_INVALID')
    assert.match(error.message, '"origins" of cors')
  }
})

cors.run()
