import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ImportReport } from '../../../../plugins/operations/importer/report.ts'
import { serve } from '../../../helpers/site.ts'
import { stores } from '../../../helpers/stores.ts'
import { createImporter, one, rows } from './importing.ts'

/** One value of one field: absent if undefined; the columns that are stored, null for no row; codes of the repairs. */
interface Variant {
  field: string
  value: string | undefined
  /** Other fields of the record. */
  with?: Record<string, string | undefined>
  stored: Record<string, unknown> | null
  codes: string[]
}

const variant = (
  field: string,
  value: string | undefined,
  stored: Variant['stored'],
  codes: string[] = [],
  others?: Variant['with'],
): Variant => ({ field, value, stored, codes, ...(others !== undefined && { with: others }) })

const LONG = 'x'.repeat(1000)
const DATE = '2020-01-02 03:04:05'
const NOW = 'the time of the import'

const ITEM: Record<string, string> = {
  'dc:creator': 'anna',
  'content:encoded': 'text',
  'wp:post_id': '',
  'wp:post_date': DATE,
  'wp:post_date_gmt': DATE,
  'wp:post_name': '',
  'wp:status': 'publish',
  'wp:post_type': 'post',
  'wp:comment_status': 'open',
  'wp:ping_status': 'open',
}
const NO_DATES = { 'wp:post_date': undefined, 'wp:post_date_gmt': undefined }
const FEED = 'Fri, 03 Jan 2020 01:00:00 +0200'

