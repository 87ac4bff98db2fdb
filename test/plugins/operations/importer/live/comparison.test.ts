import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../../kernel/index.ts'
import type { LiveImportOptions } from '../../../../../plugins/operations/importer/index.ts'
import { as, serve, serveOn, type Site } from '../../../../helpers/site.ts'
import { databases } from '../../../../helpers/site-with-users.ts'
import { rows } from '../importing.ts'
import { importFrom, serveGarden, serveOld } from './old-site.ts'

const DATE = '2001-02-03 04:05:06'

/** Changes what an import has stored, so that it differs from the old site. */
const meddler = definePlugin({
  name: 'meddler',
  needs: ['importer'],
  apply({ hooks }) {
    hooks.import_objects_stored.tapPromise('meddler', async (tx) => {
      const { db } = tx
      const texts = { title: 'Other', content: 'Other', excerpt: 'Other' }
      const dates = { date: DATE, date_gmt: DATE, modified: DATE, modified_gmt: DATE }
      const columns = { status: 'private', slug: 'other', author_id: 0, comment_status: 'x', ping_status: 'x' }
      const posts = db.updateTable('posts').set({ ...texts, ...dates, ...columns, menu_order: 77 })
      await tx.run(posts.where('type', 'in', ['post', 'page', 'attachment']))
      await tx.run(db.updateTable('terms').set({ name: 'Other', description: 'Other' }))
      await tx.run(db.updateTable('users').set({ name: 'Other', url: 'http://new.example' }))
      const comment = {
        content: 'Other',
        author_name: 'Other',
        author_email: 'o@new.example',
        author_url: 'http://n.ew',
      }
      await tx.run(db.updateTable('comments').set({ ...comment, date: DATE, date_gmt: DATE }))
      await tx.run(db.deleteFrom('post_meta').where('key', '=', '_thumbnail_id'))
      await tx.run(db.deleteFrom('term_relationships'))
    })
  },
})

/** Adds posts that not every role may read, with comments, to an old site. */
async function addHiddenContent(old: Site): Promise<void> {
  const create = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', ...as('administrator', 1) }
    const response = await old.request(`/svc/v2/${path}`, { method: 'POST', body: JSON.stringify(body), headers })
    assert.is(response.status, 201, path)
    return ((await response.json()) as { id: number }).id
  }
  const texts = { content: '<p>Hidden “text”</p>', excerpt: 'An excerpt' }
  for (const type of ['posts', 'pages']) {
    const secret = await create(type, { title: `Secret ${type}`, status: 'publish', password: 'sesame', ...texts })
    const inside = await create(type, { title: `Private ${type}`, status: 'private', ...texts })
    await create(type, { title: `Draft ${type}`, status: 'draft', ...texts })
    await create(type, { title: `Later ${type}`, status: 'future', date: '2099-01-01T00:00:00', ...texts })
    for (const post of [secret, inside]) {
      const comment = { post_id: post, content: 'A comment', author_name: 'Ann', date: DATE, date_gmt: DATE }
      await old.store.run(old.store.db.insertInto('comments').values(comment))
    }
    if (type === 'pages') await create('pages', { title: 'Below', status: 'publish', parent: inside })
  }
}

/** Returns the slugs of the content that visitors of a site can list. */
async function publicSlugs(site: Site): Promise<string[]> {
  const lists = ['posts', 'pages', 'media'].map((path) => site.json(`/svc/v2/${path}?_fields=slug&per_page=100`))
  return ((await Promise.all(lists)) as { slug: string }[][]).flat().map(({ slug }) => slug)
}

for (const role of [null, 'subscriber', 'contributor', 'author', 'editor', 'administrator']) {
  const comparison = suite(`comparison after an import by ${role ?? 'a visitor'}`)

  comparison('explains every difference; all public content came, once', async () => {
    await using old = await serveGarden({}, role ?? 'subscriber')
    await addHiddenContent(old)
    const shown = await publicSlugs(old)
    assert.ok(shown.length > 6)
    for (const compare of ['all', 'sample'] as const) {
      await using here = await serve()
      const run = (options: Partial<LiveImportOptions>) =>
        role === null
          ? here.kernel.services.importer.runLive({ url: old.home, allow: ['127.0.0.1:*'], retryDelay: 1, ...options })
          : importFrom(here, old.home, options)
      const slugs = async () =>
        (await rows(here.store, 'posts')).flatMap(({ slug, type }) => (type === 'revision' ? [] : [slug])).sort()
      const report = await run({ compare })
      assert.equal(
        report.comparison!.differences.filter(({ explained }) => !explained),
        [],
        compare,
      )
      const imported = await slugs()
      assert.equal(
        shown.filter((slug) => imported.filter((one) => one === slug).length !== 1),
        [],
      )
      // What the user may not edit is neither deleted nor added again by a further run.
      const again = await run({ compare: 'none', followDeletions: true })
      assert.equal(again.deleted, [])
      assert.equal(await slugs(), imported)
    }
  })

  comparison.run()
}

