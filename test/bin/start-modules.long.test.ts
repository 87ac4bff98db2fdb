import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import project from '../../package.json' with { type: 'json' }
import { run } from '../helpers/svc-serve.ts'

/** The packages that a start loads. Other packages are loaded by the first request that needs them. */
const PACKAGES = [
  'ajv',
  'cookie',
  'dataloader',
  'fastest-levenshtein',
  'find-my-way',
  'htmlparser2',
  'kysely',
  'lru-cache',
  'mime',
  'pino',
  'secure-json-parse',
  'tapable',
]

/** Files that a start must not load: the code of pages, feeds, renderers, imports and commands. */
const LATER = [
  /^plugins\/content\/media\/files\/file-usage\.ts/,
  /^plugins\/rendering\/core-blocks\/renderers\.ts/,
  /^plugins\/operations\/import\/(?:importer|wxr\/)/,
  /^plugins\/site\/admin\/frame\//,
  // svc-rest exports tables and fields.
  /^plugins\/site\/admin\/parts\/(?!(?:fields|media-picker|table)\.ts)/,
  /^plugins\/site\/admin\/pages\/(?!index\.ts|dashboard\/panels\.ts)/,
  /^plugins\/site\/admin\/words\/texts\.json/,
  /^plugins\/site\/editor\/(?:install|pages|settings|preload-paths)\.ts/,
  /^plugins\/site\/feeds\/(?:subject|build-feed|formats)\.ts/,
  /^plugins\/site\/crawlers\/sitemaps\.ts/,
  /^plugins\/site\/first-run\/sample-content\.ts/,
  /^plugins\/site\/permalinks\/finder\.ts/,
  /^plugins\/site\/site-pages\/(?!index|hooks|options)/,
  /^plugins\/storage\/store\/postgres\//,
]

/** Records all modules that `import` and `require` load. */
const WATCH = `import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) {
  appendFileSync('loaded', url + '\\n')
  return next(url, context)
} })`

const root = resolve(import.meta.dirname, '../..')
const start = suite('the modules loaded at the start')

start('do not include modules that only requests need', async () => {
  const config = { port: 0, database: 'sqlite:site.db', log: 'error' }
  await using first = await run([], { 'svc.config.json': JSON.stringify(config) })
  await first.home()
  first.kill('SIGTERM')
  await first.end()
  const args = ['--config', join(first.folder, 'svc.config.json')]
  await using site = await run(args, { 'watch.mjs': WATCH }, { NODE_OPTIONS: '--import ./watch.mjs' })
  const loaded = async () => {
    const urls = (await readFile(join(site.folder, 'loaded'), 'utf8')).split('\n')
    return urls.flatMap((url) => (url.startsWith('file:') ? fileURLToPath(url).replace(`${root}/`, '') : []))
  }
  const home = await site.home()
  const before = await loaded()
  const later = (files: readonly string[]) => files.filter((file) => LATER.some((pattern) => pattern.test(file)))
  assert.equal(later(before), [])
  assert.equal(packagesOf(before), PACKAGES)
  for (const path of ['/', '/feed/', '/sitemap.xml', '/svc-admin/']) await (await fetch(`${home}${path}`)).text()
  assert.ok(later(await loaded()).length > 20)
})

/** Returns the names of the packages that contain these files. */
function packagesOf(files: readonly string[]): string[] {
  const names = files.flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [])
  return [...new Set(names)].filter((name) => Object.hasOwn(project.dependencies, name)).toSorted()
}

start.run()
