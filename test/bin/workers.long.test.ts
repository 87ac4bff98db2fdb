import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { workerCount } from '../../bin/commands/worker-count.ts'
import { freePort } from '../checks/free-port.ts'
import { filePlace } from '../helpers/stores.ts'
import { isRefused, outcome, run } from '../helpers/svc-serve.ts'
import { until } from '../helpers/until.ts'
import { connect, connectToEach, isAlive, runWorkers } from '../helpers/workers.ts'

const workers = suite('svc-serve with workers')

/** Returns the log lines without the fields that are the same in all lines. */
const logged = (err: string) =>
  err
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { worker?: number; msg: string })

workers('share one port, print the URL once, and stop cleanly', async () => {
  await using running = await run(['--port', '0', '--workers', '2'])
  await running.home()
  running.kill('SIGTERM')
  const { code, out, err } = await running.end()
  assert.is(code, 0)
  assert.is(out.match(/Serving/g)?.length, 1)
  assert.is(out.match(/Password/g)?.length, 1)
  const lines = logged(err).map(({ worker, msg }) => `${worker} ${msg}`)
  assert.equal(lines.toSorted(), ['1 stopped', '1 stopping', '2 stopped', '2 stopping'])
})

workers('are one per core, at most four, unless the config sets another number', () => {
  const inFile = { database: 'sqlite:site.db', workers: null, trace: false }
  const inMemory = { ...inFile, database: 'sqlite::memory:' }
  assert.ok([1, 2, 3, 4].includes(workerCount(inFile)))
  assert.is(workerCount({ ...inFile, workers: 7 }), 7)
  assert.is(workerCount({ ...inFile, trace: true }), 1)
  assert.is(workerCount({ ...inFile, trace: true, workers: 7 }), 7)
  assert.is(workerCount({ ...inMemory, workers: null }), 1)
  assert.is(workerCount({ ...inMemory, workers: 1 }), 1)
  assert.throws(() => workerCount({ ...inMemory, workers: 2 }), /workers must be 1 with sqlite::memory:/)
})

workers('respond in turn, connection by connection, and know their place', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  const [one, two] = clients.map(({ worker }) => worker)
  assert.equal([one!.number, one!.count, two!.number, two!.count], [1, 2, 2, 2])
  assert.is(one!.primary, two!.primary)
  assert.is.not(one!.pid, two!.pid)
  const numbers: number[] = []
  for (let left = 20; left > 0; left -= 1) {
    using client = await connect(site.home)
    numbers.push(client.worker.number)
  }
  const ofOne = numbers.filter((number) => number === 1).length
  assert.ok(ofOne >= 5 && ofOne <= 15, numbers.join())
})

const FILES = (plugin: string) => ({ 'svc.config.json': '{ "plugins": { "./p.mjs": true } }', 'p.mjs': plugin })
for (const [mistake, args, files] of [
  ['an unknown option', [], { 'svc.config.json': '{ "plugins": { "cors": { "origin": [] } } }' }],
  ['a plugin that fails', [], FILES('export default { name: "p", apply() { throw new Error("no paper") } }')],
  [
    'a hook that never ends',
    ['--port', '0'],
    {
      'svc.config.json': '{ "plugins": { "first-run": false, "./p.mjs": true } }',
      'p.mjs': `export default { name: "p", deadline: 0.3,
        apply({ hooks }) { hooks.server_starting.tapPromise("p", () => new Promise(() => {})) } }`,
    },
  ],
] as const) {
  workers(`report ${mistake} once, like a single process`, async () => {
    const one = await outcome([...args], files)
    const several = await outcome([...args, '--workers', '3'], files)
    assert.is(one.code, 1)
    const inAnyFolder = ({ code, out, err }: typeof one) => [code, out, err.replaceAll(/serve-\w+/g, 'serve')]
    assert.equal(inAnyFolder(several), inAnyFolder(one))
  })
}

