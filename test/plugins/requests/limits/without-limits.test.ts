import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plugin } from '../../../kernel/bare.ts'
import { serve } from '../../../kit/index.ts'

const without = suite('a site without the plugin limits')

/** A route that responds after a request to another route. */
function routes() {
  const requested = Promise.withResolvers<string>()
  const added = plugin('routes', ({ hooks }) => {
    hooks.rest_api_init.tap('routes', (server) => {
      const permission_callback = () => true
      server.registerRoute('test/v1', 'wait', { callback: () => requested.promise, permission_callback })
      server.registerRoute('test/v1', 'go', {
        methods: 'GET, POST',
        callback: () => {
          requested.resolve('done')
          return 'gone'
        },
        permission_callback,
      })
    })
  })
  return added
}

without('starts, and serves the REST API, pages and the admin', async () => {
  await using site = await serve({ plugins: { limits: false } })
  assert.is((await site.get('/svc/v2/posts')).status, 200)
  assert.is((await site.get(`${site.home}/`)).status, 200)
  assert.is((await site.get(`${site.home}/svc-login`)).status, 200)
})

without('handles any number of requests and connections of one network', async () => {
  await using site = await serve({
    plugins: { limits: false },
    limits: { connections: 1, atOnce: 1 },
    add: [routes()],
  })
  const waiting = site.json('/test/v1/wait')
  assert.is(await site.json('/test/v1/go'), 'gone')
  assert.is(await waiting, 'done')
})

without('still limits bodies and headers', async () => {
  await using site = await serve({
    plugins: { limits: false },
    limits: { bodyLimit: 2048, headers: 2048 },
    add: [routes()],
  })
  const sent = await site.request('/test/v1/go', { method: 'POST', body: 'x'.repeat(4096) })
  assert.is(sent.status, 413)
  assert.is((await site.get('/test/v1/go', { 'x-long': 'x'.repeat(4096) })).status, 431)
})

without.run()
