import { Agent, request } from 'node:http'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { filePlace, places } from '../helpers/stores.ts'
import { run } from '../helpers/svc-serve.ts'
import { until } from '../helpers/until.ts'
import { isAlive } from '../helpers/workers.ts'

/** A plugin with routes that return its version, optionally slowly, stream data, run a job, and store posts. */
const PLUGIN = (version: number | string) => `
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { StreamedResponse } from 'svc-rest'
const untilThereIs = async (file) => { while (!existsSync(file)) await setTimeout(10) }
export default { name: 'probe', needs: ['jobs', 'roles'], apply({ hooks, services }) {
  const version = ${version}
  const route = (server, path, callback) =>
    server.registerRoute('probe/v1', path, { methods: 'GET,POST', permission_callback: () => true, callback })
  hooks.determine_current_user.tap({ name: 'probe', stage: 100 }, (user, { headers }) =>
    headers.get('x-admin') === null ? user
      : { ...user, id: 1, roles: ['administrator'], capabilities: services.roles.capabilitiesOf(['administrator']) })
  services.jobs.handle('long', { run: async () => {
    console.log('job of ' + version + ' runs')
    await untilThereIs('done')
    console.log('job of ' + version + ' is done')
  } })
  hooks.rest_api_init.tap('probe', (server) => {
    route(server, 'version', () => ({ version, pid: process.pid }))
    route(server, 'slow', async () => { console.log('slow has begun'); await untilThereIs('done'); return version })
    route(server, 'job', async () => (await services.jobs.add('long'), 'added'))
    const stream = (path, type) => route(server, path, () => new StreamedResponse((out) => {
      out.write('open ')
      console.log(path + ' open')
      void untilThereIs('done').then(() => { out.write('done'); out.end() })
    }, { 'Content-Type': type }))
    stream('download', 'text/plain')
    stream('events', 'text/event-stream')
  })
} }`

interface Answer {
  readonly status: number
  readonly text: string
}

function sendRequest(url: string, agent: Agent | false, method = 'GET', body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-admin': '1', ...(body !== undefined && { 'content-type': 'application/json' }) }
    const sent = request(url, { method, agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      response.once('end', () => resolve({ status: response.statusCode!, text }))
      response.once('error', reject)
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

for (const { name, make: place } of places) {
  const load = suite(`svc-serve --watch under load, ${name}`)
  const make = name === 'SQLite' ? filePlace : place

  /** Starts a watched site, and clients with persistent and new connections that send requests until they are stopped. */
  async function site(workers: string) {
    const database = await make()
    const config = JSON.stringify({ database: database.url, plugins: { 'first-run': false, './probe.mjs': true } })
    const files = { 'probe.mjs': PLUGIN(1), 'svc.config.json': config }
    const running = await run(['--watch', '--port', '0', '--workers', workers], files)
    const home = await running.home()
    const root = `${home}/svc-json`
    await running.printed(/^Watching the files/m)
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    const failures: string[] = []
    const counts = { sent: 0, written: 0 }
    const stop = new AbortController()
    const client = async (
      own: Agent | false,
      next: (count: number) => [path: string, method?: string, body?: string],
    ) => {
      for (let count = 0; !stop.signal.aborted; count += 1) {
        const [path, method, body] = next(count)
        const { status, text } = await sendRequest(`${root}${path}`, own, method, body).catch((error: Error) => ({
          status: 0,
          text: String(error),
        }))
        counts.sent += 1
        if (status === 201) counts.written += 1
        else if (status !== 200)
          failures.push(`${method ?? 'GET'} ${path} (${own === false ? 'fresh' : 'kept'}): ${status} ${text}`)
      }
    }
    const clients = ([agent, agent, agent, false, false] as const).map((own) =>
      client(own, (count) => [count % 2 === 0 ? '/probe/v1/version' : '/svc/v2/posts?per_page=1']),
    )
    clients.push(client(agent, (count) => ['/svc/v2/posts', 'POST', `{"title":"Post ${count}","status":"publish"}`]))
    return {
      ...running,
      root,
      failures,
      counts,
      agent,
      write: (file: string, text: string) => writeFile(join(running.folder, file), text),
      /** Returns the version that a new connection receives. */
      now: async () =>
        JSON.parse((await sendRequest(`${root}/probe/v1/version`, false)).text) as { version: number; pid: number },
      /** Stops the clients. */
      idle: async () => {
        stop.abort()
        await Promise.all(clients)
      },
      async [Symbol.asyncDispose]() {
        stop.abort()
        await running[Symbol.asyncDispose]()
        agent.destroy()
        await database[Symbol.asyncDispose]()
      },
    }
  }

  for (const workers of name === 'SQLite' ? ['1', '2'] : ['2']) {
    load(`loses no request when it restarts ${workers} of them several times, also after a broken change`, async () => {
      await using running = await site(workers)
      const { write, printed, complained, now, failures, counts, idle, root } = running
      const restarted = (times: number) =>
        printed(new RegExp(`(?:^probe\\.mjs changed: restarted in.*[^]*){${times}}`, 'm'))
      await until(() => counts.written > 5)
      await write('probe.mjs', PLUGIN(2))
      await restarted(1)
      assert.is((await now()).version, 2)
      await write('probe.mjs', PLUGIN('= 3'))
      await complained(/probe\.mjs changed, but cannot be loaded: the site keeps running the previous version\.$/m)
      assert.is((await now()).version, 2)
      // Of several changes in a row, the last one wins.
      for (const version of [3, 4, 5]) await write('probe.mjs', PLUGIN(version))
      await restarted(2)
      await until(async () => (await now()).version === 5)
      const before = counts.sent
      await until(() => counts.sent > before + 20)
      await idle()
      assert.equal(failures, [])
      // Posts with a successful response are stored.
      const posts = JSON.parse((await sendRequest(`${root}/svc/v2/posts?per_page=1&_envelope=1`, false)).text) as {
        headers: Record<string, number>
      }
      assert.is(Number(posts.headers['X-SVC-Total']), counts.written)
      running.kill('SIGTERM')
      assert.is((await running.end()).code, 0)
    })
  }

  // Independent of the database.
  if (name === 'SQLite')
    load('lets the old worker finish requests, downloads and jobs, and closes its event streams', async () => {
      await using running = await site('1')
      const { write, printed, now, failures, idle, root } = running
      const { pid } = await now()
      const slow = sendRequest(`${root}/probe/v1/slow`, false)
      await printed(/^slow has begun$/m)
      const download = sendRequest(`${root}/probe/v1/download`, false)
      const events = sendRequest(`${root}/probe/v1/events`, false)
      await printed(/^download open$/m)
      await printed(/^events open$/m)
      assert.is((await sendRequest(`${root}/probe/v1/job`, false)).status, 200)
      await printed(/^job of 1 runs$/m)
      await write('probe.mjs', PLUGIN(2))
      await printed(/^probe\.mjs changed: restarted in/m)
      assert.is((await now()).version, 2)
      // Clients of server-sent events reconnect after the end.
      assert.equal(await events, { status: 200, text: 'open ' })
      assert.ok(isAlive(pid))
      await write('done', '')
      assert.equal(await slow, { status: 200, text: '1' })
      assert.equal(await download, { status: 200, text: 'open done' })
      await printed(/^job of 1 is done$/m)
      await until(() => !isAlive(pid))
      await idle()
      assert.equal(failures, [])
      running.kill('SIGTERM')
      assert.is((await running.end()).code, 0)
    })

  load.run()
}
