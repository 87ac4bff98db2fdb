import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { run } from '../helpers/svc-serve.ts'

const watch = suite('svc-serve --watch with all kinds of file changes')

const ROUTE = (name: string, result: string) => `
  hooks.rest_api_init.tap('${name}', (server) => {
    server.registerRoute('${name}/v1', 'it', { callback: async () => ${result}, permission_callback: () => true })
  })`

const SHOP = `import { size } from './lib/deep/size.mjs'
import data from './data.json' with { type: 'json' }
export default { name: 'shop', apply({ hooks }) {${ROUTE('shop', '[size, data.size]')}
} }`
const OLD = `const data = require('./old.json')
module.exports = { name: 'old', apply({ hooks }) {${ROUTE('old', 'data.size')}
} }`
const LINKED = `import { size } from './parts/size.js'
export default { name: 'linked', apply({ hooks }) {${ROUTE('linked', 'size')}
} }`
const LATE = `export default { name: 'late', apply({ hooks }) {${ROUTE('late', "(await import('./late-part.mjs')).size")}
} }`
const SIZE = (size: number) => `export const size = ${size}`
const PACKAGE = { name: 'linked', version: '1.0.0', type: 'module', exports: './index.js' }

const FILES = {
  'shop.mjs': SHOP,
  'lib/deep/size.mjs': SIZE(1),
  'data.json': '{"size":1}',
  'old.cjs': OLD,
  'old.json': '{"size":1}',
  'late.mjs': LATE,
  'late-part.mjs': SIZE(1),
  'packages/linked/package.json': JSON.stringify(PACKAGE),
  'packages/linked/index.js': LINKED,
  'packages/linked/parts/size.js': SIZE(1),
  'svc.config.json': JSON.stringify({
    database: 'sqlite:site.db',
    plugins: { './shop.mjs': true, './old.cjs': true, './late.mjs': true, './packages/linked/index.js': true },
  }),
}

async function site() {
  const running = await run(['--watch', '--port', '0'], FILES)
  const home = await running.home()
  await running.printed(/^Watching the files/m)
  const at = (name: string) => join(running.folder, name)
  return {
    ...running,
    at,
    getRoute: async (name: string) => (await fetch(`${home}/svc-json/${name}/v1/it`)).json(),
    write: async (name: string, text: string) => {
      await mkdir(dirname(at(name)), { recursive: true })
      await writeFile(at(name), text)
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

/** Waits until the watcher has received an event: a site that does not restart prints nothing to wait for. */
const eventDelay = () => new Promise((resolve) => setTimeout(resolve, 150))

watch('restarts after changes of JSON files, submodules of packages and files imported late', async () => {
  await using running = await site()
  const { getRoute, write, printed } = running
  assert.equal(
    [await getRoute('shop'), await getRoute('old'), await getRoute('linked'), await getRoute('late')],
    [[1, 1], 1, 1, 1],
  )
  await write('data.json', '{"size":2}')
  await printed(/^data\.json changed: restarted in/m)
  await write('old.json', '{"size":2}')
  await printed(/^old\.json changed: restarted in/m)
  await write('packages/linked/parts/size.js', SIZE(2))
  await printed(/^size\.js changed: restarted in/m)
  await write('late-part.mjs', SIZE(2))
  await printed(/^late-part\.mjs changed: restarted in/m)
  assert.equal(
    [await getRoute('shop'), await getRoute('old'), await getRoute('linked'), await getRoute('late')],
    [[1, 2], 2, 2, 2],
  )
})

watch('notices folders that were removed and created again, and restored files', async () => {
  await using running = await site()
  const { getRoute, at, write, printed } = running
  await rm(at('lib'), { recursive: true })
  await eventDelay()
  assert.equal(await getRoute('shop'), [1, 1])
  await write('lib/deep/size.mjs', SIZE(2))
  await printed(/^size\.mjs changed: restarted in/m)
  assert.equal(await getRoute('shop'), [2, 1])
  await write('lib/deep/size.mjs', SIZE(3))
  await printed(/(?:^size\.mjs changed: restarted in.*[^]*){2}/m)
  // A build that replaces the previous build.
  await write('built/deep/size.mjs', SIZE(4))
  await rename(at('lib'), at('lib-before'))
  await rename(at('built'), at('lib'))
  await printed(/(?:^size\.mjs changed: restarted in.*[^]*){3}/m)
  assert.equal(await getRoute('shop'), [4, 1])
  await rm(at('data.json'))
  await eventDelay()
  await write('data.json', '{"size":5}')
  await printed(/^data\.json changed: restarted in/m)
  assert.equal(await getRoute('shop'), [4, 5])
})

watch('restarts when a missing file appears, in any folder', async () => {
  await using running = await site()
  const { getRoute, write, printed, complained } = running
  await write('shop.mjs', SHOP.replace('./lib/deep', './new/deeper'))
  await complained(/Cannot find module '.*new\/deeper\/size\.mjs'/)
  await write('new/other.txt', '')
  await eventDelay()
  await write('new/deeper/size.mjs', SIZE(7))
  await printed(/^shop\.mjs changed: restarted in/m)
  assert.equal(await getRoute('shop'), [7, 1])
})

watch('restarts once for a file that is written in parts', async () => {
  await using running = await site()
  const { getRoute, write, printed, complained } = running
  await write('lib/deep/size.mjs', 'export const size = (')
  await complained(/size\.mjs changed, but cannot be loaded/)
  await write('lib/deep/size.mjs', 'export const size = (2)')
  await printed(/^size\.mjs changed: restarted in/m)
  assert.equal(await getRoute('shop'), [2, 1])
})

watch('restarts when a link replaces a file, and when its target changes', async () => {
  await using running = await site()
  const { getRoute, at, write, printed } = running
  await write('elsewhere/size.mjs', SIZE(2))
  await symlink(at('elsewhere/size.mjs'), at('link'))
  await rename(at('link'), at('lib/deep/size.mjs'))
  await printed(/^size\.mjs changed: restarted in/m)
  assert.equal(await getRoute('shop'), [2, 1])
  await write('elsewhere/size.mjs', SIZE(3))
  await printed(/(?:^size\.mjs changed: restarted in.*[^]*){2}/m)
  assert.equal(await getRoute('shop'), [3, 1])
})

watch.run()
