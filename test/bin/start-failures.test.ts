import { chmod, chown, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { loadConfig, startKernel } from '../../bin/config/index.ts'
import { listenError } from '../../kernel/http/listen-errors.ts'
import { defaults, presets, revisions } from '../../plugins/index.ts'
import { openStore } from '../../plugins/storage/store/open.ts'

/** The user ID of `nobody` on Linux. */
const UNPRIVILEGED_USER_ID = 65_534

const failures = suite('a start that fails')

/** Returns the error of starting a site in a folder with these files, by name. */
async function failing(flags: Record<string, unknown>, files: Record<string, string> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'start-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    return (await failureIn(folder, flags)).replaceAll(folder, '')
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function failureIn(folder: string, flags: Record<string, unknown>): Promise<string> {
  try {
    const config = await loadConfig({ folder, flags: { port: 0, log: 'silent', ...flags } })
    await using kernel = await startKernel({ config, defaults, presets, revisions })
    await kernel.listen()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('It started.')
}

const MEMORY = { database: 'sqlite::memory:' }
const server = process.env['SVC_TEST_POSTGRES'] || undefined
const withPart = (part: (url: URL) => void) => {
  const url = new URL(server ?? 'postgres://127.0.0.1')
  part(url)
  return { database: url.href }
}

for (const [mistake, flags, files, sentence] of [
  [
    'a database that is none',
    {},
    { 'data/site.db': 'x'.repeat(5000) },
    'The database /data/site.db cannot be opened: it is not a SQLite database. Move it away',
  ],
  [
    'a database that is a folder',
    { database: 'sqlite:./data' },
    { 'data/x': '' },
    'The database /data cannot be opened: this account cannot open or create it. Give',
  ],
  [
    'a database below a file',
    { database: 'sqlite:file/site.db' },
    { file: '' },
    'The database /file/site.db cannot be opened: a part of its path is a file, not a folder',
  ],
  [
    'a database of nobody',
    { database: 'postgres://me:S3CRET@127.0.0.1:1/x?a=S3CRET' },
    {},
    'The database postgres://me:[hidden]@127.0.0.1:1/x cannot be opened: no server responds there (ECONNREFUSED). Start it',
  ],
  ['a database without a name', { database: 'postgres://me@[/x' }, {}, 'its URL is invalid. Write it as postgres://'],
  [
    'uploads that are a file',
    { ...MEMORY, uploads: 'file' },
    { file: '' },
    'The uploads folder /file is not writable: /file is not a folder. Grant',
  ],
  [
    'uploads below a file',
    { ...MEMORY, uploads: 'file/a/b' },
    { file: '' },
    'The uploads folder /file/a/b is not writable: /file/a/b is not a folder',
  ],
  [
    'a host that is not here',
    { ...MEMORY, host: '203.0.113.1' },
    {},
    'This machine has no address 203.0.113.1 to listen on: choose another one with --host',
  ],
  [
    'a host that is nowhere',
    { ...MEMORY, host: 'no.such.host.invalid' },
    {},
    'This machine has no address no.such.host.invalid',
  ],
  [
    'a config that is no JSON',
    MEMORY,
    { 'svc.config.json': '{\n "port": }' },
    '/svc.config.json cannot be read: it is not valid JSON at line 2, column 10.',
  ],
  [
    'a plugin with a mistake',
    { ...MEMORY, plugins: { './p.mjs': true } },
    { 'p.mjs': 'export default {' },
    'The plugin ./p.mjs could not be loaded: ',
  ],
  ...(server === undefined
    ? []
    : ([
        [
          'a PostgreSQL database that is not there',
          withPart((url) => (url.pathname = '/not_there')),
          {},
          'the server has no database of this name. Create one with createdb',
        ],
        [
          'a PostgreSQL user that is not there',
          withPart((url) => (url.username = 'not_there')),
          {},
          'the server refused the login. Correct user and password',
        ],
      ] as const)),
] as const) {
  failures(`gives advice about ${mistake}`, async () => {
    const message = await failing(flags, files)
    assert.ok(message.includes(sentence), message)
    assert.not.match(message, /S3CRET|\n/)
  })
}

failures('gives advice about a database that is damaged or newer than this program', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'start-'))
  const file = join(folder, 'site.db')
  const flags = { database: `sqlite:${file}` }
  try {
    await (await openStore(flags.database)).close()
    const database = new DatabaseSync(file)
    database.exec("insert into migrations values (9999, 'later')")
    database.close()
    const newer = await failureIn(folder, flags)
    assert.match(newer, `The database ${file} cannot be opened: The database has schema version 9999`)
    const handle = await open(file, 'r+')
    await handle.write(Buffer.alloc(3996, 0xaa), 0, 3996, 100)
    await handle.close()
    const damaged = await failureIn(folder, flags)
    assert.is(damaged, `The database ${file} cannot be opened: it is damaged. Replace it with a backup.`)
  } finally {
    await rm(folder, { recursive: true })
  }
})

if (process.getuid?.() === 0) {
  failures('names the missing file permissions of its account', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'start-'))
    const file = join(folder, 'site.db')
    await (await openStore(`sqlite:${file}`)).close()
    const uploads = join(folder, 'uploads')
    await mkdir(uploads)
    await mkdir(join(folder, 'own'))
    await chown(join(folder, 'own'), UNPRIVILEGED_USER_ID, UNPRIVILEGED_USER_ID)
    await chmod(folder, 0o755)
    await chmod(file, 0o644)
    const asUnprivileged = async (flags: Record<string, unknown>) => {
      process.seteuid!(UNPRIVILEGED_USER_ID)
      try {
        return await failureIn(folder, flags)
      } finally {
        process.seteuid!(0)
      }
    }
    try {
      const read = await asUnprivileged({ database: `sqlite:${file}` })
      assert.ok(
        read.startsWith(`The database ${file} cannot be opened: `) && read.includes('Give the account the right'),
        read,
      )
      const missingFolder = await asUnprivileged({ database: `sqlite:${folder}/new/site.db` })
      assert.match(missingFolder, 'new/site.db cannot be opened: this account cannot create its folder')
      const unwritable = await asUnprivileged({ ...MEMORY, uploads })
      assert.match(
        unwritable,
        `uploads folder ${uploads} is not writable: the server has no permission to write to ${uploads}. Grant`,
      )
      await chmod(file, 0o600)
      assert.match(await asUnprivileged({ database: `sqlite:${file}` }), 'this account cannot open or create it')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
}

failures('gives advice if the system does not permit listening', () => {
  const messageFor = (code: string, host = '0.0.0.0') =>
    listenError(Object.assign(new Error('listen'), { code }), host, 80).message
  assert.match(messageFor('EACCES'), 'This account may not listen on 0.0.0.0:80: choose a port above 1023 with --port')
  assert.match(messageFor('EADDRINUSE', '::1'), 'Another program already listens on [::1]:80')
  assert.is(messageFor('EOTHER'), 'listen')
})

failures.run()
