import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Case } from './cases.ts'

/** Start time and memory of `svc-serve`. */
export interface Footprint {
  /** Milliseconds from the command to the first response, for each start. */
  starts: number[]
  /** Memory of the process after all requests in bytes. */
  memory: number
}

const COMMAND = fileURLToPath(new URL('../../bin/svc-serve', import.meta.url))
const STARTS = 5
/** Number of requests before the measurement, and of concurrent connections. */
const REQUESTS = 10_000
const CONNECTIONS = 16

/**
 * Starts `svc-serve` on an existing site several times, and sends all requests in turn to the last process.
 * @param folder working directory of the command
 * @param cases the requests
 */
export async function footprint(folder: string, database: string, cases: readonly Case[]): Promise<Footprint> {
  const starts: number[] = []
  // The first start and its first requests fill the compile cache.
  {
    await using site = await serve(folder, database)
    await sendRequests(site, cases, cases.length)
  }
  for (let left = STARTS; left > 1; left -= 1) {
    await using site = await serve(folder, database)
    starts.push(site.started)
  }
  await using site = await serve(folder, database)
  starts.push(site.started)
  await sendRequests(site, cases, REQUESTS)
  return { starts, memory: await residentOf(site.pid) }
}

/** Sends a number of requests, cycling through the cases. */
async function sendRequests({ url }: Serving, cases: readonly Case[], requests: number): Promise<void> {
  let sentCount = 0
  const sendNext = async () => {
    while (sentCount < requests) {
      const { path, headers = {} } = cases[sentCount++ % cases.length]!
      const response = await fetch(`${url}${path}`, { headers })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${path}: answered with ${response.status}`)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sendNext))
}

export interface Serving extends AsyncDisposable {
  url: string
  pid: number
  started: number
}

/** Starts `svc-serve` and waits until it responds. */
export async function serve(
  folder: string,
  database: string,
  flags: readonly string[] = ['--workers', '1'],
): Promise<Serving> {
  const start = performance.now()
  const child = spawn(process.execPath, [COMMAND, '--port', '0', '--database', database, '--log', 'error', ...flags], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /REST API at (\S+)\//.exec(line)?.[1]
    if (url === undefined) continue
    return {
      url,
      pid: child.pid!,
      started: performance.now() - start,
      async [Symbol.asyncDispose]() {
        child.kill()
        await ended
      },
    }
  }
  throw new Error('svc-serve ended before it served anything.')
}

async function residentOf(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) * 1024
}
