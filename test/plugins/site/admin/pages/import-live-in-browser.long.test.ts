import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../../../helpers/accessibility.ts'
import { useChromium } from '../../../../helpers/chromium.ts'
import { holdSite } from '../../../../helpers/held-site.ts'
import { logInByKeyboard } from '../../../../helpers/log-in.ts'
import { assertFits } from '../../../../helpers/page-width.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../helpers/stores.ts'
import { MOVER, serveGarden, writeRose } from '../../../operations/importer/live/old-site.ts'

const pages = suite('the import of a live site in a browser')
const { inBrowser, openWindow } = useChromium(pages)

inBrowser('checks the site, shows the progress, is cancelled and continued, and ends with the report', async () => {
  await using oldUploads = await mkdtempDisposable(join(tmpdir(), 'svc-import-old-'))
  await using uploads = await mkdtempDisposable(join(tmpdir(), 'svc-import-live-'))
  await using old = await serveGarden({ uploads: oldUploads.path })
  await writeRose(oldUploads.path)
  await using proxy = await holdSite(old)
  const plugins = { outgoing: { allow: ['127.0.0.1:*'] } }
  await using site = await serveWithUsers(filePlace, { uploads: uploads.path, plugins })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/`, 'admin')
  await page.goto(`${site.home}/svc-admin/import`)
  const form = page.locator('[data-live-form]')
  const password = form.getByLabel('Application password')
  const check = form.getByRole('button', { name: 'Check site' })
  const progress = page.locator('[data-import-text]')

  await form.getByLabel('URL of the old site').fill(proxy.url)
  await form.getByLabel('Username on the old site').fill(MOVER.user)
  await password.fill('wrong')
  assert.not.ok(await form.getByText('Checking the site…').isVisible())
  const index = proxy.hold(/^\/$/)
  await check.press('Enter')
  await index.reached
  await form.getByText('Checking the site…').waitFor()
  assert.ok(await check.isDisabled())
  await looksWell(page)
  index.release()
  await form.locator('.field-error').getByText('does not accept the application password of mover').waitFor()
  await looksWell(page)

  await password.fill(MOVER.password)
  await check.press('Enter')
  await page.getByRole('table', { name: 'Content that can be imported' }).waitFor()
  await looksWell(page)
  // The password was not entered again.
  const comments = proxy.hold(/\/comments\?.*per_page=100/)
  await form.getByLabel('Compare both sites afterwards').selectOption('all')
  await form.getByRole('button', { name: 'Start import' }).press('Enter')
  await comments.reached
  await progress.getByText(/^Reading the old site: \d+ of \d+ \(\d+ per second, \d+ s left\)$/).waitFor()
  assert.ok(Number(await page.getByRole('progressbar', { name: 'Import progress' }).getAttribute('value')) > 0)
  await looksWell(page)

  await page.getByRole('button', { name: 'Cancel import' }).press('Enter')
  await page.getByText('Import cancelled. Your site hasn’t been changed.').waitFor()
  comments.release()
  await looksWell(page)
  const files = proxy.hold(/rose.*\.jpg$/)
  await page.locator('#resume-password').fill(MOVER.password)
  await page.getByRole('button', { name: 'Continue import' }).press('Enter')
  await files.reached
  await progress.getByText(/^Downloading media files: \d of 2/).waitFor()
  files.release()

  await page.getByText('Import complete.').waitFor()
  assert.ok(await page.getByRole('table', { name: 'Comparison of both sites' }).isVisible())
  assert.equal(await page.getByRole('listitem').filter({ hasText: 'Unexplained:' }).allInnerTexts(), [])
  await looksWell(page)
  const [rose] = await site.json('/svc/v2/media?search=rose')
  assert.is((await site.request(rose.source_url)).status, 200)
  assert.equal(window.complaints, ['Failed to load resource: the server responded with a status of 400 (Bad Request)'])
})

inBrowser('offers to start the import of a site that is too slow for the check', async () => {
  await using old = await serveGarden()
  await using proxy = await holdSite(old)
  await using uploads = await mkdtempDisposable(join(tmpdir(), 'svc-import-live-'))
  const options = { plugins: { outgoing: { allow: ['127.0.0.1:*'] } }, limits: { requestTimeout: 10_000 } }
  await using site = await serveWithUsers(filePlace, { uploads: uploads.path, ...options })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/`, 'admin')
  await page.goto(`${site.home}/svc-admin/import`)
  const held = proxy.hold(/^\/$/)
  const form = page.locator('[data-live-form]')
  await form.getByLabel('URL of the old site').fill(proxy.url)
  await form.getByRole('button', { name: 'Check site' }).press('Enter')
  await form.locator('.field-error').getByText('did not answer all requests of the check within 8 s').waitFor()
  await looksWell(page)
  held.release()
  await form.getByRole('button', { name: 'Start import' }).press('Enter')
  await page.getByText('Import complete.').waitFor()
})

/** No serious accessibility findings, and no overflow in narrow windows. */
async function looksWell(page: Page) {
  assert.equal(await accessibilityFindings(page), [])
  const size = page.viewportSize()!
  await assertFits(page, 320)
  await page.setViewportSize(size)
}

pages.run()
