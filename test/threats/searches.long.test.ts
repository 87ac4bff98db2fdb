import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RestRequest } from '../../kernel/index.ts'
import { addPosts, addTerm, indexed } from '../helpers/content.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../helpers/site-with-users.ts'

// Every list that can be searched, as the routes themselves declare it.

for (const { name, place } of databases) {
  const searches = suite(`searches of every list on ${name}`)

  const open = async () => {
    const site = await serveWithUsers(place)
    const { users, store } = site
    const [post, page] = await addPosts(
      store,
      { title: 'Posted', author_id: users.ed },
      { title: 'Paged', type: 'page', author_id: users.ed },
      { title: 'A block', type: 'svc_block', author_id: users.ed },
      { title: 'A picture', type: 'attachment', status: 'inherit', mime_type: 'image/png', author_id: users.ed },
    )
    for (const taxonomy of ['category', 'post_tag', 'nav_menu', 'svc_pattern_category'])
      await addTerm(store, { taxonomy, name: 'A term' })
    await store.run(
      store.db.insertInto('comments').values({ post_id: post!, content: 'Said', author_name: 'x', approved: '1' }),
    )
    for (const [base, id] of [
      ['posts', post!],
      ['pages', page!],
    ] as const)
      await site.send('PUT', `/svc/v2/${base}/${id}`, { content: 'Changed' }, 'ed')
    await indexed(store)
    return { site, posts: { posts: post!, pages: page! } }
  }
  /** The URLs of all lists of pages that take a search; icons come all at once. */
  const lists = ({ kernel: { server } }: SiteWithUsers, parents: Readonly<Record<string, number>>): string[] =>
    [...server.routes.values()].flatMap(({ pattern, endpoints }) => {
      const searched = endpoints.some(
        ({ args, methods }) => methods.includes('GET') && args['search'] !== undefined && args['page'] !== undefined,
      )
      const base = /^\/svc\/v2\/(\w+)\/\(\?P<parent>/.exec(pattern)?.[1] ?? ''
      const path = pattern.replace(/\(\?P<parent>(?:[^()]|\([^()]*\))*\)/, String(parents[base] ?? 0))
      const isPaged = searched && !path.startsWith('/svc/v2/icon')
      return isPaged && !path.includes('(') && !path.includes('/0/') ? [path] : []
    })
  const totalOf = async (site: SiteWithUsers, path: string, search?: string) => {
    const request = new RestRequest('GET', path, { query: { ...(search !== undefined && { search }), _fields: 'id' } })
    request.user = (await site.kernel.services.users.current(site.users.admin))!
    const { status, data, headers } = await site.kernel.server.dispatch(request)
    assert.is(status, 200, `${path}: ${JSON.stringify(data).slice(0, 300)}`)
    return [Number(headers.get('X-SVC-Total')), (data as unknown[]).length]
  }

  searches('are ignored if they have more than 1,600 bytes', async () => {
    const { site, posts } = await open()
    await using _ = site
    const paths = lists(site, posts)
    for (const path of [
      'posts',
      'pages',
      'media',
      'blocks',
      'categories',
      'tags',
      'users',
      'comments',
      'search',
      `posts/${posts.posts}/revisions`,
    ])
      assert.ok(paths.includes(`/svc/v2/${path}`), path)
    for (const path of paths) {
      const all = await totalOf(site, path)
      if (!path.startsWith('/svc/v2/menu') && !path.startsWith('/svc/v2/navigation')) assert.ok(all[0]! > 0, path)
      for (const long of ['z'.repeat(1601), 'ü'.repeat(801), '日'.repeat(534), 'z '.repeat(500_000)])
        assert.equal(await totalOf(site, path, long), all, `${path}: ${long.length} of ${long[0]}`)
      for (const long of ['z'.repeat(1599), 'z'.repeat(1600), 'ü'.repeat(800), 'z'.repeat(9).concat(' ').repeat(160)])
        assert.equal(await totalOf(site, path, long), [0, 0], `${path}: ${long.length} of ${long[0]}`)
    }
    // From outside too.
    for (const path of ['posts', 'users', 'tags', 'search']) {
      const total = async (search: string) =>
        Number((await site.get(`/svc/v2/${path}?search=${search}`)).headers.get('x-svc-total'))
      assert.is(await total('z'.repeat(1599)), 0, path)
      assert.ok((await total('z'.repeat(1601))) > 0, path)
    }
  })

  searches('S7: use a limited number of words, and match wildcards literally', async () => {
    const { site, posts } = await open()
    await using _ = site
    const words = Array.from({ length: 200 }, (_, index) => `w${index}`).join(' ')
    for (const path of lists(site, posts)) {
      const parameters: number[] = []
      const stop = site.store.onStatement(({ sql }) => void parameters.push(sql.length))
      assert.equal(await totalOf(site, path, words), [0, 0], path)
      assert.equal(await totalOf(site, path, `-${words.replaceAll(' ', ' -')}`), [0, 0], path)
      stop()
      assert.ok(Math.max(...parameters) < 10_000, path)
      for (const wildcard of ['%%', '_', '%o%', 'P_sted', '*', '?', '\\', '[a-z]']) {
        // Asterisks at the ends of a search of users are left out: the search finds texts around its words anyway.
        if (wildcard === '*' && path.endsWith('/users')) continue
        assert.equal(await totalOf(site, path, wildcard), [0, 0], `${path}: ${wildcard}`)
      }
    }
  })

  searches('S7: reject invalid page numbers, and cause no server error for very high ones', async () => {
    const { site, posts } = await open()
    await using _ = site
    for (const path of lists(site, posts)) {
      for (const parameter of ['page', 'per_page']) {
        for (const value of ['9e99', '0x10', 'NaN', '-0', '-1', '1.5', '', '1'.repeat(2000), 'Infinity', '１']) {
          const { status } = await site.get(`${path}?${parameter}=${encodeURIComponent(value)}`, site.by('admin'))
          assert.is(status, 400, `${path}?${parameter}=${value}`)
        }
      }
      for (const query of ['page=1000000', 'offset=1000000', 'per_page=100', 'page=1e3'])
        assert.ok(
          [200, 400].includes((await site.get(`${path}?${query}`, site.by('admin'))).status),
          `${path}?${query}`,
        )
    }
  })

  searches.run()
}
