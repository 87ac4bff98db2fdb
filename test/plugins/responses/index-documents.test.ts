import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, type Route } from '../../../kernel/index.ts'
import { serve, startOnly } from '../../helpers/site.ts'
import { removePlugin } from '../../helpers/remove-plugin.ts'

startOnly('index-documents')

const index = suite('index-documents')

const books = definePlugin({
  name: 'books',
  apply({ hooks }) {
    hooks.rest_api_init.tap('books', (server) => {
      const open = { permission_callback: () => true, callback: () => [] }
      server.registerRoute('books/v1', 'all', {
        0: { ...open, allow_batch: true, args: { page: { type: 'integer', default: 1, minimum: 1, 'x-own': 'x' } } },
        schema: () => ({ title: 'book' }),
      })
      server.registerRoute('books/v1', 'all/(?P<id>[\\d]+)', open)
      server.registerRoute('books/v1', 'hidden', { ...open, show_in_index: false })
    })
  },
})

index('sends the same text with and without the cached text of its routes', async () => {
  const reads = definePlugin({
    name: 'test-reads',
    apply: ({ hooks }) => hooks.rest_pre_echo_response.tap('test-reads', (data) => structuredClone(data)),
  })
  const home = 'http://example.com'
  await using stored = await serve({ home, add: [books] })
  await using written = await serve({ home, add: [books, reads] })
  for (const path of ['/', '/?context=help', '/?_fields=name,routes']) {
    const twice = [await (await stored.get(path)).text(), await (await stored.get(path)).text()]
    const expected = await (await written.get(path)).text()
    assert.equal(twice, [expected, expected], path)
  }
})

index('includes changes of taps to its routes', async () => {
  const changes = definePlugin({
    name: 'test-changes',
    apply({ hooks }) {
      hooks.rest_index.tap('test-changes', (response) => {
        const { routes } = response.data as { routes: Record<string, unknown> }
        delete routes['/books/v1/all']
        return response
      })
    },
  })
  await using site = await serve({ add: [books, changes] })
  for (let time = 0; time < 2; time++) {
    const { routes } = await site.json('/')
    assert.not(Object.hasOwn(routes, '/books/v1/all'))
    assert.ok(Object.hasOwn(routes, '/books/v1'))
  }
})

index('describes the site and its routes', async () => {
  await using site = await serve({ add: [books] })
  const { options } = site.kernel.services
  await options.set('title', 'My site')
  await options.set('description', 'About things')
  await options.set('timezone', 'Asia/Kolkata')
  const document = await site.json('/')
  const { namespaces, routes, _links, ...about } = document
  assert.equal(about, {
    name: 'My site',
    description: 'About things',
    url: site.home,
    home: site.home,
    gmt_offset: 5.5,
    timezone_string: 'Asia/Kolkata',
    page_for_posts: 0,
    page_on_front: 0,
    show_on_front: 'posts',
    authentication: about.authentication,
    site_logo: 0,
    site_icon: 0,
    site_icon_url: '',
  })
  assert.ok(namespaces.includes('svc/v2') && namespaces.includes('books/v1'))
  assert.is(_links.help.length, 1)
  assert.equal(routes['/books/v1/all'], {
    namespace: 'books/v1',
    methods: ['GET'],
    endpoints: [
      {
        methods: ['GET'],
        allow_batch: { v1: true },
        args: { page: { default: 1, type: 'integer', minimum: 1, required: false } },
      },
    ],
    _links: { self: [{ href: `${site.home}/svc-json/books/v1/all` }] },
  })
  assert.is(routes['/books/v1/all/(?P<id>[\\d]+)']._links, undefined)
  assert.is(routes['/books/v1/hidden'], undefined)
  assert.is(routes['/'].namespace, '')
})

