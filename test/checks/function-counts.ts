/**
 * `npm run check:function-counts`: counts the functions of this repository that one warm request runs, their files and
 * calls. Prints a table, and exits with 1 if a request exceeds its limits. V8 counts the calls (precise coverage).
 *
 * `--functions NAME` also lists the functions of a request, the most called one first.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { Session, type Profiler } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { completeConfig, startKernel, type Kernel } from '../../bin/config/index.ts'
import { openStore } from '../../plugins/storage/store/open.ts'
import { defaults } from '../../plugins/index.ts'
import { AUTHOR, BLOG, fillSite } from '../bench/content.ts'
import { CONSTANT_ROUTE, constant, MEMORIES, type Mode } from '../bench/server.ts'
import { markdownTable } from '../bench/table.ts'

/** Maximum counts of one request. */
interface Limits {
  readonly functions: number
  readonly calls: number
}

/** A request that is counted. */
interface Subject {
  readonly name: string
  readonly mode: Mode
  readonly path: string
  /** Whether a user sends it, with an application password. */
  readonly isOfUser?: boolean
  /** Returns the fields of the post that a numbered request creates. GET requests have no body. */
  readonly bodyOf?: (number: number) => Readonly<Record<string, unknown>>
  readonly limits: Limits
}

interface CalledFunction {
  readonly name: string
  readonly file: string
  readonly calls: number
}

const LIST = '/svc/v2/posts?per_page=5'

/** Limits only go down. The aims are 100 functions for the cached list, and 350 for the uncached list and the POST. */
const SUBJECTS: readonly Subject[] = [
  { name: 'constant', mode: 'cold', path: CONSTANT_ROUTE, limits: { functions: 225, calls: 470 } },
  { name: 'cached list', mode: 'cached', path: LIST, limits: { functions: 42, calls: 43 } },
  {
    name: 'cached list, a user',
    mode: 'cached',
    path: LIST,
    isOfUser: true,
    // The check that language and avatars have not changed takes 8 calls.
    limits: { functions: 258, calls: 570 },
  },
  { name: 'uncached list', mode: 'cold', path: LIST, limits: { functions: 686, calls: 3_490 } },
  {
    name: 'POST',
    mode: 'cached',
    path: '/svc/v2/posts',
    isOfUser: true,
    // Titles differ, because the search for a free slug takes longer with each post of the same title.
    bodyOf: (number) => ({ title: `A post ${number}`, content: '<p>Some words of a post.</p>', status: 'publish' }),
    limits: { functions: 890, calls: 3_165 },
  },
]

const POSTS = 100
const WARM_UP_REQUESTS = 50
/** Counted requests, of which the one with the fewest functions is reported: a timer may run within the others. */
const COUNTED_REQUESTS = 6
/** Pause between them: a response is found by its URL alone only some time after its `Last-Modified`. */
const PAUSE_MS = 500

const root = pathToFileURL(join(import.meta.dirname, '../..')).href

const { values: flags } = parseArgs({ options: { functions: { type: 'string' } } })
const folder = await mkdtemp(join(tmpdir(), 'svc-counts-'))
try {
  const database = `sqlite:${join(folder, 'site.db')}`
  await fillDatabase(database)
  const rows: string[][] = []
  for (const subject of SUBJECTS) {
    const called = await countFunctions(subject, database)
    const calls = called.reduce((sum, one) => sum + one.calls, 0)
    const files = new Set(called.map(({ file }) => file)).size
    const { limits } = subject
    const cells = [called.length, files, calls, limits.functions, limits.calls].map((count) =>
      count.toLocaleString('en'),
    )
    rows.push([subject.name, ...cells])
    if (called.length > limits.functions || calls > limits.calls) process.exitCode = 1
    if (flags.functions === subject.name) printFunctions(called)
  }
  console.log(markdownTable(['request', 'functions', 'files', 'calls', 'functions ≤', 'calls ≤'], rows))
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function fillDatabase(database: string): Promise<void> {
  const store = await openStore(database)
  try {
    await fillSite(store, { ...BLOG, posts: POSTS }, 'svc')
  } finally {
    await store.close()
  }
}

async function countFunctions(subject: Subject, database: string): Promise<CalledFunction[]> {
  const plugins = { 'response-cache': MEMORIES[subject.mode] }
  const config = completeConfig({ database, port: 0, log: 'error', plugins }, folder)
  await using kernel = await startKernel({ config, defaults: [...defaults, constant] })
  await kernel.listen()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const session = new Session()
  session.connect()
  try {
    for (let sent = 0; sent < WARM_UP_REQUESTS; sent += 1) await send(subject, sent, kernel, agent)
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    let shortest: CalledFunction[] | null = null
    for (let sent = 0; sent < COUNTED_REQUESTS; sent += 1) {
      await session.post('Profiler.takePreciseCoverage')
      await send(subject, WARM_UP_REQUESTS + sent, kernel, agent)
      const { result } = await session.post('Profiler.takePreciseCoverage')
      const called = functionsIn(result)
      if (shortest === null || called.length < shortest.length) shortest = called
      await setTimeout(PAUSE_MS)
    }
    await session.post('Profiler.stopPreciseCoverage')
    return shortest!
  } finally {
    session.disconnect()
    agent.destroy()
  }
}

/** Sends a request and reads its response. @throws Error for a status other than 2xx */
async function send(
  { path, isOfUser = false, bodyOf }: Subject,
  number: number,
  kernel: Kernel,
  agent: Agent,
): Promise<void> {
  const body = bodyOf?.(number)
  const login = Buffer.from(`${AUTHOR.login}:${AUTHOR.password}`).toString('base64')
  const headers: Record<string, string> = isOfUser ? { authorization: `Basic ${login}` } : {}
  if (body !== undefined) headers['content-type'] = 'application/json'
  const options = { agent, method: body === undefined ? 'GET' : 'POST', headers }
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(kernel.urls.rest(path), options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!))
    })
    sent.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
  if (status >= 300) throw new Error(`${path} responded with ${status}.`)
}

/** Returns the called functions of the kernel and of plugins. */
function functionsIn(coverage: readonly Profiler.ScriptCoverage[]): CalledFunction[] {
  return coverage.flatMap(({ url, functions }) => {
    if (!url.startsWith(`${root}/kernel/`) && !url.startsWith(`${root}/plugins/`)) return []
    const file = fileURLToPath(url).slice(fileURLToPath(root).length + 1)
    return functions.flatMap(({ functionName, ranges }) => {
      const calls = ranges[0]!.count
      return calls === 0 ? [] : [{ name: functionName, file, calls }]
    })
  })
}

function printFunctions(called: readonly CalledFunction[]): void {
  const sorted = called.toSorted((one, other) => other.calls - one.calls)
  for (const { name, file, calls } of sorted) console.log(`${calls}\t${file}\t${name || '(anonymous)'}`)
}
