import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import { dragMenuItem } from '../helpers/drag-menu-item.ts'
import { tasksOf } from './owner.ts'

const owners = suite('tasks of site owners')
const task = tasksOf(owners)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

task('approve, answer, edit and reject comments', 'ed', async ({ page, open, create, read, visit, notice }) => {
  const { id, link } = await create('posts', { title: 'Guests', status: 'publish' })
  const comment = async (text: string, date: string) => {
    const made = await create('comments', {
      post: id,
      content: text,
      author_name: text,
      author_email: 'guest@mail.example',
      date,
    })
    await create(`comments/${made.id}`, { status: 'hold' })
    return made.id
  }
  const [kind, rude] = [
    await comment('Kind words', '2026-01-01T10:00:00'),
    await comment('Rude words', '2026-01-02T10:00:00'),
  ]
  await open('comments?status=hold')
  await page.getByRole('row', { name: /Kind words/ }).hover()
  await page.getByRole('button', { name: /^Approve Comment by Kind words/ }).click()
  await notice('pproved')
  await page.getByRole('row', { name: /Rude words/ }).hover()
  await page.getByRole('button', { name: /^Mark as spam Comment by Rude words/ }).click()
  await notice('spam')
  assert.is((await read(`comments/${rude}`))['status'], 'spam')
  await open('comments?status=approve')
  await page.getByRole('row', { name: /Kind words/ }).hover()
  await page.getByRole('link', { name: /^Reply Comment by Kind words/ }).click()
  await page.getByLabel('Your reply').fill('Thank you')
  await button(page, 'Submit reply').click()
  await notice('eply')
  await open(`comments/${kind}`)
  await page.getByRole('textbox', { name: 'Comment' }).fill('Kinder words')
  await button(page, 'Save').click()
  await notice('Comment updated.')
  const { html } = await visit(new URL(link).pathname)
  for (const text of ['Kinder words', 'Thank you']) assert.ok(html.includes(text), text)
  assert.not.match(html, 'Rude words')
})

task('add a user, who logs in and sees what the role allows', 'admin', async ({ page, open, site, windowOf }) => {
  await open('users/new')
  await page.getByLabel('Username').fill('newbie')
  await page.getByLabel('Email address').fill('newbie@mail.example')
  await page.getByLabel('Role').selectOption({ label: 'Author' })
  await page.getByLabel('Password').fill('a pass phrase of newbie')
  await button(page, 'Add user').click()
  await page.getByRole('heading', { name: 'newbie' }).waitFor()
  const other = await windowOf('sub')
  await other.context().clearCookies()
  await other.goto(`${site.home}/svc-admin/`)
  await other.getByLabel('Username or email address').fill('newbie')
  await other.getByLabel('Password').fill('a pass phrase of newbie')
  await other.getByRole('button', { name: 'Log in' }).click()
  const menu = other.getByRole('navigation', { name: 'Admin menu' })
  await menu.getByRole('link', { name: 'Posts', exact: true }).waitFor()
  assert.is(await menu.getByRole('link', { name: 'Settings' }).count(), 0)
  await open('users')
  await page.getByRole('link', { name: 'newbie', exact: true }).first().click()
  const roles = page.getByRole('group', { name: 'Roles' })
  await roles.getByLabel('Author').uncheck()
  await roles.getByLabel('Editor').check()
  await button(page, 'Update roles').click()
  await page.getByText('Roles: Editor').waitFor()
  await other.reload()
  await menu.getByRole('link', { name: 'Pages', exact: true }).waitFor()
})

task('change colors and fonts, and undo it', 'admin', async ({ page, open, notice, site }) => {
  await open('appearance')
  await page.getByRole('group', { name: 'Theme colors' }).getByLabel('Background', { exact: true }).fill('#fdf6e3')
  await page.getByLabel('Body font').selectOption({ label: 'Serif' })
  await button(page, 'Save').first().click()
  await notice('aved')
  const color = async () => {
    await page.goto(site.home)
    return page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  }
  assert.is(await color(), 'rgb(253, 246, 227)')
  await open('appearance')
  await button(page, 'Reset to theme defaults').click()
  await notice('eset')
  assert.is(await color(), 'rgb(255, 255, 255)')
})

task('name the site, and show a page on its front', 'admin', async ({ page, open, notice, create, visit }) => {
  await create('pages', { title: 'Harbor', content: '<p>Welcome to the harbor</p>', status: 'publish' })
  await open('settings')
  await page.getByLabel('Site title').fill('Sea letters')
  await button(page, 'Save').click()
  await notice('aved')
  await page.getByRole('link', { name: 'Reading' }).click()
  await page.getByLabel('A static page').check()
  await page.getByLabel('Homepage', { exact: true }).selectOption({ label: 'Harbor' })
  await button(page, 'Save').click()
  await notice('aved')
  const { html } = await visit('/')
  assert.match(html, 'Welcome to the harbor')
  assert.match(html, /<title>[^<]*Sea letters/)
})

