import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { branding } from '../../../bin/config/index.ts'
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

/** Replaces times, the port, UUIDs and random keys. */
const withoutTimes = (text: string) =>
  text
    .replace(/127\.0\.0\.1(:|%3A)\d+/g, 'HOST')
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?|\b\d{10,13}\b|"\w{8}-\w{4}-[\w-]+"|\\"[\w-]{43}\\"/g, 'TIME')

/** Rows that contain names of types, without times. */
async function dump({ url }: Place): Promise<string[]> {
  const store = await openStore(url)
  try {
    const tables = ['posts', 'post_meta', 'terms', 'term_relationships', 'options'] as const
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
      const shown = await crawl(moved, after, users)
      const expected = await crawl(native, after, users)
      assert.equal([...shown.keys()].sort(), [...expected.keys()].sort())
      for (const [path, text] of expected) assert.is(shown.get(path), text, path)
      assert.ok(shown.size > 100, `${shown.size} paths`)
      const blocks = JSON.parse(shown.get(`/${after}/v2/blocks`)!.slice(4)) as { type: string }[]
      assert.equal([...new Set(blocks.map(({ type }) => type))], [`${after}_block`])
      assert.equal(onlyIn(await dump(moved), await dump(native)), [])
      await crawl(moved, before, users)
      assert.equal(onlyIn(await dump(moved), rows), [])
    })

  word.run()
}
