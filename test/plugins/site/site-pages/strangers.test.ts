import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const SECRET = /sesame/i

/** Returns all pages, feeds and sitemaps that are reachable by links. */
async function everything(site: SiteWithUsers, begin: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const waiting = begin.map((path) => `${site.home}${path}`)
  for (const url of waiting) {
    if (found.has(url) || found.size > 80) continue
    const text = await (await fetch(url)).text()
    found.set(url, text)
    const links = [...text.matchAll(/(?:href="|<loc>|<link>)([^"<]*)/g)].map(([, link = '']) =>
      link.replaceAll('&amp;', '&').replaceAll('&#038;', '&'),
    )
    for (const link of links) {
      const next = URL.canParse(link, url) ? new URL(link, url) : null
      if (next?.origin === site.home && !/svc-json|svc-login|\.css/.test(next.pathname))
        waiting.push(next.href.replace(/#.*/, ''))
    }
  }
  return found
}

for (const { name, place } of databases) {
  const strangers = suite(`pages, feeds and sitemaps for strangers on ${name}`)

  strangers('S11 show no content that visitors cannot read, at any URL', async () => {
    await using site = await serveWithUsers(place)
    const news = await addTerm(site.store, { taxonomy: 'category', name: 'News', count: 3 })
    const term = await addTerm(site.store, { taxonomy: 'category', name: 'Sesame term', count: 0 })
    const on = (day: number) => `2024-05-0${day} 12:00:00`
    const ids = await addPosts(
      site.store,
      { title: 'Sesame draft', status: 'draft', content: 'sesame', date: on(6), terms: [news, term] },
      { title: 'Public one', date: on(5), terms: [news], author_id: site.users.ann },
      {
        title: 'Sesame private',
        status: 'private',
        content: 'sesame',
        date: on(4),
        terms: [news],
        author_id: site.users.shy,
      },
      { title: 'Sesame future', status: 'future', content: 'sesame', date: '2199-05-04 12:00:00', terms: [news] },
      {
        title: 'Locked',
        password: 'key',
        content: 'sesame',
        excerpt: 'sesame',
        date: on(3),
        terms: [news],
        comment_status: 'open',
      },
      { title: 'Public two', date: on(2), terms: [news], author_id: site.users.ann },
      { title: 'Sesame trash', status: 'trash', content: 'sesame', date: on(1) },
      { title: 'Sesame page', type: 'page', status: 'draft', content: 'sesame' },
    )
    const comment = {
      author_name: 'Bob',
      approved: '1',
      type: 'comment',
      date: on(5),
      date_gmt: on(5),
      content: 'sesame',
    }
    for (const post_id of ids.filter((_, at) => at !== 1 && at !== 5))
      await site.store.run(site.store.db.insertInto('comments').values({ ...comment, post_id }))
    const begin = [
      '/',
      '/feed/',
      '/feed/atom/',
      '/comments/feed/',
      '/sitemap.xml',
      '/?s=sesame',
      '/?s=public',
      '/category/news/',
      '/2024/05/',
      ...ids.map((id) => `/?p=${id}`),
      ...ids.map((id) => `/?p=${id}&preview=true`),
      '/category/sesame-term/feed/',
      '/author/shy-w/',
      '/author/shy-w/feed/',
    ]
    const all = await everything(site, begin)
    assert.ok(all.size > 25, `${all.size} pages`)
    for (const [url, text] of all) {
      // Category pages contain the name, and search pages the query.
      if (/s=sesame|sesame-term/.test(url)) continue
      assert.is(text.split('\n').find((line) => SECRET.test(line.replaceAll(/sesame[- ]term/gi, ''))) ?? '', '', url)
    }
  })

  strangers('S35 evict no page from the cache with missing URLs and searches', async () => {
    const plugins = { 'response-cache': { bytes: 400_000 } }
    await using site = await serveWithUsers(place, { plugins })
    const cacheStatusOf = async (url: string) => (await fetch(`${site.home}${url}`)).headers.get('x-svc-cache')
    const page = '/feed/'
    assert.equal([await cacheStatusOf(page), await cacheStatusOf(page)], ['MISS', 'HIT'])
    for (let count = 0; count < 60; count += 1) {
      assert.is.not(await cacheStatusOf(`/nothing-${count}/`), 'HIT')
      assert.is.not(await cacheStatusOf(`/?s=word${count}`), 'HIT')
    }
    assert.is(await cacheStatusOf(page), 'HIT')
  })

  strangers('S35 do not fill the cache with equivalent or missing URLs', async () => {
    await using site = await serveWithUsers(place)
    const [id] = (await addPosts(site.store, { title: 'Open', comment_status: 'open' })) as [number]
    const path = new URL(((await site.json(`/svc/v2/posts/${id}`)) as { link: string }).link).pathname
    const send = (url: string) => fetch(`${site.home}${url}`, { redirect: 'manual' })
    for (const url of [
      `${path}?cat=77`,
      `${path}?author=5`,
      `${path}?m=2024`,
      `${path}?p=${id}`,
      `${path}?paged=1`,
      '/?paged=1',
      `${path}comment-page-1/`,
      `${path}?cpage=1`,
      `/?p=${id}&cat=9`,
    ]) {
      const answer = await send(url)
      assert.is(answer.status, 301, url)
      assert.ok([site.home + path, `${site.home}/`].includes(answer.headers.get('location')!), url)
    }
    for (const url of [
      `${path}comment-page-2/`,
      `${path}?cpage=9`,
      '/?cat=99999',
      '/?p=99999',
      '/?author=0',
      '/page/7/',
      `${path}7/`,
      '/?m=999999',
      '/?post_type=none',
      `/${'a/'.repeat(400)}`,
      '/%00',
      '/%f0%9f%98%80/',
      '/sitemap-post-post-2.xml',
      '/sitemap-post-page-200.xml',
      '/sitemap-term-post_tag-1.xml',
      '/sitemap-author-7.xml',
      '/category/none/feed/',
      '/page/2/feed/',
    ]) {
      const answer = await send(url)
      assert.ok([400, 404].includes(answer.status), `${url} ${answer.status}`)
      await answer.text()
    }
    for (const url of [
      '/feed/?cat=1',
      '/?feed=rss2&author=1',
      '/feed/?paged=3',
      `${path}?replytocom=99`,
      `${path}?comment_held=9&_svcnonce=0`,
    ]) {
      await (await send(url)).text()
      const { status, headers } = await send(url)
      // Missing pages have a separate small cache.
      assert.ok(status === 404 || !/MISS|HIT/.test(headers.get('x-svc-cache') ?? ''), url)
    }
    // Parameters of other software are preserved.
    assert.is((await send(`${path}?utm_source=x`)).status, 200)
  })

  strangers('S33 redirect to no other site, and allow no header injection', async () => {
    const front = 'https://front.example'
    await using site = await serveWithUsers(place, { plugins: { 'site-pages': { site: front } } })
    const paths = [
      '//evil.example/x',
      '/%2f%2fevil.example',
      '/\\evil.example',
      '/@evil.example',
      '/x%0d%0aSet-Cookie:a=b',
      '/?redirect_to=https://evil.example',
      '/%5cevil.example',
      '/..//evil.example/',
      '/a?x=%0d%0aX-Y:z&token=secret',
    ]
    for (const path of paths) {
      const answer = await fetch(`${site.home}${path}`, { redirect: 'manual' })
      const location = answer.headers.get('location')
      if (location !== null) assert.is(new URL(location, site.home).origin, front, path)
      assert.is(answer.headers.get('set-cookie'), null)
      assert.not.match(location ?? '', 'secret')
    }
    const post = await fetch(`${site.home}/svc-comments-post`, {
      method: 'POST',
      body: new URLSearchParams({ comment_post_ID: '1' }),
      redirect: 'manual',
    })
    assert.is(post.status, 404)
  })

  strangers('exclude search engines with one setting', async () => {
    await using site = await serveWithUsers(place)
    assert.not.match(await (await fetch(site.home)).text(), 'name="robots"')
    await site.kernel.services.options.set('blog_public', false)
    assert.match(await (await fetch(site.home)).text(), '<meta name="robots" content="noindex, follow">')
  })

  strangers.run()
}
