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

/** At 320 px nothing overflows the window, and a button opens the menu. */
async function narrow(page: Page) {
  await assertFits(page, 320)
  const toggle = page.getByRole('button', { name: 'Menu' })
  assert.is(await page.getByRole('navigation', { name: 'Admin' }).isVisible(), false)
  await toggle.press('Enter')
  assert.is(await toggle.getAttribute('aria-expanded'), 'true')
  assert.ok(await page.getByRole('navigation', { name: 'Admin' }).isVisible())
}

frame.run()
