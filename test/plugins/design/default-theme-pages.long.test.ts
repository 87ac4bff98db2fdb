import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { accessibilityFindings } from '../../helpers/accessibility.ts'
import { useChromium } from '../../helpers/chromium.ts'
import { addPosts, addTerm } from '../../helpers/content.ts'
import { assertFits } from '../../helpers/page-width.ts'
import { serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'
import { filePlace } from '../../helpers/stores.ts'

/** Properties of a page that matter for sighted users and for users of screen readers. */
interface Seen {
  landmarks: string[]
  headings: number[]
  /** Texts with too little contrast to their background. */
  faint: string[]
  /** Links without a name, and fields without a label. */
  nameless: string[]
  /** Whether the focused element is visibly distinct. */
  focus: boolean
  wide: boolean
  background: string
}

const pages = suite<{ site: SiteWithUsers }>('default theme pages')
const { inBrowser, openWindow } = useChromium(pages)

/** Content with the most common blocks. */
const CONTENT = `<!-- wp:paragraph --><p>How they <a href="/x">grow</a>, and <code>what_they_need_in_a_very_long_word_indeed_and_on</code>.</p><!-- /wp:paragraph -->
<!-- wp:heading --><h2 class="wp-block-heading">Beds</h2><!-- /wp:heading -->
<!-- wp:quote --><blockquote class="wp-block-quote"><!-- wp:paragraph --><p>Dig.</p><!-- /wp:paragraph --><cite>Rosa</cite></blockquote><!-- /wp:quote -->
<!-- wp:code --><pre class="wp-block-code" tabindex="0"><code>${'water '.repeat(30)}</code></pre><!-- /wp:code -->
<!-- wp:table --><figure class="wp-block-table"><table><thead><tr><th>Bed</th><th>Size</th></tr></thead><tbody><tr><td>One</td><td>2 m</td></tr></tbody></table><figcaption class="wp-element-caption">Beds</figcaption></figure><!-- /wp:table -->
<!-- wp:columns --><div class="wp-block-columns"><!-- wp:column --><div class="wp-block-column"><!-- wp:paragraph --><p>Left</p><!-- /wp:paragraph --></div><!-- /wp:column --><!-- wp:column --><div class="wp-block-column"><!-- wp:paragraph --><p>Right</p><!-- /wp:paragraph --></div><!-- /wp:column --></div><!-- /wp:columns -->
<!-- wp:buttons --><div class="wp-block-buttons"><!-- wp:button {"className":"is-style-outline"} --><div class="wp-block-button is-style-outline"><a class="wp-block-button__link wp-element-button" href="/x">Go on</a></div><!-- /wp:button --></div><!-- /wp:buttons -->`

/** Script that runs in the page and collects these properties. */
const INSPECT_SCRIPT = `(() => {
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
    const named = one.textContent.trim() || one.getAttribute('aria-label') || (one.type === 'submit' && one.value) || one.querySelector('img[alt]:not([alt=""])')
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
  const [news] = [
    await addTerm(context.site.store, {
      taxonomy: 'category',
      name: 'News',
      slug: 'news',
      description: 'News of the harbor.',
    }),
  ]
  const date = '2024-05-06 10:00:00'
  const [roses] = await addPosts(
    context.site.store,
    { title: 'Roses', slug: 'roses', content: CONTENT, terms: [news], comment_count: 2, comment_status: 'open', date },
    { title: 'Beans', slug: 'beans', content: '<p>Roses are beside them.</p>', terms: [news], date },
    { title: 'About', slug: 'about', type: 'page', content: CONTENT },
  )
  const { db } = context.site.store
  const comment = {
    post_id: roses!,
    author_name: 'Rosa',
    author_url: 'https://rosa.test',
    date,
    date_gmt: date,
    content: 'Well said.',
    approved: '1',
  }
  await context.site.store.run(db.insertInto('comments').values({ ...comment, id: 1 }))
  await context.site.store.run(db.insertInto('comments').values({ ...comment, id: 2, parent_id: 1 }))
})
pages.after(async ({ site }) => {
  await site[Symbol.asyncDispose]()
})

for (const scheme of ['light', 'dark'] as const) {
  inBrowser(
    `have landmarks, names, contrast, a visible focus and no axe findings in the ${scheme} scheme`,
    async (context) => {
      const { site } = context
      await using window = await openWindow(scheme)
      const { page } = window
      await page.setViewportSize({ width: 360, height: 700 })
      for (const path of ['/', '/2024/05/06/roses/', '/about/', '/category/news/', '/?s=roses', '/nothing/']) {
        await page.goto(`${site.home}${path}`)
        assert.equal(await accessibilityFindings(page), [], path)
        const { landmarks, headings, background, ...seen } = await page.evaluate<Seen>(INSPECT_SCRIPT)
        assert.equal(landmarks, ['header', 'main', 'footer'])
        headings.forEach((level, at) => assert.ok(level <= (headings[at - 1] ?? 1) + 1, `${path}: ${headings.join()}`))
        assert.equal(seen, { faint: [], nameless: [], focus: true, wide: false }, path)
        assert.is(background, scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(21, 23, 27)')
      }
    },
  )
}

const NAVIGATION = `<!-- wp:navigation {"ariaLabel":"Places"} --><!-- wp:navigation-link {"label":"Alpha","url":"/alpha/"} /--><!-- wp:navigation-submenu {"label":"Beta","url":"/beta/"} --><!-- wp:navigation-link {"label":"Gamma","url":"/gamma/"} /--><!-- /wp:navigation-submenu --><!-- /wp:navigation -->`

inBrowser(
  'open the menu on phones by keyboard and show it inline on wide screens, without scripts',
  async ({ site }) => {
    const [id] = await addPosts(site.store, { title: 'With a menu', content: NAVIGATION })
    await using window = await openWindow()
    const { page } = window
    await page.goto(`${site.home}/?p=${id}`)
    const menu = page.getByRole('navigation', { name: 'Places' })
    const [open, close] = ['Open menu', 'Close menu'].map((name) => menu.getByRole('button', { name, exact: true }))
    const shown = async () =>
      Promise.all(['Alpha', 'Gamma'].map((name) => menu.getByRole('link', { name, exact: true }).isVisible()))
    assert.equal([await open!.isVisible(), ...(await shown())], [false, true, false])
    await menu.getByRole('link', { name: 'Beta' }).focus()
    assert.equal(await shown(), [true, true], 'the focus opens the submenu')
    await page.setViewportSize({ width: 390, height: 700 })
    await page.reload()
    assert.equal([await open!.isVisible(), ...(await shown())], [true, false, false])
    await open!.focus()
    await page.keyboard.press('Enter')
    assert.equal([await close!.isVisible(), ...(await shown())], [true, true, true])
    await page.keyboard.press('Tab')
    assert.is(await close!.evaluate((element) => element.matches(':focus')), true, 'the focus moves into the menu')
    await page.keyboard.press('Escape')
    assert.equal(await shown(), [false, false])
    assert.is(await open!.evaluate((element) => element.matches(':focus')), true, 'and returns to the button')
    await open!.click()
    await close!.click()
    assert.equal(await shown(), [false, false])
    assert.equal(await accessibilityFindings(page), [])
    assert.equal(window.complaints, [])
  },
)

inBrowser('have a header of one line on phones, and a line for a menu with many entries on wide screens', async () => {
  await using site = await serveWithUsers(filePlace)
  const titles = Array.from({ length: 12 }, (_, at) => `A page with a long name, number ${at}`)
  await addPosts(site.store, ...titles.map((title) => ({ title, type: 'page' })))
  await using window = await openWindow()
  const { page } = window
  await page.goto(site.home)
  const boxOf = async (selector: string) => (await page.locator(`header ${selector}`).boundingBox())!
  for (const width of [1280, 768]) {
    await assertFits(page, width)
    const [title, search] = [await boxOf('.wp-block-site-title'), await boxOf('.site-search')]
    const menu = await boxOf('nav')
    assert.ok(search.y < title.y + title.height && title.y < search.y + search.height, `the search at ${width}`)
    assert.ok(menu.y >= Math.max(title.y + title.height, search.y + search.height), `the menu at ${width}`)
    assert.ok(menu.width > width / 2, `the width of the menu at ${width}`)
  }
  await assertFits(page, 390)
  const [title, open] = [await boxOf('.wp-block-site-title'), await boxOf('nav button >> nth=0')]
  assert.ok(open.y < title.y + title.height && title.y < open.y + open.height, 'the button is next to the title')
  assert.ok((await boxOf('.site-bar')).height < 80)
  assert.is(await page.locator('footer .site-search').isVisible(), true)
})

pages.run()
