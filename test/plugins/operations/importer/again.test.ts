import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { framesToEmbeds } from '../../../../plugins/operations/importer/frames.ts'
import { lossesOf } from '../../../../plugins/operations/importer/html-losses.ts'
import { valueRules } from '../../../../plugins/operations/importer/record-values.ts'
import { writingRules } from '../../../../plugins/operations/importer/text-filter.ts'
import { noteLines } from '../../../../plugins/operations/importer/report.ts'
import { serve } from '../../../helpers/site.ts'
import { stores } from '../../../helpers/stores.ts'
import { createImporter, one, rows } from './importing.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

const fileOf = (records: string) =>
  one(`<rss xmlns:wp="w" xmlns:content="c"><channel><title>Old</title><wp:wxr_version>1.2</wp:wxr_version>
    <wp:base_blog_url>http://old.example</wp:base_blog_url>${records}</channel></rss>`)
const item = (id: number, title: string, more = '') =>
  `<item><title>${title}</title><guid>http://old.example/?p=${id}</guid><wp:post_id>${id}</wp:post_id>
  <wp:post_name>t${id}</wp:post_name><wp:post_date>2020-01-01 10:00:00</wp:post_date><wp:status>publish</wp:status>
  <wp:post_type>post</wp:post_type>${more}</item>`
const content = (text: string) => `<content:encoded><![CDATA[${text}]]></content:encoded>`
const comment = (id: number, text: string, approved: string) =>
  `<wp:comment><wp:comment_id>${id}</wp:comment_id><wp:comment_content>${text}</wp:comment_content>
  <wp:comment_approved>${approved}</wp:comment_approved><wp:comment_date>2020-01-02 10:00:00</wp:comment_date></wp:comment>`
const meta = (key: string, value: string) =>
  `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>${value}</wp:meta_value></wp:postmeta>`
const category = (slug: string, name: string) =>
  `<wp:category><wp:term_id>7</wp:term_id><wp:category_nicename>${slug}</wp:category_nicename><wp:cat_name>${name}</wp:cat_name></wp:category>`

