import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { JobHandler, JobRun, Jobs } from '../../../../plugins/foundation/jobs/index.ts'
import { stopClock } from '../../../helpers/clock.ts'
import { serve, type ServeOptions, type Site } from '../../../kit/index.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { startOnly } from '../../../helpers/site.ts'
import { filePlace } from '../../../helpers/stores.ts'
import { svc } from '../../../helpers/svc.ts'
import { until } from '../../../helpers/until.ts'
import { summarizeJobs, jobsOf, mailer, TIMERS, witness } from './mailer.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

startOnly('jobs')

for (const { name, place: make } of databases) {
  const jobs = suite(`jobs on ${name}`)
  const withSite = async (options: ServeOptions, work: (site: Site) => Promise<void>) => {
    await using place = await make()
    await using site = await serve({ database: place.url, ...options })
    await work(site)
  }

  jobs('run with their payload when they are due, and are then deleted', async () => {
    const runs: unknown[] = []
    const run = (payload: unknown, { attempt, key }: JobRun) => void runs.push([payload, attempt, key])
    using clock = stopClock(TIMERS)
    await withSite({ add: [mailer({ mail: { run } })] }, async (site) => {
      await jobsOf(site).add('mail', { to: 'ann' })
      await jobsOf(site).add('mail', { to: 'bob' }, { in: 3600 })
      await jobsOf(site).add('mail', { to: 'con' }, { at: new Date(Date.now() + 7_200_000), key: 'c' })
      await until(() => runs.length === 1)
      assert.equal(runs, [[{ to: 'ann' }, 1, '']])
      await until(async () => (await summarizeJobs(site)).length === 2)
      clock.advance(3_600_000)
      await until(() => runs.length === 2)
      clock.advance(3_600_000)
      await until(() => runs.length === 3)
      assert.equal(runs[2], [{ to: 'con' }, 1, 'c'])
      await until(async () => (await summarizeJobs(site)).length === 0)
    })
  })

  jobs('are part of the transaction in which they are added', async () => {
    const runs: unknown[] = []
    using clock = stopClock(TIMERS)
    await withSite({ add: [mailer({ mail: { run: (payload) => void runs.push(payload) } })] }, async (site) => {
      const transaction = site.store.transaction(async () => {
        await jobsOf(site).add('mail', 'taken back')
        throw new Error('no')
      })
      await transaction.catch(() => {})
      const outside = AsyncLocalStorage.snapshot()
      await site.store.transaction(async () => {
        await jobsOf(site).add('mail', 'stays')
        clock.advance(1000)
        assert.equal(await outside(() => summarizeJobs(site)), [], 'no other connection sees what is not committed')
        assert.equal(runs, [])
      })
      await until(() => runs.length === 1)
      assert.equal(runs, ['stays'])
      await until(async () => (await summarizeJobs(site)).length === 0)
    })
  })

  jobs('that fail are retried with growing delays, and are finally dead', async () => {
    let runs = 0
    const fail: JobHandler = {
      retries: 3,
      delay: 10,
      run: () => {
        runs += 1
        throw new Error(`no ${runs}`)
      },
    }
    using clock = stopClock(TIMERS)
    const { plugin, runWitness } = witness()
    await withSite({ add: [mailer({ mail: fail }), plugin] }, async (site) => {
      const id = await jobsOf(site).add('mail')
      for (const [attempt, seconds] of [
        [1, 10],
        [2, 20],
        [3, 40],
      ] as const) {
        await until(async () => (await summarizeJobs(site))[0]?.error === `no ${attempt}`)
        const [job] = await jobsOf(site).list()
        assert.is(job!.state, 'waiting')
        const later = job!.due.getTime() - Date.now()
        assert.ok(later >= seconds * 800 && later <= seconds * 1200, `${later} ms after attempt ${attempt}`)
        clock.advance(later - 1)
        await runWitness(site)
        assert.is(runs, attempt, 'not before its time')
        clock.advance(1)
      }
      await until(async () => (await summarizeJobs(site))[0]?.state === 'dead')
      assert.equal(await summarizeJobs(site), [{ name: 'mail', state: 'dead', attempts: 4, error: 'no 4' }])
      assert.is(await jobsOf(site).retry(id), true)
      await until(async () => (await summarizeJobs(site))[0]?.error === 'no 5')
      assert.is((await summarizeJobs(site))[0]!.state, 'waiting')
      assert.is(await jobsOf(site).cancel(id), true)
      assert.is(await jobsOf(site).cancel(id), false)
      assert.is(await jobsOf(site).retry(id), false)
    })
  })

  jobs('with a key exist once: a later one replaces the waiting one, or runs after the running one', async () => {
    const runs: unknown[] = []
    let release: (() => void) | undefined
    const run = async (payload: unknown) => {
      runs.push(payload)
      await new Promise<void>((resolve) => (release = resolve))
    }
    using clock = stopClock(TIMERS)
    const { plugin, runWitness } = witness()
    await withSite({ add: [mailer({ mail: { run } }), plugin] }, async (site) => {
      const add = (payload: string, seconds: number) => jobsOf(site).add('mail', payload, { key: 'k', in: seconds })
      const first = await add('a', 3600)
      assert.is(await add('b', 0), first)
      await until(() => runs.length === 1)
      await add('c', 3600)
      await add('d', 0)
      clock.advance(1000)
      await runWitness(site)
      assert.equal(runs, ['b'], 'never two at a time')
      release!()
      await until(() => runs.length === 2)
      assert.equal(runs, ['b', 'd'])
      release!()
      await until(async () => (await summarizeJobs(site)).length === 0)
    })
  })

  jobs('are aborted by their signal after the timeout, and when they are canceled', async () => {
    const reasons: string[] = []
    const run = (_: unknown, { signal }: JobRun) =>
      new Promise<void>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push((signal.reason as { code: string }).code)
          reject(signal.reason as Error)
        })
      })
    const add = [mailer({ slow: { run, timeout: 0.05, retries: 0 }, long: { run, retries: 0 } })]
    await withSite({ add }, async (site) => {
      await jobsOf(site).add('slow')
      await until(async () => (await summarizeJobs(site))[0]?.state === 'dead')
      assert.equal(await summarizeJobs(site), [
        { name: 'slow', state: 'dead', attempts: 1, error: 'The job took longer than 0.05 seconds.' },
      ])
      const id = await jobsOf(site).add('long')
      await until(async () => (await summarizeJobs(site))[1]?.state === 'running')
      assert.is(await jobsOf(site).cancel(id), true)
      await until(async () => (await summarizeJobs(site)).length === 1)
      assert.equal(reasons, ['JOB_TIMED_OUT', 'JOB_CANCELLED'])
    })
  })

  jobs('run in parallel up to the limit', async () => {
    let running = 0
    let maxRunning = 0
    const ends: (() => void)[] = []
    const run = async () => {
      maxRunning = Math.max(maxRunning, ++running)
      await new Promise<void>((resolve) => ends.push(resolve))
      running -= 1
    }
    const two: number[] = []
    let runningTwo = 0
    const one = async () => {
      two.push(++runningTwo)
      await turn()
      runningTwo -= 1
    }
    await withSite(
      { add: [mailer({ mail: { run }, one: { run: one, concurrency: 1 } })], plugins: { jobs: { concurrency: 3 } } },
      async (site) => {
        await site.store.transaction(async () => {
          for (let count = 0; count < 12; count += 1) await jobsOf(site).add('mail')
        })
        for (let left = 12; left > 0; left -= 1) {
          await until(() => ends.length >= Math.min(3, left))
          ends.shift()!()
        }
        await until(async () => (await summarizeJobs(site)).length === 0)
        assert.is(maxRunning, 3)
        await site.store.transaction(async () => {
          for (let count = 0; count < 5; count += 1) await jobsOf(site).add('one')
        })
        await until(async () => (await summarizeJobs(site)).length === 0)
        assert.equal(two, [1, 1, 1, 1, 1])
      },
    )
  })

  jobs('stop with the server, and continue with the next one', async () => {
    await using place = await make()
    const runs: string[] = []
    const run = async (_: unknown, { signal, attempt }: JobRun) => {
      runs.push(`began ${attempt}`)
      await delay(60_000, undefined, { signal }).catch(() => {})
      runs.push('stopped')
      throw new Error('unfinished')
    }
    {
      await using site = await serve({ database: place.url, add: [mailer({ mail: { run } })] })
      await jobsOf(site).add('mail')
      await until(() => runs.length === 1)
    }
    assert.equal(runs, ['began 1', 'stopped'])
    const done = (_: unknown, { attempt }: JobRun) => void runs.push(`done ${attempt}`)
    await using site = await serve({ database: place.url, add: [mailer({ mail: { run: done } })] })
    await until(() => runs.length === 3)
    assert.is(runs[2], 'done 1', 'it was not to blame')
    await until(async () => (await summarizeJobs(site)).length === 0)
  })

  jobs('wait while their plugin is missing, which is logged, and stop with it', async () => {
    await using place = await make()
    const runs: unknown[] = []
    const lines: string[] = []
    const handlers = { mail: { run: (payload: unknown) => void runs.push(payload) } }
    {
      await using site = await serve({ database: place.url, add: [mailer(handlers)] })
      await jobsOf(site).add('mail', 1, { in: 3600 })
    }
    {
      using clock = stopClock(TIMERS)
      const { plugin, runWitness } = witness()
      await using site = await serve({
        database: place.url,
        log: 'warn',
        logTo: (line) => void lines.push(line),
        add: [plugin],
      })
      await site.store.run(sql`update jobs set due = 0`)
      clock.advance(1000)
      await runWitness(site)
      assert.equal(runs, [])
      assert.is((await summarizeJobs(site))[0]!.state, 'waiting')
      assert.match(lines.join(''), '1 jobs mail wait for the plugin mailer, which does not run')
    }
    {
      await using _site = await serve({ database: place.url, add: [mailer(handlers)] })
      await until(() => runs.length === 1)
    }
    {
      let stopped = false
      const long = async (_: unknown, { signal }: JobRun) => {
        runs.push('long')
        await delay(60_000, undefined, { signal }).catch(() => (stopped = true))
      }
      await using site = await serve({ database: place.url, add: [mailer({ mail: { run: long } })] })
      await jobsOf(site).add('mail', 2)
      await until(() => runs.includes('long'))
      await removePlugin(site.kernel, 'mailer')
      assert.is(stopped, true)
      const error = await jobsOf(site)
        .add('mail')
        .catch((reason: { code: string }) => reason.code)
      assert.is(error, 'JOB_UNKNOWN')
    }
  })

  jobs('run on a schedule, once for all missed runs', async () => {
    await using place = await make()
    using clock = stopClock(TIMERS)
    // To a full hour, so that a run is never near.
    clock.advance(3_600_000 - (Date.now() % 3_600_000))
    let runs = 0
    const hourly = mailer({ mail: { run: () => void (runs += 1) } }, (service) => service.schedule('mail', '0 * * * *'))
    const dueIn = async (site: Site) => ((await jobsOf(site).list())[0]!.due.getTime() - Date.now()) / 60_000
    {
      await using site = await serve({ database: place.url, add: [hourly] })
      assert.is(await dueIn(site), 60)
      clock.advance(3_600_000)
      await until(async () => runs === 1 && (await summarizeJobs(site))[0]?.state === 'waiting')
      assert.is(await dueIn(site), 60)
    }
    clock.advance(10.5 * 3_600_000)
    {
      await using site = await serve({ database: place.url, add: [hourly] })
      await until(async () => runs === 2 && (await summarizeJobs(site))[0]?.state === 'waiting')
      assert.is(await dueIn(site), 30)
      assert.is((await jobsOf(site).list())[0]!.schedule, '0 * * * * (UTC)')
      // In the zone of the site, as soon as it is another one.
      await site.kernel.services.options.set('timezone', 'Asia/Kolkata')
      await until(async () => (await jobsOf(site).list())[0]!.schedule === '0 * * * * (Asia/Kolkata)')
      assert.is(await dueIn(site), 60)
    }
    const other = mailer({ mail: { run: () => {} } })
    await using site = await serve({ database: place.url, add: [other] })
    assert.equal(await summarizeJobs(site), [], 'a schedule that its plugin has given up is over')
  })

  jobs('of a schedule run again after failures', async () => {
    using clock = stopClock(TIMERS)
    clock.advance(3_600_000 - (Date.now() % 3_600_000))
    let runs = 0
    const fail: JobHandler = {
      retries: 0,
      run: () => {
        runs += 1
        throw new Error('no')
      },
    }
    await withSite(
      { add: [mailer({ mail: fail }, (service) => service.schedule('mail', '*/10 * * * *'))] },
      async (site) => {
        clock.advance(600_000)
        await until(async () => runs === 1 && (await summarizeJobs(site))[0]?.state === 'waiting')
        assert.equal(await summarizeJobs(site), [{ name: 'mail', state: 'waiting', attempts: 0, error: 'no' }])
        assert.is((await jobsOf(site).list())[0]!.due.getTime() - Date.now(), 600_000)
      },
    )
  })

  jobs('take no statements on a site without jobs, and add none to requests', async () => {
    using clock = stopClock(TIMERS)
    await withSite({ add: [mailer({ mail: { run: () => {} } })] }, async (site) => {
      const idle = await site.statements(async () => {
        for (let tick = 0; tick < 3; tick += 1) {
          clock.advance(500)
          await turn()
        }
        await site.store.all(sql`select 'the last'`)
      })
      assert.equal(idle, [`select 'the last'`])
    })
  })

  jobs.run()
}

