import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { completeConfig, startKernel } from '../../kernel/host.ts'
import { syncFilter, type AnyPlugin } from '../../kernel/index.ts'
import { until } from '../helpers/until.ts'
import { bare, IT, open, plugin } from './bare.ts'
import { inventory } from './versions.ts'

const follow = suite('following a config')

/** A plugin as a file that taps and has a route. */
const FILE = (name: string) => `export default { name: '${name}', apply({ hooks }) {
  hooks.rest_post_dispatch.tap('${name}', (response) => response)
  hooks.rest_api_init.tap('${name}', (server) => {
    server.registerRoute('${name}/v1', 'it', { callback: () => 1, permission_callback: () => true })
  })
} }`

/** A site of files in a folder, which has what was logged. */
async function siteOf(defaults: readonly AnyPlugin[], files: Record<string, string>, plugins: object = {}) {
  const folder = await mkdtempDisposable(join(tmpdir(), 'follow-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text)
  const told: string[] = []
  const log = pino({}, { write: (line: string) => void told.push((JSON.parse(line) as { msg: string }).msg) })
  const at = (settings: object) =>
    startKernel({ config: completeConfig({ plugins: settings }, folder.path), defaults, log })
  const kernel = await at(plugins)
  const end = async () => {
    await kernel.close()
    await folder.remove()
  }
  return { kernel, told, at, [Symbol.asyncDispose]: end }
}

const on = (...names: string[]) => Object.fromEntries(names.map((name) => [`./${name}.mjs`, true]))

follow('has plugins in the order of a start, however the config has changed', async () => {
  const names = ['one', 'two', 'three', 'four']
  const files = Object.fromEntries(names.map((name) => [`${name}.mjs`, FILE(name)]))
  await using site = await siteOf([], files, on('one', 'four'))
  const orders = [['one', 'two', 'four'], names, ['three', 'one'], ['two', 'three', 'one', 'four'], names.toReversed(), [], ['four', 'two']] // prettier-ignore
  for (const order of orders) {
    const { gone } = await site.kernel.follow(on(...order))
    await gone
    await using fresh = await site.at(on(...order))
    assert.equal(inventory(site.kernel), inventory(fresh), order.join())
  }
})

follow('starts none anew that stands where it stood among the others', async () => {
  const names = ['one', 'two', 'three', 'four']
  const files = Object.fromEntries(names.map((name) => [`${name}.mjs`, FILE(name)]))
  await using site = await siteOf([], files, on(...names))
  const { started } = await site.kernel.follow(on('one', 'three', 'two', 'four'))
  assert.equal(started, ['two'])
})

follow('tells what the plugins of now lack in the place of a default', async () => {
  const base = plugin('base', ({ provide }) => provide('base' as never, {} as never), {
    provides: ['base' as never],
    hooks: { base_text: syncFilter('text') } as never,
  })
  const failures: string[] = []
  const guest = plugin('guest', ({ hooks, services }) => {
    const attempt = (work: () => unknown) => {
      try {
        work()
      } catch (error) {
        failures.push((error as Error).message)
      }
    }
    hooks.rest_pre_dispatch.tap('guest', (result) => {
      attempt(() => (services as never as Record<string, unknown>)['base'])
      attempt(() => (hooks as never as Record<string, unknown>)['base_text'])
      return result
    })
  }, { uses: ['base'] }) // prettier-ignore
  await using site = await siteOf([base, guest], { 'mine.mjs': FILE('mine'), 'yours.mjs': FILE('yours') })
  const { kernel, told } = site
  const failuresNow = async () => {
    failures.length = 0
    await kernel.server.dispatch('/')
    return failures
  }
  for (const name of ['mine', 'yours']) {
    told.length = 0
    await (
      await kernel.follow({ base: { use: `./${name}.mjs` } })
    ).gone
    const [service = '', hook = ''] = await failuresNow()
    assert.match(service, `${name}, in the place of base, does not`)
    assert.match(hook, `${name}, in the place of base, does not`)
    assert.equal(told.filter((line) => line.includes('takes the place')), [`${name} takes the place of base, but does not provide the service base, nor declare the hook base_text: guest may use them`]) // prettier-ignore
    // Nothing has changed that was not told.
    await (
      await kernel.reload('guest')
    ).gone
    assert.is(told.filter((line) => line.includes('takes the place')).length, 1)
  }
  await (
    await kernel.follow({})
  ).gone
  assert.equal(await failuresNow(), [])
})

follow('tells of a mistake again that was mended and made anew', async () => {
  await using site = await bare([plugin('shop')])
  const mistaken = (tap: boolean) =>
    plugin('shop', ({ hooks }) => {
      if (tap) hooks.rest_prepare.for('psot').tap('shop', (response) => response)
    })
  const told = () => site.lines.filter(({ msg }) => msg.includes('rest_prepare_psot')).length
  const counts: number[] = []
  for (const tap of [true, true, false, true]) {
    await (
      await site.kernel.reload('shop', mistaken(tap))
    ).gone
    counts.push(told())
  }
  assert.equal(counts, [1, 1, 1, 2])
})

follow('has each request see the plugins of its time', async () => {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const asking = plugin('asking', ({ hooks, has }) =>
    hooks.rest_api_init.tap('asking', (server) => {
      const callback = async () => {
        begun.resolve()
        await gate.promise
        return [has('come'), has('gone')]
      }
      server.registerRoute('test/v1', 'it', { callback, ...open })
    }),
  )
  await using site = await bare([asking, plugin('gone')])
  const slow = site.raw(IT)
  await begun.promise
  const adding = site.kernel.add(plugin('come'))
  const removing = site.kernel.remove('gone')
  await until(() => site.kernel.plugins.some(({ slot }) => slot === 'come'))
  gate.resolve()
  assert.equal((await slow).json, [false, true])
  await Promise.all([adding, removing])
  assert.equal((await site.raw(IT)).json, [true, false])
})

follow.run()