const ITEMS: Variant[] = [
  variant('wp:post_id', undefined, { type: 'post' }, ['missing-id']),
  variant('wp:post_id', 'abc', { type: 'post' }, ['invalid-number', 'missing-id']),
  variant('wp:post_id', '-7', { type: 'post' }, ['invalid-number', 'missing-id']),
  variant('wp:post_id', '99999999999', { type: 'post' }, ['invalid-number', 'missing-id']),
  variant('wp:post_type', undefined, null, ['missing-type']),
  variant('wp:post_type', '  ', null, ['missing-type']),
  variant('wp:post_type', 'recipe', { type: 'recipe' }),
  variant('wp:post_type', 'My Type', { type: 'mytype' }, ['invalid-name']),
  variant('wp:post_type', 'Post', { type: 'post' }, ['invalid-name']),
  variant('wp:post_type', 'événement', { type: 'evenement' }, ['invalid-name']),
  variant('wp:post_type', '製品', { type: 'ae4ededb' }, ['invalid-name']),
  variant('wp:post_type', 'x'.repeat(20), { type: 'x'.repeat(20) }),
  variant('wp:post_type', 'x'.repeat(21), { type: 'x'.repeat(21) }, ['long-name']),
  variant('wp:post_type', LONG, { type: LONG.slice(0, 200) }, ['too-long']),
  variant('wp:status', undefined, { status: 'draft' }, ['missing-status']),
  variant('wp:status', 'publik', { status: 'draft' }, ['unknown-status']),
  variant('wp:status', LONG, { status: 'draft' }, ['too-long', 'unknown-status']),
  variant('wp:status', 'inherit', { status: 'draft' }, ['unknown-status']),
  variant('wp:status', 'cooking', { status: 'cooking' }, [], { 'wp:post_type': 'recipe' }),
  variant('wp:status', undefined, { status: 'private' }, ['missing-status'], { 'wp:post_type': 'attachment' }),
  variant('wp:status', 'draft', { status: 'private' }, ['attachment-status'], { 'wp:post_type': 'attachment' }),
  variant('wp:status', 'publish', { status: 'inherit' }, ['attachment-status'], { 'wp:post_type': 'attachment' }),
  variant('wp:post_name', undefined, { slug: '{slug}' }, ['missing-slug']),
  variant('wp:post_name', undefined, { slug: '' }, [], { 'wp:status': 'draft' }),
  variant('wp:post_name', 'Größe 1 🎉.html', { slug: 'grosse-1-%f0%9f%8e%89-html' }, ['invalid-slug']),
  variant('wp:post_name', '../../etc', { slug: 'etc' }, ['invalid-slug']),
  variant('wp:post_name', '%E2%82%AC-x', { slug: '%e2%82%ac-x' }, ['invalid-slug']),
  variant('wp:post_name', '%ff%fe', { slug: '{slug}' }, ['invalid-slug', 'missing-slug']),
  variant('wp:post_name', LONG, { slug: LONG.slice(0, 200) }, ['too-long']),
  variant('title', LONG.repeat(2), { title: LONG.repeat(2) }),
  variant('content:encoded', undefined, { content: '' }),
  variant('excerpt:encoded', undefined, { excerpt: '' }),
  variant('guid', undefined, { guid: '' }),
  variant('wp:post_date', undefined, { date: DATE, date_gmt: DATE }),
  variant('wp:post_date', '2020-02-30 10:00:00', { date: DATE, date_gmt: DATE }, ['invalid-date']),
  variant('wp:post_date', '2008-13-45 99:99:99', { date: DATE, date_gmt: DATE }, ['invalid-date']),
  variant('wp:post_date', '2019-02-29 00:00:00', { date: DATE }, ['invalid-date']),
  variant('wp:post_date', '2020-02-29 00:00:00', { date: '2020-02-29 00:00:00', date_gmt: DATE }),
  variant('wp:post_date', '0000-00-00 00:00:00', { date: DATE, date_gmt: DATE }),
  variant('wp:post_date', '20200-01-01 00:00:00', { date: DATE }, ['invalid-date']),
  variant('wp:post_date_gmt', 'yesterday', { date: DATE, date_gmt: DATE }, ['invalid-date']),
  variant('wp:post_date_gmt', '0000-00-00 00:00:00', { date_gmt: '' }, [], { 'wp:status': 'draft' }),
  variant('pubDate', FEED, { date: '2020-01-02 23:00:00', date_gmt: '2020-01-02 23:00:00' }, [], NO_DATES),
  variant('pubDate', 'Mon, 16 Jun 20081 21:47:17 +0000', { date: DATE, date_gmt: DATE }, ['invalid-date']),
  variant(
    'pubDate',
    'Mon, 31 Jun 2008 21:47:17 +0000',
    { date: NOW, date_gmt: NOW },
    ['invalid-date', 'missing-date'],
    NO_DATES,
  ),
  variant('pubDate', 'Mon, 30 Nov -0001 00:00:00 +0000', { date: NOW }, ['missing-date'], NO_DATES),
  variant('wp:post_modified', '2021-01-01 00:00:00', { modified: '2021-01-01 00:00:00' }),
  variant('wp:post_modified', '2021-01-32 00:00:00', { modified: DATE }, ['invalid-date']),
  variant('wp:post_modified_gmt', '1', { modified_gmt: DATE }, ['invalid-date']),
  variant('wp:comment_status', undefined, { comment_status: 'open' }),
  variant('wp:comment_status', undefined, { comment_status: 'closed' }, [], { 'wp:post_type': 'page' }),
  variant('wp:comment_status', 'maybe', { comment_status: 'closed' }, ['invalid-discussion']),
  variant('wp:ping_status', undefined, { ping_status: 'open' }),
  variant('wp:ping_status', '1', { ping_status: 'closed' }, ['invalid-discussion']),
  variant('wp:post_parent', undefined, { parent_id: 0 }),
  variant('wp:post_parent', 'top', { parent_id: 0 }, ['invalid-number']),
  variant('wp:menu_order', '-3', { menu_order: -3 }),
  variant('wp:menu_order', '1.5', { menu_order: 0 }, ['invalid-number']),
  variant('wp:menu_order', '99999999999', { menu_order: 0 }, ['invalid-number']),
  variant('wp:post_password', undefined, { password: '' }),
  variant('wp:is_sticky', 'yes', { status: 'publish' }, ['invalid-boolean']),
  variant('dc:creator', undefined, { author_id: 0 }),
  variant('dc:creator', 'Jörg', { status: 'publish' }, ['invalid-login']),
  variant('wp:attachment_url', 'not a url', { mime_type: '' }),
]

