import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobHandler, JobRun, NewJobOptions } from '../../../../plugins/foundation/jobs/index.ts'
import { afterFailure } from '../../../../plugins/foundation/jobs/outcome.ts'
import { Queue } from '../../../../plugins/foundation/jobs/queue.ts'
import { stopClock, type Clock } from '../../../helpers/clock.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { startOnly } from '../../../helpers/site.ts'
import { until } from '../../../helpers/until.ts'
import { serve, type ServeOptions, type Site } from '../../../kit/index.ts'
import { summarizeJobs, jobsOf, mailer, TIMERS, witness } from './mailer.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

startOnly('jobs')

for (const { name, place: make } of databases) {
  const jobs = suite(`jobs in trouble on ${name}`)
  const withSite = async (options: ServeOptions, work: (site: Site) => Promise<void>) => {
    await using place = await make()
    await using site = await serve({ database: place.url, ...options })
    await work(site)
  }
  /** A handler that ends only when the test releases it, and ignores its signal. */
  const createDeafHandler = () => {
    const ran: unknown[] = []
    const ends: (() => void)[] = []
    let running = 0
    let maxRunning = 0
    const run = async (payload: unknown) => {
      ran.push(payload)
      maxRunning = Math.max(maxRunning, ++running)
      await new Promise<void>((resolve) => ends.push(resolve))
      running -= 1
    }
    return { run, ran, end: () => ends.shift()!(), maxRunning: () => maxRunning }
  }

  /** Advances the clock step by step, and lets the process that runs the job store at each one that it lives. */
  const advanceWithRenewals = async (site: Site, clock: Clock, step: number, isOver: () => boolean) => {
    const readBeat = async () =>
      (await site.store.first(sql<{ beat: number }>`select beat from jobs where name = 'mail'`))!.beat
    await until(async () => {
      const before = await readBeat()
      clock.advance(step)
      await until(async () => (await readBeat()) > before)
      return isOver()
    })
  }

  jobs('that another process has taken over are aborted here and continue there', async () => {
    let reason = ''
    const run = (_: unknown, { signal }: JobRun) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          reason = (signal.reason as { code: string }).code
          resolve()
        })
      })
    using clock = stopClock(TIMERS)
    const { plugin, runWitness } = witness()
    await withSite({ add: [mailer({ mail: { run } }), plugin], plugins: { jobs: { lease: 2 } } }, async (site) => {
      await jobsOf(site).add('mail')
      await until(async () => (await summarizeJobs(site))[0]?.state === 'running')
      await site.store.run(sql`update jobs set owner = 'another'`)
      clock.advance(500)
      await until(() => reason !== '')
      assert.is(reason, 'JOB_LOST')
      await runWitness(site)
      assert.equal(
        (await summarizeJobs(site)).map(({ state }) => state),
        ['running'],
      )
    })
  })

  jobs('are not taken over from a process that has renewed its lease', async () => {
    await withSite({}, async (site) => {
      const queue = new Queue(site.store)
      const some = { name: 'mail', key: '', plugin: 'mailer', due: 0, payload: '1', schedule: '' }
      const job = await queue.claimByHand('mail', some)
      const { running } = await queue.readState([])
      await queue.beat([job!])
      assert.is(await queue.end(job!, { is: 'done' }, null, running[0]!.beat), undefined)
      assert.is((await summarizeJobs(site)).length, 1)
      assert.is(await queue.end(job!, { is: 'done' }, null), null)
      assert.equal(await summarizeJobs(site), [])
    })
  })

  jobs('that run longer than the lease run once if it is renewed, and are then deleted', async () => {
    let runs = 0
    const end = Promise.withResolvers<void>()
    const run = () => {
      runs += 1
      return end.promise
    }
    using clock = stopClock(TIMERS)
    const { plugin, runWitness } = witness()
    await withSite({ add: [mailer({ mail: { run } }), plugin], plugins: { jobs: { lease: 3 } } }, async (site) => {
      await jobsOf(site).add('mail')
      await until(() => runs === 1)
      const from = Date.now()
      await advanceWithRenewals(site, clock, 1000, () => Date.now() - from > 7000)
      end.resolve()
      await until(async () => (await summarizeJobs(site)).length === 0)
      clock.advance(1000)
      await runWitness(site)
      assert.is(runs, 1)
    })
  })

  jobs('that are canceled never run again, regardless of the result of the current run', async () => {
    const long = createDeafHandler()
    const fail: JobHandler = {
      run: async () => {
        await long.run('fail')
        throw new Error('no')
      },
    }
    const add = [mailer({ mail: { run: long.run }, fail })]
    using clock = stopClock(TIMERS)
    await withSite({ add, plugins: { jobs: { lease: 1 } } }, async (site) => {
      const id = await jobsOf(site).add('mail', 1, { key: 'k' })
      await until(() => long.ran.length === 1)
      await jobsOf(site).add('mail', 2, { key: 'k' })
      assert.is(await jobsOf(site).cancel(id), true)
      long.end()
      await until(async () => (await summarizeJobs(site)).length === 0)
      assert.equal(long.ran, [1], 'what was to follow it is cancelled, too')
      // As if its process has not noticed it yet.
      await jobsOf(site).add('fail')
      await until(() => long.ran.length === 2)
      await site.store.run(sql`update jobs set cancelled = 1`)
      long.end()
      await until(async () => (await summarizeJobs(site)).length === 0)
      // As if its process was killed.
      const day = 86_400
      await jobsOf(site).add('mail', 3, { in: day })
      await site.store.run(sql`update jobs set state = 'running', owner = 'killed', cancelled = 1`)
      await jobsOf(site).add('mail', 4, { in: day })
      await until(async () => {
        clock.advance(1000)
        return (await summarizeJobs(site)).length === 1
      })
      assert.equal(long.ran, [1, 'fail'])
    })
  })

  jobs('that ignore their signal delay the stop once', async () => {
    const long = createDeafHandler()
    using clock = stopClock(TIMERS)
    await using place = await make()
    const lines: string[] = []
    const aborted = Promise.withResolvers<void>()
    const run = (payload: unknown, { signal }: JobRun) => {
      signal.addEventListener('abort', () => aborted.resolve())
      return long.run(payload)
    }
    const site = await serve({
      database: place.url,
      log: 'warn',
      logTo: (line) => void lines.push(line),
      add: [mailer({ mail: { run } })],
      limits: { requestTimeout: 10_000 },
    })
    await jobsOf(site).add('mail')
    await until(() => long.ran.length === 1)
    let isOver = false
    const stopped = site[Symbol.asyncDispose]().then(() => (isOver = true))
    const waits = () => lines.some((line) => line.includes('ignore their abort signal'))
    await aborted.promise
    clock.advance(9999)
    await turn()
    assert.equal([isOver, waits()], [false, false])
    clock.advance(1)
    await until(waits)
    const from = process.hrtime.bigint()
    await stopped
    assert.ok(process.hrtime.bigint() - from < 9_000_000_000n, 'not ten seconds again')
    long.end()
  })

  jobs('are not started by a handler that is being removed', async () => {
    const long = createDeafHandler()
    let starts = 0
    const runUntilAborted = (_: unknown, { signal }: JobRun) => {
      starts += 1
      return delay(60_000, undefined, { signal })
    }
    const add = [
      mailer({
        mail: { run: (payload, run) => (payload === 'deaf' ? long.run(payload) : runUntilAborted(payload, run)) },
      }),
    ]
    using clock = stopClock(TIMERS)
    const { plugin, runWitness } = witness()
    await withSite({ add: [...add, plugin], limits: { requestTimeout: 1000 } }, async (site) => {
      await jobsOf(site).add('mail', 'deaf')
      await jobsOf(site).add('mail', 'obeys')
      await until(() => long.ran.length + starts === 2)
      const removed = removePlugin(site.kernel, 'mailer')
      await until(async () => (await summarizeJobs(site)).some(({ state }) => state === 'waiting'))
      await runWitness(site)
      clock.advance(1000)
      await removed
      assert.is(starts, 1)
      long.end()
    })
  })

  jobs('that a process releases are immediately claimed by another one', async () => {
    const startedIn: string[] = []
    const run = (processName: string): JobHandler => ({
      run: async (_: unknown, { signal }: JobRun) => {
        startedIn.push(processName)
        if (processName === 'one') await delay(60_000, undefined, { signal })
      },
    })
    await using place = await make()
    const one = await serve({ database: place.url, add: [mailer({ mail: run('one') })] })
    await jobsOf(one).add('mail')
    await until(() => startedIn.length === 1)
    await using two = await serve({ database: place.url, add: [mailer({ mail: run('two') })] })
    const from = performance.now()
    await one[Symbol.asyncDispose]()
    await until(async () => (await summarizeJobs(two)).length === 0)
    assert.equal(startedIn, ['one', 'two'])
    assert.ok(performance.now() - from < 10_000, 'not only once the lease is over')
  })

  jobs('report any value that their handlers throw', async () => {
    const thrown = [null, undefined, 'no', new Error(''), new Error('x'.repeat(5000)), Object.create(null) as unknown]
    const run = (at: unknown) => {
      // oxlint-disable-next-line typescript/only-throw-error -- as handlers in JavaScript may
      throw thrown[Number(at)]
    }
    await withSite({ add: [mailer({ mail: { retries: 0, run } })] }, async (site) => {
      for (const at of thrown.keys()) await jobsOf(site).add('mail', at)
      await until(async () => (await summarizeJobs(site)).every(({ state }) => state === 'dead'))
      const messages = (await jobsOf(site).list()).toSorted((a, b) => a.id - b.id).map(({ error }) => error)
      assert.equal(messages, [
        'it threw null',
        'it threw undefined',
        `it threw 'no'`,
        'Error',
        'x'.repeat(2000),
        'it threw [Object: null prototype] {}',
      ])
    })
  })

  jobs('of a schedule that a plugin has removed are deleted after a restart', async () => {
    const run = () => {}
    await using place = await make()
    {
      const add = [mailer({ mail: { run } }, (service) => service.schedule('mail', '0 3 * * *'))]
      await using site = await serve({ database: place.url, add })
      assert.is((await summarizeJobs(site)).length, 1)
    }
    await using site = await serve({ database: place.url, add: [mailer({ mail: { run } })] })
    await until(async () => (await summarizeJobs(site)).length === 0)
  })

  jobs('of a schedule run on time again after a wrong clock is corrected', async () => {
    using clock = stopClock(TIMERS)
    const { now } = Date
    let ahead = 0
    const inTime = (isSo: () => Promise<boolean> | boolean) =>
      until(() => {
        clock.advance(500)
        return isSo()
      })
    Date.now = () => now() + ahead
    try {
      let runs = 0
      let release = () => {}
      const run = async () => {
        runs += 1
        if (runs === 2) await new Promise<void>((resolve) => (release = resolve))
      }
      const add = [mailer({ mail: { run } }, (service) => service.schedule('mail', '0 * * * *'))]
      await withSite({ add }, async (site) => {
        ahead = 5 * 365 * 86_400_000
        await inTime(() => runs === 1)
        const dueIn = async () => ((await jobsOf(site).list())[0]?.due.getTime() ?? Infinity) - Date.now()
        await inTime(async () => (await dueIn()) > 0)
        ahead = 0
        await inTime(async () => (await dueIn()) <= 3_600_000)
        assert.is(runs, 1)
        // Set back while it runs, by less than a minute.
        ahead = (await dueIn()) + 500
        await inTime(() => runs === 2)
        ahead -= 2000
        release()
        await inTime(async () => (await summarizeJobs(site))[0]?.state === 'waiting')
        assert.ok((await dueIn()) > 3_590_000, 'not the same hour again')
      })
    } finally {
      Date.now = now
    }
  })

  jobs('that have been dead for a long time are deleted, and others are not', async () => {
    const run = () => Promise.reject(new Error('no'))
    await withSite({ add: [mailer({ mail: { run, retries: 0 } })], plugins: { jobs: { keep: 1 } } }, async (site) => {
      await jobsOf(site).add('mail', 1)
      await until(async () => (await summarizeJobs(site))[0]?.state === 'dead')
      await site.store.run(sql`update jobs set due = due - ${2 * 86_400_000}`)
      await jobsOf(site).add('mail', 2)
      const dead = async () => (await jobsOf(site).list({ state: 'dead' })).map(({ payload }) => payload)
      await until(async () => (await dead()).join() === '2')
    })
  })

  jobs('run after a database outage if they became due during it', async () => {
    let runs = 0
    using clock = stopClock(TIMERS)
    const { plugin, runWitness } = witness()
    const lines: string[] = []
    const options = { log: 'error', logTo: (line: string) => void lines.push(line) }
    await withSite({ add: [mailer({ mail: { run: () => void (runs += 1) } }), plugin], ...options }, async (site) => {
      await jobsOf(site).add('mail', 1, { in: 1 })
      await runWitness(site)
      await site.store.script('alter table jobs rename to jobs_away')
      clock.advance(1000)
      await until(() => lines.some((line) => line.includes('cannot query the jobs')))
      await site.store.script('alter table jobs_away rename to jobs')
      clock.advance(2000)
      await until(async () => (await summarizeJobs(site)).length === 0)
      assert.is(runs, 1)
    })
  })

  jobs('are listed in one statement, each in one state', async () => {
    using clock = stopClock(TIMERS)
    await withSite({ add: [mailer({ mail: { run: () => {} } })] }, async (site) => {
      const statements: string[] = []
      site.store.onStatement(({ sql: text }) => {
        if (text.startsWith('select') && text.includes('"jobs"')) statements.push(text)
      })
      await jobsOf(site).add('mail', 1, { in: 3600 })
      await until(() => statements.length > 0)
      for (let tick = 0; tick < 3; tick += 1) {
        clock.advance(500)
        await turn()
      }
      await site.store.all(sql`select 1`)
      assert.is(statements.length, 1, statements.join('\n'))
    })
  })

  jobs('that a command runs are never visible to other processes before', async () => {
    let runs = 0
    await withSite({ add: [mailer({ mail: { run: () => void (runs += 1) } })] }, async (site) => {
      const service = jobsOf(site) as unknown as { runNow(name: string): Promise<Error | null> }
      for (let count = 1; count <= 20; count += 1) {
        assert.is(await service.runNow('mail'), null)
        assert.is(runs, count)
      }
    })
  })

  jobs.run()
}

