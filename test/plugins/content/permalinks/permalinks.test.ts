import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache } from '../../../../kernel/index.ts'
import { slugify } from '../../../../plugins/resources/slug.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { addPosts, addTerm, type TestPost } from '../../../helpers/content.ts'
import { serve, type Site, statementsOf, startOnly } from '../../../helpers/site.ts'

startOnly('permalinks', 'posts', 'settings')

const permalinks = suite('permalinks')
stopClockFor(permalinks)

const films = definePlugin({
  name: 'films',
  needs: ['content-types', 'taxonomies'],
  apply({ services }) {
    services.contentTypes.register('film', { public: true })
    services.contentTypes.register('scene', {
      public: true,
      hierarchical: true,
      rewrite: { slug: 'scenes', with_front: false },
    })
    services.taxonomies.register('mood', 'film', { hierarchical: true })
    services.taxonomies.register('era', 'film', { hierarchical: true, rewrite: { slug: 'eras', hierarchical: true } })
    services.taxonomies.register('mark', 'film', { rewrite: false, query_var: false })
  },
})

async function site(permalink = '/%year%/%monthnum%/%day%/%postname%/'): Promise<Site> {
  const started = await serve({ add: [films] })
  await started.kernel.services.options.set('permalink', permalink)
  return started
}

/** The URL of a post, relative to the home URL. */
async function pathOf(on: Site, post: TestPost): Promise<string> {
  const [id] = (await addPosts(on.store, post)) as [number]
  const scope = new RequestCache()
  const { permalinks: links, posts } = on.kernel.services
  return (await links.post((await posts.get(id, scope))!, scope)).slice(on.home.length)
}

permalinks('fill the tags of the structure', async () => {
  await using on = await site('/%author%/%category%/%year%-%monthnum%-%day%/%hour%%minute%%second%/%postname%')
  await on.store.run(on.store.db.insertInto('users').values({ id: 3, login: 'x', slug: 'jane' }))
  const top = await addTerm(on.store, { taxonomy: 'category', name: 'Top' })
  const below = await addTerm(on.store, { taxonomy: 'category', name: 'Below', parent_id: top })
  const post = { title: 'Hello', date: '2024-03-04 05:06:07', author_id: 3 }
  assert.is(await pathOf(on, { ...post, terms: [below] }), '/jane/top/below/2024-03-04/050607/hello')
  assert.is(await pathOf(on, post), '/jane/uncategorized/2024-03-04/050607/hello')
})

permalinks('leave unknown tags unchanged', async () => {
  await using on = await site('/%nothing%/%postname%/')
  assert.is(await pathOf(on, { title: 'Hello' }), '/%nothing%/hello/')
})

permalinks('are plain for unpublished posts', async () => {
  await using on = await site()
  for (const status of ['draft', 'pending', 'future', 'trash', 'auto-draft', 'unheard-of']) {
    assert.match(await pathOf(on, { title: 'Hello', status }), /^\/\?p=\d+$/)
  }
  assert.match(await pathOf(on, { type: 'page', status: 'draft' }), /^\/\?page_id=\d+$/)
  assert.match(await pathOf(on, { type: 'film', status: 'draft' }), /^\/\?post_type=film&p=\d+$/)
  assert.match(await pathOf(on, { type: 'svc_block', status: 'draft' }), /^\/\?p=\d+$/)
  assert.match(await pathOf(on, { slug: '' }), /^\/\?p=\d+$/)
  assert.is(await pathOf(on, { status: 'private', title: 'Mine', date: '2024-01-02 00:00:00' }), '/2024/01/02/mine/')
})

permalinks('contain the parents of a page, and tolerate cycles', async () => {
  await using on = await site()
  const [a] = (await addPosts(on.store, { type: 'page', title: 'A' })) as [number]
  const [b] = (await addPosts(on.store, { type: 'page', title: 'B', parent_id: a })) as [number]
  assert.is(await pathOf(on, { type: 'page', title: 'C', parent_id: b }), '/a/b/c/')
  assert.is(await pathOf(on, { type: 'scene', title: 'C', parent_id: b }), '/scenes/a/b/c/')
  await on.store.run(on.store.db.updateTable('posts').set({ parent_id: b }).where('id', '=', a))
  assert.is(await pathOf(on, { type: 'page', title: 'D', parent_id: a }), '/b/a/d/')
  assert.is(await pathOf(on, { type: 'page', title: 'E', parent_id: 9999 }), '/e/')
})

permalinks('of the front page are the home URL', async () => {
  await using on = await site()
  const [front] = await addPosts(on.store, { type: 'page', title: 'Front' })
  await on.kernel.services.options.set('show_on_front', 'page')
  await on.kernel.services.options.set('page_on_front', front)
  const scope = new RequestCache()
  const { permalinks: links, posts } = on.kernel.services
  assert.is(await links.post((await posts.get(front!, scope))!, scope), `${on.home}/`)
})

