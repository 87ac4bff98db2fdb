import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fragmentsOf } from '../../../plugins/library/caching/index.ts'
import { accessibilityFindings } from '../../helpers/accessibility.ts'
import { useChromium } from '../../helpers/chromium.ts'
import { addPosts, addTerm } from '../../helpers/content.ts'
import { assertFits } from '../../helpers/page-width.ts'
import { serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'
import { filePlace } from '../../helpers/stores.ts'

const pages = suite<{ site: SiteWithUsers; newest: string }>('pages of built-in themes')
const { inBrowser, openWindow } = useChromium(pages)

const CONTENT =
  '<!-- wp:paragraph --><p>Text with a <a href="/x">link</a>.</p><!-- /wp:paragraph --><!-- wp:heading --><h2 class="wp-block-heading">Part</h2><!-- /wp:heading -->'

pages.before(async (context) => {
  const site = (context.site = await serveWithUsers(filePlace))
  const { store, users } = site
  const [news, other] = [
    await addTerm(store, { taxonomy: 'category', name: 'News', description: 'All news.', count: 8 }),
    await addTerm(store, { taxonomy: 'category', name: 'Other', count: 1 }),
  ]
  const [image] = await addPosts(store, {
    title: 'Picture',
    type: 'attachment',
    status: 'inherit',
    mime_type: 'image/png',
    meta: { _attached_file: '2024/a.png' },
  })
  const common = { content: CONTENT, author_id: users.ann, comment_status: 'open' }
  await addPosts(
    store,
    { ...common, title: 'Newest', terms: [news], date: '2024-06-20 10:00:00', meta: { _thumbnail_id: image! } },
    { ...common, title: 'Of another subject', terms: [other], date: '2024-06-19 10:00:00' },
    ...Array.from({ length: 8 }, (_, at) => ({
      ...common,
      title: `Older ${at} ${'longword'.repeat(at * 3)}`,
      terms: [news],
      date: `2024-06-${18 - at} 10:00:00`,
      ...(at % 2 === 0 && { meta: { _thumbnail_id: image! } }),
    })),
    { title: 'About', type: 'page', content: CONTENT },
  )
  await site.send('POST', `/svc/v2/users/${users.ann}`, { description: 'Ann grows plants.' }, 'admin')
  context.newest = '/2024/06/20/newest/'
})
pages.after(async ({ site }) => {
  await site[Symbol.asyncDispose]()
})

for (const theme of ['magazine', 'minimal']) {
  inBrowser(
    `of the theme ${theme} fit three widths and have no axe findings in both color schemes`,
    async (context) => {
      const { site, newest } = context
      await site.kernel.services.options.set('theme', { stylesheet: theme })
      for (const scheme of ['light', 'dark'] as const) {
        await using window = await openWindow(scheme)
        const { page } = window
        for (const path of ['/', newest, '/about/', '/category/news/', '/?s=older', '/nothing/']) {
          await page.goto(`${site.home}${path}`)
          for (const width of [1280, 768, 360]) await assertFits(page, width)
          assert.equal(await accessibilityFindings(page), [], `${path} in the ${scheme} scheme`)
          assert.is(await page.locator('h1').count(), 1, path)
        }
      }
    },
  )
}

pages(
  'of the theme magazine show the author and posts of the same subject, with constant statements',
  async (context) => {
    const { site, newest } = context
    await site.kernel.services.options.set('theme', { stylesheet: 'magazine' })
    const read = async (path: string) => {
      site.kernel.server.httpCache?.clear()
      fragmentsOf(site.kernel.server).clear()
      let count = 0
      const stop = site.store.onStatement(() => void (count += 1))
      const text = await (await fetch(`${site.home}${path}`)).text()
      stop()
      return { text, count }
    }
    const { text } = await read(newest)
    assert.match(text, 'Ann grows plants.')
    const [, related = ''] = /<div class="[^"]*\brelated\b[^"]*">([^]*?)<\/ul>/.exec(text) ?? []
    assert.equal(
      [...related.matchAll(/>(Older \d|Newest|Of another subject)/g)].map(([, title]) => title),
      ['Older 0', 'Older 1', 'Older 2'],
    )
    assert.not.match((await read('/2024/06/19/of-another-subject/')).text, '>Older 0')
    const counts: number[] = []
    for (const size of [2, 9]) {
      await site.kernel.services.options.set('posts_per_page', size)
      counts.push((await read('/')).count)
    }
    assert.ok(counts[1]! <= counts[0]! + 1, counts.join(' and '))
  },
)

pages('load the styles of the theme that a built-in theme extends, and children of it as well', async ({ site }) => {
  await site.kernel.services.options.set('theme', { stylesheet: 'minimal' })
  const text = await (await fetch(`${site.home}/`)).text()
  const sheets = [...text.matchAll(/themes\/(\w+)\/style\.css/g)].map(([, name]) => name)
  assert.equal(sheets, ['default', 'minimal'])
})

pages('are listed with their screenshots', async ({ site }) => {
  const themes = (await site.json('/svc/v2/themes', site.by('admin'))) as { stylesheet: string; screenshot: string }[]
  assert.equal(themes.map(({ stylesheet }) => stylesheet).toSorted(), ['default', 'magazine', 'minimal'])
  for (const { screenshot } of themes) {
    const image = await fetch(screenshot)
    assert.is(image.headers.get('content-type'), 'image/webp')
    assert.ok((await image.arrayBuffer()).byteLength < 40_000, screenshot)
  }
})

pages.run()