const COMMENT: Record<string, string> = {
  'wp:comment_id': '',
  'wp:comment_author': 'Ben',
  'wp:comment_date': DATE,
  'wp:comment_date_gmt': DATE,
  'wp:comment_approved': '1',
}
const COMMENTS: Variant[] = [
  variant('wp:comment_id', undefined, { approved: '1' }),
  variant('wp:comment_id', 'x', { approved: '1' }, ['invalid-number']),
  variant('wp:comment_author', undefined, { author_name: '' }),
  variant('wp:comment_author', LONG, { author_name: LONG }),
  variant('wp:comment_author_email', 'nobody', { author_email: '' }, ['invalid-email']),
  variant('wp:comment_author_email', `${LONG}@a.test`, { author_email: '' }, ['invalid-email']),
  variant('wp:comment_author_url', 'javascript:x', { author_url: '' }),
  variant('wp:comment_author_IP', '127.0.0.1', { author_ip: '127.0.0.1' }),
  variant('wp:comment_author_IP', '::1', { author_ip: '::1' }),
  variant('wp:comment_author_IP', '300.1.1.1', { author_ip: '' }, ['invalid-ip']),
  variant('wp:comment_date', undefined, { date: DATE }),
  variant('wp:comment_date', '2020-00-01 00:00:00', { date: DATE }, ['invalid-date']),
  variant('wp:comment_date', undefined, { date: '2019-01-01 00:00:00' }, ['missing-comment-date'], {
    'wp:comment_date_gmt': undefined,
  }),
  variant('wp:comment_date_gmt', 'x', { date_gmt: DATE }, ['invalid-date']),
  variant('wp:comment_approved', undefined, { approved: '0' }, ['missing-approval']),
  variant('wp:comment_approved', 'yes', { approved: '0' }, ['unknown-approval']),
  variant('wp:comment_approved', 'approve', { approved: '1' }),
  variant('wp:comment_approved', 'spam', { approved: 'spam' }),
  variant('wp:comment_approved', LONG, { approved: '0' }, ['unknown-approval']),
  variant('wp:comment_type', undefined, { type: 'comment' }),
  variant('wp:comment_type', LONG, { type: LONG.slice(0, 200) }, ['too-long']),
  variant('wp:comment_parent', '-1', { parent_id: 0 }, ['invalid-number']),
  variant('wp:comment_user_id', 'anna', { author_id: 0 }, ['invalid-number']),
]

const TERM: Record<string, string> = { 'wp:term_taxonomy': 'category', 'wp:term_slug': '', 'wp:term_name': '' }
const TERMS: Variant[] = [
  variant('wp:term_id', 'x', { taxonomy: 'category' }, ['invalid-number']),
  variant('wp:term_taxonomy', undefined, null),
  variant('wp:term_taxonomy', 'My Genre', { taxonomy: 'mygenre' }, ['invalid-name']),
  variant('wp:term_taxonomy', '製品', { taxonomy: 'ae4ededb' }, ['invalid-name']),
  variant('wp:term_taxonomy', 'x'.repeat(32), { taxonomy: 'x'.repeat(32) }),
  variant('wp:term_taxonomy', 'x'.repeat(33), { taxonomy: 'x'.repeat(33) }, ['long-name']),
  variant('wp:term_taxonomy', LONG, { taxonomy: LONG.slice(0, 200) }, ['too-long']),
  variant('wp:term_slug', undefined, { slug: '{slug}' }, ['missing-term-slug']),
  variant('wp:term_slug', 'Company News', { slug: 'company-news' }, ['invalid-slug']),
  variant('wp:term_slug', LONG, { slug: LONG.slice(0, 200) }, ['too-long']),
  variant('wp:term_name', undefined, { name: '{slug}' }, ['missing-term-name']),
  variant('wp:term_name', LONG, { name: LONG.slice(0, 400) }, ['too-long']),
  variant('wp:term_description', LONG, { description: LONG }),
  variant('wp:term_parent', 'No Such', { parent_id: 0 }, ['invalid-slug']),
]

