import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import packageJson from '../../package.json' with { type: 'json' }
import { freePort } from '../checks/free-port.ts'
import { isRefused, outcome, run } from '../helpers/svc-serve.ts'
import { until } from '../helpers/until.ts'

const serve = suite('svc-serve')

serve('serves a new site in an empty folder, prints its URL, and stops cleanly', async () => {
  await using running = await run(['--port', '0'])
  const home = await running.home()
  const index = (await (await fetch(`${home}/svc-json/`)).json()) as { name: string }
  assert.is(index.name, 'A new site')
  running.kill('SIGTERM')
  const { code, out, err } = await running.end()
  assert.is(code, 0)
  // The password is printed with the URL of the site, before the line "Serving …".
  assert.match(out, new RegExp(`Site +${home}/\\n[^]*Password +\\S+[^]*Serving ${home}/`))
  const lines = err
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string })
  assert.equal(
    lines.map(({ msg }) => msg),
    ['stopping', 'stopped'],
  )
  assert.not.match(err, /Password/)
})

serve('prefers flags to variables, and variables to the file', async () => {
  const files = {
    'svc.config.json': '{ "word": "a", "database": "sqlite::memory:", "port": 1, "plugins": { "first-run": false } }',
  }
  await using running = await run(['--port=0'], files, { SVC_WORD: 'wp' })
  const home = await running.home()
  assert.is((await fetch(`${home}/wp-json/`)).status, 200)
})

serve('finishes requests in progress before it stops', async () => {
  const slow = `import { definePlugin } from 'svc-rest'
export default definePlugin({ name: 'slow', apply({ hooks }) {
  hooks.rest_api_init.tap('slow', (server) => void server.registerRoute('slow/v1', 'it', {
    permission_callback: () => true,
    callback: () => new Promise((resolve) => {
      process.once('SIGUSR2', () => resolve('done'))
      console.log('It has begun.')
    }),
  }))
} })`
  const files = {
    'slow.ts': slow,
    'svc.config.json': '{ "port": 0, "database": "sqlite::memory:", "plugins": { "./slow.ts": true } }',
  }
  await using running = await run([], files)
  const home = await running.home()
  const pending = fetch(`${home}/svc-json/slow/v1/it`).then((response) => response.json(), String)
  await running.printed(/^It has begun/m)
  running.kill('SIGINT')
  await until(() => isRefused(home))
  running.kill('SIGUSR2')
  assert.is(await pending, 'done')
  assert.is((await running.end()).code, 0)
})

serve('continues after an unhandled rejection of a plugin, and logs it', async () => {
  const careless = `import { definePlugin } from 'svc-rest'
export default definePlugin({ name: 'careless', apply({ hooks }) {
  hooks.server_listening.tap('careless', () => void Promise.reject(new Error('left alone')))
} })`
  const files = {
    'c.mjs': careless,
    'svc.config.json': '{ "port": 0, "database": "sqlite::memory:", "plugins": { "./c.mjs": true } }',
  }
  await using running = await run([], files)
  assert.is((await fetch(`${await running.home()}/svc-json/`)).status, 200)
  running.kill('SIGTERM')
  const { code, err } = await running.end()
  assert.is(code, 0)
  assert.match(err, 'left alone')
})

