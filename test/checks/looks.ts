// npm run looks [-- options of the comparison]: serves the newest recorded site and compares the computed styles of
// every content element with the recorded ones, in Chromium. At least 95 of 100 elements must be equal.
//
// The last line is "looks: N equal, N different".
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { root, runAndPrint, serveRecordedSite, SETS, shared } from './recorded-site.ts'

const folder = join(shared, 'looks')
const chromium =
  process.env['SVC_TEST_CHROMIUM'] ??
  execFileSync('sh', ['-c', 'command -v chromium-headless-shell chromium chromium-browser google-chrome | head -n 1'])
    .toString()
    .trim()

await serveRecordedSite(
  SETS.at(-1)!,
  async ({ home }) => {
    const args = [join(folder, 'looks.mjs'), 'compare', home, join(folder, 'looks.json.gz'), ...process.argv.slice(2)]
    const { code, printed } = await runAndPrint(args, { CHROMIUM: chromium, PLAYWRIGHT: root })
    const [, equal, different] = /^(\d+) equal, (\d+) different/m.exec(printed) ?? []
    if (code !== 0 || equal === undefined) throw new Error('The comparison ended without a summary.')
    console.log(`looks: ${equal} equal, ${different} different`)
    if (Number(equal) < 0.95 * (Number(equal) + Number(different))) process.exitCode = 1
  },
  { word: 'wp' },
)
