import * as assert from 'uvu/assert'
import { definePlugin, RestRequest, RestResponse } from '../../kernel/index.ts'
import type { PreloadEntry, Preloaded } from '../../plugins/responses/preload.ts'
import { as, serve, startOnly, type ServeOptions, type Site } from '../helpers/site.ts'
import { BEFORE, echo, ITEM, specSuite } from './spec-suite.ts'

startOnly('settings', 'site-pages', 'content-types')

const { spec, siteOf } = specSuite('4.4 to 4.8')

const optionsOf = (site: Site, path: string) => site.request(path, { method: 'OPTIONS' })

spec('spec 4.4.table.2: describes the matching route to OPTIONS, and returns an empty list without one', async () => {
  const site = await siteOf()
  const described = (await (await optionsOf(site, '/svc/v2/types')).json()) as Record<string, unknown>
  assert.equal(described['methods'], ['GET'])
  assert.ok('context' in (described['endpoints'] as { args: object }[])[0]!.args)
  assert.ok('schema' in described, 'only the context help has a schema')
  assert.equal(await (await optionsOf(site, '/nope')).json(), [])
})

spec('spec 4.4.parameters.1: selects fields by the parameter _fields', async () => {
  assert.equal(await (await siteOf()).json('/things/v1/item?_fields=id'), { id: 1 })
  for (const revision of BEFORE['4.8'])
    assert.equal(await (await siteOf({ revision })).json('/things/v1/item?_fields=id'), ITEM)
})

const embedded = async (site: Site, query: string) =>
  Object.keys(((await site.json(`/things/v1/linked${query}`)) as { _embedded?: object })._embedded ?? {})

spec('spec 4.4.parameters.2: embeds linked resources by the parameter _embed', async () => {
  const site = await siteOf()
  assert.equal(await embedded(site, ''), [])
  assert.equal(await embedded(site, '?_embed'), ['one', 'two'])
})

spec('spec 4.4.headers.1: lists the allowed methods in Allow, and omits the header without one', async () => {
  const allowOf = async (site: Site, path: string, headers = {}) => (await site.get(path, headers)).headers.get('allow')
  for (const revision of ['latest', '4.4']) {
    const site = await siteOf({ revision })
    assert.is(await allowOf(site, '/things/v1/guarded'), 'GET, PATCH', 'only true allows, or no check')
    assert.is(await allowOf(site, '/things/v1/guarded', as('administrator')), 'GET, POST, PATCH')
    assert.is(await allowOf(site, '/things/v1/closed'), null)
    assert.is(await allowOf(site, '/nope'), null)
  }
})

spec('spec 4.4.headers.3: sends CORS headers', async () => {
  const { headers } = await (await siteOf()).get('/things/v1/item', { origin: 'https://a.test' })
  for (const name of ['origin', 'methods', 'credentials']) assert.ok(headers.has(`access-control-allow-${name}`), name)
})

/** Returns the deprecation headers of a route that uses deprecated functions and parameters. */
async function deprecationsOf(options: ServeOptions) {
  const { headers } = await (await siteOf(options)).get('/things/v1/old')
  return [headers.get('x-svc-deprecatedfunction'), headers.get('x-svc-deprecatedparam')]
}

const FUNCTIONS = 'get_old (since 4.7; use get_new instead), get_older (since 4.6; no alternative available)'
const PARAMS = '/things/v1/old (since 5.0; Use b.), /things/v1/older (since 5.0; no alternative available)'

spec('spec 4.4.headers.4: sends deprecation headers', async () => {
  assert.equal(await deprecationsOf({ debug: true, log: 'silent' }), [FUNCTIONS, PARAMS])
})

spec('spec 4.7.table.1: reports a deprecated function with its replacement, or that there is none', async () => {
  assert.is((await deprecationsOf({ debug: true, log: 'silent' }))[0], FUNCTIONS)
})

spec('spec 4.7.table.2: reports a deprecated parameter with its message, or that there is no alternative', async () => {
  assert.is((await deprecationsOf({ debug: true, log: 'silent' }))[1], PARAMS)
})

spec('spec 4.7.1: sends deprecation headers in debug mode only, and always in revision 4.4', async () => {
  assert.equal(await deprecationsOf({}), [null, null])
  assert.equal(await deprecationsOf({ revision: '4.7' }), [null, null])
  assert.equal(await deprecationsOf({ revision: '4.4' }), [FUNCTIONS, PARAMS])
  const { kernel } = await siteOf({ debug: true, log: 'silent' })
  kernel.services.deprecation.deprecatedFunction('outside', '1')
  assert.not.match(String(await deprecationsOf({ debug: true, log: 'silent' })), 'outside')
})