serve('exits after an uncaught error, also with requests in progress', async () => {
  const broken = `import { definePlugin } from 'svc-rest'
export default definePlugin({ name: 'broken', apply({ hooks }) {
  hooks.rest_api_init.tap('broken', (server) => {
    server.registerRoute('broken/v1', 'hang', { permission_callback: () => true, callback: () => {
      console.log('It has begun.')
      return new Promise(() => {})
    } })
    server.registerRoute('broken/v1', 'throw', { permission_callback: () => true, callback: () => {
      for (const name of ['first', 'second']) setImmediate(() => { throw new Error(name + ' slip') })
      return 'soon'
    } })
  })
} })`
  const files = {
    'broken.mjs': broken,
    // A day: the test would time out if the server waited for the hanging request.
    'svc.config.json':
      '{ "port": 0, "database": "sqlite::memory:", "limits": { "requestTimeout": 86400000 }, "plugins": { "./broken.mjs": true } }',
  }
  await using running = await run([], files)
  const home = await running.home()
  const hanging = fetch(`${home}/svc-json/broken/v1/hang`).then(
    () => 'answered',
    () => 'cut off',
  )
  await running.printed(/^It has begun/m)
  assert.is(await (await fetch(`${home}/svc-json/broken/v1/throw`)).json(), 'soon')
  const { code, err } = await running.end()
  assert.is(code, 1)
  assert.match(err, 'first slip')
  assert.is(await hanging, 'cut off')
})

for (const [mistake, args, files, sentence] of [
  ['an unknown flag', ['--prot', '1'], {}, "Unknown option '--prot'"],
  ['a wrong port', ['--port', 'abc'], {}, 'The config value port must be integer: --port is "abc".'],
  ['a host with a port', ['--host', '[::1]:80'], {}, 'is not a host name or IP address: --host is "[::1]:80".'],
  ['a config file that is not there', ['--config', 'x.json'], {}, 'does not exist. Pass the path'],
  ['an unknown config key', [], { 'svc.config.json': '{ "prot": 1 }' }, 'did you mean port?'],
  ['an unknown plugin', [], { 'svc.config.json': '{ "plugins": { "corss": {} } }' }, 'did you mean cors?'],
  [
    'an unknown option',
    [],
    { 'svc.config.json': '{ "plugins": { "cors": { "origin": [] } } }' },
    'did you mean origins?',
  ],
  [
    'a plugin that fails in a hook',
    ['--database', 'sqlite::memory:'],
    {
      'svc.config.json': '{ "plugins": { "./p.mjs": true } }',
      'p.mjs':
        'export default { name: "p", apply: ({ hooks }) => hooks.rest_api_init.tap("p", () => { throw new Error("no paper") }) }',
    },
    'p failed in hook rest_api_init. no paper',
  ],
  ['a database out of reach', ['--database', 'postgres://nobody@127.0.0.1:1/x'], {}, 'ECONNREFUSED'],
] as const) {
  serve(`explains in one paragraph the failure of ${mistake}`, async () => {
    const { code, out, err } = await outcome([...args], files)
    assert.is(code, 1)
    assert.is(out, '')
    assert.match(err, sentence)
    assert.is(err.trim().split('\n').length, 1, err)
  })
}

/** Returns the code of a plugin whose `apply` exceeds its deadline. */
const waiting = (apply: string) => `export default { name: "sleeper", deadline: 0.3, apply: ${apply} }`
const FOREVER = 'new Promise(() => {})'

for (const [phase, source] of [
  ['apply', waiting(`() => ${FOREVER}`)],
  ['hook rest_api_init', waiting(`({ hooks }) => hooks.rest_api_init.tapPromise("s", () => ${FOREVER})`)],
  ['hook server_starting', waiting(`({ hooks }) => hooks.server_starting.tapPromise("s", () => ${FOREVER})`)],
  // An open timer of the plugin does not keep the process alive.
  ['apply', waiting(`() => { setInterval(() => {}, 1000); return ${FOREVER} }`)],
] as const) {
  serve(`S42: names a plugin whose ${phase} never finishes`, async () => {
    const files = { 'svc.config.json': '{ "plugins": { "./s.mjs": true } }', 's.mjs': source }
    const { code, err } = await outcome(['--database', 'sqlite::memory:', '--port', '0'], files)
    assert.is(code, 1)
    assert.match(err, `The plugin sleeper timed out in ${phase} after 0.3 seconds`)
  })
}

