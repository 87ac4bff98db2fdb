import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RestRequest } from '../../../kernel/index.ts'
import { until } from '../../helpers/until.ts'
import { bare, IT, open, plugin, routed } from '../bare.ts'
import { removePlugin } from '../../helpers/remove-plugin.ts'

const server = suite('server')

server('chooses the first endpoint with the method among all matching routes', async () => {
  const two = plugin('two', ({ hooks }) => {
    hooks.rest_api_init.tap('two', (server) => {
      server.registerRoute('test/v1', 'users/me', { ...open, callback: () => 'me' })
      server.registerRoute('test/v1', 'users/(?P<name>[a-z]+)', [
        { ...open, callback: (request) => `get ${String(request.get('name'))}` },
        { ...open, methods: 'POST', callback: (request) => `post ${String(request.get('name'))}` },
      ])
    })
  })
  await using site = await bare([two])
  assert.is((await site.raw('/svc-json/test/v1/users/me')).json, 'me')
  assert.is((await site.raw('/svc-json/test/v1/users/me', { method: 'POST' })).json, 'post me')
  assert.is((await site.raw('/svc-json/test/v1/users/me', { method: 'DELETE' })).json.code, 'rest_no_route')
})

server('adds endpoints to an existing route, and replaces it with `override`', async () => {
  const both = plugin('both', ({ hooks }) => {
    hooks.rest_api_init.tap('both', (server) => {
      server.registerRoute('test/v1', 'a', { ...open, callback: () => 'old' })
      server.registerRoute('test/v1', 'a', { ...open, methods: 'POST', callback: () => 'added' })
      server.registerRoute('test/v1', 'b', { ...open, callback: () => 'old' })
      server.registerRoute('test/v1', 'b', { ...open, callback: () => 'new' }, true)
    })
  })
  await using site = await bare([both])
  assert.is((await site.raw('/svc-json/test/v1/a')).json, 'old')
  assert.is((await site.raw('/svc-json/test/v1/a', { method: 'POST' })).json, 'added')
  assert.is((await site.raw('/svc-json/test/v1/b')).json, 'new')
})

server('uses the route table that rest_endpoints returns', async () => {
  const changes = plugin('changes', ({ hooks }) => {
    hooks.rest_endpoints.tap('changes', (routes) => {
      routes.delete('/test/v1/it')
      return routes
    })
  })
  await using site = await bare([routed({ ...open, callback: () => 1 }), changes])
  assert.is((await site.raw(IT)).status, 404)
  await using without = await bare([routed({ ...open, callback: () => 1 })])
  assert.is((await without.raw(IT)).status, 200)
})

server(
  'dispatches internal requests without authentication and without the filters for outside responses',
  async () => {
    const seen: string[] = []
    await using site = await bare([
      routed({ ...open, callback: (request) => request.get('a') }, ({ hooks }) => {
        hooks.determine_current_user.tap('test', (user) => (seen.push('who'), user))
        hooks.rest_post_dispatch.tap('test', (response) => (seen.push('post'), response))
      }),
    ])
    const response = await site.kernel.server.dispatch(RestRequest.fromPath('/test/v1/it?a=b'))
    assert.is(response.data, 'b')
    assert.is(response.matchedRoute, '/test/v1/it')
    assert.equal(seen, [])
  },
)

server('never throws from an internal dispatch', async () => {
  await using site = await bare([
    routed({
      ...open,
      callback: () => {
        throw new Error('no')
      },
    }),
  ])
  assert.is((await site.kernel.server.dispatch(RestRequest.fromPath('/test/v1/it'))).status, 500)
  assert.is((await site.kernel.server.dispatch(RestRequest.fromPath('/nope'))).error?.code, 'rest_no_route')
})

server('completes requests in progress with their endpoints when routes change', async () => {
  const started = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  await using site = await bare([
    routed({
      ...open,
      callback: async () => {
        started.resolve()
        await gate.promise
        return 'done'
      },
    }),
  ])
  const pending = site.raw(IT)
  await started.promise
  // Resolves after its requests in progress have ended.
  const removed = removePlugin(site.kernel, 'test')
  await until(async () => (await site.raw(IT)).status === 404)
  gate.resolve()
  assert.is((await pending).json, 'done')
  await removed
})

server('is an instance of the class that svc_rest_server_class returns', async () => {
  const louder = plugin('louder', ({ hooks }) => {
    hooks.svc_rest_server_class.tap(
      'louder',
      (Base) =>
        class extends Base {
          override responseToData() {
            return 'LOUD'
          }
        },
    )
  })
  await using site = await bare([routed({ ...open, callback: () => 'quiet' }), louder])
  assert.is((await site.raw(IT)).json, 'LOUD')
})

/** A plugin whose handler returns the capture of the route and all parameters. */
const echo = plugin('echo', ({ hooks }) => {
  hooks.rest_api_init.tap('echo', (server) => {
    server.registerRoute('test/v1', 'things/(?P<id>[\\d]+)', {
      methods: 'GET, POST',
      permission_callback: (request) => request.get('id') === 1 || request.captures['id'] === undefined,
      args: { id: { type: 'integer' }, a: { type: 'string', default: 'preset' } },
      callback: (request) => ({ id: request.get('id'), a: request.get('a'), all: request.params() }),
    })
  })
})

