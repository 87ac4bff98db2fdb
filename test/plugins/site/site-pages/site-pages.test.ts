import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache } from '../../../../kernel/index.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { as, serve, serveOn, type Site } from '../../../helpers/site.ts'
import { filePlace, places } from '../../../helpers/stores.ts'
import { until } from '../../../helpers/until.ts'

const page = (site: Site, path: string, init: RequestInit = {}) =>
  fetch(`${site.home}${path}`, { redirect: 'manual', ...init })
const html = async (site: Site, path: string) => (await page(site, path)).text()
/** Returns the redirect target of a path below the home URL, or the status. */
const led = async (site: Site, path: string) => {
  const { status, headers } = await page(site, path)
  return status === 301 ? headers.get('location')!.slice(site.home.length) : status
}
const h1 = (text: string) => /<h1[^>]*>(.*?)<\/h1>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '')

for (const { name, make } of places) {
  const pages = suite(`pages of the site, ${name}`)

  pages('show posts, archives, searches and missing pages with the templates of the theme', async () => {
    await using site = await serveOn(await make())
    const news = await addTerm(site.store, { taxonomy: 'category', name: 'News', slug: 'news' })
    await addPosts(
      site.store,
      { title: 'Sea', slug: 'sea', content: '<p>Waves.</p>', date: '2024-05-06 10:00:00', terms: [news] },
      { title: 'About', slug: 'about', type: 'page', content: '<p>Who we are.</p>' },
      { title: 'Old', slug: 'old', date: '2023-01-02 10:00:00' },
    )
    const sea = await html(site, '/2024/05/06/sea/')
    assert.is(h1(sea), 'Sea')
    assert.match(sea, '<p>Waves.</p>')
    assert.match(sea, '<title>Sea – A new site</title>')
    assert.match(sea, `<link rel="canonical" href="${site.home}/2024/05/06/sea/">`)
    assert.match(sea, '<meta property="og:type" content="article">')
    assert.match(sea, '<html lang="en-US">')
    assert.match(sea, '/svc-styles.css')
    assert.is(h1(await html(site, '/about/')), 'About')
    assert.is(h1(await html(site, '/category/news/')), 'Category: News')
    assert.is(h1(await html(site, '/2024/05/')), 'Month: May 2024')
    assert.is(h1(await html(site, '/2024/')), 'Year: 2024')
    const found = await html(site, '/?s=waves')
    assert.is(h1(found), 'Search results for: “waves”')
    assert.match(found, '/2024/05/06/sea/')
    assert.match(found, '<meta name="robots" content="noindex, follow">')
    assert.not.match(found, '/2023/01/02/old/')
    const nothing = await page(site, '/nothing/')
    assert.is(nothing.status, 404)
    assert.is(h1(await nothing.text()), 'Page not found')
    for (const path of [
      '/2024/06/',
      '/2024/02/31/',
      '/category/olds/',
      '/page/2/',
      '/author/nobody/',
      '/page/999999999/',
    ])
      assert.is((await page(site, path)).status, 404, path)
  })

  pages('redirect to their canonical URL', async () => {
    await using site = await serveOn(await make())
    const [post, about] = await addPosts(
      site.store,
      { title: 'Sea', slug: 'sea', date: '2024-05-06 10:00:00' },
      { title: 'About', slug: 'about', type: 'page' },
    )
    const sea = '/2024/05/06/sea/'
    for (const path of [
      `/?p=${post}`,
      '/2024/05/06/sea',
      '/2024/05/06/SEA/',
      '/?name=sea',
      '/2020/01/01/sea/',
      '/sea/',
    ])
      assert.is(await led(site, path), sea, path)
    assert.is(await led(site, `/?page_id=${about}`), '/about/')
    assert.is(await led(site, '/about?utm_source=a'), '/about/?utm_source=a')
    assert.is(await led(site, '/page/1/'), '/')
    assert.is(await led(site, '/?m=202405'), '/2024/05/')
    assert.is(await led(site, sea), 200)
    assert.is(await led(site, '//elsewhere.test/sea/'), sea)
  })

  pages('have separate URLs for pages of lists and parts of content', async () => {
    await using site = await serveOn(await make())
    await site.kernel.services.options.set('posts_per_page', 2)
    await addPosts(
      site.store,
      ...[1, 2, 3, 4, 5].map((day) => ({
        title: `Post ${day}`,
        slug: `post-${day}`,
        date: `2024-05-0${day} 10:00:00`,
      })),
      { title: 'Parts', slug: 'parts', type: 'page', content: '<p>One</p><!--nextpage--><p>Two</p>' },
    )
    const second = await html(site, '/page/2/')
    const shown = [...second.matchAll(/<h2[^>]*>.*?(Post \d)/g)].map(([, title]) => title)
    assert.equal(shown, ['Post 3', 'Post 2'])
    assert.match(second, `<link rel="prev" href="${site.home}/">`)
    assert.match(second, `<link rel="next" href="${site.home}/page/3/">`)
    assert.match(second, `href="${site.home}/page/3/" class="wp-block-query-pagination-next"`)
    assert.match(second, '<title>A new site – Page 2')
    assert.is((await page(site, '/page/4/')).status, 404)
    assert.is(await led(site, '/?paged=2'), '/page/2/')
    const two = await html(site, '/parts/2/')
    assert.match(two, '<p>Two</p>')
    assert.not.match(two, '<p>One</p>')
    assert.match(two, `<a class="post-page-numbers" href="${site.home}/parts/">1</a>`)
    assert.is((await page(site, '/parts/3/')).status, 404)
    assert.match(two, /<p class="post-nav-links" role="navigation" aria-label="[^"]+">Pages: /)
  })

  pages('mark the place of the more tag with the anchor that lists link to, once', async () => {
    await using site = await serveOn(await make())
    const [id] = await addPosts(site.store, {
      title: 'More',
      slug: 'more',
      type: 'page',
      content: '<p>One</p><!--more Read on--><p>Two</p><!--more--><p>Three</p>',
    })
    const shown = await html(site, '/more/')
    assert.match(shown, `<p>One</p>\n<p><span id="more-${id}"></span></p>\n<p>Two</p>`)
    assert.is(shown.split('id="more-').length, 2)
  })

  pages('show no content that visitors cannot read', async () => {
    await using site = await serveOn(await make())
    const [draft] = await addPosts(
      site.store,
      { title: 'Draft secret', slug: 'draft', status: 'draft', date: '2024-05-01 10:00:00' },
      { title: 'Private secret', slug: 'private', status: 'private', date: '2024-05-02 10:00:00' },
      { title: 'Later secret', slug: 'later', status: 'future', date: '2999-05-03 10:00:00' },
      {
        title: 'Shut',
        slug: 'shut',
        password: 'word',
        content: 'hidden words',
        excerpt: 'hidden words',
        date: '2024-05-04 10:00:00',
      },
    )
    for (const path of [
      '/',
      '/2024/05/',
      '/?s=secret',
      '/?s=hidden',
      '/2024/05/04/shut/',
      `/?p=${draft}&preview=true`,
    ]) {
      const text = await html(site, path)
      assert.not.match(text.replaceAll('“secret”', '').replaceAll('value="secret"', ''), / secret|hidden words/, path)
    }
    for (const path of [`/?p=${draft}`, '/2024/05/01/draft/', '/2024/05/02/private/', '/2999/05/03/later/'])
      assert.is((await page(site, path)).status, 404, path)
    const read = await page(site, '/2024/05/02/private/', { headers: as('administrator') })
    assert.is(read.status, 200)
    assert.is(read.headers.get('cache-control'), 'private, no-store')
  })

  pages('of protected posts ask for the password, and show the post if it is correct', async () => {
    await using site = await serveOn(await make())
    await addPosts(site.store, {
      title: 'Shut',
      slug: 'shut',
      password: 'word',
      content: 'hidden words',
      date: '2024-05-04 10:00:00',
    })
    const path = '/2024/05/04/shut/'
    assert.match(await html(site, path), '<form class="post-password-form" method="post"')
    const send = (post_password: string) =>
      page(site, path, { method: 'POST', body: new URLSearchParams({ post_password }) })
    const wrong = await send('other')
    assert.is(wrong.status, 403)
    assert.not.match(await wrong.text(), 'hidden words')
    const right = await send('word')
    assert.is(right.headers.get('cache-control'), 'private, no-store')
    assert.match(await right.text(), 'hidden words')
    assert.not.match(await html(site, path), 'hidden words')
    let last = 403
    for (let tries = 0; tries < 30 && last === 403; tries += 1) last = (await send(`wrong ${tries}`)).status
    assert.is(last, 429)
  })

  pages('of drafts are shown to users who can edit them', async () => {
    await using site = await serveOn(await make())
    const [id] = await addPosts(site.store, { title: 'Draft', status: 'draft', content: '<p>Not yet.</p>' })
    const path = `/?p=${id}&preview=true`
    const shown = await page(site, path, { headers: as('editor') })
    const text = await shown.text()
    assert.match(text, '<p>Not yet.</p>')
    assert.match(text, 'noindex')
    assert.is(shown.headers.get('cache-control'), 'private, no-store')
    assert.is((await page(site, path, { headers: as('subscriber') })).status, 404)
  })

  pages('are cached until the shown content changes', async () => {
    await using site = await serveOn(await make())
    const [id] = await addPosts(site.store, { title: 'Before', slug: 'a', date: '2024-05-04 10:00:00' })
    const from = async (path: string, headers = {}) => {
      const { status, headers: got } = await page(site, path, { headers })
      return [status, got.get('x-svc-cache')]
    }
    assert.equal(await from('/'), [200, 'MISS'])
    assert.equal(await from('/'), [200, 'HIT'])
    assert.equal(await from('/?unknown=1'), [200, 'HIT'])
    const etag = (await page(site, '/')).headers.get('etag')!
    assert.equal(await from('/', { 'if-none-match': etag }), [304, 'HIT'])
    await site.kernel.services.posts.update(id!, { title: 'After' }, writeAs())
    assert.equal(await from('/', { 'if-none-match': etag }), [200, 'MISS'])
    assert.match(await html(site, '/'), 'After')
    for (const origin of ['MISS', 'HIT']) assert.equal(await from('/?s=after'), [200, origin])
    for (const origin of ['MISS', 'HIT']) assert.equal(await from('/nothing/'), [404, origin])
    assert.equal((await from('/', as('administrator')))[1], null)
    assert.is((await page(site, '/', { method: 'HEAD' })).status, 200)
    for (const method of ['PUT', 'DELETE']) assert.is((await page(site, '/', { method })).status, 405)
  })

  pages('show the menu of the header location, or the pages of the site without a menu', async () => {
    await using site = await serveOn(await make())
    const { menus, terms } = site.kernel.services
    const [about] = await addPosts(site.store, { title: 'About', slug: 'about', type: 'page' })
    const menu = async () => {
      const [, inside = ''] = /<nav [^>]*aria-label="Main"[^>]*>(.*?)<\/nav>/s.exec(await html(site, '/')) ?? []
      return [...inside.matchAll(/href="([^"]*)"/g)].map(([, url]) => url!.replace(site.home, ''))
    }
    assert.equal(await menu(), ['/about/'])
    const id = await addTerm(site.store, { taxonomy: 'nav_menu', name: 'Top', count: 1 })
    const meta = { _menu_item_type: 'post_type', _menu_item_object: 'page', _menu_item_object_id: about! }
    await addPosts(
      site.store,
      { title: 'Us', type: 'nav_menu_item', meta, terms: [id], menu_order: 1 },
      {
        title: 'Elsewhere',
        type: 'nav_menu_item',
        meta: { _menu_item_type: 'custom', _menu_item_url: 'https://else.test/' },
        terms: [id],
        menu_order: 2,
      },
    )
    await menus.setLocations(id, ['primary'])
    assert.equal(await menu(), ['/about/', 'https://else.test/'])
    assert.is((await page(site, '/')).headers.get('x-svc-cache'), 'HIT')
    await terms.delete(id)
    assert.equal(await menu(), ['/about/'])
  })

  pages('link a new style sheet URL after colors have changed', async () => {
    await using site = await serveOn(await make())
    const sheet = async () => /href="([^"]*svc-styles[^"]*)"/.exec(await html(site, '/'))![1]!
    const before = await sheet()
    assert.is(await sheet(), before)
    const id = await site.kernel.services.globalStyles.idOf('default')
    const stored = await site.request(`/svc/v2/global-styles/${id}`, {
      method: 'PUT',
      headers: { ...as('administrator', 1), 'content-type': 'application/json' },
      body: JSON.stringify({ styles: { color: { background: '#fdf6e3' } } }),
    })
    assert.is(stored.status, 200, await stored.text())
    const after = await sheet()
    assert.is.not(after, before)
    assert.match(await (await fetch(after)).text(), '#fdf6e3')
  })

  pages('show changes that another process has written', async () => {
    // Other processes cannot open an in-memory database.
    await using site = await serveOn(await (name === 'SQLite' ? filePlace() : make()))
    await using other = await serve({ database: site.kernel.config.database })
    const [id] = await addPosts(site.store, { title: 'Before', slug: 'a', date: '2024-05-04 10:00:00' })
    assert.match(await html(site, '/'), 'Before')
    await until(async () => (await page(site, '/')).headers.get('x-svc-cache') === 'HIT')
    await other.kernel.services.posts.update(id!, { title: 'After' }, writeAs())
    await until(async () => (await html(site, '/')).includes('After'))
    await other.kernel.services.options.set('title', 'Renamed')
    await until(async () => (await html(site, '/')).includes('Renamed'))
  })

  pages('take a number of statements that does not depend on the amount of content', async () => {
    await using site = await serveOn(await make(), { plugins: { 'response-cache': false } })
    const { options } = site.kernel.services
    const news = await addTerm(site.store, { taxonomy: 'category', name: 'News', slug: 'news' })
    const tags: number[] = []
    const date = '2024-05-06 10:00:00'
    const [sea] = await addPosts(site.store, { title: 'Sea', slug: 'sea', terms: [news], date, comment_status: 'open' })
    const more = async (many: number) => {
      for (let at = 0; at < many; at += 1)
        tags.push(await addTerm(site.store, { taxonomy: 'post_tag', name: `Tag ${tags.length}` }))
      await addPosts(site.store, ...Array.from({ length: many }, () => ({ terms: [news, ...tags], date })))
      const terms = tags.slice(-many).map((term_id) => ({ post_id: sea!, term_id }))
      await site.store.run(site.store.db.insertInto('term_relationships').values(terms))
      const comment = { post_id: sea!, author_name: 'A', date, date_gmt: date, content: 'Well.', approved: '1' }
      await site.store.run(site.store.db.insertInto('comments').values(Array.from({ length: many }, () => comment)))
      const comments = Math.max(1, tags.length)
      await site.store.run(site.store.db.updateTable('posts').set({ comment_count: comments }).where('id', '=', sea!))
    }
    const counts = async () => {
      const found: Record<string, number> = {}
      for (const path of ['/', '/category/news/', '/2024/05/06/sea/', '/?s=post', '/nothing/']) {
        await html(site, path)
        found[path] = (await site.statements(() => html(site, path))).length
      }
      return found
    }
    await options.set('posts_per_page', 50)
    await more(3)
    const initialCounts = await counts()
    await more(15)
    assert.equal(await counts(), initialCounts)
    for (const [path, count] of Object.entries(initialCounts)) assert.ok(count <= 30, `${path}: ${count}`)
  })

  pages('link their REST route and short URL, and contain Open Graph metadata', async () => {
    await using site = await serveOn(await make())
    const [image, hidden] = await addPosts(
      site.store,
      {
        title: 'Wave',
        type: 'attachment',
        status: 'inherit',
        mime_type: 'image/jpeg',
        meta: { _attached_file: '2024/05/wave.jpg', _attachment_image_alt: 'A wave' },
      },
      { title: 'Secret', status: 'private' },
    )
    const [below] = await addPosts(site.store, {
      title: 'Below',
      type: 'attachment',
      status: 'inherit',
      mime_type: 'image/jpeg',
      parent_id: hidden!,
      meta: { _attached_file: '2024/05/secret.jpg' },
    })
    const date = '2024-05-06 10:00:00'
    const [sea] = await addPosts(
      site.store,
      { title: 'Sea', slug: 'sea', date, meta: { _thumbnail_id: image! } },
      { title: 'Dark', slug: 'dark', date, meta: { _thumbnail_id: below! } },
    )
    const response = await page(site, '/2024/05/06/sea/')
    const text = await response.text()
    const route = `${site.home}/svc-json/svc/v2/posts/${sea}`
    assert.match(text, `<link rel="alternate" href="${route}" type="application/json" title="JSON">`)
    assert.match(text, `<link rel="shortlink" href="${site.home}/?p=${sea}">`)
    const links = [
      `<${site.home}/svc-json/>; rel="urn:svc-rest:"`,
      `<${route}>; rel="alternate"; title="JSON"; type="application/json"`,
      `<${site.home}/?p=${sea}>; rel=shortlink`,
    ]
    assert.is(response.headers.get('link'), links.join(', '))
    assert.match(text, `<meta property="og:image" content="${site.home}/uploads/2024/05/wave.jpg">`)
    assert.match(text, '<meta property="og:image:alt" content="A wave">')
    assert.not.match(await html(site, '/2024/05/06/dark/'), 'og:image')
    assert.not.match(await html(site, '/'), 'shortlink')
  })

  pages('link to the REST API and, from terms and authors, to their routes', async () => {
    await using site = await serveOn(await make())
    const news = await addTerm(site.store, { taxonomy: 'category', name: 'News', slug: 'news' })
    await site.store.run(site.store.db.insertInto('users').values({ id: 7, login: 'ann', name: 'Ann', slug: 'ann' }))
    await addPosts(site.store, { title: 'Sea', slug: 'sea', author_id: 7, terms: [news], date: '2024-05-06 10:00:00' })
    const [about] = await addPosts(site.store, { title: 'About', slug: 'about', type: 'page' })
    const root = `<${site.home}/svc-json/>; rel="urn:svc-rest:"`
    const json = (route: string) =>
      `${root}, <${site.home}/svc-json/svc/v2/${route}>; rel="alternate"; title="JSON"; type="application/json"`
    const linksOf = async (path: string) => (await page(site, path)).headers.get('link')
    assert.is(await linksOf('/category/news/'), json(`categories/${news}`))
    assert.match(await html(site, '/category/news/'), `href="${site.home}/svc-json/svc/v2/categories/${news}"`)
    assert.is(await linksOf('/author/ann/'), json('users/7'))
    assert.is(await linksOf('/about/'), `${json(`pages/${about}`)}, <${site.home}/?p=${about}>; rel=shortlink`)
    assert.is(await led(site, `/?p=${about}`), '/about/')
    for (const path of ['/', '/2024/', '/feed/', '/missing/']) assert.is(await linksOf(path), root, path)
    const moved = await page(site, `/?p=${about}`)
    assert.equal([moved.headers.get('link'), moved.headers.get('content-type')], [null, 'text/html; charset=UTF-8'])
  })

  pages('show the autosave of a post to its author through a link with a nonce', async () => {
    await using site = await serveOn(await make())
    const [id] = await addPosts(site.store, { title: 'Now', slug: 'now', content: '<p>Stored.</p>', author_id: 5 })
    const saved = await fetch(`${site.home}/svc-json/svc/v2/posts/${id}/autosaves`, {
      method: 'POST',
      headers: { ...as('editor'), 'content-type': 'application/json' },
      body: JSON.stringify({ content: '<p>Saved.</p>' }),
    })
    const { preview_link: link } = (await saved.json()) as { preview_link: string }
    const text = async (url: string, headers = {}) => (await fetch(url, { headers })).text()
    assert.match(await text(link, as('editor')), '<p>Saved.</p>')
    const forged = link.replace(/preview_nonce=\w+/, 'preview_nonce=00000000000000000000')
    for (const [url, headers] of [
      [link, {}],
      [forged, as('editor')],
      [link, as('administrator', 101)],
    ] as const)
      assert.match(await text(url, headers), '<p>Stored.</p>')
  })

  pages('redirect from former slugs as long as no other content has the URL', async () => {
    await using site = await serveOn(await make())
    const { posts } = site.kernel.services
    const [id, , imported] = await addPosts(
      site.store,
      { title: 'Sea', slug: 'sea', date: '2024-05-06 10:00:00' },
      { title: 'Other', slug: 'other', date: '2024-05-06 10:00:00' },
      { title: 'Imported', slug: 'imported', date: '2024-05-06 10:00:00', meta: { _old_slug: 'elsewhere' } },
      { title: 'Draft', slug: 'draft', status: 'draft', meta: { _old_slug: 'was-draft' } },
    )
    const rename = (slug: string) => posts.update(id!, { slug }, writeAs())
    await rename('ocean')
    assert.is(await led(site, '/2024/05/06/sea/'), '/2024/05/06/ocean/')
    await rename('water')
    for (const path of ['/2024/05/06/sea/', '/2024/05/06/ocean', '/2024/05/06/OCEAN/'])
      assert.is(await led(site, path), '/2024/05/06/water/', path)
    assert.is(await led(site, '/2024/05/06/elsewhere/'), '/2024/05/06/imported/')
    assert.is(await led(site, '/was-draft/'), 404)
    // The current owner of a slug takes precedence.
    await addPosts(site.store, { title: 'New sea', slug: 'sea', date: '2024-05-06 10:00:00' })
    assert.is(await led(site, '/2024/05/06/sea/'), 200)
    await rename('ocean')
    assert.is(await led(site, '/2024/05/06/ocean/'), 200)
    await posts.update(imported!, { status: 'private' }, writeAs())
    assert.is(await led(site, '/2024/05/06/elsewhere/'), 404)
    for (let at = 0; at < 25; at += 1) await rename(`name-${at}`)
    const rows = await site.kernel.services.meta.rows('post', id!, new RequestCache())
    assert.is(rows.filter(({ key }) => key === '_old_slug').length, 20)
  })

  pages.run()
}