permalinks('put attachments below their parent', async () => {
  await using on = await site()
  const [post, draft] = (await addPosts(
    on.store,
    { title: 'Hello', date: '2024-01-02 00:00:00' },
    { status: 'draft' },
  )) as [number, number]
  const file = { type: 'attachment', status: 'inherit' }
  assert.is(await pathOf(on, { ...file, title: 'Cat', parent_id: post }), '/2024/01/02/hello/cat/')
  assert.is(await pathOf(on, { ...file, title: '7', parent_id: post }), '/2024/01/02/hello/attachment/7/')
  assert.is(await pathOf(on, { ...file, title: 'Cat' }), '/cat/')
  assert.match(await pathOf(on, { ...file, parent_id: draft }), /^\/\?attachment_id=\d+$/)
})

permalinks('follow the prefix and trailing slash of the structure', async () => {
  await using on = await site('/blog/%postname%')
  assert.is(await pathOf(on, { title: 'Hello' }), '/blog/hello')
  assert.is(await pathOf(on, { type: 'page', title: 'About' }), '/about')
  assert.is(await pathOf(on, { type: 'film', title: 'Metropolis' }), '/blog/film/metropolis')
  assert.is(await pathOf(on, { type: 'scene', title: 'One' }), '/scenes/one')
  assert.is(await pathOf(on, { type: 'svc_block', title: 'Block' }), '/blog/block')
  const { permalinks: links } = on.kernel.services
  assert.is(await links.author({ id: 3, slug: 'jane' }), `${on.home}/blog/author/jane`)
})

permalinks('keep the index.php of the structure', async () => {
  await using on = await site('/index.php/%year%/%postname%/')
  assert.is(await pathOf(on, { title: 'Hello', date: '2024-01-02 00:00:00' }), '/index.php/2024/hello/')
  assert.is(await pathOf(on, { type: 'page', title: 'About' }), '/index.php/about/')
})

permalinks('are plain without a structure', async () => {
  await using on = await site('')
  assert.match(await pathOf(on, { title: 'Hello' }), /^\/\?p=\d+$/)
  assert.match(await pathOf(on, { type: 'page' }), /^\/\?page_id=\d+$/)
  assert.is(await pathOf(on, { type: 'film', title: 'Metropolis' }), '/?film=metropolis')
  assert.match(await pathOf(on, { type: 'attachment', status: 'inherit' }), /^\/\?attachment_id=\d+$/)
  const { permalinks: links } = on.kernel.services
  const term = async (taxonomy: string) =>
    (await links.term({ id: 4, taxonomy, slug: 's', parent_id: 0 }, new RequestCache())).slice(on.home.length)
  assert.equal(await Promise.all(['category', 'post_tag', 'mood', 'mark', 'gone'].map(term)), [
    '/?cat=4',
    '/?tag=s',
    '/?mood=s',
    '/?taxonomy=mark&term=s',
    '/?taxonomy=gone&term=s',
  ])
  assert.is(await links.author({ id: 3, slug: 'jane' }), `${on.home}/?author=3`)
})

permalinks('of terms follow their taxonomy and the configured bases', async () => {
  await using on = await site()
  const { permalinks: links, terms, options } = on.kernel.services
  const path = async (id: number) => {
    const scope = new RequestCache()
    return (await links.term((await terms.get(id, scope))!, scope)).slice(on.home.length)
  }
  const category = await addTerm(on.store, { taxonomy: 'category', name: 'Top' })
  const below = await addTerm(on.store, { taxonomy: 'category', name: 'Below', parent_id: category })
  const tag = await addTerm(on.store, { taxonomy: 'post_tag', name: 'Tag' })
  const mood = await addTerm(on.store, { taxonomy: 'mood', name: 'Dark' })
  const darker = await addTerm(on.store, { taxonomy: 'mood', name: 'Darker', parent_id: mood })
  const era = await addTerm(on.store, { taxonomy: 'era', name: 'Silent' })
  const late = await addTerm(on.store, { taxonomy: 'era', name: 'Late', parent_id: era })
  const format = await addTerm(on.store, { taxonomy: 'post_format', name: 'Aside', slug: 'post-format-aside' })
  assert.equal(await Promise.all([below, tag, darker, late, format].map(path)), [
    '/category/top/below/',
    '/tag/tag/',
    '/mood/darker/',
    '/eras/silent/late/',
    '/type/aside/',
  ])
  await options.set('category_base', '/topics/')
  await options.set('tag_base', 'labels')
  assert.equal(await Promise.all([below, tag].map(path)), ['/topics/top/below/', '/labels/tag/'])
})

