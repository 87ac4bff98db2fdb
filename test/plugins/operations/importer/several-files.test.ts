import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Row } from '../../../../plugins/storage/store/schema.ts'
import type { Store } from '../../../../plugins/storage/store/store.ts'
import { serve } from '../../../helpers/site.ts'
import { stores } from '../../../helpers/stores.ts'
import { createImporter, inUse, one, rows } from './importing.ts'
import { contentOf, someOrders } from './same-site.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

const item = (id: number, type: string, slug: string, more = '') =>
  `<item><title>${slug}</title><dc:creator>anna</dc:creator><guid>http://old.example/?p=${id}</guid>
  <wp:post_id>${id}</wp:post_id><wp:post_date>2020-01-01 10:00:00</wp:post_date>
  <wp:post_date_gmt>2020-01-01 10:00:00</wp:post_date_gmt><wp:post_name>${slug}</wp:post_name>
  <wp:status>${type === 'attachment' ? 'inherit' : 'publish'}</wp:status><wp:post_type>${type}</wp:post_type>${more}</item>`
const content = (text: string) => `<content:encoded><![CDATA[${text}]]></content:encoded>`
const meta = (key: string, value: number | string) =>
  `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>${value}</wp:meta_value></wp:postmeta>`
const parent = (id: number) => `<wp:post_parent>${id}</wp:post_parent>`

/** An export in four files, which refer to each other in both directions. */
const FILES = {
  media: item(30, 'attachment', 'pic', parent(50)),
  pages:
    item(40, 'page', 'top') +
    item(41, 'page', 'child', parent(40)) +
    item(42, 'revision', '50-revision-v1', parent(50)),
  posts:
    item(
      50,
      'post',
      'story',
      content(`<!-- wp:image {"id":30} --><figure class="wp-block-image"><img class="wp-image-30" src="a.jpg" /></figure><!-- /wp:image -->
        [gallery ids="30,41"] <a href="http://old.example/?p=41">child</a> <!-- wp:query {"query":{"categoryIds":[7]}} /-->`) +
        meta('_thumbnail_id', 30) +
        `<wp:is_sticky>1</wp:is_sticky>
        <wp:comment><wp:comment_id>3</wp:comment_id><wp:comment_content>Yes</wp:comment_content>
          <wp:comment_date>2020-01-02 10:00:00</wp:comment_date><wp:comment_user_id>2</wp:comment_user_id></wp:comment>`,
    ) + item(51, 'page', 'grandchild', parent(41)),
  menu: `<wp:author><wp:author_id>2</wp:author_id><wp:author_login>anna</wp:author_login>
      <wp:author_display_name>Anna</wp:author_display_name></wp:author>
    <wp:term><wp:term_id>9</wp:term_id><wp:term_taxonomy>nav_menu</wp:term_taxonomy><wp:term_slug>main</wp:term_slug>
      <wp:term_name>Main</wp:term_name></wp:term>
    <wp:category><wp:term_id>8</wp:term_id><wp:category_nicename>below</wp:category_nicename>
      <wp:category_parent>news</wp:category_parent><wp:cat_name>Below</wp:cat_name></wp:category>
    <wp:category><wp:term_id>7</wp:term_id><wp:category_nicename>news</wp:category_nicename><wp:cat_name>News</wp:cat_name></wp:category>
    ${item(60, 'nav_menu_item', 'item-60', `<category domain="nav_menu" nicename="main">Main</category>${meta('_menu_item_type', 'post_type')}${meta('_menu_item_object', 'page')}${meta('_menu_item_object_id', 41)}${meta('_menu_item_menu_item_parent', 0)}`)}
    ${item(61, 'nav_menu_item', 'item-61', `<category domain="nav_menu" nicename="main">Main</category>${meta('_menu_item_type', 'taxonomy')}${meta('_menu_item_object', 'category')}${meta('_menu_item_object_id', 7)}${meta('_menu_item_menu_item_parent', 60)}`)}`,
}

