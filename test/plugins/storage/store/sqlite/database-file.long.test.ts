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
const test = suite('SQLite database file')

test('is readable by its own account only, like its log and new folders', async () => {
  await using place = await emptyFilePlace()
  const folder = join(dirname(pathOf(place.url)), 'data', 'deep')
  const path = join(folder, 'site.db')
  const store = await openStore(`sqlite:${path}`)
  await store.run(store.db.insertInto('posts').values({ title: 'a' }))
  for (const file of [path, `${path}-wal`, `${path}-shm`]) assert.is(await modeOf(file), 0o600, file)
  for (const each of [folder, dirname(folder)]) assert.is(await modeOf(each), 0o700, each)
  await store.close()
})

test('keeps permissions that let other accounts read it, with a warning in the log', async () => {
  await using place = await emptyFilePlace()
  const path = pathOf(place.url)
  await (await openStore(place.url)).close()
  await chmod(path, 0o644)
  const warned = async () => {
    const lines: string[] = []
    await using site = await serve({ database: place.url, log: 'warn', logTo: (line) => lines.push(line) })
    assert.is((await site.get('/svc/v2/posts')).status, 200)
    // Uploads have a separate warning.
    return lines.filter((line) => line.includes('Other accounts') && line.includes(dirname(path)))
  }
  // A private folder protects the file.
  assert.equal(await warned(), [])
  await chmod(dirname(path), 0o755)
  const [line = ''] = await warned()
  assert.match(line, `chmod 600 ${path}`)
  assert.is(await modeOf(path), 0o644)
  await chmod(dirname(path), 0o700)
})

if (process.platform === 'linux') {
  test('is closed if opening the store fails', async () => {
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

  test('is closed while its log is being opened', async () => {
    await using place = await filePlace()
    const path = pathOf(place.url)
    const store = await openStore(place.url)
    const file = await DatabaseFile.create(path)
    const before = await openFilesIn(dirname(path))
    const flushed = file.flushed()
    await file.close()
    await flushed
    assert.equal(await openFilesIn(dirname(path)), before)
    await store.close()
  })
}

test('is named in the error when it cannot be opened', async () => {
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

for (const [damage, inflict] of [
  ['removed', (path: string) => rm(path)],
  ['moved', (path: string) => rename(path, `${path}.old`)],
  ['replaced', async (path: string) => (await cp(path, `${path}.new`), rename(`${path}.new`, path))],
  ['left without its log', (path: string) => rm(`${path}-wal`)],
] as const) {
  test(`accepts no writes after it is ${damage}`, async () => {
    await using place = await emptyFilePlace()
    const path = pathOf(place.url)
    const reported: Error[] = []
    const store = await openStore(place.url, { onLost: (error) => reported.push(error) })
    const add = () => store.run(store.db.insertInto('posts').values({ title: 'a' }))
    await add()
    await inflict(path)
    const error = (await add().catch((reason: StoreError) => reason)) as StoreError
    assert.equal([error.code, error.outage], ['STORE_LOST', 'unavailable'])
    assert.match(error.message, `The database ${path} was removed or replaced`)
    assert.is(await add().catch((reason: Error) => reason), error)
    await until(() => reported.length > 0)
    await store.close()
  })
}

test('stops the server with an error that names it when it is removed', async () => {
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

test('contains every acknowledged write after the process was killed', async () => {
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

const flushes = suite('shared flushes')

flushes('begin after the write of each caller, and are as few as possible', async () => {
  const started: (() => void)[] = []
  const flusher = new Flusher(() => new Promise((done) => void started.push(done)))
  const finished: string[] = []
  const flush = (name: string) => void flusher.flushed().then(() => finished.push(name))
  const pause = () => new Promise((done) => setImmediate(done))
  flush('a')
  assert.is(started.length, 1)
  for (const name of ['b', 'c', 'd']) flush(name)
  await pause()
  // The first flush may have started before the writes of b, c and d.
  assert.equal([started.length, finished], [1, []])
  started[0]!()
  await pause()
  assert.equal([started.length, finished], [2, ['a']])
  flush('e')
  started[1]!()
  await pause()
  assert.equal([started.length, finished], [3, ['a', 'b', 'c', 'd']])
  started[2]!()
  await pause()
  assert.is(finished.at(-1), 'e')
})

flushes('fail for all callers that share them, and for no others', async () => {
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

/** A plugin that makes every visitor an administrator. */
const ALL_ADMINISTRATORS = `import { definePlugin } from 'svc-rest'
export default definePlugin({
  name: 'all-administrators',
  after: ['roles'],
  apply({ hooks, services }) {
    const roles = ['administrator']
    const person = () => ({ id: 1, roles, capabilities: services.roles.capabilitiesOf(roles) })
    hooks.determine_current_user.tap('all-administrators', (user) => ({ ...user, ...person() }))
  },
})`

/** Serves a site in a separate process, on which every visitor can write. */
async function serving(database: string) {
  const folder = dirname(pathOf(database))
  await writeFile(join(folder, 'everybody.js'), ALL_ADMINISTRATORS)
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
    /** Returns the ID of the added post; null if the server has stopped. */
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

/** Returns the files below a folder that this process has open. */
async function openFilesIn(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd')
  const files = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return files.filter((file) => file.startsWith(folder)).toSorted()
}
