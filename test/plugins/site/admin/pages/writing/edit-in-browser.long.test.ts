import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import { accessibilityFindings } from '../../../../../helpers/accessibility.ts'
import { useChromium } from '../../../../../helpers/chromium.ts'
import { assertFits } from '../../../../../helpers/page-width.ts'
import { serveWithUsers, type SiteWithUsers } from '../../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../../helpers/stores.ts'

const editor = suite('the plain editor in a browser')
const { inBrowser, openWindow } = useChromium(editor)

inBrowser('works with the keyboard, shows a preview, autosaves, and loses no text to other users', async () => {
  await using site = await serveWithUsers(filePlace)
  await using mine = await openWindow()
  await using theirs = await openWindow('dark')
  await logIn(site, mine.page, 'ann')
  await logIn(site, theirs.page, 'ed')
  const { page } = mine
  await page.clock.install()
  await page.goto(`${site.home}/svc-admin/content/post/new?mode=markdown`)
  assert.equal(await accessibilityFindings(page), [])
  await page.getByLabel('Title').fill('Roses')
  const content = page.getByLabel('Content (Markdown)')
  await content.click()
  await page.keyboard.type('Some red')
  await page.keyboard.press('Shift+Home')
  await page.keyboard.press('Control+b')
  assert.is(await content.inputValue(), '**Some red**')
  await page.clock.runFor(1000)
  const preview = page.frameLocator('.preview iframe:not(.waiting)')
  await preview.locator('strong', { hasText: 'Some red' }).waitFor()
  await page.getByText('Saved on this device').waitFor()

  // The typed text is restored after the page was left.
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await page.getByRole('button', { name: 'Restore' }).click()
  assert.is(await content.inputValue(), '**Some red**')
  await page.keyboard.press('Control+s')
  await page.waitForURL(/content\/post\/\d+$/)
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  assert.is(await content.inputValue(), '**Some red**')
  const url = page.url()

  // Autosave.
  await content.fill('**Some red** roses')
  await page.clock.runFor(61_000)
  await page.locator('[data-state]', { hasText: 'Saved at' }).waitFor()
  assert.match(await stored(site, url), '<strong>Some red</strong> roses')

  // Another user opens the post, takes over the lock, and stores a change.
  await theirs.page.goto(url)
  await theirs.page.getByText('ANN Writer is editing this.').waitFor()
  assert.equal(await accessibilityFindings(theirs.page), [])
  assert.is(await theirs.page.getByLabel('Title').isDisabled(), true)
  await theirs.page.getByRole('button', { name: 'Take over' }).click()
  await theirs.page.getByRole('button', { name: 'HTML', exact: true }).click()
  await theirs.page.getByLabel('Content (HTML)').fill('<p>Some white roses</p>')
  await theirs.page.getByRole('button', { name: 'Save', exact: true }).click()
  await theirs.page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  await content.fill('**Some red** roses and more')
  await page.clock.runFor(11_000)
  await page.getByText('ED Writer took over editing.').waitFor()
  assert.is(await content.isDisabled(), true)

  // The conflict shows both versions, and the user decides.
  await page.getByRole('link', { name: 'Reload' }).click()
  await page.getByRole('button', { name: 'Take over' }).click()
  await page.getByRole('button', { name: 'Restore' }).click()
  await site.send('PUT', `/svc/v2/posts/${idOf(url)}`, { content: '<p>Some pink roses</p>' }, 'ed')
  await page.keyboard.press('Control+s')
  await page.getByRole('heading', { name: 'Someone else changed this while you were editing' }).waitFor()
  assert.match(await page.locator('.conflict').innerText(), 'pink')
  assert.equal(await accessibilityFindings(page), [])
  await page.getByRole('button', { name: 'Keep my version (theirs stays as a revision)' }).click()
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  assert.match(await stored(site, url), 'roses and more')

  // Narrow.
  await assertFits(page, 320)

  // After the session ends, a login in another tab lets the editor continue.
  await content.fill('**Some red** roses after all')
  await mine.context.clearCookies()
  await page.clock.runFor(61_000)
  await page.getByText('Your session has expired.').first().waitFor()
  const tab = await mine.context.newPage()
  await logIn(site, tab, 'ann')
  await page.clock.runFor(61_000)
  await page.locator('[data-state]', { hasText: 'Saved at' }).waitFor()
  assert.match(await stored(site, url), 'roses after all')
  assert.equal(unexpected(mine.complaints), [])
  assert.equal(unexpected(theirs.complaints), [])
})

async function logIn(site: SiteWithUsers, page: Page, login: string): Promise<void> {
  await page.goto(`${site.home}/svc-login`)
  await page.locator('input[name="log"]').fill(login)
  await page.locator('input[name="pwd"]').fill(`pass phrase of ${login}`)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${site.home}/svc-admin/`)
}

/**
 * What pages complain of by themselves. Refusals are responses of the server; the clock of the test wants to run a script in
 * every frame, also in that of the preview, where none may.
 */
function unexpected(complaints: readonly string[]): string[] {
  const expected = [/status of (?:401|403|409)/, /^Blocked script execution/, /^Framing .*frame-ancestors 'none'/]
  return complaints.filter((text) => !expected.some((one) => one.test(text)))
}

const idOf = (url: string) => /\d+$/.exec(new URL(url).pathname)![0]

async function stored(site: SiteWithUsers, url: string): Promise<string> {
  const response = await site.send('GET', `/svc/v2/posts/${idOf(url)}?context=edit`, null, 'admin')
  return ((await response.json()) as { content: { raw: string } }).content.raw
}

editor.run()
