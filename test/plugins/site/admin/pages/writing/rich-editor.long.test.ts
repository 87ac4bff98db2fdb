import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Page } from 'playwright-core'
import { accessibilityFindings } from '../../../../../helpers/accessibility.ts'
import { useChromium } from '../../../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../../../helpers/log-in.ts'
import { assertFits } from '../../../../../helpers/page-width.ts'
import { serveWithUsers, type SiteWithUsers } from '../../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../../helpers/stores.ts'
import { until } from '../../../../../helpers/until.ts'
import { selectText } from '../../../../../helpers/writing-page.ts'

const editor = suite('the rich editor')
const { inBrowser, openWindow } = useChromium(editor)

const AUTHOR: 'ann' | 'ed' = 'ann'
const NEW_POST = '/svc-admin/content/post/new'

inBrowser('focuses the title of a new post, which is at most six Tabs from the start of a stored one', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}${NEW_POST}`, 'ann')
  await page.locator('.ProseMirror').waitFor()
  assert.is(await page.evaluate('document.activeElement.name'), 'title')
  const id = await create(site, '<!-- wp:paragraph -->\n<p>Roses</p>\n<!-- /wp:paragraph -->')
  await open(page, site, id)
  let tabs = 1
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  while ((await page.evaluate('document.activeElement.name')) !== 'title') {
    await page.keyboard.press('Tab')
    tabs += 1
    assert.ok(tabs <= 6, `${tabs} Tabs`)
  }
  assert.equal(window.complaints, [])
})

inBrowser('stores typed text as blocks three seconds later, and gives a new post its URL', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}${NEW_POST}`, 'ann')
  await page.locator('.ProseMirror').waitFor()
  await page.clock.install()
  await page.keyboard.type('Sea letters')
  await page.keyboard.press('Enter')
  await page.keyboard.type('The **tide** was *in*.\n## Boats\nTwo `boats` & more')
  await page.clock.runFor(4000)
  await page.locator('[data-state]', { hasText: 'Saved' }).waitFor()
  await page.waitForURL(/content\/post\/\d+$/)
  const stored = await post(site, page)
  assert.is(stored.status, 'draft')
  assert.is(stored.title.raw, 'Sea letters')
  assert.is(
    stored.content.raw,
    [
      '<!-- wp:paragraph -->\n<p>The <strong>tide</strong> was <em>in</em>.</p>\n<!-- /wp:paragraph -->',
      '<!-- wp:heading -->\n<h2 class="wp-block-heading">Boats</h2>\n<!-- /wp:heading -->',
      '<!-- wp:paragraph -->\n<p>Two <code>boats</code> &amp; more</p>\n<!-- /wp:paragraph -->',
    ].join('\n\n'),
  )
  await page.keyboard.type(' to come')
  await page.clock.runFor(4000)
  await until(async () => (await post(site, page)).content.raw.includes('more to come'))
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  assert.equal(unexpected(window.complaints), [])
})

inBrowser('moves, copies, removes and restores blocks with the keyboard', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  const id = await create(site, ['One', 'Two', 'Three'].map(paragraph).join('\n\n'))
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'ann')
  const texts = () => page.locator('.ProseMirror > p').allInnerTexts()
  await page.locator('.ProseMirror p', { hasText: 'Three' }).click()
  await page.keyboard.press('Alt+Shift+ArrowUp')
  assert.equal(await texts(), ['One', 'Three', 'Two'])
  await page.keyboard.press('Alt+Shift+ArrowUp')
  assert.equal(await texts(), ['Three', 'One', 'Two'])
  await page.keyboard.press('Alt+Shift+ArrowDown')
  await page.keyboard.press('Control+Shift+d')
  assert.equal(await texts(), ['One', 'Three', 'Three', 'Two'])
  await page.keyboard.press('Alt+Shift+Backspace')
  assert.equal(await texts(), ['One', 'Three', 'Two'])
  for (const expected of [4, 3]) {
    await page.keyboard.press('Control+z')
    assert.is((await texts()).length, expected)
  }
  await page.keyboard.press('Control+Shift+z')
  assert.is((await texts()).length, 4)
  // The toolbar is reached from the selected block.
  await page.locator('.ProseMirror p', { hasText: 'Two' }).click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.getByRole('toolbar', { name: 'Formatting' }).waitFor()
  assert.is(await page.evaluate('document.activeElement.closest("[role=toolbar]") !== null'), true)
  await page.getByRole('combobox', { name: 'Change block type' }).selectOption({ label: 'Heading 3' })
  await page.getByRole('heading', { level: 3, name: 'Two' }).waitFor()
  assert.equal(window.complaints, [])
})