workers('all stop if one of them does not start', async () => {
  const files = FILES(
    'export default { name: "p", apply({ worker }) { if (worker.number > 1) throw new Error("one is enough") } }',
  )
  const { code, out, err } = await outcome(['--port', '0', '--workers', '3'], files)
  assert.is(code, 1)
  assert.not.match(out, 'Serving')
  assert.is(err.match(/one is enough/g)?.length, 1, err)
})

for (const number of [1, 2]) {
  workers(`are restarted when worker ${number} is killed before all have served`, async () => {
    const files = FILES(`import { existsSync, writeFileSync } from 'node:fs'
export default { name: "p", apply({ worker }) {
  if (worker.number !== ${number} || existsSync('killed')) return
  writeFileSync('killed', '')
  process.kill(process.pid, 'SIGKILL')
} }`)
    await using running = await run(['--port', '0', '--workers', '2'], files)
    const home = await running.home()
    assert.is((await fetch(`${home}/svc-json/`)).status, 200)
    running.kill('SIGTERM')
    const { code, out, err } = await running.end()
    assert.is(code, 0)
    assert.is(out.match(/Serving/g)?.length, 1)
    assert.match(err, `Worker ${number} ended with SIGKILL. Restarting it.`)
  })
}

workers('stop on a signal before they are ready', async () => {
  const files = FILES(`export default { name: "p", apply({ hooks }) {
    hooks.server_starting.tapPromise("p", () => new Promise((resolve) => {
      console.log("It has begun.")
      process.once('message', () => setImmediate(resolve))
    }))
  } }`)
  await using running = await run(['--port', String(await freePort()), '--workers', '2'], files)
  await running.printed(/^It has begun/m)
  running.kill('SIGTERM')
  const { code, out, err } = await running.end()
  assert.equal([code, out.includes('Serving'), /"level":[56]0/.test(err)], [0, false, false], err)
})

workers('finish requests in progress before they stop', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  const answers = clients.map(({ send }) => send('GET', '/probe/v1/slow').then(({ body }) => body as string, String))
  await site.printed(/Slow request started[^]*Slow request started/)
  site.kill('SIGINT')
  await until(() => isRefused(site.home))
  for (const { worker } of clients) process.kill(worker.pid, 'SIGUSR2')
  assert.equal(await Promise.all(answers), ['done', 'done'])
  assert.is((await site.end()).code, 0)
})

workers('respond to or reject a request that one of their own requests sends during the stop', async () => {
  const files = {
    'svc.config.json': '{ "limits": { "requestTimeout": 600000 }, "plugins": { "first-run": false, "./p.mjs": true } }',
    'p.mjs': `import { request } from 'node:http'
const ask = (url) => new Promise((resolve) =>
  request(url, { agent: false }, (response) => response.resume().once('close', () => resolve(true)))
    .once('error', ({ code }) => resolve(code === 'ECONNREFUSED' ? false : true)).end())
export default { name: 'p', apply({ hooks, urls }) { hooks.rest_api_init.tap('p', (server) => {
  server.registerRoute('p/v1', 'own', { permission_callback: () => true, callback: async () => {
    console.log('It has begun.')
    while (await ask(urls.home + '/svc-json/'));
    return 'refused'
  } }) }) } }`,
  }
  await using running = await run(['--port', '0', '--workers', '2'], files)
  const home = await running.home()
  const getRoute = () => fetch(`${home}/svc-json/p/v1/own`).then((response) => response.json())
  const answers = [getRoute(), getRoute(), getRoute(), getRoute()]
  await running.printed(/(?:It has begun[^]*){4}/)
  running.kill('SIGTERM')
  assert.equal(await Promise.all(answers), ['refused', 'refused', 'refused', 'refused'])
  assert.is((await running.end()).code, 0)
})

