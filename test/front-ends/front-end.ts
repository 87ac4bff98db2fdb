import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { until } from '../helpers/until.ts'

const EXAMPLES = resolve(import.meta.dirname, '../../docs/examples')

/** Results of an install or a build. */
const BUILD_RESULTS = new Set(['node_modules', 'dist', '.next', '.astro', 'next-env.d.ts'])

/** Disables telemetry. */
const QUIET = { ASTRO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1' }

/** A front end of docs/examples, installed and built in a separate folder. */
export interface BuiltFrontEnd extends AsyncDisposable {
  readonly folder: string
}

/** A running front end, which disposal stops. */
export interface RunningFrontEnd extends AsyncDisposable {
  readonly home: string
}

/**
 * Copies a front end, installs exactly what its lock file says, checks its types and builds it: no REST API is needed.
 * @param name folder in docs/examples
 * @throws Error with what the step printed that failed
 */
export async function buildFrontEnd(name: string): Promise<BuiltFrontEnd> {
  const folder = await mkdtemp(join(tmpdir(), `front-end-${name}-`))
  const built = { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
  try {
    await cp(join(EXAMPLES, name), folder, { recursive: true, filter: (path) => !BUILD_RESULTS.has(basename(path)) })
    for (const step of [
      ['ci', '--prefer-offline', '--no-audit', '--loglevel=error'],
      ['run', 'check'],
      ['run', 'build'],
    ]) {
      const seconds = await runNpm(folder, step)
      console.log(`${name}: npm ${step.slice(0, 2).join(' ')} took ${seconds.toFixed(0)} s`)
    }
    return built
  } catch (error) {
    await built[Symbol.asyncDispose]()
    throw error
  }
}

/** Seconds that npm took. @throws Error with what it printed, when it fails */
async function runNpm(folder: string, args: readonly string[]): Promise<number> {
  const started = performance.now()
  const child = spawn('npm', args, {
    cwd: folder,
    env: { ...process.env, ...QUIET },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = printedBy(child)
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) {
    const hint =
      args[0] === 'ci' ? ' It takes the packages of the front end from the npm registry: is there a network?' : ''
    throw new Error(`npm ${args.join(' ')} failed in ${folder}.${hint}\n${printed()}`)
  }
  return (performance.now() - started) / 1000
}

/**
 * Starts a front end in production mode and waits until it listens.
 * @param program what `npm start` runs, and its arguments: npm itself would not hand on the signal that ends it
 */
export async function startFrontEnd(
  { folder }: BuiltFrontEnd,
  program: readonly string[],
  port: number,
  env: Readonly<Record<string, string>>,
): Promise<RunningFrontEnd> {
  const home = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, program, {
    cwd: folder,
    env: { ...process.env, ...QUIET, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const printed = printedBy(child)
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${folder} ended with ${child.exitCode}:\n${printed()}`)
      return (await fetch(`${home}/preview`).catch(() => undefined)) !== undefined
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { home, [Symbol.asyncDispose]: stop }
}

function printedBy(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (text = (text + chunk.toString()).slice(-10_000)))
  }
  return () => text
}
