import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../kernel/index.ts'
import { serve } from '../helpers/site.ts'
import { removePlugin } from '../helpers/remove-plugin.ts'

const plugins = suite('removing a plugin')

plugins('S44: removes its routes, hooks, services and running work', async () => {
  let running = 0
  const visitor = definePlugin({
    name: 'visitor',
    apply({ hooks, provide, onRemove }) {
      running += 1
      onRemove(() => void (running -= 1))
      provide('visitor' as never, { secret: 'x' } as never)
      hooks.rest_post_dispatch.tap('visitor', (response) => {
        response.headers.set('x-visitor', 'here')
        return response
      })
      hooks.rest_api_init.tap('visitor', (server) => {
        server.registerRoute('visitor/v1', 'it', { callback: () => 'here', permission_callback: () => true })
      })
    },
  })
  await using site = await serve({ add: [visitor] })
  const { kernel } = site
  const there = await site.get('/visitor/v1/it')
  assert.equal([there.status, there.headers.get('x-visitor'), running], [200, 'here', 1])
  await removePlugin(kernel, 'visitor')
  const after = await site.get('/visitor/v1/it')
  assert.equal([after.status, after.headers.get('x-visitor'), running], [404, null, 0])
  assert.is((kernel.services as unknown as Record<string, unknown>)['visitor'], undefined)
})

plugins.run()
