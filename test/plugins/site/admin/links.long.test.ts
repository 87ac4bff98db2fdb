import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse, type Browser } from '../../../helpers/browser.ts'
import { serveWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'
import { run } from '../../../helpers/svc-serve.ts'
import { createImporter } from '../../operations/importer/importing.ts'

const links = suite('the links of the admin')

/** The page of one plugin stands for the others. The export of the fixture has no files. */
const UNCHECKED = /\/svc-admin\/plugins\/(?!cors$)|\/uploads\//

/**
 * Opens all pages of the admin that are reachable from the dashboard, and requests every URL on them once.
 * @returns the URLs that do not work, with the page that links to them
 */
async function brokenLinks(browser: Browser, home: string): Promise<{ broken: string[]; pages: number }> {
  const start = `${home}/svc-admin/`
  const found = new Map([[start, '']])
  const broken: string[] = []
  let pages = 0
  for (const [url, from] of found) {
    const response = await browser.open(url)
    const text = await response.text()
    if (response.status >= 400) broken.push(`${response.status} ${url} on ${from}`)
    const { search, hash } = new URL(url)
    // Filtered and sorted lists repeat the links of the plain list, with other parameters.
    if (!url.startsWith(start) || url.includes('/assets/') || search + hash !== '' || response.status !== 200) continue
    pages += 1
    for (const [, written = ''] of text.matchAll(/\s(?:href|src|action)="([^"]*)"/g)) {
      const target = new URL(
        written.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
        url,
      )
      target.hash = ''
      const isHere = target.href.startsWith(`${home}/`) && !UNCHECKED.test(target.href)
      if (isHere && !found.has(target.href)) found.set(target.href, url)
    }
  }
  return { broken, pages }
}

links('lead to existing pages on an untouched site', async () => {
  const site = await run(['--port', '0'], { 'svc.config.json': '{}' })
  try {
    const [, password = ''] = await site.printed(/Password {3}(\S+)/)
    const home = await site.home()
    const browser = browse({ home, kernel: { branding: { loginPath: '/svc-login' } } } as never)
    await browser.logIn('admin', password)
    // Leads to the setup once.
    assert.is((await browser.open('/svc-admin/')).status, 303)
    const { broken, pages } = await brokenLinks(browser, home)
    assert.equal(broken, [])
    assert.ok(pages > 40, `only ${pages} pages were found`)
  } finally {
    site.kill('SIGTERM')
    await site.end()
  }
})

links('lead to pages that the user can open, for every role of an imported site', async () => {
  await using site = await serveWithUsers(filePlace)
  await createImporter(site)(site.store, { home: site.home })
  for (const login of ['admin', 'ed', 'ann', 'con', 'sub'] as const) {
    const browser = browse(site)
    await browser.logIn(login, `pass phrase of ${login}`)
    const { broken } = await brokenLinks(browser, site.home)
    assert.equal(broken, [], login)
  }
})

links.run()
