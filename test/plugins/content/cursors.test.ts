import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Store } from '../../../plugins/storage/store/index.ts'
import { addPosts, addTerm } from '../../helpers/content.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'

const SEED = 20_261_122
const WALKS = 6

interface Item {
  id: number
}

/** One page of a list, and the path of the next one; null after the last. */
async function page(site: SiteWithUsers, path: string, headers = {}): Promise<{ ids: number[]; next: string | null }> {
  const response = await site.get(path, headers)
  const items = (await response.json()) as Item[]
  assert.is(response.status, 200, JSON.stringify(items))
  const [, href] = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '') ?? []
  return { ids: items.map(({ id }) => id), next: href?.slice(`${site.home}/svc-json`.length) ?? null }
}

/** The IDs of a whole list, page by page. @param between runs after each page */
async function walk(site: SiteWithUsers, list: string, headers = {}, between = async () => {}): Promise<number[]> {
  const ids: number[] = []
  let next: string | null = `/svc/v2/${list}${list.includes('?') ? '&' : '?'}cursor=first&per_page=3`
  while (next !== null) {
    const read: Awaited<ReturnType<typeof page>> = await page(site, next, headers)
    ids.push(...read.ids)
    next = read.next
    await between()
  }
  return ids
}

/** The same list on one page. */
async function whole(site: SiteWithUsers, list: string, headers = {}): Promise<number[]> {
  return (await page(site, `/svc/v2/${list}${list.includes('?') ? '&' : '?'}per_page=100`, headers)).ids
}

/** Status, code and invalid parameters of an error response. */
async function refusal(site: SiteWithUsers, path: string): Promise<[number, string, string]> {
  const response = await site.get(path)
  const { code, data } = (await response.json()) as { code: string; data: { params?: Record<string, string> } }
  return [response.status, code, Object.keys(data.params ?? {}).join()]
}

const two = (number: number) => String(number).padStart(2, '0')

/** Posts with many ties in each order. */
function somePosts(count: number, more: (index: number) => object = () => ({})) {
  return Array.from({ length: count }, (_, index) => ({
    title: `${index % 3 === 0 ? 'Énd' : 'start'} ${index % 5}${'x'.repeat(index % 2 === 0 ? 0 : 260)}`,
    slug: `slug-${index % 7}`,
    date: `2024-02-${two(1 + (index % 6))} 10:00:00`,
    modified: `2024-03-${two(1 + (index % 4))} 10:00:00`,
    author_id: 1 + (index % 3),
    parent_id: index % 3,
    menu_order: index % 4,
    content: index % 2 === 0 ? 'a garden' : 'a river',
    ...more(index),
  }))
}

