import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { createApi, type Api, type JsonAnswer } from './api.ts'
import { PIXEL } from './uploading.ts'
import { brokenDatabase, strayFiles, withStore } from './inspect.ts'
import { Ledger } from './ledger.ts'
import { addUsers, type SiteUsers } from './users.ts'
import type { Line, Report } from './report.ts'
import { makeSite, startServer, type AuditServer, type AuditSite } from './server.ts'

/** Database and faults of a run. */
export interface FaultOptions {
  /** A PostgreSQL server, else SQLite. */
  server?: string | undefined
  /** Names of the faults; by default all. */
  only?: readonly string[]
}

/** A site whose server has lost a resource. */
interface Context {
  site: AuditSite
  server: AuditServer
  users: SiteUsers
  api: Api
  ledger: Ledger
  line: Line
}

const V2 = '/svc/v2'
/** Number of writes in each state. */
const WRITES_PER_STATE = 20
/** Time that a server has to recover. */
const RECOVERY_TIMEOUT_MS = 15_000
const execute = promisify(execFile)

let serial = 0

/** Takes resources from a server (disk space, file descriptors, memory, database), and checks its responses and its data. */
export async function faults(report: Report, { server, only = Object.keys(FAULTS) }: FaultOptions): Promise<void> {
  for (const name of only) {
    const { description, run } = FAULTS[name]!
    const kind = server === undefined ? 'SQLite' : 'PostgreSQL'
    await run(report.line('faults', `${description}, ${kind}`), server)
  }
}

/** The faults by name. */
const FAULTS: Readonly<Record<string, { description: string; run: (line: Line, server?: string) => Promise<void> }>> = {
  descriptors: { description: 'few file descriptors', run: exhaustDescriptors },
  memory: { description: 'little memory', run: littleMemory },
  disk: { description: 'a full disk', run: fullDisk },
  uploads: { description: 'a read-only folder of uploads', run: readOnlyUploads },
  database: {
    description: 'a database that is locked by another program, or gone for a while',
    run: (line, server) => (server === undefined ? lockedDatabase(line) : rejectConnections(line, server)),
  },
}

/** Starts a server, runs a fault, and checks the data after the recovery. */
async function during(
  site: AuditSite,
  line: Line,
  start: { before?: string; env?: Record<string, string> },
  fault: (context: Context) => Promise<void>,
): Promise<void> {
  const users = await addUsers(site)
  const ledger = new Ledger()
  await using server = await startServer(site, start)
  using api = createApi(server, users, 8)
  const context = { site, server, users, api, ledger, line }
  await writes(context, 'before')
  await fault(context)
  const startedAt = Date.now()
  let well = false
  while (!well && server.alive && Date.now() - startedAt < RECOVERY_TIMEOUT_MS) {
    well = (await post(context, 'after')) === 'made'
    if (!well) await delay(100)
  }
  if (!server.alive) line.broken.push(`the process ended (${await server.ended}): ${server.output().slice(-500)}`)
  else if (!well) line.broken.push(`it has not recovered within ${RECOVERY_TIMEOUT_MS} ms`)
  line.note = `well again after ${Date.now() - startedAt} ms`
  await withStore(site, async (store) => {
    if (server.alive) line.broken.push(...(await strayFiles(store, site, server)))
    line.broken.push(...(await brokenDatabase(store)), ...(await ledger.lost(store, site.uploads)))
  })
}

/** Sends posts and uploads, which must succeed or fail with a response that a client can act on. */
async function writes(context: Context, when: string): Promise<void> {
  for (let count = 0; count < WRITES_PER_STATE; count += 4) {
    await Promise.all([post(context, when), post(context, when), post(context, when), upload(context, when)])
  }
}

async function post({ api, ledger, line }: Context, when: string): Promise<'made' | 'refused'> {
  const title = `${when} ${(serial += 1)}`
  // Long enough to need disk space.
  const answer = await api('POST', `${V2}/posts`, { title, status: 'publish', content: 'text '.repeat(4000) })
  line.times += 1
  if (answer.status === 201) {
    ledger.created('post', answer.body.id, title)
    return 'made'
  }
  checkRefusal(answer, line, `a post ${when}`)
  return 'refused'
}

async function upload({ api, ledger, line }: Context, when: string): Promise<void> {
  const name = `${when}-${(serial += 1)}`
  const answer = await api.upload(`${name}.png`, Buffer.concat([PIXEL, Buffer.alloc(20_000)]))
  line.times += 1
  if (answer.status === 201) ledger.created('media', answer.body.id, name)
  else checkRefusal(answer, line, `an upload ${when}`)
}

/**
 * Checks a rejection: 503 with a Retry-After header, or 507. If the write was stored before its response failed, the response
 * must say that it may be done.
 */
function checkRefusal({ status, headers, text, body, failure }: JsonAnswer, line: Line, description: string): void {
  if (status === 507 || (status === 500 && body?.code === 'rest_answer_lost')) return
  if (status === 503 && headers['retry-after'] !== undefined) return
  const detail = failure ?? text.slice(0, 200)
  const broken = `${description}: ${status}${status === 503 ? ' without Retry-After' : ''} ${detail}`
  if (!line.broken.includes(broken)) line.broken.push(broken)
}

/** Opens many connections with few file descriptors: accepted connections are served, others wait, then all recover. */
async function exhaustDescriptors(line: Line, postgres?: string): Promise<void> {
  await using site = await makeSite({ server: postgres })
  await during(site, line, { before: 'ulimit -n 96' }, async (context) => {
    const sockets: Socket[] = []
    for (let count = 0; count < 200; count += 1) {
      const socket = connect(context.server.port, '127.0.0.1')
      socket.on('error', () => {})
      sockets.push(socket)
    }
    await delay(300)
    using patient = createApi(context.server, context.users, 4, 5000)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => patient('POST', `${V2}/posts`, { title: 'x', status: 'publish' })),
    )
    for (const answer of answers) {
      line.times += 1
      // A connection that cannot be accepted gets no response.
      if (answer.status !== 0 && answer.status !== 201) checkRefusal(answer, line, 'a post without descriptors')
    }
    for (const socket of sockets) socket.destroy()
  })
}

