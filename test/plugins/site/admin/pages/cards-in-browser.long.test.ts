import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { useChromium } from '../../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../../helpers/log-in.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../helpers/stores.ts'

const pages = suite('pages of the admin that follow their fields in a browser')
const { inBrowser, openWindow } = useChromium(pages)

inBrowser('filter plugins and roles while the user types', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/plugins`, 'admin')
  const shown = () => page.locator('.cards > .card:visible').count()
  const all = await shown()
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('webhooks')
  assert.ok((await shown()) < all)
  assert.ok(await page.getByRole('link', { name: 'webhooks', exact: true }).isVisible())
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('no such plugin')
  assert.is(await shown(), 0)
  assert.ok(await page.getByText('No plugins match your search.').isVisible())
  await page.goto(`${site.home}/svc-admin/users/roles`)
  assert.is(await shown(), 5)
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('edit_theme_options')
  assert.equal(await page.locator('.cards > .card:visible h2').allTextContents(), ['Administrator'])
  // Without scripts, the server filters by the same text.
  await page.goto(`${site.home}/svc-admin/users/roles?search=moderate_comments`)
  assert.equal(await page.locator('.cards > .card:visible h2').allTextContents(), ['Administrator', 'Editor'])
  assert.ok(await page.getByText('moderate_comments').first().isVisible())
  assert.equal(window.complaints, [])
})

inBrowser('show the contrast of the colors that are chosen on the appearance page', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/appearance`, 'admin')
  const links = page.locator('[data-contrast="link"]')
  const before = (await links.textContent())?.trim()
  assert.match(before ?? '', /^Links on background: [\d.]+ : 1$/)
  await page.locator('[data-colour="accent"]').fill('#ffee00')
  assert.match((await links.textContent()) ?? '', /^Links on background: 1\.\d : 1\. Low contrast/)
  assert.match((await links.getAttribute('class')) ?? '', 'warning')
  await page.locator('[data-colour="accent"]').fill('#000000')
  assert.not.match((await links.textContent()) ?? '', 'Low contrast')
  await page.reload()
  assert.is((await links.textContent())?.trim(), before)
  assert.equal(window.complaints, [])
})

pages.run()
