import type { Page } from 'playwright-core'

/**
 * Logs in by keyboard on the login page that a page redirects to.
 * @param url URL of the page, which is open afterwards
 * @param login of a user of `serveWithUsers`
 */
export async function logInByKeyboard(page: Page, url: string, login: string): Promise<void> {
  await page.goto(url)
  // The page focuses the field itself, but on busy machines only after the first keys are pressed.
  await page.getByLabel('Username or email address').focus()
  await page.keyboard.type(login)
  await page.keyboard.press('Tab')
  await page.keyboard.type(`pass phrase of ${login}`)
  await page.keyboard.press('Enter')
  await page.waitForURL(url)
}
