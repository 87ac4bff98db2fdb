import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { writingRules } from '../../../../plugins/operations/import/text-filter.ts'
import { importSite } from '../../../../plugins/operations/import/import-site.ts'
import type { SiteImport } from '../../../../plugins/operations/import/import-site.ts'
import { escapeHtml } from '../../../../kernel/index.ts'
import { formatReport } from '../../../../plugins/operations/import/report.ts'
import type { ImportReport } from '../../../../plugins/operations/import/report.ts'
import { readSiteFile } from '../../../../plugins/operations/import/site-file.ts'
import type { Database, Row } from '../../../../plugins/storage/store/schema.ts'
import type { Store } from '../../../../plugins/storage/store/store.ts'
import { serve } from '../../../site.ts'
import { stores } from '../../../stores.ts'
import { randomOf } from '../../../random.ts'
import { HostileTexts } from '../../../xss/texts.ts'
import { markupIn, unsafeAddress, unsafeHtml } from '../../../xss/unsafe.ts'

/** Content that runs, in the file of a stranger. */
const RUNS = '<p onclick=x>k</p><a href="javascript:x">l</a>'
const MARKUP = '&lt;b onclick=x&gt;'
/** A file with something that runs in every text: by people of the site, by somebody new, by nobody. */
const HOSTILE = `<rss><channel><wp:wxr_version>1.2</wp:wxr_version><title>&lt;i&gt;Site</title>
  <wp:author><wp:author_login>new</wp:author_login>
    <wp:author_display_name>N&lt;script&gt;x&lt;/script&gt;</wp:author_display_name></wp:author>
  <wp:category><wp:category_nicename>t</wp:category_nicename><wp:cat_name>${MARKUP}T</wp:cat_name>
    <wp:category_description>${MARKUP}d&lt;/b&gt;&lt;a href=" javascript:x"&gt;e&lt;/a&gt;</wp:category_description></wp:category>
  ${hostilePost('by-administrator', 'administrator', '<guid>https://x.test/?p=1</guid>')}
  ${hostilePost('by-author', 'author')}${hostilePost('by-new', 'new')}
  ${hostilePost('by-nobody', '', '<wp:post_type>page</wp:post_type><guid>"&gt;javascript:x</guid>')}
  ${hostilePost(
    'a-file',
    'author',
    `<wp:post_type>attachment</wp:post_type><guid>javascript:alert(1)</guid>
     <wp:postmeta><wp:meta_key>_wp_attachment_image_alt</wp:meta_key><wp:meta_value>${MARKUP}alt</wp:meta_value></wp:postmeta>
     <wp:postmeta><wp:meta_key>_menu_item_url</wp:meta_key><wp:meta_value>javascript:x</wp:meta_value></wp:postmeta>
     ${hostileComment(1, 'C', 'javascript:x')}${hostileComment(2, 'A', 'a.test')}`,
  )}
</channel></rss>`

function hostilePost(slug: string, by: string, more = ''): string {
  return `<item><title>a &lt;script&gt;x&lt;/script&gt;</title><wp:post_name>${slug}</wp:post_name>
    <dc:creator>${by}</dc:creator><content:encoded><![CDATA[${RUNS}]]></content:encoded>
    <excerpt:encoded><![CDATA[<b onclick=x>m</b>]]></excerpt:encoded>
    <wp:post_date>2024-05-01 10:00:00</wp:post_date>${more}</item>`
}

/** A file with each text in every place that one may have. */
function hostileFile(texts: readonly string[]): string {
  // oxlint-disable-next-line no-control-regex -- no XML holds them
  const xml = (text: string) => escapeHtml(text.toWellFormed().replace(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, ''))
  const people = texts.map(
    (text, index) => `<wp:author><wp:author_login>p${index}</wp:author_login>
      <wp:author_display_name>${xml(text)}</wp:author_display_name></wp:author>`,
  )
  const terms = texts.map(
    (text, index) => `<wp:tag><wp:tag_slug>t${index}</wp:tag_slug><wp:tag_name>${xml(text.slice(0, 200))}</wp:tag_name>
      <wp:tag_description>${xml(text)}</wp:tag_description></wp:tag>`,
  )
  const items = texts.map(
    (
      text,
      index,
    ) => `<item><title>${xml(text)}</title><wp:post_id>${index + 1}</wp:post_id><dc:creator>p${index}</dc:creator>
      <guid>${xml(text)}</guid><content:encoded>${xml(text)}</content:encoded><excerpt:encoded>${xml(text)}</excerpt:encoded>
      <wp:comment><wp:comment_id>${index + 1}</wp:comment_id><wp:comment_author>${xml(text)}</wp:comment_author>
      <wp:comment_author_url>${xml(text)}</wp:comment_author_url>
      <wp:comment_content>${xml(text)}</wp:comment_content></wp:comment></item>`,
  )
  return `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${[...people, ...terms, ...items].join('')}</channel></rss>`
}

