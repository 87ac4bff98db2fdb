import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import resources, { type PropertySchema } from '../../../plugins/resources/index.ts'
import { describeRoute } from '../../../plugins/responses/route-description.ts'
import { bare, open, plugin } from '../../kernel/bare.ts'

const routes = suite('route descriptions')

routes('omit internal keywords, and are created once per route', async () => {
  const described = plugin('described', ({ hooks }) => {
    hooks.rest_api_init.tap('described', (server) => {
      server.registerRoute('test/v1', 'it/(?P<id>[\\d]+)', {
        0: {
          ...open,
          allow_batch: true,
          args: {
            id: { type: 'integer', required: true, sanitize_callback: Number, 'x-own': 1 },
            meta: {
              type: 'object',
              default: {},
              properties: { a: { type: 'string', arg_options: { validate_callback: null } } as PropertySchema },
            },
          },
          callback: () => 1,
        },
        1: { ...open, methods: 'PUT, PATCH', callback: () => 1 },
        2: { ...open, methods: 'DELETE', show_in_index: false, callback: () => 1 },
        schema: () => ({ title: 'it', properties: {} }),
      })
    })
  })
  await using site = await bare([resources, described])
  const route = site.kernel.server.routes.get('/test/v1/it/(?P<id>[\\d]+)')!
  const description = describeRoute(site.kernel.server, route, 'help')
  assert.equal(JSON.parse(JSON.stringify(description)), {
    namespace: 'test/v1',
    methods: ['GET', 'PUT', 'PATCH'],
    endpoints: [
      {
        methods: ['GET'],
        allow_batch: { v1: true },
        args: {
          id: { type: 'integer', required: true },
          meta: { default: [], type: 'object', properties: { a: { type: 'string' } }, required: false },
        },
      },
      { methods: ['PUT', 'PATCH'], args: [] },
    ],
    schema: { title: 'it', properties: [] },
  })
  assert.is(describeRoute(site.kernel.server, route, 'help'), description)
  assert.is('schema' in describeRoute(site.kernel.server, route, 'view')!, false)
})

routes.run()
