/**
 * `npm run bench`: compares the throughput of each route with that of a bare `node:http` server. Prints a report without a
 * verdict: compare it with a run on the same machine before a change.
 *
 * Each server has a separate process; this process generates the load. Rounds of each case alternate with rounds of the bare
 * server, which sends the same bytes (head and body). The report contains the medians of the rounds, and the ratios of
 * requests per second and of processor time, which other work on the machine affects less.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { branding } from '../../bin/config/index.ts'
import { openStore } from '../../plugins/storage/store/open.ts'
import { casesOf, type Case } from './cases.ts'
import { BLOG, fillSite, type SiteIds } from './content.ts'
import { Contestant } from './contestant.ts'
import { measureFixture } from './fixture.ts'
import { footprint, type Footprint } from './footprint.ts'
import { compareHooks, HOOKS } from './hooks.ts'
import { compareLists, MANY } from './large.ts'
import { caseHead, caseLine, measure, median, Servers, type Pace } from './measure.ts'
import { CONSTANT_ROUTE } from './server.ts'
import { markdownTable } from './table.ts'
import { compareWorkers, WORKERS } from './workers.ts'
import { compareWrites } from './writes.ts'

const USAGE = `Usage: npm run bench -- [FLAGS]

  --quick             Short rounds, for a first look.
  --only TEXT         Cases whose name contains the text; may be repeated.
  --database URL      An empty PostgreSQL database (postgres://user@host/name) in place of a new SQLite file.
  --posts NUMBER      Posts of the site; ${BLOG.posts} by default.
  --large             Lists out of 1,000,000 posts (or --posts) beside those out of 10,000, and nothing else. With
                      --database the sites are databases of their own on that PostgreSQL server.
  --writes            Transactions a second, durable and relaxed, and nothing else.
  --fixture           Processor time of seven uncached requests to the site of the recordings, and nothing else.
  --profile FOLDER    Writes a profile of each server's processor time, for Chrome's developer tools.
  --help              This text.`

/** Limits for `svc-serve`: milliseconds of a start, and megabytes of memory. */
const FOOTPRINT_LIMITS = { start: 400, memory: 150 }
const FOOTPRINT = 'svc-serve: start, memory'

const PACE: Pace = { connections: 32, warmUp: 3, rounds: 5, seconds: 1.5 }
const QUICK: Pace = { connections: 32, warmUp: 0.7, rounds: 3, seconds: 0.4 }

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      database: { type: 'string' },
      posts: { type: 'string' },
      large: { type: 'boolean', default: false },
      writes: { type: 'boolean', default: false },
      fixture: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const isIncluded = (name: string) => values.only === undefined || values.only.some((text) => name.includes(text))
  if (values.large) return console.log(await compareLists(Number(values.posts ?? MANY), isIncluded, values.database))
  if (values.writes) return console.log(await compareWrites(values.database))
  if (values.fixture) return console.log(await measureFixture(isIncluded, values.profile))
  const pace = values.quick ? QUICK : PACE
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  try {
    const database = values.database ?? `sqlite:${path.join(folder, 'site.db')}`
    const words = branding('svc')
    const ids = await fillDatabase(database, Number(values.posts ?? BLOG.posts), words.blockMark)
    const cases = casesOf(words.namespace('v2'), ids)
    const failed = await compareCases(
      cases.filter(({ name }) => isIncluded(name)),
      database,
      pace,
      values.profile,
    )
    if (isIncluded(HOOKS)) await attempted(HOOKS, failed, async () => console.log(`\n${compareHooks()}`))
    if (isIncluded(WORKERS)) {
      await attempted(WORKERS, failed, async () =>
        console.log(`\n${await compareWorkers(folder, database, cases, pace)}`),
      )
    }
    if (isIncluded(FOOTPRINT)) {
      const read = cases.filter(({ server, method, path: at }) => server === 'cold' && !method && at !== CONSTANT_ROUTE)
      await attempted(FOOTPRINT, failed, async () =>
        console.log(`\n${footprintReport(await footprint(folder, database, read))}`),
      )
    }
    if (failed.length > 0) {
      console.log(`\nFailed:\n${failed.join('\n')}`)
      process.exitCode = 1
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fillDatabase(database: string, posts: number, mark: string): Promise<SiteIds> {
  const store = await openStore(database)
  try {
    return await fillSite(store, { ...BLOG, posts }, mark)
  } finally {
    await store.close()
  }
}

/** Measures each case and prints its line. Reports failed cases and continues. @returns the failed cases */
async function compareCases(
  cases: readonly Case[],
  database: string,
  pace: Pace,
  profiles: string | undefined,
): Promise<string[]> {
  const failed: string[] = []
  if (cases.length === 0) return failed
  await using bare = await Contestant.start(['bare'], profiles)
  await using servers = new Servers(database, profiles)
  console.log(caseHead())
  for (const [index, subject] of cases.entries()) {
    await attempted(subject.name, failed, async () => {
      console.log(caseLine(await measure(subject, await servers.get(subject.server), bare, `/${index}`, pace)))
    })
  }
  console.log(
    '\nSQL: statements of a request that was made just before; docs/reference/statements.md tells of first ones.',
  )
  return failed
}

async function attempted(name: string, failed: string[], act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    failed.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    console.log(failed.at(-1))
  }
}

function footprintReport({ starts, memory }: Footprint): string {
  const rows = [
    ['ms until it serves a site that is there', median(starts).toFixed(0), `≤ ${FOOTPRINT_LIMITS.start}`],
    ['MB resident after 10,000 mixed requests', (memory / 1e6).toFixed(0), `≤ ${FOOTPRINT_LIMITS.memory}`],
  ]
  return markdownTable(['svc-serve', '', 'budget'], rows)
}

await main()
