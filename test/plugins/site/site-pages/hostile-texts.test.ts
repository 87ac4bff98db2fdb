import { SaxesParser } from 'saxes'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../../../helpers/browser.ts'
import { dangersIn } from '../../../helpers/dangers.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { editorFolder } from '../editor/fake-bundle.ts'

const MARK = 'pwned'
const TEXT = `x"'><img src=x onerror=${MARK}()><script>${MARK}()</script></textarea></title></style><svg onload=${MARK}()>]]><!-- --><![CDATA[ \u2028 &lt;script&gt; &#60;b onclick=${MARK}()&#62; {{${MARK}}} \${${MARK}}`
const LINK = `javascript:${MARK}()`

for (const { name, place } of databases) {
  const texts = suite(`hostile texts on pages of the site on ${name}`)

  texts('are escaped on every page, in every feed and sitemap, and in the data of the block editor', async () => {
    await using files = await editorFolder()
    await files.fill()
    await using site = await serveWithUsers(place, { plugins: { editor: { folder: files.folder } } })
    const { post, page, slug } = await fill(site)
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    const search = encodeURIComponent(TEXT)
    const paths = [
      '/',
      `/?p=${post}`,
      `/?page_id=${page}`,
      `/?p=${post}&preview=true`,
      `/?p=${post}&replytocom=1`,
      `/?s=${search}`,
      '/?s=x',
      `/category/${slug}/`,
      '/author/ann-w/',
      `/nothing${search}/`,
      `/?p=${post}&feed=rss2`,
      '/feed/',
      '/feed/atom/',
      '/comments/feed/',
      '/comments/feed/atom/',
      `/category/${slug}/feed/`,
      '/author/ann-w/feed/',
      `/feed/?s=${search}`,
      `/feed/atom/?s=${search}`,
      '/sitemap.xml',
      '/sitemap-post-post-1.xml',
      '/sitemap-term-category-1.xml',
      '/sitemap-author-1.xml',
      '/robots.txt',
      `/svc-admin/editor/post/${post}`,
      '/svc-admin/editor/site',
      `/svc-login?redirect_to=${search}&reauth=${search}`,
    ]
    let seen = 0
    for (const path of paths) {
      for (const browser of [browse(site), admin]) {
        let response = await browser.open(path)
        for (let hops = 0; hops < 3 && [301, 302].includes(response.status); hops += 1) {
          const location = response.headers.get('location')!
          assert.is(new URL(location).origin, new URL(site.home).origin, path)
          response = await browser.open(location)
        }
        assert.ok([200, 404].includes(response.status), `${path}: ${response.status}`)
        const text = await response.text()
        if (text.includes(MARK)) seen += 1
        const type = response.headers.get('content-type') ?? ''
        if (type.includes('xml')) assert.equal(dangersOfFeed(text), [], path)
        else if (type.includes('html')) assert.equal(dangersIn(text, isOwn), [], path)
        for (const [, json = ''] of text.matchAll(/<script type="application\/(?:ld\+)?json"[^>]*>([^<]*)<\/script>/g))
          JSON.parse(json)
      }
    }
    assert.ok(seen > 25, `${seen} pages show them`)
  })

  texts('in a refused comment are escaped in the form', async () => {
    await using site = await serveWithUsers(place)
    await site.store.run(site.store.db.updateTable('posts').set({ comment_status: 'open' }).where('slug', '=', 'hello'))
    const visitor = browse(site)
    const form = { comment_post_ID: '1', comment_parent: TEXT, author: TEXT, email: TEXT, url: LINK, comment: TEXT }
    const response = await visitor.send('/svc-comments-post', form)
    const html = await response.text()
    assert.is(response.status, 400)
    assert.equal(dangersIn(html, isOwn), [])
    assert.match(html, MARK)
  })

  texts.run()
}

/** JSON data, and scripts of the block editor and of the admin. */
const isOwn = (script: ReadonlyMap<string, string>) =>
  /^application\/(?:ld\+)?json$/.test(script.get('type') ?? '') ||
  /\/svc-admin\/(?:editor\/files|assets)\//.test(script.get('src') ?? '')

