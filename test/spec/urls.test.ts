import * as assert from 'uvu/assert'
import { definePlugin } from '../../kernel/index.ts'
import { serve, startOnly, type ServeOptions, type Site } from '../helpers/site.ts'
import { BEFORE, echo, ITEM, specSuite } from './spec-suite.ts'

startOnly('settings', 'site-pages', 'login')

const { spec, siteOf } = specSuite('4.1 to 4.3')

const PATH = '/things/v1/item'
/** Requests a path below the home URL. */
const page = (site: Site, path: string) => site.request(`${site.home}${path}`)
/** Returns whether a path below the home URL is that of the route `/things/v1/item`. */
const isItem = async (site: Site, path: string) => {
  const response = await page(site, path)
  return response.status === 200 && (await response.text()) === JSON.stringify(ITEM)
}

spec('spec 4.1.0: joins namespace and route by one slash, without slashes around either', async () => {
  await using site = await serve()
  const { server } = site.kernel
  for (const [space, route] of [
    ['a/v1', 'x'],
    ['/b/v1/', '/x/'],
  ] as const)
    server.registerRoute(space, route, { permission_callback: () => true, callback: () => 1 })
  const added = [...server.routes.keys()].filter((pattern) => /^\/[ab]\//.test(pattern))
  assert.equal(added.toSorted(), ['/a/v1', '/a/v1/x', '/b/v1', '/b/v1/x'])
})

spec('spec 4.1.table.1: has routes below the home URL and the prefix', async () => {
  for (const revision of ['latest', '4.4']) {
    const site = await siteOf({ revision })
    assert.is(site.kernel.urls.rest(PATH), `${site.home}/svc-json${PATH}`)
    assert.ok(await isItem(site, `/svc-json${PATH}`))
  }
})

spec('spec 4.1.table.2: has routes below the index script, in later revisions', async () => {
  const site = await siteOf({ addresses: 'index' })
  assert.is(site.kernel.urls.rest(PATH), `${site.home}/index.php/svc-json${PATH}`)
  assert.ok(await isItem(site, `/index.php/svc-json${PATH}`))
  const old = await siteOf({ addresses: 'index', revision: '4.4' })
  assert.is(old.kernel.urls.rest(PATH), `${old.home}/svc-json${PATH}`)
  const next = await siteOf({ addresses: 'index', revision: '4.7' })
  assert.is(next.kernel.urls.rest(PATH), `${next.home}/index.php/svc-json${PATH}`)
})

spec('spec 4.1.table.3: has routes in the query of the index script, or of the home URL in revision 4.4', async () => {
  const site = await siteOf({ addresses: 'plain' })
  assert.is(site.kernel.urls.rest(PATH), `${site.home}/index.php?rest_route=${PATH}`)
  assert.ok(await isItem(site, `/index.php?rest_route=${PATH}`))
  const old = await siteOf({ addresses: 'plain', revision: '4.4' })
  assert.is(old.kernel.urls.rest(PATH), `${old.home}/?rest_route=${PATH}`)
  assert.ok(await isItem(old, `/?rest_route=${PATH}`))
})

spec('spec 4.1.1.1: builds the URL of the root from an empty path', async () => {
  for (const options of [{}, { addresses: 'index' }, { addresses: 'plain' }, { revision: '4.4' }]) {
    const { urls } = (await siteOf(options)).kernel
    assert.is(urls.rest(''), urls.rest('/'))
    assert.is(urls.rest(), urls.rest('/'))
  }
})

spec('spec 4.1.1.2: builds URLs with a single slash before the path, in later revisions', async () => {
  for (const addresses of ['pretty', 'index', 'plain']) {
    const { urls } = (await siteOf({ addresses })).kernel
    for (const path of ['a/b', '//a/b']) assert.is(urls.rest(path), urls.rest('/a/b'), `${addresses} ${path}`)
  }
  const old = await siteOf({ addresses: 'plain', revision: '4.4' })
  assert.is(old.kernel.urls.rest('a/b'), `${old.home}/?rest_route=a/b`)
})

/** Returns the roots that clients see for a request with these headers: of the discovery link and of links in the body. */
async function rootsOf(site: Site, headers: Record<string, string>, host = '127.0.0.1') {
  const url = site.listening.replace('127.0.0.1', host)
  const index = await site.get(`${url}/svc-json/`, headers)
  const { routes } = (await index.json()) as { routes: Record<string, { _links?: { self: { href: string }[] } }> }
  return [
    index.headers.get('link')!.slice(1, 7),
    routes[PATH]!._links!.self[0]!.href.slice(0, 6),
    (await site.get(`${url}/`, headers)).headers.get('link')!.slice(1, 7),
  ].join(' ')
}

const OVER_TLS = { 'x-forwarded-proto': 'https' }
const [SECURE, OPEN] = [Array(3).fill('https:').join(' '), Array(3).fill('http:/').join(' ')]

spec('spec 4.1.2.1: builds https URLs for requests over TLS to the host of the home URL', async () => {
  for (const revision of ['latest', '4.4']) {
    const site = await siteOf({ trust_proxy: true, revision })
    for (let round = 0; round < 2; round += 1) {
      assert.is(await rootsOf(site, OVER_TLS), SECURE)
      assert.is(await rootsOf(site, {}), OPEN)
      assert.is(await rootsOf(site, OVER_TLS, 'localhost'), OPEN, 'another host')
    }
  }
})

spec('spec 4.1.2.2: builds https URLs for every request if the admin is forced to TLS', async () => {
  for (const revision of ['latest', '4.4']) {
    const site = await siteOf({ revision, plugins: { tls: { force_admin: true } } })
    assert.is(await rootsOf(site, {}), SECURE)
  }
})

/** Returns the arguments that taps of `rest_url` get. */
async function argumentsOf(options: ServeOptions, build: (site: Site) => string): Promise<unknown[]> {
  await using site = await serve(options)
  let received: unknown[] = []
  site.kernel.hooks.rest_url.tap('test', (url, path, blogId, scheme) => {
    received = [url.replace(site.home, ''), path, blogId, scheme]
    return url
  })
  build(site)
  return received
}

spec('spec 4.1.3.1: builds URLs with the path / and the scheme rest by default, json in revision 4.4', async () => {
  const build = (site: Site) => site.kernel.urls.rest()
  assert.equal(await argumentsOf({}, build), ['/svc-json/', '/', null, 'rest'])
  assert.equal(await argumentsOf({ revision: '4.4' }, build), ['/svc-json/', '/', null, 'json'])
})

spec('spec 4.1.3.2: does not escape URLs', async () => {
  const site = await siteOf()
  assert.is(site.kernel.urls.rest('/a?b=1&c="<>'), `${site.home}/svc-json/a?b=1&c="<>`)
})

spec('spec 4.1.3.3: passes URLs through rest_url', async () => {
  await using site = await serve()
  site.kernel.hooks.rest_url.tap('test', (url, path) => `${url}#${path}`)
  assert.is(site.kernel.urls.rest('/a'), `${site.home}/svc-json/a#/a`)
})

const withPrefix = definePlugin({
  name: 'with-prefix',
  apply: ({ hooks }) => hooks.rest_url_prefix.tap('with-prefix', () => 'api'),
})

spec('spec 4.1.4: has the prefix svc-json, unless rest_url_prefix replaces it', async () => {
  assert.is((await page(await siteOf(), '/svc-json/')).status, 200)
  await using site = await serve({ add: [withPrefix] })
  assert.is(site.kernel.urls.rest('/a'), `${site.home}/api/a`)
  assert.equal([(await page(site, '/api/')).status, (await page(site, '/svc-json/')).status], [200, 404])
})

const isIndex = async (site: Site, path: string) => 'routes' in ((await (await page(site, path)).json()) as object)

spec('spec 4.1.5.1: routes the prefix with or without a slash to the root', async () => {
  for (const path of ['/svc-json', '/svc-json/']) assert.ok(await isIndex(await siteOf(), path), path)
})

spec('spec 4.1.5.2: routes the text after the prefix', async () => {
  const site = await siteOf()
  assert.ok(await isItem(site, `/svc-json${PATH}`))
  assert.is((await page(site, `/svc-jsonx${PATH}`)).status, 404)
})

spec('spec 4.1.5.3: routes the same paths below the index script, in later revisions', async () => {
  const site = await siteOf()
  for (const path of ['/index.php/svc-json', '/index.php/svc-json/']) assert.ok(await isIndex(site, path), path)
  assert.ok(await isItem(site, `/index.php/svc-json${PATH}`))
  assert.is((await page(await siteOf({ revision: '4.4' }), `/index.php/svc-json${PATH}`)).status, 404)
})

spec('spec 4.1.5.4: reads the query parameter rest_route of pages', async () => {
  for (const path of ['/', '/index.php', '/some/page/'])
    assert.ok(await isItem(await siteOf(), `${path}?rest_route=${PATH}`), path)
})

spec('spec 4.1.6.1: responds from the REST API if rest_route is not empty, and otherwise with a page', async () => {
  const site = await siteOf()
  assert.ok(await isItem(site, `/?a=b&rest_route=${PATH}`))
  assert.match((await page(site, '/?rest_route=')).headers.get('content-type')!, /^text\/html/)
})

spec('spec 4.1.6.2: ignores a slash at the end of a route, in later revisions', async () => {
  for (const path of [`/svc-json${PATH}/`, `/?rest_route=${PATH}/`]) {
    assert.ok(await isItem(await siteOf(), path), path)
    assert.is((await page(await siteOf({ revision: '4.4' }), path)).status, 404, path)
  }
})

spec('spec 4.1.6.3: treats a route that is empty without its slash as the root', async () => {
  for (const path of ['/?rest_route=/', '/svc-json//']) assert.ok(await isIndex(await siteOf(), path), path)
})

/** Registers a route on a new site. @returns its endpoints and options */
async function register(definition: object, override = false) {
  await using site = await serve()
  const { server } = site.kernel
  const callback = () => 'first'
  server.registerRoute('x/v1', 'it', { callback, permission_callback: () => true })
  const returned: unknown = server.registerRoute('x/v1', override ? 'it' : 'other', definition as never, override)
  const { endpoints, options } = server.routes.get(override ? '/x/v1/it' : '/x/v1/other')!
  return { returned, endpoints, options }
}

const group = { callback: () => 'second', permission_callback: () => true }

spec('spec 4.2.table.1: treats an object with a callback as one endpoint', async () => {
  assert.is((await register({ ...group, methods: 'PUT', args: { a: {} } })).endpoints.length, 1)
})

spec('spec 4.2.table.2: adds shared arguments to each endpoint, whose own arguments have precedence', async () => {
  const { endpoints } = await register({
    args: { a: { type: 'integer' }, b: { default: 1 } },
    0: { ...group, args: { b: { default: 2 } } },
    1: { ...group, methods: 'POST' },
  })
  assert.equal(
    endpoints.map(({ args }) => args),
    [
      { a: { type: 'integer' }, b: { default: 2 } },
      { a: { type: 'integer' }, b: { default: 1 } },
    ],
  )
})

spec('spec 4.2.table.3: has GET and no arguments by default, and keeps the options of a route', async () => {
  const { endpoints, options } = await register({ 0: group, 'x-note': { any: 'thing' } })
  assert.equal([endpoints.length, endpoints[0]!.methods, endpoints[0]!.args], [1, ['GET'], {}])
  assert.equal(options, { 'x-note': { any: 'thing' } })
  const site = await siteOf()
  const refused = await site.get('/things/v1/handlerless')
  assert.equal([refused.status, ((await refused.json()) as { code: string }).code], [500, 'rest_invalid_handler'])
})

spec('spec 4.2.table.4: builds the full route without slashes around namespace and route', async () => {
  await using site = await serve()
  site.kernel.server.registerRoute('/x/v1/', '/it/', group)
  assert.ok(site.kernel.server.routes.has('/x/v1/it'))
})

spec('spec 4.2.table.5: returns true', async () => assert.is((await register(group)).returned, true))

spec('spec 4.2.table.6: replaces the endpoints of a route with override, and otherwise adds to them', async () => {
  assert.is((await register({ ...group, methods: 'GET' }, true)).endpoints.length, 1)
  await using site = await serve()
  for (const methods of ['GET', 'POST']) site.kernel.server.registerRoute('x/v1', 'it', { ...group, methods })
  assert.is(site.kernel.server.routes.get('/x/v1/it')!.endpoints.length, 2)
})

spec('spec 4.2.1: warns about a route that is registered outside of rest_api_init', async () => {
  const lines: string[] = []
  const late = definePlugin({
    name: 'late',
    apply(context) {
      context.hooks.server_starting.tap('late', () => void context.server.registerRoute('late/v1', 'it', group))
    },
  })
  await using _site = await serve({ add: [late], log: 'warn', logTo: (line) => void lines.push(line) })
  assert.ok(
    lines.some((line) => line.includes('outside of rest_api_init')),
    lines.join(''),
  )
})

spec('spec 4.2.2: lets permission_callback decide about the request and the header Allow', async () => {
  const site = await siteOf()
  const refused = await site.get('/things/v1/closed')
  assert.equal([refused.status, refused.headers.get('allow')], [401, null])
  assert.is((await site.get('/things/v1/item')).headers.get('allow'), 'GET')
})

spec('spec 4.3.table.1: describes the REST API at the prefix', async () => {
  const site = await siteOf()
  const response = await page(site, '/svc-json/')
  assert.match(response.headers.get('content-type')!, /^application\/json/)
  const index = (await response.json()) as Record<string, object>
  assert.ok(PATH in index['routes']!)
})

spec('spec 4.4.table.1: reads arguments from query or body, for the methods of the route', async () => {
  const site = await siteOf()
  const read = await site.json('/things/v1/echo/x?count=2')
  assert.equal([read.method, read.params], ['GET', { count: 2, id: 'x' }])
  assert.equal((await echo(site, { count: 2 })).params, { count: 2, id: 'x' })
  assert.is((await site.request('/things/v1/echo/x', { method: 'DELETE' })).status, 404)
})

spec('spec 9.1: has the prefix svc-json by default, which can be replaced', async () => {
  assert.is((await siteOf()).kernel.urls.prefix, 'svc-json')
  await using site = await serve({ add: [withPrefix] })
  assert.is(site.kernel.urls.prefix, 'api')
})

spec('spec 9.2: begins each route with its namespace', async () => {
  for (const revision of ['latest', ...BEFORE['5.4']]) {
    const { server } = (await siteOf({ revision })).kernel
    for (const [pattern, { namespace }] of server.routes) assert.ok(pattern.startsWith(`/${namespace}`), pattern)
  }
})

spec.run()
