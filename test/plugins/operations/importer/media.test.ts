import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { serve } from '../../../helpers/site.ts'
import { stores } from '../../../helpers/stores.ts'
import { createImporter, one, rows } from './importing.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`media of an import: ${kind.name}`)

  test('ignores file names outside the uploads folder', async () => {
    await using opened = await kind.open()
    const media = (
      id: number,
      file: string,
    ) => `<item><title>${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>attachment</wp:post_type>
      <wp:postmeta><wp:meta_key>_wp_attached_file</wp:meta_key><wp:meta_value>${file}</wp:meta_value></wp:postmeta></item>`
    const source = one(
      `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${media(1, '../../etc/passwd')}${media(2, '/srv/wp-content/uploads/2024/a.png')}${media(3, 'https://cdn.test/a.png')}</channel></rss>`,
    )
    await importInto(opened.store, { source })
    assert.equal(
      (await rows(opened.store, 'post_meta')).map(({ post_id, value }) => [post_id, value]),
      [[2, '2024/a.png']],
    )
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}
