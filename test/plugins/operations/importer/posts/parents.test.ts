import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../../helpers/site.ts'
import { stores } from '../../../../helpers/stores.ts'
import { createImporter, one, rows } from '../importing.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`parents of an import: ${kind.name}`)

  test('breaks cycles of parents', async () => {
    await using opened = await kind.open()
    const page = (id: number, parent: number) =>
      `<item><title>${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>page</wp:post_type><wp:post_parent>${parent}</wp:post_parent>
       <wp:comment><wp:comment_id>${id}1</wp:comment_id><wp:comment_parent>${id}2</wp:comment_parent></wp:comment>
       <wp:comment><wp:comment_id>${id}2</wp:comment_id><wp:comment_parent>${id}1</wp:comment_parent></wp:comment></item>`
    const term = (slug: string, parent: string) =>
      `<wp:category><wp:category_nicename>${slug}</wp:category_nicename><wp:category_parent>${parent}</wp:category_parent></wp:category>`
    const source = one(
      `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${term('a', 'b')}${term('b', 'a')}${page(1, 2)}${page(2, 1)}${page(3, 3)}</channel></rss>`,
    )
    await importInto(opened.store, { source })
    for (const table of ['posts', 'terms', 'comments'] as const) {
      const parents = new Map((await rows(opened.store, table)).map(({ id, parent_id }) => [id, parent_id]))
      for (const start of parents.keys()) {
        let steps = 0
        for (let id = start; id !== 0; id = parents.get(id) ?? 0) assert.ok((steps += 1) < 10, `${table} ${start}`)
      }
    }
  })

  test('makes attachments of drafts that were never saved private', async () => {
    await using opened = await kind.open()
    const item = (id: number, status: string, parent: number, type = 'attachment') =>
      `<item><title>${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>${type}</wp:post_type>
       <wp:status>${status}</wp:status><wp:post_parent>${parent}</wp:post_parent></item>`
    const items = [
      item(1, 'inherit', 3),
      item(2, 'inherit', 9),
      item(3, 'auto-draft', 0, 'post'),
      item(4, 'inherit', 3),
    ]
    await importInto(opened.store, {
      source: one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${items.join('')}</channel></rss>`),
    })
    assert.equal(
      (await rows(opened.store, 'posts')).map(({ title, status, parent_id: parent }) => [title, status, parent]),
      [
        ['1', 'private', 0],
        ['2', 'inherit', 0],
        ['4', 'private', 0],
      ],
    )
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}
