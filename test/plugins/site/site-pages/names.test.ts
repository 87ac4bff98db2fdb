import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache } from '../../../../kernel/index.ts'
import { addPosts, addTerm, type TestPost } from '../../../helpers/content.ts'
import { serveOn, type Site } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { WORDS } from './links.ts'

/** Returns the redirect target of a path below the home URL, or the status. */
const led = async (site: Site, path: string) => {
  const { status, headers } = await fetch(`${site.home}${path}`, { redirect: 'manual' })
  return status === 301 ? headers.get('location')!.slice(site.home.length) : status
}

/** Returns a stored slug as it is, and in other cases and in other normal forms of its letters. */
function spellingsOf(slug: string): string[] {
  const decoded = decodeURIComponent(slug)
  const upper = slug.replace(/%../g, (byte) => byte.toUpperCase())
  const mixed = slug.replace(/%../g, (byte, at: number) => (at % 2 === 0 ? byte.toUpperCase() : byte))
  const forms = [decoded.normalize('NFD'), decoded.toUpperCase()].map(encodeURIComponent)
  return [...new Set([slug, upper, mixed, ...forms])]
}

const SANYA = '%e4%b8%89%e4%ba%9a'

for (const { name, make } of places) {
  const names = suite(`names in URLs, ${name}`)

  /** A site with one structure and some posts. */
  const start = async (structure: string, ...posts: TestPost[]) => {
    const site = await serveOn(await make())
    await site.kernel.services.options.set('permalink', structure)
    return { site, ids: await addPosts(site.store, ...posts), [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() }
  }

  names('are read from query parameters in each spelling, and redirect without a loop', async () => {
    await using started = await start(
      '/%postname%/',
      { title: 'A', slug: SANYA },
      { title: 'B', slug: 'b', type: 'page' },
      { title: 'C', slug: 'c', type: 'page' },
    )
    const { site, ids } = started
    const [post, first, second] = ids as [number, number, number]
    await addPosts(
      site.store,
      { title: 'Under B', slug: SANYA, type: 'page', parent_id: first },
      { title: 'Under C', slug: SANYA, type: 'page', parent_id: second },
      { title: 'File', slug: `${SANYA}-file`, type: 'attachment', status: 'inherit', parent_id: first },
    )
    const tag = await addTerm(site.store, { taxonomy: 'post_tag', name: '三亚', slug: SANYA })
    const top = await addTerm(site.store, { taxonomy: 'category', name: '三', slug: '%e4%b8%89' })
    const category = await addTerm(site.store, { taxonomy: 'category', name: '亚', slug: SANYA, parent_id: top })
    for (const term of [tag, category])
      await site.store.run(site.store.db.insertInto('term_relationships').values({ post_id: post, term_id: term }))
    await site.store.run(site.store.db.insertInto('users').values({ id: 1, login: 'anna', slug: SANYA }))
    for (const spelling of [SANYA, SANYA.toUpperCase(), encodeURIComponent(SANYA)]) {
      for (const [path, target] of [
        [`/?name=${spelling}`, `/${SANYA}/`],
        [`/?tag=${spelling}`, `/tag/${SANYA}/`],
        [`/?category_name=${spelling}`, `/category/%e4%b8%89/${SANYA}/`],
        [`/?category_name=%E4%B8%89/${spelling}`, `/category/%e4%b8%89/${SANYA}/`],
        [`/?author_name=${spelling}`, `/author/${SANYA}/`],
        [`/?attachment=${spelling}-file`, `/b/${SANYA}-file/`],
        [`/?pagename=b/${spelling}`, `/b/${SANYA}/`],
        [`/?pagename=c/${spelling}`, `/c/${SANYA}/`],
        [`/2020/${spelling}-file/`, `/b/${SANYA}-file/`],
      ] as const) {
        assert.is(await led(site, path), target, path)
        assert.is(await led(site, target), 200, target)
      }
    }
    for (const path of ['/?name=%00', '/?tag=', '/?name=', '/?author_name=', '/?author_name=%ff', '/%e4%b8/'])
      assert.not.equal(String(await led(site, path)).slice(0, 1), '5', path)
  })

  names('from older imports are found as they were stored', async () => {
    await using started = await start(
      '/%postname%/',
      { title: 'Raw', slug: 'über uns' },
      { title: 'Composed', slug: 'caf%c3%a9' },
      { title: 'Decomposed', slug: '%ce%b9%cc%81%ce%b4%ce%b9%ce%bf' },
    )
    const { site } = started
    for (const path of ['/%C3%BCber%20uns/', '/caf%C3%A9/', '/%ce%b9%cc%81%ce%b4%ce%b9%ce%bf/'])
      assert.is(await led(site, path), 200, path)
  })

  names('that posts had before redirect to the new ones, with any structure', async () => {
    for (const structure of ['/%postname%/', '/%year%/%postname%.html', '/p/%post_id%-%postname%/']) {
      await using started = await start(structure, { title: 'A', slug: 'new', date: '2024-05-06 10:00:00' })
      const { site, ids } = started
      const row = { post_id: ids[0]!, key: '_old_slug', value: SANYA }
      await site.store.run(site.store.db.insertInto('post_meta').values(row))
      const link = (slug: string) =>
        structure.replace('%year%', '2024').replace('%post_id%', `${ids[0]}`).replace('%postname%', slug)
      assert.is(await led(site, link(SANYA)), link('new'), structure)
    }
  })

  names(
    'shared by pages and posts lead to the page, and names shared by attachments and posts to the post',
    async () => {
      await using started = await start(
        '/%postname%/',
        { title: 'Post', slug: 'both' },
        { title: 'Page', slug: 'both', type: 'page' },
        { title: 'Post', slug: 'file' },
        { title: 'File', slug: 'file', type: 'attachment', status: 'inherit' },
      )
      const { site } = started
      const h1 = async (path: string) => /<h1[^>]*>([^<]*)/.exec(await (await fetch(`${site.home}${path}`)).text())?.[1]
      assert.is(await h1('/both/'), 'Page')
      assert.is(await h1('/file/'), 'Post')
    },
  )

  names('that are numbers lead to the post rather than to a date', async () => {
    await using started = await start(
      '/%postname%/',
      { title: 'Year', slug: '2012', date: '2012-01-02 10:00:00' },
      { title: 'Other', slug: 'other', date: '2013-01-02 10:00:00' },
    )
    const { site } = started
    const text = async (path: string) => (await fetch(`${site.home}${path}`)).text()
    assert.match(await text('/2012/'), /<h1[^>]*>Year</)
    assert.match(await text('/2013/'), /<h1[^>]*>.*2013/)
    assert.is(await led(site, '/?m=2012'), '/2012/')
  })

  names('are followed by the parts of a post and the pages of a list, with any structure', async () => {
    for (const structure of ['/%category%/%postname%/', '/%postname%.html', '/p/%post_id%-%postname%', '/%post_id%/']) {
      await using started = await start(
        structure,
        { title: 'Parts', slug: SANYA, content: 'one<!--nextpage-->two', date: '2024-05-06 10:00:00' },
        { title: 'More', slug: 'more' },
      )
      const { site, ids } = started
      await site.kernel.services.options.set('posts_per_page', 1)
      const { permalinks, posts } = site.kernel.services
      const scope = new RequestCache()
      const link = await permalinks.post((await posts.get(ids[0]!, scope))!, scope)
      const path = (url: string) => url.slice(site.home.length)
      assert.is(await led(site, path(link)), 200, structure)
      assert.is(await led(site, path(permalinks.part(link, 2))), 200, structure)
      assert.is(await led(site, path(permalinks.part(link, 3))), 404, structure)
      const comments = path(permalinks.commentPage(link, 1))
      assert.is(await led(site, comments), path(link), structure)
      assert.is(await led(site, structure.endsWith('/') ? '/page/2/' : '/page/2'), 200, structure)
      assert.is(await led(site, `${path(link).replace(/\/$/, '')}/feed/`), 200, structure)
    }
  })

  names('are found below a home URL with a path', async () => {
    await using site = await serveOn(await make(), { home: 'http://site.test/blog' })
    await site.kernel.services.options.set('permalink', '/блог/%postname%.html')
    await addPosts(site.store, { title: 'A', slug: SANYA }, { title: 'B', slug: SANYA, type: 'page' })
    const links = ['posts', 'pages'].map(async (route) => (await site.json(`/svc/v2/${route}`))[0].link as string)
    for (const link of await Promise.all(links)) {
      const { pathname } = new URL(link)
      assert.match(pathname, /^\/blog\/[!-~]+$/)
      for (const path of [pathname, pathname.toUpperCase().replace('/BLOG/', '/blog/')]) {
        const { status, headers } = await fetch(`${site.listening}${path}`, { redirect: 'manual' })
        assert.is(status === 301 ? headers.get('location') : status, status === 301 ? link : 200, path)
      }
    }
    for (const path of ['//blog/svc-json/svc/v2/posts', '/blog//svc-json/svc/v2/posts'])
      assert.is((await fetch(`${site.listening}${path}`)).status, 200, path)
  })

  names('of nested items without a structure contain their ancestors', async () => {
    const chapters = definePlugin({
      name: 'chapters',
      needs: ['content-types'],
      apply: ({ services }) => void services.contentTypes.register('chapter', { public: true, hierarchical: true }),
    })
    await using site = await serveOn(await make(), { add: [chapters] })
    await site.kernel.services.options.set('permalink', '')
    const type = 'chapter'
    const [top] = await addPosts(site.store, { title: 'Top', slug: SANYA, type })
    await addPosts(site.store, { title: 'Below', slug: SANYA, type, parent_id: top! })
    const h1 = async (path: string) => /<h1[^>]*>([^<]*)/.exec(await (await fetch(`${site.home}${path}`)).text())?.[1]
    assert.is(await h1(`/?chapter=${SANYA}`), 'Top')
    assert.is(await h1(`/?chapter=${SANYA}/${SANYA}`), 'Below')
    assert.is(await led(site, `/?chapter=${SANYA}/${SANYA}`), 200)
  })

  names('lead to the same page, feed and embed in each spelling', async () => {
    await using started = await start('/%postname%/')
    const { site } = started
    const { permalinks } = site.kernel.services
    for (const [at, word] of WORDS.entries()) {
      const slug = permalinks.slugify(word)
      const [post] = await addPosts(site.store, { title: word, slug, author_id: at + 1 })
      const above = await addTerm(site.store, { taxonomy: 'category', name: word, slug })
      const terms = [
        await addTerm(site.store, { taxonomy: 'post_tag', name: word, slug }),
        await addTerm(site.store, { taxonomy: 'category', name: `${word} x`, slug: `${slug}-x`, parent_id: above }),
      ]
      for (const term of terms)
        await site.store.run(site.store.db.insertInto('term_relationships').values({ post_id: post!, term_id: term }))
      await site.store.run(
        site.store.db.insertInto('users').values({ id: at + 1, login: `user${at}`, slug, name: word }),
      )
      for (const spelling of spellingsOf(slug)) {
        for (const path of [
          `/${spelling}/`,
          `/tag/${spelling}/`,
          `/category/${spelling}/${spelling}-x/`,
          `/author/${spelling}/`,
        ]) {
          const page = await led(site, path)
          const reached = typeof page === 'string' ? await led(site, page) : page
          assert.is(reached, 200, `${word} ${path}`)
          for (const feed of ['feed/', 'feed/atom/'])
            assert.is(await led(site, `${path}${feed}`), 200, `${word} ${path}${feed}`)
        }
        assert.is(await led(site, `/?tag=${spelling}`), `/tag/${slug}/`)
        assert.is(await led(site, `/?tag=${spelling}&feed=rss2`), 200)
        const url = encodeURIComponent(`${site.home}/${spelling}/`)
        assert.is((await site.json(`/oembed/1.0/embed?url=${url}`)).title !== undefined, true, spelling)
      }
      for (const form of ['NFC', 'NFD'] as const) {
        const text = await (await fetch(`${site.home}/?s=${encodeURIComponent(word.normalize(form))}`)).text()
        assert.match(text, `/${slug}/`, `search ${word} ${form}`)
      }
    }
    const sitemaps = await (await fetch(`${site.home}/sitemap.xml`)).text()
    const listed = await Promise.all(
      [...sitemaps.matchAll(/<loc>([^<]*)/g)].map(async ([, map]) => (await fetch(map!)).text()),
    )
    for (const word of WORDS) assert.ok(listed.join('').includes(`/${permalinks.slugify(word)}/<`), word)
  })

  names.run()
}
