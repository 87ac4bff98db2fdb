import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { appendFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openStore } from '../../../../plugins/storage/store/open.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { run } from '../../../helpers/svc-serve.ts'
import { until } from '../../../helpers/until.ts'

/** Records start and end of each job with the process ID. */
const PROBE = `
  import { appendFileSync } from 'node:fs'
  const note = (line) => appendFileSync(process.env.JOBS_FILE, line + '\\n')
  export default {
    name: 'probe',
    needs: ['jobs'],
    apply({ hooks, services: { jobs } }) {
      const handle = (name, milliseconds) => jobs.handle(name, {
        delay: 0.1,
        async run(number, { signal }) {
          note('begin ' + number + ' ' + process.pid)
          await new Promise((resolve, reject) => {
            setTimeout(resolve, milliseconds)
            signal.addEventListener('abort', () => reject(signal.reason))
          }).catch((error) => {
            note('stop ' + number + ' ' + process.pid)
            throw error
          })
          note('end ' + number + ' ' + process.pid)
        },
      })
      handle('quick', 60)
      handle('long', 1500)
      handle('tick', 10)
      if (process.env.JOBS_SCHEDULE) jobs.schedule('tick', '* * * * * *', { payload: 'tick' })
      hooks.rest_api_init.tap('probe', (server) => server.registerRoute('probe/v1', '/add', {
        methods: 'POST',
        permission_callback: () => true,
        callback: async (request) => {
          for (let number = 0; number < Number(request.get('count')); number += 1) await jobs.add(String(request.get('name')), number)
          return true
        },
      }))
    },
  }`

for (const { name, place: make } of databases) {
  const processes = suite(`jobs of several processes on ${name}`)

  /** Processes with one database, and the records of their jobs. */
  const site = async (env: Record<string, string> = {}) => {
    const place = await make()
    const folder = await mkdtemp(join(tmpdir(), 'jobs-'))
    const file = join(folder, 'log')
    appendFileSync(file, '')
    const running = new Set<Awaited<ReturnType<typeof run>>>()
    return {
      place,
      /** Lines of job, event and process ID: `begin 3 4711`. */
      lines: async () =>
        (await readFile(file, 'utf8'))
          .trim()
          .split('\n')
          .map((line) => line.split(' ')),
      async start() {
        const config = {
          database: place.url,
          port: 0,
          log: 'error',
          plugins: { './probe.mjs': true, jobs: { lease: 1, concurrency: 3 }, 'first-run': false },
        }
        const files = { 'probe.mjs': PROBE, 'svc.config.json': JSON.stringify(config) }
        const child = await run([], files, { ...env, JOBS_FILE: file })
        running.add(child)
        const home = await child.home()
        const add = (job: string, count: number) =>
          fetch(`${home}/svc-json/probe/v1/add?name=${job}&count=${count}`, { method: 'POST' })
        const kill = async () => {
          child.kill('SIGKILL')
          await child.end()
          appendFileSync(file, `killed ${child.pid}\n`)
        }
        return { add, kill, pid: child.pid, stop: () => child.kill('SIGTERM') }
      },
      async [Symbol.asyncDispose]() {
        for (const child of running) await child[Symbol.asyncDispose]()
        await rm(folder, { recursive: true })
        await place[Symbol.asyncDispose]()
      },
    }
  }

  /** Finds jobs that ran in parallel, did not end, or started again without need. */
  const faults = (lines: readonly string[][], count: number): string[] => {
    const found: string[] = []
    const runs = new Map<string, string>()
    const ended = new Map<string, number>()
    for (const [event, number = '', pid = ''] of lines) {
      if (event === 'begin') {
        if (runs.has(number)) found.push(`${number} ran in ${runs.get(number)} and in ${pid}`)
        if (ended.has(number)) found.push(`${number} ran again`)
        runs.set(number, pid)
      } else if (event === 'killed') {
        for (const [job, process] of runs) if (process === number) runs.delete(job)
      } else {
        runs.delete(number)
        if (event === 'end') ended.set(number, (ended.get(number) ?? 0) + 1)
      }
    }
    for (let number = 0; number < count; number += 1) if (!ended.has(String(number))) found.push(`${number} is lost`)
    return found
  }
  const countEnds = async (at: { lines: () => Promise<string[][]> }) =>
    (await at.lines()).filter(([event]) => event === 'end').length

  processes('run in one process each, and none is lost when two processes are killed', async () => {
    await using at = await site()
    const [one, two] = await Promise.all([at.start(), at.start(), at.start()])
    await one.add('quick', 40)
    await until(async () => (await countEnds(at)) >= 5)
    await one.kill()
    await until(async () => (await countEnds(at)) >= 15)
    await two.kill()
    await at.start()
    const store = await openStore(at.place.url)
    await until(async () => (await store.all(store.db.selectFrom('jobs').select('id'))).length === 0)
    await store.close()
    const lines = await at.lines()
    // A job runs again if its process was killed before storing the end.
    const again = faults(lines, 40).filter((fault) => !fault.endsWith('ran again'))
    assert.equal(again, [])
    const pids = new Set(lines.filter(([event]) => event === 'end').map(([, , pid]) => pid))
    assert.ok(pids.size >= 2, 'several have run some')
  })

  processes('keep a job that takes longer than the lease while its process is alive', async () => {
    await using at = await site()
    const [one] = await Promise.all([at.start(), at.start()])
    await one.add('long', 2)
    await until(async () => (await countEnds(at)) === 2)
    assert.equal(faults(await at.lines(), 2), [])
  })

  processes('immediately take over running jobs of a stopping process', async () => {
    await using at = await site()
    const both = await Promise.all([at.start(), at.start()])
    await both[0].add('long', 1)
    const findBegin = async () => (await at.lines()).find(([event]) => event === 'begin')
    await until(findBegin)
    const pid = Number((await findBegin())![2])
    both.find((one) => one.pid === pid)!.stop()
    await until(async () => (await countEnds(at)) === 1)
    const lines = await at.lines()
    assert.equal(faults(lines, 1), [])
    assert.equal(
      lines.map(([event]) => event),
      ['begin', 'stop', 'begin', 'end'],
    )
  })

  processes('run scheduled jobs once per due time', async () => {
    await using at = await site({ JOBS_SCHEDULE: '1' })
    await Promise.all([at.start(), at.start()])
    await until(async () => (await countEnds(at)) >= 1)
    const before = await countEnds(at)
    const from = Date.now()
    // Full seconds pass: the clock is that of other processes.
    await until(async () => (await countEnds(at)) >= before + 3)
    const maxRuns = Math.ceil((Date.now() - from) / 1000) + 1
    assert.ok((await countEnds(at)) - before <= maxRuns, 'not once in each process')
    assert.equal(
      faults(await at.lines(), 0).filter((fault) => fault.includes(' and in ')),
      [],
    )
  })

  processes.run()
}
