import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ImportOptions, ImportReport } from '../../../../plugins/operations/importer/index.ts'
import type { Database, Row } from '../../../../plugins/storage/store/schema.ts'
import { as, CONTENT_PLUGINS, serveOn, startOnly, type Site } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { one, rows } from './importing.ts'

startOnly('importer', ...CONTENT_PLUGINS)

const DATE = '2021-03-04 05:06:07'
const WRITER = '<wp:author><wp:author_login>ida</wp:author_login></wp:author>'

type Fields = Readonly<Record<string, string | undefined>>

/** Formats elements with escaped texts; an undefined text leaves the element out. */
const elements = (fields: Fields) =>
  Object.entries(fields)
    .map(([name, text]) => (text === undefined ? '' : `<${name}>${text}</${name}>`))
    .join('')

/** A published post in one line; its ID is also in its slug. */
const item = (id: number, fields: Fields = {}, more = '') =>
  `<item>${elements({
    title: `Item ${id}`,
    'dc:creator': 'ida',
    'wp:post_id': `${id}`,
    'wp:post_date': DATE,
    'wp:post_date_gmt': DATE,
    'wp:post_name': `item-${id}`,
    'wp:status': 'publish',
    'wp:post_type': 'post',
    ...fields,
  })}${more}</item>`

const comment = (id: number, fields: Fields = {}) =>
  `<wp:comment>${elements({
    'wp:comment_id': `${id}`,
    'wp:comment_author': `Guest ${id}`,
    'wp:comment_content': `c${id}`,
    'wp:comment_date': DATE,
    'wp:comment_date_gmt': DATE,
    'wp:comment_approved': '1',
    ...fields,
  })}</wp:comment>`

const meta = (key: string, value: string) =>
  `<wp:postmeta>${elements({ 'wp:meta_key': key, 'wp:meta_value': `<![CDATA[${value}]]>` })}</wp:postmeta>`

/** An export with each record in a line of its own, from line 2. */
const fileOf = (...records: string[]) =>
  `<rss xmlns:wp="w" xmlns:content="c" xmlns:dc="d"><channel><title>Old</title><wp:wxr_version>1.2</wp:wxr_version>\n${records.join('\n')}\n</channel></rss>`

/** The repairs of a report in short: `line code item`. */
const repairsOf = ({ repairs }: ImportReport) =>
  repairs.map(({ code, line, item: label }) => `${line} ${code} ${label}`)

