import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { browse } from '../../../helpers/browser.ts'
import { useChromium } from '../../../helpers/chromium.ts'
import { serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { filePlace } from '../../../helpers/stores.ts'
import { until } from '../../../helpers/until.ts'

const PAGE = '/svc-admin/trace'
const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=1</script>'

/** Adds a field to posts, so that there is a change to show. */
const loud = definePlugin({
  name: 'loud',
  apply({ hooks }) {
    hooks.rest_prepare.for('post').tap('shout', (response, post) => {
      Object.assign(response.data as object, { loud: `${String(post.title)}!` })
      return response
    })
  },
})

interface Context {
  site: SiteWithUsers
}

type Act = (site: SiteWithUsers, page: Page) => Promise<void>

const pages = suite<Context>('trace page in a browser')
const { inBrowser, openWindow } = useChromium(pages)

pages.before(async (context) => {
  context.site = await serveWithUsers(filePlace, { trace: true, add: [loud] })
})
pages.after(async ({ site }) => {
  await site?.[Symbol.asyncDispose]()
})

/** Runs a test in a separate window, which must report no errors. */
const inWindow =
  (act: Act, colorScheme?: 'light' | 'dark') =>
  async ({ site }: Context): Promise<void> => {
    await using window = await openWindow(colorScheme)
    await act(site, window.page)
    assert.equal(window.complaints, [])
  }

/** Runs a test on the page, as an administrator who has just logged in, with no traced requests. */
const onPage = (act: Act, colorScheme?: 'light' | 'dark') =>
  inWindow(async (site, page) => {
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    await admin.send(`${PAGE}/clear`, {})
    const [name, value] = admin.cookie.split('=', 2) as [string, string]
    await page.context().addCookies([{ name, value, url: site.home }])
    await page.goto(`${site.home}${PAGE}`)
    await act(site, page)
  }, colorScheme)

const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')
const focusedAttribute = (page: Page, name: string) =>
  page.evaluate<string>(`document.activeElement.getAttribute('${name}')`)

inBrowser(
  'shows new requests after the login, with steps, changes of taps and SQL',
  inWindow(async (site, page) => {
    await page.goto(`${site.home}${PAGE}`)
    await page.getByLabel('Username or email address').fill('admin')
    await page.getByLabel('Password').fill('pass phrase of admin')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.waitForURL(`**${PAGE}`)
    await site.send('POST', '/svc/v2/posts', { title: 'A walk', status: 'publish' }, 'admin')
    const request = page.getByRole('button', { name: 'POST /svc-json/svc/v2/posts' })
    await request.click()
    await page.getByRole('heading', { name: 'POST /svc-json/svc/v2/posts' }).waitFor()

    const tap = page.getByRole('button', { name: 'Tap shout' })
    assert.is(await tap.getAttribute('aria-expanded'), 'false')
    await tap.click()
    assert.is(await tap.getAttribute('aria-expanded'), 'true')
    const change = page.getByRole('row', { name: 'data.loud' })
    assert.equal(await change.getByRole('cell').allInnerTexts(), ['nothing', '"A walk!"'])

    const insert = page.getByRole('button', { name: 'SQL insert into "posts"' })
    await insert.click()
    await page.getByText('parameters, whose values are not shown').first().waitFor()
    const row = page.getByRole('row').filter({ has: insert })
    assert.match(await row.innerText(), '1 row')
    // Its position: within its transaction, within its handler.
    const depthOf = (step: string) =>
      page
        .locator('.waterfall > tbody > tr > th', { hasText: step })
        .first()
        .evaluate((cell: { style: { getPropertyValue(name: string): string } }) =>
          Number(cell.style.getPropertyValue('--depth')),
        )
    const depths = [
      await depthOf('Handler POST'),
      await depthOf('Transaction'),
      await depthOf('SQL insert into "posts"'),
    ]
    assert.equal(
      depths,
      depths.toSorted((one, other) => one - other),
    )
    assert.ok(depths[0]! < depths[2]!)
  }),
)

inBrowser(
  'filters by route, plugin and text, pauses and clears',
  onPage(async (site, page) => {
    await site.get('/svc/v2/posts?one')
    await site.get('/svc/v2/tags?two')
    await site.get('/svc/v2/tags?three')
    const requests = page.locator('.requests tbody button')
    const count = async (number: number) => {
      await requests.nth(number - 1).waitFor()
      if (number < (await requests.count())) await requests.nth(number).waitFor({ state: 'detached' })
      assert.is(await requests.count(), number)
    }
    await count(3)
    await page.getByLabel('Route', { exact: true }).selectOption('GET /svc/v2/tags')
    await count(2)
    await page.getByLabel('Text').fill('THREE 200')
    await count(1)
    assert.match(await page.locator('.live').innerText(), '1 of 3')
    await page.getByLabel('Text').fill('nothing like it')
    await page.getByText('No request matches the filter.').waitFor()
    await page.getByLabel('Text').fill('')
    await page.getByLabel('Route', { exact: true }).selectOption('')
    await page.getByLabel('Plugin').selectOption('loud')
    await count(await requests.filter({ hasText: 'posts' }).count())
    await page.getByLabel('Plugin').selectOption('')

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused: 3 requests').waitFor()
    await site.get('/svc/v2/tags?four')
    // By now the page would have fetched it.
    await page.waitForTimeout(1500)
    await count(3)
    await page.getByRole('button', { name: 'Pause' }).click()
    await count(4)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('No requests yet').waitFor()
  }),
)

inBrowser(
  'shows each request once, even if it is paused and resumed during a fetch',
  onPage(async (site, page) => {
    const held: (() => void)[] = []
    let isHolding = true
    await page.route(/\/requests\?after=/, async (route) => {
      if (isHolding) await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    await site.get('/svc/v2/tags?one')
    await until(() => held.length > 0)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
    isHolding = false
    for (const release of held) release()
    await site.get('/svc/v2/tags?two')
    await page.getByRole('button', { name: 'two' }).waitFor()
    assert.is(await page.locator('.requests tbody button').count(), 2)
  }),
)

inBrowser(
  'draws a flame chart and a table of plugins, for all routes or one, with keyboard support',
  onPage(async (site, page) => {
    for (let time = 0; time < 3; time += 1) await site.get(`/svc/v2/posts?time=${time}`)
    await site.get('/svc/v2/tags?flame')
    await page.getByRole('button', { name: 'time=2' }).waitFor()
    await page.getByRole('button', { name: 'Flame chart' }).focus()
    await page.keyboard.press('Enter')
    const bars = page.locator('.flame button')
    await bars.first().waitFor()
    assert.match(
      (await bars.first().getAttribute('aria-label'))!,
      /^All requests: .* of which .* self time; \d+ times$/,
    )
    await page.getByRole('row', { name: 'posts' }).first().waitFor()
    await page.getByLabel('Route', { exact: true }).selectOption('GET /svc/v2/posts')
    await page.getByText(/^3 requests, /).waitFor()
    assert.is(await bars.filter({ hasText: 'tags' }).count(), 0)
    await bars.first().focus()
    await page.keyboard.press('ArrowRight')
    const label = await focusedAttribute(page, 'aria-label')
    assert.is(await page.locator('.about').innerText(), label)
    await page.keyboard.press('Enter')
    assert.is(await bars.first().getAttribute('aria-label'), label)
    await page.getByRole('button', { name: 'Show all' }).click()
    assert.match((await bars.first().getAttribute('aria-label'))!, 'All requests')
  }, 'dark'),
)

inBrowser(
  'supports the keyboard: arrows move among requests and steps, Tab skips each list in one step',
  onPage(async (site, page) => {
    await site.get('/svc/v2/tags?first')
    await site.get('/svc/v2/posts?second')
    await page.getByRole('button', { name: 'second' }).waitFor()
    await page.getByLabel('Text').focus()
    await page.keyboard.press('Tab')
    assert.match(await focused(page), 'second')
    await page.keyboard.press('ArrowDown')
    assert.match(await focused(page), 'first')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'second' }).waitFor()
    await page.locator('h2:focus').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    const first = await focused(page)
    await page.keyboard.press('ArrowDown')
    assert.is.not(await focused(page), first)
    await page.keyboard.press('Enter')
    assert.is(await focusedAttribute(page, 'aria-expanded'), 'true')
  }),
)

inBrowser(
  'shows hostile titles, URLs and plugins’ values as text',
  onPage(async (site, page) => {
    await site.send('POST', '/svc/v2/posts', { title: HOSTILE, status: 'publish' }, 'admin')
    await site.get(`/svc/v2/posts?search=${encodeURIComponent(HOSTILE)}`)
    await site.get(`/svc/v2/posts/${encodeURIComponent(HOSTILE)}`, { 'user-agent': HOSTILE })
    await page.getByRole('button', { name: 'POST /svc-json/svc/v2/posts' }).first().click()
    await page.getByRole('button', { name: 'Tap shout' }).click()
    assert.match(await page.getByRole('row', { name: 'data.loud' }).innerText(), 'onerror=')
    for (const request of await page.getByRole('button', { name: 'onerror' }).all()) await request.click()
    await page.getByRole('button', { name: 'Flame chart' }).click()
    await page.locator('.flame button').first().waitFor()
    assert.is(await page.title(), 'Trace')
    assert.is(await page.locator('img, main script').count(), 0)
  }),
)

inBrowser(
  'shows invisible characters and direction marks by their code points',
  onPage(async (site, page) => {
    await site.send('POST', '/svc/v2/posts', { title: 'invoice\u202Efdp.exe\u200B', status: 'publish' }, 'admin')
    await page.getByRole('button', { name: 'POST /svc-json/svc/v2/posts' }).first().click()
    await page.getByRole('button', { name: 'Tap shout' }).click()
    const row = page.getByRole('row', { name: 'data.loud' })
    assert.match(await row.innerText(), 'invoice\\u202efdp.exe\\u200b')
    assert.not.match(await row.innerText(), /[\u200b\u202e]/)
  }),
)

inBrowser(
  'fits a small screen and scrolls to the steps of the selected request',
  onPage(async (site, page) => {
    await page.setViewportSize({ width: 320, height: 640 })
    await site.get(`/svc/v2/posts/${'x'.repeat(400)}`)
    for (let time = 0; time < 10; time += 1) await site.get(`/svc/v2/tags?time=${time}`)
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth')
    await page.getByRole('button', { name: 'time=9' }).click()
    const heading = page.getByRole('heading', { name: 'time=9' })
    await heading.waitFor()
    const { y } = (await heading.boundingBox())!
    assert.ok(y >= 0 && y < 320, String(y))
    assert.is(await width(), 320)
    const long = page.getByRole('button', { name: 'xxxx' })
    assert.ok((await long.boundingBox())!.height < 100)
    await page.getByRole('button', { name: 'Flame chart' }).click()
    await page.getByRole('row', { name: 'terms' }).first().waitFor()
    assert.is(await width(), 320)
  }),
)

inBrowser('leads to the login after the session has ended', async ({ site }) => {
  await using window = await openWindow()
  const { page } = window
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  const [name, value] = admin.cookie.split('=', 2) as [string, string]
  await page.context().addCookies([{ name, value, url: site.home }])
  await page.goto(`${site.home}${PAGE}`)
  await page.getByText(/^Live: /).waitFor()
  await page.context().clearCookies()
  await page.getByRole('alert').getByText('You are not logged in.').waitFor()
  await page.getByRole('link', { name: 'Reload this page' }).click()
  await page.waitForURL('**/svc-login?*')
  assert.ok(window.complaints.every((complaint) => complaint.includes('401')))
})

pages.run()