inBrowser('inserts blocks from the menu, which "/" and a button open', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}${NEW_POST}`, 'ann')
  await page.locator('.ProseMirror').click()
  await page.keyboard.type('/head')
  const menu = page.getByRole('listbox', { name: 'Blocks' })
  await menu.getByRole('option', { name: 'Heading 3' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Boats')
  await page.getByRole('heading', { level: 3, name: 'Boats' }).waitFor()
  await page.getByRole('button', { name: 'Add a block' }).click()
  await page.getByRole('searchbox', { name: 'Search blocks' }).fill('heading 2')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Letters')
  await page.getByRole('heading', { level: 2, name: 'Letters' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('a/b and 1/2')
  assert.is(await menu.isVisible(), false)
  assert.equal(window.complaints, [])
})

inBrowser('finds and replaces text, shows the outline, and hides everything else in full screen', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  const heading = '<!-- wp:heading {"level":3} -->\n<h3 class="wp-block-heading">Red boats</h3>\n<!-- /wp:heading -->'
  const id = await create(site, `${heading}\n\n${paragraph('A boat and a Boat')}`)
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'ann')
  await page.locator('.ProseMirror p').click()
  await page.keyboard.press('Control+f')
  await page.getByRole('searchbox', { name: 'Find' }).fill('boat')
  await page.getByText('1 / 3').waitFor()
  await page.getByRole('textbox', { name: 'Replace with' }).fill('ship')
  await page.getByLabel('Match case').check()
  await page.getByText('1 / 2').waitFor()
  await page.getByRole('button', { name: 'Replace all' }).click()
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('.ProseMirror > *').allInnerTexts(), ['Red ships', 'A ship and a Boat'])
  await page.getByRole('button', { name: 'Outline of the text' }).click()
  await page.getByText('A level is skipped.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Red ships' }).click()
  await page.locator('.ProseMirror:focus').waitFor()
  await page.keyboard.type('Two ')
  await page.getByRole('heading', { name: 'Two Red ships' }).waitFor()
  await page.keyboard.press('Control+Shift+f')
  await page.getByRole('navigation', { name: 'Admin' }).waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+Shift+f')
  await page.getByRole('navigation', { name: 'Admin' }).waitFor()
  assert.equal(window.complaints, [])
})

inBrowser('links text to posts that it finds, and to addresses', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  const id = await create(site, paragraph('See Hello and the sea'))
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'ann')
  await selectText(page, 'Hello')
  await page.keyboard.press('Control+k')
  await page.getByLabel('Link to').fill('Hello')
  await page.getByRole('dialog', { name: 'Link' }).getByRole('button', { name: 'Hello' }).click()
  await selectText(page, 'sea')
  await page.keyboard.press('Control+k')
  await page.getByLabel('Link to').fill('sea.example')
  await page.getByLabel('Open in a new tab').check()
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.keyboard.press('Control+s')
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  const { content } = await post(site, page)
  assert.match(content.raw, /See <a href="http[^"]+hello[^"]*">Hello<\/a>/)
  assert.match(content.raw, '<a href="https://sea.example" target="_blank" rel="noreferrer noopener">sea</a>')
  assert.equal(window.complaints, [])
})

inBrowser('shows unknown blocks as previews, and edits their attributes', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  const id = await create(
    site,
    `${paragraph('Before')}\n\n<!-- wp:archives {"showPostCounts":true} /-->\n\n${paragraph('After')}`,
  )
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'ann')
  const block = page.locator('.editor-unknown-block')
  await block.frameLocator('iframe').locator('.wp-block-archives').first().waitFor()
  await block.locator('.editor-block-name').click()
  await page.getByRole('tab', { name: 'Block' }).click()
  await page.getByLabel('Show Post Counts').uncheck()
  await page.keyboard.press('Control+s')
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  const { content } = await post(site, page)
  assert.not.match(content.raw, 'showPostCounts')
  assert.match(content.raw, /<!-- wp:archives .*\/-->/)
  assert.match(content.raw, `${paragraph('Before')}\n\n`)
  assert.equal(unexpected(window.complaints), [])
})

inBrowser('leaves untouched content as it is, and switches between blocks, HTML and Markdown', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  const source = `${paragraph('One')}\n\n\n<p>Classic &nbsp; text</p>\n\n<!-- wp:unknown/thing {"a":1} --><b>x</b><!-- /wp:unknown/thing -->\n`
  const id = await create(site, source)
  const before = (await raw(site, id)).content.raw
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'ann')
  await page.locator('.ProseMirror').waitFor()
  await page.getByLabel('Title').fill('Changed')
  await page.keyboard.press('Control+s')
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  assert.is((await raw(site, id)).content.raw, before)
  await page.getByRole('button', { name: 'HTML', exact: true }).click()
  await page.getByLabel('Content (HTML)').fill(paragraph('From HTML'))
  await page.getByRole('button', { name: 'Blocks', exact: true }).click()
  await page.locator('.ProseMirror p', { hasText: 'From HTML' }).waitFor()
  await page.goto(`${site.home}${NEW_POST}?mode=markdown`)
  await page.getByLabel('Content (Markdown)').fill('## Boats\n\nin *Markdown*')
  await page.getByRole('button', { name: 'Blocks', exact: true }).click()
  await page.locator('.ProseMirror h2', { hasText: 'Boats' }).waitFor()
  await page.locator('.ProseMirror em', { hasText: 'Markdown' }).waitFor()
})

inBrowser('shows blocks as Markdown and back, and keeps the bytes of unchanged blocks', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  const odd = '<!-- wp:paragraph {"className":"x"}   -->\n<p class="x">Odd</p>\n<!-- /wp:paragraph -->'
  // The markup of authors is filtered when it is stored.
  const id = await create(
    site,
    `${paragraph('A <strong>boat</strong>')}\n\n${odd}\n\n<!-- wp:archives /-->`,
    'publish',
    'ed',
  )
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'ed')
  await page.locator('.ProseMirror p', { hasText: 'boat' }).waitFor()
  await page.getByRole('button', { name: 'Markdown', exact: true }).click()
  const content = page.getByLabel('Content (Markdown)')
  await content.waitFor()
  assert.is(await content.inputValue(), `A **boat**\n\n${odd}\n\n<!-- wp:archives /-->`)
  await page.getByText('Blocks that Markdown cannot express stay as block markup.').waitFor()
  await content.fill((await content.inputValue()).replace('**boat**', '**boat** and *oars*'))
  await page.getByRole('button', { name: 'Blocks', exact: true }).click()
  await page.locator('.ProseMirror em', { hasText: 'oars' }).waitFor()
  await page.getByRole('button', { name: 'Markdown', exact: true }).click()
  await content.waitFor()
  await page.keyboard.press('Control+s')
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  const after = `${paragraph('A <strong>boat</strong> and <em>oars</em>')}\n\n${odd}\n\n<!-- wp:archives /-->`
  assert.is((await raw(site, id)).content.raw, after)
  const classic = await create(site, 'Classic', 'draft')
  await open(page, site, classic)
  await page.locator('.ProseMirror p', { hasText: 'Classic' }).waitFor()
  await page.getByRole('button', { name: 'Markdown', exact: true }).click()
  await page.getByText('Convert the classic content to blocks first').waitFor()
  await page.locator('.ProseMirror p', { hasText: 'Classic' }).waitFor()
})

inBrowser('edits classic content in place, and leaves everything else of it as it is', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  const list = '<ul class="x">\n\t<li>One</li>\n</ul>'
  const other = '<dl><dt>Mast</dt></dl>'
  const id = await create(site, `Sea\nair\n\n\n<h2 id="b">Boats</h2>\n${list}\n${other}\nEnd`, 'publish')
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'ann')
  await page.locator('.ProseMirror h2', { hasText: 'Boats' }).click()
  await page.keyboard.press('End')
  await page.keyboard.type(' & more')
  await page.locator('.ProseMirror p', { hasText: 'Sea' }).click({ position: { x: 1, y: 8 } })
  await page.keyboard.type('The **big** ')
  await page.locator('.ProseMirror p', { hasText: 'End' }).click()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.type('- New')
  assert.equal(await accessibilityFindings(page), [])
  await page.keyboard.press('Control+s')
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  const { content, link } = await raw(site, id)
  assert.is(
    content.raw,
    `The <strong>big</strong> Sea\nair\n\n\n<h2 id="b">Boats &amp; more</h2>\n${list}\n${other}\nEnd\n\n<ul>\n<li>New</li>\n</ul>`,
  )
  await page.goto(link)
  await page.locator('p', { hasText: 'The big Sea' }).locator('br').waitFor({ state: 'attached' })
  await page.locator('h2#b', { hasText: 'Boats & more' }).waitFor()
  assert.equal(unexpected(window.complaints), [])
})

inBrowser('converts classic content to blocks without losing attributes', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  const id = await create(site, '<h2>Sea</h2>\n\nTwo <abbr title="small boats">boats</abbr>', 'draft')
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'ann')
  await page.getByRole('button', { name: 'Convert to blocks' }).first().click()
  await page.locator('.editor-classic').waitFor({ state: 'detached' })
  await page.locator('.ProseMirror h2', { hasText: 'Sea' }).waitFor()
  await page.keyboard.press('Control+s')
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  const { content } = await raw(site, id)
  assert.match(content.raw, '<h2 class="wp-block-heading">Sea</h2>')
  assert.match(content.raw, '<p>Two <abbr title="small boats">boats</abbr></p>')
})

inBrowser('inserts, numbers and removes footnotes, and stores their notes', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  const id = await create(site, `${paragraph('Oars')}\n\n${paragraph('Sails')}`)
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'ann')
  const addNote = async (text: string, note: string) => {
    await selectText(page, text)
    await page.getByRole('toolbar', { name: 'Formatting' }).getByRole('button', { name: 'Footnote' }).click()
    await page.keyboard.type(note)
  }
  await addNote('Sails', 'Of **linen**')
  await addNote('Oars', 'Of wood')
  await page.keyboard.press('Enter')
  await page.keyboard.type(' and more')
  assert.equal(await page.locator('.ProseMirror sup').allInnerTexts(), ['1', '2'])
  assert.equal(await page.locator('.ProseMirror .editor-footnotes li').allInnerTexts(), ['Of wood', 'Of linen'])
  assert.equal(await accessibilityFindings(page), [])
  await page.keyboard.press('Control+s')
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  const saved = await raw(site, id)
  const notes = JSON.parse(saved.meta.footnotes) as { id: string; content: string }[]
  assert.equal(
    notes.map(({ content }) => content),
    ['Of wood', 'Of <strong>linen</strong>'],
  )
  const [first, second] = notes.map((note) => note.id)
  assert.match(
    saved.content.raw,
    `Oars<sup data-fn="${first}" class="fn"><a href="#${first}" id="${first}-link">1</a></sup> and`,
  )
  assert.ok(saved.content.raw.endsWith('<!-- wp:footnotes /-->'))
  await page.goto(saved.link)
  assert.equal(
    (await page.locator('ol.wp-block-footnotes li').allInnerTexts()).map((text) => text.slice(0, 8)),
    ['Of wood ', 'Of linen'],
  )
  await open(page, site, id)
  await page.locator('.ProseMirror p', { hasText: 'Oars' }).click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Alt+Shift+Backspace')
  assert.equal(await page.locator('.ProseMirror .editor-footnotes li').allInnerTexts(), ['Of linen'])
  await page.keyboard.press('Control+s')
  await page.locator('#notices', { hasText: 'Saved.' }).waitFor()
  const after = await raw(site, id)
  assert.equal(JSON.parse(after.meta.footnotes), [{ content: 'Of <strong>linen</strong>', id: second }])
  assert.match(after.content.raw, `id="${second}-link">1</a>`)
  assert.equal(unexpected(window.complaints), [])
})

inBrowser('lists missing parts before a post is published', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  const draft = await create(site, 'Not yet', 'draft')
  const id = await create(site, paragraph(`A <a href="${site.home}/?p=${draft}">draft</a>`), 'draft')
  await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'ann')
  await page.locator('.ProseMirror p').waitFor()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Before you publish' })
  await dialog.getByText('The post has no excerpt.').waitFor()
  await dialog.getByText('Visitors cannot open the link “draft”').waitFor()
  assert.equal(await accessibilityFindings(page), [])
  await dialog.getByRole('button', { name: 'Keep writing' }).click()
  assert.is((await raw(site, id)).status, 'draft')
  await page.getByLabel('Date', { exact: true }).fill('2099-01-01T10:00')
  await page.getByRole('button', { name: 'Schedule', exact: true }).waitFor()
  await page.getByLabel('Date', { exact: true }).fill('2020-01-01T10:00')
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await dialog.getByRole('button', { name: 'Publish anyway' }).click()
  await page.locator('#notices', { hasText: 'Published.' }).waitFor()
  assert.is((await raw(site, id)).status, 'publish')
})

for (const scheme of ['light', 'dark'] as const) {
  inBrowser(`has no accessibility findings in ${scheme} colors, and fits phones`, async () => {
    await using site = await serveWithUsers(filePlace)
    await using window = await openWindow(scheme)
    const { page } = window
    const id = await create(site, `${paragraph('A <strong>bold</strong> text')}\n\n<!-- wp:archives /-->`)
    await logInByKeyboard(page, `${site.home}/svc-admin/content/post/${id}`, 'ann')
    await page.locator('.ProseMirror p').dblclick()
    await page.getByRole('toolbar', { name: 'Formatting' }).waitFor()
    await page.getByRole('tab', { name: 'Block' }).click()
    assert.equal(await accessibilityFindings(page), [])
    await page.locator('.ProseMirror p').click()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await page.keyboard.type('/')
    await page.getByRole('listbox', { name: 'Blocks' }).waitFor()
    assert.equal(await accessibilityFindings(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Shortcuts for writing' }).click()
    assert.equal(await accessibilityFindings(page), [])
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 390, height: 800 })
    await assertFits(page, 390)
    const publish = await page.getByRole('button', { name: 'Update' }).boundingBox()
    assert.ok(publish !== null && publish.y + publish.height <= 800, 'the button is in view')
    assert.equal(await accessibilityFindings(page), [])
  })
}

const paragraph = (text: string) => `<!-- wp:paragraph -->\n<p>${text}</p>\n<!-- /wp:paragraph -->`

async function create(site: SiteWithUsers, content: string, status = 'publish', login = AUTHOR): Promise<number> {
  const sent = await site.send('POST', '/svc/v2/posts', { title: 'Letter', content, status }, login)
  return ((await sent.json()) as { id: number }).id
}

interface Stored {
  status: string
  link: string
  title: { raw: string }
  content: { raw: string }
  meta: { footnotes: string }
}

async function raw(site: SiteWithUsers, id: number | string): Promise<Stored> {
  return (await (await site.send('GET', `/svc/v2/posts/${id}?context=edit`, null, 'admin')).json()) as Stored
}

/** The post of the page as stored. */
const post = (site: SiteWithUsers, page: Page) => raw(site, /\d+$/.exec(new URL(page.url()).pathname)![0])

const open = (page: Page, site: SiteWithUsers, id: number) => page.goto(`${site.home}/svc-admin/content/post/${id}`)

/** Complaints except about previews, in which scripts must not run. */
const unexpected = (complaints: readonly string[]) => complaints.filter((text) => !text.startsWith('Blocked script'))

editor.run()
