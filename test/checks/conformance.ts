// npm run conformance [-- [--cases SET] options of the runner]: imports the site of each set of recordings into a new
// site, serves it in the recorded revision, and compares its responses with the recordings. The recordings are not part
// of this repository: set SVC_SHARED to their folder, ../shared by default. Each set uses a new SQLite file, or a new
// database on the PostgreSQL server in SVC_DATABASE.
//
// The last line is "conformance: N passed, N failed, N known failing". A known failing case that passes counts as
// failed, so that it is removed from the list.
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { root, runAndPrint, serveRecordedSite, SETS, shared, type RecordedSet } from './recorded-site.ts'

// The runner checks that it was started by its real path.
const runner = realpathSync(join(shared, 'conformance', 'run.mjs'))

const totals = { passed: 0, failed: 0, knownFailing: 0 }
const [only, ...options] = chosen(process.argv.slice(2))
for (const set of SETS) {
  if (only !== undefined && set.cases !== only) continue
  const { passed, failed, knownFailing, broken } = await serveRecordedSite(set, ({ home }) => {
    console.log(`\n${set.cases}, replayed in revision ${set.revision}`)
    return compare(home, set, options)
  })
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

/** Runs the cases of a set, prints the output of the runner, and counts the results. */
async function compare(home: string, { cases, knownFailing }: RecordedSet, options: string[]) {
  const list = join(root, 'test', knownFailing)
  const recorded = join(shared, 'conformance', cases)
  const args = [runner, '--home', home, '--credentials', join(shared, 'conformance', 'users.json'), '--cases', recorded]
  const { code, printed } = await runAndPrint([...args, '--known-failing', list, ...options])
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