function hostileComment(id: number, name: string, url: string): string {
  return `<wp:comment><wp:comment_id>${id}</wp:comment_id><wp:comment_author>${MARKUP}${name}</wp:comment_author>
    <wp:comment_author_url>${url}</wp:comment_author_url>
    <wp:comment_content><![CDATA[<b onclick=x>c</b><a href="http://y.test/" onclick=x>d</a>]]></wp:comment_content></wp:comment>`
}

const garden = new URL('../../../fixtures/garden.wxr.xml', import.meta.url)
const gardenSite = new URL('../../../fixtures/garden.site.json', import.meta.url)
const home = 'https://new.test'
/** A site as it comes, for what people may write there. */
const site = await serve()

for (const kind of stores) {
  const test = suite(`import: ${kind.name}`)

  test('brings everything the file holds', async () => {
    await using opened = await kind.open()
    const report = await bring(opened.store)
    assert.equal(Object.fromEntries(Object.entries(report.counts).map(([of, { imported }]) => [of, imported])), {
      users: 3,
      'category terms': 2,
      'post_tag terms': 1,
      'post_format terms': 1,
      'course terms': 1,
      'nav_menu terms': 1,
      'attachment items': 1,
      'page items': 2,
      'post items': 3,
      'revision items': 2,
      'nav_menu_item items': 3,
      'svc_block items': 1,
      'recipe items': 1,
      comments: 6,
      meta: 30,
      settings: 2,
      elements: 0,
    })
    assert.is((await rows(opened.store, 'posts')).length, 13)
    assert.is((await rows(opened.store, 'post_meta')).length, 30)
    assert.is((await rows(opened.store, 'comments')).length, 6)
    assert.is((await rows(opened.store, 'terms')).length, 6)
  })

  test('keeps ids, dates, slugs and order on an empty site', async () => {
    await using opened = await kind.open()
    await bring(opened.store)
    const posts = await byId(opened.store, 'posts')
    assert.equal([...posts.keys()].sort(ascending), [110, 120, 121, 122, 130, 131, 140, 141, 150, 151, 152, 160, 170])
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

  test('keeps passwords of what they open, and none with versions', async () => {
    await using opened = await kind.open()
    const text = (await readFile(garden, 'utf8')).replaceAll(
      'post_password><![CDATA[]]>',
      'post_password><![CDATA[word]]>',
    )
    await bring(opened.store, { source: one(text) })
    const posts = [...(await byId(opened.store, 'posts')).values()]
    for (const { type, password } of posts) assert.is(password !== '', type !== 'revision', type)
  })

  test('counts published posts of terms and approved comments of posts', async () => {
    await using opened = await kind.open()
    await bring(opened.store)
    const terms = await byId(opened.store, 'terms')
    const posts = await byId(opened.store, 'posts')
    assert.equal(
      [11, 12, 13, 14, 15].map((id) => terms.get(id)?.count),
      [0, 1, 1, 1, 3],
    )
    assert.is(posts.get(120)?.comment_count, 4)
  })

  test('reads extra values, in their order and under neutral keys', async () => {
    await using opened = await kind.open()
    await bring(opened.store)
    const meta = await rows(opened.store, 'post_meta')
    const of = (id: number) => meta.filter(({ post_id }) => post_id === id).sort((one, other) => one.id - other.id)
    assert.equal(
      of(120).map(({ key, value, json }) => [key, value, json]),
      [
        ['_thumbnail_id', '110', 0],
        ['colours', 'red', 0],
        ['colours', 'white', 0],
        ['soil', '{"ph":6.5,"home":"https://new.test/soil-a/"}', 1],
        ['note', 'a:1:{broken', 0],
        ['_edit_last', '2', 0],
        ['_old_slug', 'roses', 0],
      ],
    )
    assert.is(of(131)[0]?.key, '_page_template')
    const [file, facts] = of(110)
    assert.equal([file?.key, file?.value], ['_attached_file', '2024/05/rose.jpg'])
    assert.equal(Object.keys(JSON.parse(facts?.value ?? '').sizes), ['thumbnail'])
  })

  test('brings comments with answers that come before what they answer', async () => {
    await using opened = await kind.open()
    await bring(opened.store)
    const comments = await byId(opened.store, 'comments')
    assert.equal(
      [31, 32, 33].map((id) => comments.get(id)?.parent_id),
      [0, 31, 32],
    )
    assert.equal(
      [33, 34, 35, 36].map((id) => [comments.get(id)?.approved, comments.get(id)?.type, comments.get(id)?.author_id]),
      [
        ['1', 'comment', 1],
        ['spam', 'comment', 0],
        ['0', 'comment', 0],
        ['1', 'pingback', 0],
      ],
    )
    assert.equal(
      (await rows(opened.store, 'comment_meta')).map(({ comment_id, value }) => [comment_id, value]),
      [[31, '5']],
    )
  })

  test('rewrites addresses of the old home and of its uploads', async () => {
    await using opened = await kind.open()
    await bring(opened.store)
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

  test('leaves addresses as they are when told so', async () => {
    await using opened = await kind.open()
    await bring(opened.store, { rewrite: false })
    const posts = await byId(opened.store, 'posts')
    assert.is(posts.get(110)?.guid, 'http://garden.example/wp-content/uploads/2024/05/rose.jpg')
    assert.match(posts.get(130)?.content ?? '', 'http://garden.example/tools/')
  })

  test('run again doubles nothing and changes nothing', async () => {
    await using opened = await kind.open()
    await bring(opened.store, { site: await siteFile() })
    const before = await everything(opened.store)
    const report = await bring(opened.store, { site: await siteFile() })
    assert.equal(await everything(opened.store), before)
    assert.is(
      Object.values(report.counts).reduce((sum, { imported }) => sum + imported, 0),
      0,
    )
    assert.is(report.counts['post items']?.alreadyHere, 3)
    assert.is(report.counts['comments']?.alreadyHere, 6)
  })

  test('run again finds items whose date or slug was changed here, and brings what is new', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await bring(store)
    await store.run(store.db.updateTable('posts').set({ slug: 'may-roses' }).where('id', '=', 120))
    await store.run(
      store.db.updateTable('posts').set({ date: '2020-01-01 00:00:00', status: 'private' }).where('id', '=', 130),
    )
    await store.run(store.db.deleteFrom('comments').where('id', '=', 32))
    await store.run(store.db.deleteFrom('posts').where('id', '=', 122))
    const report = await bring(store)
    assert.is(report.counts['post items']?.imported, 1)
    assert.is(report.counts['page items']?.alreadyHere, 2)
    assert.is(report.counts['comments']?.imported, 1)
    assert.is((await byId(store, 'posts')).get(120)?.comment_count, 4)
    const [again] = (await rows(store, 'comments')).filter(({ content }) => content === 'What is it called?')
    assert.is(again?.parent_id, 31)
  })

  test('maps ids on a site in use, and whatever refers to them', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await inUse(store)
    const report = await bring(store)
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
    const said = (content: string) => comments.find((row) => row.content === content)
    assert.is(said('Thank you!')?.parent_id, said('What is it called?')?.id)
    assert.is(said('Thank you!')?.author_id, post('About').author_id)
    assert.ok((said('Thank you!')?.id ?? 0) > 70)
  })

  test('gives an item another slug where its own is taken', async () => {
    await using opened = await kind.open()
    await inUse(opened.store)
    const report = await bring(opened.store)
    const posts = await rows(opened.store, 'posts')
    assert.is(posts.find(({ title }) => title === 'About')?.slug, 'about-2')
    assert.ok(report.notes.some((note) => note.includes('about-2')))
    await bring(opened.store)
    assert.is((await rows(opened.store, 'posts')).length, posts.length)
  })

  test('lets texts name what they named, whatever number it has here', async () => {
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
    const report = await bring(store, { source: one(`<rss><channel>${head}${items.join('')}</channel></rss>`) })
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
      report.notes.some((note) =>
        /1 × reference to something that is not in the file.*77 in the text of T13/.test(note),
      ),
    )
  })

  test('maps the numbers of people and terms in texts also where items keep theirs', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.run(store.db.insertInto('users').values({ id: 30, login: 'owner', slug: 'owner' }))
    await store.syncSequences()
    const text = '<!-- wp:avatar {"userId":2} /--><!-- wp:image {"id":77} -->'
    const source = one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>
      <wp:author><wp:author_id>2</wp:author_id><wp:author_login>ann</wp:author_login></wp:author>
      <item><wp:post_id>5</wp:post_id><content:encoded><![CDATA[${text}]]></content:encoded></item></channel></rss>`)
    await bring(store, { source })
    assert.equal(
      (await rows(store, 'posts')).map(({ id, content }) => [id, content]),
      [[5, '<!-- wp:avatar {"userId":31} /--><!-- wp:image {"id":77} -->']],
    )
  })

  test('goes on numbering above what came', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await bring(store)
    const row = await store.first(store.db.insertInto('posts').values({ title: 'Next' }).returning('id'))
    assert.is(row?.id, 171)
  })

  test('brings people with roles and passwords, and settings', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await bring(store, { site: await siteFile() })
    const users = await byId(store, 'users')
    assert.equal([...users.values()].map(({ login }) => login).sort(), ['gardener', 'guest', 'rosa', 'visitor'])
    const rosa = users.get(1)
    assert.equal(
      [rosa?.name, rosa?.url, rosa?.registered, rosa?.password_hash, users.get(2)?.password_hash],
      ['Rosa', 'https://new.test/rosa', '2020-01-02 01:04:05', 'hash of thorn', ''],
    )
    const meta = (await rows(store, 'user_meta'))
      .filter(({ user_id }) => user_id === 1)
      .sort((one, other) => one.id - other.id)
    assert.equal(
      meta.map(({ key, value }) => `${key}=${value}`),
      [
        'roles=["administrator"]',
        'first_name=Rosa',
        'last_name=G.',
        'nickname=Rosie',
        'description=Grows roses.',
        'town=Ghent',
        'likes=roses',
        'likes=bees',
        'prefs={"dark":true}',
      ],
    )
    assert.equal(
      (await rows(store, 'application_passwords')).map(({ hash }) => hash),
      ['app hash of abcd efgh'],
    )
    const options = new Map((await rows(store, 'options')).map(({ name, value }) => [name, JSON.parse(value)]))
    assert.equal(Object.fromEntries(options), {
      title: 'Our Garden',
      description: 'Notes &amp; roses',
      timezone: 'Europe/Brussels',
      posts_per_page: 5,
      default_category: 12,
      page_on_front: 130,
      permalink: '/%postname%/',
      theme: { stylesheet: 'plain' },
      sticky_posts: [120],
    })
  })

  test('gives accounts that nobody could log in with what a later site file has for them', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await bring(store)
    await store.run(store.db.updateTable('users').set({ email: 'mine@new.test' }).where('login', '=', 'rosa'))
    const site = await siteFile()
    const report = await bring(store, { site })
    const rosa = (await rows(store, 'users')).find(({ login }) => login === 'rosa')!
    assert.equal(
      [rosa.id, rosa.name, rosa.email, rosa.url, rosa.password_hash],
      [1, 'Rosa G.', 'mine@new.test', 'https://new.test/rosa', 'hash of thorn'],
    )
    const meta = (await rows(store, 'user_meta')).filter(({ user_id }) => user_id === 1)
    assert.equal(meta.map(({ key, value }) => `${key}=${value}`).sort(), [
      'description=Grows roses.',
      'first_name=Rosa',
      'last_name=Gardener',
      'likes=bees',
      'likes=roses',
      'nickname=Rosie',
      'prefs={"dark":true}',
      'roles=["administrator"]',
      'town=Ghent',
    ])
    assert.is((await rows(store, 'application_passwords')).length, 1)
    assert.ok(report.notes.some((note) => /1 × account that nobody could log in with; .*\(rosa\)/.test(note)))
    const before = await everything(store)
    const again = await bring(store, { site })
    assert.equal(await everything(store), before)
    assert.ok(again.notes.some((note) => /2 × account in use; stays as it is.*\(rosa, visitor\)/.test(note)))
  })

  test('leaves people who can log in as they are, and roles that somebody has given', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await bring(store)
    const { db } = store
    await store.run(db.updateTable('users').set({ password_hash: 'mine' }).where('login', '=', 'rosa'))
    await store.run(
      db.updateTable('user_meta').set({ value: '["author"]' }).where('user_id', '=', 2).where('key', '=', 'roles'),
    )
    const users = [
      { login: 'rosa', role: 'administrator', password: 'thorn', bio: 'x', meta: { town: 'Ghent' } },
      { login: 'gardener', role: 'editor', password: 'rake' },
    ]
    await bring(store, { site: { users } })
    assert.equal(
      (await rows(store, 'users'))
        .filter(({ id }) => id < 3)
        .map((row) => row.password_hash)
        .sort(),
      ['hash of rake', 'mine'],
    )
    const meta = (await rows(store, 'user_meta')).filter(({ key, user_id }) => key === 'roles' && user_id < 3)
    assert.equal(meta.map(({ user_id, value }) => `${user_id} ${value}`).sort(), ['1 ["subscriber"]', '2 ["author"]'])
    assert.not.ok((await rows(store, 'user_meta')).some(({ key }) => key === 'town'))
  })

  test('brings a person whose application password another one has', async () => {
    await using opened = await kind.open()
    const application_passwords = [{ name: 'phone', uuid: 'u', password: 'p' }]
    const users = [
      { login: 'a', application_passwords },
      { login: 'b', application_passwords },
    ]
    const report = await bring(opened.store, { site: { users } })
    assert.is((await rows(opened.store, 'application_passwords')).length, 1)
    assert.ok(report.notes.some((note) => note.includes('because another has its uuid')))
  })

  test('leaves the database as it was when the file is truncated or malformed', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await inUse(store)
    const before = await everything(store)
    const text = await readFile(garden, 'utf8')
    for (const bad of [text.slice(0, -200), text.slice(0, text.length / 2), text.replace('</rss>', '</channel>')]) {
      await fails(() => bring(store, { source: one(bad) }))
      assert.equal(await everything(store), before)
    }
  })

  if (kind.name.startsWith('SQLite')) {
    test('has every index, and what the planner knows of it, when it ends and when it fails', async () => {
      await using opened = await kind.open()
      const { store } = opened
      const state = async () => [
        (await store.all(sql`select name, tbl_name, sql from sqlite_schema where type = 'index' order by name`)).map(
          text,
        ),
        (await store.all(sql`select tbl, idx, stat from sqlite_stat1 order by idx`)).map(text),
        await store.first(sql`pragma cache_size`),
        await store.first(sql`pragma temp_store`),
      ]
      const before = await state()
      await fails(() => bring(store, { beforeCommit: () => Promise.reject(new Error('disk full')) }))
      assert.equal(await state(), before)
      await bring(store)
      assert.equal(await state(), before)
      assert.equal(await store.all(sql`pragma integrity_check`), [{ integrity_check: 'ok' }])
      await bring(store)
      assert.equal(await state(), before)
    })
  }

  test('is undone by what fails right before its end', async () => {
    await using opened = await kind.open()
    await fails(() => bring(opened.store, { beforeCommit: () => Promise.reject(new Error('disk full')) }))
    assert.equal(await rows(opened.store, 'posts'), [])
  })

  test('breaks circles of parents', async () => {
    await using opened = await kind.open()
    const page = (id: number, parent: number) =>
      `<item><title>${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>page</wp:post_type><wp:post_parent>${parent}</wp:post_parent>
       <wp:comment><wp:comment_id>${id}1</wp:comment_id><wp:comment_parent>${id}2</wp:comment_parent></wp:comment>
       <wp:comment><wp:comment_id>${id}2</wp:comment_id><wp:comment_parent>${id}1</wp:comment_parent></wp:comment></item>`
    const term = (slug: string, parent: string) =>
      `<wp:category><wp:category_nicename>${slug}</wp:category_nicename><wp:category_parent>${parent}</wp:category_parent></wp:category>`
    const source = one(
      `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${term('a', 'b')}${term('b', 'a')}${page(1, 2)}${page(2, 1)}${page(3, 3)}</channel></rss>`,
    )
    await bring(opened.store, { source })
    for (const table of ['posts', 'terms', 'comments'] as const) {
      const parents = new Map((await rows(opened.store, table)).map(({ id, parent_id }) => [id, parent_id]))
      for (const start of parents.keys()) {
        let steps = 0
        for (let id = start; id !== 0; id = parents.get(id) ?? 0) assert.ok((steps += 1) < 10, `${table} ${start}`)
      }
    }
  })

  test('S31: writes what the file says as the interface does what people type', async () => {
    await using opened = await kind.open()
    const { store } = opened
    for (const [id, role] of [
      [1, 'administrator'],
      [2, 'author'],
    ] as const) {
      await store.run(store.db.insertInto('users').values({ id, login: role, slug: role, name: role }))
      await store.run(
        store.db.insertInto('user_meta').values({ user_id: id, key: 'roles', value: JSON.stringify([role]), json: 1 }),
      )
    }
    const report = await bring(store, { source: one(HOSTILE) })
    const posts = new Map((await rows(store, 'posts')).map((post) => [post.slug, post]))
    const texts = (slug: string) => [posts.get(slug)!.title, posts.get(slug)!.content, posts.get(slug)!.excerpt]
    const filtered = ['a x', '<p>k</p><a>l</a>', '<b>m</b>']
    for (const slug of ['by-author', 'by-new', 'by-nobody', 'a-file']) assert.equal(texts(slug), filtered, slug)
    assert.equal(texts('by-administrator'), ['a <script>x</script>', RUNS, '<b onclick=x>m</b>'])
    assert.equal(
      [...posts.values()].map(({ guid }) => guid).filter((guid) => guid !== ''),
      ['https://x.test/?p=1'],
    )
    const [term] = await rows(store, 'terms')
    assert.equal([term?.name, term?.description], ['T', '<b>d</b><a>e</a>'])
    assert.equal(
      (await rows(store, 'comments')).map((comment) => [comment.author_name, comment.author_url, comment.content]),
      [
        ['C', '', '<b>c</b><a href="http://y.test/" rel="nofollow ugc">d</a>'],
        ['A', 'http://a.test', '<b>c</b><a href="http://y.test/" rel="nofollow ugc">d</a>'],
      ],
    )
    const people = await rows(store, 'users')
    assert.equal(people.find(({ login }) => login === 'new')?.name, 'N')
    const meta = (await rows(store, 'post_meta')).map(({ key, value }) => [key, value])
    assert.equal(meta, [
      ['_attachment_image_alt', 'alt'],
      ['_menu_item_url', ''],
    ])
    const settings = new Map((await rows(store, 'options')).map(({ name, value }) => [name, JSON.parse(value)]))
    assert.is(settings.get('title'), '&lt;i&gt;Site')
    const counted = (what: string) => Number.parseInt(report.notes.find((note) => note.includes(what)) ?? '0', 10)
    // Of four items each title, content and excerpt.
    assert.is(counted('whose author may not write any HTML; filtered'), 4 * 3)
    assert.is(counted('comment; filtered'), 2)
    assert.is(counted('URL that is not safe to follow'), 5)
    const again = await bring(store, { source: one(HOSTILE) })
    assert.is(
      Object.values(again.counts).reduce((sum, { imported }) => sum + imported, 0),
      0,
    )
  })

  test('S31: brings no hostile text that would run', async () => {
    await using opened = await kind.open()
    const texts = new HostileTexts(randomOf(23), { image: 1, block: 2, address: `${home}/a.png` })
    const sent = Array.from({ length: 200 }, () => texts.next())
    await bring(opened.store, { source: one(hostileFile(sent)) })
    const found: unknown[] = []
    const look = (row: object, why: string[]) => why.length > 0 && found.push([row, why])
    for (const post of await rows(opened.store, 'posts')) {
      for (const html of [post.title, post.content, post.excerpt]) look(post, unsafeHtml(html, home))
      look(post, unsafeAddress(post.guid, home))
    }
    for (const term of await rows(opened.store, 'terms')) {
      look(term, [...markupIn(term.name), ...unsafeHtml(term.description, home)])
    }
    for (const comment of await rows(opened.store, 'comments')) {
      const { author_name: name, author_url: url, content } = comment
      look(comment, [...markupIn(name), ...unsafeAddress(url, home), ...unsafeHtml(content, home)])
    }
    for (const user of await rows(opened.store, 'users')) look(user, markupIn(user.name))
    assert.equal(found, [])
    assert.is((await rows(opened.store, 'comments')).length, sent.length)
  })

  test('keeps HTML of contents where it is trusted, and nothing more', async () => {
    await using opened = await kind.open()
    await bring(opened.store, { source: one(HOSTILE), trustHtml: true })
    for (const { slug, title, content, excerpt } of await rows(opened.store, 'posts')) {
      assert.equal([title, content, excerpt], ['a <script>x</script>', RUNS, '<b onclick=x>m</b>'], slug)
    }
    const [term] = await rows(opened.store, 'terms')
    assert.equal([term?.name, term?.description], ['T', '<b>d</b><a>e</a>'])
    for (const { content } of await rows(opened.store, 'comments')) assert.not.match(content, 'onclick')
  })

  test('S31: filters what a site file says of people', async () => {
    await using opened = await kind.open()
    const user = {
      login: 'eve',
      name: '<b>E</b>ve',
      first_name: 'E<script>x</script>',
      nickname: '<i>e',
      url: 'javascript:alert(1)',
      bio: '<b onclick=x>b</b><img src=x onerror=alert(1)>',
    }
    await bring(opened.store, { site: { users: [user] } })
    const eve = (await rows(opened.store, 'users')).find(({ login }) => login === 'eve')!
    assert.equal([eve.name, eve.url], ['Eve', ''])
    const meta = (await rows(opened.store, 'user_meta')).filter(({ user_id: id }) => id === eve.id)
    const said = new Map(meta.map(({ key, value }) => [key, value]))
    assert.equal(
      ['first_name', 'nickname', 'description'].map((key) => said.get(key)),
      ['E', 'e', '<b>b</b>'],
    )
  })

  test('brings items that share a number, or have one that is too large', async () => {
    await using opened = await kind.open()
    const post = (id: string) => `<item><title>${id}</title><wp:post_id>${id}</wp:post_id></item>`
    const source = one(
      `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${post('5')}${post('5')}${post('99999999999999')}</channel></rss>`,
    )
    const report = await bring(opened.store, { source })
    assert.equal((await rows(opened.store, 'posts')).map(({ id }) => id).sort(ascending), [5, 6, 7])
    assert.ok(report.notes.some((note) => note.includes('whose ID another item')))
  })

  test('brings texts of any length, and cuts names that no index could hold', async () => {
    await using opened = await kind.open()
    const random = () => randomBytes(10_000).toString('hex').slice(0, 10_000)
    const title = random()
    const meta = (of: string) =>
      `<wp:${of}meta><wp:meta_key>${random()}</wp:meta_key><wp:meta_value>${title}</wp:meta_value></wp:${of}meta>`
    const term = (prefix: string, name: string) =>
      `<wp:${prefix}taxonomy>${random()}</wp:${prefix}taxonomy><wp:${prefix}slug>${random()}</wp:${prefix}slug><wp:${prefix}name>${name}</wp:${prefix}name>`
    const login = random()
    const source = one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>
      <wp:author><wp:author_login>${login}</wp:author_login><wp:author_email>${random()}@example.com</wp:author_email>
      <wp:author_display_name>${title}</wp:author_display_name></wp:author>
      <wp:term>${term('term_', title)}${meta('term')}</wp:term>
      <item><title>${title}</title><dc:creator>${login}</dc:creator><wp:post_id>5</wp:post_id><wp:post_name>${random()}</wp:post_name>
      <wp:post_type>${random()}</wp:post_type><wp:status>${random()}</wp:status><guid>${title}</guid>
      <category domain="${random()}" nicename="${random()}">${title}</category>${meta('post')}
      <wp:comment><wp:comment_author>${title}</wp:comment_author><wp:comment_author_email>${random()}</wp:comment_author_email>
      <wp:comment_type>${random()}</wp:comment_type><wp:comment_approved>${random()}</wp:comment_approved>
      ${meta('comment')}</wp:comment></item></channel></rss>`)
    const report = await bring(opened.store, { source })
    const [post] = await rows(opened.store, 'posts')
    assert.equal([post?.title, post?.guid, post?.slug.length, post?.type.length], [title, title, 200, 200])
    const [user] = await rows(opened.store, 'users')
    assert.equal([user?.name, user?.login, user?.email, user?.id], [title, login.slice(0, 60), '', post?.author_id])
    const [extra] = await rows(opened.store, 'post_meta')
    assert.equal([extra?.value, extra?.key.length], [title, 255])
    const [comment] = await rows(opened.store, 'comments')
    assert.equal([comment?.author_name, comment?.author_email, comment?.type.length], [title, '', 200])
    assert.is((await rows(opened.store, 'terms')).length, 2)
    for (const what of ['3 × slug longer than 200', '2 × name of a term longer', '3 × meta key longer']) {
      assert.ok(
        report.notes.some((note) => note.startsWith(what)),
        what,
      )
    }
  })

  test('keeps private what was attached to drafts that were never saved', async () => {
    await using opened = await kind.open()
    const item = (id: number, status: string, parent: number, type = 'attachment') =>
      `<item><title>${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>${type}</wp:post_type>
       <wp:status>${status}</wp:status><wp:post_parent>${parent}</wp:post_parent></item>`
    const items = [
      item(1, 'inherit', 3),
      item(2, 'inherit', 9),
      item(3, 'auto-draft', 0, 'post'),
      item(4, 'inherit', 3),
    ]
    await bring(opened.store, {
      source: one(`<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${items.join('')}</channel></rss>`),
    })
    assert.equal(
      (await rows(opened.store, 'posts')).map(({ title, status, parent_id: parent }) => [title, status, parent]),
      [
        ['1', 'private', 0],
        ['2', 'inherit', 0],
        ['4', 'private', 0],
      ],
    )
  })

  test('does not take file names that lead out of the uploads', async () => {
    await using opened = await kind.open()
    const media = (
      id: number,
      file: string,
    ) => `<item><title>${id}</title><wp:post_id>${id}</wp:post_id><wp:post_type>attachment</wp:post_type>
      <wp:postmeta><wp:meta_key>_wp_attached_file</wp:meta_key><wp:meta_value>${file}</wp:meta_value></wp:postmeta></item>`
    const source = one(
      `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${media(1, '../../etc/passwd')}${media(2, '/srv/wp-content/uploads/2024/a.png')}${media(3, 'https://cdn.test/a.png')}</channel></rss>`,
    )
    await bring(opened.store, { source })
    assert.equal(
      (await rows(opened.store, 'post_meta')).map(({ post_id, value }) => [post_id, value]),
      [[2, '2024/a.png']],
    )
  })

  test.run()
}

