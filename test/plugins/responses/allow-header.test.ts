import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError, type PermissionCheck } from '../../../kernel/index.ts'
import { serve, startOnly } from '../../helpers/site.ts'

startOnly('allow-header')

const allow = suite('allow-header')

const fails = () => {
  throw new Error('no')
}

/** Returns the Allow header of a route with permission checks by method. */
async function allowOf(checks: Record<string, PermissionCheck | null>, method = 'GET') {
  const plugin = definePlugin({
    name: 'checked',
    apply({ hooks }) {
      hooks.rest_api_init.tap('checked', (server) => {
        const groups = Object.entries(checks).map(([methods, permission_callback]) => ({
          methods,
          callback: () => 'done',
          ...(permission_callback === null ? {} : { permission_callback }),
        }))
        server.registerRoute('checked/v1', 'it', groups)
      })
    },
  })
  await using site = await serve({ add: [plugin] })
  return (await site.request('/checked/v1/it', { method })).headers.get('allow')
}

allow('lists the methods whose checks return true, in the order of registration', async () => {
  assert.is(await allowOf({ GET: () => true, 'POST, PUT': () => true, DELETE: () => false }), 'GET, POST, PUT')
})

allow('awaits asynchronous checks', async () => {
  assert.is(await allowOf({ GET: async () => true, POST: async () => true, DELETE: async () => false }), 'GET, POST')
})

allow('treats a route without a check as open, and only true as allowed', async () => {
  assert.is(
    await allowOf({ GET: null, POST: (() => 1) as never, PUT: () => new RestError('no', 'No.', { status: 403 }) }),
    'GET',
  )
})

allow('treats a failing check as refused', async () => {
  assert.is(await allowOf({ GET: () => true, POST: fails, PUT: async () => fails() }), 'GET')
})

allow('is sent with refused requests, and omitted if no method is allowed', async () => {
  assert.is(await allowOf({ GET: () => true, DELETE: () => false }, 'DELETE'), 'GET')
  assert.is(await allowOf({ GET: () => false }), null)
})

allow('checks again after a write, which can change permissions', async () => {
  let there = true
  const exists = () => there
  const remove = () => (there ? ((there = false), true) : false)
  assert.is(await allowOf({ GET: exists, DELETE: remove }, 'DELETE'), null)
})

allow('is omitted if no route matches', async () => {
  await using site = await serve()
  assert.is((await site.get('/nope')).headers.get('allow'), null)
})

allow('checks with the URL only if a parameter exceeds its size limit', async () => {
  const seen: unknown[] = []
  const listing = definePlugin({
    name: 'listing',
    apply({ hooks }) {
      hooks.rest_api_init.tap('listing', (server) => {
        server.registerRoute('checked/v1', 'list/(?P<id>[\\d]+)', {
          methods: 'POST',
          args: { ids: { type: 'array', items: { type: 'integer' } } },
          permission_callback: (request) => {
            seen.push(request.get('ids'), request.get('id'))
            return true
          },
          callback: () => null,
        })
      })
    },
  })
  await using site = await serve({ add: [listing] })
  const send = async (method: string, count: number) => {
    const ids = Array.from({ length: count }, (_, index) => index)
    const headers = { 'content-type': 'application/json' }
    const answer = await site.request('/checked/v1/list/7', { method, headers, body: JSON.stringify({ ids }) })
    return [answer.status, answer.headers.get('allow'), seen.splice(0)]
  }
  assert.equal(await send('POST', 5000), [400, 'POST', [undefined, '7']])
  assert.equal(await send('OPTIONS', 5000), [200, 'POST', [undefined, '7']])
  assert.equal(await send('POST', 1), [200, 'POST', [[0], '7', [0], '7']])
})

allow.run()
