import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { failureOf } from '../../kernel/failure.ts'
import { as, serve, type Site, startOnly } from '../../helpers/site.ts'

startOnly('cors')

const cors = suite('cors')

const SHOP = 'https://shop.test'

cors('allows any origin by default, as clients expect', async () => {
  await using site = await serve()
  for (const origin of [SHOP, 'http://localhost:3000', 'null', 'app://local']) {
    const { headers } = await site.get('/svc/v2/types', { origin })
    assert.is(headers.get('access-control-allow-origin'), origin)
    assert.is(headers.get('access-control-allow-methods'), 'OPTIONS, GET, POST, PUT, PATCH, DELETE')
    assert.match(headers.get('vary')!, /\bOrigin\b/)
  }
})

/**
 * Sends requests of every kind with an origin. @returns the allowed origin and credentials, which must be the same for
 * all
 */
const grantsFor = async (site: Site, origin: string) => {
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
  const granted = answers.map(({ headers }) =>
    ['origin', 'credentials'].map((name) => headers.get(`access-control-allow-${name}`)).join(' '),
  )
  const front = await site.get(`${site.home}/`, { origin })
  assert.is(front.headers.get('access-control-allow-credentials'), null)
  assert.match(front.headers.get('vary')!, /\bOrigin\b/)
  assert.is(new Set(granted).size, 1, granted.join('; '))
  return granted[0]
}

cors('S20: allows credentials for every allowed origin, or for the listed ones only', async () => {
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
    const granted: (string | undefined)[] = []
    for (const origin of origins) granted.push(await grantsFor(site, origin))
    return granted
  }
  const bare = strangers.map((origin) => `${origin} `)
  assert.equal(
    await credentials({}, [SHOP, ...strangers]),
    [SHOP, ...strangers].map((origin) => `${origin} true`),
  )
  const refused = bare.map(() => ' ')
  assert.equal(await credentials({ origins: [SHOP] }, [SHOP, ...strangers]), [`${SHOP} true`, ...refused])
  const listed = { credentials: 'listed' }
  assert.equal(await credentials(listed, [SHOP, ...strangers]), [`${SHOP} `, ...bare])
  const both = { ...listed, origins: ['*', SHOP] }
  assert.equal(await credentials(both, [SHOP, ...strangers]), [`${SHOP} true`, ...bare])
})

cors('sanitizes a header that is no origin as a URL, which matches the origin of no page', async () => {
  await using site = await serve()
  const sanitized = [
    ['<script>', 'http://script'],
    ['a', 'http://a'],
    ['*', 'http://*'],
    ['https://a.test, https://b.test', 'https://a.test,%20https://b.test'],
    ['javascript:alert(1)', null],
  ] as const
  for (const [origin, expected] of sanitized) {
    for (const path of ['/svc/v2/types', `${site.home}/`]) {
      const { headers } = await site.get(path, { origin })
      assert.is(headers.get('access-control-allow-origin'), expected, origin)
      assert.match(headers.get('vary')!, /\bOrigin\b/)
    }
  }
})

cors('S20: allows listed origins and no others', async () => {
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

cors('sends Vary: Origin for reads by visitors with any origin, and for all requests with a list', async () => {
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

cors('lists the headers that pages can read and send, which filters can change', async () => {
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

cors('uses the word of the site in header names', async () => {
  await using site = await serve({ word: 'wp' })
  const { headers } = await site.get('/wp/v2/types')
  assert.match(headers.get('access-control-allow-headers')!, 'X-WP-Nonce')
  assert.match(headers.get('access-control-expose-headers')!, 'X-WP-Total')
})

cors('responds to preflight requests with a max age', async () => {
  await using site = await serve()
  const headers = { origin: SHOP, 'access-control-request-method': 'POST' }
  const answer = await site.request('/svc/v2/types', { method: 'OPTIONS', headers })
  assert.is(answer.status, 200)
  assert.is(answer.headers.get('access-control-allow-origin'), SHOP)
  assert.is(answer.headers.get('access-control-max-age'), '600')
  // Pages can send the tag of a representation back.
  assert.match(answer.headers.get('access-control-allow-headers')!, 'If-Match, If-None-Match, If-Unmodified-Since')
  const read = await site.get('/svc/v2/types', { origin: SHOP })
  assert.match(read.headers.get('access-control-expose-headers')!, /, ETag$/)
})

cors('lets pages read the Link header of the front page', async () => {
  await using site = await serve()
  const { headers } = await site.get(`${site.home}/`, { origin: SHOP })
  assert.is(headers.get('access-control-allow-origin'), SHOP)
  assert.is(headers.get('access-control-expose-headers'), 'Link')
  assert.is(headers.get('access-control-allow-credentials'), null)
})

cors('adds nothing if disabled', async () => {
  await using site = await serve({ plugins: { cors: false, compression: false } })
  const { headers } = await site.get('/svc/v2/types', { origin: SHOP })
  assert.equal(
    [...headers.keys()].filter((name) => name.startsWith('access-control')),
    [],
  )
  assert.is(headers.get('vary'), null)
})

cors('names an invalid option', async () => {
  for (const origins of ['*', ['shop.test'], ['https://shop.test/']]) {
    const error = await failureOf(() => serve({ plugins: { cors: { origins } } }))
    assert.is(error.code, 'PLUGIN_OPTIONS_INVALID')
    assert.match(error.message, '"origins" of cors')
  }
})

cors.run()