serve('fails if a start awaits a promise that never settles', async () => {
  const files = {
    'svc.config.json': '{ "plugins": { "./s.mjs": true } }',
    // Its undo never finishes, so neither does the failed start.
    's.mjs': waiting(`({ onRemove }) => { onRemove(() => ${FOREVER}); throw new Error("no") }`),
  }
  const { code, err } = await outcome(['--database', 'sqlite::memory:'], files)
  assert.equal([code, err.includes('serve did not finish')], [1, true], err)
})

serve('stops cleanly on a signal before it is ready', async () => {
  const files = {
    'svc.config.json': '{ "plugins": { "./slow.mjs": true, "first-run": false } }',
    'slow.mjs': `export default { name: "slow", apply({ hooks }) {
  hooks.server_starting.tapPromise("slow", () => new Promise((resolve) => {
    process.once("SIGTERM", () => setImmediate(resolve))
    console.log("It has begun.")
  }))
} }`,
  }
  await using running = await run(['--port', String(await freePort()), '--database', 'sqlite::memory:'], files)
  await running.printed(/^It has begun/m)
  running.kill('SIGTERM')
  const { code, out, err } = await running.end()
  assert.equal([code, out.includes('Serving'), /"level":[56]0/.test(err)], [0, false, false], err)
})

for (const workers of ['1', '2']) {
  serve(`rejects a port in use without creating a site, with SVC_WORKERS=${workers}`, async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    try {
      await using running = await run([], {}, { PORT: String(port), SVC_WORKERS: workers })
      const { code, out, err } = await running.end()
      assert.equal([code, out], [1, ''])
      assert.match(
        err,
        `Another program already listens on 127.0.0.1:${port}: stop it, or choose another port with --port.`,
      )
      assert.is(err.trim().split('\n').length, 1, err)
      assert.equal(await readdir(running.folder), [])
    } finally {
      other.close()
    }
  })
}

serve('serves all addresses of the machine as localhost, with the port and the database of a platform', async () => {
  const env = { PORT: '0', DATABASE_URL: 'sqlite:./platform.db', SVC_HOST: '0.0.0.0' }
  const file = { 'svc.config.json': '{ "port": 1, "database": "sqlite:./file.db" }' }
  await using running = await run([], file, env)
  const home = await running.home()
  assert.match(home, /^http:\/\/localhost:\d+$/)
  assert.is((await fetch(`${home}/svc-json/`)).status, 200)
  await running.printed(/every address of this machine \(0\.0\.0\.0\)\. Set "home"/)
  running.kill('SIGTERM')
  const { out } = await running.end()
  assert.match(out, `Site       ${home}/`)
  assert.equal(
    (await readdir(running.folder)).filter((name) => name.endsWith('.db')),
    ['platform.db'],
  )
})

serve('prints its version, also in a folder with an unreadable config', async () => {
  const broken = { 'svc.config.json': '{ "port": ' }
  for (const flag of ['--version', '-v'])
    assert.equal(await outcome([flag], broken), { code: 0, out: `${packageJson.version}\n`, err: '' })
})

serve('prints its flags with --help', async () => {
  const { code, out } = await outcome(['--help'])
  assert.is(code, 0)
  for (const flag of ['--config', '--port', '--host', '--home', '--database', '--word', '--trust-proxy'])
    assert.match(out, flag)
})

serve('prints the place of a mistake in a plugin, and the name of a missing file or flag', async () => {
  const config = (source: string) => JSON.stringify({ plugins: { [source]: true } })
  const plugin = 'export default {\n  name: "slip",\n  apply() {\n    nothing.there()\n  },\n}\n'
  const slip = await outcome([], { 'svc.config.json': config('./slip.ts'), 'slip.ts': plugin })
  assert.match(slip.err, /^The plugin slip could not start: nothing is not defined \(.*slip\.ts:4:5\)\n$/)
  const lost = await outcome([], { 'svc.config.json': config('./lost.ts') })
  assert.match(lost.err, /there is no file .*lost\.ts\.\n$/)
  const flag = await outcome(['--prot', '1'])
  assert.match(flag.err, /--prot.*--help/)
})

serve.run()
