import type { Browser, FrameLocator, Page } from 'playwright-core'
import sharp from 'sharp'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../helpers/browser.ts'
import { openWindow, startChromium, type Window } from '../helpers/chromium.ts'
import { serveWithUsers, type SiteWithUsers, type UserIds } from '../helpers/site-with-users.ts'
import { filePlace } from '../helpers/stores.ts'

/** Maximum number of requests after the page, and maximum bytes of a compressed response. */
const MAX_REQUESTS = 6
const MAX_BYTES = 50_000

interface Context {
  site: SiteWithUsers
  chromium: Browser
}

/** A window with the editor. */
interface Editor {
  readonly window: Window
  readonly page: Page
  /** The document with the content. */
  readonly canvas: FrameLocator
  /** Opens a page of the editor: `post/3`. */
  open(path: string): Promise<void>
  /** Requests since the page was opened, except pages, scripts and styles. */
  readonly requests: { readonly url: string; readonly bytes: number }[]
}

/**
 * Declares tests that write a post and change the site with the editor in a folder.
 * @param resizes whether the editor resizes images in the browser
 */
export function editWith(word: string, folder: string, resizes = false): void {
  const session = suite<Context>(`block editor, with the word ${word}${resizes ? ', resizing images' : ''}`)
  session.before(async (context) => {
    const plugins = { editor: { folder }, media: { client_resizing: resizes } }
    context.site = await serveWithUsers(filePlace, { word, plugins })
    const category = { name: 'Uncategorized', slug: 'uncategorized' }
    await context.site.send('POST', `/${word}/v2/categories`, category, 'admin')
    context.chromium = await startChromium()
  })
  session.after(async ({ site, chromium }) => {
    await chromium.close()
    await site[Symbol.asyncDispose]()
  })

  /** Runs a test in a window of a user, and asserts that the browser reports no errors. */
  const inEditor = (name: string, act: (editor: Editor, context: Context) => Promise<void>) =>
    session(name, async (context) => {
      await using window = await openWindow(context.chromium)
      await act(await editorIn(window, context.site, 'admin'), context)
      assert.equal(window.complaints.filter(isOurs), [])
    })

  inEditor(
    'a post is written with a picture, published, and opened again with few requests',
    async (editor, { site }) => {
      const { page, canvas, requests } = editor
      await editor.open('post/new')
      await canvas.getByRole('textbox', { name: 'Add title' }).fill('A walk by the sea')
      await page.keyboard.press('Enter')
      await page.keyboard.type('We went along the shore.')
      await page.keyboard.press('Enter')
      await page.keyboard.type('/image')
      await page.getByRole('option', { name: 'Image', exact: true }).click()
      await canvas.getByRole('button', { name: 'Media Library' }).click()
      const background = '#448844'
      const buffer = await sharp({ create: { width: 1200, height: 800, channels: 3, background } })
        .png()
        .toBuffer()
      const file = { name: 'shore.png', mimeType: 'image/png', buffer }
      const dialog = page.getByRole('dialog')
      await dialog.locator('input[type=file]').setInputFiles(file)
      await dialog.getByRole('button', { name: /^shore/, pressed: true }).waitFor()
      await dialog.getByRole('button', { name: 'Select', exact: true }).click()
      await canvas.locator('figure.wp-block-image img[src*="-1024x683"]').waitFor()
      // The browser has uploaded the sizes that it created one by one.
      const sent = requests
        .map(({ url }) => /\/(sideload|finalize)\b/.exec(url)?.[1])
        .filter((step) => step !== undefined)
      assert.equal(sent, resizes ? ['sideload', 'sideload', 'sideload', 'sideload', 'finalize'] : [])
      const [shore] = await items(site, `/${word}/v2/media?context=edit`)
      assert.equal(shore?.missing_image_sizes, [])
      assert.equal(Object.keys(shore?.media_details?.sizes ?? {}).sort(), [
        'full',
        'large',
        'medium',
        'medium_large',
        'thumbnail',
      ])
      await publish(page, 'Publish')
      await page.getByText('is now live').first().waitFor()
      const [post] = await items(site, `/${word}/v2/posts?search=walk`)
      assert.match(post!.content!.rendered!, /We went along the shore\.[^]*<img [^>]*shore/)

      const path = `post/${post!.id}`
      await editor.open(path)
      await canvas.getByText('We went along the shore.').waitFor()
      // Further requests follow within moments.
      await page.waitForTimeout(3000)
      console.log(
        `${requests.length} requests after the page:`,
        requests.map(({ url, bytes }) => `${url.slice(site.home.length)} ${bytes}`),
      )
      assert.ok(requests.length <= MAX_REQUESTS, requests.map(({ url }) => url).join('\n'))
      assert.equal(
        requests.filter(({ bytes }) => bytes > MAX_BYTES),
        [],
      )
      assert.is(await patternsStatus(page), 304)
    },
  )

  inEditor('a change is saved, and revisions show what it was', async (editor, { site }) => {
    const { page, canvas } = editor
    const id = await createItem(site, word, 'posts', {
      title: 'Rain',
      content: paragraph('It rains.'),
      status: 'publish',
    })
    await editor.open(`post/${id}`)
    for (const text of [' Then it shines.', ' Then it snows.']) {
      await canvas.getByText('It rains.').click()
      await page.keyboard.press('End')
      await page.keyboard.type(text)
      await save(page)
      await page
        .getByRole('button', { name: 'Saved', exact: true })
        .or(page.getByText('Post updated'))
        .first()
        .waitFor()
    }
    const revisions = await items(site, `/${word}/v2/posts/${id}/revisions`)
    assert.ok(revisions.length > 1)
    await page.getByRole('tab', { name: 'Post', exact: true }).click()
    await page
      .locator('.editor-sidebar')
      .getByRole('button', { name: /revision/i })
      .first()
      .click()
    await page.getByRole('button', { name: 'Restore' }).first().waitFor()
  })

  inEditor('a post is scheduled for a day of next month', async (editor, { site }) => {
    const { page, canvas } = editor
    await editor.open('post/new')
    await canvas.getByRole('textbox', { name: 'Add title' }).fill('Much later')
    await page.getByRole('button', { name: /^Change date/ }).click()
    await page.getByRole('button', { name: 'View next month' }).click()
    await page.locator('.components-datetime__date__day').nth(15).click()
    await page.keyboard.press('Escape')
    await publish(page, 'Schedule')
    await page.getByText('is now scheduled').first().waitFor()
    const [post] = await items(site, `/${word}/v2/posts?status=future&search=later`)
    assert.ok(post !== undefined)
  })

  inEditor('a paragraph becomes a pattern', async (editor, { site }) => {
    const { page, canvas } = editor
    const id = await createItem(site, word, 'posts', {
      title: 'Tide',
      content: paragraph('High and low.'),
      status: 'draft',
    })
    await editor.open(`post/${id}`)
    await canvas.getByText('High and low.').click()
    await page.getByRole('toolbar', { name: 'Block tools' }).getByRole('button', { name: 'Options' }).click()
    await page.getByRole('menuitem', { name: 'Create pattern' }).click()
    await page.getByLabel('Name').fill('Tides')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('pattern created').first().waitFor()
    const [pattern] = await items(site, `/${word}/v2/blocks?context=edit`)
    assert.is(pattern?.title?.raw, 'Tides')
  })

  inEditor('a template is changed in the site editor', async (editor, { site }) => {
    const { page, canvas } = editor
    await editor.open(`site?p=${encodeURIComponent('/wp_template/default//404')}&canvas=edit`)
    const heading = canvas.locator('h1[contenteditable=true]').first()
    await heading.click()
    await page.keyboard.press('End')
    await page.keyboard.type(' at all')
    await save(page)
    const template = await item(site, `/${word}/v2/templates/default//404?context=edit`)
    assert.match(template.content!.raw!, / at all</)
    assert.is(template.source, 'custom')
  })

  inEditor(
    'a post opens its template, which asks for no autosaves that there are none of',
    async (editor, { site }) => {
      const { page, canvas, requests } = editor
      const id = await createItem(site, word, 'posts', {
        title: 'Cliffs',
        content: paragraph('White.'),
        status: 'publish',
      })
      await editor.open(`post/${id}`)
      await canvas.getByText('White.').waitFor()
      await page.getByRole('button', { name: 'Template options' }).click()
      await page.getByRole('menuitem', { name: 'Edit template' }).click()
      await page.getByRole('button', { name: 'Back' }).first().waitFor()
      await canvas.locator('.wp-block-post-content').first().waitFor()
      assert.equal(
        requests.filter(({ url }) => /templates\/.*\/autosaves/.test(url)),
        [],
      )
    },
  )

  inEditor(
    'content has the styles of the theme, patterns are shown, and the template has its label',
    async (editor, { site }) => {
      const { page, canvas } = editor
      const content = `${paragraph('Before.')}\n\n<!-- wp:pattern {"slug":"default/about"} /-->`
      const id = await createItem(site, word, 'posts', { title: 'About', content, status: 'draft' })
      await editor.open(`post/${id}`)
      await canvas.locator('h2', { hasText: 'About me' }).waitFor()
      const sheets = canvas.locator('link[rel=stylesheet][href*="/themes/default/style.css?v="]')
      assert.is(await sheets.count(), 1)
      // A property that only the style sheet of the theme defines.
      assert.is.not(
        await canvas
          .locator('html')
          .evaluate((root) => root.ownerDocument.defaultView!.getComputedStyle(root).getPropertyValue('--edge')),
        '',
      )
      await page.getByRole('tab', { name: 'Post', exact: true }).click()
      await page.getByRole('button', { name: 'Template options' }).filter({ hasText: 'Single Posts' }).waitFor()
    },
  )

  inEditor('a menu is changed in the site editor', async (editor, { site }) => {
    const { page, canvas } = editor
    const mark = '<!-- wp:navigation-link {"label":"Home","url":"/","kind":"custom"} /-->'
    const id = await createItem(site, word, 'navigation', { title: 'Main', content: mark, status: 'publish' })
    await editor.open(`site?p=${encodeURIComponent(`/wp_navigation/${id}`)}&canvas=edit`)
    await canvas.getByText('Home', { exact: true }).click()
    await page.keyboard.press('End')
    await page.keyboard.type(' again')
    await save(page)
    const menu = await item(site, `/${word}/v2/navigation/${id}?context=edit`)
    assert.match(menu.content!.raw!, /"label":"Home again"/)
  })

  inEditor('whoever else edits a post is told of, and a user takes it over', async (editor, { site, chromium }) => {
    const id = await createItem(site, word, 'posts', { title: 'Ours', content: paragraph('Both.'), status: 'draft' })
    await editor.open(`post/${id}`)
    await editor.canvas.getByText('Both.').waitFor()
    await using second = await openWindow(chromium)
    const other = await editorIn(second, site, 'ed')
    await other.open(`post/${id}`)
    await other.page.getByText('ADMIN Writer').first().waitFor()
    await other.page.getByRole('link', { name: 'Take over' }).click()
    await other.canvas.getByText('Both.').click()
    assert.is(await other.page.getByRole('link', { name: 'Take over' }).count(), 0)
  })

  session.run()
}

