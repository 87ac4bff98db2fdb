import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../../../helpers/accessibility.ts'
import { useChromium } from '../../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../../helpers/log-in.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../helpers/stores.ts'
import { run } from '../../../../helpers/svc-serve.ts'
import { garden } from '../../../operations/import/importing.ts'

const pages = suite('the pages of the admin about the site, in a browser')
const { inBrowser, openWindow } = useChromium(pages)

inBrowser('show the dashboard, import a site by keyboard, and what runs', async () => {
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
  await page.getByText('The import is done.').waitFor()
  assert.ok(await page.getByRole('cell', { name: 'page items' }).or(page.getByText('page items')).first().isVisible())
  assert.equal(await accessibilityFindings(page), [])
  for (const path of ['plugins', 'plugins/cors', 'jobs']) {
    await page.goto(`${site.home}/svc-admin/${path}`)
    assert.equal(await accessibilityFindings(page), [], path)
  }
  assert.equal(window.complaints, [])
})

const bosses = JSON.stringify({ users: [{ login: 'boss', password: 'pass phrase', role: 'administrator' }] })
for (const [what, siteFile, end] of [
  ['keep the owner of a new site logged in who imports without users', null, 'The import is done.'],
  ['send the owner of a new site to the login page who imports another administrator', bosses, 'Log in to The Garden'],
] as const) {
  inBrowser(what, async () => {
    await using site = await run(['--port', '0'], {
      'svc.config.json': '{}',
      ...(siteFile && { 'more.json': siteFile }),
    })
    const [, password = ''] = await site.printed(/Password {3}(\S+)/)
    await using window = await openWindow()
    const { page } = window
    await page.goto(`${await site.home()}/svc-admin/import`)
    await page.getByLabel('Login name or email address').fill('admin')
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