spec('spec 4.4.1: responds to OPTIONS before the dispatch, unless a tap has already responded', async () => {
  const early = definePlugin({
    name: 'early',
    apply({ hooks }) {
      hooks.rest_pre_dispatch.tap({ name: 'early', stage: -1 }, (result, _server, request) =>
        request.query['early'] === undefined ? result : new RestResponse('early'),
      )
    },
  })
  await using site = await serve({ add: [early] })
  assert.is(await (await optionsOf(site, '/?early=1')).json(), 'early')
  assert.ok('namespaces' in (await site.json('/')), 'other methods are dispatched')
  assert.is((await optionsOf(await siteOf(), '/things/v1/closed')).status, 200, 'no permission is checked')
})

spec('spec 4.4.2: matches OPTIONS without regard to case, anchored, with captures as parameters', async () => {
  const seen: unknown[] = []
  const watching = definePlugin({
    name: 'watching',
    apply({ hooks }) {
      hooks.rest_api_init.tap('watching', (server) => {
        for (const [pattern, methods] of [
          ['it/(?P<id>[a-z]+)', 'GET'],
          ['it/(?P<other>\\w+)', 'POST'],
        ] as const) {
          server.registerRoute('watching/v1', pattern, {
            methods,
            permission_callback: (request) => (seen.push(request.get('id')), true),
            callback: () => null,
          })
        }
      })
    },
  })
  await using site = await serve({ add: [watching] })
  const { methods } = (await (await optionsOf(site, '/WATCHING/v1/IT/Abc')).json()) as { methods: string[] }
  assert.equal([methods, seen], [['GET'], ['Abc']])
  for (const path of ['/watching/v1/it/abc/d', '/x/watching/v1/it/abc'])
    assert.equal(await (await optionsOf(site, path)).json(), [], path)
})

spec('spec 4.4.3: keeps errors and responses of handlers, and wraps any other value', async () => {
  const site = await siteOf()
  const error = await site.get('/things/v1/error')
  assert.equal([error.status, ((await error.json()) as { code: string }).code], [418, 'things_bad'])
  const response = await site.get('/things/v1/response')
  assert.equal([response.status, await response.json()], [201, { made: true }])
  const value = await site.get('/things/v1/value')
  assert.equal([value.status, await value.json()], [200, 'text'])
})

spec('spec 4.4.4: dispatches a string as the path and an object as the parameters of a GET request', async () => {
  const idOf = async (site: Site, input: string | { a: string }) => {
    const { data } = await site.kernel.server.dispatch(input)
    return Object.keys(data as object)
  }
  const site = await siteOf()
  assert.equal(await idOf(site, '/things/v1/item'), Object.keys(ITEM))
  assert.ok((await idOf(site, { a: 'b' })).includes('namespaces'))
  assert.equal(await idOf(await siteOf({ revision: '5.3' }), '/things/v1/item'), Object.keys(ITEM))
  for (const revision of BEFORE['5.3'])
    assert.ok((await idOf(await siteOf({ revision }), '/things/v1/item')).includes('namespaces'), revision)
})

spec('spec 4.5.fields.1: sends the whole body without _fields, with an empty list, and for errors', async () => {
  const site = await siteOf()
  for (const query of ['', '?_fields=', '?_fields=%20', '?_fields=,'])
    assert.equal(await site.json(`/things/v1/item${query}`), ITEM, query)
  assert.equal(await site.json('/things/v1/error?_fields=id'), await site.json('/things/v1/error'))
})

spec('spec 4.5.fields.2: splits the list at commas, and removes spaces around names', async () => {
  assert.equal(await (await siteOf()).json('/things/v1/item?_fields=%20id%20,%09name'), { id: 1, name: 'A' })
})

spec('spec 4.5.fields.3: selects the fields of each item of a list, and otherwise the fields of the body', async () => {
  const site = await siteOf()
  assert.equal(await site.json('/things/v1/list?_fields=id'), [{ id: 1 }, { id: 2 }])
  assert.equal(await site.json('/things/v1/item?_fields=id'), { id: 1 })
})

spec('spec 4.5.fields.4: keeps listed keys, nested ones by dotted names, and whole parents', async () => {
  const item = async (revision: string, names: string) =>
    (await siteOf({ revision })).json(`/things/v1/item?_fields=${names}`)
  for (const revision of ['latest', '5.3']) {
    assert.equal(await item(revision, 'id,nope'), { id: 1 })
    assert.equal(await item(revision, 'nested.a,nested.b.c'), { nested: { a: 1, b: { c: 2 } } })
    for (const names of ['nested,nested.a', 'nested.a,nested'])
      assert.equal(await item(revision, names), { nested: ITEM.nested })
  }
  for (const revision of ['4.8', '5.0']) assert.equal(await item(revision, 'id,nested.a'), { id: 1 })
  for (const revision of BEFORE['4.8']) assert.equal(await item(revision, 'id'), ITEM)
})

spec('spec 4.5.fields.5: requests a field that is listed, or whose child or parent is listed', async () => {
  await siteOf()
  const request = new RestRequest('GET', '/', { query: { _fields: 'a,b.c' } })
  const { kernel } = await siteOf()
  await kernel.server.respond(request)
  const wanted = ['a', 'a.x', 'b', 'b.c', 'b.c.d', 'b.x', 'ab', 'bc'].filter((field) => request.wants(field))
  assert.equal(wanted, ['a', 'a.x', 'b', 'b.c', 'b.c.d'])
})

