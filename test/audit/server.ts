import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../checks/free-port.ts'
import { emptyPostgresPlace } from '../helpers/stores.ts'

const BIN = resolve(import.meta.dirname, '../../bin/svc-serve')
/** Time that a server has to start or stop. */
const START_STOP_TIMEOUT_MS = 60_000
/** Maximum characters of its stored output. */
const MAX_OUTPUT_CHARS = 100_000

/** Options of an audited site. */
export interface SiteOptions {
  /** URL of a PostgreSQL server for a new database, as `postgres://user@host/database`. Default: a SQLite file. */
  server?: string | undefined
  /** Config keys in addition to those of all audited sites. */
  config?: Record<string, unknown>
  /** Parent of the site's folder. */
  below?: string
}

/** The folder and database of a site, which disposal removes. */
export interface AuditSite extends AsyncDisposable {
  readonly folder: string
  readonly uploads: string
  /** URL of the database in the config. */
  readonly database: string
  /** The config without the port. */
  readonly config: Record<string, unknown>
}

/** Creates the folder and the database of a site. */
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

/** Options for starting a server. */
export interface StartOptions {
  /** Shell commands that run before it in the same process, such as `ulimit -n 64`. */
  before?: string
  env?: Record<string, string>
  port?: number
}

/** A `svc-serve` process, which disposal kills. */
export interface AuditServer extends AsyncDisposable {
  readonly home: string
  readonly port: number
  /** Root of the REST API. */
  readonly root: string
  readonly pid: number
  readonly alive: boolean
  /** Resolves with the exit code or signal when the process ends. */
  readonly ended: Promise<string>
  /** Returns the end of its output. */
  output(): string
  kill(signal: NodeJS.Signals): Promise<void>
  /** Returns the current and peak memory of the process in bytes. */
  memory(): Promise<{ now: number; peak: number }>
}

/**
 * Starts `svc-serve` for a site and waits until it responds.
 * @throws Error with its output if it does not
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
    stream.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-MAX_OUTPUT_CHARS)))
  }
  const ended = once(child, 'exit').then(([code, signal]) => `${signal ?? code}`)
  const alive = () => child.exitCode === null && child.signalCode === null
  const kill = async (signal: NodeJS.Signals) => {
    if (!alive()) return
    child.kill(signal)
    const late = setTimeout(() => child.kill('SIGKILL'), START_STOP_TIMEOUT_MS)
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
  const deadline = Date.now() + START_STOP_TIMEOUT_MS
  while (!(await answers(server.root))) {
    if (alive() && Date.now() < deadline) {
      await delay(20)
      continue
    }
    await kill('SIGKILL')
    throw new Error(`svc-serve did not start. Its output:\n${printed}`)
  }
  return server
}

/** Whether a server responds at a URL, with any status. */
export async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { signal: AbortSignal.timeout(5000) })).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/** Returns the memory of a process on Linux, and zeros on other systems. */
async function memoryOf({ pid }: ChildProcess): Promise<{ now: number; peak: number }> {
  let text = ''
  try {
    text = await readFile(`/proc/${pid}/status`, 'utf8')
  } catch {
    // The process has ended, or the system has no /proc.
  }
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') }
}