for (const kind of stores) {
  const test = suite(`a second import: ${kind.name}`)

  test('updates what was not changed here, and keeps the rest', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const first =
      category('news', 'News') +
      item(1, 'One', meta('mood', 'good') + comment(11, 'A', '0') + comment(12, 'B', '1')) +
      item(2, 'Two') +
      item(3, 'Three')
    await importInto(store, { source: fileOf(first) })
    await store.run(store.db.updateTable('posts').set({ title: 'Mine' }).where('id', '=', 2))
    await store.run(store.db.updateTable('comments').set({ approved: 'spam' }).where('id', '=', 12))
    await store.run(store.db.insertInto('post_meta').values({ post_id: 1, key: 'views', value: '5' }))
    const second =
      category('latest', 'Latest') +
      item(1, 'One, newer', meta('mood', 'better') + comment(11, 'A', '1') + comment(12, 'B, newer', '1')) +
      item(2, 'Two, newer') +
      item(3, 'Three')
    const report = await importInto(store, { source: fileOf(second) })
    assert.equal((await rows(store, 'posts')).map(({ id, title }) => `${id} ${title}`).sort(), [
      '1 One, newer',
      '2 Mine',
      '3 Three',
    ])
    assert.equal((await rows(store, 'post_meta')).map(({ key, value }) => `${key}=${value}`).sort(), [
      'mood=better',
      'views=5',
    ])
    assert.equal(
      (await rows(store, 'comments')).map(({ id, content: text, approved }) => `${id} ${text} ${approved}`).sort(),
      ['11 A 1', '12 B spam'],
    )
    assert.is((await rows(store, 'posts')).find(({ id }) => id === 1)?.comment_count, 1)
    assert.equal(
      (await rows(store, 'terms')).map(({ id, slug, name }) => [id, slug, name]),
      [[7, 'latest', 'Latest']],
    )
    const { 'post items': posts, comments, 'category terms': terms } = report.counts
    assert.equal(
      [posts?.imported, posts?.updated, posts?.alreadyHere, posts?.skipped],
      [0, 1, 1, { 'changed here; kept': 1 }],
    )
    assert.equal([comments?.updated, comments?.skipped], [1, { 'changed here; kept': 1 }])
    assert.is(terms?.updated, 1)
  })

  test('repairs the texts that an earlier one filtered, and reports the losses by kind', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const html =
      '<p onclick="x()">a</p><script>b()</script><form action="/"><input></form><a href="javascript:c()">d</a>'
    const report = await importInto(store, { source: fileOf(item(1, 'One', content(html))) })
    const lines = noteLines(report).filter((line) => line.includes('HTML that the filter removed'))
    for (const part of ['<script>', '<form>', '<input>', 'onclick=', 'javascript:']) {
      assert.ok(
        lines.some((line) => line.includes(`removed: ${part}`)),
        part,
      )
    }
    assert.ok(lines.every((line) => line.includes('--trust-html')))
    const again = await importInto(store, {
      source: fileOf(item(1, 'One', content(html))),
      trustHtml: 'administrators',
    })
    assert.is((await rows(store, 'posts'))[0]?.content, html)
    assert.is(again.counts['post items']?.updated, 1)
  })

  test('filters contents if administrators of this site may not write any HTML', async () => {
    await using opened = await kind.open()
    const { services } = site.kernel
    const rules = { ...writingRules(services), ...valueRules(services), mayWriteHtml: () => false }
    const source = fileOf(item(1, 'One', content('<p onclick="x()">a</p>')))
    await importInto(opened.store, { source, rules, trustHtml: 'administrators' })
    assert.is((await rows(opened.store, 'posts'))[0]?.content, '<p>a</p>')
  })

  test('never assigns an object of the old site to a new one with its former ID', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await importInto(store, { source: fileOf(item(1, 'One')) })
    await store.run(store.db.deleteFrom('posts').where('id', '=', 1))
    await store.run(store.db.insertInto('posts').values({ id: 1, title: 'Mine', slug: 'mine' }))
    const image = content('<!-- wp:block {"ref":1} /-->')
    await importInto(store, { source: fileOf(item(1, 'One, newer') + item(2, 'Two', image)) })
    const posts = await rows(store, 'posts')
    assert.is(posts.find(({ id }) => id === 1)?.title, 'Mine')
    assert.is(posts.find(({ title }) => title === 'Two')?.content, '<!-- wp:block {"ref":0} /-->')
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}

const frames = suite('frames of an import')

frames('of known providers become embed blocks, and others stay', () => {
  const text = framesToEmbeds('<p>a</p><iframe width="5" src="//www.youtube.com/embed/dQw4w9WgXcQ?rel=0"></iframe>')
  assert.match(text, 'https://www.youtube.com/watch?v=dQw4w9WgXcQ')
  assert.match(
    text,
    '<!-- wp:embed {"url":"https://www.youtube.com/watch?v=dQw4w9WgXcQ","providerNameSlug":"youtube"} -->',
  )
  assert.match(framesToEmbeds(`<iframe src='https://player.vimeo.com/video/7'/>`), 'https://vimeo.com/7')
  for (const other of [
    '<iframe src="https://evil.test/embed/1"></iframe>',
    '<iframe src="https://www.youtube.com.evil.test/embed/dQw4w9WgXcQ"></iframe>',
    '<iframe src="javascript:alert(1)"></iframe>',
  ]) {
    assert.is(framesToEmbeds(other), other)
  }
})

frames('and other lost parts are counted', () => {
  assert.equal(
    lossesOf('<p style="x">a</p><iframe src="https://a.test"></iframe><p>', '<p>a</p><p></p>'),
    new Map([
      ['style=', 1],
      ['<iframe>', 1],
      ['src=', 1],
    ]),
  )
})

frames.run()
