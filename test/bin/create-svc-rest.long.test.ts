import { mkdtempSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join, resolve, win32 } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DEFAULT_PLUGINS } from '../../bin/create-svc-rest/default-plugins.ts'
import { defaults } from '../../plugins/index.ts'
import { fill, pluginName } from '../../bin/create-svc-rest/fill.ts'
import { nameMistake, placeOf, suggestedName } from '../../bin/create-svc-rest/place.ts'
import ownPackage from '../../bin/create-svc-rest/package.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }

const create = suite('create-svc-rest')
const root = resolve(import.meta.dirname, '../..')
const command = join(root, 'bin/create-svc-rest')

// Packing the checkout takes half a minute. These tests copy a file instead; `npm run newcomer` packs.
const parent = mkdtempSync(join(tmpdir(), 'create-tarball-'))
const tarball = join(parent, 'svc-rest-0.1.0.tgz')
create.before(() => writeFile(tarball, 'packed'))
create.after(() => rm(parent, { recursive: true }))

interface Ran {
  code: number
  stdout: string
  stderr: string
}

interface How {
  /** Lines typed at a terminal; without them the command has no terminal. */
  typed?: string
  env?: Record<string, string>
  /** Whether the command packs the checkout; otherwise it receives a tarball. */
  packs?: boolean
}