const report = suite('import report')

report('says what came, what did not and why', async () => {
  const [kind] = stores
  await using opened = await kind!.open()
  const text = formatReport(await bring(opened.store, { hasFile: () => false }))
  assert.match(text, /^Imported \d+ things from http:\/\/garden\.example to https:\/\/new\.test/)
  for (const line of [
    /post items +3 +0 +1/,
    /post items: 1 × drafts that were never saved/,
    /revision items: 1 × of items that are not in the file/,
    /elements: 1 × <item\/wp:stars>, which is unknown here/,
    /1 × media file that is not among the uploads \(2024\/05\/rose\.jpg\)/,
    /1 × comment of an account that is not in the file; keeps the name \(Stranger\)/,
    /1 × author whom only items name; has an account without email now \(guest\)/,
  ]) {
    assert.match(text, line)
  }
})

report('is told how far it is while it runs', async () => {
  const [kind] = stores
  await using opened = await kind!.open()
  const told: number[] = []
  await bring(opened.store, { onProgress: ({ items }) => told.push(items) })
  assert.is(told.at(-1), 15)
})

report.after(async () => site[Symbol.asyncDispose]())

report.run()

async function bring(store: Store, options: Partial<SiteImport> = {}): Promise<ImportReport> {
  return await importSite(store, {
    source: createReadStream(garden),
    home,
    typeName: (name) => `svc_${name}`,
    rules: writingRules(site.kernel.services),
    hashPassword: async (plain) => `hash of ${plain}`,
    hashApplicationPassword: (plain) => `app hash of ${plain}`,
    ...options,
  })
}