const jobs = suite('jobs')

jobs('report the mistake in an invalid handler, job or schedule', async () => {
  const failure = async (work: (jobs: Jobs) => unknown): Promise<string> => {
    await using site = await serve({
      add: [
        mailer({
          mail: { run: () => {}, schema: { type: 'object', properties: { to: { type: 'string', required: true } } } },
        }),
      ],
    })
    try {
      await work(jobsOf(site))
    } catch (error) {
      return (error as Error).message
    }
    return 'nothing'
  }
  assert.match(await failure((service) => service.add('mial', { to: 'a' })), 'did you mean mail?')
  assert.match(
    await failure((service) => service.add('mail', {})),
    'The job mail cannot be added: payload lacks the required property to.',
  )
  assert.match(
    await failure((service) => service.add('mail', { to: 'a' }, { at: new Date('x') })),
    'The time of the job mail is invalid',
  )
  assert.match(
    await failure((service) => service.schedule('mail', '61 * * * *', { payload: { to: 'a' } })),
    'Invalid value for minute: 61',
  )
  assert.match(
    await failure((service) => service.schedule('mail', '0 0 30 2 *', { payload: { to: 'a' } })),
    'it never comes',
  )
  assert.match(
    await failure((service) => service.handle('x', { timeot: 1, run: () => {} } as JobHandler)),
    'has the unknown key "timeot": did you mean timeout?',
  )
  assert.match(await failure((service) => service.handle('x', { retries: -1, run: () => {} })), '"retries"')
})

