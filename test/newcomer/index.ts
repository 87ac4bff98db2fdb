// npm run newcomer: follows README.md, docs/getting-started.md and the start of docs/guides/first-evening.md as newcomers do,
// command by command. Each page has a fresh clone of the last commit, another release of Node, a user who is not root, a
// PATH without other programs, and a folder with spaces in its path. Checks the new sites as well: their scripts, a start
// without network, a plugin, and an update of svc-rest. Needs the npm registry, Git and curl.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { appendFile, chmod, copyFile, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import sharp from 'sharp'
import tar from 'tar-stream'
import packageJson from '../../package.json' with { type: 'json' }
import { install } from '../checks/npm.ts'
import { run } from '../checks/server.ts'
import { shellBlocks } from './blocks.ts'
import { EXPECTATIONS, type Expectation } from './expectations.ts'
import { Terminal } from './terminal.ts'

const root = resolve(import.meta.dirname, '../..')
const tarball = `svc-rest-${packageJson.version}.tgz`

interface Visit {
  readonly page: string
  /** Release of Node, and of the npm that comes with it. */
  readonly node: number
  readonly npm: number
  /** Runs after the commands of the page. */
  readonly after: (visitor: Visitor) => Promise<void>
}

const VISITS: readonly Visit[] = [
  { page: 'docs/getting-started.md', node: 18, npm: 10, after: checkPublishedCreator },
  { page: 'README.md', node: 20, npm: 10, after: checkPlugin },
  { page: 'docs/guides/first-evening.md', node: 24, npm: 11, after: checkSiteInCheckout },
]

const count = { total: 0, passed: 0 }

class Visitor {
  readonly terminal: Terminal
  readonly checkout: string

  constructor(name: string, home: string, path: string) {
    this.terminal = new Terminal(name, home, path)
    this.checkout = join(home, 'svc-rest')
  }

  /** Runs a command, and counts it. */
  async type(command: string, expected?: Expectation): Promise<string> {
    count.total += 1
    for (const name of expected?.reads ?? []) await FILES[name](join(this.terminal.cwd, name))
    const output = await this.terminal.run(command, expected)
    count.passed += 1
    return output
  }

  /** Continues in another folder. */
  enter(...path: string[]): void {
    this.terminal.cwd = join(...path)
  }
}

/** Files that the reader of the docs has. */
const FILES = {
  'export.wxr.xml': (file: string) => copyFile(join(root, 'test/fixtures/garden.wxr.xml'), file),
  'uploads.tar.gz': async (file: string) => {
    const image = sharp({ create: { width: 120, height: 80, channels: 3, background: '#a03050' } })
    const pack = tar.pack()
    pack.entry({ name: '2024/05/rose.jpg' }, await image.jpeg().toBuffer())
    pack.finalize()
    await writeFile(file, await buffer(pack.pipe(createGzip())))
  },
}

/** Path of a tarball of svc-rest: packed by the first visitor whose page needs it, and also used by the last one. */
const packed = Promise.withResolvers<string>()
packed.promise.catch(() => {})

const folder = await mkdtemp(join(tmpdir(), 'svc newcomer '))
process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
await chmod(folder, 0o755)
const origin = join(folder, 'origin.git')
await run('git', ['clone', '--quiet', '--bare', root, origin], folder)
const visitors = await Promise.all(VISITS.map(welcome))
// The first command gives the home folder to the user; that of the first visitor has the cache of all.
for (const [index, { node }] of VISITS.entries()) {
  await visitors[index]!.type('node --version', { prints: new RegExp(`^v${node}\\.`, 'm') })
}
await Promise.all(VISITS.map((visit, index) => follow(visit, visitors[index]!)))
console.log(`\n  Total:     ${count.total}\n  Passed:    ${count.passed}\n`)
if (count.passed < count.total) process.exitCode = 1

/** Installs Node and npm for a visitor, and prepares a home folder with settings for Git, curl and npm. */
async function welcome({ page, node, npm }: Visit): Promise<Visitor> {
  const tools = join(folder, `tools ${node}`)
  const programs = join(tools, 'bin')
  await mkdir(programs, { recursive: true })
  await writeFile(join(tools, 'package.json'), '{ "private": true, "allowScripts": { "node": true } }')
  await install(tools, `node@${node}`, `npm@${npm}`)
  await symlink('../node_modules/node/bin/node', join(programs, 'node'))
  for (const name of ['npm', 'npx']) await symlink(`../node_modules/npm/bin/${name}-cli.js`, join(programs, name))

  const home = join(folder, `home ${node}`)
  await mkdir(home)
  await writeFile(join(home, '.gitconfig'), '[safe]\n  directory = *\n[advice]\n  detachedHead = false\n')
  await writeFile(join(home, '.curlrc'), 'silent\nshow-error\nwrite-out = "\\n%{http_code}\\n"\n')
  // One cache for all: each package is downloaded once. It is in the home folder of the first visitor, who can write there.
  const cache = join(folder, `home ${VISITS[0]!.node}`, '.npm')
  await writeFile(join(home, '.npmrc'), `cache=${cache}\nupdate-notifier=false\n`)
  await copyFile(join(import.meta.dirname, 'offline.cjs'), join(home, 'offline.cjs'))
  const visitor = new Visitor(`${page}, Node ${node}`, home, `${programs}${delimiter}${process.env['PATH'] ?? ''}`)
  visitor.terminal.replacePlaceholder('REPOSITORY_URL', `'${origin}'`)
  return visitor
}

