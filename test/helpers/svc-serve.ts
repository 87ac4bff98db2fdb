import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const BIN = resolve(import.meta.dirname, '../../bin/svc-serve')

/** Runs `svc-serve` in a new folder that holds the files given, by name; with one process unless told otherwise. */
export async function run(args: string[], files: Record<string, string> = {}, env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'serve-'))
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
  const said = async (pattern: RegExp, text: () => string): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(text())
      if (found !== null) return found
      if (child.stdout.closed && child.stderr.closed) throw new Error(`It ended with ${child.exitCode}: ${err}`)
      await once(printing, 'more')
    }
  }
  const printed = (pattern: RegExp) => said(pattern, () => out)
  return {
    folder,
    /** Waits until it serves; gives its home URL. */
    async home(): Promise<string> {
      const [, home = ''] = await printed(/^Serving (\S+)\/ with its REST API at/m)
      return home
    },
    /** Waits until it has printed this; gives what was found. */
    printed,
    /** The same of what it printed to stderr. */
    complained: (pattern: RegExp) => said(pattern, () => err),
    pid: child.pid,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** Waits for its end; gives what it printed. */
    async end(): Promise<{ code: number | null; out: string; err: string }> {
      const [code] = await ended
      return { code, out, err }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

/** How it ends with these arguments. */
export async function outcome(args: string[], files: Record<string, string> = {}) {
  await using running = await run(args, files)
  return await running.end()
}

/** Whether nothing listens at a home URL any more. */
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
