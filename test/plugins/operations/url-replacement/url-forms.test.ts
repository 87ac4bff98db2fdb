import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { changeSerialized } from '../../../../plugins/operations/url-replacement/serialized-text.ts'
import { changeValue } from '../../../../plugins/operations/url-replacement/stored-value.ts'
import { urlReplacer } from '../../../../plugins/operations/url-replacement/url-forms.ts'

const forms = suite('forms of URLs')

/** Each form of a URL with its replacement. */
const REPLACED: readonly (readonly [before: string, after: string])[] = [
  ['http://old.example', 'https://new.test'],
  ['https://old.example/', 'https://new.test/'],
  ['HTTP://WWW.Old.Example/a?b#c', 'https://new.test/a?b#c'],
  ['//old.example/a.js', '//new.test/a.js'],
  ['<a href="//www.old.example">', '<a href="//new.test">'],
  [String.raw`{"url":"https:\/\/old.example\/a"}`, String.raw`{"url":"https:\/\/new.test\/a"}`],
  [String.raw`{"html":"\u0022https://old.example/a\u0022"}`, String.raw`{"html":"\u0022https://new.test/a\u0022"}`],
  [String.raw`{"text":"see\nhttps:\/\/old.example"}`, String.raw`{"text":"see\nhttps:\/\/new.test"}`],
  [String.raw`"{\"url\":\"https:\\\/\\\/old.example\"}"`, String.raw`"{\"url\":\"https:\\\/\\\/new.test\"}"`],
  ['?u=https%3A%2F%2Fold.example%2Fa&t=1', '?u=https%3A%2F%2Fnew.test%2Fa&t=1'],
  ['?u=http%3a%2f%2fold.example%3fa', '?u=https%3a%2f%2fnew.test%3fa'],
  ['?u=%3Fv%3Dhttps%253A%252F%252Fold.example%252Fa', '?u=%3Fv%3Dhttps%253A%252F%252Fnew.test%252Fa'],
  ['http:&#x2F;&#x2F;old.example', 'https:&#x2F;&#x2F;new.test'],
  ['(http://old.example), http://old.example. Then', '(https://new.test), https://new.test. Then'],
  ["url('http://old.example/a.png')", "url('https://new.test/a.png')"],
]

/** Texts that contain the host, but not the URL. */
const KEPT: readonly string[] = [
  'http://old.example.au/',
  'http://old.example.com.au',
  'http://veryold.example/',
  'http://sub.old.example/',
  'http://my-old.example/',
  'http://old.example-shop.test/',
  String.raw`http://old.example\u002dshop.test/`,
  'http://old.example:8080/',
  'http://old.example%3A8080/',
  'http://old.example@evil.test/',
  'http://old.exampleé/',
  'mailto:ann@old.example',
  'old.example',
  'ftp://old.example/',
  'ftp%3A%2F%2Fold.example%2F',
  'https://archive.test/web/2019/http://old.example/a',
]

forms('are all replaced in their own form', () => {
  for (const [before, after] of REPLACED) {
    const replacer = urlReplacer('http://old.example', 'https://new.test/')
    assert.is(replacer.replace(before), after)
    assert.is(replacer.count, before.split(/old\.example/i).length - 1, before)
  }
})

forms('do not match longer hosts, other ports, or URLs within other URLs', () => {
  for (const text of KEPT) assert.is(urlReplacer('http://old.example', 'https://new.test').replace(text), text)
})

forms('include the path of the old URL', () => {
  const replacer = urlReplacer('http://localhost:3000/blog/', 'https://new.test')
  for (const [before, after] of [
    ['http://localhost:3000/blog/a', 'https://new.test/a'],
    [String.raw`http:\/\/localhost:3000\/blog`, String.raw`https:\/\/new.test`],
    ['http%3A%2F%2Flocalhost%3A3000%2Fblog%2F', 'https%3A%2F%2Fnew.test%2F'],
    ['http://localhost:3000/blogs', 'http://localhost:3000/blogs'],
    ['http://localhost:3000/blog.html', 'http://localhost:3000/blog.html'],
    ['http://localhost:3000/', 'http://localhost:3000/'],
    ['http://localhost:30001/blog', 'http://localhost:30001/blog'],
    ['http://localhost/blog', 'http://localhost/blog'],
  ] as const)
    assert.is(replacer.replace(before), after)
})

