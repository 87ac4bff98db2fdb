import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError, RestResponse, type CurrentUser } from '../../../kernel/index.ts'
import type { PreloadEntry, Preloaded } from '../../../plugins/responses/preload.ts'
import { serve, CONTENT_PLUGINS, startOnly } from '../../helpers/site.ts'

startOnly('preload', ...CONTENT_PLUGINS)

const preload = suite('preload')

/** Routes with different statuses and methods. */
const routesPlugin = definePlugin({
  name: 'things',
  apply({ hooks, branding }) {
    hooks.rest_api_init.tap('things', (server) => {
      const open = { permission_callback: () => true }
      server.registerRoute('things/v1', 'one', [
        {
          ...open,
          callback: (request) => {
            const response = new RestResponse({ id: 1, b: request.get('b'), user: request.user.id })
            response.addLink(`${branding.relationUri}term`, 'http://a/1')
            response.headers.set('X-One', 1)
            return response
          },
        },
        { methods: 'POST', permission_callback: (request) => request.user.id > 0, callback: () => null },
        { methods: 'DELETE', permission_callback: () => false, callback: () => null },
      ])
      server.registerRoute('things/v1', 'many', { ...open, callback: () => [1, 2] })
      server.registerRoute('things/v1', 'made', { ...open, callback: () => new RestResponse('made', 201) })
      server.registerRoute('things/v1', 'bad', {
        ...open,
        callback: () => {
          throw new RestError('bad', 'Bad.', { status: 400 })
        },
      })
    })
  },
})

/** Preloads entries on a site with these routes. */
async function preloadEntries(entries: readonly unknown[], user?: CurrentUser) {
  await using site = await serve({ add: [routesPlugin] })
  return await site.kernel.services.preload(entries as readonly PreloadEntry[], user)
}

const ONE = '/things/v1/one'

preload('returns body and headers by the given path', async () => {
  const path = `${ONE}?b=2&_fields=id,b`
  const { body, headers } = (await preloadEntries([path]))[path] as { body: object; headers: object }
  assert.equal({ ...body, _links: null }, { id: 1, b: '2', _links: null })
  assert.equal(headers, { 'X-One': 1, Allow: 'GET' })
})

preload('skips empty and invalid entries (4.6, rule 1)', async () => {
  assert.equal(await preloadEntries(['', ['', 'GET'], 'http://:80', '/%zz', [], null, 3, ['/things/v1/many']]), {
    '/things/v1/many': { body: [1, 2], headers: { Allow: 'GET' } },
  })
})

preload('passes the query to the request (4.6, rule 2)', async () => {
  const path = `${ONE}?b[]=x&b[]=y`
  assert.equal(((await preloadEntries([path]))[path] as Preloaded).body, {
    id: 1,
    b: ['x', 'y'],
    user: 0,
    _links: {
      'svc:term': [{ href: 'http://a/1' }],
      curies: [{ name: 'svc', href: 'urn:svc-rest:{rel}', templated: true }],
    },
  })
})

preload('returns responses with status 200 only (4.6, rule 3)', async () => {
  assert.equal(await preloadEntries(['/nope', '/things/v1/made', '/things/v1/bad']), {})
})

preload('adds compact links if there are any (4.6, rule 4)', async () => {
  const map = await preloadEntries([ONE, '/things/v1/many'])
  assert.equal(Object.keys((map[ONE] as Preloaded).body as object).at(-1), '_links')
  assert.equal((map['/things/v1/many'] as Preloaded).body, [1, 2])
})

preload('returns descriptions under OPTIONS, with the methods that the user can use (4.6, rule 5)', async () => {
  for (const [user, allow] of [
    [undefined, 'GET'],
    [{ id: 3 } as CurrentUser, 'GET, POST'],
  ] as const) {
    const map = await preloadEntries([[ONE, 'OPTIONS'], ONE], user)
    assert.equal(Object.keys(map), ['OPTIONS', ONE])
    const { body, headers } = (map['OPTIONS'] as Record<string, Preloaded>)[ONE]!
    assert.equal((body as { methods: string[] }).methods, ['GET', 'POST', 'DELETE'])
    assert.is(headers['Allow'], allow)
  }
})

preload('treats any other method as GET', async () => {
  const map = await preloadEntries([[ONE, 'DELETE']])
  assert.equal(Object.keys(map), [ONE])
})

preload('runs as a visitor or as the given user', async () => {
  const preloadedUserId = async (user?: CurrentUser) =>
    ((await preloadEntries([ONE], user))[ONE] as { body: { user: number } }).body.user
  assert.is(await preloadedUserId(), 0)
  assert.is(await preloadedUserId({ id: 5 }), 5)
})

preload('returns the responses that the client would get', async () => {
  await using site = await serve({ add: [routesPlugin] })
  for (const path of [ONE, `${ONE}?_envelope`, '/svc/v2/types?context=embed', '/svc/v2/posts?_embed&per_page=2', '/']) {
    const { body, headers } = (await site.kernel.services.preload([path]))[path] as Preloaded
    const outside = await site.get(path)
    assert.equal(JSON.parse(JSON.stringify(body)), await outside.json(), path)
    for (const [name, value] of Object.entries(headers))
      assert.is(outside.headers.get(name), String(value), `${path} ${name}`)
  }
})

preload.run()
