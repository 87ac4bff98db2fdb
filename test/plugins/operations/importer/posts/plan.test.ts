import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../../helpers/site.ts'
import { stores } from '../../../../helpers/stores.ts'
import { createImporter, byId, inUse, rows } from '../importing.ts'
import { noteLines } from '../../../../../plugins/operations/importer/report.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`existing posts in an import: ${kind.name}`)

  test('are recognized after a change of their date or slug', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await importInto(store)
    await store.run(store.db.updateTable('posts').set({ slug: 'may-roses' }).where('id', '=', 120))
    await store.run(
      store.db.updateTable('posts').set({ date: '2020-01-01 00:00:00', status: 'private' }).where('id', '=', 130),
    )
    const report = await importInto(store)
    assert.is(report.counts['page items']?.alreadyHere, 2)
    assert.is(report.counts['post items']?.alreadyHere, 3)
    assert.is((await rows(store, 'posts')).length, 14)
  })

  test('that were deleted here stay deleted, unless the import restores them', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await importInto(store)
    await store.run(store.db.deleteFrom('comments').where('id', '=', 32))
    await store.run(store.db.deleteFrom('posts').where('id', '=', 122))
    await store.run(store.db.deleteFrom('terms').where('slug', '=', 'roses'))
    const again = await importInto(store)
    const skipped = 'deleted here; add them again with --restore'
    for (const objects of ['post items', 'comments', 'category terms']) {
      assert.is(again.counts[objects]?.imported, 0, objects)
      assert.is(again.counts[objects]?.skipped[skipped], 1, objects)
    }
    const restored = await importInto(store, { restore: true })
    for (const objects of ['post items', 'comments', 'category terms']) {
      assert.is(restored.counts[objects]?.imported, 1, objects)
    }
    const posts = await byId(store, 'posts')
    assert.is(posts.get(122)?.status, 'publish')
    assert.is(posts.get(120)?.comment_count, 4)
    const [comment] = (await rows(store, 'comments')).filter(({ content }) => content === 'What is it called?')
    assert.is(comment?.parent_id, 31)
  })

  test('keep their slug, and a new item with the same slug gets another one', async () => {
    await using opened = await kind.open()
    await inUse(opened.store)
    const report = await importInto(opened.store)
    const posts = await rows(opened.store, 'posts')
    assert.is(posts.find(({ title }) => title === 'About')?.slug, 'about-2')
    assert.ok(noteLines(report).some((note) => note.includes('about-2')))
    await importInto(opened.store)
    assert.is((await rows(opened.store, 'posts')).length, posts.length)
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}
