import { readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../../helpers/site.ts'
import { stores } from '../../../../helpers/stores.ts'
import { createImporter, byId, garden, one, rows } from '../importing.ts'
import { noteLines } from '../../../../../plugins/operations/importer/report.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`posts of an import: ${kind.name}`)

  test('keep their passwords, but revisions get none', async () => {
    await using opened = await kind.open()
    const text = (await readFile(garden, 'utf8')).replaceAll(
      'post_password><![CDATA[]]>',
      'post_password><![CDATA[word]]>',
    )
    await importInto(opened.store, { source: one(text) })
    const posts = [...(await byId(opened.store, 'posts')).values()]
    for (const { type, password } of posts) assert.is(password !== '', type !== 'revision', type)
  })

  test('keep their meta in order and under neutral keys', async () => {
    await using opened = await kind.open()
    await importInto(opened.store)
    const meta = await rows(opened.store, 'post_meta')
    const metaOf = (id: number) => meta.filter(({ post_id }) => post_id === id).sort((one, other) => one.id - other.id)
    assert.equal(
      metaOf(120).map(({ key, value, json }) => [key, value, json]),
      [
        ['_thumbnail_id', '110', 0],
        ['colours', 'red', 0],
        ['colours', 'white', 0],
        ['soil', '{"ph":6.5,"home":"https://new.test/soil-a/"}', 1],
        ['note', 'a:1:{broken', 0],
        ['_edit_last', '2', 0],
        ['_old_slug', 'roses', 0],
      ],
    )
    assert.is(metaOf(131)[0]?.key, '_page_template')
    const [file, facts] = metaOf(110)
    assert.equal([file?.key, file?.value], ['_attached_file', '2024/05/rose.jpg'])
    assert.equal(Object.keys(JSON.parse(facts?.value ?? '').sizes), ['thumbnail'])
  })

  test('include items with a duplicate ID or an ID that is too large', async () => {
    await using opened = await kind.open()
    const post = (id: string, title = id) =>
      `<item><title>${title}</title><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type></item>`
    const source = one(
      `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${post('5')}${post('5', 'Other')}${post('5')}${post('99999999999999')}</channel></rss>`,
    )
    const report = await importInto(opened.store, { source })
    assert.equal((await rows(opened.store, 'posts')).map(({ id }) => id).sort(ascending), [5, 6, 7])
    assert.ok(noteLines(report).some((note) => note.includes('whose ID is used by another item')))
    assert.is(report.counts['post items']?.alreadyHere, 1)
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}

const ascending = (one: number, other: number) => one - other
