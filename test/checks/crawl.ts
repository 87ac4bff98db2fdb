// npm run crawl [-- [--imported-word svc] [options of the crawler]]: serves the newest recorded site, sends the requests
// that the routes of the recorded server describe, and compares the responses. test/crawl-known.txt has the reasons of the
// differences that stay. A complete crawl fails if a line of the list matches no cluster, so that the list only shrinks.
//
// With `--imported-word svc` the site is imported under the word svc and served under wp: the numbers must be the same.
// The last line is "crawl: N equal, N different, N clusters without a reason".
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, runAndPrint, serveRecordedSite, SETS, shared } from './recorded-site.ts'

const crawler = join(shared, 'conformance', 'crawl', 'crawl.mjs')
const known = join(root, 'test', 'crawl-known.txt')

const crawlerArgs = process.argv.slice(2)
const flagIndex = crawlerArgs.indexOf('--imported-word')
const importedWord = flagIndex === -1 ? 'wp' : crawlerArgs.splice(flagIndex, 2)[1]
if (importedWord !== 'svc' && importedWord !== 'wp') throw new Error('--imported-word must be svc or wp.')

await serveRecordedSite(
  SETS.at(-1)!,
  async ({ home }) => {
    const { code, printed } = await runAndPrint([crawler, home, '--known', known, ...crawlerArgs])
    const [, equal, different] = /^(\d+) equal, (\d+) different/m.exec(printed) ?? []
    const [, unexplained] = /^(\d+) clusters are not in known/m.exec(printed) ?? []
    if (code !== 0 || equal === undefined || unexplained === undefined)
      throw new Error('The crawler ended without a summary.')
    console.log(`crawl: ${equal} equal, ${different} different, ${unexplained} clusters without a reason`)
    if (unexplained !== '0') process.exitCode = 1
    // A partial crawl does not reach all clusters.
    const outdated = crawlerArgs.some((arg) => arg === '--only' || arg === '--max') ? [] : outdatedLines(printed)
    for (const line of outdated) console.log(`test/crawl-known.txt: no cluster begins with "${line}"; remove the line`)
    if (outdated.length > 0) process.exitCode = 1
  },
  { word: 'wp', importedWord },
)

/** Returns the lines of the list that match no cluster. As in the crawler, the first matching line explains a cluster. */
function outdatedLines(printed: string): string[] {
  const keys = [...printed.matchAll(/^\d+ × (.*)$/gm)].map(([, key = '']) => key)
  const starts = readFileSync(known, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' # ')[0]!)
  const used = new Set(keys.map((key) => starts.find((start) => key.startsWith(start))))
  return starts.filter((start) => !used.has(start))
}
