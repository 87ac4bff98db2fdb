import { Agent, request } from 'node:http'
import { run } from './svc-serve.ts'

/** Routes that identify the worker, respond on SIGUSR2 (`slow`), block until the file `go` exists (`block`) or add a job until SIGUSR2 (`job`). The header `x-admin` makes an administrator. Prints published posts. */
const PROBE = `import { existsSync, writeSync } from 'node:fs'
import { open } from 'node:inspector'
import { definePlugin } from 'svc-rest'
export default definePlugin({ name: 'probe', needs: ['roles', 'posts', 'jobs'], apply({ hooks, services, worker }) {
  // On any free port: the ports that a flag assigns to workers can be in use.
  if ('OPEN_INSPECTOR' in process.env) open(0)
  const route = (server, path, callback) =>
    server.registerRoute('probe/v1', path, { permission_callback: () => true, callback })
  hooks.rest_api_init.tap('probe', (server) => {
    route(server, 'worker', () => ({ ...worker, pid: process.pid, primary: process.ppid }))
    route(server, 'slow', () => new Promise((resolve) => (process.once('SIGUSR2', () => resolve('done')), console.log('Slow request started.'))))
    route(server, 'hang', () => (console.log('Hanging request started.'), new Promise(() => {})))
    route(server, 'loop', () => { for (;;); })
    route(server, 'block', () => { while (!existsSync('go')); return 'done' })
    route(server, 'job', async () => (await services.jobs.add('long'), 'added'))
    route(server, 'lines', () => { writeSync(4, 'no report\\n{}\\nnull\\n{"type":"blocked","after":1}\\n'); return 'done' })
    route(server, 'slip', () => void setImmediate(() => { throw new Error('a slip') }))
  })
  services.jobs.handle('long', { run: (_, { signal }) => new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => (console.log('The job was aborted.'), reject(signal.reason)))
    process.once('SIGUSR2', () => (console.log('The job is done.'), resolve()))
    console.log('The job runs in worker ' + worker.number + '.')
  }) })
  hooks.determine_current_user.tap({ name: 'probe', stage: 100 }, (user, { headers }) =>
    headers.get('x-admin') === null ? user
      : { ...user, id: 1, roles: ['administrator'], capabilities: services.roles.capabilitiesOf(['administrator']) })
  hooks.rest_insert_attachment.tapPromise('probe', () => (console.log('attached by ' + process.pid), new Promise(() => {})))
  hooks.transition_post_status.tap('probe', (to, from, { title }) => {
    if (to === 'publish') console.log('published ' + title + ' by ' + worker.number)
  })
} })`

/** The worker that responds. */
export interface Answering {
  number: number
  count: number
  pid: number
  primary: number
}

export interface Answer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect by looking at it
  body: any
}

/** A client with one connection, so that one worker handles all its requests. */
export interface Client extends Disposable {
  readonly worker: Answering
  /** Sends a request as an administrator. `path` is relative to the root of the REST API. */
  send(this: void, method: string, path: string, body?: unknown): Promise<Answer>
}

/** Runs `svc-serve` with several workers, and a plugin whose routes identify them. */
export async function runWorkers(
  database: string,
  options: Record<string, unknown> = {},
  workers = 2,
  env: Record<string, string> = {},
) {
  const { plugins, ...config } = options
  const files = {
    'probe.mjs': PROBE,
    'svc.config.json': JSON.stringify({
      database,
      ...config,
      plugins: { 'first-run': false, './probe.mjs': true, ...(plugins as object) },
    }),
  }
  const running = await run(['--port', '0', '--workers', String(workers)], files, env)
  const home = await running.home()
  return { ...running, home, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() }
}

/** Opens a client with one connection. */
export async function connect(home: string): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send: Client['send'] = (method, path, body) =>
    new Promise((resolve, reject) => {
      const headers = { 'x-admin': '1', ...(body !== undefined && { 'content-type': 'application/json' }) }
      const sent = request(`${home}/svc-json${path}`, { method, agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        // A handler that returns null sends an empty body.
        response.once('end', () =>
          resolve({ status: response.statusCode!, body: text === '' ? null : JSON.parse(text) }),
        )
        response.once('error', reject)
      })
      sent.once('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  const { body: worker } = (await send('GET', '/probe/v1/worker')) as { body: Answering }
  return { worker, send, [Symbol.dispose]: () => agent.destroy() }
}

/** Opens a client for each worker, in their order. */
export async function connectToEach(home: string, workers = 2): Promise<Client[] & Disposable> {
  const found = new Map<number, Client>()
  while (found.size < workers) {
    const client = await connect(home)
    if (found.has(client.worker.number)) client[Symbol.dispose]()
    else found.set(client.worker.number, client)
  }
  const clients = [...found.values()].toSorted((one, other) => one.worker.number - other.worker.number)
  return Object.assign(clients, {
    [Symbol.dispose]: () => {
      for (const client of clients) client[Symbol.dispose]()
    },
  })
}

/** Whether a process exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
