import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { tasksOf } from './owner.ts'

const content = suite('tasks of writers')
const task = tasksOf(content)

const DAY_MS = 86_400_000

async function write(page: Page, title: string, text: string): Promise<void> {
  await page.locator('.ProseMirror').waitFor()
  await page.getByLabel('Title', { exact: true }).fill(title)
  await page.locator('.ProseMirror').click()
  await page.keyboard.type(text)
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Publishes past the checklist. */
async function publish(page: Page): Promise<void> {
  await button(page, 'Publish').click()
  await page.getByRole('button', { name: 'Publish anyway' }).click()
  await page.locator('#notices .done').waitFor()
}

const paragraph = (html: string) => `<!-- wp:paragraph -->\n<p>${html}</p>\n<!-- /wp:paragraph -->`

const picture = async (name: string, background: string) => ({
  name,
  mimeType: 'image/png',
  buffer: await sharp({ create: { width: 400, height: 300, channels: 3, background } })
    .png()
    .toBuffer(),
})

task('write a post, publish it, and read it on the site', 'ann', async ({ page, open, visit }) => {
  await open('content/post/new')
  await write(page, 'Low water', 'The **harbor** is empty.\n## Boats\n- two\nthree\n\n> The tide does not wait')
  await publish(page)
  const { status, html } = await visit('/low-water/')
  assert.is(status, 200)
  for (const part of ['<strong>harbor</strong>', '>Boats</h2>', '<li>two</li>', '<blockquote']) {
    assert.ok(html.includes(part), part)
  }
})

task('schedule a post for tomorrow', 'ann', async ({ page, open, visit, read }) => {
  await open('content/post/new')
  await write(page, 'Spring tide', 'It comes tomorrow.')
  await button(page, 'Tomorrow, 9:00').click()
  await button(page, 'Schedule').click()
  await page.getByRole('button', { name: 'Publish anyway' }).click()
  await page.locator('#notices .done').waitFor()
  const { date, status } = await read(`posts/${/\d+$/.exec(page.url())![0]}`)
  assert.is(status, 'future')
  assert.is(String(date).slice(0, 10), new Date(Date.now() + DAY_MS).toISOString().slice(0, 10))
  await open('content/post?status=future')
  await page.getByRole('rowheader', { name: /Spring tide/ }).waitFor()
  assert.is((await visit('/spring-tide/')).status, 404)
})

task(
  'change status, author and terms of several posts at once',
  'ed',
  async ({ page, open, create, read, notice, site }) => {
    const { id: trees } = await create('categories', { name: 'Trees' })
    const ids: number[] = []
    for (const title of ['Ash', 'Beech']) ids.push((await create('posts', { title, status: 'draft' })).id)
    await open('content/post?orderby=title&order=asc')
    for (const title of ['Ash', 'Beech']) await page.getByRole('checkbox', { name: `Select ${title}` }).check()
    await page.getByText('Bulk edit', { exact: true }).click()
    const fields = page.locator('.bulk-edit')
    await fields.getByLabel('Status').selectOption({ label: 'Published' })
    await fields.getByLabel('Author').selectOption({ label: 'ANN Writer' })
    await fields.getByLabel('Add Categories').fill('Tres')
    await fields.getByLabel('Add Tags').fill('bark, leaf')
    await button(page, 'Apply').click()
    await notice('There is no term “Tres”.')
    // The choices are kept.
    await fields.getByLabel('Add Categories').fill('Trees')
    await button(page, 'Apply').click()
    await notice('2 items updated.')

    for (const id of ids) {
      const { categories, tags, author, status } = await read(`posts/${id}`)
      assert.is(status, 'publish')
      assert.is(author, site.users.ann)
      assert.ok((categories as number[]).includes(trees))
      assert.is((tags as number[]).length, 2)
    }
  },
)

task('restore an older revision', 'ann', async ({ page, open, create, read, site, notice }) => {
  const { id } = await create('posts', { title: 'Charts', author: site.users.ann })
  for (const text of ['first', 'second'])
    await create(`posts/${id}`, { content: paragraph(`The ${text} chart`) }, 'ann')
  await open(`content/post/${id}`)
  await page.getByRole('link', { name: 'Revisions' }).click()
  await page.getByRole('button', { name: /^Restore Revision/ }).click()
  await page.getByRole('heading', { name: /^Restore Revision/ }).waitFor()
  await button(page, 'Restore').click()
  await notice('Revision restored.')
  assert.match(JSON.stringify((await read(`posts/${id}`))['content']), 'The first chart')
})

task('take over a post from a colleague, whose unsaved text is kept', 'ed', async (desk) => {
  const { page, open, create, read, windowOf, site, notice } = desk
  const { id } = await create('posts', { title: 'Log book', content: paragraph('Day one'), author: site.users.ann })
  const colleague = await windowOf('ann')
  await colleague.goto(`${site.home}/svc-admin/content/post/${id}`)
  await colleague.locator('.ProseMirror p', { hasText: 'Day one' }).waitFor()
  await open(`content/post/${id}`)
  await page
    .getByText(/ANN Writer is editing/)
    .first()
    .waitFor()
  await button(page, 'Take over').click()
  const append = async (window: Page, text: string) => {
    await window.locator('.ProseMirror p', { hasText: 'Day one' }).click()
    await window.keyboard.press('End')
    await window.keyboard.type(text)
    await button(window, 'Save').click()
  }
  await append(page, ' and two')
  await notice('Saved.')
  await append(colleague, ' in rain')
  await colleague.getByRole('heading', { name: 'Someone else changed this while you were editing' }).waitFor()
  const stored = async () => JSON.stringify((await read(`posts/${id}`))['content'])
  assert.match(await stored(), 'Day one and two')
  await colleague.getByRole('button', { name: /^Keep my version/ }).click()
  await colleague.locator('#notices .done').waitFor()
  assert.match(await stored(), 'Day one in rain')
})

task('write and publish on a phone', 'ann', async ({ page, open, visit, notice }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open('')
  await button(page, 'Menu').click()
  await page.getByRole('link', { name: 'Posts', exact: true }).click()
  await page.getByRole('main').getByRole('link', { name: 'Add new' }).click()
  await write(page, 'From the boat', 'Sent with one hand.')
  const isInView = await button(page, 'Publish').evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= element.ownerDocument.documentElement.clientHeight
  })
  assert.ok(isInView)
  await publish(page)
  await notice('published')
  assert.is((await visit('/from-the-boat/')).status, 200)
})

