import { createReadStream } from 'node:fs'
import { mkdtempDisposable, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SaxesParser } from 'saxes'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readWxr } from '../../../../plugins/operations/importer/wxr/reader.ts'
import type { WxrItem, WxrRecord } from '../../../../plugins/operations/importer/wxr/types.ts'
import { serveOn, CONTENT_PLUGINS, startOnly, type Site } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { exportTo, HOME, importFrom, withoutDate } from './exporting.ts'

startOnly('exporter', 'importer', 'themes', ...CONTENT_PLUGINS)

const garden = new URL('../../../fixtures/garden.wxr.xml', import.meta.url)
const gardenSite = fileURLToPath(new URL('../../../fixtures/garden.site.json', import.meta.url))

for (const { name, make } of places) {
  const wxr = suite(`wxr export: ${name}`)

  wxr('imports into an empty site, whose export is equal but for its date', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
    const site = join(folder.path, 'site.json')
    const options = { site, passwordHashes: true }
    await using first = await serveOn(await make(), { home: HOME })
    await importFrom(first, garden, { siteFiles: [gardenSite], trustHtml: true })
    const exported = await exportTo(first, folder.path, options)
    const siteFile = await readFile(site, 'utf8')
    await using second = await serveOn(await make(), { home: HOME })
    await importFrom(second, join(folder.path, 'export.xml'), { siteFiles: [site] })
    const again = await exportTo(second, folder.path, options)
    assert.is(withoutDate(again.text), withoutDate(exported.text))
    assert.is(await readFile(site, 'utf8'), siteFile)
    assert.equal(again.report.counts, exported.report.counts)
    assert.is(exported.report.counts['svc_block items'], 1)
    assert.ok(exported.text.includes('<wp:post_type><![CDATA[wp_block]]></wp:post_type>'))
  })

  wxr('preserves texts that XML, CDATA sections and serialized values could change', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
    await using first = await serveOn(await make(), { home: HOME })
    const { store } = first
    const { db } = store
    const content = 'a ]]> b <![CDATA[ c ]]> &amp; & < \r\n\ttab \u{1F33F} ]]]]>'
    const date = '2025-01-01 00:00:00'
    const row = { title: ' <b>& "quoted" ]]></b> ', slug: 'a', date, modified: date, excerpt: ']]>' }
    await store.run(db.insertInto('posts').values({ id: 7, ...row, content, password: 'a&b<c' }))
    const values: [value: string, json: 0 | 1][] = [
      ['i:5;', 0],
      ['a:1:{i:0;s:3:"no lengths";}', 0],
      ['N;', 0],
      ['line\r\nline', 0],
      ['', 0],
      [' ', 0],
      [
        JSON.stringify({
          text: 'ü ]]> \r\n',
          list: [1, 1.5, true, null, 1e21, -0.25],
          nested: { 5: 'five', '05': 'no' },
        }),
        1,
      ],
      [JSON.stringify(['a', ['b', {}]]), 1],
    ]
    const meta = values.map(([value, json], place) => ({ post_id: 7, key: `k${place}`, value, json }))
    await store.run(db.insertInto('post_meta').values(meta))
    const exported = await exportTo(first, folder.path)
    await using second = await serveOn(await make(), { home: HOME })
    await importFrom(second, join(folder.path, 'export.xml'), { trustHtml: true })
    const [post] = await second.store.all(second.store.db.selectFrom('posts').selectAll())
    assert.equal(
      [post?.content, post?.title, post?.excerpt, post?.password],
      // Line ends become those of XML.
      [content.replace('\r\n', '\n'), row.title, row.excerpt, 'a&b<c'],
    )
    const stored = await second.store.all(db.selectFrom('post_meta').select(['value', 'json']).orderBy('id'))
    const expected = values.map(([value, json]) => ({ value: value.replace('{}', '[]').replace('\r\n', '\n'), json }))
    assert.equal(stored, expected)
    assert.is(withoutDate((await exportTo(second, folder.path)).text), withoutDate(exported.text))
  })

  wxr('is valid XML and leaves out the characters that XML does not allow', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
    await using site = await serveOn(await make(), { home: HOME })
    const { store } = site
    const hostile = 'a\u0001b\uFFFEc\u007Fd]]>'
    await store.run(store.db.insertInto('posts').values({ title: hostile, slug: 'a&b', guid: `x"<>&'` }))
    const { text } = await exportTo(site, folder.path)
    const parser = new SaxesParser({ xmlns: true })
    parser.on('error', (error) => assert.unreachable(error.message))
    parser.write(text).close()
    const [item] = await itemsIn(join(folder.path, 'export.xml'))
    assert.is(item?.title, 'abcd]]>')
    assert.is(item?.guid, `x"<>&'`)
  })

  wxr('contains every parent before its children, and terms with their meta', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
    await using site = await serveOn(await make(), { home: HOME })
    const { store } = site
    const term = (id: number, slug: string, parent_id: number, taxonomy = 'category') => ({
      id,
      slug,
      name: slug.toUpperCase(),
      parent_id,
      taxonomy,
    })
    const terms = [
      term(1, 'leaf', 2),
      term(2, 'twig', 3),
      term(3, 'tree', 0),
      term(4, 'lost', 99),
      term(5, 'soil', 0, 'bed'),
    ]
    await store.run(store.db.insertInto('terms').values(terms))
    // Two terms that are each other's parents.
    await store.run(store.db.insertInto('terms').values([term(6, 'hen', 7), term(7, 'egg', 6), term(8, 'chick', 6)]))
    await store.run(store.db.insertInto('term_meta').values({ term_id: 2, key: 'colour', value: '["green"]', json: 1 }))
    await exportTo(site, folder.path)
    const found = (await recordsIn(join(folder.path, 'export.xml'))).flatMap((record) =>
      record.kind === 'term' ? [`${record.taxonomy} ${record.slug} < ${record.parent}`] : [],
    )
    assert.equal(found, [
      'category tree < ',
      'category twig < tree',
      'category leaf < twig',
      'category lost < ',
      'category hen < egg',
      'category chick < hen',
      'category egg < hen',
      'bed soil < ',
    ])
  })

  wxr('contains the items that the filter selects, with their revisions, authors and terms', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
    await using site = await serveOn(await make(), { home: HOME })
    await importFrom(site, garden, { siteFiles: [gardenSite], trustHtml: true })
    const idsOf = async (filter: object, revisions = true) => {
      await exportTo(site, folder.path, { filter, revisions })
      return (await itemsIn(join(folder.path, 'export.xml'))).map(({ type, id }) => `${type} ${id}`)
    }
    const all = await idsOf({})
    assert.is(all.length, 13)
    assert.equal(
      await idsOf({ types: ['wp_block'] }),
      all.filter((item) => item.startsWith('wp_block')),
    )
    assert.equal(
      await idsOf({ types: ['svc_block'] }),
      all.filter((item) => item.startsWith('wp_block')),
    )
    const pages = await idsOf({ types: ['page'], statuses: ['publish'], authors: ['rosa'] })
    assert.ok(pages.length > 0 && pages.every((item) => /^(?:page|revision) /.test(item)), pages.join())
    const posts = await idsOf({ categories: ['roses'] })
    assert.ok(posts.length > 0 && posts.length < all.length)
    const records = await recordsIn(join(folder.path, 'export.xml'))
    assert.equal(
      records.flatMap((record) => (record.kind === 'term' && record.taxonomy === 'category' ? [record.slug] : [])),
      ['plants', 'roses'],
    )
    assert.equal(await idsOf({ after: '2999-01-01' }), [])
    assert.ok(!(await idsOf({}, false)).some((item) => item.startsWith('revision')))
    const codeOf = (filter: object) =>
      idsOf(filter).then(
        () => '',
        ({ code }: { code: string }) => code,
      )
    assert.equal(
      [
        await codeOf({ types: ['weed'] }),
        await codeOf({ authors: ['nobody'] }),
        await codeOf({ categories: ['weeds'] }),
        await codeOf({ after: '30.6.2025' }),
      ],
      ['EXPORT_TYPE_UNKNOWN', 'EXPORT_AUTHOR_UNKNOWN', 'EXPORT_CATEGORY_UNKNOWN', 'EXPORT_DATE_INVALID'],
    )
  })

  wxr('splits into files of a maximum size, each of which can be imported', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'svc-export-'))
    await using site = await serveOn(await make(), { home: HOME })
    const { store } = site
    const posts = Array.from({ length: 12 }, (_, place) => ({
      title: `Post ${place}`,
      slug: `post-${place}`,
      content: 'x'.repeat(place === 5 ? 30_000 : 3_000),
      date: '2025-01-01 00:00:00',
    }))
    await store.run(store.db.insertInto('posts').values(posts))
    const { report } = await exportTo(site, folder.path, { maxSize: 10_000 })
    assert.ok(report.files.length > 3, String(report.files.length))
    const titles: string[] = []
    for (const file of report.files) {
      const { length } = await readFile(file)
      const items = await itemsIn(file)
      assert.ok(length <= 10_000 || items.length === 1, `${file}: ${length} bytes, ${items.length} items`)
      titles.push(...items.map(({ title }) => title))
    }
    assert.equal(
      titles,
      posts.map(({ title }) => title),
    )
    assert.equal((await readdir(folder.path)).length, report.files.length)
    const small = await exportTo(site, folder.path, { maxSize: 100 }).then(
      () => '',
      ({ code }: { code: string }) => code,
    )
    assert.is(small, 'EXPORT_SIZE_TOO_SMALL')
    assert.equal((await readdir(folder.path)).length, report.files.length)
  })

  wxr('shows the site at one moment, and does not block writers', async () => {
    await using site = await serveOn(await make(), { home: HOME })
    const { store } = site
    const posts = Array.from({ length: 120 }, (_, place) => ({ title: `Post ${place}`, slug: `post-${place}` }))
    await store.run(store.db.insertInto('posts').values(posts))
    let text = ''
    for await (const piece of site.kernel.services.exporter.stream({})) {
      if (text === '') {
        await store.run(store.db.updateTable('posts').set({ title: 'Changed' }))
        await store.run(store.db.insertInto('posts').values({ title: 'New', slug: 'new' }))
      }
      text += String(piece)
    }
    assert.is(text.match(/<title><!\[CDATA\[Post \d+\]\]>/g)?.length, 120)
    assert.ok(text.endsWith('</rss>\n'))
  })

  wxr('ends its snapshot when the client stops reading', async () => {
    await using site = await serveOn(await make(), { home: HOME })
    await fill(site, 200)
    for await (const piece of site.kernel.services.exporter.stream({})) {
      assert.ok(String(piece).startsWith('<?xml'))
      break
    }
    await site.store.run(site.store.db.deleteFrom('posts'))
  })

  wxr.run()
}

async function fill({ store }: Site, count: number): Promise<void> {
  const posts = Array.from({ length: count }, (_, place) => ({ title: `Post ${place}`, slug: `post-${place}` }))
  await store.run(store.db.insertInto('posts').values(posts))
}

async function recordsIn(file: string): Promise<WxrRecord[]> {
  return await Array.fromAsync(readWxr(createReadStream(file)))
}

async function itemsIn(file: string): Promise<WxrItem[]> {
  return (await recordsIn(file)).filter((record) => record.kind === 'item')
}