for (const { name, place } of databases) {
  const comparison = suite(`comparison after the import of a running site: ${name}`)

  comparison('finds each field that differs, with the values of both sites', async () => {
    await using old = await serveGarden()
    await using here = await serveOn(await place(), { add: [meddler] })
    const report = await importFrom(here, old.home, { compare: 'all' })
    const { differences } = report.comparison!
    const fieldsOf = (route: string) =>
      differences.flatMap((one) => (one.route === `/svc/v2/${route}` && !one.explained ? [one.field] : [])).sort()
    const dates = ['date', 'date_gmt', 'modified', 'modified_gmt']
    const texts = ['author', 'comment_status', 'slug', 'status', 'title']
    assert.equal(
      fieldsOf('posts'),
      [
        ...texts,
        ...dates,
        'categories',
        'content',
        'excerpt',
        'featured_media',
        'format',
        'ping_status',
        'tags',
      ].sort(),
    )
    assert.equal(fieldsOf('pages'), [...texts, ...dates, 'content', 'excerpt', 'menu_order', 'ping_status'].sort())
    assert.equal(fieldsOf('media'), [...texts, ...dates, 'caption', 'description', 'ping_status'].sort())
    assert.equal(fieldsOf('categories'), ['description', 'name'])
    assert.equal(fieldsOf('users'), ['name', 'url'])
    assert.equal(
      fieldsOf('comments'),
      ['author_email', 'author_name', 'author_url', 'content', 'date', 'date_gmt'].sort(),
    )
    const content = differences.find(({ field, route }) => field === 'content' && route === '/svc/v2/pages')
    assert.match(content?.examples[0] ?? '', /→ "Other"/)
  })

  comparison(
    'explains new IDs in blocks of a site that has content, whose other attributes keep their bytes',
    async () => {
      await using old = await serveOld()
      await using here = await serveOn(await place())
      const { db } = old.store
      const date = { date: DATE, date_gmt: DATE, modified: DATE, modified_gmt: DATE }
      const file = { type: 'attachment', status: 'inherit', slug: 'a', mime_type: 'image/png', ...date }
      const { id } = (await old.store.first(db.insertInto('posts').values(file).returning('id')))!
      const path = { post_id: id, key: '_attached_file', value: 'a.png', json: 0 }
      await old.store.run(db.insertInto('post_meta').values(path))
      const block = (image: number, home: string) =>
        String.raw`<!-- wp:image { "url":"${home.replaceAll('/', String.raw`\/`)}\/a.png", "id":${image} ,"alt":"\u003cb\u003ea\u003c\/b\u003e \u002d\u002d \u00e9","n":1.0,"e":1e3,"big":12345678901234567890,"n":2} -->` +
        `<figure></figure><!-- /wp:image -->`
      const post = { status: 'publish', title: 'Blocks', ...date }
      const unsafe = `<p onclick="a()">Text</p>`
      for (const [slug, more] of [
        ['blocks', ''],
        ['filtered', unsafe],
      ] as const) {
        await old.store.run(db.insertInto('posts').values({ ...post, slug, content: block(id, old.home) + more }))
      }
      for (let count = 0; count < 20; count += 1) {
        await here.store.run(
          here.store.db.insertInto('posts').values({ ...post, slug: `mine-${count}`, content: 'Mine' }),
        )
      }
      const { comparison: found } = await importFrom(here, old.home, { compare: 'all', download: false })
      assert.equal(
        found!.differences.filter(({ explained }) => !explained),
        [],
      )
      assert.equal(
        found!.differences.flatMap(({ count, field, reason }) => (field === 'content' ? [`${count} ${reason}`] : [])),
        [
          '1 IDs in blocks and classes were replaced with the IDs of this site',
          '1 HTML that the author may not write here was filtered, and IDs were replaced with the IDs of this site',
        ],
      )
      const rows = await here.store.all(here.store.db.selectFrom('posts').select(['id', 'content', 'slug', 'type']))
      const image = rows.find(({ type }) => type === 'attachment')!
      assert.not.equal(image.id, id)
      const contentOf = (name: string) => rows.find(({ slug }) => slug === name)?.content
      assert.is(contentOf('blocks'), block(image.id, here.home))
      assert.is(contentOf('filtered'), `${block(image.id, here.home)}<p>Text</p>`)
    },
  )

  comparison.run()
}