async function editorIn(window: Window, site: SiteWithUsers, login: keyof UserIds): Promise<Editor> {
  const { context, page } = window
  const user = browse(site)
  await user.logIn(login, `pass phrase of ${login}`)
  const [name, value] = user.cookie.split('=', 2) as [string, string]
  await context.addCookies([{ name, value, url: site.home }])
  const { adminPath, ajaxPath, prefix } = site.kernel.branding
  const requests: Editor['requests'] = []
  page.setDefaultTimeout(20_000)
  page.on('requestfinished', async (request) => {
    const url = request.url()
    if (!url.startsWith(`${site.home}/${prefix}/`) && !url.startsWith(site.home + ajaxPath)) return
    const sizes = await request.sizes().catch(() => null)
    if (sizes !== null) requests.push({ url, bytes: sizes.responseBodySize })
  })
  return {
    window,
    page,
    canvas: page.frameLocator('iframe[name="editor-canvas"]'),
    requests,
    async open(path) {
      // Ignores requests that the previous page sends when it is left.
      await page.goto('about:blank')
      requests.length = 0
      await page.goto(`${site.home}${adminPath}editor/${path}`)
    },
  }
}

async function createItem(site: SiteWithUsers, word: string, base: string, item: object): Promise<number> {
  const response = await site.send('POST', `/${word}/v2/${base}`, item, 'admin')
  return ((await response.json()) as { id: number }).id
}

