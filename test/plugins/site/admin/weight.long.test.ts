import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import { bundledName } from '../../../../plugins/site/admin/frame/libraries.ts'
import { BUNDLE_FOLDER, bundleAssets, bundleLibraries } from '../../../checks/bundle.ts'
import { browse } from '../../../helpers/browser.ts'
import { useChromium } from '../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../helpers/log-in.ts'
import { serveWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'

const weight = suite('the weight of admin pages')
const { inBrowser, openWindow } = useChromium(weight)

const KILOBYTE = 1000
const MAX_PAGE_BYTES = 35 * KILOBYTE
const MAX_EDITOR_BYTES = 200 * KILOBYTE

/** Collects the sizes of the files that a page loads, as sent with gzip, by URL. */
async function weighFiles(page: Page): Promise<() => Promise<ReadonlyMap<string, number>>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  let sizes: Promise<readonly [string, number]>[] = []
  page.on('requestfinished', (request) => {
    if (!request.url().includes('/svc-admin/assets/')) return
    sizes.push(request.sizes().then(({ responseBodySize }) => [request.url(), responseBodySize] as const))
  })
  return async () => {
    await page.waitForLoadState('networkidle')
    const found = new Map(await Promise.all(sizes))
    sizes = []
    return found
  }
}

const sum = (sizes: ReadonlyMap<string, number>) => [...sizes.values()].reduce((total, size) => total + size, 0)

/** Describes the largest files for the message of a failed test. */
const largest = (sizes: ReadonlyMap<string, number>) =>
  [...sizes]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, 15)
    .map(([url, size]) => `${size} ${url}`)
    .join('\n')

inBrowser('is at most 200 kB for the editor, which loads its other parts on first use', async () => {
  await using site = await serveWithUsers(filePlace, { plugins: { compression: { encodings: ['gzip'] } } })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/users`, 'admin')
  const weigh = await weighFiles(page)
  await page.goto(`${site.home}/svc-admin/content/post/new`)
  await page.locator('.ProseMirror[contenteditable="true"]').waitFor()
  const first = await weigh()
  assert.ok(first.size > 20, `${first.size} files`)
  assert.ok(sum(first) <= MAX_EDITOR_BYTES, `${sum(first)} bytes\n${largest(first)}`)

  await page.locator('.ProseMirror').click()
  await page.keyboard.type('/table')
  await page.keyboard.press('Enter')
  await page.getByRole('tab', { name: 'Block' }).click()
  await page.getByRole('button', { name: 'Add row' }).waitFor()
  const later = [...(await weigh()).keys()].map((url) => url.replace(/^.*\//, ''))
  for (const file of ['block-form.js', 'tables.js', 'table-tools.js']) assert.ok(later.includes(file), file)
  assert.equal(window.complaints, [])
})

inBrowser('is at most 35 kB for each other page of the menu', async () => {
  await using site = await serveWithUsers(filePlace, { plugins: { compression: { encodings: ['gzip'] } } })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/users`, 'admin')
  const links = await page.locator('#menu a[href]').evaluateAll((all) => all.map((link) => Reflect.get(link, 'href')))
  const pages = [...new Set(links.map(String))].filter((url) => url.startsWith(`${site.home}/svc-admin`))
  assert.ok(pages.length > 12, `${pages.length} pages`)
  const weigh = await weighFiles(page)
  const tooLarge: string[] = []
  for (const url of pages.filter((one) => !one.endsWith('/new'))) {
    await page.goto(url)
    const sizes = await weigh()
    assert.ok(sizes.size > 3, url)
    if (sum(sizes) > MAX_PAGE_BYTES) tooLarge.push(`${url}: ${sum(sizes)} bytes\n${largest(sizes)}`)
  }
  assert.equal(tooLarge, [])
})

weight('is at most 200 kB for the editor of the package, and 35 kB for each other page', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weight-'))
  await bundleLibraries(join(folder, BUNDLE_FOLDER))
  await bundleAssets(folder)
  await using site = await serveWithUsers(filePlace)
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  const weigh = async (path: string) => sum(await packagedFiles(await (await admin.open(path)).text(), folder))

  const editor = await weigh('/svc-admin/content/post/new')
  assert.ok(editor > 2 * MAX_PAGE_BYTES && editor <= MAX_EDITOR_BYTES, `${editor} bytes`)
  const [menu = ''] = /<nav id="menu"[^]*?<\/nav>/.exec(await (await admin.open('/svc-admin/')).text()) ?? []
  const pages = [...menu.matchAll(/href="([^"]*\/svc-admin\/[^"]*)"/g)].map(([, url]) => url!)
  const others = [...new Set(pages)].filter((url) => !url.endsWith('/new') && !url.includes('/assets/'))
  assert.ok(others.length > 12, `${others.length} pages`)
  for (const url of others) {
    const size = await weigh(url)
    assert.ok(size > 0 && size <= MAX_PAGE_BYTES, `${url}: ${size} bytes`)
  }
  await rm(folder, { recursive: true })
})

/** Returns the compressed sizes of the files of the package that a page loads first, by path. */
async function packagedFiles(page: string, folder: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>()
  const visit = async (path: string) => {
    if (sizes.has(path)) return
    const bytes = await readFile(path)
    sizes.set(path, gzipSync(bytes, { level: 9 }).length)
    if (!path.endsWith('.js')) return
    // Imports at the start, and the editor itself; other parts are loaded on first use.
    const imports = /(?:\bfrom|\bimport)"([\w@./-]+)"|\bimport\("(\.\/(?:editor\/)?editor\.js)"\)/g
    for (const [, name, editor] of bytes.toString().matchAll(imports)) {
      const one = editor ?? name!
      await visit(one.startsWith('.') ? join(path, '..', one) : join(folder, BUNDLE_FOLDER, `${bundledName(one)}.js`))
    }
  }
  const assets = join(folder, 'plugins/site/admin/assets')
  const loaded = /<(?:link rel="stylesheet" href|script type="module" src)="[^"]*\/assets\/core\/\w+\/([^"]+)"/g
  for (const [, file] of page.matchAll(loaded)) await visit(join(assets, file!))
  return sizes.set('icons.svg', gzipSync(await readFile('plugins/site/admin/assets/icons.svg'), { level: 9 }).length)
}

weight.run()
