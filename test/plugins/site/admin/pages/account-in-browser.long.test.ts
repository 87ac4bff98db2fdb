import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import { accessibilityFindings } from '../../../../helpers/accessibility.ts'
import { browse } from '../../../../helpers/browser.ts'
import { useChromium } from '../../../../helpers/chromium.ts'
import { assertFits } from '../../../../helpers/page-width.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../helpers/stores.ts'

const pages = suite('account, users, settings and appearance in a browser')
const { inBrowser, openWindow } = useChromium(pages)

inBrowser(
  'change name, password, application password, sessions, a setting and a color with the keyboard',
  async () => {
    await using site = await serveWithUsers(filePlace)
    await using window = await openWindow()
    const { page } = window
    const otherBrowser = browse(site)
    await otherBrowser.logIn('admin', 'pass phrase of admin')
    const admin = `${site.home}/svc-admin`
    await page.goto(`${admin}/account`)
    await typeInto(page, 'Username or email address', 'admin')
    await typeInto(page, 'Password', 'pass phrase of admin')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${admin}/account`)

    await typeInto(page, 'Display name', 'Ada & Co')
    await page.keyboard.press('Enter')
    await notice(page, 'Profile updated.')
    assert.is(await page.locator('#user-menu .who').textContent(), 'Ada & Co')

    await page.getByRole('button', { name: /^Log out .+, / }).press('Enter')
    await notice(page, 'Session logged out.')
    assert.is((await otherBrowser.open('/svc-admin/account')).status, 302)

    await typeInto(page, 'Current password', 'pass phrase of admin')
    await typeInto(page, 'New password', 'a much better phrase')
    await typeInto(page, 'Confirm new password', 'a much better phrase')
    await page.keyboard.press('Enter')
    await notice(page, 'Password changed.')

    await typeInto(page, 'Application name', 'Robot')
    await page.keyboard.press('Enter')
    await page.locator('code.secret').waitFor()
    await page.getByRole('button', { name: 'Revoke Robot' }).press('Enter')
    await notice(page, 'Application password revoked.')
    await looksWell(page)

    await page.goto(`${admin}/settings`)
    await typeInto(page, 'Tagline', 'Of the sea')
    await page.getByRole('button', { name: 'Preview changes' }).press('Enter')
    await page.getByRole('heading', { name: 'Changes to be saved' }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter')
    await notice(page, 'Settings saved.')
    await looksWell(page)

    await page.goto(`${admin}/appearance`)
    await page.getByLabel('Background', { exact: true }).last().press('R')
    await page.getByLabel('Heading font').press('S')
    const accent = page.getByLabel('Accent', { exact: true })
    await accent.fill('#aa2200')
    const shown = 'getComputedStyle(document.querySelector(".appearance-sample .link")).color'
    assert.is(await page.evaluate(shown), 'rgb(170, 34, 0)')
    await page.getByRole('button', { name: 'Save', exact: true }).press('Enter')
    await notice(page, 'Appearance saved.')
    assert.is(await page.evaluate(shown), 'rgb(170, 34, 0)')
    await looksWell(page)

    for (const path of ['users', `users/${site.users.ann}`, 'users/roles', `users/delete?ids=${site.users.shy}`]) {
      await page.goto(`${admin}/${path}`)
      await looksWell(page)
    }
    assert.equal(window.complaints, [])
  },
)

async function typeInto(page: Page, label: string, text: string) {
  // Labels of required fields have a mark.
  const field = page.getByLabel(new RegExp(`^${label}(?: \\*)?$`))
  await field.focus({ timeout: 5000 })
  await page.keyboard.press('Control+A')
  await page.keyboard.type(text)
}

const notice = (page: Page, text: string) => page.locator('#notices').getByText(text).waitFor()

/** No serious accessibility findings in wide and narrow windows, and no overflow. */
async function looksWell(page: Page) {
  assert.equal(await accessibilityFindings(page), [], page.url())
  const size = page.viewportSize()!
  await assertFits(page, 320)
  await page.setViewportSize(size)
}

pages.run()
