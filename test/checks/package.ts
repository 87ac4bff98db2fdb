// npm run check:package: tests the package that `npm publish` would send. Packs it, checks it with publint and attw,
// installs it into an empty folder outside of the checkout, compiles a plugin against its types, and starts its
// svc-serve there with that plugin. Needs the npm registry for the dependencies of the package.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { checkExamplePlugins } from './example-plugins.ts'
import { checkCreatedPackages } from './created-packages.ts'
import { openProject, unexportedTypes } from './mentioned-types.ts'
import { install } from './npm.ts'
import { getJson, prepareSite, run, startServer } from './server.ts'

/** Modules for plugin authors. */
const SURFACE = ['Hooks', 'Services', 'PluginContext']
const root = resolve(import.meta.dirname, '../..')

/** A plugin with an option, a new hook, and a route whose response the hook can change. */
const PLUGIN = `
import { applyFilter, definePlugin, filter, type Filter, type RestRequest } from 'svc-rest'

declare module 'svc-rest' {
  interface Hooks {
    hello_greeting: Filter<string, [request: RestRequest]>
  }
}

export default definePlugin<{ greeting: string }>({
  name: 'hello',
  options: { greeting: { default: 'hi', type: 'string' } },
  hooks: { hello_greeting: filter('greeting', 'request') },
  apply({ hooks }, { greeting }) {
    hooks.hello_greeting.tap('hello', (text) => text.toUpperCase())
    hooks.rest_api_init.tap('hello', (server) => {
      server.registerRoute('hello/v1', '/greeting', {
        callback: async (request: RestRequest) => ({ text: await applyFilter(hooks.hello_greeting, greeting, request) }),
        permission_callback: () => true,
      })
    })
  },
})
`

/** A test of the plugin. */
const TEST = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, serve } from 'svc-rest/testing'
import hello from './hello.ts'

test('greets', async () => {
  await using site = await serve({ add: [hello], plugins: { hello: { greeting: 'good day' } } })
  assert.deepEqual(await site.json('/hello/v1/greeting'), { text: 'GOOD DAY' })
  assert.equal((await site.get('/svc/v2/settings')).status, 401)
  assert.equal((await site.get('/svc/v2/settings', as('administrator'))).status, 200)
})
`

/** A program that starts a kernel. */
const HOST = `
import { completeConfig, defaults, presets, revisions, startKernel } from 'svc-rest/host'
import hello from './hello.ts'

const config = completeConfig({ database: 'sqlite::memory:', log: 'silent', port: 0, plugins: { 'first-run': false, hello: { greeting: 'hi' } } }, import.meta.dirname)
await using kernel = await startKernel({ config, defaults: [...defaults, hello], presets, revisions })
const home = await kernel.listen()
for (const [path, text] of [['hello/v1/greeting', 'HI'], ['svc/v2/types/post', 'Posts']] as const) {
  const body = await (await fetch(home + '/svc-json/' + path)).text()
  if (!body.includes(text)) throw new Error(path + ': ' + body)
}
`

/** Compiler options that also check the declarations of the package. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  files: ['hello.ts', 'hello.test.ts', 'host.ts', 'examples.ts'],
}

/** Declarations for the examples of the services reference, each of which becomes a function. */
const EXAMPLES = `
import { createReadStream } from 'node:fs'
import { RestError, RestResponse, type PluginContext, type Post, type RestRequest } from 'svc-rest'

type Given = PluginContext & { request: RestRequest; post: Post; code: string; password: string; bytes: Buffer }
`

const folder = await mkdtemp(join(tmpdir(), 'svc-package-'))
try {
  await run('npm', ['pack', '--loglevel=error', '--pack-destination', folder], root)
  await run('npm', ['pack', '--loglevel=error', '--pack-destination', folder], join(root, 'bin/create-svc-rest'))
  const tarball = join(folder, `svc-rest-${packageJson.version}.tgz`)
  const createTarball = join(folder, `create-svc-rest-${packageJson.version}.tgz`)
  await tool('publint', 'run', tarball, '--strict')
  await tool('publint', 'run', createTarball, '--strict')
  await tool('attw', tarball, '--profile', 'esm-only', '--quiet')

  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const { typescript, node, '@types/node': nodeTypes } = packageJson.devDependencies
  const tools = [`@types/node@${nodeTypes}`, `typescript@${typescript}`, `node@${node}`]
  await install(folder, tarball, createTarball, ...tools)

  await writeFile(join(folder, 'hello.ts'), PLUGIN)
  await writeFile(join(folder, 'hello.test.ts'), TEST)
  await writeFile(join(folder, 'host.ts'), HOST)
  await writeFile(join(folder, 'examples.ts'), await examples())
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  await tool('tsc', '-p', folder)
  await run(process.execPath, ['--test', 'hello.test.ts'], folder)
  await run(process.execPath, ['host.ts'], folder)
  const installed = join(folder, 'node_modules', 'svc-rest')
  using project = openProject(join(folder, 'tsconfig.json'))
  const missingIn = (file: string) => unexportedTypes(project, join(installed, file), installed, SURFACE)
  assert.deepEqual(missingIn('dist/index.d.ts'), [], 'svc-rest exports what hooks and services mention')
  assert.ok(missingIn('dist/kernel/index.d.ts').length > 10, 'the check finds unexported types')

  const site = await prepareSite(folder, { plugins: { './hello.ts': { greeting: 'good day' } } })
  {
    await using server = await startServer(join(folder, 'node_modules', '.bin', 'svc-serve'), site)
    const index = await getJson(`${site.home}/svc-json/`)
    assert.ok(
      index['routes'] && Object.hasOwn(index['routes'], '/hello/v1/greeting'),
      'the index lists the plugin’s route',
    )
    assert.deepEqual(await getJson(`${site.home}/svc-json/hello/v1/greeting`), { text: 'GOOD DAY' })
    const library = await fetch(`${site.home}/svc-admin/assets/library.0/0/tiptap-core.js`)
    assert.match(await library.text(), /as Editor/, 'the package contains the libraries of the admin')
    assert.equal(await server.stop(), 0, 'svc-serve ends with 0 on SIGTERM')
  }
  console.log('The package installs, compiles, serves and stops.')

  await checkExamplePlugins(folder, TSCONFIG)
  console.log('The example plugins compile and pass their tests.')

  await checkCreatedPackages(folder, tarball)
  console.log('A new site and a new plugin compile, pass their tests, and run together.')
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Runs a tool of the checkout. */
async function tool(name: string, ...args: string[]): Promise<void> {
  await run(join(root, 'node_modules', '.bin', name), args, root)
}

/** Returns a module with the examples of the reference: code blocks other than the signature below a heading. */
async function examples(): Promise<string> {
  const reference = join(folder, 'node_modules/svc-rest/docs/reference/services')
  const pages = await Promise.all(
    (await readdir(reference)).toSorted().map((page) => readFile(join(reference, page), 'utf8')),
  )
  const shown = [...pages.join('\n').matchAll(/(^##+ .*\n\n)?^```ts\n([\s\S]*?)^```$/gm)].flatMap(
    ([, heading, code]) => (heading === undefined ? [code] : []),
  )
  assert.ok(shown.length > 30, `${shown.length} examples`)
  const functions = shown.map((code, index) => {
    const parameter = '{ hooks, services, log, request, post, code, password, bytes }: Given'
    return `export async function example${index}(${parameter}) {\n${code}}\n`
  })
  return EXAMPLES + functions.join('\n')
}
