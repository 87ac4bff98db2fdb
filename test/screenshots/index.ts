// npm run screenshots [-- --update] [NAME…]: opens the pages of the admin and of each theme on a sample site, at three widths in
// both color schemes, runs axe on each, and compares them with the pictures in `test/screenshots/pictures`. A name selects
// the pages whose name contains it: `npm run screenshots -- edit-post`.
//
// `--update` replaces the pictures. Without it, the pages that differ are stored in `data/screenshots`, each with a picture in
// which different pixels are red.
//
// On a machine whose Chromium or fonts are not those of the pictures, only axe runs.
//
// The last line is "screenshots: N equal, N different, N accessibility findings".
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, styleText } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { accessibilityFindings } from '../helpers/accessibility.ts'
import { ADMIN_PAGES, filledPath, PUBLIC_PAGES, THEMES, VISITOR_PAGES, type ShownPage } from './pages.ts'
import { HEIGHT, logIn, openContext, startSampleBrowser } from './sample-browser.ts'
import { HOME, serveSample, type SampleSite } from './sample-site.ts'
import { compareSheets, sheetOf, type Picture } from './sheets.ts'

const WIDTHS = [1280, 768, 390] as const
const SCHEMES = ['light', 'dark'] as const
/** Rules of axe that are checked in each scheme; all by default. Only colors depend on the scheme. */
const RULES = { light: undefined, dark: ['color-contrast', 'link-in-text-block'] } as const
/** Maximum height of a picture in pixels. */
const MAX_HEIGHT = 2400
/** Number of pages that are open at the same time. */
const PARALLEL = 3

/**
 * Script that loads all images of a page, from the same file at every width. Images that cannot be loaded, such as avatars of
 * another host, stay empty. It hides frames, whose images it cannot wait for: they show pages that have pictures.
 */
const LOAD_IMAGES = `Promise.all([...document.images].map((image) => {
  image.removeAttribute('srcset')
  image.loading = 'eager'
  image.decoding = 'sync'
  return image.decode().catch(() => {})
})).then(() => {
  for (const frame of document.querySelectorAll('iframe')) frame.style.visibility = 'hidden'
})`

const RECORDED_PICTURES = join(import.meta.dirname, 'pictures')
const MACHINE = join(RECORDED_PICTURES, 'machine.txt')
const NEW_PICTURES = join(import.meta.dirname, '../../data/screenshots')

const options = { update: { type: 'boolean', default: false } } as const
const { values, positionals: parts } = parseArgs({ options, allowPositionals: true })
const isChosen = ({ name }: ShownPage) => parts.length === 0 || parts.some((part) => name.includes(part))
const sum = { equal: 0, different: 0, findings: 0 }

await rm(NEW_PICTURES, { recursive: true, force: true })
await mkdir(NEW_PICTURES, { recursive: true })
await using sample = await serveSample()
checkCoverage(sample)
const browser = await startSampleBrowser(sample)
let compares = true
try {
  const [admin, visitor] = [await openContext(browser), await openContext(browser)]
  const machine = await machineOf(browser, visitor)
  if (values.update) await writeFile(MACHINE, machine)
  const recorded = await readFile(MACHINE, 'utf8')
  compares = machine === recorded
  if (!compares) console.log(`The pictures are not compared. Here:\n${machine}When they were recorded:\n${recorded}`)
  await logIn(admin)
  for (const changesSite of [false, true])
    await takeAll(
      admin,
      ADMIN_PAGES.filter((page) => (page.changesSite ?? false) === changesSite),
    )
  await takeAll(visitor, VISITOR_PAGES)
  for (const theme of THEMES) {
    await sample.site.kernel.services.options.set('theme', { stylesheet: theme })
    await takeAll(
      visitor,
      PUBLIC_PAGES.map((page) => ({ ...page, name: `${theme}-${page.name}` })),
    )
  }
} finally {
  await browser.close()
}
if (sum.different > 0)
  console.log(`See the new pages and the differences in ${NEW_PICTURES}. "--update" records the new pages.`)
console.log(`screenshots: ${sum.equal} equal, ${sum.different} different, ${sum.findings} accessibility findings`)
if (sum.different + sum.findings > 0) process.exitCode = 1

