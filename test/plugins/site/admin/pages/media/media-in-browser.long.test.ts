import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, html } from '../../../../../../plugins/public.ts'
import { mediaField, mediaPicker, MEDIA_PICKER } from '../../../../../../plugins/site/admin/parts/media-picker.ts'
import { accessibilityFindings } from '../../../../../helpers/accessibility.ts'
import { useChromium } from '../../../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../../../helpers/log-in.ts'
import { assertFits } from '../../../../../helpers/page-width.ts'
import { serveWithUsers } from '../../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../../helpers/stores.ts'
import { until } from '../../../../../helpers/until.ts'

const PICTURE = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#285' } })
  .png()
  .toBuffer()

/** A form with an image field. */
const album = definePlugin({
  name: 'album',
  needs: ['admin'],
  apply({ services }) {
    services.admin.addPage({
      path: 'album',
      title: 'Album',
      ...MEDIA_PICKER,
      show: (view) => ({
        main: html`${view.formStart()}
          ${mediaField(view, { name: 'cover', label: 'Cover', value: 0, file: null })}</form>
          ${mediaPicker(view)}`,
      }),
    })
  },
})

const media = suite('the media library of the admin in a browser')
const { inBrowser, openWindow } = useChromium(media)

/** Drops a file with these bytes on the page. */
async function drop(page: Page, name: string, bytes: Buffer) {
  await page.evaluate(`{
    const data = new DataTransfer()
    const bytes = Uint8Array.from(atob('${bytes.toString('base64')}'), (one) => one.charCodeAt(0))
    data.items.add(new File([bytes], ${JSON.stringify(name)}, { type: 'image/png' }))
    for (const type of ['dragenter', 'dragover', 'drop'])
      document.querySelector('main').dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }))
  }`)
}