index('adds an index for each namespace before its routes', async () => {
  await using site = await serve({ add: [books] })
  const { namespace, routes, _links } = await site.json('/books/v1')
  assert.is(namespace, 'books/v1')
  assert.equal(Object.keys(routes), ['/books/v1', '/books/v1/all', '/books/v1/all/(?P<id>[\\d]+)'])
  assert.equal(_links, { up: [{ href: `${site.home}/svc-json/` }] })
  assert.equal(routes['/books/v1'].endpoints[0].args, {
    namespace: { default: 'books/v1', required: false },
    context: { default: 'view', required: false },
  })
  assert.is((await site.get('/nope/v1')).status, 404)
})

index('adds schemas in the context help', async () => {
  await using site = await serve({ add: [books] })
  assert.equal((await site.json('/?context=help')).routes['/books/v1/all'].schema, { title: 'book' })
  assert.equal((await site.json('/books/v1?context=help')).routes['/books/v1/all'].schema, { title: 'book' })
  assert.is((await site.json('/')).routes['/books/v1/all'].schema, undefined)
})

index('describes no routes if _fields selects others, and describes each route once', async () => {
  let described = 0
  const counts = definePlugin({
    name: 'counts',
    apply: ({ hooks }) => hooks.rest_route_data.tap('counts', (data) => (described++, data)),
  })
  await using site = await serve({ add: [counts] })
  const document = await site.json('/?_fields=name,namespaces')
  assert.equal(Object.keys(document), ['name', 'namespaces'])
  assert.is(described, 0)
  await site.json('/')
  const once = described
  await site.json('/')
  assert.is(described, once)
})

index('links to the images of the site as embeddable', async () => {
  await using site = await serve()
  await site.kernel.services.options.set('site_logo', 12)
  const { site_logo, _links } = await site.json('/?_fields=site_logo,_links')
  assert.is(site_logo, 12)
  assert.equal(_links['svc:featuredmedia'], [
    { embeddable: true, type: 'site_logo', href: `${site.home}/svc-json/svc/v2/media/12` },
  ])
})

index('can be changed by filters', async () => {
  const filters = definePlugin({
    name: 'filters',
    apply({ hooks }) {
      hooks.rest_index.tap('filters', (response) => {
        Object.assign(response.data as object, { extra: 1 })
        ;(response.data as { routes: Record<string, unknown> }).routes['/added'] = {}
        return response
      })
      hooks.rest_namespace_index.tap('filters', (response) => {
        Object.assign(response.data as object, { extra: 2 })
        return response
      })
      hooks.rest_route_data.tap('filters', (data, route: Route) => (route.pattern === '/books/v1/all' ? null : data))
    },
  })
  await using site = await serve({ add: [books, filters] })
  const { extra, routes } = await site.json('/')
  assert.equal([extra, '/added' in routes, '/books/v1/all' in routes], [1, true, false])
  const ofNamespace = await site.json('/books/v1')
  assert.equal([ofNamespace.extra, '/added' in ofNamespace.routes], [2, false])
})

index('has routes that simple regular expression parsers can read', async () => {
  await using site = await serve()
  const { routes } = (await site.json('/')) as { routes: object }
  // Clients assume that a group ends at the first parenthesis and contains a complete expression.
  const left = (pattern: string) =>
    pattern.replace(/\(\?P<\w+>([^()<>]+)\)/g, (_, inner: string) => (RegExp(`^${inner}$`), ''))
  assert.equal(
    Object.keys(routes).filter((pattern) => /[()<>]/.test(left(pattern))),
    [],
  )
})

index('follows added and removed plugins', async () => {
  await using site = await serve({ add: [books] })
  assert.is((await site.get('/books/v1')).status, 200)
  assert.ok((await site.json('/')).namespaces.includes('books/v1'))
  await removePlugin(site.kernel, 'books')
  assert.is((await site.get('/books/v1')).status, 404)
  assert.not((await site.json('/')).namespaces.includes('books/v1'))
})

index('keeps a root route of another plugin', async () => {
  const own = definePlugin({
    name: 'own',
    apply({ hooks }) {
      hooks.rest_api_init.tap('own', (server) => {
        server.registerRoute('', '/', { permission_callback: () => true, callback: () => 'mine' })
      })
    },
  })
  await using site = await serve({ add: [own] })
  assert.is(await site.json('/'), 'mine')
})

index.run()
