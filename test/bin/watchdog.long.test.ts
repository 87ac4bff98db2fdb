import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { filePlace } from '../helpers/stores.ts'
import { until } from '../helpers/until.ts'
import { connectToEach, isAlive, runWorkers } from '../helpers/workers.ts'

const watchdog = suite('the watchdog')

const blockedLines = (err: string) =>
  err
    .split('\n')
    .filter((line) => line.includes('has not answered for'))
    .map((line) => JSON.parse(line) as { worker?: number; requests: object[]; msg: string })

/** Handles the failure of requests whose connection can be closed. */
const ignoreCut = () => null

watchdog('S58: replaces a worker that loops forever, logs the request, and kills the worker', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  const [blocked, other] = [clients[0]!, clients[1]!]
  const cut = blocked.send('GET', '/probe/v1/loop?secret=x').then(
    () => 'answered',
    () => 'cut',
  )
  // Other workers still respond.
  assert.is((await other.send('GET', '/svc/v2/posts')).status, 200)
  await site.complained(/Worker 1 has not answered/)
  assert.is((await other.send('GET', '/svc/v2/posts')).status, 200)
  // Another connection can wait for the blocked worker until it is killed.
  await until(() => !isAlive(blocked.worker.pid))
  using after = await connectToEach(site.home)
  assert.is.not(after[0]!.worker.pid, blocked.worker.pid)
  assert.is(after[1]!.worker.pid, other.worker.pid)
  assert.is(await cut, 'cut')
  site.kill('SIGTERM')
  const { code, err } = await site.end()
  assert.is(code, 0)
  const lines = blockedLines(err)
  assert.equal(
    lines.map(({ worker, requests }) => [worker, requests]),
    [[1, [{ request: 'GET /svc-json/probe/v1/loop', route: '/probe/v1/loop', user: 1 }]]],
  )
  assert.match(
    lines[0]!.msg,
    'Worker 1 has not answered for 2 s while it handled GET /svc-json/probe/v1/loop (route /probe/v1/loop) of user 1. Another worker takes its place.',
  )
  assert.not.match(err, 'Restarting it')
})

watchdog('logs the visitor and all requests in progress', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url, {}, 1)
  void fetch(`${site.home}/svc-json/probe/v1/hang`).catch(ignoreCut)
  await site.printed(/Hanging request started/)
  void fetch(`${site.home}/svc-json/probe/v1/block`).catch(ignoreCut)
  await site.complained(/The server has not answered/)
  await writeFile(join(site.folder, 'go'), '')
  await site.complained(/The server answers again/)
  site.kill('SIGKILL')
  const { err } = await site.end()
  const [line] = blockedLines(err)
  const of = (name: string) => ({
    request: `GET /svc-json/probe/v1/${name}`,
    route: `/probe/v1/${name}`,
    user: 'visitor',
  })
  assert.equal(line!.requests, [of('block'), of('hang')])
  assert.is(blockedLines(err).length, 1)
})

watchdog('cleanly stops a replaced worker that answers again', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  using more = await connectToEach(site.home)
  const slow = clients[1]!.send('GET', '/probe/v1/slow')
  await site.printed(/Slow request started/)
  const answer = more[1]!.send('GET', '/probe/v1/block')
  await site.complained(/Worker 2 has not answered/)
  await writeFile(join(site.folder, 'go'), '')
  assert.is((await answer).body, 'done')
  await site.complained(/Worker 2 answers again/)
  process.kill(clients[1]!.worker.pid, 'SIGUSR2')
  assert.is((await slow).body, 'done')
  await until(() => !isAlive(clients[1]!.worker.pid))
  using after = await connectToEach(site.home)
  assert.is(after[0]!.worker.pid, clients[0]!.worker.pid)
  site.kill('SIGTERM')
  const { code, err } = await site.end()
  assert.is(code, 0)
  assert.match(err, /Worker 2 answers again after \d+ s\. It finishes its work and stops\./)
})

watchdog('does not abort a job in a worker that a request blocks for 2 s', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url, { limits: { requestTimeout: 1000 } })
  using clients = await connectToEach(site.home)
  assert.is((await clients[0]!.send('GET', '/probe/v1/job')).body, 'added')
  const number = Number((await site.printed(/The job runs in worker (\d)/))[1])
  const { send, worker } = clients[number - 1]!
  const answer = send('GET', '/probe/v1/block')
  await site.complained(/has not answered/)
  await writeFile(join(site.folder, 'go'), '')
  assert.is((await answer).body, 'done')
  await site.complained(/finishing requests, imports and jobs/)
  using after = await connectToEach(site.home)
  assert.is.not(after[number - 1]!.worker.pid, worker.pid, 'another worker takes the connections')
  assert.ok(isAlive(worker.pid))
  process.kill(worker.pid, 'SIGUSR2')
  await site.printed(/The job is done/)
  await until(() => !isAlive(worker.pid))
  site.kill('SIGTERM')
  const { code, err, out } = await site.end()
  assert.is(code, 0)
  assert.not.match(out, 'aborted')
  assert.match(err, /Worker \d answers again after \d+ s\. It finishes its work and stops\./)
})