const jobs = suite('jobs that are refused')

jobs('double the delay after each attempt, up to an hour and never beyond their schedule', () => {
  const handler = { retries: Infinity, delay: 10 }
  for (let attempts = 1; attempts <= 2000; attempts += 1) {
    const outcome = afterFailure({ attempts }, handler, new Error('no'), null)
    const later = outcome.is === 'again' ? outcome.due - Date.now() : 0
    const middle = Math.min(3_600_000, 10_000 * 2 ** (attempts - 1))
    assert.ok(later >= middle * 0.8 - 1000 && later <= middle * 1.2 + 1, `${later} ms after attempt ${attempts}`)
  }
  const next = Date.now() + 5000
  const scheduled = afterFailure({ attempts: 20 }, handler, new Error('no'), next)
  assert.is(scheduled.is === 'again' && scheduled.due, next)
})

const cyclic: Record<string, unknown> = {}
cyclic['itself'] = cyclic

/** Invalid payloads and options, with their error messages. */
const WRONG: readonly (readonly [payload: unknown, options: unknown, told: string])[] = [
  [cyclic, {}, 'its payload is nothing that JSON can say'],
  [1n, {}, 'its payload is nothing that JSON can say'],
  [() => 1, {}, 'its payload is nothing that JSON can say'],
  [Number.NaN, {}, 'payload is not of type'],
  [{ at: 'x' }, {}, 'payload is not of type'],
  ['x', { at: '2027-01-01' }, 'The time of the job mail is invalid'],
  ['x', { at: new Date(Number.NaN) }, 'The time of the job mail is invalid'],
  ['x', { in: Infinity }, 'The time of the job mail is invalid'],
  ['x', { in: '60' }, 'has in: "60": it must be a number'],
  ['x', { delay: 60 }, 'has the unknown key "delay": did you mean in?'],
  ['x', { key: 7 }, 'has key: 7: it must be a text'],
  ['x', { key: 'k'.repeat(192) }, 'longer than 191 characters'],
  ['x', { key: '@schedule' }, 'has the key @schedule, which is that of schedules'],
]

