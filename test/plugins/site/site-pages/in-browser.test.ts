import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { html, PageHtml } from '../../../../plugins/library/markup/index.ts'
import { accessibilityFindings } from '../../../helpers/accessibility.ts'
import { useChromium } from '../../../helpers/chromium.ts'
import { addPosts } from '../../../helpers/content.ts'
import { assertFits } from '../../../helpers/page-width.ts'
import { serveOn } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

const pages = suite('pages of the site in a browser')
const { inBrowser, openWindow } = useChromium(pages)

inBrowser('have landmarks, one h1 and a skip link, and violate no policy', async () => {
  await using site = await serveOn(await places[0]!.make())
  await addPosts(
    site.store,
    { title: 'Sea', slug: 'sea', content: '<p>Waves.</p>', date: '2024-05-06 10:00:00', comment_status: 'open' },
    { title: 'Shut', slug: 'shut', password: 'word', date: '2024-05-05 10:00:00' },
    { title: 'About', slug: 'about', type: 'page' },
  )
  await using window = await openWindow('light')
  const { page } = window
  for (const path of ['/', '/2024/05/06/sea/', '/2024/05/05/shut/', '/about/', '/2024/05/', '/?s=sea', '/nothing/']) {
    await page.goto(`${site.home}${path}`)
    assert.equal(await accessibilityFindings(page), [], path)
    for (const [landmark, many] of Object.entries({
      main: 1,
      h1: 1,
      'body > div > header': 1,
      'body > div > footer': 1,
    }))
      assert.is(await page.locator(landmark).count(), many, `${landmark} on ${path}`)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#main-content$/)
    await assertFits(page, 320)
  }
  // Browsers log the 404 response.
  assert.equal(
    window.complaints.filter((text) => !text.includes('404')),
    [],
  )
})

const STYLES = [
  '<style>@media (width < 9000px) { #a { color: rgb(1, 2, 3) } }</style>',
  '<STYLE media="(width > 6px)" title=\'a > b\'>#b { color: rgb(1, 2, 3) }</STYLE >',
  '<style data-x=a"b>/* </p> */ #c { color: rgb(1, 2, 3) }</style\n>',
  '<style media = "(width > 6px)">/* </styles */\r\n#d > b { color: rgb(1, 2, 3) }</style><style>#e { color: rgb(1, 2, 3) }</style>',
]

inBrowser('apply every style that a plugin adds around the theme', async () => {
  const styled = definePlugin({
    name: 'styled',
    apply({ hooks }) {
      const elements = html`<p id="a">A</p>
        <p id="b">B</p>
        <p id="c">C</p>
        <p id="d"><b>D</b></p>
        <p id="e">E</p>`
      hooks.site_body_start.tap('styled', (pieces) => [
        ...pieces,
        ...STYLES.map((text) => new PageHtml(text)),
        elements,
      ])
    },
  })
  await using site = await serveOn(await places[0]!.make(), { add: [styled] })
  await using window = await openWindow()
  const { page } = window
  await page.goto(site.home)
  for (const name of ['#a', '#b', '#c', '#d > b', '#e']) {
    const color = await page.evaluate<string>(`getComputedStyle(document.querySelector('${name}')).color`)
    assert.is(color, 'rgb(1, 2, 3)', name)
  }
  assert.equal(window.complaints, [])
})

inBrowser('are small', async () => {
  await using site = await serveOn(await places[0]!.make())
  await addPosts(
    site.store,
    ...Array.from({ length: 10 }, (_, at) => ({ title: `Post ${at}`, content: '<p>word word word</p>'.repeat(200) })),
  )
  const body = await (await fetch(site.home)).arrayBuffer()
  assert.ok(body.byteLength <= 60_000, `${body.byteLength}`)
})

pages.run()
