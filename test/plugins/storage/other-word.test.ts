import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { branding } from '../../../bin/config/index.ts'
import { sql, type Store } from '../../../plugins/storage/store/index.ts'
import { openStore } from '../../../plugins/storage/store/open.ts'
import { databases, serveWithUsers, withUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'
import { serve } from '../../helpers/site.ts'
import { shared, type Place } from '../../helpers/stores.ts'
import { createImporter, one } from '../operations/importer/importing.ts'

/** Types of the product with the terms of their items, as an export file has them. */
const ITEMS: readonly (readonly [type: string, ...terms: (readonly [taxonomy: string, slug: string])[]])[] = [
  ['wp_block', ['wp_pattern_category', 'calls']],
  ['wp_navigation'],
  ['wp_template', ['wp_theme', 'default']],
  ['wp_template_part', ['wp_theme', 'default'], ['wp_template_part_area', 'header']],
  ['wp_global_styles', ['wp_theme', 'default']],
  ['wp_font_family'],
  ['post', ['category', 'news']],
]
const DATE = '2025-03-01 10:00:00'
const QUERY =
  '<!-- wp:query {"query":{"postType":"wp_block"}} --><div class="wp-block-query"></div><!-- /wp:query -->' +
  '<!-- wp:categories {"taxonomy":"wp_pattern_category"} /-->'

function exportFile(): string {
  const items = ITEMS.map(([type, ...terms], index) => {
    const named = terms.map(
      ([taxonomy, slug]) => `<category domain="${taxonomy}" nicename="${slug}"><![CDATA[${slug}]]></category>`,
    )
    const content = type === 'wp_global_styles' ? '{"version":3}' : type === 'wp_font_family' ? '{}' : QUERY
    return `<item><title>Item ${index}</title><content:encoded><![CDATA[${content}]]></content:encoded>
      <wp:post_id>${index + 100}</wp:post_id><wp:post_date>${DATE}</wp:post_date><wp:post_date_gmt>${DATE}</wp:post_date_gmt>
      <wp:post_modified>${DATE}</wp:post_modified><wp:post_modified_gmt>${DATE}</wp:post_modified_gmt>
      <wp:post_name>item-${index}</wp:post_name><wp:status>publish</wp:status><wp:post_type>${type}</wp:post_type>
      ${named.join('')}</item>`
  })
  const menuItem = `<item><title>Calls</title><wp:post_id>200</wp:post_id><wp:post_date>${DATE}</wp:post_date>
    <wp:post_name>200</wp:post_name><wp:status>publish</wp:status><wp:post_type>nav_menu_item</wp:post_type>
    ${['type:post_type', 'object:wp_block', 'object_id:100']
      .map((pair) => pair.split(':'))
      .map(
        ([key, value]) =>
          `<wp:postmeta><wp:meta_key>_menu_item_${key}</wp:meta_key><wp:meta_value>${value}</wp:meta_value></wp:postmeta>`,
      )
      .join('')}</item>`
  return `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
    xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>A</title><wp:wxr_version>1.2</wp:wxr_version>
    ${items.join('')}${menuItem}</channel></rss>`
}

/** Imports the file and writes over REST under a word. Returns the users. */
async function fill(database: Place, word: string): Promise<SiteWithUsers['users']> {
  await using site = await serveWithUsers(shared(database), { word })
  const typeName = (name: string) => `${word}_${name}`
  await createImporter(site)(site.store, { source: one(exportFile()), typeName })
  const write = async (path: string, body: object) => {
    const response = await site.send('POST', `/${path.includes('/') ? path : `${word}/v2/${path}`}`, body, 'admin')
    assert.ok(response.status < 300, `${path}: ${response.status} ${await response.clone().text()}`)
  }
  const content = { title: 'B', content: 'B', status: 'publish', date: '2025-03-02T10:00:00' }
  await write('blocks', content)
  await write('posts', content)
  await write(`${word}_pattern_category`, { name: 'Quotes' })
  await write('templates', { slug: 'single', content: 'B' })
  await write('template-parts', { slug: 'footer', content: 'B' })
  await write('navigation', content)
  await write('menu-items', {
    title: 'C',
    status: 'publish',
    type: 'post_type',
    object: `${word}_block`,
    object_id: 100,
  })
  await write(`${word}-webhooks/v1/webhooks`, { url: 'https://hook.example/', types: [`${word}_block`, 'post'] })
  await site.kernel.services.changes.touch([`terms:taxonomy=${word}_theme`])
  return site.users
}

/** Every occurrence of a name with a word in the values of all tables, apart from user content. */
async function namesWithWord(store: Store): Promise<string[]> {
  const tables = await store.all<{ name: string }>(
    store.dialect === 'sqlite'
      ? sql`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like '%_text%'`
      : sql`select tablename as name from pg_tables where schemaname = 'public'`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    for (const row of await store.all<Record<string, unknown>>(sql`select * from ${sql.table(name)}`))
      for (const [column, value] of Object.entries(row)) {
        if (typeof value !== 'string' || (name === 'posts' && column === 'content')) continue
        for (const [match] of value.matchAll(/(?<![a-z])(?:wp|svc)[_:][a-z_]+/g))
          found.push(`${name}.${column} ${match}`)
      }
  }
  return [...new Set(found)]
}

/** Replaces times, the port, UUIDs and random keys. */
const withoutTimes = (text: string) =>
  text
    .replace(/127\.0\.0\.1(:|%3A)\d+/g, 'HOST')
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?|\b\d{10,13}\b|"\w{8}-\w{4}-[\w-]+"|\\"[\w-]{43}\\"/g, 'TIME')