const fileOf = (records: string) =>
  `<rss xmlns:wp="w" xmlns:content="c" xmlns:dc="d"><channel><title>Old</title><wp:wxr_version>1.2</wp:wxr_version>
  <wp:base_blog_url>http://old.example</wp:base_blog_url>${records}</channel></rss>`

for (const kind of stores) {
  const test = suite(`an export in several files: ${kind.name}`)

  const importAll = async (store: Store, files: readonly string[]) => {
    for (const records of files) await importInto(store, { source: one(fileOf(records)), trustHtml: true })
  }

  test('has the links of the whole export on a site with content, in any order of the files', async () => {
    for (const order of someOrders(Object.values(FILES))) {
      await using opened = await kind.open()
      const { store } = opened
      await inUse(store)
      // Each of these IDs of the export belongs to another object here.
      await store.run(
        store.db.insertInto('posts').values([30, 41].map((id) => ({ id, title: 'Not this one', slug: `own-${id}` }))),
      )
      await importAll(store, order)
      const posts = await rows(store, 'posts')
      const idOf = (slug: string) => posts.find((post) => post.slug === slug)!.id
      const story = posts.find(({ slug }) => slug === 'story') as Row<'posts'>
      const postMeta = await rows(store, 'post_meta')
      const valueOf = (id: number, key: string) => postMeta.find((row) => row.post_id === id && row.key === key)?.value
      const terms = new Map((await rows(store, 'terms')).map((term) => [term.slug, term]))
      assert.is(valueOf(story.id, '_thumbnail_id'), String(idOf('pic')))
      assert.is(posts.find(({ slug }) => slug === 'pic')?.parent_id, story.id)
      assert.is(posts.find(({ slug }) => slug === 'child')?.parent_id, idOf('top'))
      assert.is(posts.find(({ slug }) => slug === 'grandchild')?.parent_id, idOf('child'))
      assert.is(posts.find(({ type }) => type === 'revision')?.parent_id, story.id)
      assert.is(posts.find(({ type }) => type === 'revision')?.slug, `${story.id}-revision-v1`)
      assert.match(story.content, `<!-- wp:image {"id":${idOf('pic')}} -->`)
      assert.match(story.content, `class="wp-image-${idOf('pic')}"`)
      assert.match(story.content, `[gallery ids="${idOf('pic')},${idOf('child')}"]`)
      assert.match(story.content, `href="https://new.test/?p=${idOf('child')}"`)
      assert.match(story.content, `{"categoryIds":[${terms.get('news')?.id}]}`)
      assert.is(terms.get('below')?.parent_id, terms.get('news')?.id)
      assert.is(valueOf(idOf('item-60'), '_menu_item_object_id'), String(idOf('child')))
      assert.is(valueOf(idOf('item-61'), '_menu_item_object_id'), String(terms.get('news')?.id))
      assert.is(valueOf(idOf('item-61'), '_menu_item_menu_item_parent'), String(idOf('item-60')))
      const [comment] = (await rows(store, 'comments')).filter(({ content: text }) => text === 'Yes')
      const anna = (await rows(store, 'users')).find(({ login }) => login === 'anna')
      assert.is(comment?.author_id, anna?.id)
      assert.is(story.author_id, anna?.id)
      assert.is(anna?.name, 'Anna')
      assert.equal(posts.filter(({ title }) => title === 'Not this one').length, 2)
    }
  })

  test('makes an empty site equal to an import of all files in one, in any order and repeated', async () => {
    const normalized = async (files: readonly string[]) => {
      await using opened = await kind.open()
      await importAll(opened.store, files)
      return await contentOf(opened.store)
    }
    const author = /<wp:author>[^]*?<\/wp:author>/.exec(FILES.menu)![0]
    const files = Object.values(FILES).map((records) => (records === FILES.menu ? records : author + records))
    const whole = await normalized([files.join('')])
    assert.equal(whole['pending'], [])
    for (const order of someOrders(files)) assert.equal(await normalized(order), whole)
    assert.equal(await normalized([files[3]!, files[1]!, files[3]!, files[2]!, files[0]!, files[1]!, files[2]!]), whole)
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}
