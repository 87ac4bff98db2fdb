import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../helpers/content.ts'
import { databases, serveWithUsers } from '../helpers/site-with-users.ts'
import { pathsOf } from './paths.ts'

// Content and properties that no response of any route may have.

const WORD = 'zanzibarword'

for (const { name, place } of databases) {
  const leaks = suite(`responses of every route on ${name}`)

  leaks('S11: hide the content of a protected post from visitors, subscribers and other authors', async () => {
    await using site = await serveWithUsers(place)
    const { users, store } = site
    const [post = 0] = await addPosts(site.store, {
      title: 'Locked',
      content: `<!-- wp:paragraph --><p>${WORD}</p><!-- /wp:paragraph -->`,
      excerpt: `${WORD} in short`,
      password: 'word',
      author_id: users.ed,
      comment_status: 'open',
    })
    const [block = 0] = await addPosts(store, {
      type: 'svc_block',
      content: WORD,
      password: 'word',
      author_id: users.ed,
    })
    const [shows = 0] = await addPosts(store, {
      title: 'Shows',
      content: `<!-- wp:block {"ref":${block}} /--><!-- wp:block {"ref":${post}} /-->[gallery id="${post}"]`,
      parent_id: post,
      author_id: users.con,
    })
    const date = '2024-05-01 10:00:00'
    const row = { post_id: post, content: `${WORD} said`, approved: '1', date, date_gmt: date }
    const comment = (await store.first(store.db.insertInto('comments').values(row).returning('id')))!.id
    await site.send('PUT', `/svc/v2/posts/${post}`, { content: `${WORD} again` }, 'ed')
    await site.send('POST', `/svc/v2/posts/${post}/autosaves`, { content: `${WORD} saved` }, 'ed')
    const versions = await store.all(store.db.selectFrom('posts').select('id').where('type', '=', 'revision'))
    assert.is(versions.length > 0, true)
    const ids = [post, block, shows, comment, ...versions.map(({ id }) => id)]
    const paths = await pathsOf(site, [...new Set(ids)])
    assert.ok(paths.length > 200, String(paths.length))
    const queries = ['', '?_embed', '?context=edit', `?search=${WORD}&_embed`, '?password=nope']
    const own = new RegExp(`/${post}(?:/|$)`)
    for (const login of [undefined, 'sub', 'con'] as const) {
      let answered = 0
      for (const path of paths) {
        for (const query of own.test(path) || !/\/\d/.test(path) ? queries : ['']) {
          const headers = login === undefined ? {} : site.by(login)
          const answer = await site.get(`${path}${query}`, headers)
          if (answer.status === 200) answered += 1
          // Links to pages repeat the parameters of the request.
          const text = (await answer.text()).replaceAll(`search=${WORD}`, '')
          assert.not.match(text, WORD, `${path}${query} for ${login ?? 'a visitor'}`)
        }
      }
      assert.ok(answered > 50, `${answered} for ${login ?? 'a visitor'}`)
    }
    // The password opens the post only on its own route.
    assert.match(await (await site.get(`/svc/v2/posts/${post}?password=word`)).text(), WORD)
    assert.match(await (await site.get(`/svc/v2/posts/${post}?context=edit`, site.by('ed'))).text(), WORD)
  })

  leaks('S34: have a content type, and reveal no internals of the server in errors', async () => {
    await using site = await serveWithUsers(place)
    const paths = await pathsOf(site, [1, 999_999])
    for (const path of paths) {
      for (const [method, query] of [
        ['GET', ''],
        ['GET', '?per_page=x&context=edit'],
        ['DELETE', '?force=x'],
        ['BREW', ''],
      ] as const) {
        const answer = await site.request(`${path}${query}`, { method })
        const about = `${method} ${path}${query}`
        assert.match(answer.headers.get('content-type') ?? '', /^application\/json; charset=utf-8$/i, about)
        assert.is(answer.headers.get('x-content-type-options'), 'nosniff', about)
        assert.is(answer.headers.get('x-robots-tag'), 'noindex', about)
        const text = await answer.text()
        if (answer.status < 400) continue
        assert.ok(answer.status < 500 || answer.status === 501, `${answer.status} for ${about}`)
        assert.not.match(
          text,
          /<html|\bat \S+ \(|node:|\.ts\b|\/work\/|node_modules|select |insert into|sqlite|postgres/i,
          about,
        )
        const { code, message } = JSON.parse(text) as { code: unknown; message: unknown }
        assert.equal([typeof code, typeof message], ['string', 'string'], about)
      }
    }
  })

  leaks('S33: keep slugs, names and URLs of content within their headers', async () => {
    await using site = await serveWithUsers(place)
    const marks = ['\r\nX-Injected: 1', '>; rel="evil"', '"', '\u2028', 'ü', '\u0000', '%0d%0aX-Injected:1', ', <x>']
    for (const mark of marks) {
      // Also where it came to the database by another way.
      const [id = 0] = await addPosts(site.store, {
        title: `a${mark}`,
        slug: `a${site.store.dialect === 'postgres' ? mark.replaceAll('\u0000', '') : mark}`,
        type: 'page',
        author_id: site.users.ed,
      })
      for (const path of [
        `/svc/v2/pages/${id}`,
        `/svc/v2/pages?slug=${encodeURIComponent(`a${mark}`)}&per_page=1&page=1`,
      ]) {
        const answer = await site.get(path)
        assert.is(answer.headers.get('x-injected'), null, JSON.stringify(mark))
        const link = answer.headers.get('link') ?? ''
        // Addresses in brackets, parameters behind them, commas between (RFC 8288).
        assert.match(link, /^(?:<[\x21\x23-\x3b\x3d\x3f-\x7e]+>(?:; ?[\w*-]+=(?:"[^"]*"|[\w/.:-]+))+(?:, |$))*$/, link)
        await answer.text()
      }
      const created = await site.send(
        'POST',
        '/svc/v2/pages',
        { title: 'b', slug: `b${mark}`, status: 'publish' },
        'ed',
      )
      assert.is(created.headers.get('x-injected'), null)
      assert.match(created.headers.get('location') ?? '', /^[\x21-\x7e]+$/)
      await created.text()
    }
    const path = `/svc/v2/posts?search=${encodeURIComponent('\r\nX-Injected: 1>; rel="evil"')}&per_page=1`
    assert.is((await site.get(path)).headers.get('x-injected'), null)
  })

  leaks.run()
}