/** The stored form of all rows, without times. */
async function dump({ url }: Place): Promise<string[]> {
  const store = await openStore(url)
  try {
    assert.equal(await namesWithWord(store), [])
    const tables = ['posts', 'post_meta', 'terms', 'term_relationships', 'indexed_fields', 'options'] as const
    const rows = await Promise.all(tables.map((table) => store.all(store.db.selectFrom(table as 'posts').selectAll())))
    rows.push((await store.all(store.db.selectFrom('webhooks').select('types'))) as never)
    return rows
      .flatMap((list, index) => list.map((row) => `${tables[index]} ${withoutTimes(JSON.stringify(row))}`))
      .sort()
  } finally {
    await store.close()
  }
}

/** The rows that only one of two dumps has. */
const onlyIn = (one: readonly string[], other: readonly string[]) => [
  ...one.filter((row) => !other.includes(row)),
  ...other.filter((row) => !one.includes(row)),
]

/** Responses of the GET routes without captures and of all links in them, with the routes and without times. */
async function crawl(database: Place, word: string, users: SiteWithUsers['users']): Promise<Map<string, string>> {
  await using site = withUsers(await serve({ database: database.url, word }), users)
  const { namespace } = branding(word)
  const index = await site.json('/')
  const found = new Map<string, string>()
  const open = Object.entries<{ methods: string[] }>(index.routes)
    .filter(([route, { methods }]) => !route.includes('(') && methods.includes('GET'))
    .map(([route]) => route)
  open.push(...['post', 'page', `${word}_block`].map((type) => `/${namespace('v2')}/types/${type}?context=edit`))
  while (open.length > 0) {
    const path = open.pop()!
    // Time and load of this process.
    if (found.has(path) || /site-health|\/changes|events|jobs|url-details/.test(path)) continue
    const response = await site.send('GET', path, null, 'admin')
    const text = `${response.status} ${await response.text()}`
    found.set(path, withoutTimes(text))
    for (const [, link] of text.matchAll(/"href":"([^"]*-json[^"{]*)"/g)) {
      const route = link!.replaceAll('\\/', '/').split('-json')[1]!
      if (found.size < 400 && !route.includes('?')) open.push(route)
    }
  }
  for (const page of ['/', '/item-6/', '/feed/', `/?p=106`]) {
    const text = await (await fetch(`${site.home}${page}`)).text()
    found.set(page, withoutTimes(text).replace(/"[\w-]*nonce[^>]*>|\d{4}-\d\d-\d\dT[\d:.+]+Z?/g, ''))
  }
  return found
}

for (const { name, place } of databases) {
  const word = suite(`another word on ${name}`)

  for (const [before, after] of [
    ['wp', 'svc'],
    ['svc', 'wp'],
    ['blog', 'wp'],
  ] as const)
    word(`shows a site of the word ${before} under ${after} like a site of the word ${after}`, async () => {
      await using moved = await place()
      await using native = await place()
      const users = await fill(moved, before)
      assert.equal(await fill(native, after), users)
      const rows = await dump(moved)
      assert.equal(onlyIn(rows, await dump(native)), [])
      const shown = await crawl(moved, after, users)
      const expected = await crawl(native, after, users)
      assert.equal([...shown.keys()].sort(), [...expected.keys()].sort())
      for (const [path, text] of expected) assert.is(shown.get(path), text, path)
      assert.ok(shown.size > 100, `${shown.size} paths`)
      const blocks = JSON.parse(shown.get(`/${after}/v2/blocks`)!.slice(4)) as { type: string }[]
      assert.equal([...new Set(blocks.map(({ type }) => type))], [`${after}_block`])
      await crawl(moved, before, users)
      assert.equal(onlyIn(await dump(moved), rows), [])
    })

  word('is a view of older databases, whose types began with the word', async () => {
    await using database = await place()
    {
      const store = await openStore(database.url)
      const { db } = store
      await store.run(db.insertInto('options').values({ name: 'word', value: '"blog"' }))
      for (const type of ['blog_block', 'post', 'wp_event', 'blogger'])
        await store.run(db.insertInto('posts').values({ type, status: 'publish', title: type }))
      await store.run(db.insertInto('terms').values({ taxonomy: 'blog_theme', name: 'A', slug: 'a' }))
      const change = { time: 1, kind: 'post', object: '7', change: 'update', type: 'blog_block' }
      const tags = '["post:7","posts:type=blog_block","posts:blog_theme=1"]'
      await store.run(
        db.insertInto('changes').values({ ...change, tags, before: null, after: '{"type":"blog_block"}' }),
      )
      const webhook = { source: 'site', name: '', url: 'https://a.example', created: 1 }
      await store.run(db.insertInto('webhooks').values({ ...webhook, types: '["post","blog_block"]' }))
      await store.run(sql`delete from migrations where version > 23`)
      await store.close()
    }
    const store = await openStore(database.url, { word: 'wp' })
    const { db } = store
    const types = await store.all(db.selectFrom('posts').select('type').orderBy('id'))
    const taxonomies = await store.all(db.selectFrom('terms').select('taxonomy').where('taxonomy', '=', 'wp_theme'))
    const changes = await store.all(db.selectFrom('changes').selectAll().where('object', '=', '7'))
    const webhooks = await store.all(db.selectFrom('webhooks').select('types'))
    const option = await store.all(db.selectFrom('options').select('name').where('name', '=', 'word'))
    await store.close()
    assert.equal(
      types.map(({ type }) => type),
      ['wp_block', 'post', 'wp_event', 'blogger'],
    )
    assert.equal(taxonomies, [{ taxonomy: 'wp_theme' }])
    assert.equal(
      changes.map(({ type, tags, after }) => [type, tags, after]),
      [['wp_block', '["post:7","posts:type=~block","posts:~theme=1"]', '{"type":"~block"}']],
    )
    assert.equal(webhooks, [{ types: '["post","~block"]' }])
    assert.equal(option, [])
  })

  word('reaches every form of a condition on a column of names', async () => {
    await using database = await place()
    const store = await openStore(database.url, { word: 'wp' })
    const { db } = store
    await store.run(db.insertInto('posts').values([{ type: 'wp_block' }, { type: 'post' }, { type: '~x' }]))
    const many = Array.from({ length: 30 }, (_, index) => `wp_t${index}`)
    const from = db.selectFrom('posts').select('type').orderBy('id')
    for (const query of [
      from.where('type', '=', 'wp_block'),
      from.where('posts.type', 'in', ['wp_block', 'wp_none']),
      from.where(store.isIn('posts.type', ['wp_block'])),
      from.where(store.isIn('type', ['wp_block', 'wp_none'])),
      from.where(store.isIn('posts.type', [...many, 'wp_block'])),
      from.where((is) => is.or([is('type', '=', 'wp_block'), is('title', '=', 'wp_block')])),
      store.once('by type', () => from.where('type', '=', 'wp_block')),
      sql<{ type: string }>`select type from posts where type = ${'wp_block'}`,
      sql<{ type: string }>`select type from posts where posts.type in (${sql.join(['wp_block', 'wp_none'])})`,
      sql<{ type: string }>`select type from posts where ${sql.ref('posts.type')} = ${'wp_block'}`,
    ])
      assert.equal(await store.all(query), [{ type: 'wp_block' }])
    assert.equal(
      (await store.all(from.where('type', '<>', 'wp_block'))).map(({ type }) => type),
      ['post', '~x'],
    )
    assert.is((await store.first(from.where('type', '=', '~x')))?.type, '~x')
    await store.run(
      db.updateTable('posts').set({ type: 'wp_navigation', title: 'wp_block' }).where('type', '=', 'post'),
    )
    const row = await store.first(db.selectFrom('posts').select(['type', 'title']).where('title', '=', 'wp_block'))
    assert.equal(row, { type: 'wp_navigation', title: 'wp_block' })
    await store.close()
  })

  word.run()
}
