import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listHooks, listRoutes } from '../../../../bin/commands/inspect.ts'
import { OwnedMap } from '../../../../kernel/index.ts'
import { bare, open, plugin, type Bare } from '../../../kernel/bare.ts'

const collisions = suite('collisions')

const WARN = 40
const warnings = ({ lines }: Bare) => lines.filter(({ level }) => level >= WARN).map(({ msg }) => msg)

collisions('of entries are logged with both plugins, unless overridden', async () => {
  let map = new OwnedMap<number>('seed')
  const sows = (name: string, override: boolean) => plugin(name, () => void map.set('tulip', 1, 'tulip', override))
  await using collided = await bare([sows('one', false), sows('two', false)])
  assert.is(warnings(collided).length, 1)
  assert.match(warnings(collided)[0]!, 'two registers the seed tulip, which replaces the one of one')
  assert.match(String(collided.lines.find(({ at }) => at !== undefined)?.['at']), /collisions\.test\.ts:\d+:\d+$/)
  map = new OwnedMap<number>('seed')
  await using declared = await bare([sows('three', false), sows('four', true)])
  assert.equal(warnings(declared), [])
})

const routes = (name: string, methods: string, override = false) =>
  plugin(name, ({ hooks }) => {
    hooks.rest_api_init.tap(name, (server) => {
      server.registerRoute('test/v1', 'it', { ...open, methods, callback: () => name }, override)
    })
  })

collisions('of routes are logged if an endpoint is never called, and svc routes lists every owner', async () => {
  await using separate = await bare([routes('one', 'GET'), routes('two', 'POST')])
  assert.equal(warnings(separate), [])
  assert.is(listRoutes(separate.kernel, 'it').text, 'GET   /test/v1/it  one\nPOST  /test/v1/it  two')

  await using hidden = await bare([routes('one', 'GET'), routes('two', 'GET')])
  assert.match(warnings(hidden)[0]!, 'two registers GET /test/v1/it, which one already handles')
  assert.is(listRoutes(hidden.kernel, 'it').text, 'GET  /test/v1/it  one\nGET  /test/v1/it  two (never called)')

  await using declared = await bare([routes('one', 'GET'), routes('two', 'GET', true)])
  assert.equal(warnings(declared), [])
  assert.is(listRoutes(declared.kernel, 'it').text, 'GET  /test/v1/it  two\nGET  /test/v1/it  one (never called)')
})

collisions('within a plugin are logged with both locations, unless overridden', async () => {
  const map = new OwnedMap<number>('seed')
  const sows = plugin('one', ({ hooks }) => {
    map.set('tulip', 1)
    map.set('tulip', 2)
    map.set('rose', 1)
    map.set('rose', 2, 'rose', true)
    hooks.rest_api_init.tap('one', (server) => {
      server.registerRoute('test/v1', 'it', { ...open, callback: () => 1 })
      server.registerRoute('test/v1', 'it', { ...open, methods: 'POST', callback: () => 2 })
      server.registerRoute('test/v1', 'it', { ...open, methods: 'PUT, GET', callback: () => 3 })
    })
  })
  await using site = await bare([sows])
  const [seed, route, ...more] = warnings(site)
  assert.match(seed!, /^one registers the seed tulip twice, first at .+collisions\.test\.ts:\d+:\d+: remove one/)
  assert.match(route!, /^one registers GET \/test\/v1\/it twice, first at .+collisions\.test\.ts:\d+:\d+: the second/)
  assert.equal(more, [])
  const at = site.lines.flatMap((line) => (line['at'] === undefined ? [] : [line['at'], line['first']]))
  assert.is(new Set(at).size, 4)
})

collisions('are prevented during requests, and the log contains the location of a tap', async () => {
  const map = new OwnedMap<number>('seed')
  const late = (name: string, act: () => void) =>
    plugin(name, ({ hooks }) => {
      hooks.rest_api_init.tap(name, (server) => {
        server.registerRoute(`${name}/v1`, 'it', { ...open, callback: act })
      })
    })
  let tap = () => {}
  const taps = plugin('taps', ({ hooks }) => {
    tap = () => hooks.rest_url.tap('taps', (url) => url)
    hooks.rest_encoded_response.tap('taps', (text) => {
      if (text.includes('fails')) throw new TypeError('broken')
      return text
    })
  })
  await using site = await bare([
    taps,
    late('maps', () => void map.set('tulip', 1)),
    late('late', () => tap()),
    late('good', () => 'fails' as never),
  ])
  assert.is((await site.raw('/svc-json/maps/v1/it')).status, 500)
  assert.is((await site.raw('/svc-json/late/v1/it')).status, 500)
  await site.raw('/svc-json/good/v1/it')
  const logged = JSON.stringify(site.lines)
  assert.match(logged, 'A request registers the seed tulip, which would never be removed')
  assert.match(logged, 'A request registers a tap of rest_url, which would never be removed')
  assert.match(logged, /"tapped_at":"[^"]*collisions\.test\.ts:\d+:\d+"/)
  assert.is(map.has('tulip'), false)
  assert.match(listHooks(site.kernel, 'rest_encoded_response').text, /taps {2}taps {2}\/.*collisions\.test\.ts:\d+:\d+/)
})

collisions.run()
