import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { as, serve, startOnly } from '../../helpers/site.ts'

startOnly('rest-headers')

const headers = suite('rest-headers')

headers('say that an answer is JSON, not to be sniffed, and not for search engines', async () => {
  await using site = await serve()
  for (const path of ['/svc/v2/types', '/nope']) {
    const { headers } = await site.get(path)
    assert.is(headers.get('content-type'), 'application/json; charset=UTF-8')
    assert.is(headers.get('x-content-type-options'), 'nosniff')
    assert.is(headers.get('x-robots-tag'), 'noindex')
  }
})

headers('let caches keep what visitors get', async () => {
  await using site = await serve()
  assert.not.match((await site.get('/svc/v2/types')).headers.get('cache-control') ?? '', /no-store|private/)
})

headers('keep every cache from what users who are logged in get, and from what credentials came with', async () => {
  await using site = await serve()
  for (const sent of [as('subscriber'), { authorization: 'Basic eDp5' }]) {
    const { headers } = await site.get('/svc/v2/types', sent)
    assert.match(headers.get('cache-control')!, /no-store.*private/)
    assert.match(headers.get('expires')!, '1984')
  }
})

headers('ask the filter whether caches may keep an answer', async () => {
  const never = definePlugin({
    name: 'never',
    needs: ['rest-headers'],
    apply: ({ hooks }) => hooks.rest_send_nocache_headers.tap('never', () => true),
  })
  await using site = await serve({ add: [never] })
  assert.match((await site.get('/svc/v2/types')).headers.get('cache-control')!, 'no-store')
})

headers.run()
