import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { urlRewriter } from '../../../../plugins/operations/importer/url-rewriter.ts'

const move = {
  from: 'http://old.example.com',
  to: 'https://new.example.org',
  uploads: 'https://new.example.org/uploads',
}
const urls = suite('URL rewriter')

urls('rewrites the old home with any scheme', () => {
  const rewrite = urlRewriter(move)
  assert.is(rewrite('<a href="http://old.example.com/a/?b=c#d">'), '<a href="https://new.example.org/a/?b=c#d">')
  assert.is(rewrite('https://old.example.com'), 'https://new.example.org')
  assert.is(
    rewrite('See http://old.example.com. Or HTTP://Old.Example.Com/x!'),
    'See https://new.example.org. Or https://new.example.org/x!',
  )
})

urls('keeps the form of URLs without a scheme and of URLs in JSON', () => {
  const rewrite = urlRewriter(move)
  assert.is(rewrite('src="//old.example.com/a.js"'), 'src="//new.example.org/a.js"')
  assert.is(rewrite('{"url":"http:\\/\\/old.example.com\\/a"}'), '{"url":"https:\\/\\/new.example.org\\/a"}')
  assert.is(
    rewrite('{"html":"\\u003ca href=\\u0022http://old.example.com/\\u0022"}'),
    '{"html":"\\u003ca href=\\u0022https://new.example.org/\\u0022"}',
  )
})

urls('rewrites media URLs to the new uploads URL', () => {
  const rewrite = urlRewriter(move)
  const [one, several, below, json] = [
    'http://old.example.com/wp-content/uploads/2024/05/a.jpg',
    'http://old.example.com/wp-content/uploads/sites/3/2024/05/a.jpg',
    'http://old.example.com/cms/wp-content/uploads/2024/05/a.jpg',
    '"http:\\/\\/old.example.com\\/wp-content\\/uploads\\/a.jpg"',
  ].map(rewrite)
  assert.is(one, 'https://new.example.org/uploads/2024/05/a.jpg')
  assert.is(several, one)
  assert.is(below, one)
  assert.is(json, '"https:\\/\\/new.example.org\\/uploads\\/a.jpg"')
  assert.is(rewrite('<img src="/wp-content/uploads/a.jpg">'), '<img src="/uploads/a.jpg">')
  assert.is(rewrite('http://old.example.com/wp-content/uploads-2/a'), 'https://new.example.org/wp-content/uploads-2/a')
})

urls('rewrites the old home with and without www.', () => {
  const rewrite = urlRewriter(move)
  assert.is(rewrite('https://www.old.example.com/a'), 'https://new.example.org/a')
  const fromWww = urlRewriter({ ...move, from: 'https://www.old.example.com' })
  assert.is(fromWww('http://old.example.com/a //www.old.example.com'), 'https://new.example.org/a //new.example.org')
})

urls('rewrites media URLs of subdomains and image services', () => {
  const rewrite = urlRewriter(move)
  const file = 'https://new.example.org/uploads/2024/05/a.jpg'
  for (const url of [
    'https://cdn.old.example.com/wp-content/uploads/2024/05/a.jpg',
    'http://static.img.old.example.com/wp-content/uploads/sites/2/2024/05/a.jpg',
    'https://i0.wp.com/old.example.com/wp-content/uploads/2024/05/a.jpg',
    'https://i2.wp.com/www.old.example.com/wp-content/uploads/2024/05/a.jpg?resize=300%2C200&ssl=1',
  ])
    assert.is(rewrite(url), file, url)
  assert.is(
    rewrite('"https:\\/\\/cdn.old.example.com\\/wp-content\\/uploads\\/a.jpg"'),
    '"https:\\/\\/new.example.org\\/uploads\\/a.jpg"',
  )
  const others = [
    'https://cdn.old.example.com/a/',
    'https://i0.wp.com/other.test/wp-content/uploads/a.jpg',
    'https://other.test/old.example.com/wp-content/uploads/a.jpg',
  ]
  for (const text of others) assert.is(rewrite(text), text)
})

urls('removes parameters with which an image service resizes, and keeps other parameters', () => {
  const rewrite = urlRewriter(move)
  const old = 'http://i0.wp.com/old.example.com/wp-content/uploads/a.png'
  const file = 'https://new.example.org/uploads/a.png'
  for (const query of ['?w=300', '?w=300&h=200', '?w=300&amp;h=200', '?w=300&#038;h=200', '?resize=300%2C200&ssl=1'])
    assert.is(rewrite(`<img src="${old}${query}">`), `<img src="${file}">`, query)
  assert.is(rewrite(`<a href="${old}?version=2">`), `<a href="${file}?version=2">`)
  assert.is(rewrite(`<a href="${old}?w=300&version=2">`), `<a href="${file}?w=300&version=2">`)
  assert.is(rewrite('http://old.example.com/wp-content/uploads/a.png?w=300'), `${file}?w=300`)
})

urls('keeps longer host names, other ports and nested URLs', () => {
  const rewrite = urlRewriter(move)
  const others = [
    'http://old.example.community/',
    'http://old.example.com.evil.test/',
    'http://old.example.com-2.test/',
    'http://old.example.com:8080/',
    'http://old.example.com@evil.test/',
    'http://very.old.example.com/',
    'ftp://old.example.com/',
    'https://archive.test/2020/http://old.example.com/a',
    'mail@old.example.com',
  ]
  for (const text of others) assert.is(rewrite(text), text)
})

urls('rewrites a home with a path without matching similar paths', () => {
  const rewrite = urlRewriter({ ...move, from: 'http://example.com:81/blog/' })
  assert.is(
    rewrite('http://example.com:81/blog/a http://example.com:81/blogs http://example.com:81/'),
    'https://new.example.org/a http://example.com:81/blogs http://example.com:81/',
  )
})

urls('changes nothing without an old home', () => {
  assert.is(urlRewriter({ ...move, from: '' })('http://old.example.com/'), 'http://old.example.com/')
})

urls.run()