const writeAs = () => ({ user: { id: 1, capabilities: {} }, scope: new RequestCache() })

const options = suite('options and hooks of pages')

options('redirect to the front end with the same path', async () => {
  const plugins = { 'site-pages': { site: 'https://front.example' } }
  await using site = await serveOn(await places[0]!.make(), { plugins })
  const to = async (path: string) => (await page(site, path)).headers.get('location')
  const { status } = await page(site, '/a/b/?x=1')
  assert.is(status, 307)
  assert.is(await to('/a/b/?x=1'), 'https://front.example/a/b/?x=1')
  assert.is(await to('/?s=a&preview_nonce=abc'), 'https://front.example/?s=a')
  for (const path of ['//evil.example/', '/%5Cevil.example', '/@evil.example', '/%2F%2Fevil.example'])
    assert.ok((await to(path))!.startsWith('https://front.example/'), path)
  assert.is((await site.get('/svc/v2/posts')).status, 200)
  assert.is((await page(site, '/svc-login')).status, 200)
  assert.is((await page(site, '/svc-styles.css')).status, 200)
})

options('let plugins add links to the head, escaped', async () => {
  const languages = definePlugin({
    name: 'alternates',
    needs: ['site-pages'],
    apply({ hooks }) {
      hooks.site_head.tap({ name: 'alternates', dependsOn: 'nothing' }, (elements, { url }) => [
        ...elements,
        { element: 'link', attributes: { rel: 'alternate', hreflang: 'de', href: `${url}?"de"`, onload: 'x' } },
      ])
    },
  })
  await using site = await serveOn(await places[0]!.make(), { add: [languages] })
  assert.match(await html(site, '/'), `<link rel="alternate" hreflang="de" href="${site.home}/?&quot;de&quot;">`)
  assert.is((await page(site, '/')).headers.get('x-svc-cache'), 'HIT')
})

options('set a static front page and a separate posts page', async () => {
  await using site = await serveOn(await places[0]!.make())
  const [home, blog] = await addPosts(
    site.store,
    { title: 'Welcome', slug: 'welcome', type: 'page', content: '<p>Come in.</p>' },
    { title: 'Journal', slug: 'journal', type: 'page' },
    { title: 'News', slug: 'news', date: '2024-05-04 10:00:00' },
  )
  const set = site.kernel.services.options
  await set.set('show_on_front', 'page')
  await set.set('page_on_front', home)
  await set.set('page_for_posts', blog)
  assert.match(await html(site, '/'), '<p>Come in.</p>')
  assert.is(await led(site, '/welcome/'), '/')
  assert.match(await html(site, '/journal/'), '/2024/05/04/news/')
})

options.run()