/** Returns the problems of a feed: invalid XML, or unsafe HTML in its entries. */
function dangersOfFeed(xml: string): string[] {
  const found: string[] = []
  let inside = ''
  let isInEntry = false
  const parser = new SaxesParser()
  parser.on('error', ({ message }) => found.push(message))
  parser.on('opentag', ({ name, attributes }) => {
    inside = ''
    if (name === 'item' || name === 'entry') isInEntry = true
    if (/^(?:script|img|svg|html|b)$/.test(name)) found.push(`element ${name}`)
    for (const value of Object.values(attributes))
      if (/^\s*javascript:/i.test(String(value))) found.push(`${name} ${String(value)}`)
  })
  parser.on('text', (text) => (inside += text))
  parser.on('cdata', (text) => (inside += text))
  parser.on('closetag', ({ name }) => {
    if (name === 'item' || name === 'entry') isInEntry = false
    // Titles and names are plain text, summaries and content are HTML.
    const isHtml = isInEntry && ['description', 'content:encoded', 'summary', 'content'].includes(name)
    if (isHtml) found.push(...dangersIn(inside, () => false))
    if (/^(?:link|guid|id|loc)$/.test(name) && /^\s*javascript:/i.test(inside)) found.push(`${name} ${inside}`)
    inside = ''
  })
  parser.write(xml).close()
  return found
}

/** Stores hostile texts in every field that users can write. */
async function fill(site: SiteWithUsers): Promise<{ post: number; page: number; slug: string }> {
  const { store, users } = site
  const send = async (path: string, body: Record<string, unknown>, login: 'admin' | 'ann' | 'ed' = 'admin') => {
    const response = await site.send('POST', `/svc/v2/${path}`, body, login)
    return (await response.json()) as { id: number; slug: string }
  }
  const category = await send('categories', { name: TEXT, description: TEXT, slug: 'news' })
  const { id: post } = await send(
    'posts',
    {
      title: TEXT,
      content: TEXT,
      excerpt: TEXT,
      status: 'publish',
      categories: [category.id],
      tags: [],
      comment_status: 'open',
    },
    'ann',
  )
  const { id: page } = await send('pages', { title: TEXT, status: 'publish' })
  // Administrators can write any HTML into a page and its title, so these are trusted.
  await store.run(store.db.updateTable('posts').set({ title: 'A page', author_id: users.ann }).where('id', '=', page))
  await send('users/me', { name: TEXT, first_name: TEXT, nickname: TEXT, description: TEXT, url: LINK }, 'ann')
  await send('settings', { title: TEXT, description: TEXT })
  const comment = { comment_post_ID: String(post), author: 'Bob', email: 'bob@mail.example', comment: TEXT }
  assert.is((await browse(site).send('/svc-comments-post', comment)).status, 303)
  // Imports can contain this.
  await store.run(store.db.updateTable('comments').set({ author_url: LINK, author_name: TEXT, approved: '1' }))
  await store.run(store.db.insertInto('post_meta').values({ post_id: post, key: '_old_slug', value: TEXT }))
  await store.run(store.db.insertInto('post_meta').values({ post_id: post, key: TEXT.slice(0, 100), value: TEXT }))
  const menu = await send('menus', { name: TEXT })
  await send('menu-items', { title: TEXT, url: LINK, menus: menu.id, status: 'publish', description: TEXT })
  const upload = await site.request('/svc/v2/media', {
    method: 'POST',
    headers: {
      ...site.by('ann'),
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="a<img src=x onerror=${MARK}()>.png"`,
    },
    body: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  })
  const file = ((await upload.json()) as { id: number }).id
  await send(`media/${file}`, { title: TEXT, alt_text: TEXT, caption: TEXT, description: TEXT }, 'ann')
  await send(`posts/${post}`, { featured_media: file }, 'ann')
  return { post, page, slug: category.slug }
}
