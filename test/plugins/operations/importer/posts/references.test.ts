import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Row } from '../../../../../plugins/storage/store/schema.ts'
import { serve } from '../../../../helpers/site.ts'
import { stores } from '../../../../helpers/stores.ts'
import { createImporter, inUse, one, rows } from '../importing.ts'
import { noteLines } from '../../../../../plugins/operations/importer/report.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`references of an import: ${kind.name}`)

  test('follow the new IDs on a site with content', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await inUse(store)
    const report = await importInto(store)
    const posts = await rows(store, 'posts')
    const post = (title: string) => posts.filter((row) => row.title === title).at(-1) as Row<'posts'>
    const meta = await rows(store, 'post_meta')
    const value = (id: number, key: string) => meta.find((row) => row.post_id === id && row.key === key)?.value

    assert.ok(posts.filter(({ title }) => title !== 'Mine').every(({ id }) => id > 500))
    assert.is(post('Tools').parent_id, post('About').id)
    assert.is(post('Rose').parent_id, posts.find(({ slug }) => slug === 'roses-in-may')?.id)
    assert.is(value(post('Rose').parent_id, '_thumbnail_id'), String(post('Rose').id))
    assert.is(post('Roses in June').slug, `${post('Rose').parent_id}-autosave-v1`)
    assert.is(post('Roses in June').parent_id, post('Rose').parent_id)

    const terms = await rows(store, 'terms')
    const category = terms.find(({ slug }) => slug === 'roses')
    assert.ok((category?.id ?? 0) > 40)
    assert.is(category?.parent_id, 40)
    assert.is(report.counts['category terms']?.alreadyHere, 1)
    const menu = posts
      .filter(({ type }) => type === 'nav_menu_item')
      .sort((one, other) => one.menu_order - other.menu_order)
    assert.is(value(menu[0]?.id ?? 0, '_menu_item_object_id'), String(post('About').id))
    assert.is(value(menu[1]?.id ?? 0, '_menu_item_object_id'), String(category?.id))
    assert.is(value(menu[1]?.id ?? 0, '_menu_item_menu_item_parent'), String(menu[2]?.id))
    assert.is(value(menu[2]?.id ?? 0, '_menu_item_object_id'), String(menu[2]?.id))

    const comments = await rows(store, 'comments')
    const findComment = (content: string) => comments.find((row) => row.content === content)
    assert.is(findComment('Thank you!')?.parent_id, findComment('What is it called?')?.id)
    assert.is(findComment('Thank you!')?.author_id, post('About').author_id)
    assert.ok((findComment('Thank you!')?.id ?? 0) > 70)
  })

  test('in texts follow the new IDs', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await inUse(store)
    const item = (id: number, type: string, content = '') =>
      `<item><title>T${id}</title><guid>${id}</guid><wp:post_id>${id}</wp:post_id><wp:post_type>${type}</wp:post_type>
       <dc:creator>ann</dc:creator><content:encoded><![CDATA[${content}]]></content:encoded></item>`
    const head = `<wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>http://old.test</wp:base_blog_url>
      <wp:author><wp:author_id>2</wp:author_id><wp:author_login>ann</wp:author_login></wp:author>
      <wp:category><wp:term_id>3</wp:term_id><wp:category_nicename>news</wp:category_nicename></wp:category>`
    const texts = [
      '<!-- wp:image {"id":5} --><img class="wp-image-5"/>[gallery ids="5,6"]',
      '<a href="http://old.test/?p=8">later</a><!-- wp:block {"ref":9} /-->',
      '<!-- wp:query {"query":{"author":"2","taxQuery":{"category":[3]}}} -->',
      '<!-- wp:image {"id":77} -->',
    ]
    const items = [
      item(5, 'attachment'),
      ...texts.map((text, index) => item(10 + index, 'post', text)),
      item(6, 'attachment'),
      item(8, 'post'),
      item(9, 'wp_block'),
    ]
    const report = await importInto(store, { source: one(`<rss><channel>${head}${items.join('')}</channel></rss>`) })
    const posts = await rows(store, 'posts')
    const id = (number: number) => posts.find(({ title }) => title === `T${number}`)!.id
    const person = (await rows(store, 'users')).find(({ login }) => login === 'ann')!.id
    const term = (await rows(store, 'terms')).find(({ slug }) => slug === 'news')!.id
    assert.equal(
      [10, 11, 12, 13].map((number) => posts.find((post) => post.id === id(number))?.content),
      [
        `<!-- wp:image {"id":${id(5)}} --><img class="wp-image-${id(5)}" />[gallery ids="${id(5)},${id(6)}"]`,
        `<a href="https://new.test/?p=${id(8)}">later</a><!-- wp:block {"ref":${id(9)}} /-->`,
        `<!-- wp:query {"query":{"author":"${person}","taxQuery":{"category":[${term}]}}} -->`,
        '<!-- wp:image {"id":0} -->',
      ],
    )
    assert.ok(
      noteLines(report).some((note) => /1 × reference to an object that is not in the file.*T13: 77/.test(note)),
    )
  })

  test('to users and terms in texts follow the new IDs even if items keep theirs', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.run(store.db.insertInto('users').values({ id: 30, login: 'owner', slug: 'owner' }))
    await store.syncSequences()
    const text = '<!-- wp:avatar {"userId":2} /--><!-- wp:image {"id":77} -->'
    const source = one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>
      <wp:author><wp:author_id>2</wp:author_id><wp:author_login>ann</wp:author_login></wp:author>
      <item><wp:post_id>5</wp:post_id><wp:post_type>post</wp:post_type><content:encoded><![CDATA[${text}]]></content:encoded></item></channel></rss>`)
    await importInto(store, { source })
    assert.equal(
      (await rows(store, 'posts')).map(({ id, content }) => [id, content]),
      [[5, '<!-- wp:avatar {"userId":31} /--><!-- wp:image {"id":0} -->']],
    )
  })

  test('in texts keep IDs that no object has or will get', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const textWith = (...ids: number[]) =>
      ids.map((id) => `<img class="wp-image-${id}" /><!-- wp:image {"id":${id}} -->`).join('')
    const item = (id: number, content: string) =>
      `<item><title>T${id}</title><guid>${id}</guid><wp:post_id>${id}</wp:post_id><wp:post_type>post</wp:post_type>
       <content:encoded><![CDATA[${content}]]></content:encoded></item>`
    const file = (...items: string[]) =>
      one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>http://old.test</wp:base_blog_url>
           ${items.join('')}</channel></rss>`)
    const content = async (title: string) => (await rows(store, 'posts')).find((post) => post.title === title)?.content
    const report = await importInto(store, { source: file(item(8, textWith(4, 6, 77)), item(10, '')) })
    assert.is(await content('T8'), textWith(4, 6, 0))
    const lines = noteLines(report).join('\n')
    assert.match(lines, /4 × reference in a text to an object that is not in the file; unchanged \(T8: 4/)
    assert.match(lines, /2 × reference to an object that is not in the file; removed \(T8: 77/)
    // A post that was written here has the ID 6.
    await store.run(store.db.insertInto('posts').values({ id: 6, title: 'Mine' }))
    await importInto(store, { source: file(item(4, ''), item(6, '')) })
    const moved = (await rows(store, 'posts')).find(({ title }) => title === 'T6')?.id ?? 0
    assert.ok(moved > 10)
    assert.is(await content('T8'), textWith(4, moved, 0))
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}
