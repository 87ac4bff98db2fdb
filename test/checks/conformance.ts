// npm run conformance [-- options of the runner]: imports the recorded fixture site into a site of its own, serves it,
// and holds it against the recorded answers. The recordings are not part of this repository: they are looked for in
// ../shared or in the folder that SVC_SHARED names. SVC_DATABASE chooses another database than a new SQLite file.
//
// Closing line: "conformance: N passed, N failed, N known failing". A case on the list of known failing ones that
// passes counts as failed, as it fails the run: the list only shrinks.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { prepareSite, run, startServer } from './server.ts'

const root = resolve(import.meta.dirname, '../..')
const shared = resolve(process.env['SVC_SHARED'] ?? join(root, '..', 'shared'))
const linked = join(shared, 'conformance', 'run.mjs')

if (!existsSync(linked)) {
  console.error(`There are no recordings in ${shared}: set SVC_SHARED to the folder that holds conformance/ and data/.`)
  process.exit(1)
}

// The runner starts only under the very path that it is imported by.
const runner = realpathSync(linked)

const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-'))
try {
  const site = await prepareSite(folder, {
    plugins: {
      [join(root, 'test', 'fixtures', 'conformance.ts')]: {},
      // As it was recorded.
      cors: { credentials: 'all' },
    },
  })
  const [wxr, uploads, extras] = ['site.wxr.xml', 'uploads.tar.gz', 'site.json'].map((name) =>
    join(shared, 'data', 'site', name),
  ) as [string, string, string]
  // What was recorded came in unfiltered.
  const flags = ['--uploads', uploads, '--site', extras, '--trust-html']
  await run(process.execPath, [join(root, 'bin', 'svc-import'), wxr, ...flags], folder)
  await using _server = await startServer(join(root, 'bin', 'svc-serve'), site)
  process.exitCode = await compare(site.home, process.argv.slice(2))
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Runs the cases, shows what the runner prints, adds the closing line, and answers the runner's exit code. */
async function compare(home: string, options: string[]): Promise<number> {
  const list = join(root, 'test', 'conformance-known-failing.txt')
  const args = [runner, '--home', home, '--credentials', join(shared, 'conformance', 'users.json')]
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
  if (passed === undefined || failed === undefined) throw new Error('The runner of the recordings broke off.')
  const unexpected = count(printed, /^fails: /gm)
  const better = count(printed, /^passes, take it off the list: /gm)
  const known = Number(failed) - unexpected
  console.log(`conformance: ${Number(passed) - better} passed, ${unexpected + better} failed, ${known} known failing`)
  return code ?? 1
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
