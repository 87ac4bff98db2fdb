import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, type RestRequest } from '../../../kernel/index.ts'
import { serve, startOnly } from '../../helpers/site.ts'

startOnly('options-method')

const options = suite('options-method')

const seen: unknown[] = []
const itemsPlugin = definePlugin({
  name: 'things',
  apply({ hooks }) {
    hooks.rest_api_init.tap('things', (server) => {
      const permission_callback = (request: RestRequest) => {
        seen.push(request.get('id'), request.get('context'))
        return true
      }
      server.registerRoute('things/v1', 'items/(?P<id>[\\d]+)', {
        args: { id: { type: 'integer', description: 'ID of the thing.' } },
        0: {
          permission_callback,
          args: { context: { type: 'string', default: 'view' } },
          callback: () => 'never called',
        },
        1: { permission_callback: () => false, methods: 'DELETE', callback: () => 'never called' },
        schema: () => ({ title: 'thing', type: 'object' }),
      })
      server.registerRoute('things/v1', 'items/me', { permission_callback: () => true, callback: () => 'me' })
    })
  },
})

const sendOptions = (site: Awaited<ReturnType<typeof serve>>, path: string) => site.request(path, { method: 'OPTIONS' })

options('describes the route: namespace, methods, endpoints, schema', async () => {
  await using site = await serve({ add: [itemsPlugin] })
  const answer = await sendOptions(site, '/things/v1/ITEMS/7')
  assert.is(answer.status, 200)
  assert.equal(await answer.json(), {
    namespace: 'things/v1',
    methods: ['GET', 'DELETE'],
    endpoints: [
      {
        methods: ['GET'],
        args: {
          id: { description: 'ID of the thing.', type: 'integer', required: false },
          context: { default: 'view', type: 'string', required: false },
        },
      },
      { methods: ['DELETE'], args: { id: { description: 'ID of the thing.', type: 'integer', required: false } } },
    ],
    schema: { title: 'thing', type: 'object' },
  })
})

options('lists the methods that the user can use in Allow', async () => {
  await using site = await serve({ add: [itemsPlugin] })
  seen.length = 0
  assert.is((await sendOptions(site, '/things/v1/items/7')).headers.get('allow'), 'GET')
  assert.equal(seen, [7, undefined])
})

options('links to a route without captures', async () => {
  await using site = await serve({ add: [itemsPlugin] })
  const { _links } = (await (await sendOptions(site, '/things/v1/items/me')).json()) as { _links: unknown }
  assert.equal(_links, { self: [{ href: `${site.home}/svc-json/things/v1/items/me` }] })
})

options('responds with an empty list if no route matches', async () => {
  await using site = await serve()
  for (const path of ['/nope', '/svc/v2/types/!']) {
    const answer = await sendOptions(site, path)
    assert.is(answer.status, 200)
    assert.is(await answer.text(), '[]')
    assert.is(answer.headers.get('allow'), null)
  }
})

options('gets 404 if disabled', async () => {
  await using site = await serve({ plugins: { options: false } })
  assert.is((await sendOptions(site, '/svc/v2/types')).status, 404)
})

options.run()
