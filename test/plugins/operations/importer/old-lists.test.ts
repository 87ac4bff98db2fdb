import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { ListAddresses } from '../../../../plugins/operations/importer/old-sites/list-addresses.ts'
import { as, serve, type Site } from '../../../helpers/site.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { emptyItem } from '../../../../plugins/operations/importer/live/convert/conversion.ts'
import { one } from './importing.ts'
import { importFrom, serveOld } from './live/old-site.ts'

const LINK = 'http://old.example/blog'

const term = (kind: 'category' | 'tag', id: number, slug: string, parent = '') =>
  kind === 'category'
    ? `<wp:category><wp:term_id>${id}</wp:term_id><wp:category_nicename>${slug}</wp:category_nicename>
       <wp:category_parent>${parent}</wp:category_parent><wp:cat_name>${slug}</wp:cat_name></wp:category>`
    : `<wp:tag><wp:term_id>${id}</wp:term_id><wp:tag_slug>${slug}</wp:tag_slug><wp:tag_name>${slug}</wp:tag_name></wp:tag>`
const author = (id: number, login: string) =>
  `<wp:author><wp:author_id>${id}</wp:author_id><wp:author_login>${login}</wp:author_login></wp:author>`
const post = (id: number, slug: string, more = '', { status = 'publish', creator = 'ada', type = 'post' } = {}) =>
  `<item><title>${slug}</title><link>${LINK}/${type === 'post' ? `2020/${slug}` : `${type}s/${slug}`}/</link>
   <dc:creator>${creator}</dc:creator><guid>http://old.example/?p=${id}</guid><wp:post_id>${id}</wp:post_id>
   <wp:post_date>2020-05-0${(id % 9) + 1} 10:00:00</wp:post_date><wp:post_name>${slug}</wp:post_name>
   <wp:status>${status}</wp:status><wp:post_type>${type}</wp:post_type>${more}</item>`
const ofTerm = (taxonomy: string, slug: string) =>
  `<category domain="${taxonomy}" nicename="${slug}">${slug}</category>`
const fileOf = (content: string, home = 'http://old.example') =>
  one(`<rss xmlns:wp="w" xmlns:dc="d"><channel><title>Old</title><wp:wxr_version>1.2</wp:wxr_version>
    <wp:base_blog_url>${home}</wp:base_blog_url>${content}</channel></rss>`)

/** An export whose lists and posts are below `/blog/`. */
const EXPORT = [
  author(41, 'ada'),
  author(42, 'shy'),
  term('category', 31, 'news'),
  term('category', 32, 'local', 'news'),
  term('tag', 33, 'sea'),
  post(11, 'one', ofTerm('category', 'local') + ofTerm('post_tag', 'sea')),
  post(12, 'two', ofTerm('category', 'undeclared')),
  post(13, 'three', ofTerm('category', 'news')),
  post(14, 'secret', '', { status: 'draft', creator: 'shy' }),
  post(15, 'soup', '', { type: 'recipe' }),
  post(16, 'cake', '', { type: 'recipe' }),
].join('')

const types = definePlugin({
  name: 'recipes',
  needs: ['content-types'],
  apply({ services: { contentTypes } }) {
    const archive = { rewrite: { slug: 'cooking' }, has_archive: true }
    contentTypes.register('recipe', { label: 'Recipes', ...archive, public: true, show_in_rest: true })
    contentTypes.register('memo', { label: 'Memos', public: true, show_in_rest: true })
  },
})

/** A site whose IDs differ from the IDs of the old site, and whose posts are elsewhere. */
async function start(url: string): Promise<Site> {
  const site = await serve({ database: url, add: [types] })
  await site.kernel.services.options.set('permalink', '/%postname%/')
  for (const slug of ['here', 'there', 'local']) {
    const headers = { ...as('administrator', 1), 'content-type': 'application/json' }
    const body = JSON.stringify({ name: slug, slug: `own-${slug}`, title: slug, status: 'publish' })
    for (const route of ['posts', 'categories']) {
      assert.is((await site.request(`/svc/v2/${route}`, { method: 'POST', headers, body })).status, 201)
    }
  }
  return site
}

/** Requests a path without following redirects. Returns the status and the path of the target. */
async function visit(site: Site, path: string): Promise<[status: number, target?: string]> {
  const { status, headers } = await fetch(`${site.home}${path}`, { redirect: 'manual' })
  const location = headers.get('location')
  return location === null ? [status] : [status, location.slice(site.home.length)]
}

