import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../../helpers/accessibility.ts'
import { useChromium } from '../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../helpers/log-in.ts'
import { assertFits } from '../../../helpers/page-width.ts'
import { serveWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'

const types = suite('content types in a browser')
const { inBrowser, openWindow } = useChromium(types)

inBrowser('are added with errors at their fields, listed and deleted', async () => {
  await using site = await serveWithUsers(filePlace, { plugins: { 'custom-types': true } })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/content-types`, 'admin')
  await page.getByRole('link', { name: 'Add content type' }).click()
  await page.getByRole('textbox', { name: /^Slug/ }).fill('post')
  await page.getByLabel('Plural name').fill('Books')
  await page.getByLabel('Singular name').fill('Book')
  await page.getByLabel('Comments').check()
  assert.equal(await accessibilityFindings(page), [])
  await assertFits(page, 320)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('A plugin registers the name').waitFor()
  assert.equal(await accessibilityFindings(page), [])
  assert.ok(await page.getByLabel('Comments').isChecked())
  await page.getByRole('textbox', { name: /^Slug/ }).fill('book')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('#notices').getByText('Saved.').waitFor()
  await page.getByRole('link', { name: '← Back to list' }).click()
  assert.is(
    await page
      .getByRole('rowheader')
      .textContent()
      .then((text) => text?.trim()),
    'Books',
  )
  assert.equal(await accessibilityFindings(page), [])
  page.once('dialog', (dialog) => void dialog.accept())
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No content types yet.').waitFor()
  // The refused form is a response with the status 400, which the browser logs.
  assert.equal(
    window.complaints.filter((text) => !text.includes('400')),
    [],
  )
})

types.run()
