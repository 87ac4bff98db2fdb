import { setTimeout as delay } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { emptyFilePlace, emptyPostgresPlace, kindsOf, type Place } from '../helpers/stores.ts'
import { run } from '../helpers/svc-serve.ts'

/** Number of stopped starts for each database and number of workers. SVC_STOPS overrides it. */
const STOPS = Number(process.env['SVC_STOPS'] ?? 6)
/** Time that a site takes to start, measured from the start of its program. */
const START_MS = 2500

/** Prints a line after bin/launch.js has run. Before that, while Node itself starts, a signal kills the process. */
const RUNS = "setImmediate(() => console.error('It runs.'))"

const databases = kindsOf([{ name: 'SQLite', make: emptyFilePlace }], (server) => ({
  name: 'PostgreSQL',
  make: () => emptyPostgresPlace(server),
}))

const stops = suite('a stop while a site starts')

for (const { name, make } of databases) {
  for (const workers of ['1', '2']) {
    stops(`ends with exit code 0 at any moment, with SVC_WORKERS=${workers} on ${name}`, async () => {
      // The first start creates the site.
      await using place = await make()
      for (let left = STOPS; left > 0; left -= 1) await stopAt(place, workers, Math.random() * START_MS)
    })
  }
}

async function stopAt({ url }: Place, workers: string, moment: number): Promise<void> {
  const signal = Math.random() < 0.5 ? 'SIGTERM' : 'SIGINT'
  await using running = await run(
    ['--port', '0', '--database', url],
    { 'runs.cjs': RUNS },
    {
      SVC_WORKERS: workers,
      NODE_OPTIONS: '--require=./runs.cjs',
    },
  )
  await running.complained(/It runs/)
  await delay(moment)
  running.kill(signal)
  const { code, err } = await running.end()
  assert.equal([code, /"level":[56]0/.test(err)], [0, false], `${signal} after ${Math.round(moment)} ms: ${err}`)
}

stops.run()