forms('leave the bytes of the other attributes of a block', () => {
  const block = (url: string) =>
    String.raw`<!-- svc:x { "z":1.0,"url" : "${url}\/a", "e":1e3,"alt":"\u003cb\u003e \u002d\u002d \u00e9","big":12345678901234567890,"z":2} /-->`
  const replacer = urlReplacer('https://old.example', 'https://new.example')
  assert.is(replacer.replace(block(String.raw`https:\/\/old.example`)), block(String.raw`https:\/\/new.example`))
})

forms('escape double hyphens in comments only, and match escaped ones', () => {
  const replacer = urlReplacer('http://xn--mller-kva.example', 'http://xn--strae-oqa.example')
  const block = String.raw`<!-- svc:image {"url":"http://xn\u002d\u002dmller-kva.example/a"} --><img src="http://xn--mller-kva.example/a"><!-- x -->`
  assert.is(
    replacer.replace(block),
    String.raw`<!-- svc:image {"url":"http://xn\u002d\u002dstrae-oqa.example/a"} --><img src="http://xn--strae-oqa.example/a"><!-- x -->`,
  )
  assert.is(replacer.replace('http://müller.example/'), 'http://xn--strae-oqa.example/')
})

forms('keep the lengths of serialized texts correct', () => {
  const replacer = urlReplacer('http://old.example', 'https://a-much-longer.example')
  const change = (text: string) => replacer.replace(text)
  const text = (value: string) => `s:${Buffer.byteLength(value)}:"${value}";`
  const inner = (url: string) => `a:1:{${text('u')}${text(url)}}`
  const value = (url: string) =>
    `a:4:{${text('ü')}${text(`${url}/ü`)}i:0;O:3:"Foo":1:{${text('http://old.example')}${text(url)}}${text('nested')}${text(inner(url))}i:9;d:1.5;}`
  assert.is(changeSerialized(value('http://old.example'), change), value('https://a-much-longer.example'))
  const custom = (url: string) => `C:3:"Bar":${url.length}:{${url}}`
  assert.is(changeSerialized(custom('http://old.example'), change), custom('https://a-much-longer.example'))
  // Wrong lengths: only the changed strings get the right ones.
  assert.is(
    changeSerialized('a:2:{i:0;s:99:"http://old.example";i:1;s:7:"other";}', change),
    'a:2:{i:0;s:29:"https://a-much-longer.example";i:1;s:7:"other";}',
  )
})

forms('are replaced in strings of JSON, but not in keys', () => {
  const replacer = urlReplacer('http://old.example', 'https://new.test')
  const json = JSON.stringify({ 'http://old.example': ['http://old.example', 1, null, { a: '"//old.example' }] })
  assert.is(
    changeValue(json, true, (text) => replacer.replace(text)),
    JSON.stringify({ 'http://old.example': ['https://new.test', 1, null, { a: '"//new.test' }] }),
  )
  const spaced = '{ "a": 1.0 }'
  assert.is(
    changeValue(spaced, true, (text) => replacer.replace(text)),
    spaced,
  )
})

forms('must be URLs of sites', () => {
  for (const url of [
    'old.example',
    'ftp://old.example',
    'http://',
    'http://old.example/?a',
    'http://a b/',
    'http://u@old.example',
  ])
    assert.throws(
      () => urlReplacer(url, 'https://new.test'),
      ({ code }: { code: string }) => code === 'URLS_INVALID',
    )
  assert.throws(
    () => urlReplacer('http://old.example/', 'http://old.example'),
    ({ code }: { code: string }) => code === 'URLS_EQUAL',
  )
})

forms.run()
