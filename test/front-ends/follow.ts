import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { Webhook } from 'standardwebhooks'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { freePort } from '../checks/free-port.ts'
import { openWindow, startChromium } from '../helpers/chromium.ts'
import { until } from '../helpers/until.ts'
import { startProxy, type CountingProxy } from './counting-proxy.ts'
import { buildFrontEnd, startFrontEnd, type BuiltFrontEnd, type RunningFrontEnd } from './front-end.ts'
import { startSite, type Item, type NotifyingSite } from './site.ts'

/** The site, the front end and the browser of a test. */
interface Stage {
  built: BuiltFrontEnd
  port: number
  site: NotifyingSite
  proxy: CountingProxy
  /** A draft of the site. */
  draft: Item
  /** A preview link to it with the shortest possible lifetime. */
  shortLink: string
}

interface Context extends Stage {
  front: RunningFrontEnd
  chromium: Browser
}

const SHORTEST = 60

/** Starts a site and builds the front end. The caller must dispose of `owned`. */
async function setStage(name: string, owned: AsyncDisposableStack): Promise<Stage> {
  const port = await freePort()
  const site = owned.use(await startSite(port))
  const proxy = owned.use(await startProxy(site.api))
  const text = { title: 'Not yet', slug: 'not-yet', content: '<p>Nobody knows this.</p>', status: 'draft' }
  const draft = await site.send('POST', '/svc/v2/posts', text)
  // It expires while the front end is built.
  const { link } = await site.send('POST', `/svc/v2/posts/${draft.id}/preview`, { expires_in: SHORTEST })
  const built = owned.use(await buildFrontEnd(name))
  return { built, port, site, proxy, draft, shortLink: link }
}

/** Reloads a page until it has the expected content, and logs how long that took. */
async function fresh(description: string, isThere: () => Promise<boolean>): Promise<void> {
  const started = performance.now()
  await until(isThere)
  console.log(`  ${description}: ${(performance.now() - started).toFixed(0)} ms`)
}

/** Returns the status and text of a page for a visitor. */
async function load(url: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(url)
  return { status: answer.status, text: await answer.text() }
}

const shows = async (url: string, text: string) => (await load(url)).text.includes(text)

/**
 * Declares the tests of a front end, which run in order, and starts building it.
 * @param name its folder in docs/examples
 * @param program what starts it
 */
