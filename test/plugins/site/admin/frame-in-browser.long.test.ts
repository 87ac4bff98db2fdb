import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import { accessibilityFindings } from '../../../helpers/accessibility.ts'
import { useChromium } from '../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../helpers/log-in.ts'
import { assertFits } from '../../../helpers/page-width.ts'
import { serveWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'

const frame = suite('the frame of the admin in a browser')
const { inBrowser, openWindow } = useChromium(frame)

inBrowser('works with the keyboard only, passes the accessibility checks, and violates no policy', async () => {
  await using site = await serveWithUsers(filePlace)
  for (const scheme of ['light', 'dark'] as const) {
    await using window = await openWindow(scheme)
    const { page } = window
    await logInByKeyboard(page, `${site.home}/svc-admin/`, 'admin')
    await page.keyboard.press('Tab')
    assert.is(await page.evaluate('document.activeElement?.textContent'), 'Skip to content')
    await page.keyboard.press('Enter')
    assert.is(await page.evaluate('document.activeElement?.id'), 'main')
    assert.equal(await accessibilityFindings(page), [], scheme)
    await narrow(page)
    assert.equal(await accessibilityFindings(page), [], `${scheme}, narrow`)
    assert.equal(window.complaints, [])
  }
})

inBrowser('opens pages with the command palette, and lists the keyboard shortcuts', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/`, 'admin')
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('combobox', { name: 'Search or go to a page' })
  await palette.waitFor()
  await page.getByRole('option', { name: 'Settings' }).first().waitFor()
  assert.equal(await accessibilityFindings(page), [])
  await palette.fill('no such page')
  await page.locator('#palette [data-none]').waitFor()
  await palette.fill('upload')
  await page.getByRole('option', { name: 'Upload files Create' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${site.home}/svc-admin/media/new`)
  await page.locator('main').focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  assert.equal(await accessibilityFindings(page), [])
  await page.keyboard.press('Escape')
  assert.is(await page.getByRole('dialog').count(), 0)
  assert.equal(window.complaints, [])
})

inBrowser('changes the color scheme in the menu of the user', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow('light')
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/users`, 'admin')
  const background = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
  assert.is(await background(), 'rgb(255, 255, 255)')
  await page.getByRole('button', { name: 'User menu' }).press('Enter')
  await page.getByRole('button', { name: 'Dark' }).press('Enter')
  await page.locator('html[data-scheme="dark"]').waitFor()
  assert.is(page.url(), `${site.home}/svc-admin/users`)
  assert.is(await background(), 'rgb(17, 17, 19)')
  assert.equal(window.complaints, [])
})

/** At 320 px nothing overflows the window, and a button opens the menu. */
async function narrow(page: Page) {
  await assertFits(page, 320)
  const toggle = page.getByRole('button', { name: 'Menu', exact: true })
  assert.is(await page.getByRole('navigation', { name: 'Admin' }).isVisible(), false)
  await toggle.press('Enter')
  assert.ok(await page.getByRole('navigation', { name: 'Admin' }).isVisible())
}

frame.run()
