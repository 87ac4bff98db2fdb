import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const BIN = resolve(import.meta.dirname, '../../bin/svc-serve')

/**
 * Runs `svc-serve` in a folder with these files, by name. Runs one process unless `env` sets SVC_WORKERS.
 * @param keptFolder folder for several runs, which the caller removes; a new one if missing
 */
export async function run(
  args: string[],
  files: Record<string, string> = {},
  env: Record<string, string> = {},
  keptFolder?: string,
) {
  const folder = keptFolder ?? (await mkdtemp(join(tmpdir(), 'serve-')))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: folder,
    env: { ...process.env, SVC_WORKERS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  const printing = new EventEmitter().setMaxListeners(0)
  child.stdout.on('data', (chunk: Buffer) => printing.emit('more', (out += chunk.toString())))
  child.stderr.on('data', (chunk: Buffer) => printing.emit('more', (err += chunk.toString())))
  child.once('close', () => printing.emit('more'))
  const ended = once(child, 'close') as Promise<[number | null]>
  const waitFor = async (pattern: RegExp, text: () => string): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(text())
      if (found !== null) return found
      if (child.stdout.closed && child.stderr.closed) throw new Error(`It ended with ${child.exitCode}: ${err}`)
      await once(printing, 'more')
    }
  }
  const printed = (pattern: RegExp) => waitFor(pattern, () => out)
  return {
    folder,
    /** Waits until the site is served. Resolves with its home URL. */
    async home(): Promise<string> {
      const [, home = ''] = await printed(/^Serving (\S+)\/ with its REST API at/m)
      return home
    },
    /** Waits for a pattern in stdout. Resolves with the match. */
    printed,
    /** Waits for a pattern in stderr. Resolves with the match. */
    complained: (pattern: RegExp) => waitFor(pattern, () => err),
    pid: child.pid,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Waits for the exit. Resolves with the exit code and the output. */
    async end(): Promise<{ code: number | null; out: string; err: string }> {
      const [code] = await ended
      return { code, out, err }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      if (keptFolder === undefined) await rm(folder, { recursive: true })
    },
  }
}

/** Runs `svc-serve` with these arguments until it exits. Resolves with its exit code and output. */
export async function outcome(args: string[], files: Record<string, string> = {}) {
  await using running = await run(args, files)
  return await running.end()
}

/** Whether connections to a home URL are refused. */
export async function isRefused(home: string): Promise<boolean> {
  const { hostname, port } = new URL(home)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}
