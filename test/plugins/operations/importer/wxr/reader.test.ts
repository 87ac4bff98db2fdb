import { readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readWxr } from '../../../../../plugins/operations/importer/wxr/reader.ts'
import type { WxrOptions } from '../../../../../plugins/operations/importer/wxr/parser.ts'
import type { WxrItem, WxrRecord, WxrRepair } from '../../../../../plugins/operations/importer/wxr/types.ts'

const garden = new URL('../../../../fixtures/garden.wxr.xml', import.meta.url)
const wxr = suite('WXR reader')

wxr('yields the site first, then users, terms and items in order', async () => {
  const records = await all(await readFile(garden))
  assert.equal(records[0], {
    kind: 'site',
    title: 'The Garden',
    description: 'Notes & roses',
    language: 'en-GB',
    version: '1.2',
    home: 'http://garden.example',
  })
  const kinds = Object.groupBy(records, ({ kind }) => kind)
  assert.equal(
    kinds.author?.map((author) => author.kind === 'author' && author.login),
    ['rosa', 'gardener'],
  )
  assert.equal(
    kinds.term?.map((term) => term.kind === 'term' && `${term.taxonomy} ${term.slug} ${term.parent}`.trim()),
    [
      'category roses plants',
      'category plants',
      'post_tag %cf%81%cf%8c%ce%b4%ce%bf',
      'course preserves',
      'nav_menu main',
    ],
  )
  assert.is(kinds.item?.length, 15)
})

wxr('reads an item with its terms, meta and comments', async () => {
  const item = (await items(await readFile(garden))).find(({ id }) => id === 120)
  assert.ok(item)
  assert.is(item.slug, 'roses-in-may')
  assert.is(item.sticky, true)
  assert.match(item.content, '/*<![CDATA[*/ var a = 1 /*]]>*/')
  assert.equal(item.terms[1], { taxonomy: 'post_tag', slug: '%cf%81%cf%8c%ce%b4%ce%bf', name: 'ρόδο' })
  assert.equal(
    item.meta.filter(({ key }) => key === 'colours').map(({ value }) => value),
    ['red', 'white'],
  )
  assert.equal(item.comments.map(({ id, parent, approved }) => [id, parent, approved])[1], [33, 32, '1'])
  assert.equal(item.comments[0]?.meta, [{ key: 'rating', value: '5' }])
})

wxr('treats dates of zeros as missing', async () => {
  const draft = (await items(await readFile(garden))).find(({ id }) => id === 121)
  assert.is(draft?.date, '2024-05-03 09:00:00')
  assert.is(draft?.dateGmt, '')
})

wxr('yields the same records for any chunk size', async () => {
  const bytes = await readFile(garden)
  const whole = await all(bytes)
  assert.equal(await all(bytes, {}, 7), whole)
  assert.equal(await all(bytes, {}, 4096), whole)
})

wxr('counts unknown elements', async () => {
  const unknown = (await all(await readFile(garden))).filter(({ kind }) => kind === 'unknown')
  assert.equal(unknown, [
    { kind: 'unknown', name: 'wp:weather', count: 1 },
    { kind: 'unknown', name: 'item/wp:stars', count: 1 },
  ])
})

wxr('removes control characters, and reports line and record', async () => {
  const records = await all(feed('<item><wp:post_id>7</wp:post_id><title>Bell\u0007 and \u000Btab</title></item>'))
  assert.is((records[1] as WxrItem).title, 'Bell and tab')
  assert.equal(
    repairs(records).filter(({ code }) => code === 'control-character'),
    [{ kind: 'repair', code: 'control-character', line: 2, item: 'Bell and tab', value: '' }],
  )
})

wxr('S25: removes control characters that XML allows, except in serialized values', async () => {
  const meta = (value: string) =>
    `<wp:postmeta><wp:meta_key>k\u0085</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`
  const item = `<item><title>a&#x85;b&#x7f;\u009f</title><category domain="tag" nicename="c\u0085">d</category>${meta('e\u0085')}${meta('s:2:"\u0085";')}</item>`
  const records = await all(feed(item))
  const { title, terms, meta: extra } = records[1] as WxrItem
  assert.equal([title, terms[0]?.slug], ['ab', 'c'])
  assert.equal(extra, [
    { key: 'k', value: 'e' },
    { key: 'k', value: 's:2:"\u0085";' },
  ])
})

