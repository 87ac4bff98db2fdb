import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { failureOf } from '../../kernel/failure.ts'
import { as, serve, type Site, startOnly } from '../../helpers/site.ts'

startOnly('cors')

const cors = suite('cors')

const SHOP = 'https://shop.test'

cors('admits any origin unless told otherwise, as clients expect', async () => {
  await using site = await serve()
  for (const origin of [SHOP, 'http://localhost:3000', 'null', 'app://local']) {
    const { headers } = await site.get('/svc/v2/types', { origin })
    assert.is(headers.get('access-control-allow-origin'), origin)
    assert.is(headers.get('access-control-allow-methods'), 'OPTIONS, GET, POST, PUT, PATCH, DELETE')
    assert.match(headers.get('vary')!, /\bOrigin\b/)
  }
})

/** Every way to ask with an origin: what is answered allows its page to send cookies. */
const admitted = async (site: Site, origin: string) => {
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'X-SVC-Nonce' }
  const answers = [
    await site.get('/svc/v2/types', { origin }),
    await site.get('/svc/v2/types', { origin, ...as('administrator') }),
    await site.get('/nope', { origin }),
    await site.get('/svc/v2/settings', { origin }),
    await site.request('/svc/v2/posts', { method: 'POST', headers: { origin } }),
    await site.request('/svc/v2/posts', { method: 'OPTIONS', headers: { origin, ...preflight } }),
    await site.request('/svc/v2/types', { method: 'HEAD', headers: { origin } }),
  ]
  for (const { headers } of answers) assert.match(headers.get('vary')!, /\bOrigin\b/)
  const told = answers.map(({ headers }) =>
    ['origin', 'credentials'].map((name) => headers.get(`access-control-allow-${name}`)).join(' '),
  )
  const front = await site.get(`${site.home}/`, { origin })
  assert.is(front.headers.get('access-control-allow-credentials'), null)
  assert.match(front.headers.get('vary')!, /\bOrigin\b/)
  assert.is(new Set(told).size, 1, told.join('; '))
  return told[0]
}

cors('S20: lets pages of listed origins alone send cookies, and never those of the origin null', async () => {
  const strangers = [
    'https://evil.test',
    'https://shop.test.evil.test',
    'http://shop.test',
    'https://shop.test:8443',
    'HTTPS://SHOP.TEST',
    'null',
  ]
  const credentials = async (options: Record<string, unknown>, origins: readonly string[]) => {
    await using site = await serve({ plugins: { cors: options } })
    const told: (string | undefined)[] = []
    for (const origin of origins) told.push(await admitted(site, origin))
    return told
  }
  const bare = strangers.map((origin) => `${origin} `)
  assert.equal(await credentials({}, [SHOP, ...strangers, '*']), [`${SHOP} `, ...bare, ' '])
  assert.equal(await credentials({ origins: ['*', SHOP] }, [SHOP, ...strangers]), [`${SHOP} true`, ...bare])
  assert.equal(await credentials({ origins: [SHOP] }, [SHOP, ...strangers]), [`${SHOP} true`, ...bare.map(() => ' ')])
  const all = { origins: ['*'], credentials: 'all' }
  assert.equal(await credentials(all, [SHOP, 'https://evil.test', 'null']), [
    `${SHOP} true`,
    'https://evil.test true',
    'null ',
  ])
})

cors('reflects nothing that is no origin', async () => {
  await using site = await serve()
  for (const origin of ['https://a.test/path', '<script>', 'a', 'https://a.test, https://b.test']) {
    const { headers } = await site.get('/svc/v2/types', { origin })
    assert.is(headers.get('access-control-allow-origin'), null, origin)
    assert.match(headers.get('vary')!, /\bOrigin\b/)
  }
})

cors('S20: admits a listed origin and no other', async () => {
  await using site = await serve({ plugins: { cors: { origins: [SHOP] } } })
  assert.is((await site.get('/svc/v2/types', { origin: SHOP })).headers.get('access-control-allow-origin'), SHOP)
  for (const origin of ['https://elsewhere.test', 'https://shop.test.evil.test', 'HTTPS://SHOP.TEST', 'null']) {
    const { headers } = await site.get('/svc/v2/types', { origin })
    for (const name of ['origin', 'methods', 'credentials']) {
      assert.is(headers.get(`access-control-allow-${name}`), null, origin)
    }
    assert.match(headers.get('vary')!, /\bOrigin\b/)
  }
})

cors('tells caches that answers differ by origin: visitors who read with any, everybody with a list', async () => {
  const vary = async (config: Record<string, never> | { cors: { origins: string[] } }, init: RequestInit = {}) => {
    await using site = await serve({ plugins: { ...config, compression: false } })
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
  // So that a page can send back the tag of what it has read.
  assert.match(answer.headers.get('access-control-allow-headers')!, 'If-Match, If-None-Match, If-Unmodified-Since')
  const read = await site.get('/svc/v2/types', { origin: SHOP })
  assert.match(read.headers.get('access-control-expose-headers')!, /, ETag$/)
})

cors('lets pages find the REST API in the headers of the front page', async () => {
  await using site = await serve()
  const { headers } = await site.get(`${site.home}/`, { origin: SHOP })
  assert.is(headers.get('access-control-allow-origin'), SHOP)
  assert.is(headers.get('access-control-expose-headers'), 'Link')
  assert.is(headers.get('access-control-allow-credentials'), null)
})

cors('adds nothing once disabled', async () => {
  await using site = await serve({ plugins: { cors: false, compression: false } })
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
