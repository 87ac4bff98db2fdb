import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../kernel/index.ts'
import type { Browser } from 'playwright-core'
import { needsChromium, openWindow, startChromium } from '../../helpers/chromium.ts'
import { serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'
import { filePlace } from '../../helpers/stores.ts'

/** What a page looks like to who reads it, and to who hears it. */
interface Seen {
  landmarks: string[]
  headings: number[]
  /** Texts whose contrast with what is behind them is too small. */
  faint: string[]
  /** Links without a name, and fields without a label. */
  nameless: string[]
  /** Whether what has the focus can be told from the others. */
  focus: boolean
  wide: boolean
  background: string
}

const pages = suite<{ site: SiteWithUsers; browser: Browser }>('pages of the default theme')
const inBrowser = needsChromium(pages)

/** The page that a template makes of the site's content. */
async function pageOf(site: SiteWithUsers, slug: string): Promise<string> {
  const { rendering, templates, globalStyles } = site.kernel.services
  const template = (await templates.get(`default//${slug}`, 'template'))!
  const post = (
    await site.kernel.services.posts.query(
      { types: ['post'], statuses: ['publish'], limit: 1, readScope: null },
      new RequestCache(),
    )
  ).items[0]!
  const body = await rendering.content({ ...post, content: template.content })
  const css = await globalStyles.css()
  const { stylesheet } = await site.kernel.services.themes.active()
  const { css: own } = await site.kernel.services.themes.files(stylesheet)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><style>${css}${own}</style><body>${body}</body></html>`
}

/** Runs in the page. */
const LOOK = `(() => {
  const parts = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number)
  const light = (color) => {
    const [r = 0, g = 0, b = 0] = parts(color).map((part) => {
      const one = part / 255
      return one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor
      if (color !== 'transparent' && parts(color)[3] !== 0) return color
    }
    return 'rgb(255, 255, 255)'
  }
  const all = [...document.body.querySelectorAll('*')]
  const withText = all.filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
  const faint = withText.filter((one) => {
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))].sort((x, y) => y - x)
    return one.checkVisibility() && (a + 0.05) / (b + 0.05) < 4.5
  })
  const nameless = [...document.querySelectorAll('a, button, input:not([type=hidden])')].filter((one) => {
    const labels = one.labels
    const named = one.textContent.trim() || one.getAttribute('aria-label') || one.querySelector('img[alt]:not([alt=""])')
    return !named && (labels === null || labels === undefined || labels.length === 0)
  })
  const link = document.querySelector('a')
  const style = () => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(link)
    return \`\${outlineStyle} \${outlineWidth} \${boxShadow}\`
  }
  const before = link === null ? '' : style()
  link?.focus({ focusVisible: true })
  return {
    landmarks: ['header', 'main', 'footer'].filter((name) => document.querySelectorAll(\`body > * \${name}, body > \${name}\`).length > 0),
    headings: [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map((one) => Number(one.tagName[1])),
    faint: faint.map((one) => one.outerHTML.slice(0, 120)),
    nameless: nameless.map((one) => one.outerHTML.slice(0, 160)),
    focus: link !== null && style() !== before,
    wide: document.documentElement.scrollWidth > window.innerWidth,
    background: getComputedStyle(document.body).backgroundColor,
  }
})()`

pages.before(async (context) => {
  context.site = await serveWithUsers(filePlace)
  context.browser = await startChromium()
  for (const title of ['Roses', 'Beans'])
    await context.site.send('POST', '/svc/v2/posts', { title, content: '<p>How they <a href="/x">grow</a>.</p>', status: 'publish' }, 'admin') // prettier-ignore
  await context.site.send('POST', '/svc/v2/pages', { title: 'About', status: 'publish' }, 'admin')
})
pages.after(async ({ site, browser }) => {
  await browser.close()
  await site[Symbol.asyncDispose]()
})

for (const slug of ['index', 'single', 'page', 'archive', 'search', '404']) {
  inBrowser(
    `have landmarks, headings in order, names, contrast and a focus that shows: ${slug}`,
    async ({ site, browser }) => {
      await using window = await openWindow(browser)
      await window.page.setViewportSize({ width: 375, height: 700 })
      await window.page.setContent(await pageOf(site, slug))
      const { landmarks, headings, ...seen } = await window.page.evaluate<Seen>(LOOK)
      assert.equal(landmarks, ['header', 'main', 'footer'])
      headings.forEach((level, at) => assert.ok(level <= (headings[at - 1] ?? 1) + 1, `${slug}: ${headings.join()}`))
      assert.equal(seen, { faint: [], nameless: [], focus: true, wide: false, background: seen.background })
    },
  )
}

pages.run()
