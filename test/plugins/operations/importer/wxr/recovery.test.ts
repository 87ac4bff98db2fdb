import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readWxr } from '../../../../../plugins/operations/importer/wxr/reader.ts'
import type { WxrAuthor, WxrItem, WxrRecord, WxrTerm } from '../../../../../plugins/operations/importer/wxr/types.ts'

const recovery = suite('recovery of WXR files')

interface Case {
  /** The rest of the test name, after "reads". */
  name: string
  /** Content of an item after its ID, or of the channel if it contains a whole item. */
  xml: string
  /** Properties of the first item. */
  item?: Partial<WxrItem>
  /** Titles of all items. */
  titles?: string[]
  author?: Partial<WxrAuthor>
  term?: Partial<WxrTerm>
  /** Codes of the repairs, in order. */
  codes: string[]
}

const cdata = (text: string) => `<![CDATA[${text}]]>`
const body = (text: string) => `<content:encoded>${text}</content:encoded>`

const CASES: Case[] = [
  {
    name: 'a bare ampersand as text',
    xml: '<title>Q & A</title>',
    item: { title: 'Q & A' },
    codes: ['bare-ampersand'],
  },
  {
    name: 'an ampersand at the end of a text',
    xml: '<title>R&amp;B &</title>',
    item: { title: 'R&B &' },
    codes: ['bare-ampersand'],
  },
  {
    name: 'an ampersand before a name without a semicolon',
    xml: '<link>http://a.test/?a=1&copy=2</link>',
    item: { link: 'http://a.test/?a=1&copy=2' },
    codes: ['bare-ampersand'],
  },
  {
    name: 'unknown entities as text',
    xml: '<title>a&nbsp;b &eacute;</title>',
    item: { title: 'a&nbsp;b &eacute;' },
    codes: ['unknown-entity'],
  },
  {
    name: 'known entities and references without a repair',
    xml: '<title>&lt;b&gt; &#65;&#x42;&apos;&quot;</title>',
    item: { title: `<b> AB'"` },
    codes: [],
  },
  {
    name: 'references to characters that do not exist as text',
    xml: '<title>a&#x110000;&#99999999;b</title>',
    item: { title: 'a&#x110000;&#99999999;b' },
    codes: [],
  },
  {
    name: 'control references by removing them',
    xml: '<title>a&#0;b&#x1F;c&#8;</title>',
    item: { title: 'abc' },
    codes: ['control-character'],
  },
  {
    name: 'halves of surrogate pairs as replacement characters',
    xml: '<title>a&#xD800;b</title>',
    item: { title: 'a\uFFFDb' },
    codes: [],
  },
  {
    name: 'an ampersand in an attribute',
    xml: '<category domain="category" nicename="q&a">Q</category>',
    item: { terms: [{ taxonomy: 'category', slug: 'q&a', name: 'Q' }] },
    codes: ['bare-ampersand'],
  },
  {
    name: 'a CDATA section within a CDATA section',
    xml: body(cdata('a <![CDATA[ b ]]> c')),
    item: { content: 'a <![CDATA[ b ]]> c' },
    codes: ['nested-cdata'],
  },
  {
    name: 'two end marks within a CDATA section',
    xml: body(cdata('x[y[0]]>1 & z]]> <b>w</b> ')),
    item: { content: 'x[y[0]]>1 & z]]> <b>w</b> ' },
    codes: ['nested-cdata'],
  },
  {
    name: 'end marks in a title and in meta',
    xml: `<title>${cdata('a]]>b')}</title><wp:postmeta><wp:meta_key>k</wp:meta_key><wp:meta_value>${cdata(']]>')}</wp:meta_value></wp:postmeta>`,
    item: { title: 'a]]>b', meta: [{ key: 'k', value: ']]>' }] },
    codes: ['nested-cdata', 'nested-cdata'],
  },
  {
    name: 'split CDATA sections without a repair',
    xml: body('<![CDATA[a ]]]]><![CDATA[> b]]>'),
    item: { content: 'a ]]> b' },
    codes: [],
  },
  {
    name: 'text and sections of one element without a repair',
    xml: body('a &amp; <![CDATA[<b>]]> c'),
    item: { content: 'a & <b> c' },
    codes: [],
  },
  {
    name: 'a CDATA section without its start mark',
    xml: '<title>Plain]]></title>',
    item: { title: 'Plain' },
    codes: ['nested-cdata'],
  },
  {
    name: 'a CDATA section without its end mark',
    xml: `<title><![CDATA[Open</title><link>http://a.test</link>${body(cdata('c'))}`,
    item: { title: 'Open', link: 'http://a.test', content: 'c' },
    codes: ['unclosed-cdata'],
  },
  {
    name: 'a content without the end mark of its section',
    xml: `${body('<![CDATA[c')}<excerpt:encoded>${cdata('e')}</excerpt:encoded><wp:post_name>s</wp:post_name>`,
    item: { content: 'c', excerpt: 'e', slug: 's' },
    codes: ['unclosed-cdata'],
  },
  {
    name: 'unescaped HTML in a content',
    xml: body('<p class="a">1 < 2</p>\n<!-- wp:more --><title>x</title>'),
    item: { content: '<p class="a">1 < 2</p>\n<!-- wp:more --><title>x</title>' },
    codes: ['unescaped-markup'],
  },
  {
    name: 'unescaped HTML in a title',
    xml: '<title>A <b>bold</b> title & <link> tags</title>',
    item: { title: 'A <b>bold</b> title & <link> tags' },
    codes: ['unescaped-markup', 'bare-ampersand'],
  },
  {
    name: 'a heart and a comparison',
    xml: '<title>I <3 you, 1<2</title>',
    item: { title: 'I <3 you, 1<2' },
    codes: ['unescaped-markup'],
  },
  { name: 'a comment within a title', xml: '<title>a<!-- x -->b</title>', item: { title: 'ab' }, codes: [] },
  {
    name: 'an end tag with another name',
    xml: '<title>One</wrong><link>http://a.test</link>',
    item: { title: 'One', link: 'http://a.test' },
    codes: ['wrong-end-tag'],
  },
  {
    name: 'the end tag of another field',
    xml: '<wp:post_parent>3</wp:post_name><wp:post_name>s</wp:post_name>',
    item: { parent: 3, slug: 's' },
    codes: ['wrong-end-tag'],
  },
  {
    name: 'a start tag with a typing mistake',
    xml: '<wp:post_nmae>s</wp:post_name>',
    item: { slug: 's' },
    codes: ['wrong-end-tag'],
  },
  {
    name: 'an element without its end tag',
    xml: '<title>One<link>http://a.test</link>',
    item: { title: 'One', link: 'http://a.test' },
    codes: ['unclosed-element'],
  },
  {
    name: 'the last element without its end tag',
    xml: '<title>One',
    item: { title: 'One' },
    codes: ['unclosed-element'],
  },
  {
    name: 'an end tag without its bracket',
    xml: '<title>One</title<link>http://a.test</link>',
    item: { title: 'One', link: 'http://a.test' },
    codes: [],
  },
  {
    name: 'an element without its start tag',
    xml: `${cdata('s')}</wp:post_name><title>T</title>`,
    item: { slug: 's', title: 'T' },
    codes: ['missing-start-tag'],
  },
  {
    name: 'text between elements by ignoring it',
    xml: 'abc<title>T</title>',
    item: { title: 'T' },
    codes: ['stray-text'],
  },
  {
    name: 'superfluous end tags',
    xml: '</p></wp:comment><title>T</title>',
    item: { title: 'T' },
    codes: ['unexpected-end-tag', 'unexpected-end-tag'],
  },
  {
    name: 'two attributes with one name',
    xml: '<category domain="post_tag" domain="category" nicename="a">A</category>',
    item: { terms: [{ taxonomy: 'post_tag', slug: 'a', name: 'A' }] },
    codes: ['duplicate-attribute'],
  },
  {
    name: 'attributes without quotation marks',
    xml: '<category domain=post_tag nicename=a>A</category>',
    item: { terms: [{ taxonomy: 'post_tag', slug: 'a', name: 'A' }] },
    codes: ['malformed-tag'],
  },
  {
    name: 'attributes in single quotation marks',
    xml: `<category domain='post_tag' nicename = 'a>b'>A</category>`,
    item: { terms: [{ taxonomy: 'post_tag', slug: 'a>b', name: 'A' }] },
    codes: [],
  },
  {
    name: 'empty elements',
    xml: '<title/><wp:post_name /><excerpt:encoded></excerpt:encoded>',
    item: { title: '', slug: '', excerpt: '' },
    codes: [],
  },
  {
    name: 'a meta value without its container',
    xml: '<wp:meta_key>k</wp:meta_key><wp:meta_value>v</wp:meta_value><wp:meta_key>l</wp:meta_key><wp:meta_value>w</wp:meta_value>',
    item: {
      meta: [
        { key: 'k', value: 'v' },
        { key: 'l', value: 'w' },
      ],
    },
    codes: ['missing-start-tag', 'missing-start-tag'],
  },
  {
    name: 'a container without its end tag',
    xml: '<wp:postmeta><wp:meta_key>k</wp:meta_key><wp:meta_value>v</wp:meta_value><wp:post_name>s</wp:post_name>',
    item: { meta: [{ key: 'k', value: 'v' }], slug: 's' },
    codes: ['unclosed-element'],
  },
  {
    name: 'line ends of Windows and of old Macs as one',
    xml: body(cdata('a\r\nb\rc')),
    item: { content: 'a\nb\nc' },
    codes: [],
  },
  {
    name: 'the first of two values',
    xml: '<wp:post_name>a</wp:post_name><wp:post_name>b</wp:post_name>',
    item: { slug: 'a' },
    codes: ['repeated-element'],
  },
  {
    name: 'an item without its end tag',
    xml: '<item><title>A</title><wp:post_id>1</wp:post_id><item><title>B</title><wp:post_id>2</wp:post_id></item>',
    titles: ['A', 'B'],
    codes: ['unclosed-element'],
  },
  {
    name: 'an item with mistakes in its start tag',
    xml: '<itm><title>A</title><wp:post_id>1</wp:post_id></item><item><title>B</title><wp:post_id>2</wp:post_id></item>',
    titles: ['A', 'B'],
    codes: ['malformed-tag'],
  },
  {
    name: 'an item without its start tag',
    xml: '<wp:post_id>1</wp:post_id><title>A</title></item><item><title>B</title><wp:post_id>2</wp:post_id></item>',
    titles: ['A', 'B'],
    codes: ['missing-start-tag'],
  },
  {
    name: 'items after an early end of the channel',
    xml: '<item><title>A</title><wp:post_id>1</wp:post_id></item></channel></rss><item><title>B</title><wp:post_id>2</wp:post_id></item>',
    titles: ['A', 'B'],
    codes: ['missing-start-tag', 'missing-start-tag'],
  },
  {
    name: 'an unclosed comment by ending it with its line',
    xml: `<!-- note\n<item><title>A</title><wp:post_id>1</wp:post_id>${body(cdata('<!-- wp:x --><!-- /wp:x -->'))}</item>`,
    titles: ['A'],
    codes: ['malformed-tag'],
  },
  {
    name: 'an author without a container',
    xml: '<wp:author_login>ann</wp:author_login><wp:author_email>a@a.test</wp:author_email><item><title>A</title><wp:post_id>1</wp:post_id></item>',
    author: { login: 'ann', email: 'a@a.test' },
    codes: ['missing-start-tag'],
  },
  {
    name: 'a term with a name that contains markup',
    xml: '<wp:tag><wp:tag_slug>q</wp:tag_slug><wp:tag_name>Q <&> A</wp:tag_name></wp:tag>',
    term: { slug: 'q', name: 'Q <&> A' },
    codes: ['unescaped-markup', 'bare-ampersand'],
  },
]

