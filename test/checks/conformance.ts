// npm run conformance [-- [--cases SET] options of the runner]: imports the site of each set of recordings into a new
// site, serves it in the recorded revision, and compares its responses with the recordings. The recordings are not part
// of this repository: set SVC_SHARED to their folder, ../shared by default. Each set uses a new SQLite file, or a new
// database on the PostgreSQL server in SVC_DATABASE.
//
// The last line is "conformance: N passed, N failed, N known failing". A known failing case that passes counts as
// failed, so that it is removed from the list.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { emptyPostgresPlace } from '../helpers/stores.ts'
import { prepareSite, run, startServer } from './server.ts'

const root = resolve(import.meta.dirname, '../..')
const shared = resolve(process.env['SVC_SHARED'] ?? join(root, '..', 'shared'))
const linked = join(shared, 'conformance', 'run.mjs')

if (!existsSync(linked)) {
  console.error(`${shared} contains no recordings. Set SVC_SHARED to the folder with conformance/ and data/.`)
  process.exit(1)
}

// The runner checks that it was started by its real path.
const runner = realpathSync(linked)

/** A set of recordings: its folder, its revision, and the content of the recorded site. */
interface RecordedSet {
  cases: string
  revision: string
  data: string
  siteFiles: readonly string[]
  knownFailing: string
}

const SETS: readonly RecordedSet[] = [
  {
    cases: 'cases',
    revision: '6.1',
    data: 'site',
    siteFiles: ['site.json'],
    knownFailing: 'conformance-known-failing.txt',
  },
  {
    cases: 'cases-7.1',
    revision: 'latest',
    data: 'site-7.1',
    siteFiles: ['site.json', 'more.json'],
    knownFailing: 'conformance-7.1-known-failing.txt',
  },
]

const databases = process.env['SVC_DATABASE']
const totals = { passed: 0, failed: 0, knownFailing: 0 }
const [only, ...options] = chosen(process.argv.slice(2))
for (const set of SETS) {
  if (only !== undefined && set.cases !== only) continue
  const { passed, failed, knownFailing, broken } = await replay(set, options)
  totals.passed += passed
  totals.failed += failed
  totals.knownFailing += knownFailing
  if (broken || failed > 0) process.exitCode = 1
}
console.log(`conformance: ${totals.passed} passed, ${totals.failed} failed, ${totals.knownFailing} known failing`)

/** Returns the value of `--cases` and the options of the runner. */
function chosen([...args]: string[]): [cases: string | undefined, ...options: string[]] {
  const at = args.indexOf('--cases')
  if (at === -1) return [undefined, ...args]
  const [, cases] = args.splice(at, 2)
  if (!SETS.some((set) => set.cases === cases))
    throw new Error(
      `"${cases}" is not a set of recordings. Pass --cases ${SETS.map((set) => set.cases).join(' or --cases ')}.`,
    )
  return [cases, ...args]
}

/** Imports and serves the site of a set, and compares its responses with the recordings. */
async function replay(set: RecordedSet, options: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-'))
  await using place = databases === undefined ? null : await emptyPostgresPlace(databases)
  // For the commands below.
  if (place !== null) process.env['SVC_DATABASE'] = place.url
  try {
    const site = await prepareSite(folder, {
      revision: set.revision,
      plugins: {
        [join(root, 'test', 'fixtures', 'conformance.ts')]: {},
        // The recorded site had these settings.
        cors: { credentials: 'all' },
        media: { client_resizing: true },
      },
    })
    const inData = (name: string) => join(shared, 'data', set.data, name)
    const scoped = join(folder, 'site.json')
    await writeFile(scoped, withScopes(await readFile(inData('site.json'), 'utf8')))
    const siteFiles = set.siteFiles.flatMap((name) => ['--site', name === 'site.json' ? scoped : inData(name)])
    // The recorded site did not filter its import.
    const flags = ['--uploads', inData('uploads.tar.gz'), ...siteFiles, '--trust-html']
    await run(process.execPath, [join(root, 'bin', 'svc-import'), inData('site.wxr.xml'), ...flags], folder)
    await using _server = await startServer(join(root, 'bin', 'svc-serve'), site)
    console.log(`\n${set.cases}, replayed in revision ${set.revision}`)
    return await compare(site.home, set, options)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Gives all application passwords of a site file the scope `accounts`, as in the recorded site. */
function withScopes(siteFile: string): string {
  const site = JSON.parse(siteFile) as { users: { application_passwords?: { scopes?: string[] }[] }[] }
  for (const { application_passwords: passwords = [] } of site.users)
    for (const password of passwords) password.scopes = ['accounts']
  return JSON.stringify(site)
}

/** Runs the cases of a set, prints the output of the runner, and counts the results. */
async function compare(home: string, { cases, knownFailing }: RecordedSet, options: string[]) {
  const list = join(root, 'test', knownFailing)
  const recorded = join(shared, 'conformance', cases)
  const args = [runner, '--home', home, '--credentials', join(shared, 'conformance', 'users.json'), '--cases', recorded]
  const child = spawn(process.execPath, [...args, '--known-failing', list, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk)
    printed += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(printed) ?? []
  if (passed === undefined || failed === undefined)
    throw new Error('The runner of the recordings ended without a summary.')
  const unexpectedFailures = count(printed, /^fails: /gm)
  const unexpectedPasses = count(printed, /^passes, take it off the list: /gm)
  return {
    passed: Number(passed) - unexpectedPasses,
    failed: unexpectedFailures + unexpectedPasses,
    knownFailing: Number(failed) - unexpectedFailures,
    broken: code !== 0,
  }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