workers('exit immediately after a second signal', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url, { limits: { requestTimeout: 600_000 } })
  using clients = await connectToEach(site.home)
  const cut = clients[1]!.send('GET', '/probe/v1/hang').catch((error: NodeJS.ErrnoException) => error.code)
  await site.printed(/Hanging request started/)
  site.kill('SIGTERM')
  await site.complained(/(?:"stopping"[^]*){2}/)
  site.kill('SIGTERM')
  assert.is((await site.end()).code, 130)
  assert.is(await cut, 'ECONNRESET')
  await until(() => clients.every(({ worker }) => !isAlive(worker.pid)))
})

workers('keep serving under load while a killed worker restarts', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  const [killed, other] = [clients[0]!, clients[1]!]
  const acknowledged: number[] = []
  let over = false
  const write = async ({ send }: typeof other) => {
    let failed = 0
    for (let count = 0; !over && failed === 0; count += 1) {
      const answer = await send('POST', '/svc/v2/posts', { title: `${count}`, status: 'publish', meta: {} }).catch(
        () => null,
      )
      if (answer?.status === 201) acknowledged.push(answer.body.id)
      else failed += 1
    }
    return failed
  }
  const [first, second] = [write(killed), write(other)]
  await until(() => acknowledged.length > 20)
  process.kill(killed.worker.pid, 'SIGKILL')
  assert.is(await first, 1)
  // The other workers accept new connections, except one that the primary has handed to the killed worker.
  const numbers = new Set<number>()
  let lost = 0
  await until(async () => {
    const client = await connect(site.home).catch(() => undefined)
    if (client === undefined) return void (lost += 1)
    client[Symbol.dispose]()
    numbers.add(client.worker.number)
    return client.worker.number === 1
  })
  assert.ok(lost <= 1 && numbers.has(2), `${lost}`)
  over = true
  assert.is(await second, 0)
  using after = await connectToEach(site.home)
  for (const { send } of after) {
    const { body } = await send('GET', `/svc/v2/posts?include=${acknowledged.slice(-50).join()}&per_page=50&_fields=id`)
    assert.is(body.length, Math.min(50, acknowledged.length))
  }
  site.kill('SIGTERM')
  const { code, err } = await site.end()
  assert.is(code, 0)
  assert.match(err, /"worker":1,.*Worker 1 ended with SIGKILL\. Restarting it\./)
})

workers('do not leave a client waiting for a worker that was killed before it accepted the connection', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  const { pid } = clients[0]!.worker
  process.kill(pid, 'SIGSTOP')
  let answered = 0
  const requests = Array.from({ length: 6 }, () =>
    fetch(`${site.home}/svc-json/probe/v1/worker`, { headers: { connection: 'close' } }).then(
      () => void (answered += 1),
      () => {},
    ),
  )
  await until(() => answered >= 5)
  process.kill(pid, 'SIGKILL')
  // The last request gets a response, or its connection is closed.
  await Promise.all(requests)
})

workers('are restarted after an uncaught error', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  await clients[1]!.send('GET', '/probe/v1/slip')
  await until(() => !isAlive(clients[1]!.worker.pid))
  using after = await connectToEach(site.home)
  assert.is(after[0]!.worker.pid, clients[0]!.worker.pid)
  assert.is.not(after[1]!.worker.pid, clients[1]!.worker.pid)
})

workers('exit and release the port when their primary is killed', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  const slow = clients[1]!.send('GET', '/probe/v1/slow').then(({ body }) => body as string, String)
  await site.printed(/Slow request started/)
  process.kill(clients[0]!.worker.primary, 'SIGKILL')
  await until(() => isRefused(site.home))
  process.kill(clients[1]!.worker.pid, 'SIGUSR2')
  assert.is(await slow, 'done')
  await until(() => clients.every(({ worker }) => !isAlive(worker.pid)))
  const again = createServer().listen(Number(new URL(site.home).port), '127.0.0.1')
  await once(again, 'listening')
  again.close()
})

workers('all exit if the site cannot continue', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  await rm(place.url.slice('sqlite:'.length))
  const { code, err } = await site.end()
  assert.is(code, 1)
  assert.match(err, 'was removed or replaced while it was in use')
  assert.not.match(err, 'Restarting it')
})

workers.run()
