import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

/** Milliseconds that a server can take to respond after its start, and to exit. */
const SERVER_TIMEOUT_MS = 120_000

/** A site in a separate folder with a config file. */
export interface Site {
  folder: string
  /** URL of the site, without a trailing slash. */
  home: string
}

/** A running server; leaving its scope stops it. */
export interface RunningServer extends AsyncDisposable {
  /** Sends SIGTERM and waits for the exit. Returns the exit code, or null if a signal ended the process. */
  stop(): Promise<number | null>
}

/** Options of a server. */
interface Started {
  args?: readonly string[]
  env?: Readonly<NodeJS.ProcessEnv>
}

/** Writes a config with the port of `config`, by default a free one. */
export async function prepareSite(
  folder: string,
  config: { port?: number; [name: string]: unknown } = {},
): Promise<Site> {
  const port = config.port ?? (await freePort())
  const home = `http://127.0.0.1:${port}`
  await writeFile(join(folder, 'svc.config.json'), JSON.stringify({ home, port, ...config }, null, 2))
  return { folder, home }
}

/**
 * Starts `svc-serve` in the folder of a site and waits for a response of its API root.
 * @param bin path of `svc-serve`, or of another Node script that starts it
 * @param options arguments and environment variables
 * @throws Error with the output of the server if it exits or does not respond in time
 */
export async function startServer(bin: string, site: Site, options: Started = {}): Promise<RunningServer> {
  const child = spawn(process.execPath, [bin, ...(options.args ?? [])], {
    cwd: site.folder,
    env: { ...process.env, PORT: '', DATABASE_URL: '', SVC_WORKERS: '1', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-10_000)))
  }
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM')
    const killTimer = setTimeout(() => child.kill('SIGKILL'), SERVER_TIMEOUT_MS)
    await ended
    clearTimeout(killTimer)
    return child.exitCode
  }

  const deadline = Date.now() + SERVER_TIMEOUT_MS
  while (!(await isResponding(site.home))) {
    if (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      continue
    }
    await stop()
    throw new Error(`${bin} did not respond at ${site.home}. It printed:\n${printed}`)
  }
  return {
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
    },
  }
}

/** Runs a program with the output of this process. @throws Error with its name if it fails */
export async function run(program: string, args: string[], cwd: string, env = process.env): Promise<void> {
  const child = spawn(program, args, { cwd, env, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${[program, ...args].join(' ')} failed with ${code}`)
}

async function isResponding(home: string): Promise<boolean> {
  try {
    await (await fetch(home)).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/** Returns the JSON of a URL. @throws Error if the status is not 200 */
export async function getJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url)
  assert.equal(response.status, 200, `${url} answers 200`)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  return (await response.json()) as Record<string, unknown>
}