permalinks('show their template', async () => {
  await using on = await site()
  const template = async (post: TestPost) => {
    const [id] = (await addPosts(on.store, { date: '2024-01-02 00:00:00', ...post })) as [number]
    const scope = new RequestCache()
    const { permalinks: links, posts } = on.kernel.services
    const form = await links.postTemplate((await posts.get(id, scope))!, scope)
    return form.slice(on.home.length).replace(/\d+$/, 'ID')
  }
  const [page] = (await addPosts(on.store, { type: 'page', title: 'Above' })) as [number]
  assert.is(await template({ title: 'Hello', slug: 'hi' }), '/2024/01/02/%postname%/')
  assert.is(await template({ title: 'Ça va?', slug: '', status: 'draft' }), '/2024/01/02/%postname%/')
  assert.is(await template({ title: 'x', slug: 'x__trashed', status: 'trash' }), '/?p=ID')
  assert.is(await template({ type: 'page', title: 'B', parent_id: page }), '/above/%pagename%/')
  assert.is(await template({ type: 'film', title: 'F' }), '/film/%pagename%/')
  assert.is(
    await template({ type: 'attachment', status: 'inherit', title: 'c', parent_id: page }),
    '/above/%postname%/',
  )
  assert.is(await template({ type: 'attachment', status: 'inherit', title: 'c' }), '/?attachment_id=ID')
})

permalinks('of a whole list take one statement', async () => {
  await using on = await site()
  const [top] = (await addPosts(on.store, { type: 'page', title: 'Top' })) as [number]
  const parents = await addPosts(
    on.store,
    ...Array.from({ length: 5 }, (_, n) => ({ type: 'page', title: `P${n}`, parent_id: top })),
  )
  const ids = await addPosts(on.store, ...parents.map((parent_id) => ({ type: 'page', parent_id })))
  const { permalinks: links, posts } = on.kernel.services
  const scope = new RequestCache()
  const pages = await Promise.all(ids.map(async (id) => (await posts.get(id, scope))!))
  await links.post(pages[0]!, new RequestCache())
  const statements = await statementsOf(on.store, () => Promise.all(pages.map(async (page) => links.post(page, scope))))
  assert.is(statements.length, 1)
})

permalinks('pass the filters for their kind', async () => {
  await using on = await site()
  on.kernel.hooks.post_link.tap('test', (link) => `${link}?from=feed`)
  on.kernel.hooks.page_link.tap('test', () => 'https://front.test/about')
  assert.match(await pathOf(on, { title: 'Hello' }), /hello\/\?from=feed$/)
  const { permalinks: links, posts } = on.kernel.services
  const [page] = (await addPosts(on.store, { type: 'page' })) as [number]
  assert.is(
    await links.post((await posts.get(page, new RequestCache()))!, new RequestCache()),
    'https://front.test/about',
  )
})

const slugs = suite('slugs')

slugs('keep letters and digits, and put hyphens between words', () => {
  const cases: [string, string][] = [
    ['Hello, World!', 'hello-world'],
    ['  Tom & Jerry  ', 'tom-jerry'],
    ['Tom &amp; Jerry', 'tom-jerry'],
    ['<b>Bold</b> move', 'bold-move'],
    ['Ärger über Größe', 'arger-uber-grosse'],
    ['Łódź – a/b.c', 'lodz-a-b-c'],
    ['under_score', 'under_score'],
    ['--x--', 'x'],
    ['επίπεδο', '%ce%b5%cf%80%ce%af%cf%80%ce%b5%ce%b4%ce%bf'],
    ['"quotes" ’n’ “marks”', 'quotes-n-marks'],
    ['6×7 and 1920 × 1080', '6x7-and-1920-x-1080'],
    ['Test 🛬', 'test-%f0%9f%9b%ac'],
    ['❤️ & ☎', '%e2%9d%a4%ef%b8%8f'],
    ['#️⃣ 1️⃣', '1'],
    ['%E6%97%A5%e6%9c%ac 本', '%e6%97%a5%e6%9c%ac-%e6%9c%ac'],
    ['50% a%20b %e6%97 %zz', '50-a20b-e697-zz'],
    ['!!!', ''],
  ]
  for (const [title, slug] of cases) assert.is(slugify(title), slug, title)
})

slugs('are cut without splitting a character', () => {
  assert.is(slugify('a'.repeat(300)).length, 200)
  assert.match(slugify('日'.repeat(300)), /^(%e6%97%a5)+$/)
  assert.ok(slugify('日'.repeat(300)).length <= 200)
})

permalinks.run()
slugs.run()