for (const { name, place } of databases) {
  const cursors = suite(`cursors of lists on ${name}`)

  cursors('page through posts in every order and with every filter', async () => {
    await using site = await serveWithUsers(place)
    const { store } = site
    const [news, other] = [
      await addTerm(store, { taxonomy: 'category', name: 'News' }),
      await addTerm(store, { taxonomy: 'category', name: 'Other' }),
    ]
    await addPosts(store, ...somePosts(20, (index) => ({ terms: index % 3 === 0 ? [news, other] : [other] })))
    await addPosts(store, ...somePosts(10, () => ({ type: 'page' })))
    const orders = ['author', 'date', 'id', 'modified', 'slug', 'title'].flatMap((order) =>
      ['asc', 'desc'].map((direction) => `orderby=${order}&order=${direction}`),
    )
    const filters = [
      `categories=${news},${other}`,
      `categories[terms]=${news},${other}&categories[operator]=AND`,
      'author=1,2',
      'search=garden',
      'search=garden&orderby=title',
      'after=2024-02-02T00:00:00',
      'exclude=3,4',
      'modified_before=2024-03-03T00:00:00',
      `tags_exclude=${news}`,
      'sticky=false',
    ]
    for (const query of [...orders, ...filters]) {
      const list = `posts?_fields=id&${query}`
      assert.equal(await walk(site, list), await whole(site, list), query)
    }
    for (const query of [
      'orderby=parent',
      'orderby=menu_order&order=asc',
      'parent=0,1&orderby=menu_order',
      'parent=0',
    ]) {
      const list = `pages?_fields=id&${query}`
      assert.equal(await walk(site, list), await whole(site, list), query)
    }
    const editor = site.by('ed')
    for (const order of ['date', 'title', 'author']) {
      const list = `posts?_fields=id&status=publish,draft&orderby=${order}&context=edit`
      assert.equal(await walk(site, list, editor), await whole(site, list, editor), order)
    }
  })

  cursors('page through media, comments, users and terms', async () => {
    await using site = await serveWithUsers(place)
    const { store, users } = site
    await addPosts(store, ...somePosts(8, () => ({ type: 'attachment', status: 'inherit', parent_id: 0 })))
    const [post] = await addPosts(store, { title: 'Talked about' })
    for (let index = 0; index < 11; index++) {
      const date = `2024-02-${two(1 + (index % 4))} 10:00:00`
      const row = { post_id: post!, content: `C${index}`, date, date_gmt: date, parent_id: index % 2 }
      await store.run(store.db.insertInto('comments').values(row))
      await addTerm(store, { taxonomy: 'post_tag', name: `Tag ${index % 3}`, slug: `tag-${index}`, count: index % 4 })
    }
    await store.run(store.db.updateTable('users').set({ name: 'One name' }).where('id', '<', users.sub))
    const admin = site.by('admin')
    const sortedLists = (list: string, orders: string) =>
      orders
        .split(' ')
        .flatMap((order) => ['asc', 'desc'].map((direction) => `${list}?orderby=${order}&order=${direction}`))
    const lists = [
      ...sortedLists('media', 'date title id'),
      ...sortedLists('comments', 'date date_gmt id post parent type'),
      `comments?post=${post}`,
      ...sortedLists('users', 'id name registered_date slug email url'),
      ...sortedLists('tags', 'id name slug count term_group'),
      'tags?hide_empty=true',
      `tags?search=tag`,
    ]
    for (const list of lists) assert.equal(await walk(site, list, admin), await whole(site, list, admin), list)
  })

  cursors('skip and repeat nothing during concurrent writes', async () => {
    await using site = await serveWithUsers(place)
    const { store } = site
    const write = (fixed: ReadonlySet<number>, choice: number) => writeSomething(store, fixed, choice)
    const property = fc.asyncProperty(
      fc.constantFrom('date', 'id', 'title', 'author', 'modified', 'slug'),
      fc.constantFrom('asc', 'desc'),
      fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
      async (orderby, order, choices) => {
        const fixed = new Set(await addPosts(store, ...somePosts(14)))
        const list = `posts?_fields=id&orderby=${orderby}&order=${order}`
        const before = (await whole(site, list)).filter((id) => fixed.has(id))
        let at = 0
        const seen = await walk(site, list, {}, async () => {
          for (let times = 0; times < 2; times++) await write(fixed, choices[at++ % choices.length]!)
        })
        assert.is(new Set(seen).size, seen.length, 'nothing is shown twice')
        assert.equal(
          seen.filter((id) => fixed.has(id)),
          before,
        )
        await store.run(store.db.deleteFrom('posts').where('type', '=', 'post'))
      },
    )
    await fc.assert(property, { numRuns: WALKS, seed: SEED })
  })

  cursors('come with a total on the first page, and end without a next link', async () => {
    await using site = await serveWithUsers(place)
    await addPosts(site.store, ...somePosts(4))
    for (const list of ['posts', 'users', 'categories']) {
      const first = await site.get(`/svc/v2/${list}?cursor=&per_page=1`)
      const uncursored = await site.get(`/svc/v2/${list}?per_page=1`)
      for (const header of ['x-svc-total', 'x-svc-totalpages'])
        assert.is(first.headers.get(header), uncursored.headers.get(header), list)
    }
    const { next } = await page(site, '/svc/v2/posts?cursor=first&per_page=3')
    assert.not.match(next!, /[?&]page=/)
    const last = await site.get(next!)
    assert.is(last.headers.get('x-svc-total'), null)
    assert.not.match(last.headers.get('link')!, /rel="next"/)
    assert.is(((await last.json()) as Item[]).length, 2)
    const none = await site.get('/svc/v2/posts?cursor=first&after=2030-01-01T00:00:00')
    assert.is(none.headers.get('x-svc-total'), '0')
    const emptyPage = await site.get('/svc/v2/posts?cursor=first&slug=none')
    assert.equal(await emptyPage.json(), [])
  })

  cursors('are refused if invalid for the list, and together with page or offset', async () => {
    await using site = await serveWithUsers(place)
    await addPosts(site.store, ...somePosts(4))
    const { next } = await page(site, '/svc/v2/posts?cursor=first&per_page=1')
    const cursor = new URL(next!, site.home).searchParams.get('cursor')!
    const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const wrong = [
      'posts?cursor=nonsense',
      `posts?orderby=title&cursor=${cursor}`,
      `posts?order=asc&cursor=${cursor}`,
      `users?cursor=${cursor}`,
      `posts?cursor=${forged('date desc,id desc', 5, 5)}`,
      `posts?cursor=${forged('date desc,id desc', 'x', 'y')}`,
      `posts?cursor=${forged('date desc,id desc', 'x')}`,
      `posts?cursor=${forged('date desc,id desc', 'x', 1e300)}`,
      `posts?cursor=${forged('date desc,id desc', 'x'.repeat(9000), 1)}`,
      `posts?cursor=${forged()}`,
      'posts?cursor[]=first',
      'posts?search=garden&orderby=relevance&cursor=first',
      'posts?include=1,2&orderby=include&cursor=first',
      'posts?slug=a&orderby=include_slugs&cursor=first',
      'comments?include=1&orderby=include&cursor=first',
      'users?include=1&orderby=include&cursor=first',
      'tags?orderby=description&cursor=first',
      'tags?include=1&orderby=include&cursor=first',
    ]
    for (const list of wrong)
      assert.equal(await refusal(site, `/svc/v2/${list}`), [400, 'rest_invalid_param', 'cursor'], list)
    for (const other of ['page', 'offset']) {
      const path = `/svc/v2/posts?cursor=first&${other}=1`
      assert.equal(await refusal(site, path), [400, 'rest_invalid_param', other])
    }
    const long = `/svc/v2/posts?per_page=1&cursor=first&exclude=${Array.from({ length: 900 }, (_, id) => 10_000 + id).join()}`
    assert.equal(await refusal(site, long), [400, 'rest_invalid_param', 'cursor'])
  })

  cursors('reveal nothing about posts that the user may not read', async () => {
    await using site = await serveWithUsers(place)
    await site.store.run(site.store.db.deleteFrom('posts'))
    await addPosts(
      site.store,
      ...somePosts(9, (index) => ({
        status: index % 2 === 0 ? 'private' : 'publish',
        author_id: 99,
        date: `2024-01-0${index + 1} 00:00:00`,
      })),
    )
    const list = 'posts?_fields=id&status=publish,private&orderby=date'
    const readable = await whole(site, 'posts?_fields=id')
    const author = site.by('ann')
    const positions: string[] = []
    let next: string | null = `/svc/v2/${list}&cursor=first&per_page=1`
    while (next !== null) {
      const read: Awaited<ReturnType<typeof page>> = await page(site, next, author)
      assert.is(read.ids.length, 1)
      next = read.next
      const cursor = next === null ? null : new URL(next, site.home).searchParams.get('cursor')
      if (cursor !== null) positions.push(Buffer.from(cursor, 'base64url').toString())
    }
    assert.is(positions.length, readable.length - 1)
    for (const cursor of positions) assert.match(cursor, /2024-01-0[2468] /)
  })

  cursors('are hidden from clients that compare list arguments', async () => {
    await using site = await serveWithUsers(place)
    for (const list of ['posts', 'comments', 'users', 'tags', 'media']) {
      const response = await site.request(`/svc/v2/${list}`, { method: 'OPTIONS' })
      const { endpoints } = (await response.json()) as { endpoints: { args: Record<string, unknown> }[] }
      assert.ok('per_page' in endpoints[0]!.args, list)
      assert.not.ok('cursor' in endpoints[0]!.args, list)
    }
  })

  cursors.run()
}

/** Adds posts, or changes or deletes a post that is not in `fixed`. */
async function writeSomething(store: Store, fixed: ReadonlySet<number>, choice: number): Promise<void> {
  const { db } = store
  const rows = await store.all(db.selectFrom('posts').select('id').where('type', '=', 'post').orderBy('id'))
  const others = rows.map(({ id }) => id).filter((id) => !fixed.has(id))
  const other = others[(choice >>> 4) % Math.max(others.length, 1)]
  if (choice % 4 === 0 && other !== undefined) {
    await store.run(db.deleteFrom('posts').where('id', '=', other))
  } else if (choice % 4 === 1 && other !== undefined) {
    await store.run(db.updateTable('posts').set({ status: 'draft' }).where('id', '=', other))
  } else {
    await addPosts(store, ...somePosts(1 + (choice % 3)))
  }
}
