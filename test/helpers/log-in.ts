import type { Page } from 'playwright-core'

/**
 * Logs in by keyboard on the login page that a page leads to.
 * @param url of the page, which is there afterwards
 * @param login of a user of `serveWithUsers`
 */
export async function logInByKeyboard(page: Page, url: string, login: string): Promise<void> {
  await page.goto(url)
  // Browsers put the focus there by themselves, on busy machines a little later than keys are pressed.
  await page.getByLabel('Username or email address').focus()
  await page.keyboard.type(login)
  await page.keyboard.press('Tab')
  await page.keyboard.type(`pass phrase of ${login}`)
  await page.keyboard.press('Enter')
  await page.waitForURL(url)
}