/** @throws Error if no picture shows a page of the admin */
function checkCoverage({ site, ids }: SampleSite): void {
  const { admin } = site.kernel.services
  const prefix = '/svc-admin/'.length
  const shown = ADMIN_PAGES.map(({ path }) => admin.find(filledPath(path, ids).slice(prefix).split('?')[0]!)?.page.path)
  const missing = admin.pages().filter(({ path }) => !shown.includes(path))
  if (missing.length > 0)
    throw new Error(`Add to test/screenshots/pages.ts: ${missing.map(({ path }) => path).join(', ')}`)
}

/** Describes what pictures depend on: the version of Chromium, and the widths of a text in the fonts of pages. */
async function machineOf(started: Browser, context: BrowserContext): Promise<string> {
  const page = await context.newPage()
  const widths = await page.evaluate<number[]>(`['sans-serif', 'system-ui', 'serif', 'monospace'].map((font) => {
    const text = document.createElement('canvas').getContext('2d')
    text.font = '100px ' + font
    return text.measureText('High water at 6:12 and 18:40').width
  })`)
  await page.close()
  return `Chromium ${started.version().split('.')[0]}\nWidths of a text: ${widths.map((width) => width.toFixed(1)).join(', ')}\n`
}

async function takeAll(context: BrowserContext, pages: readonly ShownPage[]): Promise<void> {
  const queue = pages.filter(isChosen)
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      const page = await context.newPage()
      for (let shown = queue.shift(); shown !== undefined; shown = queue.shift()) await take(page, shown)
      await page.close()
    }),
  )
}

/** Takes the pictures of a page, runs axe, and records or compares the pictures. */
async function take(page: Page, shown: ShownPage): Promise<void> {
  await open(page, shown)
  const pictures: Picture[] = []
  const findings = new Set<string>()
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme })
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT })
      for (const finding of await accessibilityFindings(page, undefined, RULES[colorScheme])) findings.add(finding)
      const height = Math.min(MAX_HEIGHT, await page.evaluate<number>('document.documentElement.scrollHeight'))
      const clip = { x: 0, y: 0, width, height }
      const png = await page.screenshot({ fullPage: true, clip, animations: 'disabled', caret: 'hide' })
      pictures.push({ name: `${width} px, ${colorScheme}`, width, png })
    }
  }
  for (const finding of findings) console.log(`${shown.name}: ${finding}`)
  sum.findings += findings.size
  if (!compares && !values.update) return
  const sheet = await sheetOf(pictures)
  const recorded = join(RECORDED_PICTURES, `${shown.name}.webp`)
  if (values.update) {
    await mkdir(RECORDED_PICTURES, { recursive: true })
    await writeFile(recorded, sheet)
    sum.equal += pictures.length
    return
  }
  if (!existsSync(recorded)) {
    console.log(`${shown.name}: no recorded pictures`)
    sum.different += pictures.length
    return
  }
  const compared = await compareSheets(sheet, recorded, pictures, join(NEW_PICTURES, `${shown.name}-difference.png`))
  for (const [at, { name, isEqual, share }] of compared.entries()) {
    if (isEqual) sum.equal += 1
    else {
      sum.different += 1
      console.log(styleText('red', `${shown.name} at ${name}: ${(100 * share).toFixed(3)} % of the pixels differ`))
      await writeFile(join(NEW_PICTURES, `${shown.name}-${name.replace(' px, ', '-')}.png`), pictures[at]!.png)
    }
  }
}

async function open(page: Page, { name, path, ready, status = 200, varying }: ShownPage): Promise<void> {
  await page.emulateMedia({ colorScheme: SCHEMES[0] })
  await page.setViewportSize({ width: WIDTHS[0], height: HEIGHT })
  const response = await page.goto(HOME + filledPath(path, sample.ids))
  if (response?.status() !== status) throw new Error(`The page ${name} has the status ${response?.status()}`)
  if (ready !== undefined) await page.locator(ready).first().waitFor()
  await page.evaluate(LOAD_IMAGES)
  if (varying === undefined) return
  const script = `for (const element of document.querySelectorAll('${varying}')) element.textContent = '…'`
  await page.evaluate(script)
}
