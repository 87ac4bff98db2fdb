import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { run } from '../helpers/svc-serve.ts'

const watch = suite('svc-serve --watch')

const ROUTE = (name: string, result: string) => `
    hooks.rest_api_init.tap('${name}', (server) => {
      server.registerRoute('${name}/v1', 'it', { callback: () => ${result}, permission_callback: () => true })
    })`
const SHOP = (letter = 'A') => `
import { definePlugin } from 'svc-rest'
import { price } from './lib/price.ts'
export default definePlugin<{ size: number }>({
  name: 'shop',
  options: { size: { type: 'integer', default: 1 } },
  apply({ hooks, provide }, { size }) {
    provide('shop' as never, { letter: '${letter}' } as never)${ROUTE('shop', `[price, size, '${letter}']`)}
  },
})`
const PRICE = (price: string) => `export const price: number = ${price}`
const CART = `
export default { name: 'cart', needs: ['shop'], apply({ hooks, services }) {
  const { letter } = services.shop${ROUTE('cart', 'letter')}
} }`
/** A plugin that starts once the file `go` exists. */
const WAITING = `
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
export default { name: 'cart', async apply() {
  console.log('cart waits')
  while (!existsSync('go')) await setTimeout(10)
} }`
const OLD = `
const { number } = require('./number.cjs')
module.exports = { name: 'old', apply({ hooks }) {${ROUTE('old', 'number')}
} }`
const config = (shop: unknown = true, more: object = {}) =>
  JSON.stringify({
    database: 'sqlite:site.db',
    plugins: { './shop.ts': shop, './cart.mjs': true, './old.cjs': true, ...more },
  })

const FILES = {
  'shop.ts': SHOP(),
  'lib/price.ts': PRICE('1'),
  'cart.mjs': CART,
  'old.cjs': OLD,
  'number.cjs': 'exports.number = 1',
  'svc.config.json': config(),
}

/** Starts a watched site with these files. */
async function site(args: string[] = [], files: Record<string, string> = FILES) {
  const running = await run(['--watch', '--port', '0', ...args], files)
  const home = await running.home()
  await running.printed(/^Watching the files/m)
  let written = 0
  return {
    ...running,
    home,
    getRoute: async (name: string) => (await fetch(`${home}/svc-json/${name}/v1/it`)).json(),
    write: (name: string, text: string) => writeFile(join(running.folder, name), text),
    /** Replaces the file with a rename, as some editors do. */
    replace: async (name: string, text: string) => {
      written += 1
      await writeFile(join(running.folder, `.${written}`), text)
      await rename(join(running.folder, `.${written}`), join(running.folder, name))
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

watch('restarts when an entry changes, or a file that it imports, also in CommonJS', async () => {
  await using running = await site()
  const { getRoute, write, replace, printed } = running
  assert.equal(await getRoute('shop'), [1, 1, 'A'])
  await write('shop.ts', SHOP('B'))
  await printed(/^shop\.ts changed: restarted in \d+ ms\.$/m)
  assert.equal([await getRoute('shop'), await getRoute('cart')], [[1, 1, 'B'], 'B'])
  await replace('lib/price.ts', PRICE('2'))
  await printed(/^price\.ts changed: restarted in/m)
  assert.equal(await getRoute('shop'), [2, 1, 'B'])
  // The new file in its place is watched as well.
  await replace('lib/price.ts', PRICE('3'))
  await printed(/(?:^price\.ts changed: restarted in.*[^]*){2}/m)
  assert.equal(await getRoute('shop'), [3, 1, 'B'])
  await write('number.cjs', 'exports.number = 2')
  await printed(/^number\.cjs changed: restarted in/m)
  assert.is(await getRoute('old'), 2)
})

watch('prints a mistake with its place, keeps the previous version, and restarts after the correction', async () => {
  await using running = await site()
  const { getRoute, write, printed, complained, folder } = running
  await write('lib/price.ts', PRICE('= 2'))
  const [message] = await complained(
    /could not be loaded: (.*)\n.*changed, but cannot be loaded: the site keeps running/,
  )
  assert.match(message, `(${join(folder, 'lib/price.ts')}:1:30)`)
  assert.equal(await getRoute('shop'), [1, 1, 'A'])
  await write('lib/price.ts', PRICE('2'))
  await printed(/^price\.ts changed: restarted in/m)
  assert.equal(await getRoute('shop'), [2, 1, 'A'])
  await write('shop.ts', SHOP('B').replace('    provide', "    throw new Error('flooded')\n    provide"))
  const [, place] = await complained(/The plugin shop could not start: flooded \((.*)\)$/m)
  assert.is(place, `${join(folder, 'shop.ts')}:8:11`)
  await write('shop.ts', SHOP('C').replace(/ {4}provide.*/, ''))
  await complained(/cart uses the service shop, which no plugin provides/)
  assert.equal([await getRoute('shop'), await getRoute('cart')], [[2, 1, 'A'], 'A'])
  await write('shop.ts', SHOP('D').replace('./lib/price.ts', './price.ts'))
  await complained(/Cannot find module '.*price\.ts'/)
  await write('price.ts', PRICE('4'))
  await printed(/^shop\.ts changed: restarted in/m)
  assert.equal([await getRoute('shop'), await getRoute('cart')], [[4, 1, 'D'], 'D'])
})

watch('restarts when the config file changes', async () => {
  await using running = await site()
  const { getRoute, home, write, printed, complained, folder } = running
  await write('svc.config.json', config({ size: 2 }))
  await printed(/^svc\.config\.json changed: restarted in/m)
  assert.equal(await getRoute('shop'), [1, 2, 'A'])
  await mkdir(join(folder, 'more'))
  await write('more/new.mjs', `export default { name: 'new', apply({ hooks }) {${ROUTE('new', '1')} } }`)
  await write('svc.config.json', config({ size: 2 }, { './more/new.mjs': true, './old.cjs': false }))
  await printed(/(?:^svc\.config\.json changed: restarted in.*[^]*){2}/m)
  assert.equal([await getRoute('new'), ((await getRoute('old')) as { code: string }).code], [1, 'rest_no_route'])
  await write('more/new.mjs', `export default { name: 'new', apply({ hooks }) {${ROUTE('new', '2')} } }`)
  await printed(/^new\.mjs changed: restarted in/m)
  assert.is(await getRoute('new'), 2)
  await write('svc.config.json', config({ sise: 2 }))
  await complained(/shop has no option sise: did you mean size\?/)
  await write('svc.config.json', config({ size: 3 }).replace('{', '{"word":"garden",'))
  await printed(/(?:^svc\.config\.json changed: restarted in.*[^]*){3}/m)
  assert.equal(await (await fetch(`${home}/garden-json/shop/v1/it`)).json(), [1, 3, 'A'])
})

watch('stops cleanly, also during a restart', async () => {
  for (const workers of ['1', '3']) {
    await using running = await site(['--workers', workers])
    const { write, printed, kill } = running
    await write('cart.mjs', WAITING)
    await printed(/^cart waits$/m)
    kill('SIGTERM')
    await write('go', '')
    const { code, err } = await running.end()
    assert.is(code, 0, err)
    assert.not.match(err, 'cannot be loaded')
  }
})

watch.run()
