import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestResponse } from '../../../kernel/index.ts'
import { serve, startOnly } from '../../helpers/site.ts'

startOnly('envelope')

const envelope = suite('envelope')

const items = definePlugin({
  name: 'items',
  apply({ hooks }) {
    hooks.rest_api_init.tap('items', (server) => {
      const callback = () => {
        const response = new RestResponse({ id: 1 }, 201, { Location: 'http://a/1' })
        response.headers.set('X-Count', 7)
        response.addLink('self', 'http://a/1')
        return response
      }
      server.registerRoute('items/v1', 'it', { permission_callback: () => true, callback })
    })
  },
})

envelope('contains status, headers and body, and has the status 200 itself', async () => {
  await using site = await serve({ add: [items] })
  for (const query of ['_envelope=1', '_envelope', '_envelope=0']) {
    const answer = await site.get(`/items/v1/it?${query}`)
    assert.is(answer.status, 200)
    assert.equal(await answer.json(), {
      body: { id: 1, _links: { self: [{ href: 'http://a/1' }] } },
      status: 201,
      headers: { Location: 'http://a/1', 'X-Count': 7, Allow: 'GET' },
    })
    assert.is(answer.headers.get('location'), null)
    assert.is(answer.headers.get('allow'), null)
  }
})

envelope('contains an error, with an empty list for no headers', async () => {
  await using site = await serve()
  const { body, status, headers } = await site.json('/nope?_envelope=1')
  assert.equal([body.code, status, headers], ['rest_no_route', 404, []])
})

envelope('can be changed by a filter', async () => {
  const stamp = definePlugin({
    name: 'stamp',
    needs: ['envelope'],
    apply({ hooks }) {
      hooks.rest_envelope_response.tapPromise('stamp', async (data) => ({ ...data, status: 299 }))
    },
  })
  await using site = await serve({ add: [items, stamp] })
  assert.is((await site.json('/items/v1/it?_envelope')).status, 299)
})

envelope('responds with 500 if its tap fails', async () => {
  const broken = definePlugin({
    name: 'broken',
    needs: ['envelope'],
    apply({ hooks }) {
      hooks.rest_envelope_response.tapPromise('broken', async () => {
        throw new Error('no')
      })
    },
  })
  await using site = await serve({ add: [items, broken] })
  assert.is((await site.get('/items/v1/it?_envelope')).status, 500)
  assert.is((await site.get('/items/v1/it')).status, 201)
})

envelope.run()
