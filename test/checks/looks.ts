// npm run looks [-- --all]: serves the newest recorded site and compares the computed styles of every content element
// with the recorded ones, in Chromium. Prints the clusters of differences that have no reason in test/looks-known.txt;
// with --all, all clusters. Fails if a cluster has no reason, or if fewer than 95 of 100 elements are equal.
// Also reads all pages of the sitemaps, and fails if several elements of a page have the same ID.
//
// The last line is "looks: N equal, N different, N clusters without a reason".
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repeatedIds } from '../helpers/repeated-ids.ts'
import { root, runAndRead, serveRecordedSite, SETS, shared } from './recorded-site.ts'

const folder = join(shared, 'looks')
const known = join(root, 'test', 'looks-known.txt')
const chromium =
  process.env['SVC_TEST_CHROMIUM'] ??
  execFileSync('sh', ['-c', 'command -v chromium-headless-shell chromium chromium-browser google-chrome | head -n 1'])
    .toString()
    .trim()

/** Starts of cluster names that the list gives a reason for. */
const reasons = readFileSync(known, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [start = '', reason = ''] = line.split(' # ')
    if (start === '' || reason === '') throw new Error(`The line "${line}" of ${known} has no reason.`)
    return start
  })

await serveRecordedSite(
  SETS.at(-1)!,
  async ({ home }) => {
    const compare = [join(folder, 'looks.mjs'), 'compare', home, join(folder, 'looks.json.gz'), '--worst', '100000']
    const { code, printed } = await runAndRead(compare, { CHROMIUM: chromium, PLAYWRIGHT: root })
    const [, equal, different] = /^(\d+) equal, (\d+) different/m.exec(printed) ?? []
    if (code !== 0 || equal === undefined) throw new Error('The comparison ended without a summary.')
    const clusters = printed.split(/^(?= *\d+ × )/m).filter((text) => /^ *\d+ × /.test(text))
    const unexplained = clusters.filter((text) => {
      const name = text.slice(text.indexOf('×') + 2)
      return !reasons.some((start) => name.startsWith(start))
    })
    for (const text of process.argv.includes('--all') ? clusters : unexplained) console.log(text.trimEnd())
    console.log(`looks: ${equal} equal, ${different} different, ${unexplained.length} clusters without a reason`)
    const repeated = await pagesWithRepeatedIds(home)
    for (const [page, ids] of repeated) console.log(`${page} has several elements with the ID ${ids.join(', ')}`)
    if (repeated.length > 0 || unexplained.length > 0 || Number(equal) < 0.95 * (Number(equal) + Number(different)))
      process.exitCode = 1
  },
  { word: 'wp' },
)

/** Returns the pages of the sitemaps that contain an ID several times, with these IDs. */
async function pagesWithRepeatedIds(home: string): Promise<[page: string, ids: string[]][]> {
  const read = async (url: string) => (await fetch(url)).text()
  const locations = (xml: string) => [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => url!)
  const maps = await Promise.all(locations(await read(new URL('/sitemap.xml', home).href)).map(read))
  const pages = maps.flatMap(locations)
  if (pages.length === 0) throw new Error('The sitemaps list no pages.')
  const repeated: [string, string[]][] = []
  for (const page of pages) repeated.push([page, repeatedIds(await read(page))])
  return repeated.filter(([, ids]) => ids.length > 0)
}
