import { suite } from 'uvu'
import { fragmentsOf } from '../../../../plugins/library/caching/index.ts'
import * as assert from 'uvu/assert'
import { addPosts, addTerm, indexed } from '../../../helpers/content.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

/** Small and large numbers of posts on a page, and of comments below a post. */
const [SMALL_COUNT, LARGE_COUNT] = [3, 24]
const POSTS = 80

for (const { name, place } of databases) {
  const statements = suite(`statements of pages on ${name}`)

  statements('do not depend on the number of posts, on any page of a list', async () => {
    await using site = await serveWithUsers(place)
    await fill(site)
    const lists = [
      '/',
      '/page/2/',
      '/category/news/',
      '/tag/sea/',
      '/author/ann-w/',
      '/2024/',
      '/2024/05/',
      '/?s=wave',
      '/feed/',
      '/feed/atom/',
      '/comments/feed/',
      '/category/news/feed/',
      '/author/ann-w/feed/',
      '/feed/?s=wave',
      '/sitemap-post-post-1.xml',
    ]
    const found: Record<string, readonly number[]> = {}
    for (const path of lists) {
      const counts: number[] = []
      for (const size of [SMALL_COUNT, LARGE_COUNT]) {
        await site.kernel.services.options.set('posts_per_page', size)
        await site.kernel.services.options.set('posts_per_rss', size)
        counts.push(await countOf(site, path))
      }
      found[path] = counts
    }
    for (const [path, [small, large]] of Object.entries(found))
      assert.ok(large! <= small! + 1, `${path}: ${small} and ${large}`)
  })

  statements('are the same for a distant page of a list as for the second', async () => {
    await using site = await serveWithUsers(place)
    await fill(site)
    await site.kernel.services.options.set('posts_per_page', SMALL_COUNT)
    for (const list of ['/', '/category/news/', '/author/ann-w/', '/2024/05/']) {
      const [near, far] = [await countOf(site, `${list}page/2/`), await countOf(site, `${list}page/12/`)]
      assert.ok(far <= near, `${list}: ${near} and ${far}`)
    }
    const search = (page: number) => countOf(site, `/?s=wave&paged=${page}`)
    const [near, far] = [await search(2), await search(12)]
    assert.ok(far <= near, `${near} and ${far}`)
  })

  statements('do not depend on the number of comments or replies on a post', async () => {
    await using site = await serveWithUsers(place)
    const posts = await addPosts(site.store, { title: 'Few' }, { title: 'Many' }, { title: 'Deep' })
    await comment(site, posts[0]!, SMALL_COUNT, () => 0)
    await comment(site, posts[1]!, LARGE_COUNT, () => 0)
    await comment(site, posts[2]!, LARGE_COUNT, (last) => last)
    const pathOf = async (id: number) =>
      new URL(((await site.json(`/svc/v2/posts/${id}`)) as { link: string }).link).pathname
    const counts: number[] = []
    for (const id of posts) counts.push(await countOf(site, await pathOf(id)))
    const [small, large, deep] = counts as [number, number, number]
    assert.ok(large <= small, `${small} and ${large}`)
    // Replies are read level by level; all replies below the last shown level are read in one statement.
    const levels = 5
    assert.ok(deep <= small + levels, `${small} and ${deep}`)
  })

  statements.run()
}

/** Returns the number of statements of an uncached page. */
async function countOf(site: SiteWithUsers, path: string): Promise<number> {
  const { server } = site.kernel
  server.httpCache?.clear()
  fragmentsOf(server).clear()
  let count = 0
  const stop = site.store.onStatement(() => void (count += 1))
  const response = await fetch(`${site.home}${path}`, { redirect: 'manual' })
  await response.text()
  stop()
  assert.is(response.status, 200, path)
  return count
}

async function fill(site: SiteWithUsers): Promise<void> {
  const { store, users } = site
  const news = await addTerm(store, { taxonomy: 'category', name: 'News', count: POSTS })
  const sea = await addTerm(store, { taxonomy: 'post_tag', name: 'Sea', count: POSTS })
  const own = await Promise.all(
    Array.from({ length: POSTS }, (_, at) => addTerm(store, { taxonomy: 'post_tag', name: `Tag ${at}`, count: 1 })),
  )
  const [image] = await addPosts(store, {
    title: 'Picture',
    type: 'attachment',
    status: 'inherit',
    mime_type: 'image/png',
  })
  const people = Object.values(users)
  const posts = await addPosts(
    store,
    ...own.map((tag, at) => ({
      title: `Wave ${at}`,
      content: `<!-- svc:paragraph --><p>wave ${at}</p><!-- /svc:paragraph -->`,
      author_id: at % 2 === 0 ? users.ann : people[at % people.length]!,
      terms: [news, sea, tag],
      meta: { _thumbnail_id: image! },
    })),
  )
  for (const id of posts) await comment(site, id, 1, () => 0)
  await indexed(store)
}

/** Stores comments on a post. @param above the comment that each answers, by the one before it */
async function comment({ store }: SiteWithUsers, post: number, count: number, above: (last: number) => number) {
  const fields = { approved: '1', type: 'comment', date: '2024-05-05 12:00:00', date_gmt: '2024-05-05 12:00:00' }
  let last = 0
  for (let at = 0; at < count; at += 1) {
    const row = { ...fields, post_id: post, parent_id: above(last), author_name: `C${at}`, content: 'Well.' }
    last = (await store.first(store.db.insertInto('comments').values(row).returning('id')))!.id
  }
}
