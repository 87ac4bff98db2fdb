import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decodeFeed } from '../../../../plugins/rendering/feed-reader/decode-feed.ts'
import { parseFeed } from '../../../../plugins/rendering/feed-reader/parse-feed.ts'
import { growsLinearly } from '../../../helpers/growth.ts'

const parse = suite('parseFeed')

const NOTHING = { title: '', url: '', author: '', date: '', text: '' }
const item = (inside: string) =>
  `<rss version="2.0"><channel><title>Channel</title><item>${inside}</item></channel></rss>`

parse('reads RSS 2.0 with CDATA, entities, a DOCTYPE and elements of other namespaces', () => {
  const feed = `<?xml version="1.0"?><?xml-stylesheet href="x"?><!DOCTYPE rss [<!ENTITY x "expanded">]>
    <rss version="2.0" xmlns:a="http://www.w3.org/2005/Atom" xmlns:d="http://purl.org/dc/elements/1.1/"
      xmlns:media="http://search.yahoo.com/mrss/"><channel><title>Channel</title><link>https://a.test/</link>
    <image><title>Image</title><link>https://a.test/image</link></image>
    <item><media:title>Other</media:title><media:group><title>Inner</title></media:group>
      <title>A &amp;amp; B &#8211; &#x41; &x;</title><a:link rel="self" href="/self"/><link> https://a.test/1 </link>
      <d:creator><![CDATA[Ann & <b>Bob</b>]]></d:creator><pubDate>Mon, 02 Jan 2006 15:04:05 +0100</pubDate>
      <description><![CDATA[<p>One</p><p>two &eacute; &lt;three&gt;</p><script>no()</script>]]></description></item>
    </channel></rss>`
  assert.equal(parseFeed(feed), [
    {
      title: 'A & B – A &x;',
      url: 'https://a.test/1',
      author: 'Ann & Bob',
      date: '2006-01-02T14:04:05.000Z',
      text: 'One two é <three>',
    },
  ])
})

parse('reads RSS 0.91, 0.9 and 1.0', () => {
  assert.equal(parseFeed(item('<title>Old</title><guid>https://a.test/2</guid>')), [
    { ...NOTHING, title: 'Old', url: 'https://a.test/2' },
  ])
  assert.equal(parseFeed(item('<title>Id</title><guid isPermaLink="false">7</guid>')), [{ ...NOTHING, title: 'Id' }])
  for (const namespace of ['http://purl.org/rss/1.0/', 'http://my.netscape.com/rdf/simple/0.9/']) {
    const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="${namespace}"
      xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>C</title><items/></channel>
      <item rdf:about="y"><title>Item</title><link>https://a.test/3</link><dc:date>2020-02-03T04:05:06Z</dc:date></item></rdf:RDF>`
    assert.equal(parseFeed(rdf), [
      { ...NOTHING, title: 'Item', url: 'https://a.test/3', date: '2020-02-03T04:05:06.000Z' },
    ])
  }
})

parse('reads Atom with all text types, persons and links, under any prefix', () => {
  const entry = (p: string) => `<${p}entry><${p}source><${p}title>Source</${p}title></${p}source>
    <${p}title>1 &lt; 2 &amp;amp;</${p}title><${p}author><${p}name>Ann</${p}name><${p}uri>u</${p}uri></${p}author>
    <${p}link rel="replies" href="/replies"/><${p}link href="/entry?a=1&amp;b=2"/><${p}updated>2020-01-01T00:00:00Z</${p}updated>
    <${p}content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>a &lt;</p><p>b<br/>c</p></div></${p}content></${p}entry>`
  const expected = {
    title: '1 < 2 &amp;',
    url: '/entry?a=1&b=2',
    author: 'Ann',
    date: '2020-01-01T00:00:00.000Z',
    text: 'a < b c',
  }
  const atom = 'http://www.w3.org/2005/Atom'
  assert.equal(parseFeed(`<feed xmlns="${atom}"><title>F</title>${entry('')}${entry('')}</feed>`), [expected, expected])
  assert.equal(parseFeed(`<x:feed xmlns:x="${atom}">${entry('x:')}</x:feed>`), [expected])
  const html = '<entry><title type="html">&lt;b&gt;Bold&lt;/b&gt; &amp;amp;</title></entry>'
  assert.equal(parseFeed(`<feed xmlns="${atom}">${html}</feed>`), [{ ...NOTHING, title: 'Bold &' }])
})