watchdog('stops a worker that still finishes a job when the site stops', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  assert.is((await clients[0]!.send('GET', '/probe/v1/job')).body, 'added')
  const number = Number((await site.printed(/The job runs in worker (\d)/))[1])
  const answer = clients[number - 1]!.send('GET', '/probe/v1/block')
  await site.complained(/has not answered/)
  await writeFile(join(site.folder, 'go'), '')
  assert.is((await answer).body, 'done')
  await site.complained(/finishing requests, imports and jobs/)
  site.kill('SIGTERM')
  const { code, out } = await site.end()
  assert.is(code, 0)
  assert.match(out, 'The job was aborted.')
})

watchdog('kills a blocked worker whose primary was killed', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  const [blocked, other] = clients.map(({ worker }) => worker.pid)
  void clients[0]!.send('GET', '/probe/v1/loop').catch(ignoreCut)
  assert.is((await clients[1]!.send('GET', '/probe/v1/worker')).status, 200)
  site.kill('SIGKILL')
  await until(() => !isAlive(blocked!) && !isAlive(other!))
})

watchdog('ignores lines of a worker that are not reports', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  assert.is((await clients[0]!.send('GET', '/probe/v1/lines')).body, 'done')
  await site.complained(/(ignoring an invalid report of a worker[^]*){4}/)
  using after = await connectToEach(site.home)
  assert.equal(
    after.map(({ worker }) => worker.pid),
    clients.map(({ worker }) => worker.pid),
  )
  site.kill('SIGTERM')
  assert.is((await site.end()).code, 0)
})

watchdog('lets a server with a blocked worker stop with exit code 0', async () => {
  await using place = await filePlace()
  // The drain time exceeds the timeout of the test.
  await using site = await runWorkers(place.url, { limits: { requestTimeout: 600_000 } })
  using clients = await connectToEach(site.home)
  void clients[0]!.send('GET', '/probe/v1/loop').catch(ignoreCut)
  assert.is((await clients[1]!.send('GET', '/probe/v1/worker')).status, 200)
  site.kill('SIGTERM')
  const { code, err } = await site.end()
  assert.is(code, 0)
  assert.is(blockedLines(err).length, 1)
  assert.not.match(err, 'takes its place')
})

watchdog('does not replace a worker that was suspended', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url, {}, 3)
  using clients = await connectToEach(site.home, 3)
  const [suspended, blocked] = clients.map(({ worker }) => worker)
  process.kill(suspended!.pid, 'SIGSTOP')
  // A report about another worker arrives after the time of a report about this one.
  void clients[1]!.send('GET', '/probe/v1/loop').catch(ignoreCut)
  await site.complained(/Worker 2 has not answered/)
  process.kill(suspended!.pid, 'SIGCONT')
  assert.is((await clients[0]!.send('GET', '/probe/v1/worker')).body.pid, suspended!.pid)
  await until(() => !isAlive(blocked!.pid))
  site.kill('SIGTERM')
  const { code, err } = await site.end()
  assert.is(code, 0)
  assert.equal(
    blockedLines(err).map(({ worker }) => worker),
    [2],
  )
})

watchdog('does not replace a worker because of a report that the primary reads late', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url)
  using clients = await connectToEach(site.home)
  const { pid, primary } = clients[0]!.worker
  await using clock = await runWorkers('sqlite::memory:', {}, 1)
  const answer = clients[0]!.send('GET', '/probe/v1/block')
  process.kill(primary, 'SIGSTOP')
  // The report of another server, which is blocked later, ends the wait.
  void fetch(`${clock.home}/svc-json/probe/v1/block`).catch(ignoreCut)
  await clock.complained(/has not answered/)
  await writeFile(join(site.folder, 'go'), '')
  assert.is((await answer).body, 'done')
  process.kill(primary, 'SIGCONT')
  using after = await connectToEach(site.home)
  assert.is(after[0]!.worker.pid, pid)
  site.kill('SIGTERM')
  const { code, err } = await site.end()
  assert.equal([code, blockedLines(err)], [0, []])
})

watchdog('does not replace a worker that a debugger can suspend', async () => {
  await using place = await filePlace()
  await using site = await runWorkers(place.url, {}, 2, { OPEN_INSPECTOR: '' })
  await using clock = await runWorkers('sqlite::memory:', {}, 1)
  using clients = await connectToEach(site.home)
  const answer = clients[0]!.send('GET', '/probe/v1/block')
  // The report of another server, which is blocked later and as long, ends the wait.
  assert.is((await clients[1]!.send('GET', '/probe/v1/worker')).status, 200)
  void fetch(`${clock.home}/svc-json/probe/v1/block`).catch(ignoreCut)
  await clock.complained(/has not answered/)
  await writeFile(join(site.folder, 'go'), '')
  assert.is((await answer).body, 'done')
  site.kill('SIGTERM')
  const { code, err } = await site.end()
  assert.is(code, 0)
  assert.equal(blockedLines(err), [])
})

watchdog.run()
