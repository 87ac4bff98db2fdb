import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { completeConfig, resolvePlugins, startKernel } from '../../../bin/config/index.ts'
import { definePlugin } from '../../../kernel/index.ts'
import type { PluginSetting } from '../../../plugins/library/site-config/index.ts'
import { provideImports } from '../../../plugins/imports.ts'
import { needing, plugin, refusal, start } from '../../kernel/bare.ts'
import { failureOf } from '../../kernel/failure.ts'

const plugins = suite('the plugins of a config')
provideImports()

/** Creates a folder with plugin files, by name. */
async function folderOf(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'plugins-'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

plugins('start after the plugins they need, otherwise in their order', async () => {
  await using kernel = await start([needing('c', 'b'), plugin('a'), needing('b')])
  assert.equal(
    kernel.plugins.map(({ slot }) => slot),
    ['b', 'c', 'a'],
  )
})

plugins('that need each other in a cycle are all named in the error', async () => {
  const error = await refusal([needing('a', 'b'), needing('b', 'c'), needing('c', 'a')])
  assert.is(error.code, 'PLUGIN_NEEDS_CYCLE')
  assert.match(error.message, 'a → b → c → a')
})

plugins('with a missing need are rejected with advice', async () => {
  const error = await refusal([needing('a', 'b'), plugin('b')], { b: false })
  assert.is(error.code, 'PLUGIN_NEED_MISSING')
  assert.match(error.message, 'a needs the plugin b')
  assert.match(error.message, 'switch a off')
})

plugins('with the same name are rejected', async () => {
  assert.is((await refusal([plugin('twin'), plugin('twin')])).code, 'PLUGIN_NAME_TAKEN')
})

plugins('with an unknown option are rejected with the nearest option', async () => {
  const cors = plugin('cors', () => {}, { options: { origins: { default: [], type: 'array' } } })
  const error = await refusal([cors], { cors: { origin: [] } })
  assert.is(error.code, 'PLUGIN_OPTION_UNKNOWN')
  assert.match(error.message, 'did you mean origins?')
})

plugins('with an invalid option are rejected with its name', async () => {
  const cors = plugin('cors', () => {}, { options: { origins: { default: [], type: 'array' } } })
  const error = await refusal([cors], { cors: { origins: 'https://a.example' } })
  assert.is(error.code, 'PLUGIN_OPTIONS_INVALID')
  assert.match(error.message, '"origins" of cors must be array')
})

plugins('receive separate copies of their options, including defaults', async () => {
  const seen: string[][] = []
  const list = definePlugin<{ items: string[] }>({
    name: 'list',
    options: { items: { default: ['a'], type: 'array' } },
    apply: (_, { items }) => void seen.push(items),
  })
  await using _one = await start([list])
  seen[0]!.push('changed')
  await using _two = await start([list])
  await using _three = await start([list], { list: { items: ['b'] } })
  assert.equal(seen, [['a', 'changed'], ['a'], ['b']])
})

plugins('do not start if they are switched off', async () => {
  await using kernel = await start([plugin('a'), plugin('b')], { a: false })
  assert.equal(
    kernel.plugins.map(({ slot }) => slot),
    ['b'],
  )
})

plugins('cannot be switched off by an unknown name', async () => {
  const error = await refusal([plugin('cors')], { corss: false })
  assert.is(error.code, 'PLUGIN_UNKNOWN')
  assert.match(error.message, 'did you mean cors?')
})

plugins('are added by file, and replace a default plugin with `use`', async () => {
  const source = (name: string) =>
    `import { definePlugin } from 'svc-rest'\nexport default definePlugin({ name: '${name}', apply() {} })\n`
  await using place = await folderOf({ 'added.mjs': source('added'), 'other.ts': source('my-fields') })
  await using kernel = await start(
    [plugin('fields'), needing('needs-fields', 'fields')],
    { fields: { use: './other.ts' }, './added.mjs': true },
    place.folder,
  )
  assert.equal(
    kernel.plugins.map(({ slot, definition }) => [slot, definition.name]),
    [
      ['fields', 'my-fields'],
      ['needs-fields', 'needs-fields'],
      ['added', 'added'],
    ],
  )
})

plugins('that do not exist, cannot be loaded or are not plugins are named in the error', async () => {
  await using place = await folderOf({ 'none.mjs': 'export default 5\n', 'broken.mjs': 'throw new Error("no luck")\n' })
  const code = async (source: string) => (await refusal([plugin('cors')], { [source]: true }, place.folder)).code
  assert.is(await code('./none.mjs'), 'PLUGIN_NOT_A_PLUGIN')
  assert.is(await code('./missing.mjs'), 'PLUGIN_UNLOADABLE')
  const missing = await refusal([], { './missing.mjs': true }, place.folder)
  assert.match(missing.message, `there is no file ${place.folder}`)
  assert.is(await code('no-such-package'), 'PLUGIN_UNKNOWN')
  assert.is(await code('fs'), 'PLUGIN_UNKNOWN')
  const broken = await refusal([], { './broken.mjs': true }, place.folder)
  assert.is(broken.code, 'PLUGIN_UNLOADABLE')
  assert.match(broken.message, 'no luck')
})

plugins('are changed by the revision, and the config overrides the revision', async () => {
  const named = (name: string, is = name) =>
    definePlugin<{ level: number }>({ name: is, options: { level: { default: 1, type: 'integer' } }, apply() {} })
  const preset = {
    off: false as const,
    swapped: { use: named('swapped', 'other') },
    set: { options: { level: 2 } },
    added: { use: named('added') },
  }
  const placed = async (settings: Record<string, PluginSetting>) =>
    (
      await resolvePlugins(
        ['off', 'swapped', 'set'].map((name) => named(name)),
        settings,
        tmpdir(),
        preset,
      )
    ).map(({ slot, definition, options }) => `${slot} ${definition.name} ${String(options['level'])}`)
  assert.equal(await placed({}), ['swapped other 1', 'set set 2', 'added added 1'])
  assert.equal(await placed({ off: true, set: { level: 3 }, swapped: { level: 4 }, added: false }), [
    'off off 1',
    'swapped other 4',
    'set set 3',
  ])
})

plugins('reject a revision that they do not support', async () => {
  const config = completeConfig({ revision: '4.4' }, tmpdir())
  const failure = await failureOf(() => startKernel({ config, defaults: [] }))
  assert.is(failure.code, 'CONFIG_INVALID')
  assert.match(failure.message, 'revision')
})

plugins.run()