/** Runs the command in a folder. */
async function run(folder: string, args: readonly string[], { typed, env = {}, packs }: How = {}): Promise<Ran> {
  const terminal = 'data:text/javascript,process.stdin.isTTY = process.stdout.isTTY = true'
  const node = typed === undefined ? [] : ['--import', terminal]
  const source = packs === true ? [] : ['--tarball', tarball]
  const child = spawn(process.execPath, [...node, command, ...args, ...source], {
    cwd: folder,
    env: { ...process.env, npm_config_init_author_name: '', ...env },
    timeout: 60_000,
  })
  let [stdout, stderr] = ['', '']
  const lines = typed?.split('\n') ?? []
  let answered = { at: 0, with: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += stripVTControlCharacters(chunk.toString())
    // Answers a question once: readline prints it several times, and echoes the answer.
    const since = stdout.slice(answered.at)
    if (!since.endsWith(' ') || !since.includes(answered.with) || lines.length === 0) return
    answered = { at: stdout.length, with: lines.shift()! }
    child.stdin.write(`${answered.with}\n`)
  })
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  if (typed === undefined) child.stdin.end()
  const [code] = (await once(child, 'close')) as [number]
  return { code, stdout, stderr }
}

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'create-'))
  try {
    await act(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()

async function manifestOf(folder: string, file = 'package.json') {
  return JSON.parse(await readFile(join(folder, file), 'utf8')) as Record<string, Record<string, string>>
}

create('creates a site with config, plugin and test, and prints the next steps', () =>
  inFolder(async (folder) => {
    const { code, stdout, stderr } = await run(folder, ['my-garden'])
    assert.is(code, 0, stderr)
    assert.equal(await filesIn(join(folder, 'my-garden')), [
      '.gitignore',
      'README.md',
      'package.json',
      'plugins/hello.test.ts',
      'plugins/hello.ts',
      'svc.config.json',
      'tsconfig.json',
      'vendor/svc-rest-0.1.0.tgz',
    ])
    assert.match(stdout, /^Created the site my-garden:[^]*cd my-garden\n {2}npm install\n {2}npm start /)
    const { name, scripts, dependencies } = await manifestOf(join(folder, 'my-garden'))
    assert.is(name, 'my-garden')
    assert.equal(scripts, {
      start: 'svc-serve',
      dev: 'svc-serve --watch',
      test: 'node --test "plugins/**/*.test.ts"',
      check: 'tsc',
    })
    assert.equal(dependencies, { 'svc-rest': 'file:vendor/svc-rest-0.1.0.tgz' })
    assert.is(await readFile(join(folder, 'my-garden/vendor/svc-rest-0.1.0.tgz'), 'utf8'), 'packed')
  }),
)

create('installs svc-rest from the npm registry if there is no tarball, as the published package does', () =>
  inFolder(async (folder) => {
    const files = await fill('site', folder, { name: 'my-garden', license: 'MIT', author: 'Ann', tarball: null })
    assert.not.ok(files.some((file) => file.startsWith('vendor')))
    assert.equal((await manifestOf(folder))['dependencies'], { 'svc-rest': `^${packageJson.version}` })
  }),
)

create('rejects a tarball that does not exist or that npm pack has not written', () =>
  inFolder(async (folder) => {
    const missing = await run(folder, ['one', '--tarball', 'missing.tgz'], { packs: true })
    assert.is(missing.code, 1)
    assert.is(missing.stderr, `--tarball: the file ${join(folder, 'missing.tgz')} does not exist.\n`)
    await writeFile(join(folder, 'notes.txt'), '')
    assert.match(
      (await run(folder, ['one', '--tarball', 'notes.txt'], { packs: true })).stderr,
      /^--tarball takes a file that "npm pack" wrote, such as svc-rest-0\.1\.0\.tgz, not notes\.txt\./,
    )
    assert.equal(await filesIn(folder), ['notes.txt'])
  }),
)

create('prints the command of the checkout in its usage', async () => {
  const { code, stdout } = await run(root, ['--help'])
  assert.is(code, 0)
  assert.match(stdout, /^Usage: node bin\/create-svc-rest FOLDER\n/)
})

create('rejects the names of default plugins', () =>
  inFolder(async (folder) => {
    assert.equal([...DEFAULT_PLUGINS], defaults.map(({ name }) => name).toSorted())
    const { code, stderr } = await run(folder, ['@ann/svc-rest-cors', '--plugin'])
    assert.is(code, 1)
    assert.is(stderr, 'Every site already has a plugin named cors. Choose another name, such as my-cors.\n')
  }),
)

create('creates a plugin with its name in its hooks, routes and README', () =>
  inFolder(async (folder) => {
    const { code, stderr } = await run(folder, ['@ann/svc-rest-rain-gauge', '--plugin', '--author', 'Ann'])
    assert.is(code, 0, stderr)
    const pluginFolder = join(folder, 'svc-rest-rain-gauge')
    const manifest = await manifestOf(pluginFolder)
    assert.is(manifest['name'], '@ann/svc-rest-rain-gauge')
    assert.is(manifest['license'], 'MIT')
    assert.equal(manifest['peerDependencies'], { 'svc-rest': `^${packageJson.version}` })
    assert.is(manifest['devDependencies']!['svc-rest'], 'file:vendor/svc-rest-0.1.0.tgz')
    assert.match(
      await readFile(join(pluginFolder, 'LICENSE'), 'utf8'),
      `Copyright (c) ${new Date().getFullYear()} Ann\n`,
    )
    const source = await readFile(join(pluginFolder, 'src/index.ts'), 'utf8')
    for (const part of ["name: 'rain-gauge'", 'rain_gauge_greeting: Filter', "'rain-gauge/v1'"]) {
      assert.ok(source.includes(part), part)
    }
    assert.match(await readFile(join(pluginFolder, 'README.md'), 'utf8'), 'npm install @ann/svc-rest-rain-gauge\n')
    assert.ok((await filesIn(pluginFolder)).includes('.github/workflows/test.yml'))
    for (const file of await filesIn(pluginFolder)) {
      const blank = /my.(?:plugin|site)|\[(?:version|year|author|license)\]/.exec(
        await readFile(join(pluginFolder, file), 'utf8'),
      )
      assert.is(blank, null, `${file}: ${blank?.[0]}`)
    }
  }),
)

create('creates a plugin with another license, or none', () =>
  inFolder(async (folder) => {
    await run(folder, ['one', '--plugin', '--license', 'ISC'])
    assert.match(
      await readFile(join(folder, 'one/LICENSE'), 'utf8'),
      /^ISC License\n\nCopyright \(c\) \d{4} the authors of one\n/,
    )
    await run(folder, ['two', '--plugin', '--license', 'none'])
    assert.is((await manifestOf(join(folder, 'two')))['license'], 'UNLICENSED')
    assert.not.ok((await filesIn(join(folder, 'two'))).includes('LICENSE'))
    const { code, stderr } = await run(folder, ['three', '--plugin', '--license', 'GPL'])
    assert.is(code, 1)
    assert.is(stderr, '--license takes MIT, ISC or none, not GPL.\n')
  }),
)

create('asks on a terminal for the folder and the kind', () =>
  inFolder(async (folder) => {
    const { code, stdout, stderr } = await run(folder, [], { typed: 'garden\nwhat\np' })
    assert.is(code, 0, stderr)
    assert.is(stdout.split('A site (s), or a plugin').length - 1, 2)
    assert.is((await manifestOf(join(folder, 'garden')))['keywords']?.[0], 'svc-rest-plugin')
  }),
)

create('asks no questions without a terminal: creates a site, and requires a folder', () =>
  inFolder(async (folder) => {
    assert.match((await run(folder, ['one'])).stdout, /^Created the site one:/)
    const { code, stderr } = await run(folder, [])
    assert.is(code, 1)
    assert.match(stderr, /^Name the folder: node .+create-svc-rest"? my-site\n/)
  }),
)

create('recognizes --plugin if npm has consumed the flag', () =>
  inFolder(async (folder) => {
    assert.match(
      (await run(folder, ['one'], { env: { npm_config_plugin: 'true' } })).stdout,
      /^Created the plugin one:/,
    )
  }),
)

create('rejects folders that are not empty, except a new repository', () =>
  inFolder(async (folder) => {
    await mkdir(join(folder, 'full'))
    await writeFile(join(folder, 'full', 'notes.txt'), 'mine')
    const { code, stderr } = await run(folder, ['full'])
    assert.is(code, 1)
    assert.is(
      stderr,
      `${join(folder, 'full')} is not empty (notes.txt). Choose another folder, or empty this one first.\n`,
    )
    assert.equal(await filesIn(join(folder, 'full')), ['notes.txt'])
    assert.match(
      (await run(folder, ['full/notes.txt', '--name', 'notes'])).stderr,
      /notes\.txt is a file\. Choose another/,
    )
    await mkdir(join(folder, 'fresh', '.git'), { recursive: true })
    assert.is((await run(join(folder, 'fresh'), ['.'])).code, 0)
    assert.is((await manifestOf(join(folder, 'fresh')))['name'], 'fresh')
  }),
)

create('prints its version', () =>
  inFolder(async (folder) => {
    assert.equal(await run(folder, ['--version']), { code: 0, stdout: `${ownPackage.version}\n`, stderr: '' })
  }),
)

create('explains an invalid name or flag, and suggests a valid one', () =>
  inFolder(async (folder) => {
    const wrong = await run(folder, ['My Garden!'])
    assert.is(wrong.code, 1)
    assert.is(
      wrong.stderr,
      'My Garden! cannot be the name of a package: it has capital letters. Try my-garden, or choose another with --name NAME.\n',
    )
    assert.match((await run(folder, ['x', '--plugn'])).stderr, /'--plugn'[^]*--help lists the flags\.\n$/)
    assert.match((await run(folder, ['x', '--plugin', '--site'])).stderr, /^Pass only one of/)
    assert.match((await run(folder, ['x', 'y'])).stderr, /^Name one folder/)
    assert.equal(await filesIn(folder), [])
  }),
)

create('accepts the names that npm accepts', () => {
  for (const name of ['my-site', 'a.b_c', '@me/my-plugin', '2fa']) assert.is(nameMistake(name), null, name)
  const wrong = [
    '',
    'A',
    '.x',
    '_x',
    '-x',
    'a b',
    'ä',
    '@me/',
    '@/x',
    'a/b',
    'fs',
    'node_modules',
    'svc-rest',
    'a'.repeat(215),
  ]
  for (const name of wrong) assert.ok(nameMistake(name) !== null, name)
  assert.is(suggestedName('_Åsa’s Garden'), 'asa-s-garden')
  assert.is(suggestedName('!'), null)
  assert.is(pluginName('@me/svc-rest-plugin-a.b'), 'a-b')
})

create('accepts Windows paths', () => {
  const place = (argument: string) => placeOf(argument, 'C:\\sites', undefined, win32)
  assert.equal(place('my-site'), { folder: 'C:\\sites\\my-site', name: 'my-site' })
  assert.equal(place('D:\\work\\my-site\\'), { folder: 'D:\\work\\my-site', name: 'my-site' })
  assert.equal(place('..\\other'), { folder: 'C:\\other', name: 'other' })
  assert.equal(place('@me/rain'), { folder: 'C:\\sites\\rain', name: '@me/rain' })
})

create('has the versions of this repository', async () => {
  assert.is(ownPackage.version, packageJson.version)
  const launchers = { 'bin/launch.js': packageJson, 'bin/create-svc-rest/index.cjs': ownPackage }
  for (const [file, { engines }] of Object.entries(launchers)) {
    const oldest = `const OLDEST = '${engines.node.replace('>=', '')}'`
    assert.ok((await readFile(join(root, file), 'utf8')).includes(oldest), file)
  }
  for (const kind of ['site', 'plugin']) {
    const { devDependencies, engines, allowScripts } = await manifestOf(
      join(root, 'bin/create-svc-rest/templates', kind),
      '_package.json',
    )
    for (const name of ['typescript', '@types/node', 'node'] as const) {
      assert.is(devDependencies![name], packageJson.devDependencies[name], name)
    }
    assert.equal(engines, packageJson.engines)
    // Only a checkout bundles scripts.
    const { esbuild: _, ...scripts } = packageJson.allowScripts
    assert.equal(allowScripts, scripts)
  }
})

create('creates the site of the guide', async () => {
  const guide = await readFile(join(root, 'docs/getting-started.md'), 'utf8')
  for (const file of ['plugins/hello.ts', 'svc.config.json']) {
    const text = await readFile(join(root, 'bin/create-svc-rest/templates/site', file), 'utf8')
    assert.ok(guide.includes(`\n${text}\`\`\`\n`), `${file} is not what docs/getting-started.md shows`)
  }
})

create.run()
