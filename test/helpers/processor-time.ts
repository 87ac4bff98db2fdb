import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** Milliseconds between two measurements. */
const INTERVAL_MS = 25
/** Ticks per second in `/proc`, which is the same on all common processors. */
const TICKS_PER_SECOND = 100

/**
 * Measures the processor time of processes of this machine. The time is read again and again, because a process that has
 * ended has none.
 */
export class ProcessorTime {
  readonly #ids: () => Iterable<number>
  readonly #last = new Map<number, number>()
  readonly #timer: NodeJS.Timeout

  /** @param ids returns the processes to measure; they can be added later */
  constructor(ids: () => Iterable<number>) {
    this.#ids = ids
    this.#timer = setInterval(() => this.#read(), INTERVAL_MS).unref()
  }

  /** Stops measuring. Returns seconds, or null on a system without `/proc`. */
  stop(): number | null {
    clearInterval(this.#timer)
    this.#read()
    if (this.#last.size === 0) return null
    return [...this.#last.values()].reduce((sum, seconds) => sum + seconds, 0)
  }

  #read(): void {
    for (const id of this.#ids()) {
      const seconds = secondsOf(id)
      if (seconds !== null) this.#last.set(id, seconds)
    }
  }
}

/** Seconds of processor time that a process has used so far; null if it has ended, or without `/proc`. */
function secondsOf(id: number): number | null {
  let text: string
  try {
    text = readFileSync(`/proc/${id}/stat`, 'utf8')
  } catch {
    return null
  }
  // The name of the program, in parentheses, can contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Milliseconds between two searches for new processes of a database. */
const SEARCH_INTERVAL_MS = 100
const LOCAL_HOSTS: readonly string[] = ['', 'localhost', '127.0.0.1', '[::1]']

/**
 * The processes that serve the connections to a PostgreSQL database of this machine. Empty for other databases: SQLite
 * runs in the process that uses it.
 */
export function databaseProcesses(url: string): { readonly ids: ReadonlySet<number> } & AsyncDisposable {
  const ids = new Set<number>()
  const isLocal = /^postgres(?:ql)?:/.test(url) && LOCAL_HOSTS.includes(new URL(url).hostname)
  const stop = new AbortController()
  const searching = isLocal ? search(url, ids, stop.signal) : undefined
  return {
    ids,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await searching
    },
  }
}

async function search(url: string, ids: Set<number>, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const sql = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  while (!signal.aborted) {
    const { rows } = await client.query<{ pid: number }>(sql)
    for (const { pid } of rows) ids.add(pid)
    await delay(SEARCH_INTERVAL_MS, undefined, { signal }).catch(() => {})
  }
  await client.end()
}
