import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { escapeHtml } from '../../../../plugins/library/markup/index.ts'
import { serve } from '../../../helpers/site.ts'
import { stores } from '../../../helpers/stores.ts'
import { randomOf } from '../../../helpers/random.ts'
import { HostileTexts } from '../../../xss/texts.ts'
import { markupIn, unsafeUrl, unsafeHtml } from '../../../xss/unsafe.ts'
import { createImporter, home, one, rows } from './importing.ts'
import { noteLines } from '../../../../plugins/operations/importer/report.ts'

/** Content with script, in the file of an untrusted author. */
const RUNS = '<p onclick=x>k</p><a href="javascript:x">l</a>'
const MARKUP = '&lt;b onclick=x&gt;'
/** A file with script in every text: by users of the site, by a new user, and without an author. */
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

function hostilePost(slug: string, author: string, more = ''): string {
  return `<item><title>a &lt;script&gt;x&lt;/script&gt;</title><wp:post_name>${slug}</wp:post_name>
    <dc:creator>${author}</dc:creator><content:encoded><![CDATA[${RUNS}]]></content:encoded>
    <excerpt:encoded><![CDATA[<b onclick=x>m</b>]]></excerpt:encoded>
    <wp:post_date>2024-05-01 10:00:00</wp:post_date><wp:status>publish</wp:status>
    ${more.includes('post_type') ? '' : '<wp:post_type>post</wp:post_type>'}${more}</item>`
}

/** A file with each text in every field that can contain one. */
function hostileFile(texts: readonly string[]): string {
  // oxlint-disable-next-line no-control-regex -- XML cannot contain these characters
  const xml = (text: string) => escapeHtml(text.toWellFormed().replace(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, ''))
  const authors = texts.map(
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
    ) => `<item><title>${xml(text)}</title><wp:post_id>${index + 1}</wp:post_id><wp:post_type>post</wp:post_type>
      <wp:status>publish</wp:status><dc:creator>p${index}</dc:creator>
      <guid>${xml(text)}</guid><content:encoded>${xml(text)}</content:encoded><excerpt:encoded>${xml(text)}</excerpt:encoded>
      <wp:comment><wp:comment_id>${index + 1}</wp:comment_id><wp:comment_author>${xml(text)}</wp:comment_author>
      <wp:comment_author_url>${xml(text)}</wp:comment_author_url>
      <wp:comment_content>${xml(text)}</wp:comment_content></wp:comment></item>`,
  )
  return `<rss><channel><wp:wxr_version>1.2</wp:wxr_version>${[...authors, ...terms, ...items].join('')}</channel></rss>`
}

function hostileComment(id: number, name: string, url: string): string {
  return `<wp:comment><wp:comment_id>${id}</wp:comment_id><wp:comment_author>${MARKUP}${name}</wp:comment_author>
    <wp:comment_author_url>${url}</wp:comment_author_url>
    <wp:comment_content><![CDATA[<b onclick=x>c</b><a href="http://y.test/" onclick=x>d</a>]]></wp:comment_content></wp:comment>`
}

/** A default site, whose rules for user input apply to the import. */
const site = await serve()
const importInto = createImporter(site)

for (const kind of stores) {
  const test = suite(`texts of an import: ${kind.name}`)

  test('S31: filters the texts of the file like the REST API filters user input', async () => {
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
    const report = await importInto(store, { source: one(HOSTILE) })
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
    const authors = await rows(store, 'users')
    assert.equal(authors.find(({ login }) => login === 'new')?.name, 'N')
    const meta = (await rows(store, 'post_meta')).map(({ key, value }) => [key, value])
    assert.equal(meta, [
      ['_attachment_image_alt', 'alt'],
      ['_menu_item_url', ''],
    ])
    const settings = new Map((await rows(store, 'options')).map(({ name, value }) => [name, JSON.parse(value)]))
    assert.is(settings.get('title'), '&lt;i&gt;Site')
    const countInNote = (text: string) =>
      Number.parseInt(noteLines(report).find((note) => note.includes(text)) ?? '0', 10)
    // Title, content and excerpt of four items.
    assert.is(countInNote('whose author may not write unfiltered HTML; HTML filtered'), 4 * 3)
    assert.is(countInNote('comment; HTML filtered'), 2)
    assert.is(countInNote('unsafe URL'), 5)
    const again = await importInto(store, { source: one(HOSTILE) })
    assert.is(
      Object.values(again.counts).reduce((sum, { imported }) => sum + imported, 0),
      0,
    )
  })

  test('S31: imports no text that executes script', async () => {
    await using opened = await kind.open()
    const texts = new HostileTexts(randomOf(23), { image: 1, block: 2, url: `${home}/a.png` })
    const sent = Array.from({ length: 200 }, () => texts.next())
    await importInto(opened.store, { source: one(hostileFile(sent)) })
    const found: unknown[] = []
    const collect = (row: object, problems: string[]) => problems.length > 0 && found.push([row, problems])
    for (const post of await rows(opened.store, 'posts')) {
      for (const html of [post.title, post.content, post.excerpt]) collect(post, unsafeHtml(html, home))
      collect(post, unsafeUrl(post.guid, home))
    }
    for (const term of await rows(opened.store, 'terms')) {
      collect(term, [...markupIn(term.name), ...unsafeHtml(term.description, home)])
    }
    for (const comment of await rows(opened.store, 'comments')) {
      const { author_name: name, author_url: url, content } = comment
      collect(comment, [...markupIn(name), ...unsafeUrl(url, home), ...unsafeHtml(content, home)])
    }
    for (const user of await rows(opened.store, 'users')) collect(user, markupIn(user.name))
    assert.equal(found, [])
    assert.is((await rows(opened.store, 'comments')).length, sent.length)
  })

  test('keeps the HTML of contents if it is trusted, but filters other texts', async () => {
    await using opened = await kind.open()
    await importInto(opened.store, { source: one(HOSTILE), trustHtml: true })
    for (const { slug, title, content, excerpt } of await rows(opened.store, 'posts')) {
      assert.equal([title, content, excerpt], ['a <script>x</script>', RUNS, '<b onclick=x>m</b>'], slug)
    }
    const [term] = await rows(opened.store, 'terms')
    assert.equal([term?.name, term?.description], ['T', '<b>d</b><a>e</a>'])
    for (const { content } of await rows(opened.store, 'comments')) assert.not.match(content, 'onclick')
  })

  test('S31: filters the users of a site file', async () => {
    await using opened = await kind.open()
    const user = {
      login: 'eve',
      name: '<b>E</b>ve',
      first_name: 'E<script>x</script>',
      nickname: '<i>e',
      url: 'javascript:alert(1)',
      bio: '<b onclick=x>b</b><img src=x onerror=alert(1)>',
    }
    await importInto(opened.store, { site: { users: [user] } })
    const eve = (await rows(opened.store, 'users')).find(({ login }) => login === 'eve')!
    assert.equal([eve.name, eve.url], ['Eve', ''])
    const meta = (await rows(opened.store, 'user_meta')).filter(({ user_id: id }) => id === eve.id)
    const profile = new Map(meta.map(({ key, value }) => [key, value]))
    assert.equal(
      ['first_name', 'nickname', 'description'].map((key) => profile.get(key)),
      ['E', 'e', '<b>b</b>'],
    )
  })

  test.after(async () => {
    if (kind === stores.at(-1)) await site[Symbol.asyncDispose]()
  })

  test.run()
}