wxr('decodes the encoding of the XML declaration', async () => {
  const text = `<?xml version="1.0" encoding="ISO-8859-1"?>${feed('<item><title>Caf\u00e9</title></item>').toString()}`
  const records = await all(Buffer.from(text, 'latin1'))
  assert.is((records[1] as WxrItem).title, 'Café')
})

wxr('reads a file of version 1.0, which has neither authors nor a blog URL', async () => {
  const source = `<rss><channel><title>Old</title><link>http://old.test</link><wp:wxr_version>1.0</wp:wxr_version>
    <item><title>One</title><category><![CDATA[Fresh]]></category>
    <category domain="tag" nicename="fresh"><![CDATA[Fresh]]></category></item></channel></rss>`
  const [site, item] = await all(Buffer.from(source))
  assert.is(site?.kind === 'site' && site.home, 'http://old.test')
  assert.equal((item as WxrItem).terms, [{ taxonomy: 'post_tag', slug: 'fresh', name: 'Fresh' }])
})

wxr('reports where a truncated file ends', async () => {
  const bytes = await readFile(garden)
  const error = await failure(bytes.subarray(0, bytes.length / 2))
  assert.is(error.code, 'IMPORT_TRUNCATED')
  assert.match(error.message, /line \d+, column \d+/)
})

wxr('reads the complete part of a truncated file if the owner accepts that', async () => {
  const bytes = await readFile(garden)
  const records = await all(bytes.subarray(0, bytes.length / 2), { acceptTruncated: true })
  const whole = await items(bytes)
  const read = records.filter((record) => record.kind === 'item')
  assert.ok(read.length > 2 && read.length < whole.length)
  assert.equal(read, whole.slice(0, read.length))
  assert.equal(
    records.filter(({ kind }) => kind === 'lost'),
    [{ kind: 'lost', objects: 'items', reason: 'cut off by the end of the file', count: 1 }],
  )
  assert.ok(repairs(records).some(({ code }) => code === 'truncated'))
})

wxr('rejects a document type declaration, and expands no entity', async () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`
  const error = await failure(Buffer.from(`${bomb}<rss><channel><title>&b;</title></channel></rss>`))
  assert.is(error.code, 'IMPORT_DOCTYPE')
  assert.is((await failure(feed('<!DOCTYPE rss>'))).code, 'IMPORT_DOCTYPE')
  assert.is((await items(feed('<item><title>&f;</title></item>')))[0]?.title, '&f;')
})

wxr('rejects elements that are nested too deeply or too large', async () => {
  assert.is((await failure(feed('<list>'.repeat(100)))).code, 'IMPORT_TOO_DEEP')
  const large = feed(`<item><title>${'x'.repeat(200_000)}</title></item>`)
  assert.is((await failure(large, { record: 100_000 })).code, 'IMPORT_RECORD_TOO_LARGE')
})

wxr('rejects files that are not exports', async () => {
  assert.match((await failure(Buffer.from('<html><body>Log in</body></html>'))).message, '<html>')
  assert.is((await failure(Buffer.from(''))).code, 'IMPORT_NOT_AN_EXPORT')
  assert.is((await failure(Buffer.from('{"posts": []}'))).code, 'IMPORT_NOT_AN_EXPORT')
  assert.is((await failure(Buffer.from('<rss><channel/></rss>'))).code, 'IMPORT_NOT_AN_EXPORT')
})

wxr('treats names of Object.prototype members like other names', async () => {
  const records = await all(feed('<constructor>1</constructor><item><toString>x</toString><title>T</title></item>'))
  assert.is((records[1] as WxrItem).title, 'T')
})

wxr.run()

/** An export with this content in its channel. */
function feed(inside: string): Buffer {
  return Buffer.from(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>\n${inside}</channel></rss>`)
}

async function all(bytes: Uint8Array, limits: WxrOptions = {}, piece = bytes.length): Promise<WxrRecord[]> {
  return await Array.fromAsync(readWxr(pieces(bytes, piece), limits))
}

async function items(bytes: Uint8Array): Promise<WxrItem[]> {
  return (await all(bytes)).filter((record) => record.kind === 'item')
}

function repairs(records: readonly WxrRecord[]): WxrRepair[] {
  return records.filter((record) => record.kind === 'repair')
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function failure(bytes: Uint8Array, limits: WxrOptions = {}): Promise<Error & { code?: string }> {
  try {
    await all(bytes, limits)
  } catch (error) {
    return error as Error
  }
  throw new Error('Reading did not fail.')
}
