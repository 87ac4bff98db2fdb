import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { completeConfig, createLog, startKernel } from '../../bin/config/index.ts'
import { definePlugin } from '../../kernel/index.ts'
import { defaults, presets, revisions } from '../../plugins/index.ts'
import { type Store, sql } from '../../plugins/storage/store/index.ts'
import { as, serve, type Site } from './index.ts'

const kit = suite('svc-rest/testing')

const broken = definePlugin({
  name: 'broken',
  apply({ hooks }) {
    hooks.rest_api_init.tap('broken', (server) => {
      server.registerRoute('broken/v1', '/it', {
        permission_callback: () => true,
        callback: () => {
          throw new TypeError('the handle came off')
        },
      })
    })
  },
})

/** Runs `work` and returns what it prints to stderr. */
async function printed(work: () => Promise<unknown>): Promise<string> {
  const { error } = console
  const lines: string[] = []
  console.error = (...texts: unknown[]) => void lines.push(texts.join(' '))
  try {
    await work()
  } finally {
    console.error = error
  }
  return lines.join('\n')
}

kit('prints the error of a route that throws, with its route, plugin and position', async () => {
  const text = await printed(async () => {
    await using site = await serve({ add: [broken] })
    assert.is((await site.get('/broken/v1/it')).status, 500)
    assert.is((await site.inject('/broken/v1/it')).status, 500)
  })
  assert.is(text.match(/TypeError: the handle came off/g)?.length, 2, text)
  assert.match(text, /plugin broken, \/broken\/v1\/it/)
  assert.match(text, /kit\.test\.ts:\d+:\d+/)
})

kit('prints nothing without errors, and passes lines to `logTo` if it is set', async () => {
  const lines: string[] = []
  const text = await printed(async () => {
    await using site = await serve()
    await site.get('/svc/v2/posts')
    await using other = await serve({ add: [broken], logTo: (line) => void lines.push(line) })
    await other.get('/broken/v1/it')
  })
  assert.is(text, '')
  assert.ok(lines.some((line) => line.includes('the handle came off')))
})

kit('creates a folder for each site, and removes it with the site', async () => {
  const folders: string[] = []
  {
    await using one = await serve({ only: [] })
    await using other = await serve({ only: [] })
    for (const { config } of [one.kernel, other.kernel]) {
      folders.push(config.folder)
      assert.is(config.uploads, join(config.folder, 'data/uploads'))
      await writeFile(join(config.folder, 'left.txt'), 'left behind')
    }
  }
  assert.is.not(folders[0], folders[1])
  assert.equal(folders.map(existsSync), [false, false])
})

kit('does not remove a folder that the options specify', async () => {
  await using first = await serve({ only: [] })
  const { folder } = first.kernel.config
  {
    await using _second = await serve({ only: [], folder })
  }
  assert.ok(existsSync(folder))
})

const running = (site: Site) => site.kernel.plugins.map(({ definition }) => definition.name)

kit('starts the plugins in `only` and `plugins`, and their dependencies', async () => {
  await using site = await serve({ only: ['terms', 'roles'], plugins: { cors: { origins: ['https://shop.test'] } } })
  const names = running(site)
  for (const name of ['terms', 'taxonomies', 'store', 'roles', 'cors']) assert.ok(names.includes(name), name)
  for (const name of ['posts', 'admin', 'webhooks', 'first-run']) assert.not.ok(names.includes(name), name)
  assert.is((await site.get('/svc/v2/categories')).status, 200)
  assert.is((await site.get('/svc/v2/posts')).status, 404)
  assert.is((await site.get('/svc/v2/categories?context=edit', as('administrator'))).status, 200)
})

kit('switches off plugins of `add`, and refuses settings of unknown plugins', async () => {
  for (const only of [undefined, []]) {
    await using site = await serve({ ...(only && { only }), add: [broken], plugins: { broken: false } })
    assert.not.ok(running(site).includes('broken'))
    const error = await serve({ ...(only && { only }), plugins: { brokn: false } }).catch((thrown: unknown) => thrown)
    assert.is((error as { code?: string }).code, 'PLUGIN_UNKNOWN')
  }
})

kit('refuses a name in `only` that is not a default plugin', async () => {
  const error = await serve({ only: ['postz'] }).catch((thrown: unknown) => thrown)
  assert.match((error as Error).message, '"only" names postz, which is not a default plugin.')
})

/** Headers that belong to the connection, or differ between responses. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'date',
  'content-length',
  'transfer-encoding',
  'server-timing',
  'x-svc-cache',
  'x-request-id',
  'age',
  'vary',
  'x-content-type-options',
])

kit('returns the same responses from `inject` as over HTTP', async () => {
  await using site = await serve()
  const json = { 'content-type': 'application/json' }
  const requests: [path: string, method: string, headers: Record<string, string>, body?: object][] = [
    ['/', 'GET', {}],
    ['/svc/v2/types', 'GET', {}],
    ['/svc/v2/types/post?_fields=name', 'GET', {}],
    ['/svc/v2/settings', 'GET', {}],
    ['/svc/v2/settings', 'GET', as('administrator')],
    ['/svc/v2/posts?per_page=0', 'GET', {}],
    ['/svc/v2/posts', 'HEAD', {}],
    ['/svc/v2/posts', 'OPTIONS', {}],
    ['/svc/v2/nothing', 'GET', {}],
    ['/svc/v2/posts', 'POST', { ...json }, { title: 'By a visitor' }],
    ['/svc/v2/categories', 'POST', { ...json, ...as('editor') }, { name: '' }],
  ]
  for (const [path, method, headers, body] of requests) {
    const sent = {
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    const outside = await site.request(path, sent)
    const inside = await site.inject(path, { method, headers, body })
    assert.is(inside.status, outside.status, `${method} ${path}`)
    assert.is(await inside.text(), await outside.text(), `${method} ${path}`)
    const shown = ({ headers: all }: Response) => [...all].filter(([name]) => !OF_CONNECTION.has(name))
    assert.equal(shown(inside), shown(outside), `${method} ${path}`)
  }
  const created = await site.inject('/svc/v2/tags', { method: 'POST', headers: as('editor'), body: { name: 'News' } })
  assert.is(created.status, 201)
  assert.equal((await site.json('/svc/v2/tags?_fields=name')) as unknown, [{ name: 'News' }])
})

/** Returns the statements that created the objects of the database. */
const objectsOf = (store: Store) =>
  store.all<{ sql: string | null }>(
    sql`select name, sql from sqlite_master where name not like 'sqlite_%' order by name`,
  )

kit('starts in-memory sites with the same database that migrations create', async () => {
  await using site = await serve()
  const config = completeConfig(
    { database: 'sqlite::memory:', log: 'silent', plugins: { 'first-run': false } },
    site.kernel.config.folder,
  )
  await using kernel = await startKernel({ config, defaults, presets, revisions, log: createLog('silent') })
  assert.equal(await objectsOf(site.store), await objectsOf(kernel.services.store))
})

kit.run()