const ITEM_PATH = '/svc-json/test/v1/things/1'
const json = (body: unknown) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const form = (body: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
})

server('reads a parameter from the body, then the query, then the defaults', async () => {
  await using site = await bare([echo])
  assert.is((await site.raw(`${ITEM_PATH}?a=query`, json({ a: 'json' }))).json.a, 'json')
  assert.is((await site.raw(`${ITEM_PATH}?a=query`, form('a=form'))).json.a, 'form')
  assert.is((await site.raw(`${ITEM_PATH}?a=query`, json({ b: 'json' }))).json.a, 'query')
  assert.is((await site.raw(ITEM_PATH, json({}))).json.a, 'preset')
})

server('lets neither body nor query replace a capture of the path (S1)', async () => {
  await using site = await bare([echo])
  for (const [target, init] of [
    [`${ITEM_PATH}?id=2`, {}],
    [`${ITEM_PATH}?id[]=2`, {}],
    [`${ITEM_PATH}?ID=2&id=2x`, json({ id: 2 })],
    [ITEM_PATH, json({ id: '2x' })],
    [ITEM_PATH, json({ id: null })],
    [ITEM_PATH, json({ id: [2] })],
    [ITEM_PATH, form('id=2&id=3')],
    [`${ITEM_PATH}?rest_route=/test/v1/things/2`, {}],
  ] as const) {
    const { status, json: data } = await site.raw(target, init)
    assert.equal([status, data.id, data.all.id], [200, 1, 1], target)
  }
  assert.is((await site.raw('/svc-json/test/v1/things/2?id=1')).status, 401)
})

server('dispatches a path or parameters as a GET request', async () => {
  await using site = await bare([echo])
  const { server } = site.kernel
  assert.equal((await server.dispatch('/test/v1/things/1?a=b')).data, { id: 1, a: 'b', all: { id: 1, a: 'b' } })
  assert.is((await server.dispatch({ a: 'b' })).error?.code, 'rest_no_route')
})

server('lets a tap of rest_ensure_request replace the request of an internal dispatch', async () => {
  const twisting = plugin('twisting', ({ hooks }) => {
    hooks.rest_ensure_request.tap('twisting', (request, input) =>
      typeof input === 'object' ? RestRequest.fromPath('/test/v1/things/1') : request,
    )
  })
  await using site = await bare([echo, twisting])
  assert.is((await site.kernel.server.dispatch({})).status, 200)
  assert.is((await site.kernel.server.dispatch('/nope')).status, 404)
})

server('responds to internal requests like to outside ones with `respond`', async () => {
  const marking = plugin('marking', ({ hooks }) => {
    hooks.rest_post_dispatch.tapPromise('marking', async (response) => {
      response.headers.set('X-Mark', '1')
      return response
    })
  })
  await using site = await bare([echo, marking])
  const answer = await site.kernel.server.respond(RestRequest.fromPath('/test/v1/things/1'))
  assert.equal([answer.status, answer.headers.get('x-mark')], [200, '1'])
})

server('matches the path that rest_path_to_match returns', async () => {
  const strict = plugin('strict', ({ hooks }) => {
    hooks.rest_path_to_match.tap('strict', (_path, requestedPath) => requestedPath)
  })
  await using site = await bare([echo, strict])
  assert.is((await site.raw(ITEM_PATH)).status, 200)
  assert.is((await site.raw(`${ITEM_PATH}/`)).status, 404)
})

server('S43: logs warnings about questionable routes with their plugin', async () => {
  const doubtful = plugin('doubtful', (context) => {
    const { hooks } = context
    hooks.rest_api_init.tap('doubtful', (server) => {
      server.registerRoute('', 'nameless/v1/it', { ...open, callback: () => null })
      server.registerRoute('/slashed/v1/', 'it', { ...open, callback: () => null })
      server.registerRoute('varied/(?P<v>\\d)', 'it', { ...open, callback: () => null })
      server.registerRoute('bare/v1', '/', { ...open, callback: () => null })
      server.registerRoute('open/v1', 'it', { callback: () => null })
      server.registerRoute('good/v1', 'it', { ...open, callback: () => null })
    })
    hooks.server_listening.tap('doubtful', () => {
      context.server.registerRoute('late/v1', 'it', { ...open, callback: () => null })
    })
  })
  await using site = await bare([doubtful])
  const warnings = site.lines.filter(({ level }) => level === 40)
  assert.equal(
    warnings.map(({ route, plugin: by, msg }) => [
      route,
      by,
      /no namespace|slash|plain path|the index|permission|outside/.exec(msg)?.[0],
    ]),
    [
      ['/nameless/v1/it', 'doubtful', 'no namespace'],
      ['/slashed/v1/it', 'doubtful', 'slash'],
      ['/varied/(?P<v>\\d)/it', 'doubtful', 'plain path'],
      ['/bare/v1', 'doubtful', 'the index'],
      ['/open/v1/it', 'doubtful', 'permission'],
      ['/late/v1/it', 'doubtful', 'outside'],
    ],
  )
  for (const path of ['nameless/v1/it', 'slashed/v1/it', 'varied/3/it', 'open/v1/it', 'late/v1/it']) {
    assert.is((await site.raw(`/svc-json/${path}`)).status, 200, path)
  }
})

server.run()
