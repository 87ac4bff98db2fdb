import { mkdir, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../kernel/index.ts'
import { serve } from '../helpers/site.ts'
import { databases } from '../helpers/site-with-users.ts'
import { filePlace } from '../helpers/stores.ts'
import { until } from '../helpers/until.ts'
import { removePlugin } from '../helpers/remove-plugin.ts'

/** Lines of the log as objects. */
function logged() {
  const lines: Record<string, unknown>[] = []
  const options = {
    log: 'info',
    logTo: (text: string) => void lines.push(JSON.parse(text) as Record<string, unknown>),
  } as const
  return { lines, options, of: (text: string) => lines.filter(({ msg }) => String(msg).includes(text)) }
}

for (const { name, place: makePlace } of databases) {
  const watchful = suite(`plugin changes on ${name}`)

  watchful('S54: are logged at the next start if the owner, the code or the version differs', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'watchful-'))
    const place = await makePlace()
    const path = join(folder.path, 'garden')
    await mkdir(path)
    const write = async (about: object, code: string) => {
      await writeFile(join(path, 'package.json'), JSON.stringify({ name: 'garden', type: 'module', ...about }))
      await writeFile(join(path, 'index.js'), `export default { name: 'garden', apply() {} } // ${code}\n`)
    }
    const start = async () => {
      const log = logged()
      const site = await serve({ database: place.url, plugins: { [join(path, 'index.js')]: true }, ...log.options })
      const stored = async () =>
        (await site.kernel.services.options.get<Record<string, { version: string }>>('plugin_records'))?.['garden']
      await until(async () => (await stored()) !== undefined)
      return { log, site, stored }
    }
    const findings = async (about: object, code: string) => {
      await write(about, code)
      const { log, site, stored } = await start()
      await until(async () =>
        JSON.stringify(await stored()).includes(JSON.stringify((about as { version: string }).version)),
      )
      await site[Symbol.asyncDispose]()
      return log.lines
        .filter(({ by }) => by === 'garden')
        .map(({ level, msg }) => `${String(level)} ${String(msg).slice(0, 30)}`)
    }
    const ann = { version: '1.0.0', author: 'Ann', repository: 'https://git.example/garden' }
    assert.equal(await findings(ann, 'one'), [])
    assert.equal(await findings(ann, 'one'), [])
    assert.equal(await findings(ann, 'two'), ['40 the file of a plugin changed s'])
    assert.equal(await findings({ ...ann, version: '1.1.0' }, 'three'), ['30 the version of a plugin change'])
    assert.equal(await findings({ ...ann, version: '1.1.1', author: 'Bob' }, 'four'), [
      '40 the package, author, maintaine',
    ])
    assert.equal(
      await findings({ ...ann, version: '1.1.2', author: 'Bob', repository: 'https://git.example/other' }, 'four'),
      ['40 the package, author, maintaine'],
    )
    await place[Symbol.asyncDispose]()
  })

  watchful.run()
}

const watchful = suite('plugin monitoring')

watchful('S54: logs the first request of a plugin to each origin, with the name of the plugin', async () => {
  const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const log = logged()
  const sender = definePlugin({
    name: 'sender',
    needs: ['outgoing'],
    apply({ hooks, services }) {
      hooks.rest_api_init.tap('sender', (api) => {
        api.registerRoute('sender/v1', 'send', {
          cache: false,
          permission_callback: () => true,
          callback: async () =>
            (await services.outgoing.request(`http://${host}/?secret=1`, { requester: 'site' })).text(),
        })
      })
    },
  })
  await using site = await serve({ add: [sender], plugins: { outgoing: { allow: [host] } }, ...log.options })
  for (let times = 0; times < 3; times += 1) assert.is(await site.json('/sender/v1/send'), 'ok')
  const found = log.of('sends requests to another server')
  assert.equal(
    found.map(({ by, origin }) => [by, origin]),
    [['sender', `http://${host}`]],
  )
  assert.not.match(JSON.stringify(found), /secret/)
  server.closeAllConnections()
  server.close()
})

watchful(
  'S54: logs and never caches a response that depends on User-Agent, and reports none of the default plugins',
  async () => {
    const log = logged()
    await using folder = await mkdtempDisposable(join(tmpdir(), 'cloak-'))
    const cloak = `export default { name: 'cloak', needs: ['posts'], apply({ hooks }) {
      hooks.rest_prepare.for('post').tap('cloak', (response, _, request) => {
        if (/bot/i.test(request.headers.get('user-agent') ?? '')) response.data.title = 'Spam'
        return response
      })
    } }`
    await writeFile(join(folder.path, 'cloak.mjs'), cloak)
    const read = async (site: Awaited<ReturnType<typeof serve>>, agent: string) => {
      const response = await site.get('/svc/v2/posts', { 'user-agent': agent })
      return { text: await response.text(), cache: response.headers.get('x-svc-cache') }
    }
    const AGENTS = ['Mozilla/5.0', 'Googlebot/2.1 (+http://www.google.com/bot.html)', 'bingbot/2.0', 'curl/8', '']
    await using site = await serve({ ...log.options, folder: folder.path, plugins: { './cloak.mjs': true } })
    const { store } = site
    const date = { date: '2025-01-05 10:00:00', date_gmt: '2025-01-05 10:00:00' }
    await store.run(store.db.insertInto('posts').values({ ...date, title: 'Hello', status: 'publish', author_id: 1 }))
    for (const agent of [...AGENTS, ...AGENTS]) {
      const { text, cache } = await read(site, agent)
      assert.is(text.includes('Spam'), /bot/i.test(agent), agent)
      assert.is(cache, 'BYPASS', agent)
    }
    const found = log.of('depends on the header User-Agent')
    assert.equal(
      found.map(({ level, where, plugins }) => [level, where, plugins]),
      [[40, '/svc/v2/posts', ['cloak']]],
    )
    await removePlugin(site.kernel, 'cloak')
    const texts = await Promise.all(AGENTS.map(async (agent) => (await read(site, agent)).text))
    assert.is(new Set(texts).size, 1)
    // Nor do pages and feeds of the site itself look at it.
    for (const path of ['/', '/feed/', '/robots.txt', '/hello/']) {
      const bodies = await Promise.all(
        AGENTS.map(async (agent) =>
          (await fetch(`${site.listening}${path}`, { headers: { 'user-agent': agent } })).text(),
        ),
      )
      assert.is(new Set(bodies.map((body) => body.replaceAll(/value="[^"]*"/g, ''))).size, 1, path)
    }
  },
)

watchful('S54: does not run jobs of a removed plugin', async () => {
  await using place = await filePlace()
  let woke = 0
  let awake = false
  const sleeper = definePlugin({
    name: 'sleeper',
    needs: ['jobs'],
    apply({ services }) {
      services.jobs.handle('sleeper', { run: async () => void (woke += 1) })
    },
  })
  {
    await using site = await serve({ database: place.url, add: [sleeper] })
    const { jobs } = site.kernel.services
    await jobs.add('sleeper')
    await until(() => woke === 1)
    await jobs.add('sleeper', null, { in: 3600 })
  }
  const waker = definePlugin({
    name: 'waker',
    needs: ['jobs'],
    apply({ services }) {
      services.jobs.handle('waker', { run: async () => void (awake = true) })
    },
  })
  await using site = await serve({ database: place.url, add: [waker] })
  await site.store.run(sql`update jobs set due = 0`)
  await site.kernel.services.jobs.add('waker')
  await until(() => awake)
  assert.is(woke, 1)
})

watchful.run()
