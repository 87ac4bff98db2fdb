import { SaxesParser } from 'saxes'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'

/** Returns the texts of elements by name; throws for XML that is not well-formed. */
function texts(xml: string, name: string): string[] {
  const parser = new SaxesParser({ xmlns: true })
  const found: string[] = []
  let open: string | null = null
  parser.on('opentag', (tag) => {
    if (tag.name === name) open = ''
  })
  parser.on('text', (text) => {
    if (open !== null) open += text
  })
  parser.on('closetag', (tag) => {
    if (tag.name !== name || open === null) return
    found.push(open)
    open = null
  })
  parser.on('error', (error) => {
    throw error
  })
  parser.write(xml).close()
  return found
}

for (const { name, place } of databases) {
  const feeds = suite(`feeds on ${name}`)

  feeds('contain the newest posts in RSS and Atom, with any characters', async () => {
    await using site = await serveWithUsers(place)
    const hostile = 'A & <em>B</em> ]]> \u0001\u000b\uFFFE 😀'
    await addPosts(
      site.store,
      {
        title: hostile,
        slug: 'hostile',
        author_id: site.users.ann,
        content: `<p>${hostile}</p>`,
        date: '2026-01-02 10:00:00',
      },
      { title: 'Draft', status: 'draft', content: 'unfinished', date: '2026-01-03 10:00:00' },
      { title: 'Private', status: 'private', content: 'for few', date: '2026-01-03 10:00:00' },
      {
        title: 'Locked',
        password: 'key',
        content: 'The secret text',
        excerpt: 'secret too',
        date: '2026-01-01 10:00:00',
      },
    )
    const rss = await fetch(`${site.home}/feed/`)
    assert.is(rss.headers.get('content-type'), 'application/rss+xml; charset=UTF-8')
    assert.match(rss.headers.get('cache-control')!, 'public')
    const text = await rss.text()
    const titles = texts(text, 'title')
    assert.equal(titles.slice(1, 3), ['A & B ]]>  😀', 'Protected: Locked'])
    assert.not.match(text, /secret|unfinished|for few/)
    assert.match(texts(text, 'content:encoded')[0]!, '<em>B</em>')
    assert.match(texts(text, 'description')[2]!, 'password protected')
    assert.is(texts(text, 'dc:creator')[0], 'ANN Writer')
    const atom = await (await fetch(`${site.home}/feed/atom/`)).text()
    assert.equal(texts(atom, 'title').slice(1, 3), ['A & B ]]>  😀', 'Protected: Locked'])
    assert.is(texts(atom, 'updated').length, texts(atom, 'entry').length + 1)
    assert.not.match(atom, /secret|unfinished|for few/)
    // A user with more permissions gets the same feed.
    assert.is(await (await fetch(`${site.home}/feed/`, { headers: site.by('admin') })).text(), text)
    assert.equal(texts(await (await fetch(`${site.home}/?feed=rss2`)).text(), 'title'), titles)
    const head = await fetch(`${site.home}/feed/`, { method: 'HEAD' })
    assert.equal([head.status, await head.text()], [200, ''])
  })

  feeds('exist for terms, authors, posts, comments and searches below the URLs of their pages', async () => {
    await using site = await serveWithUsers(place)
    const { store } = site
    const news = await addTerm(store, { taxonomy: 'category', name: 'News' })
    const [inNews, , locked] = (await addPosts(
      store,
      { title: 'In the news', author_id: site.users.ed, terms: [news], date: '2026-01-02 10:00:00' },
      { title: 'Elsewhere', author_id: site.users.ann, date: '2026-01-01 10:00:00' },
      { title: 'Locked', password: 'key', date: '2026-01-01 09:00:00' },
    )) as [number, number, number]
    const comment = { author_name: 'Zoë & Co', content: 'Well <b>said</b>', approved: '1', type: 'comment' }
    const dates = { date: '2026-01-04 10:00:00', date_gmt: '2026-01-04 10:00:00' }
    const comments = [
      { ...comment, ...dates, post_id: inNews },
      { ...comment, ...dates, post_id: locked, content: 'hidden words' },
      { ...comment, ...dates, post_id: inNews, content: 'held words', approved: '0' },
    ]
    for (const comment of comments) await store.run(store.db.insertInto('comments').values(comment))
    const titlesAt = async (path: string) => {
      const response = await fetch(`${site.home}${path}`)
      assert.is(response.status, 200, path)
      return texts(await response.text(), 'title').slice(1)
    }
    assert.equal(await titlesAt('/category/news/feed/'), ['In the news'])
    assert.equal(await titlesAt('/category/news/feed/atom/'), ['In the news'])
    assert.equal(await titlesAt('/author/ed-w/feed/'), ['In the news'])
    const searched = await titlesAt('/feed/?s=elsewhere')
    assert.ok(searched.every((title) => title === 'Elsewhere'))
    const { link } = await site.json(`/svc/v2/posts/${inNews}`)
    assert.equal(await titlesAt(`${new URL(link).pathname}feed/`), ['Zoë & Co on In the news'])
    const all = await (await fetch(`${site.home}/comments/feed/`)).text()
    // Names of commenters on protected posts are private.
    assert.is(texts(all, 'item').length, 1)
    assert.match(texts(all, 'description').join(), 'Well <b>said</b>')
    assert.not.match(all, /hidden words|held words/)
    const page = await (await fetch(`${site.home}/category/news/`)).text()
    for (const path of ['/feed/', '/comments/feed/', '/category/news/feed/'])
      assert.match(page, `href="${site.home}${path}"`)
    for (const path of ['/nothing/feed/', '/author/sub-w/feed/', '/category/none/feed/', '/?feed=other'])
      assert.not.match(await (await fetch(`${site.home}${path}`)).text(), '<rss', path)
  })

  feeds('are cached until a post changes; clients with the current version get 304', async () => {
    await using site = await serveWithUsers(place)
    const [id] = (await addPosts(site.store, { title: 'Before', date: '2026-01-02 10:00:00' })) as [number]
    const first = await fetch(`${site.home}/feed/`)
    const etag = first.headers.get('etag')!
    assert.ok(Date.parse(first.headers.get('last-modified')!) > 0)
    // Logged-in users get a new rendering with the same content.
    for (const headers of [{}, site.by('admin')]) {
      const again = await fetch(`${site.home}/feed/`, { headers: { ...headers, 'if-none-match': etag } })
      assert.is(again.status, 304)
    }
    await site.send('POST', `/svc/v2/posts/${id}`, { title: 'After' }, 'admin')
    const changed = await fetch(`${site.home}/feed/`, { headers: { 'if-none-match': etag } })
    assert.is(changed.status, 200)
    assert.is(texts(await changed.text(), 'title')[1], 'After')
  })

  feeds('obey the settings for the number of entries and for excerpts', async () => {
    await using site = await serveWithUsers(place)
    await addPosts(site.store, ...Array.from({ length: 4 }, () => ({ content: 'A long text' })))
    const { options } = site.kernel.services
    await options.set('posts_per_rss', 2)
    await options.set('rss_use_excerpt', true)
    const text = await (await fetch(`${site.home}/feed/`)).text()
    assert.equal([texts(text, 'item').length, texts(text, 'content:encoded').length], [2, 0])
  })

  feeds('list the newest posts at the URLs of a static front page and of the posts page', async () => {
    await using site = await serveWithUsers(place)
    const { options } = site.kernel.services
    const page = (title: string) => ({ type: 'page', title, comment_status: 'open' })
    const [front, blog] = await addPosts(site.store, page('Welcome'), page('Blog'))
    const row = { author_name: 'Visitor', approved: '1', type: 'comment', date: '2025-06-01 10:00:00' }
    for (const id of [front!, blog!])
      await site.store.run(
        site.store.db.insertInto('comments').values({ ...row, date_gmt: row.date, content: `On ${id}`, post_id: id }),
      )
    const read = async (path: string) => {
      const text = await (await fetch(`${site.home}${path}`)).text()
      const [, self] = /rel="self"[^>]* href="([^"]*)"/.exec(text) ?? []
      return {
        titles: texts(text, 'title').slice(1),
        self: self?.replaceAll('&amp;', '&').slice(site.home.length),
        text,
      }
    }
    assert.match((await read('/blog/feed/')).text, `On ${blog}`)
    await options.set('show_on_front', 'page')
    await options.set('page_on_front', front)
    await options.set('page_for_posts', blog)
    for (const path of [
      '/feed/',
      '/feed/atom/',
      '/?feed=rss2',
      '/?feed=atom',
      '/blog/feed/',
      `/?page_id=${blog}&feed=rss2`,
    ]) {
      const { titles, self } = await read(path)
      assert.equal(titles, ['Hello'], path)
      assert.is(self, path.includes('atom') ? '/feed/atom/' : '/feed/', path)
    }
    const own = await read(`/?page_id=${front}&feed=rss2`)
    assert.match(own.text, `On ${front}`)
    assert.is(own.self, `/?page_id=${front}&feed=rss2`)
    for (const path of ['/', '/blog/']) {
      const links = (await (await fetch(`${site.home}${path}`)).text()).match(/<link rel="alternate" [^>]*\/feed\/"/g)
      assert.is(links?.length, 2, String(links))
    }
    await options.set('show_on_front', 'posts')
    assert.match((await read('/blog/feed/')).text, `On ${blog}`)
  })

  feeds.run()
}
