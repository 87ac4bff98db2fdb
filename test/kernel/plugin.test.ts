import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { describeHooks, type Kernel } from '../../bin/config/index.ts'
import { applySyncFilter, syncFilter, type AnyPlugin, type Services, type SyncFilter } from '../../kernel/index.ts'
import { bare, plugin, refusal, start } from './bare.ts'
import { removePlugin } from '../helpers/remove-plugin.ts'

declare module '../../kernel/index.ts' {
  interface Hooks {
    busy_value: SyncFilter<unknown>
    owner_text: SyncFilter<string>
  }
}

const plugins = suite('plugins')

plugins('that fail to start are named in the error, and the started plugins are removed', async () => {
  const undone: string[] = []
  const first = plugin('first', ({ onRemove }) => onRemove(() => void undone.push('first')))
  const second = plugin('second', ({ onRemove }) => {
    onRemove(() => void undone.push('second'))
    throw new Error('the cellar is flooded')
  })
  const error = await refusal([first, second])
  assert.is(error.code, 'PLUGIN_FAILED')
  assert.match(error.message, /second could not start: the cellar is flooded/)
  assert.equal(undone, ['second', 'first'])
})

interface Greeting {
  greet(): string
}
/** Services of these tests, with names that no default plugin uses. */
type TestServices = Services & { greeting: Greeting }

const provides = (name: string) =>
  plugin(name, ({ provide }) => provide('greeting' as never, { greet: () => `hello from ${name}` } as never))
const uses = (name: string, more: Partial<AnyPlugin>, seen: string[] = []) =>
  plugin(name, ({ services }) => void seen.push((services as TestServices).greeting.greet()), more)

plugins('can use the services of plugins in `needs`', async () => {
  const seen: string[] = []
  await using _kernel = await start([uses('guest', { needs: ['host'] }, seen), provides('host')])
  assert.equal(seen, ['hello from host'])
})

plugins('get an error that names the missing need, or says that no plugin provides the service', async () => {
  const unneeded = await refusal([provides('host'), uses('guest', {})])
  assert.is(unneeded.code, 'SERVICE_NOT_NEEDED')
  assert.match(unneeded.message, 'add host to the needs of guest')
  assert.is((await refusal([uses('guest', {})])).code, 'SERVICE_MISSING')
})

plugins('cannot provide the same service twice', async () => {
  const error = await refusal([provides('one'), provides('two')])
  assert.is(error.code, 'SERVICE_TAKEN')
  assert.match(error.message, /two provides the service greeting, which one already provides/)
})

/** A plugin with a registration of every kind. */
const busy = (undone: string[] = []) =>
  plugin(
    'busy',
    ({ hooks, provide, onRemove }) => {
      provide('greeting' as never, { greet: () => 'hi' } as never)
      hooks.rest_url_prefix.tap('busy', (prefix) => `busy-${prefix}`)
      hooks.rest_api_init.tap('busy', (server) => {
        server.registerRoute('busy/v1', 'bee', { callback: () => 'buzz', permission_callback: () => true })
      })
      onRemove(async () => {
        await Promise.resolve()
        undone.push('timer')
      })
    },
    { hooks: { busy_value: syncFilter('value') } },
  )

/** Counts the registrations of a site. */
const inventory = ({ registry, server }: Kernel) => ({
  taps: describeHooks(registry).reduce((sum, { taps }) => sum + taps.length, 0),
  hooks: describeHooks(registry).length,
  routes: [...server.routes.keys()],
})

plugins('S44: have no registrations after their removal', async () => {
  const undone: string[] = []
  await using quiet = await start([plugin('quiet')])
  const before = inventory(quiet)
  await using kernel = await start([plugin('quiet'), busy(undone)])
  assert.equal([...kernel.server.routes.keys()], ['/busy/v1/bee'])
  assert.is((kernel.services as TestServices).greeting.greet(), 'hi')
  await removePlugin(kernel, 'busy')
  assert.equal(inventory(kernel), before)
  assert.is((kernel.services as Partial<TestServices>).greeting, undefined)
  assert.is(kernel.urls.prefix, 'svc-json')
  assert.equal(undone, ['timer'])
})

plugins('that cannot register their routes fail the start', async () => {
  const broken = plugin('broken', ({ hooks }) => {
    hooks.rest_api_init.tap('broken', (server) => {
      server.registerRoute('broken/v1', 'x', { callback: 5 as never })
    })
  })
  assert.is((await refusal([broken])).code, 'ROUTE_INVALID')
})

plugins('with the same name are refused', async () => {
  assert.is((await refusal([busy(), busy()])).code, 'PLUGIN_NAME_TAKEN')
})

plugins('are all removed, even if one fails to stop', async () => {
  const undone: string[] = []
  const kernel = await start([
    plugin('first', ({ onRemove }) => onRemove(() => void undone.push('first'))),
    plugin('second', ({ onRemove }) =>
      onRemove(() => {
        throw new Error('stuck')
      }),
    ),
  ])
  try {
    await kernel.close()
    assert.unreachable('the failure is told')
  } catch (error) {
    assert.is((error as Error).message, 'stuck')
  }
  assert.equal(undone, ['first'])
})

plugins('can declare hooks that other plugins tap', async () => {
  const owner = plugin(
    'owner',
    ({ hooks }) => {
      hooks.rest_encoded_response.tap('owner', (text) => applySyncFilter(hooks.owner_text, text))
      hooks.rest_api_init.tap('owner', (server) => {
        server.registerRoute('owner/v1', 'text', { callback: () => 'text', permission_callback: () => true })
      })
    },
    { hooks: { owner_text: syncFilter('text') } },
  )
  const guest = plugin(
    'guest',
    ({ hooks }) => {
      hooks.owner_text.tap('guest', (text) => text.toUpperCase())
    },
    { needs: ['owner'] },
  )
  await using site = await bare([owner, guest])
  assert.is((await site.raw('/svc-json/owner/v1/text')).text, '"TEXT"')
})

plugins.run()