spec('spec 4.5.embed.1: embeds everything if _embed is empty, true, 1 or an empty list', async () => {
  const site = await siteOf()
  for (const query of ['?_embed', '?_embed=', '?_embed=true', '?_embed=1', '?_embed=,', '?_embed[]='])
    assert.equal(await embedded(site, query), ['one', 'two'], query)
})

spec('spec 4.5.embed.2: embeds the listed relations otherwise', async () => {
  const site = await siteOf()
  for (const query of ['?_embed=two', '?_embed[]=two', '?_embed=two,none', '?_embed=two%20none'])
    assert.equal(await embedded(site, query), ['two'], query)
  for (const revision of BEFORE['5.4'])
    assert.equal(await embedded(await siteOf({ revision }), '?_embed=two'), ['one', 'two'], revision)
})

/** Preloads entries on the shared site. */
const preload = async (...entries: unknown[]) => (await siteOf()).kernel.services.preload(entries as PreloadEntry[])

spec('spec 4.6.table.1: preloads a path, or a path with GET or OPTIONS; other methods count as GET', async () => {
  assert.equal(Object.keys(await preload('/things/v1/item')), ['/things/v1/item'])
  assert.equal(Object.keys(await preload(['/things/v1/item', 'OPTIONS'])), ['OPTIONS'])
  for (const method of ['GET', 'POST', 'options'])
    assert.equal(Object.keys(await preload(['/things/v1/item', method])), ['/things/v1/item'], method)
  for (const revision of BEFORE['5.0']) assert.is((await siteOf({ revision })).kernel.services.preload, undefined)
})

spec('spec 4.6.1: skips empty paths and paths that cannot be parsed', async () => {
  assert.equal(await preload('', ['', 'GET'], 'http://:80', '/%zz'), {})
})

spec('spec 4.6.2: passes the query of a path to the internal request', async () => {
  const path = '/things/v1/echo/x?count=2&_fields=params'
  assert.equal(((await preload(path))[path] as Preloaded).body, { params: { count: 2, id: 'x', _fields: 'params' } })
})

spec('spec 4.6.3: returns responses with status 200 only', async () => {
  assert.equal(await preload('/nope', '/things/v1/response', '/things/v1/error', '/things/v1/closed'), {})
})

spec('spec 4.6.4: returns the data, with compact links if there are any', async () => {
  const map = await preload('/things/v1/linked', '/things/v1/list')
  const { _links: links } = (map['/things/v1/linked'] as Preloaded).body as { _links: object }
  assert.equal(Object.keys(links), ['one', 'two'])
  assert.ok(Array.isArray((map['/things/v1/list'] as Preloaded).body))
})

spec('spec 4.6.5: returns GET responses by path, and OPTIONS responses with Allow below OPTIONS', async () => {
  const path = '/things/v1/guarded'
  const map = await preload(path, [path, 'OPTIONS'])
  assert.is((map[path] as Preloaded).body, 'read')
  const { body, headers } = (map['OPTIONS'] as Record<string, Preloaded>)[path]!
  assert.ok('endpoints' in (body as object))
  assert.is(headers['Allow'], 'GET, PATCH')
})

spec('spec 4.8.1: links from pages of the site to the root of the REST API', async () => {
  const site = await siteOf()
  for (const path of ['/', '/no-such-page/']) {
    const { headers } = await site.get(`${site.home}${path}`)
    const relation = site.kernel.branding.rootRelation
    assert.ok(headers.get('link')?.includes(`<${site.home}/svc-json/>; rel="${relation}"`), path)
  }
})

spec('spec 4.8.2: adds the link next to other links, and omits it if the root is empty', async () => {
  const linking = definePlugin({
    name: 'linking',
    apply: ({ hooks }) =>
      hooks.site_headers.tap({ name: 'linking', stage: -1 }, (headers) => {
        headers.append('Link', '</other>; rel="other"')
      }),
  })
  await using site = await serve({ add: [linking] })
  const linkOf = async () => (await site.get(`${site.home}/`)).headers.get('link')
  const links = (await linkOf())!
  assert.match(links, '</other>; rel="other"')
  assert.match(links, '/svc-json/>; rel=')
  site.kernel.hooks.rest_url.tap('test', () => '')
  site.kernel.server.reset()
  assert.not.match((await linkOf()) ?? '', 'svc-json')
})

spec('spec 7.0: sends errors as error objects, without the selection of _fields', async () => {
  const body = await (await siteOf()).json('/things/v1/error?_fields=id')
  assert.equal(body, { code: 'things_bad', message: 'Bad.', data: { status: 418 } })
  const { status, code, data } = await echo(await siteOf(), { count: 'x' })
  assert.equal([status, code, Object.keys(data!.params)], [400, 'rest_invalid_param', ['count']])
})

spec.run()
