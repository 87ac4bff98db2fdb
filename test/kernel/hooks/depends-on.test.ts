import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HookRegistry } from '../../../bin/config/index.ts'
import {
  applyFilter,
  applySyncFilter,
  filter,
  isPerRequest,
  OwnedMap,
  Owner,
  registrations,
  requestOf,
  RestRequest,
  syncFilter,
  trustPlugins,
  type Filter,
  type SyncFilter,
} from '../../../kernel/index.ts'
import { collectDependencies, declared, type Dependencies } from '../../../plugins/library/caching/index.ts'
import { kernelHooks } from '../../../kernel/hooks.ts'
import { resourceHooks } from '../../../plugins/resources/hooks.ts'
import { bare, plugin } from '../bare.ts'
import { removePlugin } from '../../helpers/remove-plugin.ts'

const depends = suite('dependencies of taps')

type Text = Filter<string, [id: number], 'method'>

/** Creates a registry with a filter, and the owner of a third-party plugin. */
function registry() {
  const all = new HookRegistry('svc', { ...kernelHooks, ...resourceHooks })
  all.declare('test_text', { ...filter('text', 'id'), about: { method: () => 'GET' } })
  const text = all.find('test_text') as Text
  const others = new Owner('shop')
  return { all, text, others, run: (id = 7) => dependenciesOf(() => applyFilter(text, '', id)) }
}

/** Returns the dependencies that `make` records. */
function dependenciesOf(make: () => unknown): Dependencies {
  return collectDependencies((dependencies) => {
    make()
    return dependencies
  })
}

depends('results with taps of a plugin are cacheable, unless a tap has cache: false', () => {
  const { text, others, run } = registry()
  assert.is(run().refusal, null)
  others.run(() => text.tap('price', (value) => value))
  assert.is(run().refusal, null)
  others.run(() => text.tap({ name: 'stock', cache: false }, (value) => value))
  assert.is(run().refusal, 'the tap stock on test_text of shop has cache: false')
  assert.equal([...others.uncached], ['the tap stock on test_text: cache: false'])
})

depends(
  'a tap of a plugin with a request argument depends on the whole request, a tap of a default plugin does not',
  () => {
    const { all, others } = registry()
    all.declare('test_asked', filter('text', 'request'))
    const hook = all.find('test_asked') as Filter<string, [request: unknown]>
    const isOfRequest = (request: unknown) => dependenciesOf(() => applyFilter(hook, '', request)).ofRequest
    const request = new RestRequest('GET', '/')
    new Owner('posts', 30, true).run(() => hook.tap('posts', (value) => value))
    assert.not(isOfRequest(request))
    others.run(() => hook.tap({ name: 'price', dependsOn: 'nothing' }, (value) => value))
    assert.ok(isOfRequest(request))
    assert.ok(isOfRequest({ request }))
    // An argument that is a scope does not count: `requestOf` records the read of its request.
    assert.not(isOfRequest(request.scope))
    assert.ok(dependenciesOf(() => requestOf(request.scope)).ofRequest)
    assert.not(isOfRequest(null))
  },
)

depends('taps of default plugins, and taps that these register at the start, need no dependsOn', () => {
  const { text, run } = registry()
  const own = new Owner('posts', 30, true)
  own.run(() => text.tap('posts', (value) => value))
  own.run(() => text.tap('late', (value) => value))
  assert.is(run().refusal, null)
})

depends('dependsOn of a tap becomes tags', async () => {
  const { text, others, run } = registry()
  others.run(() => {
    text.tap({ name: 'nothing', dependsOn: 'nothing' }, (value) => value)
    text.tap({ name: 'list', dependsOn: ['stock', 'rates'] }, (value) => value)
    text.tapPromise({ name: 'made', dependsOn: (_value, id) => [`stock:${id}`] }, async (value) => value)
    text.tapAsync({ name: 'late', dependsOn: ['late'] }, (value, _id, done) => done(null, value))
  })
  // Taps after a waiting tap belong to the same run.
  const { tags, refusal } = await collectDependencies(async (dependencies) => {
    await applyFilter(text, '', 7)
    return dependencies
  })
  assert.is(refusal, null)
  assert.equal([...tags], ['stock', 'rates', 'stock:7', 'late'])
  assert.not(run().tags.has('stock:8'))
})

depends('dependsOn accepts a text as one tag', () => {
  const { text, others, run } = registry()
  others.run(() => {
    text.tap({ name: 'text', dependsOn: 'stock' as never }, (value) => value)
    text.tap({ name: 'made', dependsOn: (() => 'rates') as never }, (value) => value)
  })
  assert.equal([...run().tags], ['stock', 'rates'])
})