inBrowser('uploads dropped and selected files, announces the progress, and works with the keyboard only', async () => {
  const uploads = await mkdtemp(join(tmpdir(), 'admin-media-'))
  await using site = await serveWithUsers(filePlace, { uploads, add: [album] })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/media`, 'ed')

  // Drops two files; the second upload fails and is retried with the keyboard.
  await drop(page, 'leaf.png', PICTURE)
  await page.getByText('leaf.png uploaded.').first().waitFor()
  await page.getByRole('link', { name: 'leaf', exact: true }).waitFor()
  await page.context().setOffline(true)
  await drop(page, 'stem.png', PICTURE)
  await page.getByText('stem.png couldn’t be uploaded: the server couldn’t be reached').first().waitFor()
  assert.match((await page.locator('#live').textContent()) ?? '', 'stem.png couldn’t be uploaded')
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Try again to upload stem.png' }).press('Enter')
  await page.getByText('stem.png uploaded.').first().waitFor()
  // Browsers open a file input with Enter or Space.
  const field = page.getByLabel('Upload files')
  await field.focus()
  await field.setInputFiles([
    { name: 'root.png', mimeType: 'image/png', buffer: PICTURE },
    { name: 'bad.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') },
  ])
  await page.getByText('root.png uploaded.').first().waitFor()
  await page.getByText('bad.exe couldn’t be uploaded: The file cannot be uploaded').first().waitFor()
  // A canceled upload is not stored.
  await page.route('**/svc/v2/media**', (route) => (route.request().method() === 'POST' ? undefined : route.continue()))
  await drop(page, 'late.png', PICTURE)
  await page.getByRole('progressbar', { name: 'Progress of late.png' }).waitFor()
  await page.getByRole('button', { name: 'Cancel upload of late.png' }).press('Enter')
  await page.getByText('Upload of late.png canceled.').first().waitFor()
  assert.is(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Try again to upload late.png')
  await page.unrouteAll()
  assert.is(await page.locator('#media-grid > li').count(), 3)
  assert.equal(await accessibilityFindings(page), [])

  // The focal point, by mouse and by keyboard.
  await page.getByRole('link', { name: 'Edit leaf' }).press('Enter')
  await page.getByRole('heading', { name: 'leaf', level: 1 }).waitFor()
  await page.locator('#focal').scrollIntoViewIfNeeded()
  const box = (await page.locator('#focal').boundingBox())!
  await page.mouse.click(box.x + box.width / 4, box.y + box.height / 2)
  assert.is(Math.round(Number(await page.getByLabel('From left', { exact: true }).inputValue())), 25)
  await page.getByLabel('From top', { exact: true }).fill('80')
  await page.locator('#focal').press('ArrowUp')
  await page.locator('#focal').press('Shift+ArrowRight')
  assert.is(await page.getByLabel('From top', { exact: true }).inputValue(), '79')
  assert.is(Math.round(Number(await page.getByLabel('From left', { exact: true }).inputValue())), 35)
  await page.getByLabel('From top', { exact: true }).fill('80')
  await page.getByLabel('Alt text', { exact: true }).fill('A leaf')
  assert.equal(await accessibilityFindings(page), [])
  await page.getByRole('button', { name: 'Save', exact: true }).press('Enter')
  await page.getByText('File updated.').first().waitFor()
  assert.is(await page.getByLabel('From top', { exact: true }).inputValue(), '80')
  await assertFits(page, 320)
  await page.setViewportSize({ width: 1440, height: 900 })

  // The picker of a form, by keyboard.
  await page.goto(`${site.home}/svc-admin/album`)
  await page.getByRole('button', { name: 'Cover Select file' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Select file' })
  await dialog.getByRole('option').nth(2).waitFor()
  assert.equal(await accessibilityFindings(page, '#media-picker'), [])
  await page.keyboard.type('leaf')
  await until(async () => (await dialog.getByRole('option').count()) === 1)
  await dialog.getByRole('option').first().focus()
  await page.keyboard.press('Space')
  assert.is(await dialog.getByLabel('Alt text').inputValue(), 'A leaf')
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  assert.is(await page.evaluate('document.activeElement.textContent.trim()'), 'Select file')
  assert.ok(Number(await page.locator('input[name=cover]').inputValue()) > 0)
  assert.is(await page.getByRole('img', { name: 'A leaf' }).count(), 1)
  await page.getByRole('button', { name: 'Cover Select file' }).press('Enter')
  await dialog.getByRole('option').first().waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  assert.ok(Number(await page.locator('input[name=cover]').inputValue()) > 0, 'kept')
  assert.equal(
    window.complaints.filter((text) => !/ERR_INTERNET_DISCONNECTED|status of 400/.test(text)),
    [],
  )
  await rm(uploads, { recursive: true, force: true })
})

inBrowser('crops by mouse, touch and keyboard, to an aspect ratio', async () => {
  const uploads = await mkdtemp(join(tmpdir(), 'admin-media-'))
  await using site = await serveWithUsers(filePlace, { uploads })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/media`, 'ed')
  await drop(page, 'leaf.png', PICTURE)
  await page.getByRole('link', { name: 'Edit leaf' }).press('Enter')
  const fields = ['Left', 'Top', 'Width', 'Height'].map((name) => page.getByLabel(name, { exact: true }))
  const numbers = async () => Promise.all(fields.map(async (field) => Math.round(Number(await field.inputValue()))))

  // The numbers that were typed before apply.
  await fields[0]!.fill('20')
  await fields[2]!.fill('50')
  const scripts = () => page.evaluate<string[]>(`performance.getEntriesByType('resource').map(({ name }) => name)`)
  assert.not.match((await scripts()).join(), /crop\.js|cropper\.esm/)
  await page.getByRole('button', { name: 'Crop', exact: true }).press('Enter')
  const area = page.getByRole('group', { name: 'Area to keep' })
  const face = page.locator('.cropper-face')
  await face.waitFor()
  assert.match((await scripts()).join(), /crop\.js/)
  await until(async () => (await numbers()).join() === '20,0,50,100')
  assert.equal(await accessibilityFindings(page), [])

  // By keyboard: moves, and changes the width.
  await area.press('ArrowRight')
  await area.press('Alt+ArrowRight')
  assert.equal(await numbers(), [31, 0, 50, 100])
  await area.press('Alt+Shift+ArrowLeft')
  await area.press('Shift+ArrowUp')
  assert.equal(await numbers(), [31, 0, 40, 99])

  // By mouse: the area, then its right edge.
  await face.scrollIntoViewIfNeeded()
  const image = (await page.locator('.cropper-canvas').boundingBox())!
  const drag = async (from: { x: number; y: number }, across: number) => {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x + (image.width * across) / 100, from.y, { steps: 4 })
    await page.mouse.up()
  }
  const box = (await face.boundingBox())!
  await drag({ x: box.x + box.width / 2, y: box.y + box.height / 2 }, 10)
  assert.equal((await numbers())[0], 41)
  const moved = (await face.boundingBox())!
  await drag({ x: moved.x + moved.width, y: moved.y + moved.height / 2 }, -20)
  assert.equal((await numbers()).slice(0, 3), [41, 0, 20])

  // By touch.
  const touch = await page.context().newCDPSession(page)
  const { x, y, width: wide, height: high } = (await face.boundingBox())!
  const finger = (across: number) => [{ x: x + wide / 2 + (image.width * across) / 100, y: y + high / 2 }]
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: finger(0) })
  for (const across of [-5, -10])
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: finger(across) })
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  assert.equal((await numbers()).slice(0, 3), [31, 0, 20])

  // A square of an image that is twice as wide as high.
  await page.getByRole('button', { name: 'Whole image' }).click()
  assert.equal(await numbers(), [0, 0, 100, 100])
  await page.getByLabel('Aspect ratio').selectOption('1:1')
  const square = await numbers()
  assert.is(square[2]! * 2, square[3])
  await assertFits(page, 320)
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('button', { name: 'Save as new image' }).press('Enter')
  await page.getByText('Edited image saved as a new file.').first().waitFor()
  assert.match(await page.locator('main').innerText(), /(\d+) × \1 pixels/)
  assert.equal(window.complaints, [])
  await rm(uploads, { recursive: true, force: true })
})

