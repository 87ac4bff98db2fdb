import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { SiteFile } from '../../../../plugins/operations/importer/site-file.ts'
import { openStore } from '../../../../plugins/storage/store/open.ts'
import type { Store } from '../../../../plugins/storage/store/store.ts'
import { serve } from '../../../helpers/site.ts'
import { stores } from '../../../helpers/stores.ts'
import { createImporter, byId, everything, garden, inUse, one, rows, siteFile } from './importing.ts'

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`import: ${kind.name}`)

  test('imports all content of the file', async () => {
    await using opened = await kind.open()
    const report = await importInto(opened.store)
    assert.equal(
      Object.fromEntries(Object.entries(report.counts).map(([objects, { imported }]) => [objects, imported])),
      {
        users: 3,
        'category terms': 2,
        'post_tag terms': 1,
        'post_format terms': 1,
        'course terms': 1,
        'nav_menu terms': 1,
        'attachment items': 1,
        'page items': 2,
        'post items': 3,
        'revision items': 3,
        'nav_menu_item items': 3,
        'svc_block items': 1,
        'recipe items': 1,
        comments: 6,
        meta: 30,
        settings: 2,
        elements: 0,
      },
    )
    assert.is((await rows(opened.store, 'posts')).length, 14)
    assert.is((await rows(opened.store, 'post_meta')).length, 30)
    assert.is((await rows(opened.store, 'comments')).length, 6)
    assert.is((await rows(opened.store, 'terms')).length, 6)
  })

  test('keeps IDs, dates, slugs and order on an empty site', async () => {
    await using opened = await kind.open()
    await importInto(opened.store)
    const posts = await byId(opened.store, 'posts')
    assert.equal(
      [...posts.keys()].sort(ascending),
      [110, 120, 121, 122, 130, 131, 140, 141, 142, 150, 151, 152, 160, 170],
    )
    assert.is(posts.get(131)?.parent_id, 130)
    assert.is(posts.get(131)?.menu_order, 2)
    assert.is(posts.get(110)?.parent_id, 120)
    assert.is(posts.get(122)?.password, 'secret')
    assert.is(posts.get(120)?.date, '2024-05-01 12:00:00')
    assert.is(posts.get(120)?.date_gmt, '2024-05-01 10:00:00')
    assert.is(posts.get(121)?.date_gmt, '')
    assert.is(posts.get(141)?.slug, '120-autosave-v1')
    assert.is(posts.get(160)?.type, 'svc_block')
    const terms = await byId(opened.store, 'terms')
    assert.is(terms.get(13)?.slug, '%cf%81%cf%8c%ce%b4%ce%bf')
    assert.is(terms.get(12)?.parent_id, 11)
  })

  test('counts published posts of terms and approved comments of posts', async () => {
    await using opened = await kind.open()
    await importInto(opened.store)
    const terms = await byId(opened.store, 'terms')
    const posts = await byId(opened.store, 'posts')
    assert.equal(
      [11, 12, 13, 14, 15].map((id) => terms.get(id)?.count),
      [0, 1, 1, 1, 3],
    )
    assert.is(posts.get(120)?.comment_count, 4)
  })

  test('rewrites URLs of the old home and its uploads', async () => {
    await using opened = await kind.open()
    await importInto(opened.store)
    const posts = await byId(opened.store, 'posts')
    assert.match(posts.get(120)?.content ?? '', 'src="https://new.test/uploads/2024/05/rose-150x150.jpg"')
    assert.match(posts.get(120)?.content ?? '', '"url":"https:\\/\\/new.test\\/uploads\\/2024\\/05\\/rose.jpg"')
    assert.is(
      posts.get(130)?.content,
      '<p>See <a href="https://new.test/tools/">tools</a>, not http://garden.example.community/.</p>',
    )
    assert.is(posts.get(110)?.guid, 'https://new.test/uploads/2024/05/rose.jpg')
    assert.is(posts.get(110)?.mime_type, 'image/jpeg')
    assert.is((await byId(opened.store, 'comments')).get(31)?.content, 'Lovely. See https://new.test/about/')
    assert.match((await byId(opened.store, 'terms')).get(12)?.description ?? '', 'https://new.test/roses/')
  })

  test('keeps URLs if rewriting is disabled', async () => {
    await using opened = await kind.open()
    await importInto(opened.store, { rewrite: false })
    const posts = await byId(opened.store, 'posts')
    assert.is(posts.get(110)?.guid, 'http://garden.example/wp-content/uploads/2024/05/rose.jpg')
    assert.match(posts.get(130)?.content ?? '', 'http://garden.example/tools/')
  })

  test('changes nothing when it runs again', async () => {
    await using opened = await kind.open()
    await importInto(opened.store, { site: await siteFile() })
    const before = await everything(opened.store)
    const report = await importInto(opened.store, { site: await siteFile() })
    assert.equal(await everything(opened.store), before)
    assert.is(
      Object.values(report.counts).reduce((sum, { imported }) => sum + imported, 0),
      0,
    )
    assert.is(report.counts['post items']?.alreadyHere, 3)
    assert.is(report.counts['comments']?.alreadyHere, 6)
  })

  test('stores options of plugins unless this site has them', async () => {
    const item = '<item><title>A</title><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type></item>'
    const source = () => one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${item}</channel></rss>`)
    await using opened = await kind.open()
    await importInto(opened.store, { source: source(), site: { options: { plugin_a: { on: 'true' } } } })
    await importInto(opened.store, { source: source(), site: { options: { plugin_a: 'changed', plugin_b: ['b'] } } })
    const stored = (await rows(opened.store, 'options')).filter(({ name }) => name.startsWith('plugin_'))
    assert.equal(Object.fromEntries(stored.map(({ name, value }) => [name, JSON.parse(value) as unknown])), {
      plugin_a: { on: 'true' },
      plugin_b: ['b'],
    })
  })

  test('gives names with a word the word of this site, and meta keys none', async () => {
    const taxonomies = ['wp_pattern_category', 'svc_theme', 'svcx', 'category']
    const terms = taxonomies.map((taxonomy, index) => ({ id: 60 + index, taxonomy, name: 'A', slug: `a-${index}` }))
    const meta = (key: string) =>
      `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>partial</wp:meta_value></wp:postmeta>`
    const keys = ['wp_pattern_sync_status', '_wp_font_face_file', 'wp_of_a_plugin'].map(meta).join('')
    const item = `<item><title>A</title><wp:post_id>1</wp:post_id><wp:post_type>wp_block</wp:post_type>${keys}</item>`
    const source = one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${item}</channel></rss>`)
    await using opened = await kind.open()
    await importInto(opened.store, { source, site: { terms }, typeName: (name) => `blog_${name}` })
    const stored = (await rows(opened.store, 'terms')).map(({ taxonomy }) => taxonomy)
    assert.equal(stored.sort(), ['blog_pattern_category', 'blog_theme', 'category', 'svcx'])
    assert.equal(
      (await rows(opened.store, 'posts')).map(({ type }) => type),
      ['blog_block'],
    )
    const storedKeys = (await rows(opened.store, 'post_meta')).map(({ key }) => key)
    assert.equal(storedKeys.sort(), ['_font_face_file', 'pattern_sync_status', 'wp_of_a_plugin'])
  })

  test('imports terms and menus of the site file with their IDs on this site', async () => {
    const site: SiteFile = {
      terms: [
        { id: 60, taxonomy: 'nav_menu', name: 'Main', slug: 'main', description: 'At the top' },
        { id: 61, taxonomy: 'wp_pattern_category', name: 'Mine', slug: 'mine' },
        { id: 62, taxonomy: 'svc_pattern_category', name: 'Yours', slug: 'yours' },
      ],
      menus: { locations: { primary: { menu: 60, description: 'Top' }, footer: { menu: 99 } }, auto_add: [60, 99] },
      theme: { stylesheet: 'garden' },
    }
    const options = async (store: Store) =>
      Object.fromEntries((await rows(store, 'options')).map(({ name, value }) => [name, JSON.parse(value) as unknown]))
    await using empty = await kind.open()
    await importInto(empty.store, { site })
    const { taxonomy, description } = (await byId(empty.store, 'terms')).get(60)!
    assert.equal({ taxonomy, description }, { taxonomy: 'nav_menu', description: 'At the top' })
    assert.is((await byId(empty.store, 'terms')).get(61)?.taxonomy, 'svc_pattern_category')
    assert.is((await byId(empty.store, 'terms')).get(62)?.taxonomy, 'svc_pattern_category')
    const { menu_locations: locations, menus_auto_add: added, theme } = await options(empty.store)
    assert.equal({ locations, added }, { locations: { primary: 60 }, added: [60] })
    assert.equal(theme, { stylesheet: 'garden', menus: { primary: 'Top', footer: 'footer' } })

    await using used = await kind.open()
    await inUse(used.store)
    await importInto(used.store, { site })
    const main = (await rows(used.store, 'terms')).find(({ slug }) => slug === 'main')
    assert.equal((await options(used.store))['menu_locations'], { primary: main?.id })
  })

  test('assigns later rows IDs above the imported ones', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await importInto(store)
    const row = await store.first(store.db.insertInto('posts').values({ title: 'Next' }).returning('id'))
    assert.is(row?.id, 171)
  })

  test('leaves the database unchanged if the file is truncated or too deep', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await inUse(store)
    const before = await everything(store)
    const text = await readFile(garden, 'utf8')
    for (const bad of [text.slice(0, -200), text.slice(0, text.length / 2), text.replace('</rss>', '<a>'.repeat(40))]) {
      await fails(() => importInto(store, { source: one(bad) }))
      assert.equal(await everything(store), before)
    }
  })

  test('rolls back if a step before the commit fails', async () => {
    await using opened = await kind.open()
    await fails(() => importInto(opened.store, { beforeCommit: () => Promise.reject(new Error('disk full')) }))
    assert.equal(await rows(opened.store, 'posts'), [])
  })

  if (kind.name === 'PostgreSQL') {
    test('is not limited by the timeout of requests', async () => {
      await using opened = await kind.open()
      const store = await openStore(opened.url, { time: 100 })
      try {
        await importInto(store, { beforeCommit: async (tx) => void (await tx.all(sql`select pg_sleep(0.2)`)) })
        assert.is((await rows(store, 'posts')).length, 14)
        assert.ok(
          await store.all(sql`select pg_sleep(0.2)`).then(
            () => false,
            () => true,
          ),
        )
      } finally {
        await store.close()
      }
    })
  }

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}

const ascending = (one: number, other: number) => one - other

async function fails(act: () => Promise<unknown>): Promise<void> {
  let failed = false
  await act().catch(() => (failed = true))
  assert.ok(failed)
}