depends("dependsOn of a default plugin's tap becomes tags, too", () => {
  const { text, run } = registry()
  new Owner('posts', 30, true).run(() => text.tap({ name: 'posts', dependsOn: ['option:title'] }, (value) => value))
  assert.equal([...run().tags], ['option:title'])
})

depends('a tap that is not called for a run adds no dependencies', () => {
  const { text, others, run } = registry()
  others.run(() => {
    text.tap({ name: 'open', methods: 'POST' }, (value) => value)
    text.tap({ name: 'says', methods: 'POST', dependsOn: ['stock'] }, (value) => value)
  })
  assert.equal([run().refusal, run().tags.size], [null, 0])
})

depends('taps of hooks with `lasting` add no dependencies', () => {
  const { all, others } = registry()
  all.declare('test_lasting', { ...syncFilter('text'), lasting: true })
  const lasting = all.find('test_lasting') as SyncFilter<string>
  others.run(() => lasting.tap('once', (value) => `${value}!`))
  assert.is(dependenciesOf(() => applySyncFilter(lasting, '')).refusal, null)
  assert.not(isPerRequest(lasting))
})

depends('isPerRequest finds taps without dependsOn, and does not run them', () => {
  const { all, text, others } = registry()
  assert.not(isPerRequest(text))
  others.run(() => {
    text.tap({ name: 'says', dependsOn: 'nothing' }, (value) => value)
    text.tap({ name: 'open', methods: 'POST' }, (value) => value)
  })
  assert.ok(isPerRequest(text))
  assert.ok(isPerRequest(text, { method: 'POST' }))
  assert.not(isPerRequest(text, { method: 'GET' }))
  all.untap('test_text', 'open')
  assert.not(isPerRequest(text))
})

depends('an error thrown by dependsOn is reported as a failure of its plugin', () => {
  const { text, others } = registry()
  others.run(() =>
    text.tap(
      {
        name: 'careless',
        dependsOn: () => {
          throw new Error('no tags')
        },
      },
      (value) => value,
    ),
  )
  assert.is(applyFilter(text, 'a', 1), 'a')
  assert.throws(() => dependenciesOf(() => applyFilter(text, 'a', 1)), /shop failed in hook test_text/)
})

depends('callbacks record their dependencies like taps', () => {
  const shop = { name: 'shop', trusted: false }
  const callback = (id: number) => id * 2
  assert.is(declared(callback, 'the field a', {}, { name: 'posts', trusted: true }), callback)
  const plain = declared(callback, 'the field a', { dependsOn: 'nothing' }, shop)
  assert.equal([dependenciesOf(() => plain(2)).refusal, plain(2)], [null, 4])
  const never = dependenciesOf(() => declared(callback, 'the field a', { cache: false }, shop)(2))
  assert.is(never.refusal, 'the field a of shop has cache: false')
  const tagged = declared(callback, 'the field a', { dependsOn: (id) => [`stock:${id}`] }, shop)
  assert.equal([...dependenciesOf(() => tagged(3)).tags], ['stock:3'])
  assert.is(tagged(3), 6)
})

depends('plugins passed to trustPlugins need no dependsOn, plugins that replace them do', async () => {
  const tap = () => plugin('ours', ({ hooks }) => hooks.rest_pre_echo_response.tap('it', (data) => data))
  const ours = tap()
  trustPlugins([ours])
  await using site = await bare([ours])
  const { rest_pre_echo_response: hook } = site.kernel.hooks
  assert.not(isPerRequest(hook))
  await using other = await bare([tap()])
  assert.ok(isPerRequest(other.kernel.hooks.rest_pre_echo_response))
})

depends('`registrations` returns a higher number after each registration and removal', async () => {
  let last = registrations()
  const grown = (change: string) => {
    assert.ok(registrations() > last, change)
    last = registrations()
  }
  const { all, text, others } = registry()
  grown('hooks')
  others.run(() => text.tap('price', (value) => value))
  grown('a tap')
  all.untap('test_text', 'price')
  grown('a removed tap')
  const map = new OwnedMap<number>('price')
  const removeEntry = map.set('a', 1)
  grown('an entry')
  removeEntry()
  grown('a removed entry')
  const routes = plugin('routes', ({ hooks }) => {
    hooks.rest_api_init.tap('routes', (server) => {
      server.registerRoute('test/v1', 'it', { permission_callback: () => true, callback: () => 'it' })
    })
  })
  await using site = await bare([routes])
  grown('a plugin')
  assert.is((await site.raw('/svc-json/test/v1/it')).json, 'it')
  assert.is(registrations(), last, 'not by a request')
  await removePlugin(site.kernel, 'routes')
  grown('a removed plugin')
})

depends.run()
