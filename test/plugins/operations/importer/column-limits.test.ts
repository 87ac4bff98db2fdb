import { randomBytes } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../helpers/site.ts'
import { stores } from '../../../helpers/stores.ts'
import { createImporter, one, rows } from './importing.ts'
import { noteLines } from '../../../../plugins/operations/importer/report.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`column limits of an import: ${kind.name}`)

  test('imports texts of any length, and truncates names that are too long for an index', async () => {
    await using opened = await kind.open()
    const random = () => randomBytes(10_000).toString('hex').slice(0, 10_000)
    const title = random()
    const meta = (prefix: string) =>
      `<wp:${prefix}meta><wp:meta_key>${random()}</wp:meta_key><wp:meta_value>${title}</wp:meta_value></wp:${prefix}meta>`
    const term = (prefix: string, name: string) =>
      `<wp:${prefix}taxonomy>${random()}</wp:${prefix}taxonomy><wp:${prefix}slug>${random()}</wp:${prefix}slug><wp:${prefix}name>${name}</wp:${prefix}name>`
    const login = random()
    const source = one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>
      <wp:author><wp:author_login>${login}</wp:author_login><wp:author_email>${random()}@example.com</wp:author_email>
      <wp:author_display_name>${title}</wp:author_display_name></wp:author>
      <wp:term>${term('term_', title)}${meta('term')}</wp:term>
      <item><title>${title}</title><dc:creator>${login}</dc:creator><wp:post_id>5</wp:post_id><wp:post_name>${random()}</wp:post_name>
      <wp:post_type>${random()}</wp:post_type><wp:status>${random()}</wp:status><guid>${title}</guid>
      <category domain="${random()}" nicename="${random()}">${title}</category>${meta('post')}
      <wp:comment><wp:comment_author>${title}</wp:comment_author><wp:comment_author_email>${random()}</wp:comment_author_email>
      <wp:comment_type>${random()}</wp:comment_type><wp:comment_approved>${random()}</wp:comment_approved>
      ${meta('comment')}</wp:comment></item></channel></rss>`)
    const report = await importInto(opened.store, { source })
    const [post] = await rows(opened.store, 'posts')
    assert.equal([post?.title, post?.guid, post?.slug.length, post?.type.length], [title, title, 200, 200])
    const [user] = await rows(opened.store, 'users')
    assert.equal([user?.name, user?.login, user?.email, user?.id], [title, login.slice(0, 60), '', post?.author_id])
    const [extra] = await rows(opened.store, 'post_meta')
    assert.equal([extra?.value, extra?.key.length], [title, 255])
    const [comment] = await rows(opened.store, 'comments')
    assert.equal([comment?.author_name, comment?.author_email, comment?.type.length], [title, '', 200])
    assert.is((await rows(opened.store, 'terms')).length, 2)
    for (const prefix of ['13 × value that is longer than its column']) {
      assert.ok(
        noteLines(report).some((note) => note.startsWith(prefix)),
        prefix,
      )
    }
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}
