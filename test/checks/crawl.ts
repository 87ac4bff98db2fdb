// npm run crawl [-- [--imported-word svc] [options of the crawler]]: serves the newest recorded site, sends the requests
// that the routes of the recorded server describe, and compares the responses. test/crawl-known.txt has the reasons of the
// differences that stay. A complete crawl fails if a line of the list matches no difference, so that the list only shrinks.
//
// With `--imported-word svc` the site is imported under the word svc and served under wp: the numbers must be the same.
// The last line is "crawl: N equal, N different, N clusters without a reason".
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reasonFor, readReasons } from './crawl-reasons.ts'
import { root, runAndPrint, serveRecordedSite, SETS, shared } from './recorded-site.ts'

const crawler = join(shared, 'conformance', 'crawl', 'crawl.mjs')
const known = join(root, 'test', 'crawl-known.txt')

/** A difference that several requests have, and all of these requests. */
interface Cluster {
  readonly key: string
  readonly samples: readonly { readonly method: string; readonly path: string; readonly as?: string }[]
}

const crawlerArgs = process.argv.slice(2)
const flagIndex = crawlerArgs.indexOf('--imported-word')
const importedWord = flagIndex === -1 ? 'wp' : crawlerArgs.splice(flagIndex, 2)[1]
if (importedWord !== 'svc' && importedWord !== 'wp') throw new Error('--imported-word must be svc or wp.')

await serveRecordedSite(
  SETS.at(-1)!,
  async ({ home }) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-crawl-'))
    const file = join(folder.path, 'clusters.json')
    const all = ['--json', file, '--samples', '100000']
    const { code, printed } = await runAndPrint([crawler, home, '--known', known, ...all, ...crawlerArgs])
    const [, equal, different] = /^(\d+) equal, (\d+) different/m.exec(printed) ?? []
    if (code !== 0 || equal === undefined) throw new Error('The crawler ended without a summary.')
    const clusters = JSON.parse(await readFile(file, 'utf8')) as Cluster[]
    const reasons = readReasons(await readFile(known, 'utf8'))
    const used = new Set<unknown>()
    const unexplained = new Set<string>()
    for (const { key, samples } of clusters) {
      for (const { method, path, as } of samples) {
        const reason = reasonFor(reasons, key, path)
        if (reason !== undefined) used.add(reason)
        else {
          unexplained.add(key)
          console.log(`${key}: no reason for ${method} ${path} as ${as ?? 'anonymous'}`)
        }
      }
    }
    console.log(`crawl: ${equal} equal, ${different} different, ${unexplained.size} clusters without a reason`)
    if (unexplained.size > 0) process.exitCode = 1
    // A partial crawl does not reach all clusters.
    const isPartial = crawlerArgs.some((arg) => arg === '--only' || arg === '--max')
    for (const { line } of isPartial ? [] : reasons.filter((one) => !used.has(one))) {
      console.log(`test/crawl-known.txt: no difference matches "${line}"; remove the line`)
      process.exitCode = 1
    }
  },
  { word: 'wp', importedWord },
)
