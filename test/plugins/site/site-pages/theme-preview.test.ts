import { suite } from 'uvu'
import * as assert from 'uvu/assert'
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
  const browser = browse(site)
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
  assert.not.match(shown, 'edit-bar')
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

previews('are offered next to each inactive theme, and lead to its activation', async () => {
  await using site = await serveWithUsers(filePlace)
  const admin = await loggedIn(site, 'admin')
  const page = '/svc-admin/appearance'
  const list = await (await admin.open(page)).text()
  assert.match(list, 'href="/svc-admin/appearance?preview=magazine"'.replace('/svc', `${site.home}/svc`))
  assert.match(list, '/themes/magazine/screenshot.webp')
  const shown = await (await admin.open(`${page}?preview=magazine`)).text()
  assert.match(shown, 'Only you see this preview')
  assert.match(shown, /<iframe[^>]*theme_preview=magazine"[^>]* sandbox/)
  for (const other of ['default', 'nothing'])
    assert.not.match(await (await admin.open(`${page}?preview=${other}`)).text(), 'Only you see this preview')
  const { response } = await sendForm(admin, page, { do: 'theme', theme: 'magazine' })
  assert.is(response.status, 303)
  assert.ok(hasTheme(await (await fetch(site.home)).text(), 'magazine'))
})

inBrowser('appear in a frame of the admin without scripts and without errors', async () => {
  await using site = await serveWithUsers(filePlace)
  await using window = await openWindow()
  const { page } = window
  await logInByKeyboard(page, `${site.home}/svc-admin/appearance?preview=magazine`, 'admin')
  const frame = page.frameLocator('.appearance-preview iframe')
  await frame.locator('.masthead').waitFor()
  const background = await frame
    .locator('body')
    .evaluate((body) => body.ownerDocument.defaultView!.getComputedStyle(body).backgroundColor)
  assert.is(background, 'rgb(255, 253, 250)')
  assert.equal(window.complaints, [])
})

previews.run()