for (const { name, make } of places) {
  const test = suite(`an import of faulty records: ${name}`)

  const importTo = (site: Site, records: readonly string[], options: Partial<ImportOptions> = {}) =>
    site.kernel.services.importer.run({ source: one(fileOf(...records)), ...options })

  const byKey = async <T extends keyof Database, K extends keyof Row<T>>(site: Site, table: T, key: K) =>
    new Map((await rows(site.store, table)).map((row) => [row[key], row]))

  test('uses the next valid date of an item or comment, and the time of the import without one', async () => {
    await using site = await serveOn(await make())
    const started = Date.now()
    const gmt = '2011-12-13 14:15:16'
    const rss = 'Tue, 13 Dec 2011 14:15:16 +0000'
    const none = { 'wp:post_date': undefined, 'wp:post_date_gmt': undefined }
    const report = await importTo(site, [
      item(1, { pubDate: 'Tue, 13 Dec 20111 14:15:16 +0000' }),
      item(2, { 'wp:post_date': '2021-02-29 08:00:00', 'wp:post_date_gmt': gmt }),
      item(3, { 'wp:post_date': '2021-13-45 77:88:99', 'wp:post_date_gmt': '2021-04-31 00:00:00', pubDate: rss }),
      item(4, { 'wp:post_date': '2021-06-31 10:00:00', 'wp:post_date_gmt': '0000-00-00 00:00:00' }),
      item(5, { ...none, pubDate: 'Wed, 32 Dec 2011 14:15:16 +0000', 'wp:post_modified': gmt }),
      item(6, { 'wp:post_modified': '2020-00-10 10:00:00' }),
      item(7, {}, comment(1, { 'wp:comment_date': '2021-11-31 10:00:00', 'wp:comment_date_gmt': gmt })),
      item(8, {}, comment(2, { 'wp:comment_date': 'soon', 'wp:comment_date_gmt': '2021-01-01 24:61:00' })),
      item(9),
    ])
    assert.equal(repairsOf(report), [
      '2 invalid-date Item 1',
      '3 invalid-date Item 2',
      '4 invalid-date Item 3',
      '4 invalid-date Item 3',
      '5 invalid-date Item 4',
      '5 missing-date Item 4',
      '6 invalid-date Item 5',
      '7 invalid-date Item 6',
      '8 invalid-date Item 7',
      '9 invalid-date Item 8',
      '9 invalid-date Item 8',
      '9 missing-comment-date Item 8',
    ])
    assert.is(report.repairs[0]!.value, 'Tue, 13 Dec 20111 14:15:16 +0000')
    const posts = await byKey(site, 'posts', 'id')
    const dates = [1, 2, 3, 5, 6, 9].map((id) => [posts.get(id)?.date, posts.get(id)?.date_gmt])
    assert.equal(dates, [
      [DATE, DATE],
      [gmt, gmt],
      [gmt, gmt],
      [gmt, gmt],
      [DATE, DATE],
      [DATE, DATE],
    ])
    assert.is(posts.get(6)?.modified, DATE)
    const now = Date.parse(`${posts.get(4)?.date_gmt}Z`)
    assert.ok(now >= started - 1000 && now <= Date.now(), `${posts.get(4)?.date_gmt}`)
    const comments = await byKey(site, 'comments', 'id')
    assert.equal(
      [1, 2].map((id) => comments.get(id)?.date_gmt),
      [gmt, DATE],
    )
  })

  test('keeps bare ampersands as text, and reports each text with its line', async () => {
    await using site = await serveOn(await make())
    const report = await importTo(
      site,
      [
        item(1, { title: 'Salt & Pepper' }),
        item(2, { guid: 'http://old.example/?post_type=a&p=2&copy=1' }),
        item(3, { 'content:encoded': '<![CDATA[a & b]]>' }),
        item(4, { 'wp:post_date': DATE }, '<category domain="category" nicename="food">Food & Drink</category>'),
        item(5, { title: 'Salt &amp; Pepper' }),
      ],
      { trustHtml: true },
    )
    assert.equal(repairsOf(report), [
      '2 bare-ampersand Salt & Pepper',
      '3 bare-ampersand Item 2',
      '5 bare-ampersand Item 4',
    ])
    const posts = await byKey(site, 'posts', 'id')
    assert.is(posts.get(1)?.title, 'Salt & Pepper')
    assert.is(posts.get(2)?.guid, 'http://old.example/?post_type=a&p=2&copy=1')
    assert.is(posts.get(3)?.content, 'a & b')
    assert.is(posts.get(5)?.title, 'Salt & Pepper')
    assert.match((await byKey(site, 'terms', 'slug')).get('food')?.name ?? '', /^Food &(amp;)? Drink$/)
  })

  test('keeps CDATA marks within texts, and reads the records after them', async () => {
    await using site = await serveOn(await make())
    const report = await importTo(
      site,
      [
        item(1, { 'content:encoded': '<![CDATA[one <![CDATA[ two ]]> three]]>' }),
        item(2, { 'content:encoded': '<![CDATA[x[y[0]]> z]]>' }, meta('note', 'a ]]> b')),
        item(3, { 'content:encoded': '<![CDATA[split ]]]]><![CDATA[> mark]]>' }),
        item(4),
      ],
      { trustHtml: true },
    )
    assert.equal(repairsOf(report), ['2 nested-cdata Item 1', '3 nested-cdata Item 2', '3 nested-cdata Item 2'])
    const posts = await byKey(site, 'posts', 'id')
    assert.equal(
      [1, 2, 3].map((id) => posts.get(id)?.content),
      ['one <![CDATA[ two ]]> three', 'x[y[0]]> z', 'split ]]> mark'],
    )
    assert.is((await byKey(site, 'post_meta', 'key')).get('note')?.value, 'a ]]> b')
    assert.is(report.counts['post items']?.imported, 4)
  })

  test('publishes neither items nor comments that lack their state', async () => {
    await using site = await serveOn(await make())
    const absent = { 'wp:status': undefined }
    const report = await importTo(site, [
      `<item><title>Stub</title><wp:post_id>1</wp:post_id>${comment(9)}</item>`,
      item(2, absent),
      item(3, { 'wp:status': '', 'wp:post_type': 'page' }),
      item(4, { ...absent, 'wp:post_type': 'attachment', 'wp:attachment_url': 'http://old.example/a.png' }),
      item(5, { 'wp:status': 'approved' }),
      item(6, {}, comment(1, { 'wp:comment_approved': undefined }) + comment(2, { 'wp:comment_approved': 'maybe' })),
    ])
    assert.equal(repairsOf(report), [
      '2 missing-type Stub',
      '3 missing-status Item 2',
      '4 missing-status Item 3',
      '5 missing-status Item 4',
      '6 unknown-status Item 5',
      '7 missing-approval Item 6',
      '7 unknown-approval Item 6',
    ])
    const posts = await byKey(site, 'posts', 'id')
    assert.equal(
      [1, 2, 3, 4, 5, 6].map((id) => posts.get(id)?.status),
      [undefined, 'draft', 'draft', 'private', 'draft', 'publish'],
    )
    assert.equal(report.counts['items']?.skipped, { 'no type': 1 })
    assert.equal(report.counts['comments']?.skipped, { 'their item has no type': 1 })
    assert.equal(
      (await rows(site.store, 'comments')).map(({ approved }) => approved),
      ['0', '0'],
    )
    assert.equal(
      (await site.json('/svc/v2/posts')).map(({ id }: { id: number }) => id),
      [6],
    )
    assert.equal(await site.json('/svc/v2/pages'), [])
    assert.equal(await site.json('/svc/v2/comments'), [])
  })

  test('gives slugs the form that the REST API stores, and logins the form of logins', async () => {
    await using site = await serveOn(await make(), { only: ['importer', 'roles', ...CONTENT_PLUGINS] })
    const slugs = ['Über uns.html', 'Größe 2 🎈', '  Two  Words ', 'C++ (new)', '日本語', '%E3%81%82']
    const create = async (route: string, slug: string, index: number): Promise<string> => {
      const fields = { title: `R${index}`, name: `R${index}`, slug, status: 'publish' }
      const response = await site.request(`/svc/v2/${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...as('administrator') },
        body: JSON.stringify(fields),
      })
      assert.is(response.status, 201, await response.clone().text())
      return ((await response.json()) as { slug: string }).slug
    }
    const pages: string[] = []
    const tags: string[] = []
    for (const [index, slug] of slugs.entries()) {
      pages.push(await create('pages', slug, index))
      tags.push(await create('tags', slug, index))
    }
    const report = await importTo(site, [
      '<wp:author><wp:author_login>Jörg Müller/2</wp:author_login></wp:author>',
      ...slugs.map((slug, index) =>
        item(
          100 + index,
          { title: `P${index}`, 'wp:post_name': slug, 'dc:creator': 'Jörg Müller/2' },
          `<category domain="category" nicename="${slug}">C${index}</category>`,
        ),
      ),
    ])
    const posts = await byKey(site, 'posts', 'title')
    const terms = await byKey(site, 'terms', 'name')
    assert.equal(
      slugs.map((_slug, index) => posts.get(`P${index}`)?.slug),
      pages,
    )
    assert.equal(
      slugs.map((_slug, index) => terms.get(`C${index}`)?.slug),
      tags,
    )
    const codes = repairsOf(report)
    assert.is(codes[0], '2 invalid-login Jörg Müller/2')
    assert.ok(codes.includes('3 invalid-slug P0'))
    assert.ok(codes.includes('4 invalid-slug P1'))
    const authors = await byKey(site, 'users', 'id')
    assert.is(authors.get(posts.get('P0')!.author_id)?.login, 'Jorg Muller2')
  })

  test('repairs serialized values with wrong lengths, and counts those that it cannot read', async () => {
    await using site = await serveOn(await make())
    const values = {
      moved: 'a:2:{s:3:"url";s:99:"https://old.example/a.webp";s:4:"text";s:4:"x\ny";}',
      accents: 'a:1:{s:4:"name";s:3:"äöü";}',
      nested: 'a:1:{s:1:"a";a:1:{i:0;s:1:"long; \\"text\\"";}}',
      sound: 'a:1:{s:4:"name";s:6:"äöü";}',
      cut: 'a:3:{s:1:"a";i:1;s:1:"b"',
      object: 'O:6:"Widget":1:{s:1:"a";i:1;}',
    }
    const report = await importTo(site, [
      item(
        1,
        {},
        Object.entries(values)
          .map((entry) => meta(...entry))
          .join('')
          .replaceAll('\\"', '"'),
      ),
    ])
    const stored = await byKey(site, 'post_meta', 'key')
    const valueOf = (key: string) => {
      const row = stored.get(key)
      return row?.json ? JSON.parse(row.value) : row?.value
    }
    assert.is(valueOf('moved').url, 'https://old.example/a.webp')
    assert.match(valueOf('moved').text, /^x\r?\ny$/)
    assert.equal(valueOf('accents'), { name: 'äöü' })
    assert.equal(valueOf('nested'), { a: ['long; "text"'] })
    assert.equal(valueOf('sound'), { name: 'äöü' })
    assert.is(valueOf('cut'), values.cut)
    assert.equal(valueOf('object'), { a: 1 })
    assert.equal(repairsOf(report), [
      ...Array(3).fill('2 serialized-lengths Item 1'),
      '2 serialized-broken Item 1',
      '2 serialized-class Item 1',
    ])
    const broken = report.notes.find(({ text }) => text.startsWith('serialized value that cannot be read'))
    assert.is(broken?.count, 1)
  })

  test('gives items without a comment status that of a post created over REST', async () => {
    for (const status of ['open', 'closed']) {
      await using site = await serveOn(await make(), { only: ['importer', 'roles', ...CONTENT_PLUGINS] })
      await site.kernel.services.options.set('default_comment_status', status)
      await site.kernel.services.options.set('default_ping_status', status)
      const opposite = status === 'open' ? 'closed' : 'open'
      const report = await importTo(site, [
        item(1),
        item(2, { 'wp:comment_status': '', 'wp:post_type': 'page' }),
        item(3, { 'wp:comment_status': opposite, 'wp:ping_status': opposite }),
        item(4, { 'wp:comment_status': 'perhaps' }),
      ])
      const posts = await byKey(site, 'posts', 'id')
      const shown = (id: number) => [posts.get(id)?.comment_status, posts.get(id)?.ping_status]
      for (const [route, id] of [
        ['posts', 1],
        ['pages', 2],
      ] as const) {
        const created = await site.request(`/svc/v2/${route}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...as('administrator') },
          body: JSON.stringify({ title: 'New' }),
        })
        const fields = (await created.json()) as Record<string, unknown>
        assert.equal(shown(id), [fields['comment_status'], fields['ping_status']], route)
      }
      assert.equal(shown(1), [status, status])
      assert.equal(shown(3), [opposite, opposite])
      assert.is(shown(4)[0], 'closed')
      assert.equal(repairsOf(report), ['5 invalid-discussion Item 4'])
    }
  })

  test('names the file of a repair if several files are imported', async () => {
    await using site = await serveOn(await make())
    const files = [fileOf(WRITER, item(1)), fileOf(item(2), item(3, { title: 'You & I' }))]
    const sources = files.map((text, index) => ({ name: `part-${index + 1}.xml`, source: one(text) }))
    const report = await site.kernel.services.importer.run({ sources })
    assert.equal(
      report.repairs.map(({ code, file, line, item: label }) => [code, file, line, label]),
      [['bare-ampersand', 'part-2.xml', 3, 'You & I']],
    )
    assert.is(report.counts['post items']?.imported, 3)
  })

  test.run()
}
