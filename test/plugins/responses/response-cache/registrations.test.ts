import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { PostsController } from '../../../../plugins/content/posts/index.ts'
import { stopClock } from '../../../helpers/clock.ts'
import { filePlace } from '../../../helpers/stores.ts'
import { serve, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { serveWithUsers } from '../../../helpers/site-with-users.ts'

startOnly('response-cache', ...CONTENT_PLUGINS)

const registrations = suite('response-cache registrations')

const cacheOf = async (answer: Promise<Response>) => (await answer).headers.get('x-svc-cache')

registrations('a tap added at run time affects the next response', async () => {
  await using site = await serveWithUsers(filePlace)
  await site.get('/svc/v2/posts')
  assert.is(await cacheOf(site.get('/svc/v2/posts')), 'HIT')
  site.kernel.hooks.rest_prepare.for('post').tap({ name: 'late', dependsOn: 'nothing' }, (response) => {
    Object.assign(response.data as object, { late: true })
    return response
  })
  assert.is((await site.json('/svc/v2/posts'))[0].late, true)
})

registrations('a date from before a tap was added gets no 304', async () => {
  using clock = stopClock()
  await using site = await serveWithUsers(filePlace)
  await site.get('/svc/v2/posts')
  clock.advance(1000)
  const date = (await site.get('/svc/v2/posts')).headers.get('last-modified')!
  const since = { 'if-modified-since': date }
  assert.is((await site.get('/svc/v2/posts', since)).status, 304)
  site.kernel.hooks.rest_prepare.for('post').tap({ name: 'late', dependsOn: 'nothing' }, (response) => response)
  assert.is((await site.get('/svc/v2/posts', since)).status, 200)
})

registrations('routes of a third-party controller are only cached if it declares tags', async () => {
  class Own extends PostsController {}
  const others = definePlugin({
    name: 'others',
    needs: ['content-types', 'posts'],
    apply({ services }) {
      services.contentTypes.register('note', { public: true, show_in_rest: true, rest_controller_class: Own })
      services.contentTypes.register('plain', { public: true, show_in_rest: true })
    },
  })
  await using site = await serve({ add: [others] })
  const again = async (path: string) => [await cacheOf(site.get(path)), await cacheOf(site.get(path))]
  assert.equal(await again('/svc/v2/note'), ['BYPASS', 'BYPASS'])
  assert.equal(await again('/svc/v2/plain'), ['MISS', 'HIT'])
  assert.equal(await again('/svc/v2/media'), ['MISS', 'HIT'])
})

/** A plugin with a cacheable and an uncacheable route, which both return whether dependencies are recorded. */
const watched = definePlugin({
  name: 'watched',
  apply({ hooks }) {
    hooks.rest_api_init.tap('watched', (server) => {
      for (const cache of [true, false]) {
        server.registerRoute('watched/v1', cache ? 'kept/(?P<name>[a-z]+)' : 'made/(?P<name>[a-z]+)', {
          cache,
          permission_callback: () => true,
          callback: (request) => ({ isRecorded: request.dependencies !== null }),
        })
      }
    })
  },
})

registrations('dependencies of an uncacheable route are not recorded', async () => {
  await using site = await serve({ add: [watched] })
  assert.equal(await site.json('/watched/v1/kept/a'), { isRecorded: true })
  assert.is(await cacheOf(site.get('/watched/v1/kept/a')), 'HIT')
  const response = await site.get('/watched/v1/made/a')
  assert.is(response.headers.get('x-svc-cache'), 'BYPASS')
  assert.equal(await response.json(), { isRecorded: false })
  const again = await site.get('/watched/v1/made/a', { 'if-none-match': response.headers.get('etag')! })
  assert.is(again.status, 304)
  assert.is(again.headers.get('x-svc-cache'), 'BYPASS')
})

registrations('a tap can rewrite an uncacheable path to a cacheable one', async () => {
  const leads = definePlugin({
    name: 'leads',
    apply({ hooks }) {
      hooks.rest_path_to_match.tap({ name: 'leads', dependsOn: 'nothing' }, (path) => path.replace('/made/', '/kept/'))
    },
  })
  await using site = await serve({ add: [watched, leads] })
  await site.get('/watched/v1/made/a')
  const led = await site.get('/watched/v1/made/a')
  assert.is(led.headers.get('x-svc-cache'), 'HIT')
  assert.equal(await led.json(), { isRecorded: true })
})

registrations.run()