inBrowser('filters, sorts and deletes in place, while an upload continues', async () => {
  const uploads = await mkdtemp(join(tmpdir(), 'admin-media-'))
  await using site = await serveWithUsers(filePlace, { uploads })
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/media`, 'ed')
  for (const name of ['leaf', 'stem']) {
    await drop(page, `${name}.png`, PICTURE)
    await page.getByText(`${name}.png uploaded.`).first().waitFor()
  }
  await page.evaluate('globalThis.isSame = true')
  const tiles = page.locator('#media-grid > li')
  const sent = Promise.withResolvers<void>()
  await page.route('**/svc/v2/media**', async (route) => {
    if (route.request().method() === 'POST') await sent.promise
    await route.continue()
  })
  await drop(page, 'root.png', PICTURE)
  await page.getByRole('progressbar', { name: 'Progress of root.png' }).waitFor()
  await page.getByText('Filters', { exact: true }).click()
  await page.getByRole('combobox', { name: 'Type' }).selectOption({ label: 'Videos (0)' })
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('link', { name: 'Remove filter Type: Videos (0)' }).waitFor()
  await until(async () => (await tiles.count()) === 0)
  assert.ok(await page.getByRole('progressbar', { name: 'Progress of root.png' }).isVisible())
  sent.resolve()
  await page.getByText('root.png uploaded.').first().waitFor()
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await until(async () => (await tiles.count()) === 3)
  await page.getByText('Sort', { exact: true }).click()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.equal(await accessibilityFindings(page), [], colorScheme)
  }
  await page.getByRole('link', { name: 'Title, Z to A' }).click()
  await until(async () => (await tiles.first().textContent())?.includes('stem') === true)

  // The confirmation replaces the list, and the list works again afterwards.
  await page.getByLabel('Select leaf').check()
  await page.getByLabel('Bulk actions').selectOption('Delete permanently')
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('heading', { name: 'Delete 1 file?' }).waitFor()
  assert.is(await page.evaluate('globalThis.isSame'), true)
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await page.getByText('1 file permanently deleted.').first().waitFor()
  assert.is(await tiles.count(), 2)
  // The script of the loaded page shows it.
  await page.locator('#media-upload').waitFor()
  await drop(page, 'leaf.png', PICTURE)
  await page.getByText('leaf.png uploaded.').first().waitFor()
  assert.is(await tiles.count(), 3)
  await assertFits(page, 320)
  assert.equal(window.complaints, [])
  await rm(uploads, { recursive: true, force: true })
})

inBrowser(
  'shows files as they are when the dialog opens again, and keeps one that was uploaded while they load',
  async () => {
    const uploads = await mkdtemp(join(tmpdir(), 'admin-media-'))
    await using site = await serveWithUsers(filePlace, { uploads, add: [album] })
    await using window = await openWindow()
    const { page } = window
    await logInByKeyboard(page, `${site.home}/svc-admin/album`, 'ed')
    const dialog = page.getByRole('dialog', { name: 'Select file' })
    const choose = page.getByRole('button', { name: 'Cover Select file' })
    const cover = page.locator('input[name=cover]')

    // The response with the list is delayed until the upload is done.
    const list = Promise.withResolvers<void>()
    await page.route('**/svc/v2/media?*', async (route) => {
      if (route.request().method() !== 'GET') return route.continue()
      const response = await route.fetch()
      await list.promise
      await route.fulfill({ response })
    })
    const read = page.waitForRequest((request) => request.method() === 'GET' && request.url().includes('/media?'))
    await choose.click()
    await read
    await dialog.getByLabel('Upload files').setInputFiles({ name: 'bud.png', mimeType: 'image/png', buffer: PICTURE })
    const bud = dialog.getByRole('option', { name: 'bud' })
    await bud.waitFor()
    await dialog.getByLabel('Alt text').fill('A bud')
    list.resolve()
    await until(async () => (await dialog.locator('[aria-busy]').count()) === 0)
    await page.unrouteAll({ behavior: 'wait' })
    assert.is(await bud.getAttribute('aria-selected'), 'true')
    assert.is(await dialog.getByLabel('Alt text').inputValue(), 'A bud')
    await dialog.getByRole('button', { name: 'Select' }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.ok(Number(await cover.inputValue()) > 0)

    // The dialog is empty when it opens, so no outdated file can be selected while the list loads.
    const again = Promise.withResolvers<void>()
    await page.route('**/svc/v2/media?*', async (route) => {
      await again.promise
      await route.continue()
    })
    await choose.click()
    await dialog.waitFor()
    assert.is(await dialog.getByRole('option').count(), 0)
    again.resolve()
    await bud.click()
    assert.is(await dialog.getByLabel('Alt text').inputValue(), 'A bud')
    await rm(uploads, { recursive: true, force: true })
  },
)

media.run()
