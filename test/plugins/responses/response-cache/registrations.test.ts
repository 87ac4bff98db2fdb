import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { PostsController } from '../../../../plugins/content/posts/index.ts'
import { stopClock } from '../../../helpers/clock.ts'
import { filePlace } from '../../../helpers/stores.ts'
import { serve, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { serveWithUsers } from '../../../helpers/site-with-users.ts'

startOnly('response-cache', ...CONTENT_PLUGINS)

const registrations = suite('the response cache and what is registered')

const cacheOf = async (answer: Promise<Response>) => (await answer).headers.get('x-svc-cache')

registrations('a tap that comes at run time is part of the next response', async () => {
  await using site = await serveWithUsers(filePlace)
  await site.get('/svc/v2/posts')
  assert.is(await cacheOf(site.get('/svc/v2/posts')), 'HIT')
  site.kernel.hooks.rest_prepare.for('post').tap({ name: 'late', dependsOn: 'nothing' }, (response) => {
    Object.assign(response.data as object, { late: true })
    return response
  })
  assert.is((await site.json('/svc/v2/posts'))[0].late, true)
})

registrations('a date from before a tap came is not that of what it makes', async () => {
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

registrations('routes of a type with a controller of others are kept only if they ask for it', async () => {
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

/** A plugin with a route that may be kept and one that may not, both of which tell whether somebody looks. */
const watched = definePlugin({
  name: 'watched',
  apply({ hooks }) {
    hooks.rest_api_init.tap('watched', (server) => {
      for (const cache of [true, false]) {
        server.registerRoute('watched/v1', cache ? 'kept/(?P<name>[a-z]+)' : 'made/(?P<name>[a-z]+)', {
          cache,
          permission_callback: () => true,
          callback: (request) => ({ looked: request.dependencies !== null }),
        })
      }
    })
  },
})

registrations('nobody looks at what a response is made of that is never kept', async () => {
  await using site = await serve({ add: [watched] })
  assert.equal(await site.json('/watched/v1/kept/a'), { looked: true })
  assert.is(await cacheOf(site.get('/watched/v1/kept/a')), 'HIT')
  const made = await site.get('/watched/v1/made/a')
  assert.is(made.headers.get('x-svc-cache'), 'BYPASS')
  assert.equal(await made.json(), { looked: false })
  const again = await site.get('/watched/v1/made/a', { 'if-none-match': made.headers.get('etag')! })
  assert.is(again.status, 304)
  assert.is(again.headers.get('x-svc-cache'), 'BYPASS')
})

registrations('a tap may lead from a path that is never kept to one that is', async () => {
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
  assert.equal(await led.json(), { looked: true })
})

registrations.run()
