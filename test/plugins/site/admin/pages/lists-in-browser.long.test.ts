import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import { accessibilityFindings } from '../../../../helpers/accessibility.ts'
import { create } from '../../../../helpers/admin-lists.ts'
import { useChromium } from '../../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../../helpers/log-in.ts'
import { serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../helpers/stores.ts'

const lists = suite('lists of the admin in a browser')
const { inBrowser, openWindow } = useChromium(lists)

/** Presses a key until the element with this name has the focus. */
async function reach(page: Page, name: RegExp, key = 'Tab') {
  const label = 'document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? ""'
  for (let step = 0; step < 150; step += 1) {
    await page.keyboard.press(key)
    if (name.test(String(await page.evaluate(label)).trim())) return
  }
  assert.unreachable(`${String(name)} is not reached by ${key}`)
}

const notice = (page: Page) => page.locator('#notices .notice').innerText()

inBrowser('work with the keyboard only: bulk actions, a row action, and undo', async () => {
  await using site = await serveWithUsers(filePlace)
  for (const title of ['Alpha', 'Beta', '<b>Gamma</b>', 'שלום']) {
    const id = await create(site, 'ed', 'posts', { title, status: 'publish' })
    await create(site, 'ed', 'comments', { post: id, content: `About ${title}` })
  }
  await create(site, 'ed', 'categories', { name: 'Trees' })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post?orderby=title&order=asc`, 'ed')
  const rows = page.locator('table.list tbody tr')
  assert.is(await rows.count(), 6)

  // Selects two posts with j and x.
  await reach(page, /^Select Alpha$/)
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  assert.is(await page.locator('.chosen').innerText(), '2 / 6')
  await reach(page, /^Edit selected/, 'Shift+Tab')
  await page.keyboard.type('Move to t')
  await reach(page, /^Apply$/)
  await page.keyboard.press('Enter')
  await page.waitForSelector('#notices .notice')
  assert.match(await notice(page), '2 items moved to trash.')
  assert.is(await rows.count(), 4)
  await reach(page, /^Undo$/)
  await page.keyboard.press('Enter')
  await rows.nth(5).waitFor()
  assert.match(await notice(page), '2 items restored from trash.')

  // Moves one post to the trash without loading a page.
  await page.evaluate('window.isSame = true')
  await reach(page, /^Trash Alpha$/)
  await page.keyboard.press('Enter')
  await page.locator('#notices').getByText('Moved to trash.').waitFor()
  assert.is(await rows.count(), 5)
  assert.ok(await page.evaluate('document.activeElement?.closest("tr") !== null'))
  await reach(page, /^Undo$/, 'Shift+Tab')
  await page.keyboard.press('Enter')
  await rows.nth(5).waitFor()
  assert.ok(await page.evaluate('window.isSame'))

  for (const path of ['content/post', 'content/page', 'terms/category', 'terms/category/1', 'comments', 'comments/1']) {
    for (const [colorScheme, width] of [
      ['light', 1440],
      ['dark', 320],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await page.goto(`${site.home}/svc-admin/${path}`)
      assert.equal(await accessibilityFindings(page), [], `${path} at ${width}`)
      const isWide = await page.evaluate<boolean>(`document.documentElement.scrollWidth > ${width}`)
      assert.not(isWide, `${path} at ${width}`)
    }
  }
  assert.equal(window.complaints, [])
})

inBrowser('filter, sort and change their columns', async () => {
  await using site = await serveWithUsers(filePlace)
  for (const title of ['Alpha', 'Beta']) await create(site, 'ed', 'posts', { title, status: 'publish' })
  await create(site, 'ed', 'posts', { title: 'Gamma', status: 'draft' })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post`, 'ed')
  await page.evaluate('window.isSame = true')
  const titles = () => page.locator('table.list .row-title').allInnerTexts()
  await page.getByRole('searchbox').fill('Alpha')
  await page.keyboard.press('Enter')
  await page.waitForURL(/search=Alpha$/)
  assert.equal(await titles(), ['Alpha'])
  await page.getByRole('link', { name: 'Clear filters' }).press('Enter')
  await page.waitForURL(/content\/post$/)
  await page.getByRole('link', { name: /^Drafts? / }).click()
  await page.waitForURL(/status=draft/)
  assert.equal((await titles()).slice(0, 1), ['Gamma'])
  await page.goBack()
  await page.locator('.row-title', { hasText: 'Beta' }).waitFor()
  await page.locator('summary', { hasText: 'Filters' }).press('Enter')
  await page.getByLabel('From').fill('2000-01-01')
  assert.equal(await accessibilityFindings(page), [])
  await page.getByRole('button', { name: 'Filter', exact: true }).press('Enter')
  await page.getByRole('link', { name: 'Remove filter From: 2000-01-01' }).waitFor()
  assert.ok(await page.evaluate('window.isSame'), 'no page was loaded')

  await page.locator('summary', { hasText: 'View' }).press('Enter')
  await page.getByRole('checkbox', { name: 'Tags', exact: true }).uncheck()
  await page.getByLabel('Compact').check()
  assert.equal(await accessibilityFindings(page), [])
  await page.getByRole('button', { name: 'Apply', exact: true }).first().press('Enter')
  await page.locator('table.dense').waitFor()
  assert.not((await page.locator('thead th').allInnerTexts()).includes('Tags'))
  assert.ok((await page.locator('thead th').allInnerTexts()).includes('Categories'))
  assert.equal(window.complaints, [])
})

lists.run()
