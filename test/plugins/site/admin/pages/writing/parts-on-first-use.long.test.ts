import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import { useChromium } from '../../../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../../../helpers/log-in.ts'
import { serveWithUsers, type SiteWithUsers } from '../../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../../helpers/stores.ts'

const parts = suite('parts of the rich editor that are loaded on first use')
const { inBrowser, openWindow } = useChromium(parts)

const NEW_POST = '/svc-admin/content/post/new'

async function startWriting(page: Page, site: SiteWithUsers): Promise<void> {
  await logInByKeyboard(page, `${site.home}${NEW_POST}`, 'ann')
  await page.locator('.ProseMirror').click()
}

/** Saves the post and returns its content. */
async function saved(page: Page, site: SiteWithUsers): Promise<string> {
  await page.getByLabel('Title').fill('Letter')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  const id = /\d+$/.exec(new URL(page.url()).pathname)![0]
  const response = await site.send('GET', `/svc/v2/posts/${id}?context=edit`, null, 'admin')
  return ((await response.json()) as { content: { raw: string } }).content.raw
}

/** Inserts a table with three rows and two columns, and waits until its editing is loaded. */
async function insertTable(page: Page): Promise<void> {
  const requested = page.waitForRequest((request) => request.url().endsWith('/editor/tables.js'))
  await page.keyboard.type('/table')
  await page.keyboard.press('Enter')
  const url = (await requested).url()
  // Ends after the import of the editor, which has begun before.
  await page.evaluate(`import(${JSON.stringify(url)}).then(() => {})`)
  await page.locator('.ProseMirror td').first().click()
}

inBrowser('edit tables: Tab goes from cell to cell, and Delete removes a table of selected cells', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  await startWriting(page, site)
  await insertTable(page)
  for (const text of ['a', 'b', 'c', 'd', 'e', 'f']) {
    await page.keyboard.type(text)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.type('g')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.type('F')
  const cells = page.locator('.ProseMirror td')
  assert.equal(await cells.allTextContents(), ['a', 'b', 'c', 'd', 'e', 'F', 'g', ''])

  await cells.first().hover()
  await page.mouse.down()
  await cells.last().hover()
  await page.mouse.up()
  await page.locator('.ProseMirror .selectedCell').nth(7).waitFor()
  await page.keyboard.press('Delete')
  await cells.first().waitFor({ state: 'detached' })
  assert.is(await page.locator('.ProseMirror figure').count(), 0)
  assert.equal(window.complaints, [])
})

inBrowser('show a message if they cannot be loaded, and the text stays', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  await startWriting(page, site)
  await page.keyboard.type('Roses')
  await page.route(/\/(?:link-form|find|tables)\.js$/, (route) => route.abort())
  const failed = page.locator('#load-failed', { hasText: 'could not be loaded' })
  await page.keyboard.press('Control+f')
  await failed.waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.press('Enter')
  await page.keyboard.type('/table')
  await page.keyboard.press('Enter')
  await page.locator('.ProseMirror td').first().click()
  await page.keyboard.type('Tulips')
  assert.is(await failed.count(), 1)
  const content = await saved(page, site)
  assert.match(content, '<p>Roses</p>')
  assert.match(content, '<td>Tulips</td>')
})

parts.run()
