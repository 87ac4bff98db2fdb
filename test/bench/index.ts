/**
 * `npm run bench`: how much of a bare `node:http` server's throughput is left, route by route. It prints a report and
 * judges nothing: compare with a run on the same machine before a change.
 *
 * Each server has a process of its own; this one makes the load. Each case is measured right beside the bare server
 * sending the same bytes, head and body, round by round, and the medians of the rounds are told. Beside the ratio of
 * requests a second stands that of processor time, which other work on the machine disturbs less.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { branding } from '../../kernel/host.ts'
import { openStore } from '../../plugins/storage/store/open.ts'
import { casesOf, type Case } from './cases.ts'
import { BLOG, fillSite, type SiteIds } from './content.ts'
import { Contestant, type Round } from './contestant.ts'
import { footprint, type Footprint } from './footprint.ts'
import { compareLists, MANY } from './large.ts'
import { CONSTANT_ROUTE, type RecordedAnswer } from './server.ts'
import { markdownTable } from './table.ts'
import { compareWrites } from './writes.ts'

const USAGE = `Usage: npm run bench -- [FLAGS]

  --quick             Short rounds, for a first look.
  --only TEXT         Cases whose name contains the text; may be repeated.
  --database URL      An empty PostgreSQL database (postgres://user@host/name) in place of a new SQLite file.
  --posts NUMBER      Posts of the site; ${BLOG.posts} by default.
  --large             Lists out of 1,000,000 posts (or --posts) beside those out of 10,000, and nothing else. With
                      --database the sites are databases of their own on that PostgreSQL server.
  --writes            Transactions a second, durable and relaxed, and nothing else.
  --profile FOLDER    Writes a profile of each server's processor time, for Chrome's developer tools.
  --help              This text.`

/** Budgets as ratios to the bare server. */
const BUDGETS: Readonly<Record<string, number>> = { 'constant: all defaults': 0.85 }
/** What `svc-serve` may take: milliseconds and megabytes. */
const MOST = { start: 400, memory: 120 }
const FOOTPRINT = 'svc-serve: start, memory'

interface Pace {
  connections: number
  warmUp: number
  rounds: number
  seconds: number
}

const PACE: Pace = { connections: 32, warmUp: 4, rounds: 5, seconds: 2 }
const QUICK: Pace = { connections: 32, warmUp: 1.5, rounds: 3, seconds: 0.7 }

