import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Kernel } from '../../kernel/host.ts'
import { defineErrors, definePlugin, syncFilter, type RestServer } from '../../kernel/index.ts'
import { PostsController } from '../../plugins/content/posts/index.ts'
import { serve } from '../kit/index.ts'
import { failureOf } from '../kernel/failure.ts'

const leaks = suite('reload, a thousand times')

/** Reloads; each second one fails. */
const ROUNDS = 1000
/** Rounds after which the heap is looked at: by then most is compiled, and pools are full. */
const WARM = 400
/** Rounds between two such looks. */
const WINDOW = 200
/** Bytes of heap that a round may leave behind, about: V8 still compiles. One version that is kept takes ten times as many. */
const MOST = 2500
/** Versions that may still be there: the one that runs, and what was remembered last. */
const MOST_ALIVE = 4

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** What is there of the second version when it fails: its own of everything but the routes. */
let isBroken = false

/** What versions have made, as long as anybody has it. */
const made: WeakRef<object>[] = []

/** A plugin that registers one of everything, and uses what is not the kernel's: timers, listeners of the process. */
const everything = () =>
  definePlugin<{ size: number }>({
    name: 'everything',
    needs: ['store', 'content-types', 'taxonomies', 'meta', 'settings', 'roles', 'shortcodes', 'blocks', 'extra-fields', 'media', 'search'],
    options: { size: { type: 'integer', default: 1, minimum: 1 } },
    hooks: { everything_text: syncFilter('text'), 'everything_*_text': syncFilter('text') } as never,
    async apply(context, { size }) {
      const { hooks, services, provide, onRemove, addCommand, log, worker } = context
      const errors = defineErrors({ EVERYTHING_BROKEN: (why: string) => `Everything is broken: ${why}.` })
      const dependsOn = 'nothing' as const
      const storage = new AsyncLocalStorage<object>()
      made.push(new WeakRef(context), new WeakRef(storage), new WeakRef(services))
      provide('everything' as never, { storage, size, worker } as never)
      addCommand('everything', { summary: 'Does all.', run: () => 0 })
      services.contentTypes.register('thing', { show_in_rest: true, public: true, rest_controller_class: class extends PostsController {} })
      services.contentTypes.change('post', { description: 'One of all' })
      services.statuses.register('half-done', { public: true })
      services.taxonomies.register('kind', 'thing', { show_in_rest: true })
      services.taxonomies.attach('post_tag', 'thing')
      services.meta.register('post', 'size', { subtype: 'thing', type: 'integer', single: true, show_in_rest: true })
      services.settings.register('thing_size', { type: 'integer', show_in_rest: true })
      services.roles.register('maker', 'Maker', ['edit_posts'])
      services.roles.grant('editor', 'make_things')
      services.shortcodes.register('thing', () => 'thing', { dependsOn })
      services.blocks.register('every/thing', { render_callback: () => 'thing', dependsOn })
      services.extraFields.register(['thing', 'post'], 'weight', { get_callback: () => 1, dependsOn, schema: { type: 'integer' } })
      services.imageSizes.register('thing', { width: 10, height: 10, crop: false })
      services.store.onStatement(() => {})
      services.store.onSettled(() => {})
      services.store.changes.onCommit(() => {})
      hooks.the_content.tap({ name: 'everything', dependsOn }, (html) => html)
      hooks.the_content.tap({ name: 'late', stage: 20, dependsOn }, (html) => html)
      hooks.rest_prepare.for('thing').tap({ name: 'everything', dependsOn }, (response) => response)
      hooks.rest_endpoints.tap('everything', (endpoints) => endpoints)
      ;(hooks as never as Record<string, { tap(name: string, tap: () => void): void }>)['everything_own_text']!.tap('everything', () => {})
      hooks.content_changed.tap('everything', () => {})
      hooks.rest_api_init.tap('everything', (server: RestServer) => {
        server.registerRoute('every/v1', '/thing', { callback: () => size, permission_callback: () => true })
        services.extraFields.register('page', 'length', { get_callback: () => 1, dependsOn, schema: { type: 'integer' } })
        onRemove(() => {}, 'nothing')
      })
      hooks.server_listening.tap('everything', () => {
        const interval = setInterval(() => {}, 1e6)
        onRemove(() => clearInterval(interval), 'interval')
      })
      const timer = setTimeout(() => {}, 1e6)
      onRemove(() => clearTimeout(timer), 'timer')
      const warn = () => log.debug('warned')
      process.on('warning', warn)
      onRemove(async () => {
        await Promise.resolve()
        process.off('warning', warn)
      }, 'listener')
      if (isBroken) throw errors.EVERYTHING_BROKEN('as asked')
    },
  }) // prettier-ignore

/** What comes and goes with the requests of this test. */
const PASSING = new Set(['Immediate', 'TCPSocketWrap'])

/** All that can be counted of a site and its process. */
const inventory = ({ registry, server, plugins, commands, services }: Kernel) => ({
  owned: plugins.map(({ slot, owner }) => [slot, owner.size, JSON.stringify(owner.owned())]),
  hooks: registry.list().map(({ name, taps }) => [name, ...taps.map((tap) => `${tap.plugin}/${tap.name}`)]),
  routes: [...server.routes.keys()],
  commands: commands.list().map(({ name }) => name),
  types: services.contentTypes.all().map(({ name }) => name),
  resources: process
    .getActiveResourcesInfo()
    .filter((kind) => !PASSING.has(kind))
    .toSorted(),
  listeners: process.eventNames().map((event) => [event, process.listenerCount(event)]),
})

leaks('leave nothing behind, whether the new version starts or fails', async () => {
  await using site = await serve({ add: [everything()] })
  const { kernel } = site
  const route = () => site.json('/every/v1/thing')
  await route()
  const before = inventory(kernel)
  const heaps: number[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    isBroken = round % 2 === 0
    const size = 1 + (round % 3)
    if (isBroken)
      assert.is((await failureOf(() => kernel.reload('everything', everything()))).code, 'EVERYTHING_BROKEN')
    else await (await kernel.reload('everything', everything(), { size })).gone
    if (round >= WARM && (round - WARM) % WINDOW === 0) heaps.push(await used())
  }
  // A leak shows in every window; a table of V8 that grows once does not.
  const growth = Math.min(...heaps.slice(1).map((heap, at) => (heap - heaps[at]!) / WINDOW))
  const alive = made.filter((one) => one.deref() !== undefined).length
  assert.equal(inventory(kernel), before)
  assert.is(await route(), 1 + ((ROUNDS - 1) % 3))
  assert.ok(alive <= MOST_ALIVE * 3, `${alive} things of ${ROUNDS} versions are alive`)
  assert.ok(growth < MOST, `${Math.round(growth)} bytes of heap a round`)
})

/** Bytes of heap that nobody can free. */
async function used(): Promise<number> {
  // What a weak reference was made for, or asked for, lives until the process has turned to something else.
  await nextTurn()
  gc()
  gc()
  return process.memoryUsage().heapUsed
}

leaks.run()
