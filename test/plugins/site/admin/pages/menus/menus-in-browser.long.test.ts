import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../../../../helpers/accessibility.ts'
import { dragMenuItem } from '../../../../../helpers/drag-menu-item.ts'
import { useChromium } from '../../../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../../../helpers/log-in.ts'
import { assertFits } from '../../../../../helpers/page-width.ts'
import { serveWithUsers } from '../../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../../helpers/stores.ts'

const menus = suite('the menus of the admin in a browser')
const { inBrowser, openWindow } = useChromium(menus)

inBrowser('are sorted with keyboard and mouse, and announce each change', async () => {
  await using site = await serveWithUsers(filePlace)
  const make = async (path: string, body: unknown) =>
    ((await (await site.send('POST', `/svc/v2/${path}`, body, 'admin')).json()) as { id: number }).id
  const menu = await make('menus', { name: 'Main' })
  for (const [index, title] of ['One', 'Two', 'Three'].entries())
    await make('menu-items', {
      title,
      url: `https://${title}.example/`,
      menus: menu,
      menu_order: index + 1,
      status: 'publish',
    })
  await using window = await openWindow()
  const { page } = window
  const path = `${site.home}/svc-admin/menus/${menu}`
  await logInByKeyboard(page, path, 'admin')
  const order = async () => {
    const response = await site.request(`/svc/v2/menu-items?menus=${menu}&context=edit`, { headers: site.by('admin') })
    const items = (await response.json()) as { id: number; title: { raw: string }; parent: number }[]
    const titles = new Map(items.map(({ id, title }) => [id, title.raw]))
    return items.map(({ title, parent }) => [title.raw, titles.get(parent) ?? ''].join(' < '))
  }
  const liveText = () => page.locator('#live').textContent()

  const up = page.getByRole('button', { name: 'Move Three up' })
  await up.press('Enter')
  assert.is(await liveText(), 'Three moved to position 2 of 3.')
  assert.is(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Move Three up')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  assert.is(await liveText(), 'Three can’t be moved further.')
  await page.getByRole('button', { name: 'Make Two a child of the item above' }).press('Enter')
  assert.is(await liveText(), 'Two moved to position 1 of 1 under One.')
  assert.equal(await accessibilityFindings(page), [])
  // Leaving with unsaved changes asks for confirmation.
  let isDialogShown = false
  page.once('dialog', (dialog) => {
    isDialogShown = true
    void dialog.dismiss()
  })
  await page.getByRole('link', { name: 'All menus' }).click()
  assert.ok(isDialogShown)
  await page.getByRole('button', { name: 'Save menu' }).press('Enter')
  await page.getByText('Menu saved.').first().waitFor()
  assert.equal(await order(), ['Three < ', 'One < ', 'Two < One'])

  await page.getByRole('button', { name: 'Move Two one level up' }).press('Space')
  assert.is(await liveText(), 'Two moved to position 3 of 3.')
  // By mouse: the last one before the first.
  await dragMenuItem(page, 'Two', '[data-title=Three] > .menu-item', '[data-title=Two] + [data-title=Three]')
  await page.locator('#live', { hasText: 'Two moved to position 1 of 3.' }).waitFor()
  // The list of the children of an item is empty.
  await dragMenuItem(page, 'One', '[data-title=Two] > ol', '[data-title=Two] > ol > [data-title=One]')
  await page.locator('#live', { hasText: 'One moved to position 1 of 1 under Two.' }).waitFor()
  await page.getByRole('button', { name: 'Save menu' }).click()
  await page.getByText('Menu saved.').first().waitFor()
  assert.equal(await order(), ['Two < ', 'One < Two', 'Three < '])
  await assertFits(page, 320)
  assert.equal(await accessibilityFindings(page), [])
  assert.equal(window.complaints, [])
})

menus.run()
