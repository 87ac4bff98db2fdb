import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache, type CurrentUser } from '../../../../kernel/index.ts'
import type { PostQuery, ReadScope } from '../../../../plugins/content/posts/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { serveOn, type Site, statementsOf, startOnly } from '../../../helpers/site.ts'
import { stores, type StoreKind } from '../../../helpers/stores.ts'

startOnly('posts')

const PUBLISHED = { types: ['post'], statuses: ['publish'], readScope: null, limit: 100 }

/** A read scope: all posts with some statuses, and own posts with further statuses. */
const readScopeOf = (statuses: string[], user: number, own: string[]): ReadScope[] => [
  {
    types: ['post'],
    any: { statuses, trashed: [] },
    own: { statuses: own, trashed: [] },
    others: { statuses: [], trashed: [] },
    user,
  },
]

function userWithRole(site: Site, role: string, id = 50): CurrentUser {
  return { id, roles: [role], capabilities: site.kernel.services.roles.capabilitiesOf([role]) }
}

async function titles(site: Site, query: Partial<PostQuery>): Promise<string[]> {
  const { items } = await site.kernel.services.posts.query({ ...PUBLISHED, ...query }, new RequestCache())
  return items.map(({ title }) => title)
}

function modelSuite(kind: StoreKind): void {
  const model = suite(`post queries, ${kind.name}`)
  stopClockFor(model)

  /** A site on a database of this kind; it closes at the end of its scope. */
  async function open(): Promise<Site> {
    const opened = await kind.open()
    await opened.store.close()
    return serveOn(opened)
  }

  model('sort by every column, with ties by ID, so that pages never overlap', async () => {
    await using site = await open()
    await addPosts(
      site.store,
      {
        title: 'b',
        slug: 's1',
        author_id: 2,
        parent_id: 9,
        menu_order: 3,
        date: '2024-01-01 00:00:00',
        modified: '2024-02-01 00:00:00',
      },
      {
        title: 'a',
        slug: 's3',
        author_id: 3,
        parent_id: 7,
        menu_order: 1,
        date: '2024-01-03 00:00:00',
        modified: '2024-02-03 00:00:00',
      },
      {
        title: 'C',
        slug: 's2',
        author_id: 1,
        parent_id: 8,
        menu_order: 2,
        date: '2024-01-02 00:00:00',
        modified: '2024-02-02 00:00:00',
      },
    )
    const order = (orderby: string) => titles(site, { orderby, order: 'asc' } as Partial<PostQuery>)
    assert.equal(await order('title'), ['a', 'b', 'C'])
    assert.equal(await order('slug'), ['b', 'C', 'a'])
    assert.equal(await order('author'), ['C', 'b', 'a'])
    assert.equal(await order('parent'), ['a', 'C', 'b'])
    assert.equal(await order('menu_order'), ['a', 'C', 'b'])
    assert.equal(await order('date'), ['b', 'C', 'a'])
    assert.equal(await order('modified'), ['b', 'C', 'a'])
    assert.equal(await order('id'), ['b', 'a', 'C'])
    assert.equal(await titles(site, {}), ['a', 'C', 'b'])

    await site.store.run(site.store.db.updateTable('posts').set({ date: '2024-01-01 00:00:00' }))
    const pages = await Promise.all([0, 1, 2].map((offset) => titles(site, { limit: 1, offset })))
    assert.equal(pages.flat(), ['C', 'a', 'b'])
  })

  model('count posts outside the page in as few statements as possible', async () => {
    await using site = await open()
    await addPosts(site.store, ...Array.from({ length: 7 }, () => ({})))
    const { posts } = site.kernel.services
    const page = async (limit: number, offset: number) => {
      const list = await posts.query({ ...PUBLISHED, limit, offset }, new RequestCache())
      return [list.items.length, list.total]
    }
    assert.equal(await page(3, 0), [3, 7])
    assert.equal(await page(3, 6), [1, 7])
    assert.equal(await page(3, 60), [0, 7])
    const statements = await statementsOf(site.store, () => page(10, 0))
    assert.is(statements.length, 1)
  })

  model('filter by lists of any length', async () => {
    await using site = await open()
    const ids = await addPosts(
      site.store,
      ...Array.from({ length: 30 }, (_, n) => ({ title: `P${n}`, slug: `p${n}`, author_id: n })),
    )
    assert.is((await titles(site, { include: ids.slice(0, 2) })).length, 2)
    assert.is((await titles(site, { include: ids })).length, 30)
    assert.is((await titles(site, { exclude: ids.slice(0, 25) })).length, 5)
    assert.equal(await titles(site, { author: [4] }), ['P4'])
    assert.is((await titles(site, { authorExclude: [4, 5] })).length, 28)
    assert.is((await titles(site, { slug: ids.map((_, n) => `p${n}`) })).length, 30)
    const hostile = Array.from({ length: 40 }, (_, n) => `nul\0${n}\ud800 ' or 1=1 --`)
    assert.equal(await titles(site, { slug: hostile }), [])
    assert.equal(await titles(site, { slug: hostile.slice(0, 3) }), [])
    const many = Array.from({ length: 40_000 }, (_, n) => n + 1)
    assert.is((await titles(site, { include: many })).length, 30)
    assert.equal(await titles(site, { include: [1e300] }), [])
  })

  model('filter by date, menu order, parent and media type', async () => {
    await using site = await open()
    await addPosts(
      site.store,
      { title: 'old', date: '2020-01-01 00:00:00', parent_id: 5, menu_order: 1, mime_type: 'image/png' },
      { title: 'new', date: '2024-01-01 00:00:00', modified: '2024-06-01 00:00:00', parent_id: 6 },
    )
    assert.equal(await titles(site, { after: '2022-01-01 00:00:00' }), ['new'])
    assert.equal(await titles(site, { before: '2024-01-01 00:00:00' }), ['old'])
    assert.equal(await titles(site, { modifiedAfter: '2024-03-01 00:00:00' }), ['new'])
    assert.equal(await titles(site, { modifiedBefore: '2024-03-01 00:00:00' }), ['old'])
    assert.equal(await titles(site, { menuOrder: 1 }), ['old'])
    assert.equal(await titles(site, { parent: [6] }), ['new'])
    assert.equal(await titles(site, { parentExclude: [6] }), ['old'])
    assert.equal(await titles(site, { mimeTypes: ['image/png'] }), ['old'])
  })

  model('preserve the order of a given list', async () => {
    await using site = await open()
    const [a, b, c] = (await addPosts(
      site.store,
      { title: 'A', slug: 'a' },
      { title: 'B', slug: 'b' },
      { title: 'C', slug: 'c' },
    )) as [number, number, number]
    assert.equal(await titles(site, { orderby: 'include', include: [b, 999, c, a] }), ['B', 'C', 'A'])
    assert.equal(await titles(site, { orderby: 'include', include: [b, c, a], limit: 1, offset: 1 }), ['C'])
    assert.equal(await titles(site, { orderby: 'include_slugs', slug: ['c', 'a'] }), ['C', 'A'])
    const { total } = await site.kernel.services.posts.query(
      { ...PUBLISHED, orderby: 'include', include: [a, b], limit: 1 },
      new RequestCache(),
    )
    assert.is(total, 2)
  })

  model('filter by terms: any, all or none of them, with descendants', async () => {
    await using site = await open()
    const { store } = site
    const top = await addTerm(store, { taxonomy: 'category', name: 'Top' })
    const below = await addTerm(store, { taxonomy: 'category', name: 'Below', parent_id: top })
    const deep = await addTerm(store, { taxonomy: 'category', name: 'Deep', parent_id: below })
    const tag = await addTerm(store, { taxonomy: 'post_tag', name: 'Tag' })
    await addPosts(
      store,
      { title: 'top', terms: [top] },
      { title: 'deep', terms: [deep, tag] },
      { title: 'both', terms: [top, below] },
      { title: 'none' },
    )
    const titlesWith = (...terms: PostQuery['terms'] & object) => titles(site, { terms })
    assert.equal(await titlesWith({ taxonomy: 'category', terms: [top, deep], operator: 'in' }), [
      'top',
      'deep',
      'both',
    ])
    assert.equal(await titlesWith({ taxonomy: 'category', terms: [top, below], operator: 'and' }), ['both'])
    assert.equal(await titlesWith({ taxonomy: 'category', terms: [top], operator: 'not in' }), ['deep', 'none'])
    assert.equal(await titlesWith({ taxonomy: 'category', terms: [top], operator: 'in', includeChildren: true }), [
      'top',
      'deep',
      'both',
    ])
    assert.equal(
      await titlesWith({ taxonomy: 'category', terms: [below], operator: 'not in', includeChildren: true }),
      ['top', 'none'],
    )
    // A term of another taxonomy does not count.
    assert.equal(await titlesWith({ taxonomy: 'category', terms: [tag], operator: 'in' }), [])
    const two: PostQuery['terms'] = [
      { taxonomy: 'category', terms: [top], operator: 'in' },
      { taxonomy: 'post_tag', terms: [tag], operator: 'in' },
    ]
    assert.equal(await titles(site, { terms: two }), [])
    assert.equal(await titles(site, { terms: two, termRelation: 'or' }), ['top', 'deep', 'both'])
  })

  model('search every word literally in title, excerpt and content', async () => {
    await using site = await open()
    await addPosts(
      site.store,
      { title: 'Red wine', content: 'from the south' },
      { title: 'Wine', content: 'RED and white', excerpt: '' },
      { title: 'Beer', excerpt: 'as red as wine', content: '100% malt' },
      { title: 'Water', content: '1000 percent_sign' },
    )
    const search = (text: string) => titles(site, { search: text })
    assert.equal(await search('red wine'), ['Red wine', 'Wine', 'Beer'])
    assert.equal(await search('"red wine"'), ['Red wine'])
    assert.equal(await search('wine -white'), ['Red wine', 'Beer'])
    assert.equal(await search('-wine'), ['Water'])
    assert.equal(await search('100%'), ['Beer'])
    assert.equal(await search('percent_'), ['Water'])
    assert.equal(await search('ercent_'), ['Water'])
    assert.equal(await search('percentX'), [])
    assert.equal(await search('%'), ['Beer'])
    assert.equal(await search('\\'), [])
    assert.equal(await search('the'), ['Red wine'])
    assert.equal(await search('wi'), ['Red wine', 'Wine', 'Beer'])
  })

  model('rank title matches first, then excerpt, then content', async () => {
    await using site = await open()
    await addPosts(
      site.store,
      { title: 'x', content: 'red wine' },
      { title: 'y', excerpt: 'red wine' },
      { title: 'wine', content: 'red' },
      { title: 'wine that is red' },
      { title: 'red wine' },
    )
    assert.equal(await titles(site, { search: 'red wine', orderby: 'relevance' }), [
      'red wine',
      'wine that is red',
      'wine',
      'y',
      'x',
    ])
  })

  model('rank a single word or phrase by title, then newest first', async () => {
    await using site = await open()
    await addPosts(
      site.store,
      { title: 'x', content: 'red wine' },
      { title: 'y', excerpt: 'red wine' },
      { title: 'z', content: 'red wine' },
      { title: 'red wine' },
    )
    for (const search of ['wine', '"red wine"']) {
      assert.equal(await titles(site, { search, orderby: 'relevance' }), ['red wine', 'x', 'y', 'z'])
    }
  })

  model('find protected posts only for users who may open them', async () => {
    await using site = await open()
    await addPosts(site.store, { title: 'Open secret' }, { title: 'Shut secret', password: 'x', author_id: 7 })
    assert.equal(await titles(site, { search: 'secret' }), ['Open secret'])
    assert.equal(await titles(site, { search: 'secret', opens: readScopeOf([], 8, ['publish']) }), ['Open secret'])
    assert.equal(await titles(site, { search: 'secret', opens: readScopeOf([], 7, ['publish']) }), [
      'Open secret',
      'Shut secret',
    ])
    assert.equal(await titles(site, { search: 'secret', opens: readScopeOf([], 7, ['draft']) }), ['Open secret'])
    assert.equal(await titles(site, { search: 'secret', opens: null }), ['Open secret', 'Shut secret'])
    assert.equal(await titles(site, { search: '-nothing' }), ['Open secret'])
  })

  model('apply the read scope to every search, filter and order that depends on hidden properties', async () => {
    await using site = await open()
    await addPosts(
      site.store,
      { title: 'Mine', status: 'draft', author_id: 7, content: 'plan' },
      { title: 'Theirs', status: 'draft', author_id: 8, content: 'plan' },
    )
    const drafts = {
      statuses: ['draft', 'publish'],
      readScope: readScopeOf(['publish'], 7, ['draft']),
      listsHidden: true,
    }
    assert.equal(await titles(site, drafts), ['Mine', 'Theirs'])
    assert.equal(await titles(site, { ...drafts, listsHidden: false }), ['Mine'])
    const { readScope: _, ...withoutScope } = { ...PUBLISHED, statuses: drafts.statuses }
    // The compiler refuses a query without a read scope as well.
    const { posts } = site.kernel.services
    const unscoped = withoutScope as typeof PUBLISHED
    for (const read of [
      () => posts.query(unscoped, new RequestCache()),
      () => posts.queryLean(unscoped),
      () => posts.queryKeys(unscoped),
    ]) {
      const refused = await read().then(JSON.stringify, ({ message }: Error) => message)
      assert.match(refused, /has no read scope: pass services\.posts\.forUser/)
    }
    for (const inside of [
      { search: 'plan' },
      { slug: ['mine', 'theirs'] },
      { orderby: 'title' as const },
      { author: [7, 8] },
      { after: '2000-01-01 00:00:00' },
    ]) {
      assert.equal(await titles(site, { ...drafts, ...inside }), ['Mine'], JSON.stringify(inside))
    }
  })

  model('read many posts and their revisions in one statement each', async () => {
    await using site = await open()
    const { posts } = site.kernel.services
    const [a, b] = (await addPosts(site.store, {}, {})) as [number, number]
    await addPosts(
      site.store,
      { type: 'revision', status: 'inherit', parent_id: a, date: '2024-01-01 00:00:00' },
      { type: 'revision', status: 'inherit', parent_id: a, date: '2024-01-03 00:00:00', title: 'newest' },
      { type: 'revision', status: 'inherit', parent_id: a, date: '2024-01-02 00:00:00' },
    )
    const scope = new RequestCache()
    const statements = await statementsOf(site.store, async () => {
      const [first, second, none] = await Promise.all([
        posts.get(a, scope),
        posts.get(b, scope),
        posts.get(12_345, scope),
      ])
      assert.equal([first?.id, second?.id, none], [a, b, undefined])
      const [versions, without] = await Promise.all([posts.versions(a, scope), posts.versions(b, scope)])
      assert.is(versions.count, 3)
      assert.is((await posts.get(versions.latest, scope))?.title, 'newest')
      assert.equal(without, { count: 0, latest: 0 })
    })
    assert.is(statements.length, 3)
  })

  model('are readable by status, author and role', async () => {
    await using site = await open()
    const { posts } = site.kernel.services
    const statuses = ['publish', 'future', 'draft', 'pending', 'private', 'trash', 'auto-draft', 'unheard-of']
    const ids = await addPosts(site.store, ...statuses.map((status) => ({ status, author_id: 50 })))
    const readable = async (user: CurrentUser) => {
      const scope = new RequestCache()
      const readable = await Promise.all(
        ids.map(async (id) => posts.isReadable((await posts.get(id, scope))!, user, scope)),
      )
      return statuses.filter((_, index) => readable[index])
    }
    assert.equal(await readable({ id: 0 }), ['publish'])
    assert.equal(await readable(userWithRole(site, 'subscriber', 60)), ['publish'])
    assert.equal(await readable(userWithRole(site, 'author', 60)), ['publish'])
    assert.equal(await readable(userWithRole(site, 'contributor', 50)), statuses)
    assert.equal(await readable(userWithRole(site, 'editor', 60)), statuses)
  })

  model('show attachments to readers of the parent post', async () => {
    await using site = await open()
    const { posts } = site.kernel.services
    const file = { type: 'attachment', status: 'inherit' }
    const [open_, draft] = (await addPosts(site.store, {}, { status: 'draft' })) as [number, number]
    const ids = await addPosts(
      site.store,
      file,
      { ...file, parent_id: open_ },
      { ...file, parent_id: draft },
      { ...file, parent_id: 9999 },
    )
    const [nested] = await addPosts(site.store, { ...file, parent_id: ids[2]! })
    const [ring] = await addPosts(site.store, { ...file })
    await site.store.run(site.store.db.updateTable('posts').set({ parent_id: ring! }).where('id', '=', ring!))
    const scope = new RequestCache()
    const readable = await Promise.all(
      [...ids, nested!, ring!].map(async (id) => posts.isReadable((await posts.get(id, scope))!, { id: 0 }, scope)),
    )
    assert.equal(readable, [true, true, false, true, false, false])
  })

  model('open a post with its own password only', async () => {
    await using site = await open()
    const { posts } = site.kernel.services
    const [protectedId, openId] = (await addPosts(site.store, { password: 'pass' }, {})) as [number, number]
    const createAttempt = () => ({ ip: '192.0.2.1', scope: new RequestCache() })
    const post = (await posts.get(protectedId, new RequestCache()))!
    const words = ['pass', 'Pass', 'pas', '', undefined, ['pass'], 0]
    const opened = words.map(async (word) => posts.checkPassword(post, word, createAttempt()))
    assert.equal(await Promise.all(opened), [true, false, false, false, false, false, false])
    assert.ok(await posts.checkPassword((await posts.get(openId, new RequestCache()))!, undefined, createAttempt()))
  })

  model.run()
}

for (const kind of stores) modelSuite(kind)