/** Sends large bodies and lists with the smallest supported heap (docs/guides/operating.md). */
async function littleMemory(line: Line, postgres?: string): Promise<void> {
  await using site = await makeSite({ server: postgres })
  const env = { NODE_OPTIONS: '--max-old-space-size=256' }
  await during(site, line, { env }, async (context) => {
    const { api, server } = context
    const big = { title: 'x', content: '<p>word</p>\n'.repeat(60_000), status: 'publish' }
    for (let round = 0; round < 5 && server.alive; round += 1) {
      const answers = await Promise.all([
        ...Array.from({ length: 4 }, () => api('POST', `${V2}/posts`, big)),
        api('POST', `${V2}/posts`, { title: 'x', _fields: 'a.'.repeat(500_000) }),
        api('POST', `${V2}/posts`, { tags: Array.from({ length: 100_000 }, (_, index) => index) }),
        api('POST', '/batch/v1', { requests: Array.from({ length: 100 }, () => ({ path: `${V2}/posts`, body: {} })) }),
        api('GET', `${V2}/posts?per_page=100`),
      ])
      for (const answer of answers) {
        line.times += 1
        if (answer.status === 0 || answer.status >= 500) checkRefusal(answer, line, 'a large request')
      }
    }
  })
}

/** Fills a small disk and later frees it. */
async function fullDisk(line: Line, postgres?: string): Promise<void> {
  await using disk = await mountDisk('24m')
  if (disk === null) return void (line.note = 'not tried: only root can mount a small disk')
  await using site = await makeSite({ server: postgres, below: disk.folder })
  await during(site, line, { env: { TMPDIR: disk.folder } }, async (context) => {
    const ballast = join(disk.folder, 'ballast')
    await writeFile(ballast, Buffer.alloc(30_000_000)).catch(() => {})
    await writes(context, 'full')
    const read = await context.api('GET', `${V2}/posts?per_page=5`)
    line.times += 1
    if (read.status !== 200) line.broken.push(`reading on a full disk: ${read.status} ${read.text.slice(0, 200)}`)
    await rm(ballast)
  })
}

/** Makes the uploads read-only: responses must not claim that files were written or removed. */
async function readOnlyUploads(line: Line, postgres?: string): Promise<void> {
  await using site = await makeSite({ server: postgres })
  await mkdir(site.uploads)
  await using disk = await mountDisk('24m', site.uploads)
  if (disk === null && process.getuid?.() === 0) return void (line.note = 'not tried: root writes anywhere')
  const setWritable = (may: boolean) =>
    disk === null
      ? chmod(site.uploads, may ? 0o700 : 0o500)
      : execute('mount', ['-o', `remount,${may ? 'rw' : 'ro'}`, site.uploads])
  await during(site, line, {}, async (context) => {
    const { api, ledger } = context
    const uploaded = await api.upload('kept.png', PIXEL)
    ledger.created('media', uploaded.body.id, 'kept')
    await setWritable(false)
    await writes(context, 'read-only')
    const acknowledge = ledger.deleting('media', uploaded.body.id)
    const removed = await api('DELETE', `${V2}/media/${uploaded.body.id}?force=true`)
    line.times += 1
    if (removed.status === 200) {
      acknowledge()
      const file = await fetch(uploaded.body.source_url)
      await file.arrayBuffer()
      if (file.status !== 404) line.broken.push(`a file that was deleted with 200 is answered with ${file.status}`)
    } else checkRefusal(removed, line, 'a deletion from a read-only folder')
    await setWritable(true)
  })
}

/** Locks the database file for some seconds. */
async function lockedDatabase(line: Line): Promise<void> {
  await using site = await makeSite()
  await during(site, line, {}, async (context) => {
    const writing = withStore(site, (store) => store.transaction(() => delay(3000)))
    await delay(100)
    await writes(context, 'locked')
    await writing
  })
}

/** Closes database connections and rejects new ones for a while. */
async function rejectConnections(line: Line, postgres: string): Promise<void> {
  await using site = await makeSite({ server: postgres })
  const name = new URL(site.database).pathname.slice(1)
  const admin = new pg.Client(postgres)
  await admin.connect()
  const end = () => admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  try {
    await during(site, line, {}, async (context) => {
      // Closed in the middle of writes; new connections are possible.
      const [, ended] = await Promise.all([writes(context, 'cut'), delay(20).then(end)])
      void ended
      await admin.query(`alter database ${name} allow_connections false`)
      await end()
      await writes(context, 'gone')
      const read = await context.api('GET', `${V2}/posts?search=gone`)
      line.times += 1
      if (read.status !== 200) checkRefusal(read, line, 'reading without a database')
      await admin.query(`alter database ${name} allow_connections true`)
    })
  } finally {
    await admin.query(`alter database ${name} allow_connections true`)
    await admin.end()
  }
}

/** Mounts a disk in memory, which disposal unmounts. Returns null without the permission to mount. */
async function mountDisk(size: string, at?: string): Promise<({ folder: string } & AsyncDisposable) | null> {
  const folder = at ?? (await mkdtemp(join(tmpdir(), 'svc-audit-disk-')))
  try {
    await execute('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder])
  } catch {
    return null
  }
  return {
    folder,
    [Symbol.asyncDispose]: async () => {
      await execute('umount', ['-l', folder])
      if (at === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}