interface Measured {
  subject: Case
  /** Where the bare server sends the same. */
  barePath: string
  bytes: number
  statements: number
  /** Milliseconds that one request takes with nothing else going on. */
  alone: number
  rounds: Round[]
  bare: Round[]
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      database: { type: 'string' },
      posts: { type: 'string' },
      large: { type: 'boolean', default: false },
      writes: { type: 'boolean', default: false },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(USAGE)
  const isWanted = (name: string) => values.only === undefined || values.only.some((text) => name.includes(text))
  if (values.large) return console.log(await compareLists(Number(values.posts ?? MANY), isWanted, values.database))
  if (values.writes) return console.log(await compareWrites(values.database))
  const pace = values.quick ? QUICK : PACE
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-bench-'))
  try {
    const database = values.database ?? `sqlite:${path.join(folder, 'site.db')}`
    const words = branding('svc')
    const ids = await fillDatabase(database, Number(values.posts ?? BLOG.posts), words.blockMark)
    await using bare = await Contestant.start(['bare'], values.profile)
    await using fastify = await Contestant.start(['fastify'], values.profile)
    await using site = await Contestant.start(['site', database], values.profile)
    const servers = { fastify, site }
    const cases = casesOf(words.namespace('v2'), ids)
    const wanted = cases.filter(({ name }) => isWanted(name))
    await settled(site)
    const { answer } = await ask(`${site.url}${CONSTANT_ROUTE}`)
    await fastify.ask({ path: CONSTANT_ROUTE, answer })
    const measured: Measured[] = []
    for (const [index, subject] of wanted.entries()) {
      const first = await look(subject, servers[subject.server], bare, `/${index}`)
      if (first !== null) measured.push(first)
    }
    await site.ask('uncounted')
    for (const one of measured) {
      process.stderr.write(`${one.subject.name}\n`)
      await measure(one, servers[one.subject.server], bare, pace)
    }
    if (measured.length > 0) {
      console.log(report(measured))
      console.log(
        '\nSQL: statements of a request that was made just before; docs/reference/statements.md tells of first ones.\n',
      )
    }
    if (!isWanted(FOOTPRINT)) return
    process.stderr.write(`${FOOTPRINT}\n`)
    const everything = cases.filter(({ server, path: at }) => server === 'site' && at !== CONSTANT_ROUTE)
    console.log(footprintReport(await footprint(folder, database, everything)))
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

/** Waits until the server has done what it does after a start, as bringing an index up to date. */
async function settled(server: Contestant): Promise<void> {
  for (let before = 0, quiet = 0; quiet < 3;) {
    await delay(700)
    const now = await server.ask('cpu')
    quiet = now - before < 35_000 ? quiet + 1 : 0
    before = now
  }
}

/** Headers that Node adds to every answer by itself. */
const OF_NODE: ReadonlySet<string> = new Set(['connection', 'date', 'keep-alive'])

async function ask(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; answer: RecordedAnswer }> {
  const response = await fetch(url, { headers })
  const head = [...response.headers].flatMap(([name, value]) => (OF_NODE.has(name) ? [] : [name, value]))
  return { status: response.status, answer: { head, body: await response.text() } }
}

/** Asks once for what will be measured: its bytes, and its statements with nothing else going on. */
async function look(subject: Case, server: Contestant, bare: Contestant, barePath: string): Promise<Measured | null> {
  const url = `${server.url}${subject.path}`
  const { status } = await ask(url, subject.headers)
  if (status !== 200) {
    process.stderr.write(`${subject.name}: left out, answered with ${status}\n`)
    return null
  }
  await server.ask('statements')
  const start = performance.now()
  const { answer } = await ask(url, subject.headers)
  const alone = performance.now() - start
  const statements = await server.ask('statements')
  await bare.ask({ path: barePath, answer })
  return { subject, barePath, bytes: Buffer.byteLength(answer.body), statements, alone, rounds: [], bare: [] }
}

async function measure(one: Measured, server: Contestant, bare: Contestant, pace: Pace): Promise<void> {
  const { path, headers = {} } = one.subject
  const { connections, warmUp, rounds, seconds } = pace
  // Long enough that each connection is answered twice at least.
  const enough = (2 * connections * one.alone) / 1000
  const load = (least: number) => server.load(path, headers, connections, Math.max(least, enough))
  const loadBare = (least: number) => bare.load(one.barePath, {}, connections, least)
  await load(warmUp)
  await loadBare(warmUp)
  for (let round = 0; round < rounds; round += 1) {
    // Taking turns at being first, so that neither always meets the quieter machine.
    if (round % 2 === 0) one.bare.push(await loadBare(seconds))
    one.rounds.push(await load(seconds))
    if (round % 2 === 1) one.bare.push(await loadBare(seconds))
  }
}

function report(measured: readonly Measured[]): string {
  const number = (value: number, digits = 0) =>
    value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  const rows = measured.map(({ subject, bytes, statements, rounds, bare }) => {
    const of = (list: readonly Round[], key: keyof Round) => median(list.map((round) => round[key]))
    const budget = BUDGETS[subject.name]
    return [
      subject.name,
      number(bytes / 1000, 1),
      number(of(rounds, 'rate')),
      number(of(bare, 'rate')),
      number(of(rounds, 'rate') / of(bare, 'rate'), 2),
      number(of(bare, 'cpu') / of(rounds, 'cpu'), 2),
      budget === undefined ? '' : `≥ ${number(budget, 2)}`,
      number(of(rounds, 'p50'), 2),
      number(of(rounds, 'p99'), 2),
      number(of(rounds, 'cpu')),
      subject.server === 'site' ? String(statements) : '',
    ]
  })
  const head = [
    'case', 'kB', 'req/s', 'bare req/s', 'ratio', 'by CPU', 'budget', 'p50 ms', 'p99 ms', 'CPU µs', 'SQL',
  ] // prettier-ignore
  return markdownTable(head, rows)
}

function footprintReport({ starts, memory }: Footprint): string {
  const rows = [
    ['ms until it serves a site that is there', median(starts).toFixed(0), `≤ ${MOST.start}`],
    ['MB resident after 10,000 mixed requests', (memory / 1e6).toFixed(0), `≤ ${MOST.memory}`],
  ]
  return markdownTable(['svc-serve', '', 'budget'], rows)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
}

await main()