jobs('are listed, run, retried and canceled by commands', async () => {
  await using place = await filePlace()
  const folder = await mkdtemp(join(tmpdir(), 'svc-'))
  const config = join(folder, 'svc.config.json')
  await writeFile(
    join(folder, 'mailer.mjs'),
    `export default { name: 'mailer', needs: ['jobs'], apply({ services: { jobs } }) {
      jobs.handle('mail', { run: (payload) => { if (payload !== 'good') throw new Error('no ' + payload) } })
    } }`,
  )
  await writeFile(
    config,
    JSON.stringify({ database: place.url, plugins: { './mailer.mjs': true, 'first-run': false } }),
  )
  const command = (...args: string[]) => svc('jobs', ...args, '--config', config)
  {
    await using site = await serve({ database: place.url, add: [mailer({ mail: { run: () => {} } })] })
    await jobsOf(site).add('mail', 'later', { in: 3600, key: 'k' })
  }
  const rows = async () =>
    JSON.parse((await command('--json')).out) as {
      id: number
      name: string
      state: string
      key: string
      error: string
    }[]
  const [row] = await rows()
  assert.equal([row!.name, row!.state, row!.key], ['mail', 'waiting', 'k'])
  assert.match((await command()).out, /waiting +mail +k /)
  assert.match((await command('run', 'mail', '--payload', '"good"')).out, 'mail is done.')
  const failed = await command('run', 'mail', '--payload', '"bad"')
  assert.is(failed.code, 1)
  assert.match(failed.output, 'The job mail failed: no bad')
  assert.match((await command('run', 'mial')).output, 'did you mean mail?')
  assert.equal((await rows()).map(({ error }) => error).toSorted(), ['', 'no bad'])
  assert.match((await command('retry', String(row!.id))).out, 'is tried as soon as a server runs')
  assert.match((await command('cancel', String(row!.id))).out, 'is cancelled')
  assert.match((await command('cancel', String(row!.id))).output, `There is no job with the ID ${row!.id}`)
  // Without its plugin.
  await writeFile(config, JSON.stringify({ database: place.url, plugins: { 'first-run': false } }))
  assert.equal(
    (await rows()).map(({ state }) => state),
    ['waits for mailer'],
  )
  const removed = await svc('plugins', 'remove', 'mailer', '--data', '--config', config)
  assert.match(removed.output, 'Removed the records of 0 migrations and 1 jobs of mailer.')
  assert.equal(await rows(), [])
  await rm(folder, { recursive: true })
})

jobs('can be disabled, unless another plugin needs them', async () => {
  let message = ''
  const without = { jobs: false, webhooks: false }
  await serve({ plugins: without }).catch((reason: Error) => (message = reason.message))
  assert.match(message, 'scheduled-posts needs the plugin jobs')
  await using site = await serve({ plugins: { ...without, 'scheduled-posts': false } })
  assert.is((await site.get('/svc/v2/posts')).status, 200)
})

jobs.run()
