import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import type { ImportFindings, ImportReport, Value } from '../../../../plugins/operations/importer/index.ts'
import { serveOn, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { one } from './importing.ts'

startOnly('importer', ...CONTENT_PLUGINS)

const fileOf = (records: string) =>
  one(`<rss xmlns:wp="w" xmlns:content="c"><channel><title>Old</title><wp:wxr_version>1.2</wp:wxr_version>
    <wp:base_blog_url>http://old.example</wp:base_blog_url>${records}</channel></rss>`)
const item = (id: number, more = '', type = 'post') =>
  `<item><title>T${id}</title><guid>http://old.example/?p=${id}</guid><wp:post_id>${id}</wp:post_id>
  <wp:post_name>t${id}</wp:post_name><wp:post_date>2020-01-01 10:00:00</wp:post_date><wp:status>publish</wp:status>
  <wp:post_type>${type}</wp:post_type>${more}</item>`
const meta = (key: string, value: string) =>
  `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value><![CDATA[${value}]]></wp:meta_value></wp:postmeta>`

for (const { name, make } of places) {
  const hooks = suite(`hooks of an import: ${name}`)

  /** A plugin whose meta `related` lists posts, and whose types of fields are posts themselves. */
  const relations = () => {
    const finished: [ImportReport, ImportFindings][] = []
    let kinds: Map<string, string> | undefined
    const plugin = definePlugin({
      name: 'relations',
      needs: ['importer', 'store'],
      apply({ hooks: { import_value, import_objects_stored, import_finished } }) {
        import_objects_stored.tapPromise('relations', async (tx) => {
          const query = tx.db.selectFrom('posts').select(['slug', 'excerpt']).where('type', '=', 'field')
          kinds = new Map((await tx.all(query)).map(({ slug, excerpt }) => [slug, excerpt]))
        })
        import_value.tap('relations', (value, { kind, key, map, later, other }) => {
          if (kind === 'term_description' && typeof value === 'string') {
            return value.replaceAll(/\d+/g, (id) => String(map('post', Number(id)) ?? 0))
          }
          if (kind !== 'post_meta') return value
          if (key === 'related' && Array.isArray(value)) return value.map((id: Value) => map('post', Number(id)) ?? 0)
          if (key !== 'field') return value
          const field = kinds?.get(other('_field') ?? '')
          if (field === undefined) later()
          return field === 'post' ? String(map('post', Number(value)) ?? '') : value
        })
        import_finished.tap('relations', (...all) => void finished.push(all))
      },
    })
    return { plugin, finished }
  }

  /** A site on which the IDs of the export belong to other posts. */
  const start = async (plugin: ReturnType<typeof relations>['plugin'] | undefined, place = make()) => {
    const site = await serveOn(await place, plugin === undefined ? {} : { add: [plugin] })
    const { store } = site.kernel.services
    const metaOf = async (slug: string, key: string) => {
      const query = store.db.selectFrom('post_meta').innerJoin('posts', 'posts.id', 'post_id').select('value')
      return (await store.first(query.where('slug', '=', slug).where('key', '=', key)))?.value
    }
    const idOf = async (slug: string) =>
      (await store.first(store.db.selectFrom('posts').select('id').where('slug', '=', slug)))?.id
    return {
      site,
      store,
      metaOf,
      idOf,
      run: (records: string) => site.kernel.services.importer.run({ source: fileOf(records), rewrite: false }),
    }
  }

  hooks('map IDs that only a plugin knows, and again when another file brings the object', async () => {
    const { plugin } = relations()
    const { site, store, metaOf, idOf, run } = await start(plugin)
    await using _ = site
    await store.run(
      store.db.insertInto('posts').values([30, 41].map((id) => ({ id, slug: `own-${id}`, title: 'Mine' }))),
    )
    const term = `<wp:term><wp:term_id>9</wp:term_id><wp:term_taxonomy>groups</wp:term_taxonomy><wp:term_slug>g</wp:term_slug>
      <wp:term_name>G</wp:term_name><wp:term_description>en:30 fr:41</wp:term_description></wp:term>`
    await run(term + item(30) + item(50, meta('related', 'a:2:{i:0;i:30;i:1;i:41;}')))
    assert.is(await metaOf('t50', 'related'), JSON.stringify([await idOf('t30'), 0]))
    await run(item(41))
    assert.is(await metaOf('t50', 'related'), JSON.stringify([await idOf('t30'), await idOf('t41')]))
    const terms = await store.all(store.db.selectFrom('terms').select('description').where('slug', '=', 'g'))
    assert.equal(terms, [{ description: `en:${await idOf('t30')} fr:${await idOf('t41')}` }])
  })

  hooks('run again for values that depend on definitions further down in the file, or in a later one', async () => {
    const { plugin } = relations()
    const { site, store, metaOf, idOf, run } = await start(plugin)
    await using _ = site
    await store.run(store.db.insertInto('posts').values({ id: 30, slug: 'own-30', title: 'Mine' }))
    const field = (id: number, slug: string) =>
      `<item><title>F</title><wp:post_id>${id}</wp:post_id><wp:post_name>${slug}</wp:post_name><wp:status>publish</wp:status>
      <excerpt:encoded>post</excerpt:encoded><wp:post_date>2020-01-01 10:00:00</wp:post_date><wp:post_type>field</wp:post_type></item>`
    await run(
      item(30) +
        item(51, meta('field', '30') + meta('_field', 'f1')) +
        item(52, meta('field', '30') + meta('_field', 'f2')) +
        field(60, 'f1'),
    )
    assert.is(await metaOf('t51', 'field'), String(await idOf('t30')))
    assert.is(await metaOf('t52', 'field'), '30')
    await run(field(61, 'f2'))
    assert.is(await metaOf('t52', 'field'), String(await idOf('t30')))
  })

  hooks('map the objects of earlier imports when a plugin is switched on later', async () => {
    const place = await make()
    if (place.url.includes(':memory:')) return await place[Symbol.asyncDispose]()
    const records = item(30) + item(50, meta('related', 'a:1:{i:0;i:30;}'))
    const before = await start(undefined, Promise.resolve({ ...place, async [Symbol.asyncDispose]() {} }))
    const { store } = before
    await store.run(store.db.insertInto('posts').values({ id: 30, slug: 'own-30', title: 'Mine' }))
    await before.run(records)
    assert.is(await before.metaOf('t50', 'related'), '[30]')
    await before.site[Symbol.asyncDispose]()
    const { site, metaOf, idOf, run } = await start(relations().plugin, Promise.resolve(place))
    await using _ = site
    const report = await run(records)
    assert.is(await metaOf('t50', 'related'), JSON.stringify([await idOf('t30')]))
    assert.equal([report.counts['post items']?.updated, report.counts['post items']?.alreadyHere], [1, 1])
  })

  hooks('report what the import found after it is committed', async () => {
    const { plugin, finished } = relations()
    const { site, run } = await start(plugin)
    await using _ = site
    const content = `<content:encoded><![CDATA[<!-- wp:acme/map {"x":1} /--><!-- wp:image -->[contact-form id="1"] [1] [contact-form]]]></content:encoded>`
    const report = await run(item(5, content + meta('_seo_title', 'x')) + item(6, meta('_seo_title', 'y'), 'recipe'))
    assert.is(finished.length, 1)
    const [[given, found]] = finished as [[ImportReport, ImportFindings]]
    assert.is(given, report)
    assert.equal(found.types, { post: 1, recipe: 1 })
    assert.equal(found.statuses, { publish: 2 })
    assert.equal(found.meta.post, { _seo_title: 2 })
    assert.equal(found.blocks, { 'acme/map': 1, 'core/image': 1 })
    assert.equal(found.shortcodes, { 'contact-form': 2 })
    await run(item(5, content + meta('_seo_title', 'x')))
    assert.equal(finished[1]?.[1].types, { post: 1 })
  })

  hooks.run()
}
