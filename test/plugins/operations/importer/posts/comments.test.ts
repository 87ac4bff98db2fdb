import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../../helpers/site.ts'
import { stores } from '../../../../helpers/stores.ts'
import { createImporter, byId, one, rows } from '../importing.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`comments of an import: ${kind.name}`)

  test('imports replies that precede their parent in the file', async () => {
    await using opened = await kind.open()
    await importInto(opened.store)
    const comments = await byId(opened.store, 'comments')
    assert.equal(
      [31, 32, 33].map((id) => comments.get(id)?.parent_id),
      [0, 31, 32],
    )
    assert.equal(
      [33, 34, 35, 36].map((id) => [comments.get(id)?.approved, comments.get(id)?.type, comments.get(id)?.author_id]),
      [
        ['1', 'comment', 1],
        ['spam', 'comment', 0],
        ['0', 'comment', 0],
        ['1', 'pingback', 0],
      ],
    )
    assert.equal(
      (await rows(opened.store, 'comment_meta')).map(({ comment_id, value }) => [comment_id, value]),
      [[31, '5']],
    )
  })

  test('imports each of two identical comments once', async () => {
    await using opened = await kind.open()
    const comment = (id: number) => `<wp:comment><wp:comment_id>${id}</wp:comment_id><wp:comment_author>Ann
      </wp:comment_author><wp:comment_date>2024-05-01 10:00:00</wp:comment_date><wp:comment_content>Yes</wp:comment_content>
      </wp:comment>`
    const source = () =>
      one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version><item><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type><guid>1</guid>
        <wp:post_date>2024-05-01 10:00:00</wp:post_date>${comment(1)}${comment(2)}</item></channel></rss>`)
    await importInto(opened.store, { source: source() })
    const again = await importInto(opened.store, { source: source() })
    assert.equal([again.counts['comments']?.imported, again.counts['comments']?.alreadyHere], [0, 2])
    assert.is((await rows(opened.store, 'comments')).length, 2)
  })

  test('leaves comments on the top level if others of the item have no ID, or an ID twice', async () => {
    await using opened = await kind.open()
    const comment = (text: string, id: string, parent = '0') => `<wp:comment>${id}
      <wp:comment_parent>${parent}</wp:comment_parent><wp:comment_user_id>0</wp:comment_user_id>
      <wp:comment_date>2024-05-01 10:00:00</wp:comment_date><wp:comment_content>${text}</wp:comment_content></wp:comment>`
    const withId = (id: string) => `<wp:comment_id>${id}</wp:comment_id>`
    const source = one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>
      <wp:author><wp:author_login>ida</wp:author_login></wp:author><item><wp:post_id>1</wp:post_id>
      <wp:post_type>post</wp:post_type><wp:post_date>2024-05-01 10:00:00</wp:post_date>${
        comment('first', withId('7')) +
        comment('without', '') +
        comment('wrong', withId('x')) +
        comment('repeated', withId('7')) +
        comment('reply', withId('8'), '7') +
        comment('last', withId('9'))
      }</item></channel></rss>`)
    await importInto(opened.store, { source })
    const comments = new Map((await rows(opened.store, 'comments')).map((row) => [row.content, row]))
    for (const text of ['first', 'without', 'wrong', 'repeated', 'last']) {
      assert.equal([comments.get(text)?.parent_id, comments.get(text)?.author_id], [0, 0], text)
    }
    assert.is(comments.get('reply')?.parent_id, comments.get('first')?.id)
  })

  test('does not approve a comment with an unknown approval state', async () => {
    await using opened = await kind.open()
    const source = one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version><item><wp:post_id>1</wp:post_id>
      <wp:post_type>post</wp:post_type><wp:comment>
      <wp:comment_approved>constructor</wp:comment_approved></wp:comment></item></channel></rss>`)
    await importInto(opened.store, { source })
    assert.is((await rows(opened.store, 'comments'))[0]?.approved, '0')
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}