/** Possible properties of an item in a response. */
interface Item {
  readonly id: number
  readonly title?: { readonly raw?: string }
  readonly content?: { readonly raw?: string; readonly rendered?: string }
  readonly source?: string
  readonly missing_image_sizes?: readonly string[]
  readonly media_details?: { readonly sizes?: object }
}

async function item(site: SiteWithUsers, path: string): Promise<Item> {
  return (await (await site.get(path, site.by('admin'))).json()) as Item
}

async function items(site: SiteWithUsers, path: string): Promise<readonly Item[]> {
  return (await (await site.get(path, site.by('admin'))).json()) as readonly Item[]
}

async function publish(page: Page, verb: 'Publish' | 'Schedule'): Promise<void> {
  await page
    .getByRole('button', { name: new RegExp(`^${verb}`) })
    .first()
    .click()
  await page.locator('.editor-post-publish-panel').getByRole('button', { name: verb, exact: true }).click()
}

async function save(page: Page): Promise<void> {
  await Promise.all([
    page.waitForResponse(
      (response) => response.ok() && response.request().headers()['x-http-method-override'] === 'PUT',
    ),
    page.getByRole('button', { name: 'Save', exact: true }).first().click(),
  ])
}

/** Opens the list of patterns. Returns the status of the response with the patterns. */
async function patternsStatus(page: Page): Promise<number> {
  const open = async () => {
    await page.getByRole('button', { name: 'Block Inserter' }).click()
    await page.getByRole('tab', { name: 'Patterns' }).click()
  }
  const listed = page.waitForResponse((response) => response.url().includes('/block-patterns/patterns'))
  const [response] = await Promise.all([listed, open()])
  return response.status()
}

/** Blocks requests for avatars, which are on another site. */
function isOurs(complaint: string): boolean {
  return !/ERR_NAME_NOT_RESOLVED|ERR_INTERNET_DISCONNECTED/.test(complaint)
}

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`
