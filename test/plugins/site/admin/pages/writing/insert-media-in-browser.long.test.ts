import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../../../../helpers/accessibility.ts'
import { until } from '../../../../../helpers/until.ts'
import { assertValid, checkInBlockEditor, useWriting } from '../../../../../helpers/writing-page.ts'

const media = suite('files in the rich editor')
const uploads = await mkdtemp(join(tmpdir(), 'editor-media-'))
media.after(() => rm(uploads, { recursive: true, force: true }))
const { inEditor } = useWriting(media, { uploads, limits: { bodyLimit: 2_000_000 } })

const picture = (width: number) =>
  sharp({ create: { width, height: 100, channels: 3, background: '#285' } })
    .png()
    .toBuffer()
const [SMALL, LARGE] = await Promise.all([picture(100), picture(1600)])

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`
const image = (url: string, id: number, size = 'full', alt = '') =>
  `<!-- wp:image {"id":${id},"sizeSlug":"${size}","linkDestination":"none"} -->\n<figure class="wp-block-image size-${size}"><img src="${url}" alt="${alt}" class="wp-image-${id}"/></figure>\n<!-- /wp:image -->`

interface NewFile {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}
const png = (name: string, bytes = SMALL): NewFile => ({ name, type: 'image/png', bytes })

/** Drops files on the element with a text, or pastes them at the cursor. */
async function give(page: Page, how: { paste: true } | { drop: string }, ...files: NewFile[]) {
  const given = files.map(({ bytes, ...file }) => ({ ...file, bytes: bytes.toString('base64') }))
  await page.evaluate(`{
    const data = new DataTransfer()
    for (const { name, type, bytes } of ${JSON.stringify(given)})
      data.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], name, { type }))
    const root = document.querySelector('.ProseMirror')
    const wanted = ${JSON.stringify('drop' in how ? how.drop : null)}
    const target = wanted === null ? root : [...root.children].find((one) => one.textContent === wanted)
    const { left, top, height } = target.getBoundingClientRect()
    const init = { bubbles: true, cancelable: true, clientX: left + 5, clientY: top + height / 2 }
    target.dispatchEvent(wanted === null
      ? new ClipboardEvent('paste', { ...init, clipboardData: data })
      : new DragEvent('drop', { ...init, dataTransfer: data }))
  }`)
}

interface Media {
  id: number
  source_url: string
  alt_text: string
  media_details: { sizes?: Record<string, { source_url: string }> }
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Describe the images' })

inEditor(
  'uploads pasted images, asks for their alt text and stores both',
  async ({ page, site, show, source, window }) => {
    await show('')
    await give(page, { paste: true }, png('boat.png', LARGE))
    const dialog = dialogOf(page)
    await dialog.getByLabel('Alt text').fill('A "red" boat')
    assert.equal(await accessibilityFindings(page), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    const stored = async () =>
      ((await (await site.send('GET', '/svc/v2/media?context=edit', null, 'admin')).json()) as Media[])[0]!
    await until(async () => (await stored()).alt_text !== '')
    const { id, media_details: details, alt_text: alt } = await stored()
    assert.is(alt, 'A "red" boat')
    const content = await source()
    assert.is(content, image(details.sizes!['large']!.source_url, id, 'large', 'A &quot;red&quot; boat'))
    assertValid(content)
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    assert.is(await source(), '')
    assert.equal(window.complaints, [])
  },
)

inEditor(
  'inserts dropped files below the block they are dropped on, in their order',
  async ({ page, site, show, source }) => {
    await show([paragraph('One'), paragraph('Two')].join('\n\n'))
    // The second file is stored first.
    let release = () => {}
    const isHeld = new Promise<void>((resolve) => (release = resolve))
    let count = 0
    await page.route('**/v2/media?*', async (route) => {
      count += 1
      if (count === 1) await isHeld
      await route.continue()
    })
    const text = { name: 'notes.txt', type: 'text/plain', bytes: Buffer.from('notes') }
    await give(page, { drop: 'One' }, png('first.png'), png('second.png'), text)
    await page.getByRole('progressbar', { name: 'Upload progress of first.png' }).waitFor()
    const names = async () =>
      ((await (await site.send('GET', '/svc/v2/media', null, 'admin')).json()) as Media[]).map((one) => one.source_url)
    await until(async () => (await names()).some((url) => url.endsWith('notes.txt')))
    release()
    await dialogOf(page).getByRole('button', { name: 'Skip' }).click()
    await page.unroute('**/v2/media?*')
    const content = await source()
    assert.match(content, /^[^]*One[^]*first\.png[^]*second\.png[^]*wp:file[^]*notes\.txt[^]*Two[^]*$/)
    assertValid(content)
  },
)

inEditor('explains failed uploads, and leaves no block', async ({ page, show, source }) => {
  const content = paragraph('One')
  const cases: [NewFile, RegExp, offline?: true][] = [
    [png('huge.png', Buffer.alloc(2_100_000)), /huge\.png couldn’t be uploaded: the maximum upload size is 2 MB/],
    [
      { name: 'tool.exe', type: 'application/x-msdownload', bytes: Buffer.from('MZ') },
      /tool\.exe couldn’t be uploaded: .*not allowed/,
    ],
    [png('broken.png', Buffer.from('no picture')), /broken\.png couldn’t be uploaded: \S+/],
    [png('late.png'), /late\.png couldn’t be uploaded: the server couldn’t be reached/, true],
  ]
  for (const [file, message, offline] of cases) {
    await show(content)
    await page.context().setOffline(offline === true)
    await give(page, { drop: 'One' }, file)
    const box = page.locator('.editor-upload.failed', { hasText: message })
    await box.waitFor()
    assert.is(await source(), content)
    await box.getByRole('button', { name: 'Close' }).click()
    await page.context().setOffline(false)
    assert.is(await page.locator('.editor-upload').count(), 0)
  }
})

inEditor('waits with saving and with other views until files are uploaded, and cancels uploads', async (writing) => {
  const { page, show, source, save } = writing
  await show('')
  let release = () => {}
  await page.route('**/v2/media?*', async (route) => {
    await new Promise<void>((resolve) => (release = resolve))
    await route.continue().catch(() => {})
  })
  await give(page, { paste: true }, png('canceled.png'))
  const box = page.locator('.editor-upload')
  await box.getByRole('button', { name: 'Cancel' }).click()
  await box.waitFor({ state: 'detached' })
  assert.is(await source(), '')
  await give(page, { paste: true }, png('seen.png'))
  await box.waitFor()
  await page.getByRole('button', { name: 'HTML', exact: true }).click()
  await page.getByText('Waiting for uploads…').waitFor()
  release()
  await dialogOf(page).getByRole('button', { name: 'Skip' }).click()
  await page.getByLabel('Content (HTML)').waitFor()
  assert.match(await page.getByLabel('Content (HTML)').inputValue(), /seen\.png/)
  await page.getByRole('button', { name: 'Blocks', exact: true }).click()
  await page.locator('.ProseMirror').click()
  await give(page, { paste: true }, png('kept.png'))
  await box.waitFor()
  const saved = save()
  await page.getByText('Waiting for uploads…').waitFor()
  release()
  await dialogOf(page).getByLabel('Alt text').fill('Kept')
  await page.keyboard.press('Enter')
  assert.match(await saved, /kept\.png" alt="Kept"/)
  await page.unroute('**/v2/media?*')
})

inEditor('uploads the file of an image that a browser has copied from a page', async ({ page, show, source }) => {
  await show('')
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/html', '<meta charset="utf-8"><img src="https://other.example/a.png" alt="x">')
    const bytes = Uint8Array.from(atob('${SMALL.toString('base64')}'), (one) => one.charCodeAt(0))
    clipboardData.items.add(new File([bytes], 'image.png', { type: 'image/png' }))
    document.querySelector('.ProseMirror').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }`)
  await dialogOf(page).getByRole('button', { name: 'Skip' }).click()
  const content = await source()
  assert.match(content, /<img src="http:\/\/[^"]+image[^"]*\.png"/)
  assert.not.match(content, 'other.example')
})

checkInBlockEditor(media, inEditor)

media.run()
