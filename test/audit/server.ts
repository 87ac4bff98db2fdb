import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../checks/free-port.ts'
import { emptyPostgresPlace } from '../helpers/stores.ts'

const BIN = resolve(import.meta.dirname, '../../bin/svc-serve')
/** How long a server may take to start, and to stop when it is told to, in milliseconds. */
const PATIENCE = 60_000
/** Characters of its output that are kept. */
const KEPT = 100_000

/** What the servers of an audit differ in. */
export interface SiteOptions {
  /** A PostgreSQL server on which a database is made, as `postgres://user@host/database`; else a SQLite file. */
  server?: string | undefined
  /** Config beside what every audited site has. */
  config?: Record<string, unknown>
  /** Where the folder of the site is made. */
  below?: string
}

/** A site on the disk, which servers are started for; it is gone once its scope ends. */
export interface AuditSite extends AsyncDisposable {
  readonly folder: string
  readonly uploads: string
  /** Of the database, as the config has it. */
  readonly database: string
  /** The config, but for the port. */
  readonly config: Record<string, unknown>
}

/** Makes the folder and the database of a site. */
export async function makeSite({ server, config = {}, below = tmpdir() }: SiteOptions = {}): Promise<AuditSite> {
  const folder = await mkdtemp(join(below, 'svc-audit-'))
  const place = server === undefined ? undefined : await emptyPostgresPlace(server)
  const database = place?.url ?? `sqlite:${join(folder, 'site.db')}`
  const uploads = join(folder, 'uploads')
  const { plugins = {}, ...more } = config as { plugins?: Record<string, unknown> }
  return {
    folder,
    uploads,
    database,
    config: {
      database,
      uploads,
      host: '127.0.0.1',
      log: 'warn',
      ...more,
      // All requests come from one IP address, and wrong passwords are among them.
      plugins: { 'first-run': false, 'login-attempts': { tries: 1_000_000 }, ...plugins },
    },
    [Symbol.asyncDispose]: async () => {
      await rm(folder, { recursive: true, force: true })
      await place?.[Symbol.asyncDispose]()
    },
  }
}

/** How a server is started. */
export interface StartOptions {
  /** Shell commands that run before it in the same process, such as `ulimit -n 64`. */
  before?: string
  env?: Record<string, string>
  port?: number
}

/** A `svc-serve` of its own; it is killed when its scope ends. */
export interface AuditServer extends AsyncDisposable {
  readonly home: string
  readonly port: number
  /** Root of the REST API. */
  readonly root: string
  readonly pid: number
  readonly alive: boolean
  /** Resolves when the process has ended, with how. */
  readonly ended: Promise<string>
  /** The end of what it printed. */
  output(): string
  kill(signal: NodeJS.Signals): Promise<void>
  /** Bytes that the process holds in memory, and the most it ever held. */
  memory(): Promise<{ now: number; most: number }>
}

/**
 * Starts `svc-serve` for a site and waits until it answers.
 * @throws Error when it does not, with what it printed
 */
export async function startServer(site: AuditSite, options: StartOptions = {}): Promise<AuditServer> {
  const port = options.port ?? (await freePort())
  const file = join(site.folder, `svc.config.${port}.json`)
  await writeFile(file, JSON.stringify({ ...site.config, port }, null, 2))
  const command = `${options.before ?? ':'}; exec "$0" "$@"`
  const child = spawn('/bin/sh', ['-c', command, process.execPath, BIN, '--config', file], {
    cwd: site.folder,
    env: { ...process.env, PORT: '', DATABASE_URL: '', SVC_WORKERS: '1', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-KEPT)))
  }
  const ended = once(child, 'exit').then(([code, signal]) => `${signal ?? code}`)
  const alive = () => child.exitCode === null && child.signalCode === null
  const kill = async (signal: NodeJS.Signals) => {
    if (!alive()) return
    child.kill(signal)
    const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE)
    await ended
    clearTimeout(late)
  }
  const home = `http://127.0.0.1:${port}`
  const server: AuditServer = {
    home,
    port,
    root: `${home}/svc-json`,
    pid: child.pid!,
    get alive() {
      return alive()
    },
    ended,
    output: () => printed,
    kill,
    memory: () => memoryOf(child),
    [Symbol.asyncDispose]: () => kill('SIGKILL'),
  }
  const deadline = Date.now() + PATIENCE
  while (!(await answers(server.root))) {
    if (alive() && Date.now() < deadline) {
      await delay(20)
      continue
    }
    await kill('SIGKILL')
    throw new Error(`svc-serve did not start. It printed:\n${printed}`)
  }
  return server
}

/** Whether a server answers there, whatever it says. */
export async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { signal: AbortSignal.timeout(5000) })).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/** As Linux tells it; zeros elsewhere. */
async function memoryOf({ pid }: ChildProcess): Promise<{ now: number; most: number }> {
  let text = ''
  try {
    text = await readFile(`/proc/${pid}/status`, 'utf8')
  } catch {
    // It has ended, or there is no such folder.
  }
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
  return { now: bytes('VmRSS'), most: bytes('VmHWM') }
}