jobs('say why', async () => {
  await using site = await serve({ add: [mailer({ mail: { run: () => {}, schema: { type: 'string' } } })] })
  for (const [payload, options, expected] of WRONG) {
    const add = jobsOf(site).add('mail', payload, options as NewJobOptions)
    const message = await add.then(
      () => 'nothing',
      (error: Error) => error.message,
    )
    assert.ok(message.includes(expected), `${message} for ${expected}`)
  }
  assert.equal(await summarizeJobs(site), [])
})

jobs('get their payload after a JSON round trip, which the schema validates', async () => {
  const runs: unknown[] = []
  const schema = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } } as const
  await using site = await serve({ add: [mailer({ mail: { run: (payload) => void runs.push(payload), schema } })] })
  await jobsOf(site).add('mail', { at: new Date(0), none: undefined, half: '\ud800' })
  await until(() => runs.length === 1)
  assert.equal(runs, [{ at: '1970-01-01T00:00:00.000Z', half: '\ud800' }])
})

const HANDLERS: readonly (readonly [name: string, handler: Partial<JobHandler>, told: string])[] = [
  ['x', { concurrency: 1.5 }, '"concurrency" is 1.5: it must be a whole number, 1 or more'],
  ['x', { concurrency: 0 }, '"concurrency" is 0'],
  ['x', { retries: 0.5 }, '"retries" is 0.5'],
  ['x', { timeout: 0 }, '"timeout" is 0: it must be seconds, more than 0'],
  ['x', { delay: -1 }, '"delay" is -1'],
  ['a\0', {}, 'characters that no database holds'],
  ['\ud800', {}, 'characters that no database holds'],
]

jobs('with invalid handlers are refused', async () => {
  for (const [name, handler, expected] of HANDLERS) {
    const starting = serve({ add: [mailer({ [name]: { run: () => {}, ...handler } })] })
    const message = await starting.then(
      () => 'nothing',
      (error: Error) => error.message,
    )
    assert.ok(message.includes(expected), `${message} for ${expected}`)
  }
})

jobs.run()