parse('returns the newest entries first, and the order of the feed where dates are missing', () => {
  const dated = (day: number) =>
    `<item><title>${day}</title><pubDate>2020-01-${String(day).padStart(2, '0')}</pubDate></item>`
  const feed = (items: string) => parseFeed(`<rss><channel>${items}</channel></rss>`)!.map(({ title }) => title)
  const days = Array.from({ length: 31 }, (_, at) => at + 1)
  assert.equal(feed(days.map(dated).join('')), days.slice(11).reverse().map(String))
  assert.equal(feed(`${dated(1)}<item><title>none</title></item>${dated(2)}`), ['1', 'none', '2'])
})

parse('limits the number of entries and the length of their fields', () => {
  const long = 'ä'.repeat(50_000)
  const [entry] = parseFeed(
    item(`<title>${long}</title><link>${long}</link><author>${long}</author><description>${long}</description>`),
  )!
  assert.equal(
    [entry!.title.length, entry!.url.length, entry!.author.length, entry!.text.length],
    [500, 2000, 200, 2000],
  )
  assert.is(parseFeed(`<rss>${'<item><title>a</title></item>'.repeat(10_000)}</rss>`)!.length, 20)
})

parse('returns null for a text that is not a feed, and the complete entries of a truncated feed', () => {
  for (const text of [
    '',
    'plain',
    '<html><body><item><title>a</title></item></body></html>',
    '<!DOCTYPE html><p>',
    '{}',
  ]) {
    assert.is(parseFeed(text), null, text)
  }
  assert.equal(parseFeed('<rss/>'), [])
  assert.equal(parseFeed('<rss><item><title>a</title></item><item><title>b'), [{ ...NOTHING, title: 'a' }])
})

parse('decodes by byte order mark, header and declaration', () => {
  const declared = (label: string) => `<?xml version="1.0" encoding="${label}"?><rss>ä`
  const latin = Buffer.from(declared('iso-8859-1'), 'latin1')
  assert.match(decodeFeed(latin, null), 'ä')
  assert.match(decodeFeed(Buffer.from('<rss>ä', 'latin1'), 'text/xml; charset=ISO-8859-1'), 'ä')
  assert.match(
    decodeFeed(Buffer.from(`\ufeff${declared('iso-8859-1')}`, 'utf8'), 'text/xml; charset=windows-1252'),
    'ä',
  )
  assert.match(decodeFeed(Buffer.from(`\ufeff${declared('utf-16')}`, 'utf16le'), null), '<rss>ä')
  assert.match(decodeFeed(Buffer.from(`\ufeff${declared('utf-16')}`, 'utf16le').swap16(), 'text/xml'), '<rss>ä')
  assert.match(decodeFeed(Buffer.from(declared('nonsense')), 'text/xml; charset=none'), 'ä')
})

/** Texts whose parsing could take more than linear time, by size. */
const LARGE: Readonly<Record<string, (part: (text: string) => string) => string>> = {
  'links of an entry': (many) => `<feed><entry>${many('<link rel="x" href="y"/>')}</entry></feed>`,
  'open elements': (many) => `<rss><item>${many('<a>')}`,
  'elements that close others': (many) => `<rss><item>${many('<a>')}${many('</b>')}`,
  'open fields': (many) => `<rss><item>${many('<title>')}`,
  entries: (many) => `<rss>${many('<item><title>a</title></item>')}</rss>`,
  'entries without an end': (many) => `<rss>${many('<item>')}`,
  'text of a field': (many) => `<rss><item><title>${many('a &amp;lt;p&amp;gt; ')}</title></item></rss>`,
  'HTML of a field': (many) => `<rss><item><description><![CDATA[${many('<p><b')}]]></description></item></rss>`,
  'a long name': (many) => `<rss><item><${many('abcd')}>${many('<a/>')}`,
  'a long namespace': (many) => `<rss xmlns="${many('abcd')}"><item>${many('<a/>')}`,
  namespaces: (many) => `<rss>${many('<a xmlns:b="c">')}${many('</a>')}`,
  attributes: (many) => `<rss ${many('a="b" ')}><item/></rss>`,
  'comments and declarations': (many) => `${many('<!-- -- <!A ')}<rss/>`,
  'CDATA without an end': (many) => `<rss><item><title>${many('<![CDATA[ ]] ')}`,
  instructions: (many) => `${many('<?a ')}<rss/>`,
}

for (const [name, make] of Object.entries(LARGE)) {
  parse(`takes time in proportion to its text: ${name}`, () =>
    growsLinearly(name, (size) => parseFeed(make((part) => part.repeat(size / 8))), 800_000),
  )
}

parse.run()
