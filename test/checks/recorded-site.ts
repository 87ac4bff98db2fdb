// Serves the sites that the recordings were made of, and starts the programs that compare them.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { emptyPostgresPlace } from '../helpers/stores.ts'
import { prepareSite, run, startServer, type Site } from './server.ts'

/** The folder of this repository. */
export const root = resolve(import.meta.dirname, '../..')

/** The folder of the recordings, which are not part of this repository. */
export const shared = resolve(process.env['SVC_SHARED'] ?? join(root, '..', 'shared'))

if (!existsSync(join(shared, 'conformance'))) {
  console.error(`${shared} contains no recordings. Set SVC_SHARED to the folder with conformance/ and data/.`)
  process.exit(1)
}

/** A set of recordings: its folder, its revision, and the content of the recorded site. */
export interface RecordedSet {
  cases: string
  revision: string
  data: string
  siteFiles: readonly string[]
  knownFailing: string
}

/** The sets of recorded cases. The last one is the site of the crawl and of the recorded looks. */
export const SETS: readonly RecordedSet[] = [
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

/** Options of a served site of recordings. */
interface ServedSite {
  /** Prefix of identifiers of the REST API. `svc` by default. */
  word?: 'svc' | 'wp'
  /** Word under which the site is imported, by default `word`. */
  importedWord?: 'svc' | 'wp'
}

/**
 * Imports the site of a set into a new site and serves it while `use` runs. The site is a new SQLite file, or a new
 * database on the PostgreSQL server in SVC_DATABASE.
 * @returns the result of `use`
 */
export async function serveRecordedSite<T>(
  set: RecordedSet,
  use: (site: Site) => Promise<T>,
  { word = 'svc', importedWord = word }: ServedSite = {},
): Promise<T> {
  const databases = process.env['SVC_DATABASE']
  const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-'))
  await using place = databases === undefined ? null : await emptyPostgresPlace(databases)
  const env = place === null ? process.env : { ...process.env, SVC_DATABASE: place.url }
  try {
    const config = {
      revision: set.revision,
      word,
      plugins: {
        [join(root, 'test', 'fixtures', 'conformance.ts')]: {},
        // The recorded site had this setting.
        media: { client_resizing: true },
      },
    }
    const { home } = await prepareSite(folder, { ...config, word: importedWord })
    const { port } = new URL(home)
    const inData = (name: string) => join(shared, 'data', set.data, name)
    const scoped = join(folder, 'site.json')
    await writeFile(scoped, withScopes(await readFile(inData('site.json'), 'utf8')))
    const siteFiles = set.siteFiles.flatMap((name) => ['--site', name === 'site.json' ? scoped : inData(name)])
    // The recorded site did not filter its import.
    const flags = ['--uploads', inData('uploads.tar.gz'), ...siteFiles, '--trust-html']
    await run(process.execPath, [join(root, 'bin', 'svc-import'), inData('site.wxr.xml'), ...flags], folder, env)
    const site = await prepareSite(folder, { ...config, port: Number(port) })
    await using _server = await startServer(join(root, 'bin', 'svc-serve'), site, { env })
    return await use(site)
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

/** Runs a Node program, passes its output on, and returns the output with the exit code. */
export function runAndPrint(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runAndRead(args, env, (chunk) => process.stdout.write(chunk))
}

/**
 * Runs a Node program and returns its output with the exit code.
 * @param onOutput is called with each piece of the output
 */
export async function runAndRead(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onOutput: (chunk: Buffer) => void = () => {},
) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    onOutput(chunk)
    printed += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, printed }
}
