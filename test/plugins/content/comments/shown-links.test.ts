import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'

/** Texts of comments, and the targets of their links. */
const TEXTS: readonly (readonly [text: string, hrefs: readonly string[]])[] = [
  ['see “https://ex.example/a”', ['https://ex.example/a']],
  ['«https://ex.example/d»', ['https://ex.example/d']],
  ['“www.ex.example”', ['http://www.ex.example']],
  ['https://ex.example/h…', ['https://ex.example/h']],
  ['見て https://ex.example/j。', ['https://ex.example/j']],
  ['(http://ex.example/k_(l))!', ['http://ex.example/k_(l)']],
  ['write to “me@ex.example”.', ['mailto:me@ex.example']],
  ['javascript:alert(1) and data:text/html,x and /relative/path', []],
  ['<a href="https://ex.example/m">m</a>', ['https://ex.example/m']],
  ['<a href="http://ex.example/n">n</a>', ['http://ex.example/n']],
  ['<a href="mailto:me@ex.example">o</a>', ['mailto:me@ex.example']],
  ['<a href="/relative/path">p</a>', ['/relative/path']],
  ['<a href="javascript:alert(1)">q</a>', []],
  ['<a href="JaVa&#115;cript&#58;alert(1)">r</a>', []],
  ['<a href="data:text/html,x">s</a>', []],
]

/** URLs of authors, and the stored URL. */
const AUTHOR_URLS: readonly (readonly [url: string, stored: string])[] = [
  ['https://me.example/a', 'https://me.example/a'],
  ['http://me.example/b?c=d&e=f', 'http://me.example/b?c=d&e=f'],
  ['me.example', 'http://me.example'],
  ['mailto:me@me.example', 'mailto:me@me.example'],
  ['/relative', '/relative'],
  ['javascript:alert(1)', ''],
  ['data:text/html,x', ''],
]

interface Comment {
  id: number
  author_url: string
  content: { rendered: string }
}

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
const unescapeXml = (xml: string) => xml.replace(/&(#?\w+);/g, (whole, entity: string) => CHARACTERS[entity] ?? whole)
const hrefsOf = (html: string) =>
  [...html.matchAll(/<a\s[^>]*?href="([^"]*)"/g)].map(([, href]) => href!.replace(/&(?:amp|#0?38);/g, '&'))

for (const word of ['svc', 'wp']) {
  for (const { name, place } of databases) {
    const links = suite(`links of comments in the API, in feeds and on pages, with the word ${word}, ${name}`)

    links('lead to the same URLs for comments from the form and from the API', async () => {
      await using site = await serveWithUsers(place, { word })
      const { kernel, store, home } = site
      const { options } = kernel.services
      await options.set('comment_previously_approved', false)
      await options.set('comment_flood_seconds', 0)
      await options.set('comment_max_links', 0)
      await options.set('posts_per_rss', 100)
      const route = `/${kernel.branding.namespace('v2')}/comments`
      const [post] = await addPosts(store, { title: 'Talk', slug: 'talk', comment_status: 'open' })
      const sent = [
        ...TEXTS.map(([text, hrefs]) => ({ text, hrefs, url: '', author: null as string | null })),
        ...AUTHOR_URLS.map(([url, stored]) => ({
          text: `by ${encodeURIComponent(url)}`,
          hrefs: [],
          url,
          author: stored,
        })),
      ]
      const expected = new Map<number, (typeof sent)[number]>()
      for (const one of sent) {
        // Equal comments are refused.
        const form = { author: 'Vi', email: 'vi@ex.example', url: one.url, comment: `${one.text} form` }
        const body = new URLSearchParams({ ...form, comment_post_ID: String(post) })
        const answer = await fetch(`${home}${kernel.branding.commentsPath}`, {
          method: 'POST',
          body,
          redirect: 'manual',
        })
        expected.set(Number(/#comment-(\d+)$/.exec(answer.headers.get('location') ?? '')![1]), one)
        const author = { author_name: 'Vi', author_email: 'vi@ex.example', author_url: one.url }
        const login = one.author === null ? 'sub' : 'ed'
        const created = await site.send(
          'POST',
          route,
          { post, content: `${one.text} API`, ...(one.author !== null && author) },
          login,
        )
        assert.is(created.status, 201, one.text)
        expected.set(((await created.json()) as { id: number }).id, one)
      }
      const page = await (await fetch(`${home}/?p=${post}`)).text()
      const shown = page.split(/<li id="comment-(?=\d+")/)
      const feeds = await Promise.all(
        ['/comments/feed/', '/2024/05/28/talk/feed/'].map(async (path) => (await fetch(`${home}${path}`)).text()),
      )
      const comments = (await site.json(`${route}?per_page=100&post=${post}`)) as Comment[]
      assert.is(comments.length, expected.size)
      for (const { id, author_url: url, content } of comments) {
        const { text, hrefs, author } = expected.get(id)!
        const html = content.rendered
        assert.equal(hrefsOf(html), hrefs, text)
        if (author !== null) assert.is(url, author, text)
        const item = shown.find((part) => part.startsWith(`${id}"`)) ?? ''
        assert.ok(item.includes(html.trim()), `${text} on the page: ${item}`)
        if (author !== null) assert.equal(hrefsOf(item.split('comment-date')[0]!), author === '' ? [] : [author], text)
        for (const feed of feeds) {
          const entry = feed.split('<item>').find((part) => part.includes(`#comment-${id}<`)) ?? ''
          assert.equal(hrefsOf(unescapeXml(entry)), hrefs, `${text} in a feed: ${entry}`)
        }
      }
    })

    links.run()
  }
}