/** Runs the commands of a page, and its checks. */
async function follow({ page, after }: Visit, visitor: Visitor): Promise<void> {
  try {
    for (const { heading, commands } of await shellBlocks(page)) {
      for (const command of commands) {
        const expected = EXPECTATIONS[command]
        assert.ok(expected, `${page}, "${heading}": test/newcomer/expectations.ts lacks the command ${command}`)
        if (expected.runsIn === undefined) await visitor.type(command, expected)
        if (command.includes('create-svc-rest')) packed.resolve(join(visitor.terminal.home, 'my-site/vendor', tarball))
      }
    }
    await after(visitor)
  } catch (error) {
    console.error(error)
    packed.reject(new Error(`${page} failed, and packed no tarball.`))
  } finally {
    await visitor.terminal.stopServer()
  }
}

/** Runs the scripts of a site in the current folder, and starts it without network. */
async function checkSite(visitor: Visitor): Promise<void> {
  await visitor.type('npm test', { stopsServer: true, prints: /pass [1-9]/ })
  await visitor.type('npm run check')
  await visitor.type('npm run dev', { serves: true })
  const offline = `NODE_OPTIONS='--require "${join(visitor.terminal.home, 'offline.cjs')}"'`
  const connect = "require('net').connect(80, 'example.com').on('error', (error) => console.log(error.code))"
  await visitor.type(`${offline} node -e "${connect}"`, { prints: /^ENETUNREACH$/m })
  await visitor.type(`${offline} npm start`, { serves: true })
  await visitor.terminal.stopServer()
}

/** Runs create-svc-rest as npm publishes it: on the old Node, without a checkout. */
async function checkPublishedCreator(visitor: Visitor): Promise<void> {
  const { terminal, checkout } = visitor
  await checkSite(visitor)
  visitor.enter(checkout, 'bin/create-svc-rest')
  await visitor.type(`npm pack --pack-destination "${terminal.home}"`)
  visitor.enter(terminal.home)
  const creator = `create-svc-rest-${packageJson.version}.tgz`
  await visitor.type(`npm exec --yes --package="./${creator}" -- create-svc-rest published-site`, {
    prints: /^Created the site published-site:$/m,
  })
  const manifest = await readFile(join(terminal.home, 'published-site/package.json'), 'utf8')
  assert.match(manifest, new RegExp(`"svc-rest": "\\^${packageJson.version}"`))

  // Without npm in between, the exit code is that of the server.
  visitor.enter(checkout)
  await visitor.type('exec node bin/svc-serve', { serves: true })
  assert.equal(await terminal.terminate(), 0, 'svc-serve exits with 0 after SIGTERM')
}

/** Creates a plugin, adds it to the site of the page, and updates svc-rest there as docs/getting-started.md says. */
async function checkPlugin(visitor: Visitor): Promise<void> {
  const { terminal, checkout } = visitor
  const site = terminal.cwd
  await checkSite(visitor)
  const plugin = join(terminal.home, 'svc-rest-rain')
  visitor.enter(checkout)
  await visitor.type(`node bin/create-svc-rest ../svc-rest-rain --plugin --tarball ../my-site/vendor/${tarball}`)
  // npm finds these packages in place, and does not install them again.
  await run('cp', ['-al', join(site, 'node_modules'), join(plugin, 'node_modules')], plugin)
  visitor.enter(plugin)
  await visitor.type('npm install')
  await visitor.type('npm test', { prints: /pass [1-9]/ })
  await visitor.type('npm run check')

  visitor.enter(site)
  await visitor.type('npm install ../svc-rest-rain')
  const config = JSON.parse(await readFile(join(site, 'svc.config.json'), 'utf8')) as { plugins: object }
  const plugins = { ...config.plugins, 'svc-rest-rain': true }
  await writeFile(join(site, 'svc.config.json'), JSON.stringify({ plugins }))
  await visitor.type('npm start', { serves: true })
  await visitor.type('curl http://127.0.0.1:8080/svc-json/rain/v1/greet/you', { prints: /"text":"Hello, you!"/ })
  await terminal.stopServer()

  visitor.enter(checkout)
  await appendFile(join(checkout, 'docs/architecture.md'), 'Updated.\n')
  // The pages of the docs are part of the package, and are not compiled.
  await visitor.type('npm pack --ignore-scripts --pack-destination ../my-site/vendor')
  visitor.enter(site)
  await visitor.type(`npm install ./vendor/${tarball}`)
  assert.match(await readFile(join(site, 'node_modules/svc-rest/docs/architecture.md'), 'utf8'), /Updated\.\n$/)
}

/** Creates a site inside the checkout, from a tarball. */
async function checkSiteInCheckout(visitor: Visitor): Promise<void> {
  const file = join(visitor.terminal.home, tarball)
  await copyFile(await packed.promise, file)
  visitor.enter(visitor.checkout)
  await visitor.type(`node bin/create-svc-rest my-site --tarball "${file}"`, { stopsServer: true })
  visitor.enter(visitor.checkout, 'my-site')
  await visitor.type('npm install')
  await checkSite(visitor)
}
