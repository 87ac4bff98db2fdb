import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { as, serveOn, type Site } from '../../../helpers/site.ts'
import type { Place } from '../../../helpers/stores.ts'

/** Words in many scripts, for titles and names. */
export const WORDS: readonly string[] = [
  'Crème brûlée Ærø',
  'Привет мир',
  'Καλημέρα κόσμε',
  'مرحبا بالعالم',
  'שלום עולם',
  'नमस्ते दुनिया',
  '三亚 旅行 ガイド',
  '한국어 안녕',
  'สวัสดี ชาวโลก',
  'Fête 🎉 👩🏽‍🚀 day',
]

/** URL structures of posts: each documented tag, prefixes, suffixes, and forms that pages can have, too. */
export const STRUCTURES: readonly string[] = [
  '',
  '/%year%/%monthnum%/%day%/%postname%/',
  '/%year%/%monthnum%/%postname%',
  '/archives/%post_id%',
  '/%postname%/',
  '/%postname%.html',
  '/archives/%post_id%.html',
  '/%year%/%monthnum%/%postname%.html',
  '/p/%post_id%-%postname%/',
  '/index.php/%year%/%monthnum%/%day%/%postname%/',
  '/blog/%postname%/',
  '/%category%/%postname%/',
  '/%author%/%postname%/',
  '/%post_id%/',
  '/%postname%-%post_id%',
  '/%author%-%category%/%postname%.php',
  '/%year%%monthnum%%day%/%hour%%minute%%second%/',
  '/блог/%category%/%author%/%post_id%.xml',
]

const library = definePlugin({
  name: 'library',
  needs: ['content-types', 'taxonomies'],
  apply({ services }) {
    services.contentTypes.register('volume', { public: true, show_in_rest: true, has_archive: true })
    services.contentTypes.register('chapter', {
      public: true,
      show_in_rest: true,
      hierarchical: true,
      rewrite: { slug: 'chapters', with_front: false },
    })
    services.taxonomies.register('shelf', ['volume', 'post'], {
      hierarchical: true,
      show_in_rest: true,
      rewrite: { slug: 'shelves', hierarchical: true },
    })
  },
})

const BLOCKS = `
<!-- wp:navigation /--><!-- wp:page-list /--><!-- wp:latest-posts {"postsToShow":50} /-->
<!-- wp:categories /--><!-- wp:tag-cloud {"numberOfTags":50} /--><!-- wp:archives /--><!-- wp:calendar /-->
`

/** Routes whose items have pages that visitors can open. */
const ROUTES = ['posts', 'pages', 'media', 'volume', 'chapter', 'categories', 'tags', 'shelf', 'users']

type Item = { id: number; link: string; slug: string }

async function create(site: Site, route: string, item: object): Promise<Item> {
  const response = await site.request(`/svc/v2/${route}`, {
    method: 'POST',
    headers: { ...as('administrator'), 'content-type': 'application/json' },
    body: JSON.stringify(item),
  })
  const json = (await response.json()) as Item
  assert.is(response.status, 201, JSON.stringify(json))
  return json
}