for (const { name, place } of databases) {
  const lists = suite(`old addresses of lists on ${name}`)

  lists('redirect from terms, authors and archives of an export, with their feeds and further pages', async () => {
    await using at = await place()
    await using site = await start(at.url)
    await site.kernel.services.importer.run({ source: fileOf(EXPORT) })
    const targets = {
      '/blog/category/news/': '/category/news/',
      '/blog/category/news': '/category/news/',
      '/blog/category/news/local/': '/category/news/local/',
      '/blog/category/local/': '/category/news/local/',
      '/blog/category/undeclared/': '/category/undeclared/',
      '/blog/tag/sea/': '/tag/sea/',
      '/blog/tag/sea/?utm_source=mail': '/tag/sea/',
      '/blog/author/ada/': '/author/ada/',
      '/blog/recipes/': '/cooking/',
      '/blog/recipes/soup/': '/cooking/soup/',
      '/blog/category/news/feed/': '/category/news/feed/',
      '/blog/category/news/feed/atom/': '/category/news/feed/atom/',
      '/blog/category/news/page/2/': '/category/news/page/2/',
      '/blog/author/ada/feed': '/author/ada/feed/',
      '/blog/author/ada/page/3/': '/author/ada/page/3/',
      '/blog/2020/one/feed/': '/one/feed/',
      '/blog/2020/one/comment-page-2/': '/one/',
      '/blog/2020/one/page/2/': '/one/',
    }
    for (const [path, target] of Object.entries(targets)) assert.equal(await visit(site, path), [301, target], path)
    for (const path of ['/category/news/', '/category/news/feed/', '/author/ada/', '/cooking/', '/one/feed/'])
      assert.is((await fetch(`${site.home}${path}`)).status, 200, path)
    for (const path of ['/blog/category/other/', '/blog/category/news/page/0/', '/category/news/page/99/'])
      assert.equal(await visit(site, path), [404], path)
  })

  lists('do not show authors without published posts, drafts, or types without an archive', async () => {
    await using at = await place()
    await using site = await start(at.url)
    const memos = post(17, 'memo-a', '', { type: 'memo' }) + post(18, 'memo-b', '', { type: 'memo', status: 'private' })
    await site.kernel.services.importer.run({ source: fileOf(EXPORT + memos) })
    const hidden = ['/blog/author/shy/', '/blog/author/shy/feed/', '/?author=42', '/blog/2020/secret/', '/?p=14']
    const others = ['/blog/2020/secret/feed/', '/blog/memos/', '/blog/memos/memo-b/', '/?p=18', '/?p=18&feed=rss2']
    for (const path of [...hidden, ...others]) assert.equal(await visit(site, path), [404], path)
    assert.equal(await visit(site, '/blog/memos/memo-a/'), [301, '/memo/memo-a/'])
  })

  lists('redirect from IDs of the only old site, unless a page here has the ID', async () => {
    await using at = await place()
    await using site = await start(at.url)
    await site.kernel.services.importer.run({ source: fileOf(EXPORT) })
    const paths = {
      '/?p=11': '/one/',
      '/?page_id=12': '/two/',
      '/?attachment_id=13': '/three/',
      '/?p=11&feed=rss2': '/one/feed/',
      '/?cat=31': '/category/news/',
      '/?cat=31&paged=2': '/category/news/page/2/',
      '/?cat=31&feed=atom': '/category/news/feed/atom/',
      '/?author=41': '/author/ada/',
    }
    for (const [path, target] of Object.entries(paths)) assert.equal(await visit(site, path), [301, target], path)
    for (const path of ['/?p=999', '/?p=x', '/?cat=33', '/?author=99', '/?p=11&preview=true'])
      assert.equal(await visit(site, path), [404], path)
    // The first post of this site.
    const [own] = await site.json('/svc/v2/posts?slug=own-here')
    assert.equal(await visit(site, `/?p=${own.id}`), [301, '/own-here/'])
    const other = post(11, 'elsewhere').replaceAll('old.example', 'other.example')
    await site.kernel.services.importer.run({ source: fileOf(other, 'http://other.example') })
    assert.equal(await visit(site, '/?p=11'), [404])
    assert.equal(await visit(site, '/blog/category/news/'), [301, '/category/news/'])
  })

  lists('redirect from the links of a running site, also after names have changed here', async () => {
    await using old = await serveOld()
    const headers = { ...as('administrator', 1), 'content-type': 'application/json' }
    const create = async (route: string, body: object) => {
      const response = await old.request(`/svc/v2/${route}`, { method: 'POST', headers, body: JSON.stringify(body) })
      assert.is(response.status, 201)
      return (await response.json()) as { id: number }
    }
    await old.kernel.services.options.set('permalink', '/archive/%year%/%postname%/')
    await old.kernel.services.options.set('category_base', 'topics')
    const { id } = await create('categories', { name: 'News', slug: 'news' })
    const users = old.store.db.selectFrom('users').select(['id', 'slug']).where('login', '=', 'mover')
    const mover = await old.store.first(users)
    await create('posts', { title: 'First', slug: 'first', status: 'publish', categories: [id], author: mover!.id })
    await using at = await place()
    await using here = await start(at.url)
    await importFrom(here, old.home)
    const [category] = await here.json('/svc/v2/categories?slug=news')
    const renaming = { method: 'POST', headers, body: JSON.stringify({ slug: 'reports' }) }
    assert.is((await here.request(`/svc/v2/categories/${category.id}`, renaming)).status, 200)
    assert.equal(await visit(here, '/topics/news/'), [301, '/category/reports/'])
    assert.equal(await visit(here, '/topics/news/feed/'), [301, '/category/reports/feed/'])
    assert.equal(await visit(here, `/archive/author/${mover!.slug}/`), [301, `/author/${mover!.slug}/`])
  })

  lists.run()
}

