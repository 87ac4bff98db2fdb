import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, readdir, readlink, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DatabaseFile } from '../../../../../plugins/storage/store/sqlite/database-file.ts'
import { Flusher } from '../../../../../plugins/storage/store/sqlite/flusher.ts'
import { openStore } from '../../../../../plugins/storage/store/open.ts'
import type { StoreError } from '../../../../../plugins/storage/store/store.ts'
import { serve } from '../../../../helpers/site.ts'
import { emptyFilePlace, filePlace } from '../../../../helpers/stores.ts'
import { until } from '../../../../helpers/until.ts'

const BIN = resolve(import.meta.dirname, '../../../../../bin/svc-serve')
const test = suite('the file of a SQLite database')

test('nobody else may read it, nor what lies beside it', async () => {
  await using place = await emptyFilePlace()
  const folder = join(dirname(pathOf(place.url)), 'data', 'deep')
  const path = join(folder, 'site.db')
  const store = await openStore(`sqlite:${path}`)
  await store.run(store.db.insertInto('posts').values({ title: 'a' }))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) assert.is(await modeOf(file), 0o600, file)
  for (const each of [folder, dirname(folder)]) assert.is(await modeOf(each), 0o700, each)
  await store.close()
})

test('is used as it is where others can read it, and the log says so', async () => {
  await using place = await emptyFilePlace()
  const path = pathOf(place.url)
  await (await openStore(place.url)).close()
  await chmod(path, 0o644)
  const warned = async () => {
    const lines: string[] = []
    await using site = await serve({ database: place.url, log: 'warn', logTo: (line) => lines.push(line) })
    assert.is((await site.get('/svc/v2/posts')).status, 200)
    // Files of uploads have a warning of their own.
    return lines.filter((line) => line.includes('Other accounts') && line.includes(dirname(path)))
  }
  // The folder keeps them out.
  assert.equal(await warned(), [])
  await chmod(dirname(path), 0o755)
  const [line = ''] = await warned()
  assert.match(line, `chmod 600 ${path}`)
  assert.is(await modeOf(path), 0o644)
  await chmod(dirname(path), 0o700)
})

if (process.platform === 'linux') {
  test('is closed by a store that cannot be opened', async () => {
    await using place = await filePlace()
    const path = pathOf(place.url)
    await (await openStore(place.url)).close()
    await chmod(path, 0o644)
    await chmod(dirname(path), 0o755)
    const log = pino({ hooks: { logMethod: () => assert.unreachable('The log is full.') } })
    const reason = await openStore(place.url, { log }).then(String, String)
    assert.match(reason, 'The log is full.')
    assert.equal(await openFilesIn(dirname(path)), [])
  })

  test('is closed where its log is just being opened', async () => {
    await using place = await filePlace()
    const path = pathOf(place.url)
    const store = await openStore(place.url)
    const file = await DatabaseFile.make(path)
    const before = await openFilesIn(dirname(path))
    const flushed = file.flushed()
    await file.close()
    await flushed
    assert.equal(await openFilesIn(dirname(path)), before)
    await store.close()
  })
}

test('is named when it cannot be opened', async () => {
  await using place = await emptyFilePlace()
  const path = pathOf(place.url)
  await mkdir(join(path, 'a'), { recursive: true })
  const cases = [place.url, `sqlite:${join(BIN, 'site.db')}`, `sqlite:${BIN}`]
  for (const url of cases) {
    const error = await openStore(url).then(
      () => assert.unreachable(),
      (reason: StoreError) => reason,
    )
    assert.is(error!.code, 'STORE_UNREADABLE')
    assert.match(error!.message, pathOf(url))
  }
})

for (const [how, harm] of [
  ['removed', (path: string) => rm(path)],
  ['moved', (path: string) => rename(path, `${path}.old`)],
  ['replaced', async (path: string) => (await cp(path, `${path}.new`), rename(`${path}.new`, path))],
  ['left without its log', (path: string) => rm(`${path}-wal`)],
] as const) {
  test(`takes nothing more in when it is ${how}`, async () => {
    await using place = await emptyFilePlace()
    const path = pathOf(place.url)
    const told: Error[] = []
    const store = await openStore(place.url, { onLost: (error) => told.push(error) })
    const add = () => store.run(store.db.insertInto('posts').values({ title: 'a' }))
    await add()
    await harm(path)
    const error = (await add().catch((reason: StoreError) => reason)) as StoreError
    assert.equal([error.code, error.outage], ['STORE_LOST', 'unavailable'])
    assert.match(error.message, `The database ${path} was removed or replaced`)
    assert.is(await add().catch((reason: Error) => reason), error)
    await until(() => told.length > 0)
    await store.close()
  })
}

