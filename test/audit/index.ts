// npm run audit: attacks a server of this checkout as visitors, users and operational faults would, and prints a table of the
// trials, their number and the problems. The exit code is 1 if there are problems.
//
//   npm run audit                                   all kinds, some minutes, on SQLite
//   npm run audit -- --database postgres://postgres@127.0.0.1:5432/svc_test   on new databases on that server
//   npm run audit -- --only fuzz,kill --requests 1000000 --kills 500 --seed 7
//   npm run audit -- --only stale --minutes 60 --seed 7    searches for stale responses, with a new seed for each site
//   npm run audit -- --only fuzz --seed 7 --case 4711     repeats one request of the fuzzer
//   npm run audit -- --markdown                     only the table, for the guide
import { parseArgs } from 'node:util'
import { faults } from './faults.ts'
import { fuzz } from './fuzz.ts'
import { kill } from './kill.ts'
import { races } from './races.ts'
import { Report } from './report.ts'
import { stale } from './stale.ts'
import { growth, xss } from './texts.ts'
import { twoServers } from './two-servers.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '20000' },
    case: { type: 'string' },
    kills: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '10' },
    texts: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '2' },
    database: { type: 'string' },
    markdown: { type: 'boolean', default: false },
  },
})

const seed = Number(values.seed)
const server = values.database
const report = new Report()

/** The kinds of trials, in the order of the table. */
const KINDS: Readonly<Record<string, () => Promise<unknown>>> = {
  fuzz: () =>
    fuzz(report, {
      seed,
      server,
      ...(values.case === undefined
        ? { requests: Number(values.requests) }
        : { from: Number(values.case), requests: 1 }),
    }),
  kill: () => kill(report, { seed, server, kills: Number(values.kills) }),
  xss: () => xss(report, { seed, server, texts: Number(values.texts) }),
  growth: () => growth(report, { seed, texts: Number(values.texts) }),
  faults: () => faults(report, { server }),
  two: () => twoServers(report, { server, rounds: Math.ceil(Number(values.rounds) / 2) }),
  stale: () => stale(report, { seed, server, minutes: Number(values.minutes) }),
  races: () => races(report, { server, rounds: Number(values.rounds) }),
}

const chosen = values.only?.split(',') ?? Object.keys(KINDS)
for (const kind of chosen) {
  const run = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  if (run === undefined) throw new Error(`There is no kind ${kind}: ${Object.keys(KINDS).join(', ')}.`)
  const startedAt = Date.now()
  await run()
  console.error(`${kind}: ${Math.round((Date.now() - startedAt) / 1000)} s`)
}

console.log(report.toText(values.markdown))
process.exitCode = report.broken.length === 0 ? 0 : 1
