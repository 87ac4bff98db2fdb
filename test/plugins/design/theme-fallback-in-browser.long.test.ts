import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../helpers/accessibility.ts'
import { useChromium } from '../../helpers/chromium.ts'
import { logInByKeyboard } from '../../helpers/log-in.ts'
import { assertFits } from '../../helpers/page-width.ts'
import { serveWithUsers } from '../../helpers/site-with-users.ts'
import { filePlace } from '../../helpers/stores.ts'

const fallback = suite('theme without files in a browser')
const { inBrowser, openWindow } = useChromium(fallback)

inBrowser('is explained on the appearance page, which fits phones, until another theme is activated', async () => {
  await using site = await serveWithUsers(filePlace)
  await site.kernel.services.options.set('theme', { stylesheet: 'of-the-old-site', name: 'Old theme' })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/`, 'admin')
  const notice = page.getByRole('alert').filter({ hasText: 'The theme Old theme has no templates here' })
  await notice.waitFor()
  await page.goto(`${site.home}/svc-admin/appearance`)
  await notice.waitFor()
  assert.match(await notice.innerText(), 'themes/of-the-old-site')
  assert.equal(await accessibilityFindings(page), [])
  await assertFits(page, 320)
  await page.getByRole('button', { name: 'Activate Default' }).click()
  await page.locator('#notices').getByText('Default activated.').waitFor()
  assert.is(await notice.count(), 0)
  assert.equal(window.complaints, [])
})

fallback.run()
