import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../../../helpers/accessibility.ts'
import { useChromium } from '../../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../../helpers/log-in.ts'
import { assertFits } from '../../../../helpers/page-width.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../helpers/stores.ts'
import { run } from '../../../../helpers/svc-serve.ts'
import { garden } from '../../../operations/importer/importing.ts'

const pages = suite('the pages of the admin about the site, in a browser')
const { inBrowser, openWindow } = useChromium(pages)

inBrowser('show the dashboard, run an import with the keyboard, and list plugins and jobs', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-import-page-'))
  await using site = await serveWithUsers(filePlace, { uploads: folder.path })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/`, 'admin')
  assert.equal(await accessibilityFindings(page), [])
  await page.getByRole('link', { name: 'Import', exact: true }).press('Enter')
  await page.waitForURL('**/svc-admin/import')
  assert.equal(await accessibilityFindings(page), [])
  await page.getByLabel('Export file').setInputFiles(fileURLToPath(garden))
  await page.getByRole('button', { name: 'Import' }).press('Enter')
  await page.getByText('Import complete.').waitFor()
  assert.ok(await page.getByRole('rowheader', { name: 'Pages', exact: true }).isVisible())
  assert.equal(await accessibilityFindings(page), [])
  for (const path of ['plugins', 'plugins/cors', 'jobs', 'health', 'changes', 'settings/media', 'settings/privacy']) {
    await page.goto(`${site.home}/svc-admin/${path}`)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.equal(await accessibilityFindings(page), [], `${path}, ${colorScheme}`)
    }
    await assertFits(page, 320)
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  assert.equal(window.complaints, [])
})

inBrowser('copy the health report, and filter the changes without loading the page again', async () => {
  await using site = await serveWithUsers(filePlace)
  await site.send('POST', '/svc/v2/pages', { title: 'Imprint', status: 'publish' }, 'admin')
  await site.send('POST', '/svc/v2/tags', { name: 'Roses' }, 'admin')
  await using window = await openWindow()
  const { page } = window
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await logInByKeyboard(page, `${site.home}/svc-admin/health`, 'admin')
  await page.getByText('Report as text').first().click()
  await page.getByRole('button', { name: 'Copy report' }).press('Enter')
  await page.getByRole('button', { name: 'Copied.' }).waitFor()
  const copied = await page.evaluate('navigator.clipboard.readText()')
  assert.is(copied, await page.locator('#report pre').textContent())
  assert.match(String(copied), `Node.js: ${process.version}`)

  await page.getByRole('link', { name: 'Changes', exact: true }).press('Enter')
  await page.waitForURL('**/svc-admin/changes')
  await page.getByRole('link', { name: 'Imprint' }).waitFor()
  await page.evaluate('globalThis.isSame = true')
  await page.getByText('Filters', { exact: true }).click()
  await page.getByRole('combobox', { name: 'Type' }).selectOption('Terms')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('link', { name: 'Remove filter Type: Terms' }).waitFor()
  assert.is(await page.getByRole('link', { name: 'Imprint' }).count(), 0)
  assert.ok(await page.getByRole('link', { name: 'Roses' }).isVisible())
  assert.is(await page.evaluate('globalThis.isSame'), true)
  assert.equal(window.complaints, [])
})

inBrowser('ask for the password before the files of an import are sent', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-import-page-'))
  await using site = await serveWithUsers(filePlace, { uploads: folder.path })
  const forget = () => site.store.run(site.store.db.updateTable('sessions').set({ confirmed: 0 }))
  await using window = await openWindow()
  const { page } = window
  const password = page.getByLabel('Current password')
  const confirm = async () => {
    await password.fill('pass phrase of admin')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.locator('#notices').getByText('Password confirmed.').waitFor()
  }
  const sends: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.resourceType() === 'xhr') sends.push(request.url())
  })
  await logInByKeyboard(page, `${site.home}/svc-admin/`, 'admin')
  await forget()
  await page.goto(`${site.home}/svc-admin/import`)
  await password.waitFor()
  assert.equal(await accessibilityFindings(page), [])
  assert.is(await page.getByLabel('Export file').count(), 0)
  await confirm()
  // The confirmation runs out while the page is open.
  await page.getByLabel('Export file').setInputFiles(fileURLToPath(garden))
  await forget()
  await page.getByRole('button', { name: 'Import' }).click()
  await password.waitFor()
  assert.equal(sends, [])
  await confirm()
  // It runs out while the files are sent.
  await page.getByLabel('Export file').setInputFiles(fileURLToPath(garden))
  await page.route('**/svc-admin/import', async (route) => {
    if (route.request().method() === 'POST') await forget()
    await route.continue()
  })
  await page.getByRole('button', { name: 'Import' }).click()
  await password.waitFor()
  assert.is(sends.length, 1)
  await page.unroute('**/svc-admin/import')
  await confirm()
  // Any other refusal is shown with its reason.
  await page.locator('[data-import-form] [name="_svcnonce"]').evaluate((field) => field.setAttribute('value', 'old'))
  await page.getByLabel('Export file').setInputFiles(fileURLToPath(garden))
  await page.getByRole('button', { name: 'Import' }).click()
  await page.locator('#notices .error').filter({ hasText: 'expired' }).waitFor()
  await page.reload()
  await page.getByLabel('Export file').setInputFiles(fileURLToPath(garden))
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByText('Import complete.').waitFor()
})

const bosses = JSON.stringify({ users: [{ login: 'boss', password: 'pass phrase', role: 'administrator' }] })
for (const [title, siteFile, end] of [
  ['keep the owner of a new site logged in who imports without users', null, 'Import complete.'],
  ['send the owner of a new site to the login page who imports another administrator', bosses, 'Log in'],
] as const) {
  inBrowser(title, async () => {
    await using site = await run(['--port', '0'], {
      'svc.config.json': '{}',
      ...(siteFile && { 'more.json': siteFile }),
    })
    const [, password = ''] = await site.printed(/Password {3}(\S+)/)
    await using window = await openWindow()
    const { page } = window
    await page.goto(`${await site.home()}/svc-admin/import`)
    await page.getByLabel('Username or email address').fill('admin')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByLabel('Export file').setInputFiles(fileURLToPath(garden))
    if (siteFile !== null) await page.getByLabel('Site file').setInputFiles(join(site.folder, 'more.json'))
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText(end).first().waitFor()
    assert.equal(window.complaints, [])
  })
}

pages.run()