for (const { name, xml, codes, ...expected } of CASES) {
  recovery(`reads ${name}`, async () => {
    const isChannel = /<item>|<wp:author|<wp:tag>|<itm>/.test(xml)
    const inside = isChannel ? xml : `<item><wp:post_id>1</wp:post_id>${xml}</item>`
    const source = `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${inside}</channel></rss>`
    const records = await read(Buffer.from(source))
    // Items without dates are not what these tests are about.
    const found = codesOf(records).filter((code) => code !== 'missing-date')
    assert.equal(found, codes)
    const items = records.filter((record) => record.kind === 'item')
    if (expected.titles !== undefined)
      assert.equal(
        items.map(({ title }) => title),
        expected.titles,
      )
    for (const kind of ['item', 'author', 'term'] as const) {
      const record = records.find((one) => one.kind === kind) as unknown as Record<string, unknown>
      for (const [key, value] of Object.entries(expected[kind] ?? {})) assert.equal(record[key], value, key)
    }
    // The pieces in which a file arrives make no difference.
    assert.equal(await read(Buffer.from(source), 3), records)
  })
}

recovery('ignores text before and after the export, and reports it', async () => {
  const inside =
    '<channel><wp:wxr_version>1.2</wp:wxr_version><item><title>A</title><wp:post_id>1</wp:post_id></item></channel>'
  const source = `\n<b>Warning</b>: something\n<?xml version="1.0"?>\n<!-- a file -->\n<rss version="2.0">${inside}</rss>\n<!-- 12 queries -->\n0.5 seconds`
  const records = await read(Buffer.from(source))
  const around = records.filter((record) => record.kind === 'repair' && record.code.startsWith('text-'))
  assert.equal(
    around.map((record) => record.kind === 'repair' && [record.code, record.line]),
    [
      ['text-before', 2],
      ['text-after', 7],
    ],
  )
  assert.is(records.filter(({ kind }) => kind === 'item').length, 1)
})

recovery('names line and item of a repair', async () => {
  const records = await read(
    Buffer.from(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>
<item><title>First</title><wp:post_id>1</wp:post_id></item>
<item><wp:post_id>2</wp:post_id>
<content:encoded>one
two & three</content:encoded>
<title>Second</title></item></channel></rss>`),
  )
  assert.equal(
    records.filter((record) => record.kind === 'repair' && record.code === 'bare-ampersand'),
    [{ kind: 'repair', code: 'bare-ampersand', line: 5, item: 'Second', value: '&' }],
  )
})

recovery.run()

async function read(bytes: Uint8Array, size = bytes.length): Promise<WxrRecord[]> {
  const pieces = async function* () {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
  }
  return await Array.fromAsync(readWxr(pieces()))
}

function codesOf(records: readonly WxrRecord[]): string[] {
  return records.flatMap((record) => (record.kind === 'repair' ? record.code : []))
}