/** Starts a site with posts, pages below pages, attachments, terms and users whose slugs come from the words. */
export async function siteWithWords(place: Place, words: readonly string[]): Promise<Site> {
  const site = await serveOn(place, { add: [library] })
  await site.kernel.services.options.set('posts_per_page', 3)
  for (const [at, word] of words.entries()) {
    const status = 'publish'
    const { id: author } = await create(site, 'users', {
      username: `author${at}`,
      name: word,
      slug: word,
      email: `author${at}@site.test`,
      password: 'correct horse battery',
      roles: ['author'],
    })
    const category = await create(site, 'categories', { name: word })
    const below = await create(site, 'categories', { name: `${word} below`, parent: category.id })
    const tag = await create(site, 'tags', { name: word })
    const shelf = await create(site, 'shelf', { name: word })
    const board = await create(site, 'shelf', { name: `${word} board`, parent: shelf.id })
    const date = `2024-05-0${1 + (at % 9)}T10:20:3${at}`
    const post = await create(site, 'posts', {
      title: word,
      content: 'one<!--nextpage-->two',
      status,
      author,
      date,
      categories: [below.id],
      tags: [tag.id],
      shelf: [board.id],
    })
    // More comments would be refused as too frequent.
    if (at === 0)
      await create(site, 'comments', {
        post: post.id,
        content: word,
        author_name: word,
        author_email: 'a@site.test',
        status: 'approved',
      })
    const page = await create(site, 'pages', { title: `${word} page`, status, content: 'one<!--nextpage-->two' })
    const child = await create(site, 'pages', { title: `${word} child`, status, parent: page.id })
    await create(site, 'volume', { title: word, status, shelf: [shelf.id] })
    const chapter = await create(site, 'chapter', { title: word, status })
    await create(site, 'chapter', { title: word, status, parent: chapter.id })
    for (const [file, parent] of [post, child, null].entries()) {
      const [id] = await addPosts(site.store, { type: 'attachment', status: 'inherit', parent_id: parent?.id ?? 0 })
      const response = await site.request(`/svc/v2/media/${id}`, {
        method: 'POST',
        headers: { ...as('administrator'), 'content-type': 'application/json' },
        body: JSON.stringify({ title: `${word} file`, slug: `${word} file ${file}` }),
      })
      assert.is(response.status, 200)
    }
  }
  const menu = await create(site, 'menus', { name: 'Menu' })
  for (const [type, object, route] of [
    ['post_type', 'page', 'pages'],
    ['post_type', 'post', 'posts'],
    ['taxonomy', 'category', 'categories'],
    ['taxonomy', 'post_tag', 'tags'],
  ] as const) {
    for (const { id } of (await site.json(`/svc/v2/${route}?per_page=3`)) as Item[])
      await create(site, 'menu-items', { type, object, object_id: id, menus: menu.id, title: 'A', status: 'publish' })
  }
  await create(site, 'pages', { title: 'All blocks', status: 'publish', content: BLOCKS.replaceAll('wp:', 'svc:') })
  return site
}

const page = (url: string) => fetch(url, { redirect: 'manual' })
const unescaped = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&#038;', '&').replaceAll('&#38;', '&')
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, url]) => unescaped(url!))

/** The links of REST items, by the route. */
async function restLinks(site: Site): Promise<Map<string, string[]>> {
  const links = new Map<string, string[]>()
  for (const route of ROUTES) {
    const items = (await site.json(`/svc/v2/${route}?per_page=100&_fields=id,link,slug`)) as Item[]
    links.set(
      route,
      items.map(({ link }) => link),
    )
  }
  return links
}

