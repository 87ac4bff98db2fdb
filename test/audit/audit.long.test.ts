import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases } from '../helpers/site-with-users.ts'
import { faults } from './faults.ts'
import { fuzz } from './fuzz.ts'
import { kill } from './kill.ts'
import { Report } from './report.ts'
import { twoServers } from './two-servers.ts'

// A short, reproducible form of `npm run audit`. Earlier findings have separate regression tests.

const SEED = 8

for (const { name } of databases) {
  const server = name === 'PostgreSQL' ? process.env['SVC_TEST_POSTGRES'] : undefined
  const audit = suite(`audit: ${name}`)

  const holds = async (run: (report: Report) => Promise<unknown>) => {
    const report = new Report()
    await run(report)
    assert.equal(report.broken, [])
    // Some faults require root.
    assert.ok(report.lines.every(({ times, note }) => times > 0 || note?.startsWith('not tried')))
  }

  audit('S25, S29, S34, S41: 400 requests generated from the index are answered, and block nobody', () =>
    // A high limit, because other tests slow the machine down.
    holds((report) => fuzz(report, { seed: SEED, requests: 400, server, maxLength: 200_000, block: 5000 })),
  )

  audit('S39: a server that is killed while clients write has lost nothing', () =>
    holds((report) => kill(report, { seed: SEED, kills: 2, server })),
  )

  audit('S39: what a full disk or a database that is gone refuses is said, and nothing is half', () =>
    holds((report) => faults(report, { server, only: ['disk', 'database'] })),
  )

  audit('S38, S40: two servers on one database act as one', () =>
    holds((report) => twoServers(report, { rounds: 1, server })),
  )

  audit.run()
}