test('ends the server with its name when it is removed', async () => {
  await using place = await emptyFilePlace()
  const path = pathOf(place.url)
  await using site = await serving(place.url)
  assert.is(await site.read(), 200)
  await rm(path)
  const { code, log } = await site.end()
  assert.is(code, 1)
  assert.match(log, `The database ${path} was removed or replaced`)
  assert.match(log, '"msg":"stopped"')
})

test('what was answered is there after the process was killed, in the middle of many writes', async () => {
  await using place = await emptyFilePlace()
  for (let round = 1; round <= 2; round += 1) {
    const acknowledged: number[] = []
    {
      await using site = await serving(place.url)
      const writers = Array.from({ length: 8 }, async () => {
        for (;;) {
          const id = await site.add(`round ${round}`)
          if (id === null) return
          acknowledged.push(id)
        }
      })
      await until(() => acknowledged.length > 10 * round)
      site.kill()
      await Promise.all(writers)
    }
    const store = await openStore(place.url)
    const rows = await store.all(sql<{ id: number }>`select id from posts where title = ${`round ${round}`}`)
    const stored = new Set(rows.map(({ id }) => id))
    assert.equal(
      acknowledged.filter((id) => !stored.has(id)),
      [],
    )
    assert.equal(await store.all(sql`pragma integrity_check`), [{ integrity_check: 'ok' }])
    await store.close()
  }
})

test.run()

const flushes = suite('flushes that many share')

flushes('begin after what they are asked for, and are no more than needed', async () => {
  const begun: (() => void)[] = []
  const flusher = new Flusher(() => new Promise((done) => void begun.push(done)))
  const through: string[] = []
  const ask = (name: string) => void flusher.flushed().then(() => through.push(name))
  const pause = () => new Promise((done) => setImmediate(done))
  ask('a')
  assert.is(begun.length, 1)
  for (const name of ['b', 'c', 'd']) ask(name)
  await pause()
  // What b, c and d have written may have come too late for the first.
  assert.equal([begun.length, through], [1, []])
  begun[0]!()
  await pause()
  assert.equal([begun.length, through], [2, ['a']])
  ask('e')
  begun[1]!()
  await pause()
  assert.equal([begun.length, through], [3, ['a', 'b', 'c', 'd']])
  begun[2]!()
  await pause()
  assert.is(through.at(-1), 'e')
})

flushes('fail for all who wait, and for nobody else', async () => {
  let attempt = 0
  const flusher = new Flusher(async () => {
    attempt += 1
    if (attempt === 2) throw new Error('the disk is broken')
  })
  const outcomes = await Promise.allSettled([flusher.flushed(), flusher.flushed(), flusher.flushed()])
  assert.equal(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  )
  await flusher.flushed()
})

flushes.run()

const pathOf = (url: string) => url.slice('sqlite:'.length)

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777
}

/** A plugin that takes everybody for an administrator. */
const EVERYBODY = `import { definePlugin } from 'svc-rest'
export default definePlugin({
  name: 'everybody-writes',
  after: ['roles'],
  apply({ hooks, services }) {
    const roles = ['administrator']
    const person = () => ({ id: 1, roles, capabilities: services.roles.capabilitiesOf(roles) })
    hooks.determine_current_user.tap('everybody-writes', (user) => ({ ...user, ...person() }))
  },
})`

/** A site in a process of its own, which lets everybody write. */
async function serving(database: string) {
  const folder = dirname(pathOf(database))
  await writeFile(join(folder, 'everybody.js'), EVERYBODY)
  const config = join(folder, 'svc.config.json')
  const plugins = { 'first-run': false, './everybody.js': {} }
  await writeFile(config, JSON.stringify({ port: 0, database, plugins }))
  const child = spawn(process.execPath, [BIN, '--config', config, '--workers', '1'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, log] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const ended = once(child, 'close') as Promise<[number | null]>
  await until(() => out.includes('Serving') || child.exitCode !== null)
  const [, home = ''] = /^Serving (\S+)\/ /.exec(out) ?? []
  const posts = `${home}/svc-json/svc/v2/posts`
  return {
    read: async () => (await fetch(posts)).status,
    /** The id of a post that was added; null when the server has gone. */
    add: async (title: string): Promise<number | null> => {
      try {
        const body = JSON.stringify({ title, status: 'publish' })
        const response = await fetch(posts, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        return response.status === 201 ? ((await response.json()) as { id: number }).id : null
      } catch {
        return null
      }
    },
    kill: () => void child.kill('SIGKILL'),
    end: async () => ({ code: (await ended)[0], log }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The files below a folder that this process has open. */
async function openFilesIn(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd')
  const files = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return files.filter((file) => file.startsWith(folder)).toSorted()
}