const AUTHOR: Record<string, string> = {
  'wp:author_login': '',
  'wp:author_display_name': '',
  'wp:author_email': 'a@a.test',
}
const AUTHORS: Variant[] = [
  variant('wp:author_id', 'x', { email: 'a@a.test' }, ['invalid-number']),
  variant('wp:author_id', '4000', { email: 'a@a.test' }),
  variant('wp:author_id', '4000', { email: 'a@a.test' }, ['duplicate-id']),
  variant('wp:author_login', undefined, null, ['missing-login']),
  variant('wp:author_login', 'Anna Müller/2', { login: 'Anna Muller2' }, ['invalid-login']),
  variant('wp:author_login', '山田', { login: /^user-[0-9a-f]{12}$/ }, ['invalid-login']),
  variant('wp:author_login', LONG, { login: LONG.slice(0, 60) }, ['invalid-login']),
  variant('wp:author_email', undefined, { email: '' }),
  variant('wp:author_email', 'a at a.test', { email: '' }, ['invalid-email']),
  variant('wp:author_display_name', undefined, { name: '{login}' }),
  variant('wp:author_display_name', '<b>Anna</b>', { email: 'a@a.test' }),
]

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`values of an import: ${kind.name}`)

  test('items get safe defaults for absent values, and valid values for others', async () => {
    await using opened = await kind.open()
    const items = ITEMS.map((one, index) => {
      const fields = {
        title: `Item ${index}`,
        ...ITEM,
        'wp:post_id': `${1000 + index}`,
        'wp:post_name': `slug-${index}`,
        ...one.with,
      }
      return `<item>${xmlOf({ ...fields, [one.field]: one.value })}<!-- ${index} --></item>`
    })
    const report = await importInto(opened.store, { source: one(fileOf(items)) })
    const posts = await rows(opened.store, 'posts')
    ITEMS.forEach((row, index) => {
      const title = row.field === 'title' ? row.value : `Item ${index}`
      check(
        row,
        posts.find((post) => post.title === title),
        { '{slug}': `item-${index}` },
        codesAt(report, index),
      )
    })
    const skipped = ITEMS.filter(({ stored }) => stored === null).length
    assert.is(report.counts['items']?.skipped['no type'], skipped)
    assert.is(posts.length, ITEMS.length - skipped)
  })

  test('comments get safe defaults for absent values, and valid values for others', async () => {
    await using opened = await kind.open()
    const items = COMMENTS.map((row, index) => {
      const fields = { ...COMMENT, 'wp:comment_id': `${1000 + index}`, 'wp:comment_content': `c${index}`, ...row.with }
      const comment = `<wp:comment>${xmlOf({ ...fields, [row.field]: row.value })}</wp:comment>`
      const item = {
        ...ITEM,
        'wp:post_id': `${index + 1}`,
        'wp:post_name': `i${index}`,
        'wp:post_date': '2019-01-01 00:00:00',
      }
      return `<item><title>i${index}</title>${xmlOf(item)}${comment}</item>`
    })
    const report = await importInto(opened.store, { source: one(fileOf(items)) })
    const comments = await rows(opened.store, 'comments')
    COMMENTS.forEach((row, index) => {
      check(
        row,
        comments.find(({ content }) => content === `c${index}`),
        {},
        codesAt(report, index),
      )
    })
    assert.is(comments.length, COMMENTS.length)
  })

  test('terms get safe defaults for absent values, and valid values for others', async () => {
    await using opened = await kind.open()
    const terms = TERMS.map((row, index) => {
      const fields = { ...TERM, 'wp:term_slug': `term-${index}`, 'wp:term_name': `Term ${index}`, ...row.with }
      const marked = { 'wp:term_description': `d${index}`, ...fields, [row.field]: row.value }
      return `<wp:term>${xmlOf(marked)}</wp:term>`
    })
    const report = await importInto(opened.store, { source: one(fileOf(terms)) })
    const stored = await rows(opened.store, 'terms')
    TERMS.forEach((row, index) => {
      const description = row.field === 'wp:term_description' ? row.value : `d${index}`
      check(
        row,
        stored.find((term) => term.description === description),
        { '{slug}': `term-${index}` },
        codesAt(report, index),
      )
    })
  })

  test('authors get safe defaults for absent values, and valid values for others', async () => {
    await using opened = await kind.open()
    const authors = AUTHORS.map((row, index) => {
      const fields = {
        ...AUTHOR,
        'wp:author_login': `login${index}`,
        'wp:author_display_name': `Name ${index}`,
        ...row.with,
      }
      return `<wp:author>${xmlOf({ 'wp:author_first_name': `f${index}`, ...fields, [row.field]: row.value })}</wp:author>`
    })
    const report = await importInto(opened.store, { source: one(fileOf(authors)) })
    const users = await rows(opened.store, 'users')
    const firstNames = (await rows(opened.store, 'user_meta')).filter(({ key }) => key === 'first_name')
    AUTHORS.forEach((row, index) => {
      const id = firstNames.find(({ value }) => value === `f${index}`)?.user_id
      check(
        row,
        users.find((user) => user.id === id),
        { '{login}': `login${index}` },
        codesAt(report, index),
      )
    })
  })

  test('meta keys, dates and the address of the site are repaired, too', async () => {
    await using opened = await kind.open()
    const meta = (key: string) =>
      `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>v</wp:meta_value></wp:postmeta>`
    const item = `<item><title>Meta</title>${xmlOf({ ...ITEM, 'wp:post_id': '5', 'wp:post_name': 'm' })}${meta('')}${meta(LONG)}</item>`
    const source = fileOf([item]).replace('<channel>', '<channel><link>old site</link>')
    const report = await importInto(opened.store, { source: one(source) })
    assert.equal(
      (await rows(opened.store, 'post_meta')).map(({ key }) => key),
      [LONG.slice(0, 255)],
    )
    assert.is(report.counts['meta']?.skipped['without a key'], 1)
    assert.equal(
      report.repairs.map(({ code }) => code),
      ['invalid-site-url', 'too-long'],
    )
  })

  test('names of types and taxonomies are changed alike in terms, items and menus, and reported with their places', async () => {
    await using opened = await kind.open()
    const meta = (key: string, value: string) =>
      `<wp:postmeta><wp:meta_key>${key}</wp:meta_key><wp:meta_value>${value}</wp:meta_value></wp:postmeta>`
    const term = `<wp:term>${xmlOf({ 'wp:term_id': '7', 'wp:term_taxonomy': 'My Genre', 'wp:term_slug': 'rock', 'wp:term_name': 'Rock' })}</wp:term>`
    const item = `<item><title>Song</title>${xmlOf({ ...ITEM, 'wp:post_id': '8', 'wp:post_name': 'song' })}<category domain="My Genre" nicename="rock">Rock</category></item>`
    const target =
      meta('_menu_item_type', 'taxonomy') + meta('_menu_item_object', 'My Genre') + meta('_menu_item_object_id', '7')
    const link = `<item><title>Link</title>${xmlOf({ ...ITEM, 'wp:post_id': '9', 'wp:post_name': 'link', 'wp:post_type': 'nav_menu_item' })}${target}</item>`
    const report = await importInto(opened.store, { source: one(fileOf([term, item, link])) })
    assert.equal(
      report.repairs.map(({ code, line, item: label, value }) => [code, line, label, value]),
      [
        ['invalid-name', 2, 'Rock', 'My Genre'],
        ['invalid-name', 3, 'Song', 'My Genre'],
        ['invalid-name', 4, 'Link', 'My Genre'],
      ],
    )
    assert.is(report.notes.find(({ group }) => group === 'repaired')?.count, 3)
    const genres = (await rows(opened.store, 'terms')).filter(({ slug }) => slug === 'rock')
    assert.equal(
      genres.map(({ taxonomy }) => taxonomy),
      ['mygenre'],
    )
    assert.equal(
      (await rows(opened.store, 'term_relationships')).map(({ term_id: id }) => id),
      [genres[0]!.id],
    )
    const target9 = (await rows(opened.store, 'post_meta')).find(({ key }) => key === '_menu_item_object_id')
    assert.is(Number(target9?.value), genres[0]!.id)
  })

  test('two authors whose names become the same login stay two', async () => {
    await using opened = await kind.open()
    const authors = ['jörg', 'jorg', 'jórg'].map(
      (login) => `<wp:author><wp:author_login>${login}</wp:author_login></wp:author>`,
    )
    const items = ['jörg', 'jorg', 'jórg', 'jorg'].map(
      (login, index) =>
        `<item>${xmlOf({ title: login, ...ITEM, 'wp:post_id': `${index + 1}`, 'wp:post_name': `p${index}`, 'dc:creator': login })}</item>`,
    )
    await importInto(opened.store, { source: one(fileOf([...authors, ...items])) })
    const users = new Map((await rows(opened.store, 'users')).map(({ id, login }) => [id, login]))
    const posts = (await rows(opened.store, 'posts')).toSorted((first, second) => first.id - second.id)
    assert.equal(
      posts.map(({ author_id: id }) => users.get(id)),
      ['jorg', 'jorg-2', 'jorg-3', 'jorg-2'],
    )
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}

/** A file with each record in a line of its own, from line 2. */
function fileOf(records: readonly string[]): string {
  return `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>\n${records.join('\n')}</channel></rss>`
}

function xmlOf(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .map(([name, value]) => (value === undefined ? '' : `<${name}><![CDATA[${value}]]></${name}>`))
    .join('')
}

/** The repairs of the record with an index. */
function codesAt({ repairs }: ImportReport, index: number): string[] {
  return repairs.filter(({ line }) => line === index + 2).map(({ code }) => code)
}

function check(
  row: Variant,
  found: object | undefined,
  names: Readonly<Record<string, string>>,
  codes: string[],
): void {
  const label = `${row.field} ${row.value?.slice(0, 40)}`
  assert.equal(codes.toSorted(), row.codes.toSorted(), label)
  if (row.stored === null) return assert.is(found, undefined, label)
  for (const [column, expected] of Object.entries(row.stored)) {
    const actual = (found as Record<string, unknown> | undefined)?.[column]
    if (expected instanceof RegExp) assert.match(String(actual), expected, label)
    else if (expected === NOW) assert.ok(Math.abs(Date.parse(`${String(actual)}Z`) - Date.now()) < 600_000, label)
    else assert.is(actual, names[String(expected)] ?? expected, `${label}: ${column}`)
  }
}
