import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../../../helpers/browser.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { RawReader } from '../../../helpers/raw-read.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const EVIL = /evil|6\.6\.6\.6/i

/** Headers and parameters with which an attacker could inject content into responses to others. */
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { host: 'evil.example' },
  {
    host: 'evil.example:80',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example;proto=https',
  },
  {
    'x-original-url': '/evil',
    'x-rewrite-url': '/evil',
    'x-forwarded-prefix': '/evil',
    'x-forwarded-server': 'evil.example',
  },
  { 'x-http-method-override': 'DELETE', referer: 'https://evil.example/', origin: 'https://evil.example' },
  { 'accept-language': 'xx-evil', accept: 'text/evil', 'user-agent': 'evil', 'x-forwarded-for': '6.6.6.6' },
  {
    cookie:
      'svc_admin_notice=%7B%22kind%22%3A%22error%22%2C%22text%22%3A%22evil%22%7D; comment_author=evil; comment_author_email=evil%40evil.example',
  },
  { cookie: 'svc_session=evil; wordpress_logged_in=evil' },
  { range: 'bytes=0-3', 'if-range': '"evil"' },
]
const QUERIES = [
  'evil=evil',
  'utm_source=evil',
  'preview_nonce=evil',
  'redirect_to=https://evil.example',
  'unknown[]=evil',
  '_fields=evil',
  '_method=DELETE',
  '__proto__[evil]=evil',
]

const pathsOf = (slug: string) => [
  '/',
  `/2024/05/28/${slug}/`,
  '/category/news/',
  '/author/ann-w/',
  '/2024/05/',
  '/feed/',
  '/feed/atom/',
  '/comments/feed/',
  '/category/news/feed/',
  '/sitemap.xml',
  '/sitemap-post-post-1.xml',
  '/robots.txt',
  '/nothing-here/',
]

async function fill(site: SiteWithUsers): Promise<void> {
  const news = await addTerm(site.store, { taxonomy: 'category', name: 'News', count: 1 })
  await site.kernel.services.options.set('permalink', '/%year%/%monthnum%/%day%/%postname%/')
  await addPosts(site.store, { title: 'Public', terms: [news], author_id: site.users.ann, comment_status: 'open' })
}

for (const { name, place } of databases) {
  const poisoning = suite(`poisoned pages on ${name}`)

  poisoning('S35: no header or parameter of one visitor appears in responses to others', async () => {
    await using site = await serveWithUsers(place)
    await fill(site)
    using reader = new RawReader()
    for (const path of pathsOf('public')) {
      const clean = await reader.read(`${site.home}${path}`, {})
      assert.is(clean.status, path === '/nothing-here/' ? 404 : 200, path)
      for (const headers of HEADERS) {
        for (let time = 0; time < 2; time += 1) {
          const { text, headers: all } = await reader.read(`${site.home}${path}`, headers)
          // Programs in pages of other sites may look for the REST API, without what browsers keep of its users.
          const { 'access-control-allow-origin': _, ...sent } = all
          assert.is(sent['access-control-allow-credentials'], undefined, path)
          assert.not.match(`${JSON.stringify(sent)} ${text}`, EVIL, `${path} to ${JSON.stringify(headers)}`)
        }
      }
      for (const query of QUERIES) await reader.read(`${site.home}${path}?${query}`, {})
      const { status, text, headers } = await reader.read(`${site.home}${path}`, {})
      assert.is(status, clean.status, path)
      assert.is(text, clean.text, path)
      assert.not.match(JSON.stringify(headers), EVIL, path)
      assert.is(headers['set-cookie'], undefined, path)
    }
  })

  poisoning('S35: pages of users are private, and users never get cached pages of visitors', async () => {
    await using site = await serveWithUsers(place)
    await fill(site)
    const admin = browse(site)
    await admin.logIn('admin', 'pass phrase of admin')
    for (const path of [
      '/',
      '/2024/05/28/public/',
      '/category/news/',
      '/?s=public',
      '/nothing-here/',
      '/?p=1&preview=true',
      '/?p=2&preview=true',
    ]) {
      const visitor = await fetch(`${site.home}${path}`)
      const validators = {
        'if-none-match': visitor.headers.get('etag') ?? '*',
        'if-modified-since': visitor.headers.get('last-modified') ?? '',
      }
      for (const method of ['GET', 'HEAD']) {
        for (const headers of [{}, validators]) {
          const own = await admin.open(path, { method, headers })
          const label = `${method} ${path} ${JSON.stringify(headers)}`
          if (own.status === 301) continue
          assert.ok([200, 404].includes(own.status), `${label}: ${own.status}`)
          assert.is(own.headers.get('cache-control'), 'private, no-store', label)
          assert.is(own.headers.get('etag'), null, label)
          assert.not.match(own.headers.get('x-svc-cache') ?? '', /HIT|MISS/, label)
          if (method === 'GET') assert.match(await own.text(), 'class="edit-bar"', label)
        }
      }
      const after = await fetch(`${site.home}${path}`)
      assert.not.match(await after.text(), 'edit-bar', path)
    }
  })

  poisoning.run()
}