/** The URLs in search results, comments and menu items. */
async function otherRestLinks(site: Site): Promise<string[]> {
  const read = async (path: string) => (await site.json(path, as('administrator'))) as { url?: string; link?: string }[]
  const lists = await Promise.all([
    read('/svc/v2/search?type=post&per_page=100'),
    read('/svc/v2/search?type=term&per_page=100'),
    read('/svc/v2/comments?per_page=100'),
    read('/svc/v2/menu-items?per_page=100'),
  ])
  for (const [at, list] of lists.entries()) assert.ok(list.length > 0, `list ${at}`)
  return lists.flat().map(({ url, link }) => (url ?? link)!.replace(/#.*$/, ''))
}

/** The URLs of pages in sitemaps. */
async function sitemapLinks(site: Site): Promise<string[]> {
  const index = await (await page(`${site.home}/sitemap.xml`)).text()
  const links: string[] = []
  for (const sitemap of matches(index, /<loc>([^<]*)<\/loc>/g)) {
    const response = await page(sitemap)
    assert.is(response.status, 200, sitemap)
    links.push(...matches(await response.text(), /<loc>([^<]*)<\/loc>/g))
  }
  return links
}

/** The links of a feed. */
async function feedLinks(url: string): Promise<string[]> {
  const response = await page(url)
  assert.is(response.status, 200, `feed ${url}`)
  assert.match(response.headers.get('content-type') ?? '', 'xml', url)
  return matches(await response.text(), /<link>([^<]*)<\/link>/g).map((link) => link.replace(/#.*$/, ''))
}

/** Links that blocks, menus and the head of an HTML page contain, except short links, which redirect. */
function htmlLinks(site: Site, html: string): string[] {
  return matches(html.replace(/<link rel="shortlink"[^>]*>/g, ''), /\shref="([^"#]+)(?:#[^"]*)?"/g)
    .map((link) => new URL(link, site.home).href)
    .filter((link) => link.startsWith(site.home) && !/svc-(?:json|content|admin|includes|login)|\.css|\.js/.test(link))
}

/** Other spellings of a URL, which must lead to the same page. */
function spellings(link: string): string[] {
  const upper = link.replace(/%[0-9a-f]{2}/g, (byte) => byte.toUpperCase())
  const decoded = decodeURI(link)
  const decomposed = encodeURI(decoded.normalize('NFD'))
  return [...new Set([upper, encodeURI(decoded), decomposed])].filter((one) => one !== link)
}

/** Follows one redirect. */
async function opened(url: string): Promise<Response> {
  const response = await page(url)
  return response.status === 301 ? page(response.headers.get('location')!) : response
}

/** Asserts with one URL structure that every link of the site leads to its page. Returns the number of links. */
export async function checkLinks(site: Site, structure: string): Promise<number> {
  await site.kernel.services.options.set('permalink', structure)
  const links = await restLinks(site)
  const named = (text: string) => `${text} with structure "${structure}"`
  const htmlOf = new Map<string, string>()
  for (const [route, urls] of links) {
    assert.ok(urls.length > 0, route)
    for (const link of urls) {
      const response = await page(link)
      assert.is(response.status, 200, named(`${route} ${link} → ${response.headers.get('location')}`))
      const html = await response.text()
      htmlOf.set(link, html)
      const [canonical] = matches(html, /<link rel="canonical" href="([^"]*)"/g)
      assert.is(canonical, link, named('canonical link'))
      for (const other of spellings(link)) {
        const again = await opened(other)
        assert.is(again.status, 200, named(other))
        assert.is(matches(await again.text(), /<link rel="canonical" href="([^"]*)"/g)[0], link, named(other))
      }
    }
  }
  for (const link of [...links.get('posts')!, ...links.get('pages')!]) {
    const query = new URLSearchParams({ url: link })
    const embed = await page(`${site.home}/svc-json/oembed/1.0/embed?${query.toString()}`)
    assert.is(embed.status, 200, named(`oEmbed of ${link}`))
    const embedPage = new URL(link)
    if (structure === '') embedPage.searchParams.set('embed', 'true')
    else embedPage.pathname = `${embedPage.pathname.replace(/\/?$/, '/')}embed${structure.endsWith('/') ? '/' : ''}`
    const { status } = await page(embedPage.href)
    assert.is(status, 200, named(embedPage.href))
    const second = site.kernel.services.permalinks.part(link, 2)
    const html = htmlOf.get(link)!
    if (html.includes('post-page-numbers')) {
      assert.ok(htmlLinks(site, html).includes(new URL(second).href), named(`part of ${link}`))
    }
  }
  const feeds = [...links]
    .filter(([route]) => ['categories', 'tags', 'shelf', 'users'].includes(route))
    .flatMap(([, urls]) => urls)
    .map((url) => (url.includes('?') ? url.replace('?', '?feed=rss2&') : `${url.replace(/\/?$/, '/')}feed/`))
  const others = [
    ...(await sitemapLinks(site)),
    ...(await otherRestLinks(site)),
    ...(await feedLinks(`${site.home}/feed/`)),
    ...(await Promise.all(feeds.map(feedLinks))).flat(),
    ...[...htmlOf.values()].flatMap((html) => htmlLinks(site, html)),
    ...htmlLinks(site, await (await page(`${site.home}/`)).text()),
  ]
  const rest = new Set(others.map((link) => new URL(link).href))
  for (const link of htmlOf.keys()) rest.delete(new URL(link).href)
  for (const link of rest) {
    const { status, headers } = await page(link)
    assert.is(status, 200, named(`${link} → ${headers.get('location')}`))
  }
  return htmlOf.size + rest.size
}
