import { Readable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { writePhp } from '../../../../plugins/compat/php-values.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { serve } from '../../../helpers/site.ts'
import { filePlace, kindsOf, postgresPlace } from '../../../helpers/stores.ts'

const fieldIds = suite('IDs in imported fields')

const kinds = kindsOf([{ name: 'SQLite', make: filePlace }], (server) => ({
  name: 'PostgreSQL',
  make: () => postgresPlace(server),
}))

const cdata = (text: string) => `<![CDATA[${text}]]>`
const metaOf = (values: Readonly<Record<string, string>>) =>
  Object.entries(values)
    .map(
      ([key, value]) =>
        `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>${cdata(value)}</wp:meta_value></wp:postmeta>`,
    )
    .join('')

interface Item {
  readonly id: number
  readonly type: string
  readonly slug: string
  readonly content?: string
  readonly excerpt?: string
  readonly parent?: number
  readonly meta?: Readonly<Record<string, string>>
}

const itemOf = ({ id, type, slug, content = '', excerpt = '', parent = 0, meta = {} }: Item) =>
  `<item><title>${slug}</title><content:encoded>${cdata(content)}</content:encoded>
  <excerpt:encoded>${cdata(excerpt)}</excerpt:encoded><wp:post_id>${id}</wp:post_id>
  <wp:post_date>2024-05-01 10:00:00</wp:post_date><wp:post_name>${slug}</wp:post_name><wp:status>publish</wp:status>
  <wp:post_parent>${parent}</wp:post_parent><wp:post_type>${type}</wp:post_type>${metaOf(meta)}</item>`

const field = (id: number, name: string, settings: Readonly<Record<string, unknown>>): Item => ({
  id,
  type: 'acf-field',
  slug: `field_${name}`,
  excerpt: name,
  content: writePhp(settings),
  parent: 50,
})

/** The values come before their definitions, as in exports that are ordered by date. */
const EXPORT = `<?xml version="1.0"?><rss version="2.0" xmlns:excerpt="e" xmlns:content="c" xmlns:wp="w"><channel>
<title>Old</title><link>http://old.example</link><wp:wxr_version>1.2</wp:wxr_version>
<wp:base_site_url>http://old.example</wp:base_site_url><wp:base_blog_url>http://old.example</wp:base_blog_url>
<wp:category><wp:term_id>3</wp:term_id><wp:category_nicename>topic</wp:category_nicename><wp:cat_name>Topic</wp:cat_name></wp:category>
${[
  {
    id: 1,
    type: 'post',
    slug: 'holder',
    meta: {
      one: '2',
      _one: 'field_one',
      many: writePhp(['2', '99']),
      _many: 'field_many',
      topic: '3',
      _topic: 'field_topic',
      link: 'http://elsewhere.example/',
      _link: 'field_link',
      rows: '1',
      _rows: 'field_rows',
      rows_0_pick: '2',
      _rows_0_pick: 'field_pick',
      cloned: '2',
      _cloned: 'field_clone_field_one',
      amount: '2',
      _amount: 'field_amount',
      plain: '2',
    },
  },
  { id: 2, type: 'post', slug: 'target' },
  {
    id: 50,
    type: 'acf-field-group',
    slug: 'group_x',
    content: writePhp({ location: [[{ param: 'post', operator: '==', value: '2' }]], show_in_rest: 1 }),
  },
  field(51, 'one', { type: 'post_object' }),
  field(52, 'many', { type: 'relationship' }),
  field(53, 'topic', { type: 'taxonomy', taxonomy: 'category' }),
  field(54, 'link', { type: 'page_link' }),
  field(55, 'rows', { type: 'repeater' }),
  field(56, 'pick', { type: 'image' }),
  field(57, 'amount', { type: 'number' }),
]
  .map(itemOf)
  .join('')}
</channel></rss>`

for (const { name, make } of kinds) {
  fieldIds(`are mapped on a site with content, on ${name}`, async () => {
    await using place = await make()
    await using site = await serve({ database: place.url })
    await addPosts(site.store, ...Array.from({ length: 5 }, (_, index) => ({ title: `Own ${index}` })))
    for (let index = 0; index < 5; index += 1) await addTerm(site.store, { taxonomy: 'category', name: `Own ${index}` })
    await site.kernel.services.importer.run({ source: Readable.from([Buffer.from(EXPORT)]), trustHtml: true })
    const posts = await site.store.all(site.store.db.selectFrom('posts').select(['id', 'slug', 'content']))
    const idOf = (slug: string) => posts.find((post) => post.slug === slug)!.id
    const [term] = await site.store.all(site.store.db.selectFrom('terms').select('id').where('slug', '=', 'topic'))
    const rows = await site.store.all(
      site.store.db.selectFrom('post_meta').select(['key', 'value']).where('post_id', '=', idOf('holder')),
    )
    const meta = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
    const target = String(idOf('target'))
    assert.is.not(target, '2')
    assert.equal([meta['one'], meta['many'], meta['topic']], [target, JSON.stringify([target]), String(term!.id)])
    assert.equal([meta['rows'], meta['rows_0_pick'], meta['cloned']], ['1', target, target])
    assert.equal([meta['amount'], meta['plain'], meta['link']], ['2', '2', 'http://elsewhere.example/'])
    assert.match(posts.find(({ slug }) => slug === 'group_x')!.content, `s:${target.length}:"${target}"`)
  })
}

fieldIds.run()
