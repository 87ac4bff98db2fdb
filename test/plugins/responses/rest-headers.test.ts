import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { as, serve, startOnly } from '../../helpers/site.ts'

startOnly('rest-headers')

const headers = suite('rest-headers')

headers('declare JSON, nosniff and noindex', async () => {
  await using site = await serve()
  for (const path of ['/svc/v2/types', '/nope']) {
    const { headers } = await site.get(path)
    assert.is(headers.get('content-type'), 'application/json; charset=UTF-8')
    assert.is(headers.get('x-content-type-options'), 'nosniff')
    assert.is(headers.get('x-robots-tag'), 'noindex')
  }
})

headers('allow caching for visitors', async () => {
  await using site = await serve()
  assert.not.match((await site.get('/svc/v2/types')).headers.get('cache-control') ?? '', /no-store|private/)
})

headers('forbid caching for logged-in users and requests with credentials', async () => {
  await using site = await serve()
  for (const sent of [as('subscriber'), { authorization: 'Basic eDp5' }]) {
    const { headers } = await site.get('/svc/v2/types', sent)
    assert.match(headers.get('cache-control')!, /no-store.*private/)
    assert.match(headers.get('expires')!, '1984')
  }
})

headers('forbid caching if the filter says so', async () => {
  const never = definePlugin({
    name: 'never',
    needs: ['rest-headers'],
    apply: ({ hooks }) => hooks.rest_send_nocache_headers.tap('never', () => true),
  })
  await using site = await serve({ add: [never] })
  assert.match((await site.get('/svc/v2/types')).headers.get('cache-control')!, 'no-store')
})

headers.run()
