import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../../../../helpers/accessibility.ts'
import { sendForm } from '../../../../../helpers/admin-forms.ts'
import { browse } from '../../../../../helpers/browser.ts'
import { useChromium } from '../../../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../../../helpers/log-in.ts'
import { serveWithUsers } from '../../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../../helpers/stores.ts'

const PICTURE = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#285' } })
  .png()
  .toBuffer()

const focal = suite('the focal point of the featured image')
const { inBrowser, openWindow } = useChromium(focal)

const open = async () => {
  const uploads = await mkdtemp(join(tmpdir(), 'focal-point-'))
  const site = await serveWithUsers(filePlace, { uploads })
  const body = new FormData()
  body.append('file', new File([new Uint8Array(PICTURE)], 'leaf.png', { type: 'image/png' }))
  const uploaded = await site.request('/svc/v2/media', { method: 'POST', headers: site.by('ed'), body })
  const { id: image } = (await uploaded.json()) as { id: number }
  const fields = {
    title: 'Leaves',
    status: 'publish',
    featured_media: image,
    content: '<!-- wp:post-featured-image /-->',
  }
  const { id, link } = (await (await site.send('POST', '/svc/v2/posts', fields, 'ed')).json()) as {
    id: number
    link: string
  }
  return {
    ...site,
    path: `/svc-admin/content/post/${id}`,
    link,
    image,
    point: async () => {
      const { media_details: details } = await site.json(`/svc/v2/media/${image}`)
      return (details as { focal_point?: unknown }).focal_point
    },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await rm(uploads, { recursive: true, force: true })
    },
  }
}

focal('is stored with number fields, and moves the picture on the page', async () => {
  await using site = await open()
  const editor = browse(site)
  await editor.logIn('ed', 'pass phrase of ed')
  const form = {
    do: 'save',
    title: 'Leaves',
    featured_media: String(site.image),
    image_alt_of: String(site.image),
    image_alt: '',
  }
  const half = await sendForm(editor, site.path, { ...form, image_focal_x: '25', image_focal_y: '' })
  assert.is(half.response.status, 400)
  assert.match(half.text, 'id="field-image_focal_x-error"')
  const wrong = await sendForm(editor, site.path, { ...form, image_focal_x: '25', image_focal_y: '101' })
  assert.is(wrong.response.status, 400)
  assert.is(await site.point(), undefined)
  const saved = await sendForm(editor, site.path, { ...form, image_focal_x: '25', image_focal_y: '33.3' })
  assert.is(saved.response.status, 303, saved.text)
  assert.equal(await site.point(), { x: 0.25, y: 0.333 })
  assert.match(await (await fetch(site.link)).text(), 'object-position:25% 33.3%;')
  await sendForm(editor, site.path, { ...form, image_focal_x: '', image_focal_y: '' })
  assert.is(await site.point(), undefined)
})

inBrowser('is picked on the picture by pointer and arrow keys', async () => {
  await using site = await open()
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}${site.path}`, 'ed')
  const area = page.getByRole('group', { name: 'Focal point' }).locator('visible=true').last()
  await area.scrollIntoViewIfNeeded()
  const box = (await page.locator('[data-focal]').boundingBox())!
  await page.mouse.click(box.x + box.width / 4, box.y + box.height / 2)
  const across = page.locator('#field-image_focal_x')
  const down = page.locator('#field-image_focal_y')
  assert.is(Math.round(Number(await across.inputValue())), 25)
  await across.fill('25')
  await down.fill('50')
  await page.locator('[data-focal]').press('Shift+ArrowDown')
  await page.locator('[data-focal]').press('ArrowLeft')
  assert.equal([await across.inputValue(), await down.inputValue()], ['24', '60'])
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.equal(await accessibilityFindings(page), [], colorScheme)
  }
  await page.keyboard.press('Control+s')
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  assert.equal(await site.point(), { x: 0.24, y: 0.6 })
  await page.goto(site.link)
  const style = await page.getByRole('main').locator('img').first().getAttribute('style')
  assert.match(String(style), 'object-position:24% 60%')
  assert.equal(window.complaints, [])
})

focal.run()