task('create a menu with the mouse', 'admin', async ({ page, open, notice, create, site }) => {
  for (const title of ['Boats', 'Nets']) await create('pages', { title, status: 'publish' })
  await open('menus')
  await page.getByLabel('Name').fill('Top')
  await button(page, 'Create menu').click()
  await page.getByRole('heading', { name: 'Edit menu' }).waitFor()
  for (const title of ['Boats', 'Nets']) await page.getByLabel(title).first().check()
  await page.locator('#add').getByRole('button', { name: 'Add to menu' }).click()
  await notice('2 items added to the menu.')
  await dragMenuItem(page, 'Nets', '[data-title=Boats] > .menu-item', '[data-title=Nets] + [data-title=Boats]')
  await page.getByLabel('Header').check()
  await button(page, 'Save menu').click()
  await notice('Menu saved.')
  assert.equal(await shownMenu(page, site.home), ['Nets', 'Boats'])
})

task('rearrange a menu with the keyboard', 'admin', async ({ page, open, notice, site }) => {
  await open('menus')
  await page.getByRole('link', { name: 'Top', exact: true }).first().press('Enter')
  await page.getByRole('button', { name: 'Move Boats up' }).press('Enter')
  await page.getByRole('textbox', { name: 'URL' }).fill('https://tides.example/')
  await page.getByRole('textbox', { name: 'Link text' }).fill('Tides')
  await button(page, 'Save menu').press('Enter')
  await notice('Menu saved.')
  assert.equal(await shownMenu(page, site.home), ['Boats', 'Nets'])
})

task('switch the theme after a preview', 'admin', async ({ page, open, notice, site }) => {
  await open('appearance')
  await page.getByRole('link', { name: 'Preview Magazine' }).click()
  const preview = page.frameLocator('iframe').first()
  await preview.getByRole('banner').waitFor()
  const background = async () => {
    await page.goto(site.home)
    return page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
  }
  await page.getByRole('button', { name: 'Activate Magazine' }).first().click()
  await notice('Magazine activated.')
  assert.is(await background(), 'rgb(255, 253, 250)')
  await open('appearance')
  await page.getByRole('button', { name: 'Activate Default' }).click()
  await notice('Default activated.')
})

task('change the permalinks, and follow an old link', 'admin', async ({ page, open, notice, create, read, site }) => {
  const { id, link } = await create('posts', { title: 'Anchors', status: 'publish' })
  await open('settings/permalinks')
  await page.getByLabel(/^\/posts\/%post_id%/).check()
  await button(page, 'Save').click()
  await notice('aved')
  assert.is((await read(`posts/${id}`)).link, `${site.home}/posts/${id}/`)
  const old = await fetch(link)
  assert.is(old.url, `${site.home}/posts/${id}/`)
  assert.is(old.status, 200)
})

task('find a post and a page of the admin by the command palette', 'admin', async ({ page, open }) => {
  await open('')
  await page.keyboard.press('Control+k')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').fill('Anchors')
  await dialog
    .getByRole('option', { name: /Anchors/ })
    .first()
    .click()
  await page.getByRole('heading', { name: 'Edit “Anchors”' }).waitFor()
  await page.locator('.ProseMirror').waitFor()
  await page.keyboard.press('Control+k')
  await dialog.getByRole('combobox').fill('Discussion')
  await dialog
    .getByRole('option', { name: /Discussion/ })
    .first()
    .click()
  await page.getByRole('heading', { name: /Discussion/ }).waitFor()
})

task('import a site from a file, and read the report', 'admin', async ({ page, open, visit }) => {
  await open('import')
  await page.getByLabel('Export file').setInputFiles(join(import.meta.dirname, '../fixtures/garden.wxr.xml'))
  await button(page, 'Import').click()
  await page.getByText('Import complete.').waitFor()
  const imported = page.getByRole('table', { name: 'Imported content' })
  await imported.getByRole('row', { name: /^Posts 3/ }).waitFor()
  await page.getByRole('heading', { name: 'To do' }).waitFor()
  const { html } = await visit('/?feed=rss2')
  assert.match(html, '<title>Roses in May')
})

task(
  'change the own name and password, and log out elsewhere',
  'ed',
  async ({ page, open, notice, windowOf, site }) => {
    const other = await windowOf('ed')
    await open('account')
    await page.getByRole('textbox', { name: 'Display name' }).fill('Edith Harbor')
    await button(page, 'Update profile').click()
    await notice('updated')
    await page.getByLabel('Current password').fill('pass phrase of ed')
    await page.getByRole('textbox', { name: 'New password', exact: true }).fill('a longer pass phrase')
    await page.getByLabel('Confirm new password').fill('a longer pass phrase')
    await button(page, 'Change password').click()
    await notice('assword')
    await other.goto(`${site.home}/svc-admin/`)
    await other.getByLabel('Username or email address').fill('ed')
    await other.getByLabel('Password').fill('a longer pass phrase')
    await other.getByRole('button', { name: 'Log in' }).click()
    await other.getByRole('heading', { name: 'Dashboard' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  },
)

async function shownMenu(page: Page, home: string): Promise<string[]> {
  await page.goto(home)
  const texts = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts()
  return texts.map((text) => text.trim())
}

owners.run()