const derived = suite('derived addresses of lists')

const item = (type: string, slug: string, link: string, parent = 0) =>
  ({ ...emptyItem(), id: 1, type, slug, link, parent, status: 'publish', date: '2020-01-02 03:04:05' }) as const

function linksOf(addresses: ListAddresses): string[] {
  return [...addresses.links()].map(({ link }) => link)
}

derived('follow the bases of the site file, and the home of the old site', () => {
  const bases = { permalink: '/blog/%postname%/', category_base: '/topics/', tag_base: '' }
  const addresses = new ListAddresses('https://old.example/site/', bases)
  addresses.addTerm({ id: 1, taxonomy: 'category', slug: 'news' })
  addresses.addTerm({ id: 2, taxonomy: 'post_tag', slug: 'gr%c3%bcn' })
  addresses.addTerm({ id: 3, taxonomy: 'genre', slug: 'jazz' })
  addresses.addTerm({ id: 4, taxonomy: 'post_format', slug: 'post-format-image' })
  addresses.addTerm({ id: 5, taxonomy: 'genre', slug: 'rock', link: 'https://old.example/site/music/rock/' })
  // A taxonomy without pages.
  addresses.addTerm({ id: 8, taxonomy: 'post_translations', slug: 'pll_1' })
  addresses.addAuthor({ id: 6, login: 'Ada Lovelace' })
  addresses.addAuthor({ id: 7, login: 'bob', slug: 'robert' })
  assert.equal(linksOf(addresses), [
    'https://old.example/site/topics/news',
    'https://old.example/site/blog/tag/gr%c3%bcn',
    'https://old.example/site/blog/genre/jazz',
    'https://old.example/site/blog/type/image',
    'https://old.example/site/music/rock/',
    'https://old.example/site/blog/author/ada-lovelace',
    'https://old.example/site/blog/author/robert',
  ])
})

derived('of a type need items with one path; parents that refer to each other end', () => {
  const addresses = new ListAddresses('https://old.example', {})
  addresses.addItem(item('book', 'a', 'https://old.example/books/a/'))
  addresses.addItem(item('book', 'b', 'https://old.example/books/b/'))
  addresses.addItem(item('movie', 'a', 'https://old.example/movies/a/'))
  addresses.addItem(item('movie', 'b', 'https://old.example/films/b/'))
  addresses.addItem(item('place', 'a', 'https://old.example/?place=a'))
  addresses.addItem(item('event', 'a', 'https://old.example/a/'))
  assert.equal(linksOf(addresses), ['https://old.example/books'])
  const circle = new ListAddresses('https://old.example', {})
  circle.addTerm({ id: 1, taxonomy: 'category', slug: 'a', parent: 'b' })
  circle.addTerm({ id: 2, taxonomy: 'category', slug: 'b', parent: 'a' })
  assert.is(linksOf(circle).length, 4)
})

derived.run()
