import type { Browser, BrowserContext } from 'playwright-core'
import { startChromium } from '../helpers/chromium.ts'
import { ADMIN, HOME, NOW, type SampleSite } from './sample-site.ts'

/** Height of the windows in pixels. */
export const HEIGHT = 900

/** Starts a browser that finds the sample site at its home URL. No page can load anything from another host. */
export function startSampleBrowser({ site }: SampleSite): Promise<Browser> {
  const rule = `MAP ${new URL(HOME).host}:80 ${new URL(site.listening).host}`
  return startChromium([`--host-resolver-rules=${rule}, MAP * ~NOTFOUND`])
}

/** Opens windows that show the same in each run. */
export async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: HEIGHT },
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'UTC',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0',
  })
  await context.clock.setFixedTime(NOW)
  return context
}

/** Logs in as the administrator. */
export async function logIn(context: BrowserContext): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${HOME}/svc-admin/`)
  await page.getByLabel('Username or email address').fill(ADMIN.login)
  await page.getByLabel('Password').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(`${HOME}/svc-admin/`)
  await page.close()
}