task('insert pictures, describe them, and set the featured image', 'ed', async ({ page, open, visit }) => {
  await open('content/post/new')
  await write(page, 'Two pictures', 'Before the pictures.')
  await page.keyboard.press('Enter')
  await page.keyboard.type('/gallery')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog
    .getByLabel('Upload files')
    .setInputFiles([await picture('red.png', '#c00'), await picture('blue.png', '#00c')])
  await dialog.getByRole('option').nth(1).waitFor()
  await button(page, 'Select').last().click()
  await dialog.waitFor({ state: 'hidden' })
  const images = page.locator('.ProseMirror figure img')
  await images.nth(1).waitFor()
  await page.getByRole('tab', { name: 'Post' }).click()
  await page.getByRole('button', { name: /Select file/ }).click()
  await dialog.getByRole('option', { name: /blue/ }).click()
  await dialog.getByLabel('Alt text').fill('The sea')
  await button(page, 'Select').last().click()
  await dialog.waitFor({ state: 'hidden' })
  await publish(page)
  const { html } = await visit('/two-pictures/')
  assert.is(html.match(/<figure class="wp-block-image/g)?.length, 2)
  assert.match(html, /<img[^>]+alt="The sea"/)
})

task(
  'move posts to the trash, restore one, and delete the other permanently',
  'ed',
  async ({ page, open, create, read, notice, site }) => {
    const ids: number[] = []
    for (const title of ['Old news', 'Older news']) ids.push((await create('posts', { title, status: 'publish' })).id)
    await open('content/post?search=news')
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByLabel('Bulk actions').selectOption({ label: 'Move to trash' })
    await button(page, 'Apply').click()
    await notice('2 items moved to trash.')
    await open('content/post?status=trash')
    await page.getByRole('row', { name: /Old news/ }).hover()
    await page.getByRole('button', { name: 'Restore Old news' }).click()
    await notice('estored')
    await page.getByRole('link', { name: 'Trash (1)' }).waitFor()
    await page.getByRole('button', { name: 'Delete permanently Older news' }).click()
    await notice('deleted')
    assert.is((await read(`posts/${ids[0]}`))['status'], 'draft')
    assert.is((await site.request(`/svc/v2/posts/${ids[1]}`, { headers: site.by('admin') })).status, 404)
  },
)

task('create a category in the editor, and rename it later', 'ed', async ({ page, open, visit, notice }) => {
  await open('content/post/new')
  await write(page, 'A rope', 'It is long.')
  await page.getByLabel('Add new (separate with commas)').fill('Knots')
  await page.getByRole('combobox', { name: 'Tags' }).fill('hemp, tar')
  await publish(page)
  await open('terms/category')
  await page.getByRole('link', { name: 'Knots', exact: true }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Knots and splices')
  await button(page, 'Save').click()
  await notice('“Knots and splices” updated.')
  const { html } = await visit('/a-rope/')
  for (const name of ['Knots and splices', 'hemp', 'tar']) assert.match(html, new RegExp(`<a [^>]*>${name}</a>`))
})

task('share a draft by a preview link', 'ann', async ({ page, open, create, site, visit }) => {
  const { id } = await create('posts', { title: 'Not yet', content: paragraph('For friends'), author: site.users.ann })
  await open(`content/post/${id}`)
  await button(page, 'Create preview link').click()
  const url = await page.locator('.notice a').getAttribute('href')
  const friend = await fetch(url!)
  assert.is(friend.status, 200)
  assert.match(friend.headers.get('content-type')!, 'text/html')
  assert.match(await friend.text(), 'For friends')
  assert.is((await visit(`/?p=${id}`)).status, 404)
})

content.run()
