import type { Locator } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../../helpers/accessibility.ts'
import { sendForm } from '../../../helpers/admin-forms.ts'
import { browse } from '../../../helpers/browser.ts'
import { useChromium } from '../../../helpers/chromium.ts'
import { logInByKeyboard } from '../../../helpers/log-in.ts'
import { addPosts } from '../../../helpers/content.ts'
import { serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'

const previews = suite('previews of themes')
const { inBrowser, openWindow } = useChromium(previews)

const PREVIEW = '/?theme_preview=magazine'
const hasTheme = (html: string, theme: string) => html.includes(`/themes/${theme}/style.css`)

async function loggedIn(site: SiteWithUsers, login: string) {
  const { basePath } = site.kernel.urls
  const browser = browse({ home: `${site.listening}${basePath}`, kernel: site.kernel })
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

previews('show a page with another theme to users who can switch themes only', async () => {
  await using site = await serveWithUsers(filePlace)
  await addPosts(site.store, {
    title: 'Sea',
    content: '<!-- wp:group {"layout":{"type":"flex"}} --><div class="wp-block-group"></div><!-- /wp:group -->',
  })
  const read = async (path: string, by?: Awaited<ReturnType<typeof loggedIn>>) =>
    (await (by === undefined ? fetch(`${site.home}${path}`) : by.open(path))).text()
  const [admin, ed] = [await loggedIn(site, 'admin'), await loggedIn(site, 'ed')]
  const before = await read('/')
  const response = await admin.open(PREVIEW)
  const shown = await response.text()
  assert.ok(hasTheme(shown, 'magazine'))
  assert.match(shown, '--wp--preset--color--base: #fffdfa')
  assert.match(shown, '<strong>Preview of Magazine</strong>')
  assert.not.match(shown, 'Log out')
  assert.match(response.headers.get('cache-control')!, 'no-store')
  for (const [path, by] of [
    [PREVIEW, undefined],
    [PREVIEW, ed],
    ['/', admin],
    ['/?theme_preview=nothing', admin],
    ['/?theme_preview=../x', admin],
  ] as const)
    assert.not.ok(hasTheme(await read(path, by), 'magazine'), path)
  assert.is(await read('/'), before)
  assert.equal(await site.kernel.services.options.get('theme'), undefined)
  assert.match(await read('/svc-styles.css'), '--wp--preset--color--base: #ffffff')
})

previews('of pages and of visitors at the same time do not change each other', async () => {
  await using site = await serveWithUsers(filePlace)
  await addPosts(site.store, { title: 'Sea', content: 'Waves.', date: '2024-05-06 10:00:00' })
  const admin = await loggedIn(site, 'admin')
  const path = '/2024/05/06/sea/'
  const pages = await Promise.all(
    Array.from({ length: 8 }, async (_, at) => {
      site.kernel.server.httpCache?.clear()
      const isPreview = at % 2 === 0
      const page = isPreview ? await admin.open(`${path}?theme_preview=minimal`) : await fetch(`${site.home}${path}`)
      return [isPreview, hasTheme(await page.text(), 'minimal')]
    }),
  )
  for (const [isPreview, isMinimal] of pages) assert.is(isMinimal, isPreview)
})

previews('continue in links and search forms to pages of the site only', async () => {
  await using site = await serveWithUsers(filePlace, { home: 'http://site.test/blog' })
  const { home } = site.kernel.urls
  const targets = {
    kept: ['/hello/', `${home}/hello/?page=2#part`, `${home}?s=sea&amp;x=1`, `${home}/about.html`],
    left: [
      '#top',
      'https://other.example/hello/',
      'mailto:a@site.test',
      `${home}er/`,
      `${home}/feed/`,
      `${home}/hello/feed/atom/`,
      `${home}/?feed=rss2`,
      `${home}/svc-admin/`,
      `${home}/svc-login?action=logout`,
      `${home}/svc-json/svc/v2/posts`,
      `${home}/wp-content/uploads/sea.png`,
    ],
  }
  const links = (urls: readonly string[]) =>
    urls.map((url) => `<a title="1 > 0" class=x href="${url}">Link</a>`).join(' ')
  const content = `<p>${links(targets.kept.map((url) => url.replace(/^\//, `${home}/`)))} ${links(targets.left)}</p>`
  const [id] = (await addPosts(site.store, { title: 'Sea', slug: 'sea', content, author_id: site.users.admin })) as [
    number,
  ]
  const admin = await loggedIn(site, 'admin')
  const { link } = (await site.json(`${site.listening}/blog/svc-json/svc/v2/posts/${id}`)) as { link: string }
  const open = (url: string) => admin.open(url.slice(home.length))
  const shown = await (await open(`${link}?theme_preview=magazine`)).text()
  const found = [...shown.matchAll(/class=(?:"x"|x) href="([^"]*)"/g)].map(([, url = '']) =>
    url.replaceAll('&amp;', '&'),
  )
  assert.equal(found.slice(0, targets.kept.length), [
    `${home}/hello/?theme_preview=magazine`,
    `${home}/hello/?page=2&theme_preview=magazine#part`,
    `${home}?s=sea&x=1&theme_preview=magazine`,
    `${home}/about.html?theme_preview=magazine`,
  ])
  assert.equal(found.slice(targets.kept.length), targets.left)
  assert.match(shown, new RegExp(`href="${link}">Leave preview`))
  assert.match(shown, `${home}/svc-admin/appearance?preview=magazine">Activate`)
  // Styles of the theme could read the nonce of a form in the bar.
  assert.not.match(/<nav class="edit-bar"[^]*?<\/nav>/.exec(shown)![0], '<form')
  const search = await (await open(`${home}/?s=sea&theme_preview=magazine`)).text()
  assert.match(search, /<form[^>]*role="search"[^>]*><input type="hidden" name="theme_preview" value="magazine">/)
  for (const [path, location] of [
    [`/?p=${id}&theme_preview=magazine`, `${link}?theme_preview=magazine`],
    [`/?p=${id}`, link],
  ] as const) {
    const moved = await admin.open(path)
    assert.is(moved.headers.get('location'), location)
    assert.is(/no-store/.test(moved.headers.get('cache-control') ?? ''), path.includes('preview'))
  }
  for (const [by, path] of [
    [await loggedIn(site, 'ed'), `${link}?theme_preview=magazine`.slice(home.length)],
    [admin, link.slice(home.length)],
  ] as const) {
    const page = await (await by.open(path)).text()
    assert.not.match(page.replaceAll('?theme_preview=magazine"', ''), 'theme_preview=')
    assert.not.match(page, 'Leave preview')
  }
  // The frame of the page Appearance has its own buttons.
  const framed = await admin.open('/?theme_preview=magazine', { headers: { 'sec-fetch-dest': 'iframe' } })
  assert.not.match(await framed.text(), 'Leave preview')
})

previews('are offered next to each inactive theme, and lead to its activation', async () => {
  await using site = await serveWithUsers(filePlace)
  const admin = await loggedIn(site, 'admin')
  const page = '/svc-admin/appearance'
  const list = await (await admin.open(page)).text()
  assert.match(list, 'href="/svc-admin/appearance?preview=magazine"'.replace('/svc', `${site.home}/svc`))
  assert.match(list, '/themes/magazine/screenshot.webp')
  const shown = await (await admin.open(`${page}?preview=magazine`)).text()
  assert.match(shown, 'Only you see this preview')
  assert.match(shown, /<iframe[^>]*theme_preview=magazine"[^>]* sandbox="allow-same-origin"/)
  for (const other of ['default', 'nothing'])
    assert.not.match(await (await admin.open(`${page}?preview=${other}`)).text(), 'Only you see this preview')
  const { response } = await sendForm(admin, page, { do: 'theme', theme: 'magazine' })
  assert.is(response.status, 303)
  assert.ok(hasTheme(await (await fetch(site.home)).text(), 'magazine'))
})

const backgroundOf = (body: Locator) =>
  body.evaluate((element) => element.ownerDocument.defaultView!.getComputedStyle(element).backgroundColor)
/** The background of the theme `magazine`. */
const CREAM = 'rgb(255, 253, 250)'

/** A site with a post, and without avatars, which are on another server. */
async function siteWithPost(): Promise<SiteWithUsers> {
  const site = await serveWithUsers(filePlace)
  await site.kernel.services.options.set('show_avatars', false)
  await addPosts(site.store, { title: 'Sea', content: 'Waves.', date: '2024-05-06 10:00:00' })
  return site
}

inBrowser('show a chosen theme in a frame, on the next pages, too, before it is activated', async () => {
  await using site = await siteWithPost()
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/appearance`, 'admin')
  await page.getByRole('link', { name: 'Preview Magazine' }).click()
  await page.waitForURL(/preview=magazine/)
  const frame = page.frameLocator('.appearance-preview iframe')
  await frame.locator('.masthead').waitFor()
  assert.is(await backgroundOf(frame.locator('body')), CREAM)
  await frame.getByRole('link', { name: 'Sea' }).first().click()
  await frame.getByRole('heading', { name: 'Sea', level: 1 }).waitFor()
  assert.is(await backgroundOf(frame.locator('body')), CREAM)
  assert.is(await frame.getByText('Leave preview').count(), 0)
  assert.not.ok(hasTheme(await (await fetch(site.home)).text(), 'magazine'))
  await page.locator('.appearance-preview').getByRole('button', { name: 'Activate Magazine' }).click()
  await page.locator('#notices', { hasText: 'Magazine activated.' }).waitFor()
  assert.ok(hasTheme(await (await fetch(site.home)).text(), 'magazine'))
  // The scripts with which this test reads the frame.
  const complaints = window.complaints.filter((text) => !text.startsWith('Blocked script'))
  assert.equal(complaints, [])
})

inBrowser('show a chosen theme on the site, with a bar that leads to its activation or ends the preview', async () => {
  await using site = await siteWithPost()
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/appearance?preview=magazine`, 'admin')
  await page.getByRole('link', { name: 'Open the preview alone' }).click()
  await page.getByRole('link', { name: 'Sea' }).first().click()
  await page.getByRole('heading', { name: 'Sea', level: 1 }).waitFor()
  assert.match(page.url(), '/2024/05/06/sea/?theme_preview=magazine')
  assert.is(await backgroundOf(page.locator('body')), CREAM)
  const bar = page.getByRole('navigation', { name: 'Theme preview' })
  assert.match(await bar.innerText(), 'Preview of Magazine')
  assert.equal(await accessibilityFindings(page, '.edit-bar'), [])
  await bar.getByRole('link', { name: 'Leave preview' }).click()
  await page.getByRole('navigation', { name: 'Toolbar' }).waitFor()
  assert.match(page.url(), /sea\/$/)
  assert.not.match(await page.content(), 'theme_preview')
  await page.goBack()
  await bar.getByRole('link', { name: 'Activate' }).click()
  await page.getByRole('button', { name: 'Activate Magazine' }).first().click()
  await page.locator('#notices', { hasText: 'Magazine activated.' }).waitFor()
  await page.goto(site.home)
  assert.is(await backgroundOf(page.locator('body')), CREAM)
  assert.equal(window.complaints, [])
})

previews.run()
