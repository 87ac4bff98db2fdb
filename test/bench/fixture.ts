import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { branding } from '../../bin/config/index.ts'
import { run } from '../checks/server.ts'
import { Contestant, type Load } from './contestant.ts'
import { median } from './measure.ts'
import { markdownTable } from './table.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const DATA = join(resolve(process.env['SVC_SHARED'] ?? join(ROOT, '..', 'shared')), 'data', 'site')

/** Concurrent requests: few, so that they do not share reads. */
const CONNECTIONS = 2
const WARM_UP_SECONDS = 2.5
const ROUND_SECONDS = 1
const ROUNDS = 5

/** The rows of the report: typical lists, and the largest object of each kind. */
const PATHS: Readonly<Record<string, string>> = {
  'one post': '/posts/1178',
  '100 categories': '/categories?per_page=100',
  '20 comments': '/comments?per_page=20',
  '20 media': '/media?per_page=20',
  index: '/',
  '10 posts': '/posts?per_page=10',
  '100 posts': '/posts?per_page=100',
}

/**
 * Measures the processor time of visitors' requests on the site of the recordings, on SQLite, without cached responses and
 * items.
 * @param isIncluded selects rows by name
 * @param profiles folder for a CPU profile
 */
export async function measureFixture(isIncluded: (name: string) => boolean, profiles?: string): Promise<string> {
  if (!existsSync(DATA)) throw new Error(`There is no site in ${DATA}: set SVC_SHARED to the folder that holds data/.`)
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-fixture-'))
  try {
    await writeFile(join(folder, 'svc.config.json'), JSON.stringify({ home: 'http://127.0.0.1', database: DATABASE }))
    const files = ['--uploads', join(DATA, 'uploads.tar.gz'), '--site', join(DATA, 'site.json'), '--trust-html']
    await run(process.execPath, [join(ROOT, 'bin', 'svc-import'), join(DATA, 'site.wxr.xml'), ...files], folder)
    await using server = await Contestant.start(
      ['cold', DATABASE.replace('site.db', join(folder, 'site.db'))],
      profiles,
    )
    const rows: string[][] = []
    for (const [name, path] of Object.entries(PATHS)) {
      if (isIncluded(name)) rows.push([name, ...(await rowOf(server, { path: pathOf(path) }))])
    }
    return markdownTable(['request', 'kB', 'CPU ms', 'p50 ms', 'SQL'], rows)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const DATABASE = 'sqlite:site.db'

function pathOf(path: string): string {
  return path === '/' ? path : `/${branding('svc').namespace('v2')}${path}`
}

async function rowOf(server: Contestant, load: Load): Promise<string[]> {
  await server.load(load, CONNECTIONS, WARM_UP_SECONDS)
  await server.query('statements')
  const response = await fetch(`${server.url}${load.path}`)
  const bytes = (await response.arrayBuffer()).byteLength
  const statements = await server.query('statements')
  await server.query('uncounted')
  const rounds = []
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await server.load(load, CONNECTIONS, ROUND_SECONDS))
  const cpu = median(rounds.map((round) => round.cpu)) / 1000
  const p50 = median(rounds.map((round) => round.p50))
  return [(bytes / 1000).toFixed(1), cpu.toFixed(2), p50.toFixed(2), String(statements)]
}
