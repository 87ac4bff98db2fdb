// npm run compat [-- FOLDER…] [--all] [--verbose]: for each recorded plugin of WordPress, imports the recorded site into a new
// site with the plugins that stand in for it, sends the recorded requests in order, and compares the responses. The
// recordings are not part of this repository: SVC_SHARED names their folder, ../shared by default. SVC_DATABASE selects a
// PostgreSQL database. test/compat-setup.json has the writes that the recordings lack, and that their responses show.
//
// The last line is "compat: N equal, N different, N not copied, N without a reason". Answers that differ only where the
// recorded plugin leaks data are not copied, and do not count. Fails if fewer than 95 of 100 answers are equal, if a
// difference has no reason in test/compat-known.txt, or if a line of that file explains no difference. --all prints known
// differences too, --verbose every difference of an answer.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AnswerPlayer, type Answer } from './compat-answers.ts'
import { judge, readKnown, type KnownDifference, type Verdict } from './compat-known.ts'
import { recordedPath, SITES, withCompatSite, type CompatSite } from './compat-sites.ts'
import { root } from './recorded-site.ts'

/** Share of the answers that must be equal. */
const REQUIRED_SHARE = 0.95
/** Sites that are imported and served at the same time. */
const CONCURRENT_SITES = 2

/** Requests that the recordings lack, by the folder and the name of the answer before which they were sent. */
type Setup = Readonly<Record<string, readonly Answer[]>>

/** A recorded answer with its differences here. */
interface Result {
  readonly folder: string
  readonly answer: Answer
  readonly verdict: Verdict
  readonly differences: readonly string[]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, verbose: { type: 'boolean' } },
})
const known = await readKnown(join(root, 'test', 'compat-known.txt'))
const setup = JSON.parse(await readFile(join(root, 'test', 'compat-setup.json'), 'utf8')) as Setup
const folders = positionals.length > 0 ? positionals : Object.keys(SITES)
const results = await playAll(folders)
for (const folder of folders) print(folder)

const count = (kind: Verdict['kind']) => results.filter(({ verdict }) => verdict.kind === kind).length
const [equal, different] = [count('equal'), count('different')]
const unexplained = results.filter(({ verdict }) => verdict.unexplained.length > 0).length
const used = new Set<KnownDifference>(results.flatMap(({ verdict }) => verdict.used))
const unused = known.filter((line) => !used.has(line) && folders.includes(line.key.split(':', 1)[0]!))
for (const { line } of unused) console.log(`test/compat-known.txt: no difference matches "${line}"; remove the line`)
console.log(
  `\ncompat: ${equal} equal, ${different} different, ${count('not copied')} not copied, ${unexplained} without a reason`,
)
if (unexplained > 0 || unused.length > 0 || equal < REQUIRED_SHARE * (equal + different)) process.exitCode = 1

/** Plays the answers of all sites, some sites at the same time. */
async function playAll(names: readonly string[]): Promise<Result[]> {
  const sites = names.flatMap((folder) => {
    const own = SITES[folder]
    if (own === undefined)
      throw new Error(`"${folder}" is not a folder of recordings: ${Object.keys(SITES).join(', ')}.`)
    return own.map((site) => ({ folder, site }))
  })
  const played: Result[][] = []
  const remaining = sites.entries()
  const playNext = async () => {
    for (const [index, { folder, site }] of remaining) played[index] = await playSite(folder, site)
  }
  await Promise.all(Array.from({ length: CONCURRENT_SITES }, playNext))
  return played.flat()
}

/** Plays the answers of a site on a new one. */
async function playSite(folder: string, site: CompatSite): Promise<Result[]> {
  const recorded = JSON.parse(await readFile(recordedPath(`${folder}/answers.json`), 'utf8')) as Answer[]
  const others = SITES[folder]!.flatMap(({ names }) => names ?? [])
  const answers = recorded.filter(
    ({ name, status }) =>
      status !== 0 && (site.names === undefined ? !others.some((names) => names.test(name)) : site.names.test(name)),
  )
  if (answers.length === 0) return []
  return withCompatSite(folder, site, async (home) => {
    const player = new AnswerPlayer(home)
    const mapped = recorded.find(({ name }) => name.startsWith('ids: old to new'))?.body as
      { terms: Readonly<Record<string, number | string>> } | undefined
    if (mapped !== undefined) player.mapTerms(mapped.terms)
    const results: Result[] = []
    for (const answer of answers) {
      const key = `${folder}: ${answer.name}`
      for (const step of setup[key] ?? []) await player.prepare(step, key)
      const differences = await player.play(answer)
      results.push({ folder, answer, differences, verdict: judge(known, key, differences) })
    }
    return results
  })
}

/** Prints the results of a folder. */
function print(folder: string): void {
  const own = results.filter((result) => result.folder === folder)
  console.log(`\n${folder}: ${own.filter(({ verdict }) => verdict.kind === 'equal').length} of ${own.length} equal`)
  for (const { answer, differences, verdict } of own) {
    const { kind, reasons, unexplained: open } = verdict
    if (kind === 'equal' || (open.length === 0 && values.all !== true)) continue
    console.log(
      `  ${answer.method} ${answer.path} (${answer.name})${reasons.map((reason) => ` known: ${reason}`).join('')}`,
    )
    const shown = open.length === 0 ? differences : open
    for (const line of values.verbose === true ? shown : shown.slice(0, 3)) console.log(`      ${line}`)
  }
}
