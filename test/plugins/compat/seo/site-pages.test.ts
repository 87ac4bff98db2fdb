import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { addPlants, garden } from './garden.ts'

const pages = suite('seo on pages of the site')

const RANK_MATH = { 'rank-math-options-titles': { knowledgegraph_type: 'company', title_separator: '|' } }
const YOAST = { wpseo_titles: { separator: 'sc-pipe', 'noindex-tax-post_tag': true } }

/** A plugin that changes heads. */
const emphatic = definePlugin({
  name: 'emphatic',
  needs: ['seo'],
  apply: ({ hooks }) => {
    const filter = hooks['seo_head' as keyof typeof hooks] as unknown as {
      tap(name: string, change: (head: { title: string; description: string }) => object): void
    }
    filter.tap('emphatic', (head) => ({ ...head, title: `${head.title}!`, description: '</script><b>' }))
  },
})

const count = (html: string, text: string) => html.split(text).length - 1

pages('have one title, description, robots, canonical URL and graph', async () => {
  await using site = await garden(RANK_MATH)
  await addPlants(site, 'rank_math_')
  const html = await (await fetch(`${site.home}/2024/05/02/tulip/`)).text()
  assert.match(html, '<title>Own title</title>')
  for (const text of [
    '<title>',
    'name="description"',
    'name="robots"',
    'rel="canonical"',
    'property="og:title"',
    'ld+json',
  ])
    assert.is(count(html, text), 1, text)
  assert.match(html, '<meta name="description" content="About &quot;tulips&quot;">')
  assert.match(html, 'index, follow, max-snippet:-1')
  assert.match(html, '"@type":"BlogPosting"')
})

pages('are hidden from search engines if the site or the editor says so', async () => {
  await using site = await garden({ ...YOAST, blog_public: false })
  await addPlants(site, '_yoast_wpseo_')
  const html = await (await fetch(`${site.home}/2024/05/02/tulip/`)).text()
  assert.match(html, '<meta name="robots" content="noindex, follow">')
  assert.is(count(html, 'rel="canonical"'), 0)
  const missing = await (await fetch(`${site.home}/nothing/`)).text()
  assert.match(missing, '<title>Page not found | Green &amp; Co</title>')
})

pages('show heads that a plugin has changed, with texts that cannot end an element', async () => {
  await using site = await garden(YOAST, { more: { plugins: { seo: true }, add: [emphatic] } })
  await addPlants(site, '_yoast_wpseo_')
  const html = await (await fetch(`${site.home}/2024/05/02/tulip/`)).text()
  assert.match(html, '<title>Own title!</title>')
  assert.match(html, 'content="&lt;/script&gt;&lt;b&gt;"')
  assert.not.match(html, '</script><b>')
})

pages('have sitemaps without hidden pages and kinds of pages', async () => {
  await using site = await garden(YOAST)
  await addPlants(site, '_yoast_wpseo_')
  await addPosts(site.store, { title: 'Hidden', meta: { '_yoast_wpseo_meta-robots-noindex': '1' } })
  const posts = await (await fetch(`${site.home}/sitemap-post-post-1.xml`)).text()
  assert.match(posts, '/tulip/')
  assert.not.match(posts, '/hidden/')
  const index = await (await fetch(`${site.home}/sitemap.xml`)).text()
  assert.match(index, 'sitemap-term-category-1.xml')
  assert.not.match(index, 'sitemap-term-post_tag')
  assert.is((await fetch(`${site.home}/sitemap-term-post_tag-1.xml`)).status, 404)
  await site.store.run(site.store.db.deleteFrom('post_meta').where('key', '=', '_yoast_wpseo_meta-robots-noindex'))
  assert.match(await (await fetch(`${site.home}/sitemap-post-post-1.xml`)).text(), '/hidden/')
})

pages.run()
