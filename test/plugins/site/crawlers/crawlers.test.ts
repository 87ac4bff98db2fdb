import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { stopClock } from '../../../helpers/clock.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'

for (const { name, place } of databases) {
  const crawlers = suite(`crawlers on ${name}`)

  crawlers('find the sitemaps in robots.txt, unless the site is hidden from search engines', async () => {
    await using site = await serveWithUsers(place)
    const robots = await fetch(`${site.home}/robots.txt`)
    assert.is(robots.headers.get('content-type'), 'text/plain; charset=UTF-8')
    const text = await robots.text()
    assert.match(text, `Sitemap: ${site.home}/sitemap.xml`)
    assert.match(text, 'Disallow: /svc-admin/')
    const former = await fetch(`${site.home}/wp-sitemap.xml`)
    assert.equal([former.redirected, former.status, former.url], [true, 200, `${site.home}/sitemap.xml`])
    await site.kernel.services.options.set('blog_public', false)
    assert.match(await (await fetch(`${site.home}/robots.txt`)).text(), /^Disallow: \/$/m)
    assert.is((await fetch(`${site.home}/sitemap.xml`)).status, 404)
  })

  crawlers('see immediately that a site is hidden, even if responses are cached by URL', async () => {
    using clock = stopClock()
    await using site = await serveWithUsers(place)
    await addPosts(site.store, {})
    const statuses = async () => {
      const responses = await Promise.all(
        ['/sitemap.xml', '/sitemap-post-post-1.xml'].map((path) => fetch(`${site.home}${path}`)),
      )
      return responses.map(({ status }) => status)
    }
    // A response is cached by its URL once the second of its last change is over.
    for (let round = 0; round < 3; round += 1) {
      assert.equal(await statuses(), [200, 200])
      clock.advance(5000)
    }
    for (const [isListed, expected] of [
      [false, 404],
      [true, 200],
    ] as const) {
      await site.kernel.services.options.set('blog_public', isListed)
      assert.equal(await statuses(), [expected, expected])
    }
  })

  crawlers('find all content that visitors may read, and nothing else', async () => {
    await using site = await serveWithUsers(place)
    const news = await addTerm(site.store, { taxonomy: 'category', name: 'News', count: 1 })
    const [open] = (await addPosts(
      site.store,
      { title: 'Open', terms: [news], author_id: site.users.ann },
      { title: 'Hidden draft', status: 'draft' },
      { title: 'Hidden locked', password: 'key' },
    )) as [number]
    const { link } = await site.json(`/svc/v2/posts/${open}`)
    const index = await (await fetch(`${site.home}/sitemap.xml`)).text()
    const maps = [...index.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) => url.slice(site.home.length))
    assert.ok(maps.includes('/sitemap-post-post-1.xml'), index)
    const pages = await Promise.all(maps.map(async (path) => (await fetch(`${site.home}${path}`)).text()))
    const all = pages.join('')
    for (const url of [link, `${site.home}/category/news/`, `${site.home}/author/ann-w/`])
      assert.match(all, `<loc>${url}</loc>`)
    assert.not.match(all, /hidden|sub-w/)
    for (const path of ['/sitemap-post-none-1.xml', '/sitemap-post-post-999.xml', '/sitemap-user-1.xml'])
      assert.is((await fetch(`${site.home}${path}`)).status, 404, path)
    // Posts published later are in the sitemap.
    await site.send('POST', '/svc/v2/posts', { title: 'Later', status: 'publish' }, 'admin')
    assert.match(await (await fetch(`${site.home}/sitemap-post-post-1.xml`)).text(), '/later/')
  })

  crawlers('with a current sitemap get 304', async () => {
    await using site = await serveWithUsers(place)
    await addPosts(site.store, ...Array.from({ length: 60 }, () => ({})))
    const response = await fetch(`${site.home}/sitemap-post-post-1.xml`)
    assert.ok((await response.text()).split('<url>').length > 60)
    assert.is(
      (
        await fetch(`${site.home}/sitemap-post-post-1.xml`, {
          headers: { 'if-none-match': response.headers.get('etag')! },
        })
      ).status,
      304,
    )
  })

  crawlers('get an icon with the first letter of the title for a site without an icon', async () => {
    await using site = await serveWithUsers(place)
    await site.kernel.services.options.set('title', '&lt;garden')
    const icon = await fetch(`${site.home}/favicon.ico`)
    assert.is(icon.url, `${site.home}/favicon.svg`)
    assert.is(icon.headers.get('content-type'), 'image/svg+xml')
    assert.match(await icon.text(), '>&lt;</text>')
    const head = await (await fetch(`${site.home}/`)).text()
    const [, url = ''] = /<link rel="icon" href="([^"]+)" type="image\/svg\+xml">/.exec(head) ?? []
    assert.is((await fetch(url)).status, 200)
    assert.not.match(head, 'apple-touch-icon')
  })

  crawlers('find the icon if visitors can see it', async () => {
    await using site = await serveWithUsers(place)
    const { options } = site.kernel.services
    const image = {
      type: 'attachment',
      status: 'inherit',
      mime_type: 'image/png',
      meta: { _attached_file: '2024/icon.png' },
    }
    const [draft] = (await addPosts(site.store, { title: 'Draft', status: 'draft' })) as [number]
    const [icon, below] = (await addPosts(site.store, image, { ...image, parent_id: draft })) as [number, number]
    const fetchIcon = () => fetch(`${site.home}/favicon.ico`, { redirect: 'manual' })
    await options.set('site_icon', icon)
    const found = await fetchIcon()
    assert.is(found.status, 302)
    const url = `${site.home}/uploads/2024/icon.png`
    assert.is(found.headers.get('location'), url)
    const head = await (await fetch(`${site.home}/`)).text()
    assert.match(head, `<link rel="icon" href="${url}">`)
    assert.match(head, `<link rel="apple-touch-icon" href="${url}">`)
    for (const none of [below, draft, 999_999]) {
      await options.set('site_icon', none)
      assert.is((await fetchIcon()).headers.get('location'), `${site.home}/favicon.svg`)
    }
  })

  crawlers('find all posts in several sitemaps, each rendered with the same number of statements', async () => {
    await using site = await serveWithUsers(place)
    await addPosts(site.store, ...Array.from({ length: 5 }, (_, at) => ({ title: `Few ${at}`, type: 'page' })))
    await addPosts(site.store, ...Array.from({ length: 501 }, (_, at) => ({ title: `Many ${at}` })))
    const index = await (await fetch(`${site.home}/sitemap.xml`)).text()
    assert.is(index.match(/sitemap-post-post-\d/g)?.length, 2)
    const cost = async (path: string) =>
      (await site.statements(async () => void (await (await fetch(`${site.home}${path}`)).text()))).length
    const baseCost = await cost('/sitemap-post-page-1.xml')
    assert.ok((await cost('/sitemap-post-post-1.xml')) <= baseCost)
    const urlsOf = async (page: number) =>
      [...(await (await fetch(`${site.home}/sitemap-post-post-${page}.xml`)).text()).matchAll(/<loc>([^<]+)/g)].map(
        ([, url]) => url,
      )
    const urls = [...(await urlsOf(1)), ...(await urlsOf(2))]
    // The published post that the site begins with is among them.
    assert.is(new Set(urls).size, 502)
  })

  crawlers.run()
}
