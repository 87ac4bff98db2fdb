import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../../kernel/index.ts'
import { serveOn } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { one } from '../../operations/importer/importing.ts'

const meta = (values: Record<string, string | number>) =>
  Object.entries(values)
    .map(
      ([key, value]) =>
        `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>${value}</wp:meta_value></wp:postmeta>`,
    )
    .join('')
const item = (id: number, type: string, inner: string) =>
  `<item><title>T${id}</title><wp:post_id>${id}</wp:post_id><wp:post_name>t${id}</wp:post_name>
  <wp:status>${type === 'attachment' ? 'inherit' : 'publish'}</wp:status><wp:post_date>2020-01-01 10:00:00</wp:post_date>
  <wp:post_type>${type}</wp:post_type>${inner}</item>`
const image = (id: number) =>
  item(
    id,
    'attachment',
    `<wp:attachment_url>http://old.example/wp-content/uploads/${id}.jpg</wp:attachment_url>${meta({ _wp_attached_file: `${id}.jpg` })}`,
  )
const category = (id: number, slug: string, taxonomy = 'category') =>
  `<wp:term><wp:term_id>${id}</wp:term_id><wp:term_taxonomy>${taxonomy}</wp:term_taxonomy><wp:term_slug>${slug}</wp:term_slug><wp:term_name>${slug}</wp:term_name></wp:term>`
const wxr = (body: string) => `<rss xmlns:wp="w"><channel><title>Old</title><wp:wxr_version>1.2</wp:wxr_version>
  <wp:base_blog_url>http://old.example</wp:base_blog_url>${body}</channel></rss>`
const assigned = (slug: string, taxonomy = 'category') =>
  `<category domain="${taxonomy}" nicename="${slug}">${slug}</category>`
const KEYS = {
  '_yoast_wpseo_opengraph-image-id': 7,
  '_yoast_wpseo_twitter-image-id': 8,
  _yoast_wpseo_primary_category: 3,
  _yoast_wpseo_primary_post_tag: 4,
  rank_math_facebook_image_id: 7,
  rank_math_twitter_image_id: 8,
  rank_math_primary_category: 3,
}
const terms = category(2, 'alpha') + category(3, 'beta') + category(4, 'green', 'post_tag')
const post = item(9, 'post', assigned('alpha') + assigned('beta') + assigned('green', 'post_tag') + meta(KEYS))
const files = {
  'media first': [wxr(terms + image(7) + image(8)), wxr(post)],
  'posts first': [wxr(post), wxr(terms + image(7) + image(8))],
  'one file': [wxr(terms + post + image(7) + image(8))],
}

for (const { name, make } of places) {
  const heads = suite(`imported IDs in data for search engines on ${name}`)

  for (const [order, sources] of Object.entries(files))
    heads(`lead to the images and terms of this site: ${order}`, async () => {
      await using site = await serveOn(await make(), { plugins: { seo: { dialect: 'yoast' } } })
      const { importer, store, terms: service } = site.kernel.services
      // The IDs of the export belong to other objects here.
      await store.run(store.db.insertInto('posts').values([7, 8, 9].map((id) => ({ id, slug: `own-${id}` }))))
      for (const slug of ['a', 'b', 'c', 'd']) await service.create({ taxonomy: 'post_tag', name: slug })
      for (const source of sources) await importer.run({ source: one(source) })
      const rows = await store.all(store.db.selectFrom('posts').select(['id', 'slug']))
      const idOf = (slug: string) => rows.find((row) => row.slug === slug)!.id
      const all = await service.query({ taxonomy: ['category', 'post_tag'] }, new RequestCache())
      const termOf = (slug: string) => all.items.find((term) => term.slug === slug)!.id
      const stored = await store.all(
        store.db.selectFrom('post_meta').select(['key', 'value']).where('post_id', '=', idOf('t9')),
      )
      assert.equal(Object.fromEntries(stored.map(({ key, value }) => [key, Number(value)])), {
        '_yoast_wpseo_opengraph-image-id': idOf('t7'),
        '_yoast_wpseo_twitter-image-id': idOf('t8'),
        _yoast_wpseo_primary_category: termOf('beta'),
        _yoast_wpseo_primary_post_tag: termOf('green'),
        rank_math_facebook_image_id: idOf('t7'),
        rank_math_twitter_image_id: idOf('t8'),
        rank_math_primary_category: termOf('beta'),
      })
      const { yoast_head_json: head } = await site.json(`/svc/v2/posts/${idOf('t9')}`)
      assert.match(head.og_image[0].url, '/7.jpg')
      assert.match(head.twitter_image, '/8.jpg')
      assert.match(
        await (await fetch(`${site.home}/?p=${idOf('t9')}`)).text(),
        /<meta property="og:image" content="[^"]*7\.jpg"/,
      )
    })

  heads('are replaced in settings', async () => {
    await using site = await serveOn(await make())
    const { importer, options, terms: service } = site.kernel.services
    for (const slug of ['a', 'b', 'c', 'd']) await service.create({ taxonomy: 'post_tag', name: slug })
    const saved = {
      wpseo_taxonomy_meta: { category: { 3: { wpseo_title: 'Beta', 'wpseo_opengraph-image-id': 7 } } },
      wpseo_social: { og_default_image_id: '7', og_default_image: 'http://old.example/7.jpg' },
    }
    await site.kernel.services.store.run(
      site.kernel.services.store.db.insertInto('posts').values([7, 8].map((id) => ({ id, slug: `own-${id}` }))),
    )
    const folder = await mkdtemp(join(tmpdir(), 'svc-heads-'))
    const file = join(folder, 'site.json')
    await writeFile(file, JSON.stringify({ options: saved }))
    await importer.run({ source: one(wxr(terms + image(7))), siteFiles: [file] })
    await rm(folder, { recursive: true })
    const all = await service.query({ taxonomy: 'category', slug: ['beta'] }, new RequestCache())
    const [media] = await site.json('/svc/v2/media')
    const id = String(all.items[0]!.id)
    const stored = await options.get<Record<string, object>>('wpseo_taxonomy_meta', {})
    assert.equal(stored['category'], { [id]: { wpseo_title: 'Beta', 'wpseo_opengraph-image-id': media.id } })
    const { og_default_image_id: fallback } = await options.get<Record<string, unknown>>('wpseo_social', {})
    assert.is(fallback, String(media.id))
  })

  heads.run()
}
