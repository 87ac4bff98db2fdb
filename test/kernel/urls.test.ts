import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { HookRegistry, branding } from '../../bin/config/index.ts'
import type { UrlForm } from '../../kernel/urls.ts'
import { addQuery, decodePath, trimEndSlashes, Urls } from '../../kernel/index.ts'
import { kernelHooks } from '../../kernel/hooks.ts'
import { growsLinearly } from '../helpers/growth.ts'

const urls = suite('urls')

function make(form: UrlForm = 'pretty', home = 'http://site.test/blog/') {
  const { hooks } = new HookRegistry('svc', kernelHooks)
  return { hooks, urls: new Urls(hooks, branding('svc'), home, form) }
}

urls('have three forms', () => {
  const path = '/svc/v2/posts?per_page=2'
  assert.is(make('pretty').urls.rest(path), 'http://site.test/blog/svc-json/svc/v2/posts?per_page=2')
  assert.is(make('index').urls.rest(path), 'http://site.test/blog/index.php/svc-json/svc/v2/posts?per_page=2')
  assert.is(make('plain').urls.rest(path), 'http://site.test/blog/index.php?rest_route=/svc/v2/posts&per_page=2')
})

urls('of the root end with a slash', () => {
  assert.is(make().urls.rest(), 'http://site.test/blog/svc-json/')
  assert.is(make().urls.rest(''), 'http://site.test/blog/svc-json/')
  assert.is(make('plain').urls.rest(), 'http://site.test/blog/index.php?rest_route=/')
})

urls('have exactly one slash before the route', () => {
  assert.is(make().urls.rest('a/b'), 'http://site.test/blog/svc-json/a/b')
  assert.is(make().urls.rest('//a/b'), 'http://site.test/blog/svc-json/a/b')
})

urls('are parsed below the home URL only, not below folders with the same prefix', () => {
  const { urls } = make()
  const cases: [asked: string, path: string, route: string | null][] = [
    ['/blog', '/', null],
    ['/blog/', '/', null],
    ['/blog/2025/hello', '/2025/hello', null],
    ['/blog/svc-json', '/svc-json', '/'],
    ['/blog/index.php/svc-json/svc/v2/posts', '/index.php/svc-json/svc/v2/posts', '/svc/v2/posts'],
    ['/bl%6Fg/svc-json/a', '/svc-json/a', '/a'],
    ['/blogger/svc-json/a', '/blogger/svc-json/a', null],
    ['/blog-svc-json', '/blog-svc-json', null],
    ['/blog/svc-jsonp', '/svc-jsonp', null],
  ]
  for (const [input, path, route] of cases) assert.equal(urls.read(input), { path, route }, input)
  assert.is(urls.read('/blog/%zz'), null)
})

urls('apply the filters of prefix and URL', () => {
  const { hooks, urls } = make()
  hooks.rest_url_prefix.tap('test', () => 'api')
  assert.is(urls.rest('/a'), 'http://site.test/blog/api/a')
  hooks.rest_url.tap('test', (url, path, blogId, scheme) => `${url}#${path},${String(blogId)},${scheme}`)
  assert.is(urls.rest('/a'), 'http://site.test/blog/api/a#/a,null,rest')
})

urls('of every form are parsed back to their route', () => {
  for (const form of ['pretty', 'index', 'plain'] as const) {
    const { urls } = make(form)
    for (const path of ['/', '/svc/v2/posts', '/svc/v2/posts?per_page=2&search=a%20b']) {
      assert.is(urls.pathOf(urls.rest(path)), path, form)
    }
  }
  const { urls } = make()
  for (const foreign of [
    'http://other.test/blog/svc-json/a',
    'http://site.test/blog/page/',
    'http://site.test/svc-json/a',
    '',
  ]) {
    assert.is(urls.pathOf(foreign), null, foreign)
  }
})

urls('are parsed back with any scheme, and with the route anywhere in the query', () => {
  const { urls } = make()
  for (const [url, path] of [
    ['https://site.test/blog/svc-json/a?b=1#part', '/a?b=1'],
    ['http://site.test/blog/index.php/svc-json', '/'],
    ['http://site.test/blog/?page=2&rest_route=/a/b&c=d', '/a/b?page=2&c=d'],
    ['http://site.test/blog?rest_route=a+b', '/a%20b'],
    ['http://site.test/blog/index.php?rest_route=', null],
    ['http://site.test/blog/other.php?rest_route=/a', null],
    ['http://site.test/blogger/svc-json/a', null],
    ['ftp://site.test/blog/svc-json/a', null],
  ] as const) {
    assert.is(urls.pathOf(url), path, url)
  }
})

urls('pass the path with its leading slash to taps', () => {
  const { hooks, urls } = make('plain')
  const calls: string[] = []
  hooks.rest_url.tap('test', (url, path, _blogId, scheme) => {
    calls.push(`${path} ${scheme}`)
    return url
  })
  urls.rest('a')
  urls.rest('')
  urls.scheme = 'json'
  urls.rest('/a')
  urls.scheme = 'other'
  urls.rest()
  assert.equal(calls, ['/a rest', '/ rest', '/a json', '/ other'])
})

urls('provide the home URL without its trailing slash, and its path', () => {
  const { urls } = make()
  assert.is(urls.home, 'http://site.test/blog')
  assert.is(urls.basePath, '/blog')
  assert.is(urls.site('2025/hello/'), 'http://site.test/blog/2025/hello/')
  urls.home = 'http://127.0.0.1:9/'
  assert.is(urls.rest(), 'http://127.0.0.1:9/svc-json/')
  assert.is(urls.basePath, '')
})

urls('encode added parameters like forms', () => {
  assert.is(addQuery('/x', { a: 1, b: ['c d', 'e'], f: '', g: null, h: true }), '/x?a=1&b%5B0%5D=c+d&b%5B1%5D=e&f&h=1')
  assert.is(addQuery('/x?y=1', { a: '&' }), '/x?y=1&a=%26')
  assert.is(addQuery('/x', {}), '/x')
})

urls('are stripped of trailing slashes in linear time', async () => {
  assert.is(trimEndSlashes('/a//'), '/a')
  assert.is(trimEndSlashes('///'), '')
  await growsLinearly('slashes', (size) => {
    const long = `${'/'.repeat(size)}x`
    assert.is(trimEndSlashes(long), long)
  })
})

urls('are decoded once, and only to valid text', () => {
  assert.is(decodePath('/a%2Fb%252f'), '/a/b%2f')
  for (const bad of ['%', '%zz', '%ff', '%c0%af', '/a%00b']) assert.is(decodePath(bad), null, bad)
})

urls.run()