export function followFrontEnd(name: string, program: readonly string[]): void {
  const tests = suite<Context>(`the front end with ${name}`)
  const owned = new AsyncDisposableStack()
  const stage = setStage(name, owned)
  const started = stage.then(async (set) => {
    const env = { SVC_URL: set.proxy.url, SVC_MENU: 'primary', WEBHOOK_SECRET: set.site.secret }
    const front = owned.use(await startFrontEnd(set.built, program, set.port, env))
    const chromium = await startChromium()
    owned.defer(() => chromium.close())
    return { ...set, front, chromium }
  })
  // The runner counts tests whose preparation fails as failed, and does not say why.
  started.catch((error: unknown) => console.error(error))

  tests.before(async (context) => void Object.assign(context, await started))
  tests.after(() => owned.disposeAsync())

  /** Runs a test in a window of a visitor, and asserts that the browser reports no errors. */
  const inWindow = (title: string, act: (context: Context, page: Page) => Promise<void>) =>
    tests(title, async (context) => {
      await using window = await openWindow(context.chromium)
      await act(context, window.page)
      const complaints = window.complaints.filter((text) => !/status of 40[34]/.test(text))
      assert.equal(complaints, [])
    })

  let post: Item
  let media: Item

  inWindow('shows the site, its newest posts, its pages and its categories', async ({ front }, page) => {
    await page.goto(front.home)
    assert.is(await page.title(), 'A new site')
    await page.getByRole('heading', { name: 'Newest posts' }).waitFor()
    await page.getByRole('link', { name: 'Ask for less, or for more' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ask for less, or for more' }).waitFor()
    await page.getByRole('link', { name: 'How it works' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'How it works' }).waitFor()
    await page.getByRole('link', { name: 'About this site' }).click()
    await page.getByRole('heading', { level: 1, name: 'About this site' }).waitFor()
    assert.equal((await load(`${front.home}/?page=99`)).status, 404)
    assert.equal((await load(`${front.home}/nowhere`)).status, 404)
    assert.equal((await load(`${front.home}/a/b/c`)).status, 404)
  })

  tests('asks the REST API for nothing twice', async ({ front, proxy }) => {
    const paths = ['/', '/about', '/posts/hello', '/categories/general']
    for (const path of paths) assert.is((await load(front.home + path)).status, 200, path)
    const requestCount = proxy.requests.length
    for (const path of paths) assert.is((await load(front.home + path)).status, 200, path)
    assert.equal(proxy.requests.slice(requestCount), [])
  })

  inWindow(
    'shows a post that is published, with its image, and keeps what it does not change',
    async (context, page) => {
      const { front, proxy, site } = context
      const picture = await sharp({ create: { width: 1600, height: 900, channels: 3, background: '#2a6' } })
        .png()
        .toBuffer()
      media = await site.send('POST', '/svc/v2/media', picture)
      await site.send('POST', `/svc/v2/media/${media.id}`, { alt_text: 'A lighthouse' })
      // Waits for the notifications of earlier changes.
      await quiet(context)
      const requestCount = proxy.requests.length
      const fields = { title: 'Fish & chips', slug: 'fish', content: '<p>On Friday.</p>', featured_media: media.id }
      post = await site.send('POST', '/svc/v2/posts', { ...fields, status: 'publish' })
      await fresh('published, and on the home', () => shows(front.home, 'chips'))
      await fresh('and on its own page', () => shows(`${front.home}/posts/fish`, 'On Friday.'))

      await page.goto(front.home)
      await page.getByRole('link', { name: 'Fish & chips' }).click()
      await page.getByText('On Friday.').waitFor()
      await page.waitForFunction("document.title.startsWith('Fish & chips')")
      const image = page.getByRole('img', { name: 'A lighthouse' })
      await image.waitFor()
      assert.match((await image.getAttribute('srcset')) ?? '', /\S+ 300w, .*1600w/)
      await page.waitForFunction("document.querySelector('article img').naturalWidth > 0")
      await page.getByText('by admin').waitFor()

      await load(`${front.home}/about`)
      const again = proxy.requests.slice(requestCount)
      assert.ok(again.some((path) => path.startsWith('/svc/v2/posts?page=1')))
      assert.equal(
        again.filter((path) => path.startsWith('/svc/v2/pages') || path.startsWith('/?')),
        [],
      )
    },
  )

  tests('shows a new title on the post and on the home', async ({ front, site }) => {
    await site.send('POST', `/svc/v2/posts/${post.id}`, { title: 'Peas' })
    await fresh('a new title on the home', () => shows(front.home, 'Peas'))
    await fresh('and on its own page', () => shows(`${front.home}/posts/fish`, 'Peas'))
    assert.not(await shows(front.home, 'chips'))
  })

  tests('shows a new name of the site', async ({ front, site }) => {
    await site.send('POST', '/svc/v2/settings', { title: 'A newer site' })
    await fresh('a new name of the site', () => shows(`${front.home}/about`, 'A newer site'))
  })

  inWindow('shows the menu that editors put together, once there is one', async (context, page) => {
    const { front, site } = context
    const [about] = await site.list('/svc/v2/pages?slug=about&_fields=id')
    const [general] = await site.list('/svc/v2/categories?slug=general&_fields=id')
    const menu = await site.send('POST', '/svc/v2/menus', { name: 'Of the editors', locations: ['primary'] })
    const add = (item: object) =>
      site.send('POST', '/svc/v2/menu-items', { ...item, menus: menu.id, status: 'publish' })
    await add({ type: 'post_type', object: 'page', object_id: about!.id, title: 'Who & why' })
    await add({ type: 'taxonomy', object: 'category', object_id: general!.id })
    await add({ type: 'custom', url: 'https://else.example/', title: 'Elsewhere' })
    await fresh('a menu', () => shows(front.home, 'Elsewhere'))
    await quiet(context)
    await page.goto(front.home)
    const links = page.getByRole('navigation', { name: 'Menu' }).getByRole('link')
    const hrefs = await Promise.all((await links.all()).map((link) => link.getAttribute('href')))
    assert.equal(hrefs, ['/about', '/categories/general', 'https://else.example/'])
    await page.getByRole('link', { name: 'Who & why' }).click()
    await page.getByRole('heading', { level: 1, name: 'About this site' }).waitFor()
    await site.send('DELETE', `/svc/v2/menus/${menu.id}?force=true`)
    await fresh('pages again, without it', async () => !(await shows(front.home, 'Elsewhere')))
  })

  tests('refuses webhooks with a wrong signature, and forgets nothing', async (context) => {
    const { front, proxy, site } = context
    await quiet(context)
    const requestCount = proxy.requests.length
    const body = JSON.stringify({ type: 'all.updated', timestamp: new Date().toISOString(), data: { tags: ['*'] } })
    const signed = (secret: string, text = body, time = new Date()) => ({
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign('msg_1', time, text),
      },
    })
    const url = `${front.home}/api/webhook`
    const hourAgo = new Date(Date.now() - 3_600_000)
    const other = `whsec_${Buffer.alloc(32).toString('base64')}`
    for (const wrong of [signed(other), signed(site.secret, `${body} `), signed(site.secret, body, hourAgo)]) {
      assert.is((await fetch(url, wrong)).status, 401)
    }
    assert.is((await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })).status, 401)
    await load(front.home)
    assert.equal(proxy.requests.slice(requestCount), [])

    // The correct request, twice: all data is requested again.
    for (let time = 0; time < 2; time += 1) assert.is((await fetch(url, signed(site.secret))).status, 204)
    await fresh('everything forgotten', async () => {
      await load(front.home)
      return proxy.requests.length >= requestCount + 4
    })
  })

  inWindow(
    'shows a draft to whoever has the link, and to nobody else',
    async ({ draft, front, shortLink, site }, page) => {
      const { link, token } = await site.send('POST', `/svc/v2/posts/${draft.id}/preview`)
      assert.ok(link.startsWith(front.home), link)
      const response = await page.goto(link)
      assert.match(response!.headers()['cache-control'] ?? '', /no-store/)
      await page.getByText('Only people with this link').waitFor()
      await page.getByRole('heading', { name: 'Not yet' }).waitFor()
      await page.getByText('Nobody knows this.').waitFor()
      assert.match((await page.getAttribute('meta[name=robots]', 'content')) ?? '', /noindex/)
      assert.is((await load(`${front.home}/posts/not-yet`)).status, 404)
      assert.not(await shows(front.home, 'Not yet'))

      const tampered = [
        link.replace(token, `${token.slice(0, -6)}AAAAAA`),
        link.replace(`id=${draft.id}`, `id=${post.id}`),
        link.replace('rest_base=posts', 'rest_base=..%2Fusers'),
        link.replace(token, ''),
        `${front.home}/preview`,
      ]
      for (const wrong of tampered) {
        await page.goto(wrong)
        await page.getByText('This preview has ended').waitFor()
        assert.not((await page.content()).includes('Nobody knows this.'), wrong)
      }
      await until(() => shows(shortLink, 'This preview has ended'))
      assert.not(await shows(shortLink, 'Nobody knows this.'))
      // The other links live longer.
      assert.ok(await shows(link, 'Nobody knows this.'))
    },
  )

  tests('shows nothing of a post in the trash', async ({ front, site }) => {
    await site.send('DELETE', `/svc/v2/posts/${post.id}`)
    await fresh('in the trash: gone from the home', async () => !(await shows(front.home, 'Peas')))
    await fresh('and 404 on its own page', async () => (await load(`${front.home}/posts/fish`)).status === 404)
  })

  tests.run()
}

/** Waits until the front end has received all changes so far: makes a visible change and waits for it. */
async function quiet({ front, site }: Context): Promise<void> {
  const description = `Described ${Date.now()}`
  await site.send('POST', '/svc/v2/settings', { description })
  await until(() => shows(`${front.home}/about`, description))
  await load(front.home)
}
