import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { LiveProgress } from '../../../../../plugins/operations/importer/index.ts'
import type { Row, Store } from '../../../../../plugins/storage/store/index.ts'
import { as, serve, serveOn, type Site } from '../../../../helpers/site.ts'
import { databases } from '../../../../helpers/site-with-users.ts'
import { rows } from '../importing.ts'
import { importFrom, serveGarden, serveOld } from './old-site.ts'

for (const { name, place } of databases) {
  const test = suite(`import of a running site: ${name}`)

  test('brings posts, terms, comments, users, menus and settings with their IDs to an empty site', async () => {
    await using old = await serveGarden()
    await using here = await serveOn(await place())
    const report = await importFrom(here, old.home, { compare: 'all' })
    assert.equal(
      report.comparison?.differences.filter(({ explained }) => !explained),
      [],
    )
    assert.ok(report.comparison!.routes.reduce((sum, { compared }) => sum + compared, 0) > 30)
    assert.equal(
      report.gaps.map(({ subject }) => subject),
      ['comments: author_user_agent', 'passwords of users', 'meta and options of plugins'],
    )
    assert.equal(await contentOf(here.store, here.home), await contentOf(old.store, old.home))
    assert.is(report.counts['comments']?.imported, (await rows(old.store, 'comments')).length)
    const [settings, before] = await Promise.all([settingsOf(here), settingsOf(old)])
    assert.equal(settings, before)
  })

  test('brings only public content without a user, and names what is missing', async () => {
    await using old = await serveGarden()
    await using here = await serveOn(await place())
    const report = await here.kernel.services.importer.runLive({ url: old.home, allow: ['127.0.0.1:*'], retryDelay: 1 })
    const posts = await rows(here.store, 'posts')
    assert.ok(posts.length > 0)
    assert.equal(
      posts.filter(({ content, status }) => status !== 'publish' && status !== 'inherit' && content !== ''),
      [],
    )
    assert.equal((await rows(here.store, 'users')).map(({ email }) => email).filter(Boolean), [])
    assert.match(report.gaps.map(({ reason }) => reason).join('\n'), /manage_options/)
    assert.match(report.notes.map(({ text }) => text).join('\n'), /the raw form needs a user/)
  })

  test('brings changes since the last run, and follows deletions if asked to', async () => {
    await using old = await serveGarden()
    await using here = await serveOn(await place())
    const first = await importFrom(here, old.home)
    const send = async (method: string, path: string, body?: object) => {
      const request = { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const response = await old.request(path, {
        ...request,
        headers: { ...request.headers, ...as('administrator', 1) },
      })
      assert.ok(response.ok, `${path} ${response.status}`)
      return (await response.json()) as { id: number }
    }
    await send('POST', '/svc/v2/posts/120', { content: '<p>Changed</p>' })
    const { id } = await send('POST', '/svc/v2/posts', { title: 'New', status: 'publish', content: 'New text' })
    await send('POST', '/svc/v2/comments', { post: 122, content: 'A new comment', author: 1 })
    await send('DELETE', '/svc/v2/pages/131?force=true')
    const second = await importFrom(here, old.home, { followDeletions: true })
    assert.is(first.since, null)
    assert.is.not(second.since, null)
    const posts = (await rows(here.store, 'posts')).filter(({ type }) => type !== 'revision')
    const byTitle = new Map(posts.map((post) => [post.title, post]))
    assert.is(byTitle.get('Roses in May')?.content, '<p>Changed</p>')
    assert.is(byTitle.get('New')?.content, 'New text', String(id))
    assert.ok((await rows(here.store, 'comments')).some(({ content }) => content === 'A new comment'))
    assert.equal(second.deleted, [{ object: 'page 131', followed: true }])
    assert.is(byTitle.get('Tools')?.status, 'trash')
    assert.equal(
      second.comparison?.differences.filter(({ explained }) => !explained),
      [],
    )
  })

  test('is rejected with the reason of its signal during the comparison, and keeps the content', async () => {
    await using old = await serveGarden()
    await using here = await serveOn(await place())
    const cancel = new AbortController()
    const isStored = new Map<LiveProgress['phase'], boolean>()
    const onProgress = (progress: LiveProgress) => {
      isStored.set(progress.phase, progress.isStored)
      if (progress.phase === 'comparing') cancel.abort(new Error('enough'))
    }
    await importFrom(here, old.home, { compare: 'all', signal: cancel.signal, onProgress }).then(
      () => assert.unreachable(),
      (error: Error) => assert.is(error.message, 'enough'),
    )
    assert.equal([isStored.get('reading'), isStored.get('comparing')], [false, true])
    assert.is((await here.json('/svc/v2/pages?slug=tools')).length, 1)
  })

  test.run()
}

const discovery = suite('discovery of a running site')

discovery('finds the REST API of sites with another word, plain URLs and a path', async () => {
  for (const options of [{ word: 'wp' }, { word: 'cms' }, { addresses: 'plain' }, { addresses: 'index' }]) {
    await using old = await serveOld(options)
    await using here = await serve()
    const probe = await here.kernel.services.importer.probeLive({ url: old.home, allow: ['127.0.0.1:*'] })
    assert.ok(
      probe.kinds.some(({ kind }) => kind === 'post items'),
      JSON.stringify(options),
    )
    const root = await here.kernel.services.importer.probeLive({ url: probe.root, allow: ['127.0.0.1:*'] })
    assert.equal(root.kinds, probe.kinds)
  }
})

discovery('sends no password to another host, and requests private hosts only if they are allowed', async () => {
  await using old = await serveOld()
  await using here = await serve()
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'imported',
      (error: { code: string }) => error.code,
    )
  assert.is(await codeOf(importFrom(here, old.home, { allow: [] })), 'IMPORT_LIVE_UNREACHABLE')
  assert.is(await codeOf(importFrom(here, old.home, { password: 'wrong' })), 'IMPORT_LIVE_LOGIN')
  assert.is(await codeOf(importFrom(here, 'not a url')), 'IMPORT_LIVE_URL')
  assert.equal((await rows(here.store, 'users')).length, 0)
})

