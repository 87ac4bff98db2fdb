import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../../../helpers/accessibility.ts'
import { useChromium } from '../../../../helpers/chromium.ts'
import { newSite } from '../../../../helpers/new-site.ts'
import { assertFits } from '../../../../helpers/page-width.ts'
import { until } from '../../../../helpers/until.ts'

const setup = suite('setup of a new site in a browser')
const { inBrowser, openWindow } = useChromium(setup)

const assets = resolve(import.meta.dirname, '../../../../../plugins/site/admin/assets')
/** Maximum bytes of the scripts and styles that only the setup loads. */
const MAX_ASSET_BYTES = 35_000
const STEPS = ['site', 'appearance', 'content', 'account', 'post'] as const

async function logIn(page: Page, home: string, password: string): Promise<void> {
  await page.goto(`${home}/svc-admin/`)
  await page.getByLabel('Username or email address').fill('admin')
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/welcome\/site$/)
}

/** Returns the computed background of the page in the preview. */
const previewColor = (page: Page) =>
  page.evaluate<string>(`(() => {
    const { contentDocument: shown, contentWindow: view } = document.querySelector('[data-welcome-frame]')
    return shown?.body ? view.getComputedStyle(shown.body).backgroundColor : ''
  })()`)

inBrowser('takes the owner from the log-in to a draft, with a live preview', async () => {
  const { site, password } = await newSite()
  await using _site = site
  await using window = await openWindow()
  const { page } = window
  await page.addInitScript(`
    const { prototype } = Intl.DateTimeFormat
    const { resolvedOptions } = prototype
    prototype.resolvedOptions = function () { return { ...resolvedOptions.call(this), timeZone: 'Europe/Madrid' } }`)
  await logIn(page, site.home, password)

  // By keyboard.
  assert.is(await page.getByLabel('Timezone').inputValue(), 'Europe/Madrid')
  await page.getByLabel('Site title').focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Sea letters')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Letters from the harbor')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/welcome\/appearance$/)
  assert.equal(await site.kernel.services.options.many(['title', 'timezone']), {
    title: 'Sea letters',
    timezone: 'Europe/Madrid',
  })

  const frame = page.frameLocator('[data-welcome-frame]')
  await frame.getByText('Sea letters').first().waitFor()
  const colors = page.getByRole('group', { name: 'Theme colors' })
  await page.getByRole('radio', { name: 'Magazine' }).check()
  await until(async () => (await previewColor(page)) === 'rgb(255, 253, 250)')
  assert.not.ok(await colors.isVisible())
  assert.is(await site.kernel.services.options.get('theme'), undefined)
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.locator('#notices', { hasText: 'Magazine activated.' }).waitFor()
  await colors.getByLabel('Background', { exact: true }).fill('#fdf6e3')
  await until(async () => (await previewColor(page)) === 'rgb(253, 246, 227)')
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await page.waitForURL(/\/welcome\/content$/)

  await page.getByLabel('Start empty').check()
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.waitForURL(/\/welcome\/account$/)
  await page.getByLabel('Display name').fill('Ada')
  await page.getByLabel('Email address').fill('ada@mail.example')
  await page.getByLabel('New password', { exact: true }).fill('a new pass phrase')
  await page.getByLabel('Confirm new password').fill('a new pass phrase')
  await page.getByRole('button', { name: 'Save and continue' }).click()
  await page.waitForURL(/\/welcome\/post$/)
  await page.getByLabel('Title').fill('High water')
  await page.getByRole('button', { name: 'Write the post' }).click()
  await page.locator('.ProseMirror').waitFor()
  assert.match(page.url(), /\/content\/post\/\d+$/)

  await page.goto(`${site.home}/svc-admin/`)
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  assert.is(await page.getByText('Set up your site').count(), 0)
  await page.goto(site.home)
  assert.match(await page.title(), 'Sea letters')
  assert.is(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(253, 246, 227)')
  const complaints = window.complaints.filter((text) => !text.startsWith('Blocked script'))
  assert.equal(complaints, [])
})

for (const scheme of ['light', 'dark'] as const) {
  inBrowser(`fits into small windows and has no axe findings in the ${scheme} scheme`, async () => {
    const { site, password } = await newSite()
    await using _site = site
    await using window = await openWindow(scheme)
    const { page } = window
    await logIn(page, site.home, password)
    for (const step of STEPS) {
      await page.goto(`${site.home}/svc-admin/welcome/${step}`)
      await page.setViewportSize({ width: 1280, height: 800 })
      assert.equal(await accessibilityFindings(page), [], step)
      await assertFits(page, 320)
      assert.equal(await accessibilityFindings(page), [], `${step} at 320 px`)
    }
    await page.goto(`${site.home}/svc-admin/`)
    await page.getByRole('link', { name: 'Continue setup' }).waitFor()
    assert.equal(await accessibilityFindings(page), [], 'dashboard')
  })
}

setup('loads few own scripts and styles', async () => {
  const sizes = await Promise.all(
    ['welcome.js', 'welcome.css', 'appearance.css'].map(async (file) => (await stat(join(assets, file))).size),
  )
  const sum = sizes.reduce((one, other) => one + other, 0)
  assert.ok(sum <= MAX_ASSET_BYTES, `${sum} bytes`)
})

setup.run()