async function siteFile() {
  return readSiteFile(await readFile(gardenSite, 'utf8'), home)
}

/** A site with things of its own, some of them under names of the file. */
async function inUse(store: Store): Promise<void> {
  const { db } = store
  await store.run(db.insertInto('users').values({ id: 30, login: 'owner', slug: 'rosa', name: 'Owner' }))
  await store.run(db.insertInto('terms').values({ id: 40, taxonomy: 'category', slug: 'plants', name: 'Green' }))
  const mine = { title: 'Mine', type: 'page', status: 'publish', slug: 'about', date: '2023-01-01 00:00:00' }
  await store.run(db.insertInto('posts').values({ id: 500, guid: 'https://new.test/?p=130', ...mine }))
  await store.run(db.insertInto('comments').values({ id: 70, post_id: 500, content: 'Mine' }))
  await store.syncSequences()
}

const text = (row: unknown) => JSON.stringify(row)

const ascending = (one: number, other: number) => one - other

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

async function rows<T extends keyof Database>(store: Store, table: T): Promise<Row<T>[]> {
  return (await store.all(store.db.selectFrom(table as 'posts').selectAll())) as unknown as Row<T>[]
}

async function byId<T extends 'posts' | 'terms' | 'comments' | 'users'>(
  store: Store,
  table: T,
): Promise<Map<number, Row<T>>> {
  return new Map((await rows(store, table)).map((row) => [(row as { id: number }).id, row]))
}

/** Every row of every table that an import writes. */
async function everything(store: Store): Promise<unknown> {
  // prettier-ignore
  const tables = ['users', 'user_meta', 'posts', 'post_meta', 'terms', 'term_meta', 'term_relationships', 'comments', 'comment_meta', 'options', 'application_passwords'] as const
  const all = await Promise.all(
    tables.map(async (table) => [table, (await rows(store, table)).map((row) => JSON.stringify(row)).sort()]),
  )
  return Object.fromEntries(all)
}

async function fails(act: () => Promise<unknown>): Promise<void> {
  let failed = false
  await act().catch(() => (failed = true))
  assert.ok(failed)
}