discovery.run()

/** Posts that no route of the REST API shows: of unregistered types, autosaves, revisions without a post, and styles without changes. */
const NOT_SHOWN = new Set([141, 142, 170, 171])
/** Registered meta, and meta that fields of the REST API show. */
const SHOWN_META = /^_(?:attached_file|attachment_|thumbnail_id|page_template|menu_item_)/

/** The rows of a site that the REST API shows, with a placeholder for the home URL. */
async function contentOf(store: Store, home: string): Promise<Record<string, string[]>> {
  const posts = await rows(store, 'posts')
  const items = posts.filter(({ id }) => !NOT_SHOWN.has(id))
  const isMenuItem = new Set(items.filter(({ type }) => type === 'nav_menu_item').map(({ id }) => id))
  const content = {
    posts: items.map(({ guid: _guid, ...post }) => withoutHidden(post)),
    post_meta: (await rows(store, 'post_meta'))
      .filter(({ key, post_id: id, value }) => !NOT_SHOWN.has(id) && SHOWN_META.test(key) && value !== '')
      .map(({ id: _id, ...meta }) => meta),
    terms: (await rows(store, 'terms')).filter(({ taxonomy }) => !/^(?:course|svc_theme)$/.test(taxonomy)),
    links: (await rows(store, 'term_relationships'))
      .filter(({ post_id: id }) => !NOT_SHOWN.has(id))
      .map((link) => ({ ...link, ...(isMenuItem.has(link.post_id) && { post_date: '' }) })),
    comments: await rows(store, 'comments'),
    users: (await rows(store, 'users')).map(({ password_hash: _hash, ...user }) => user),
  }
  const escapedHome = home.replaceAll('/', String.raw`\/`)
  return Object.fromEntries(
    Object.entries(content).map(([table, all]) => {
      const texts = all.map((row) =>
        JSON.stringify(row, (_key, value) => withHome(value, [home, escapedHome]) as never),
      )
      return [table, texts.sort()]
    }),
  )
}

function withHome(value: unknown, homes: readonly string[]): unknown {
  if (typeof value !== 'string') return value
  return homes.reduce((text, home) => text.replaceAll(home, 'HOME'), value)
}

/** A post without columns that the REST API does not show for its type. */
function withoutHidden(post: Omit<Row<'posts'>, 'guid'>): object {
  if (post.type === 'nav_menu_item') {
    // A label that equals the title of its target is stored as none: the REST API shows no difference.
    const { id, type, status, menu_order: order } = post
    return { id, type, status, order }
  }
  const { author_id: author, comment_status: _open, modified_gmt: _modified, ...shown } = post
  return post.type === 'svc_block' ? shown : { ...shown, author }
}

async function settingsOf(site: Site): Promise<unknown> {
  const { url: _url, ...settings } = await site
    .inject('/svc/v2/settings', { headers: { 'x-test-user': '1:administrator' } })
    .then((response) => response.json() as Promise<Record<string, unknown>>)
  return settings
}
