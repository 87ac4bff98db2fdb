import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../helpers/accessibility.ts'
import { useChromium } from '../helpers/chromium.ts'
import { run } from '../helpers/svc-serve.ts'

const root = resolve(import.meta.dirname, '../..')
/** Set by `npm run pictures`, to take the screenshots of the guide. */
const takesScreenshots = process.env['SVC_TAKE_PICTURES'] === '1'

const evening = suite('guide to a first evening')
const { inBrowser, openWindow } = useChromium(evening)

/** The site and the browser in which the steps are done. */
interface Evening {
  readonly page: Page
  readonly home: string
  readonly password: string
  /** Path of an image file to upload. */
  readonly picture: string
}

/** Does the steps of each part of the guide, by heading. */
const STEPS: Readonly<Record<string, (evening: Evening) => Promise<void>>> = {
  async Start({ page, home }) {
    await page.goto(home)
    assert.is(await page.getByRole('main').count(), 1)
    await picture(page, 'front-page')
  },
  async 'Log in'({ page, home, password }) {
    await page.goto(`${home}/svc-admin/`)
    await page.getByLabel('Username or email address').fill('admin')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Name your site' }).waitFor()
  },
  async 'Name the site'({ page }) {
    await page.getByLabel('Site title').fill('Sea letters')
    await page.getByLabel('Tagline').fill('Letters from the harbor')
    await picture(page, 'setup')
    await page.getByRole('button', { name: 'Save and continue' }).click()
  },
  async 'Choose a theme and colors'({ page }) {
    await page.getByRole('heading', { name: 'Theme and colors' }).waitFor()
    await page.getByRole('radio', { name: 'Default' }).check()
    const colors = page.getByRole('group', { name: 'Theme colors' })
    await colors.getByLabel('Background', { exact: true }).fill('#fdf6e3')
    await page.frameLocator('[data-welcome-frame]').getByText('Sea letters').first().waitFor()
    await picture(page, 'setup-appearance')
    await page.getByRole('button', { name: 'Save and continue' }).click()
  },
  async 'Choose the content'({ page }) {
    await page.getByLabel('Keep the sample content').check()
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
  },
  async 'Choose a password'({ page }) {
    await page.getByLabel('Display name').fill('Ada')
    await page.getByLabel('Email address').fill('ada@sea.example')
    await page.getByLabel('New password', { exact: true }).fill('letters from the sea')
    await page.getByLabel('Confirm new password').fill('letters from the sea')
    await page.getByRole('button', { name: 'Save and continue' }).click()
  },
  async 'Start the first post'({ page }) {
    await page.getByRole('main').getByLabel('Title').fill('High water')
    await page.getByRole('button', { name: 'Write the post' }).click()
    await page.locator('.ProseMirror').waitFor()
  },
  async 'Write a post'({ page }) {
    await page.locator('.ProseMirror').click()
    await page.keyboard.type('The **harbor** is full.\n## What came in\n- two boats\na letter\n\n')
    await page.locator('.ProseMirror strong', { hasText: 'harbor' }).waitFor()
    await page.locator('.ProseMirror li', { hasText: 'a letter' }).waitFor()
    await picture(page, 'writing')
  },
  async 'Add an image'({ page, picture: path }) {
    await page.getByRole('button', { name: 'Select file' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Upload files').setInputFiles(path)
    await dialog.getByRole('option').first().waitFor()
    const alternative = dialog.getByLabel('Alt text')
    await alternative.waitFor()
    await alternative.fill('The sea at noon')
    await dialog.getByRole('button', { name: 'Select' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.locator('.ProseMirror').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('/')
    const image = page.getByRole('listbox', { name: 'Blocks' }).getByRole('option', { name: 'Image' })
    await image.waitFor()
    await picture(page, 'writing-blocks')
    await page.keyboard.type('image')
    await image.waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByRole('option').first().click()
    await dialog.getByRole('button', { name: 'Select' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.locator('.ProseMirror img[alt="The sea at noon"]').waitFor()
  },
  async Publish({ page, home }) {
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('button', { name: 'Publish anyway' }).waitFor()
    await picture(page, 'writing-checklist')
    await page.getByRole('button', { name: 'Publish anyway' }).click()
    const notice = page.locator('#notices .done')
    await notice.waitFor()
    await notice.getByRole('link').click()
    await page.getByRole('heading', { name: 'High water' }).first().waitFor()
    await page.waitForLoadState()
    assert.ok(page.url().startsWith(home))
    assert.is(await page.getByRole('img', { name: 'The sea at noon' }).count(), 2)
  },
  async 'Create a menu'({ page, home }) {
    await page.goto(`${home}/svc-admin/`)
    await menu(page, 'Menus')
    await page.getByLabel('Name').fill('Top')
    await page.getByRole('button', { name: 'Create menu' }).click()
    await page.locator('#notices .done').waitFor()
    await page.getByLabel('About this site').first().check()
    await page.locator('#add').getByRole('button', { name: 'Add to menu' }).click()
    await page.locator('#notices .done').waitFor()
    const places = page.getByRole('group', { name: 'Display location' }).getByRole('checkbox')
    await places.first().check()
    await page.getByRole('button', { name: 'Save menu' }).click()
    await page.locator('#notices', { hasText: 'Menu saved.' }).waitFor()
    await picture(page, 'menu')
  },
  async 'Change colors'({ page }) {
    await menu(page, 'Dashboard')
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    await picture(page, 'dashboard')
    await menu(page, 'Appearance')
    const colors = page.getByRole('group', { name: 'Theme colors' })
    await colors.getByLabel('Accent', { exact: true }).fill('#8a3324')
    await page.getByRole('button', { name: 'Save', exact: true }).first().click()
    await page.locator('#notices .done').waitFor()
    await picture(page, 'appearance')
  },
  async 'View the site'({ page, home }) {
    await page.goto(home)
    assert.match(await page.title(), 'Sea letters')
    await page.getByRole('link', { name: 'High water' }).first().waitFor()
    assert.ok((await page.getByRole('navigation').getByRole('link', { name: 'About this site' }).count()) > 0)
    assert.is(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(253, 246, 227)')
    assert.equal(await accessibilityFindings(page), [])
  },
}

inBrowser('works step by step, from the first start to the page that visitors see', async () => {
  const guide = await readFile(join(root, 'docs/guides/first-evening.md'), 'utf8')
  const parts = [...guide.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  assert.equal(parts, [...Object.keys(STEPS), 'Next steps'])
  await using site = await run(['--port', '0'], { 'svc.config.json': '{}' })
  const [, password = ''] = await site.printed(/Password {3}(\S+)/)
  const home = await site.home()
  const path = join(site.folder, 'sea.png')
  await sharp({ create: { width: 1200, height: 675, channels: 3, background: '#2a6f97' } })
    .png()
    .toFile(path)
  await using window = await openWindow()
  await window.page.setViewportSize({ width: 1200, height: 800 })
  for (const title of parts.slice(0, -1)) {
    await STEPS[title]!({ page: window.page, home, password, picture: path }).catch((cause: unknown) => {
      throw new Error(`The step "${title}" of the guide failed: ${String(cause)}`, { cause })
    })
  }
  // The scripts with which this test reads the frame of the preview.
  assert.equal(
    window.complaints.filter((text) => !text.startsWith('Blocked script')),
    [],
  )
})

async function menu(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name, exact: true }).click()
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
}

/** Stores a screenshot for the guide if `npm run pictures` runs the test. */
async function picture(page: Page, name: string): Promise<void> {
  if (!takesScreenshots) return
  const png = await page.screenshot()
  await sharp(png)
    .resize({ width: 1000 })
    .webp({ quality: 70 })
    .toFile(join(root, `docs/images/${name}.webp`))
}

evening.run()
