import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addQuery, definePlugin } from '../../../kernel/index.ts'
import { addPosts } from '../../helpers/content.ts'
import { as, serve, type Site, startOnly } from '../../helpers/site.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'

startOnly('revisions')

const revisions = suite('revisions')
const VERSION = { type: 'revision', status: 'inherit' }

/** Creates a post of author 5 with three versions, and returns the post ID followed by their IDs, oldest first. */
async function withVersions(site: Site): Promise<[post: number, ...versions: number[]]> {
  const [post] = (await addPosts(site.store, { title: 'Now', author_id: 5 })) as [number]
  const texts = ['one', 'two', 'three']
  const versions = await addPosts(
    site.store,
    ...texts.map((content, day) => ({
      ...VERSION,
      parent_id: post,
      title: `Version ${content}`,
      content,
      slug: `${post}-revision-v1`,
      date: `2024-01-0${day + 1} 00:00:00`,
    })),
  )
  return [post, ...versions]
}

revisions('are listed newest first for users who can edit the post', async () => {
  await using site = await serve()
  const [post, one, two, three] = await withVersions(site)
  const response = await site.get(`/svc/v2/posts/${post}/revisions`, as('author', 5))
  const items = (await response.json()) as Record<string, unknown>[]
  assert.equal(
    items.map(({ id }) => id),
    [three, two, one],
  )
  assert.equal([response.headers.get('x-svc-total'), response.headers.get('x-svc-totalpages')], ['3', '1'])
  const { guid: _, ...newest } = items[0]!
  assert.equal(newest, {
    id: three,
    author: 1,
    date: '2024-01-03T00:00:00',
    date_gmt: '2024-01-03T00:00:00',
    modified: '2024-01-03T00:00:00',
    modified_gmt: '2024-01-03T00:00:00',
    parent: post,
    slug: `${post}-revision-v1`,
    title: { rendered: 'Version three' },
    content: { rendered: '<p>three</p>\n' },
    excerpt: { rendered: '' },
    meta: { footnotes: '' },
    _links: { parent: [{ href: `${site.home}/svc-json/svc/v2/posts/${post}` }] },
  })
})

revisions('run the hooks of items, but not hooks that change list arguments', async () => {
  const seen: string[] = []
  const watcher = definePlugin({
    name: 'watcher',
    apply({ hooks }) {
      const recordHook =
        (hook: string) =>
        <V>(value: V): V => (seen.push(hook), value)
      hooks.rest_collection_params.for('revision').tap('watcher', recordHook('params'))
      hooks.rest_query.for('revision').tap('watcher', recordHook('query'))
      hooks.rest_prepare.for('revision').tap('watcher', recordHook('prepare'))
      hooks.rest_delete.for('revision').tap('watcher', () => void seen.push('delete'))
      hooks.map_meta_cap.tap('watcher', (needed, capability) => (capability === 'delete_post' ? [] : needed))
    },
  })
  await using site = await serve({ add: [watcher] })
  const [post, one] = await withVersions(site)
  const path = `/svc/v2/posts/${post}/revisions`
  await site.json(path, as('editor'))
  assert.equal(seen.splice(0), ['prepare', 'prepare', 'prepare'])
  const response = await site.request(`${path}/${one}?force=true`, { method: 'DELETE', headers: as('editor') })
  assert.is(response.status, 200)
  assert.equal(seen, ['prepare', 'delete'])
})

revisions('can be paged, filtered, searched and sorted', async () => {
  await using site = await serve()
  const [post, one, two, three] = await withVersions(site)
  const ids = async (query: string) =>
    ((await site.json(`/svc/v2/posts/${post}/revisions?_fields=id&${query}`, as('editor'))) as { id: number }[]).map(
      ({ id }) => id,
    )
  assert.equal(await ids('per_page=2'), [three, two])
  assert.equal(await ids('per_page=2&page=2'), [one])
  assert.equal(await ids('offset=1'), [three, two, one], 'on the one page there is')
  assert.equal(await ids('per_page=2&offset=1'), [two, one])
  assert.equal(await ids('orderby=id&order=asc'), [one, two, three])
  assert.equal(await ids(`include=${two}`), [two])
  assert.equal(await ids(`exclude=${two}`), [three, one])
  assert.equal(await ids('search=two'), [two])
  const code = async (query: string) => (await site.json(`/svc/v2/posts/${post}/revisions?${query}`, as('editor'))).code
  assert.is(await code('per_page=2&page=3'), 'rest_revision_invalid_page_number')
  assert.is(await code('page=2'), 'rest_revision_invalid_page_number')
  assert.equal(await ids('per_page=2&page=3&offset=1'), [two, one])
  assert.is(await code('per_page=2&offset=3'), 'rest_revision_invalid_offset_number')
})

revisions('S14: are refused to all other users', async () => {
  await using site = await serve()
  const [post, one] = await withVersions(site)
  for (const [headers, status] of [
    [{}, 401],
    [as('subscriber'), 403],
    [as('author', 6), 403],
  ] as const) {
    for (const path of [
      `/svc/v2/posts/${post}/revisions`,
      `/svc/v2/posts/${post}/revisions/${one}`,
      `/svc/v2/posts/${post}/revisions?context=edit`,
    ]) {
      const answer = await site.json(path, headers)
      assert.equal([answer.code, answer.data.status], ['rest_cannot_read', status], path)
    }
  }
})

revisions('S14: are found only under their post', async () => {
  await using site = await serve()
  const [post, one] = await withVersions(site)
  const [mine, page] = await addPosts(site.store, { author_id: 6 }, { type: 'page', author_id: 5 })
  const code = async (path: string) => (await site.json(path, as('editor'))).code as string
  assert.is((await site.json(`/svc/v2/posts/${post}/revisions/${one}?context=edit`, as('editor'))).content.raw, 'one')
  assert.is(await code(`/svc/v2/posts/${mine}/revisions/${one}`), 'rest_post_invalid_id')
  assert.is(await code(`/svc/v2/posts/${post}/revisions/${mine}`), 'rest_post_invalid_id')
  assert.is(await code('/svc/v2/posts/99999/revisions'), 'rest_post_invalid_parent')
  assert.is(await code(`/svc/v2/posts/${page}/revisions`), 'rest_post_invalid_parent')
  assert.is(await code(`/svc/v2/posts/${one}`), 'rest_post_invalid_id')
})

revisions('of reusable blocks show raw and rendered content', async () => {
  await using site = await serve()
  const [block] = (await addPosts(site.store, { type: 'svc_block', title: 'Now' })) as [number]
  await addPosts(site.store, { ...VERSION, parent_id: block, title: 'Was', content: 'one' })
  const path = `/svc/v2/blocks/${block}/revisions?_fields=title,content`
  assert.equal(await site.json(path, as('editor')), [
    { title: { raw: 'Was', rendered: 'Was' }, content: { raw: 'one', rendered: '<p>one</p>\n' } },
  ])
  assert.equal(await site.json(`${path}&context=embed`, as('editor')), [{ title: { rendered: 'Was' } }])
})

revisions('have no routes for types without revisions, or if the plugin is off', async () => {
  await using site = await serve()
  const { routes } = await site.json('/?_fields=routes')
  const names = Object.keys(routes as object).filter((route) => route.includes('/revisions'))
  assert.ok(names.includes('/svc/v2/posts/(?P<parent>[\\d]+)/revisions/(?P<id>[\\d]+)'))
  assert.not.ok(names.some((name) => name.includes('media') || name.includes('menu-items')))
  await using without = await serve({ plugins: { autosaves: false, revisions: false } })
  assert.is((await without.json('/svc/v2/posts/1/revisions')).code, 'rest_no_route')
})

for (const { name, place } of databases) {
  const making = suite(`revisions on ${name}`)
  const createPost = async (site: SiteWithUsers, body: object) =>
    ((await (await site.send('POST', '/svc/v2/posts', body, 'ed')).json()) as { id: number }).id
  const contents = async (site: SiteWithUsers, id: number) =>
    (
      (await site.json(`/svc/v2/posts/${id}/revisions?context=edit`, site.by('ed'))) as { content: { raw: string } }[]
    ).map(({ content }) => content.raw)

  making('are created by changes of the texts; the first by any change', async () => {
    await using site = await serveWithUsers(place)
    const id = await createPost(site, { title: 'T', content: 'one' })
    assert.equal(await contents(site, id), [])
    for (const change of [{ sticky: false }, { content: 'two' }, { slug: 'x' }, { title: 'U' }, { excerpt: 'e' }]) {
      await site.send('PUT', `/svc/v2/posts/${id}`, change, 'ed')
    }
    assert.equal(await contents(site, id), ['two', 'two', 'two', 'one'])
    const [history] = (await site.json(`/svc/v2/posts/${id}`, site.by('ed')))._links['version-history']
    assert.is(history.count, 4)
  })

  making('are linked with absolute URLs, regardless of taps', async () => {
    const languages = definePlugin({
      name: 'language-urls',
      apply: ({ hooks }) => hooks.rest_url.tap('language-urls', (url) => addQuery(url, { lang: 'de' })),
    })
    await using site = await serveWithUsers(place, { add: [languages] })
    const id = await createPost(site, { title: 'T', content: 'one' })
    await site.send('PUT', `/svc/v2/posts/${id}`, { content: 'two' }, 'ed')
    const { _links: links } = await site.json(`/svc/v2/posts/${id}`, site.by('ed'))
    const base = `${site.home}/svc-json/svc/v2/posts/${id}/revisions`
    assert.is(links['version-history'][0].href, `${base}?lang=de`)
    const [latest] = links['predecessor-version']
    assert.is(latest.href, `${base}/${latest.id}?lang=de`)
  })

  making('are limited in number', async () => {
    await using site = await serveWithUsers(place, { plugins: { revisions: { keep: 2 } } })
    const id = await createPost(site, { title: 'T', content: '0' })
    for (const content of ['1', '2', '3']) await site.send('PUT', `/svc/v2/posts/${id}`, { content }, 'ed')
    assert.equal(await contents(site, id), ['3', '2'])
    await using none = await serveWithUsers(place, { plugins: { revisions: { keep: 0 } } })
    const other = await createPost(none, { title: 'T', content: '0' })
    await none.send('PUT', `/svc/v2/posts/${other}`, { content: '1' }, 'ed')
    assert.equal(await contents(none, other), [])
  })

  making('cannot be deleted unless a plugin allows it', async () => {
    await using site = await serveWithUsers(place)
    const id = await createPost(site, { title: 'T', content: 'one' })
    await site.send('PUT', `/svc/v2/posts/${id}`, { content: 'two' }, 'ed')
    const [{ id: version }] = await site.json(`/svc/v2/posts/${id}/revisions?_fields=id`, site.by('ed'))
    const path = `/svc/v2/posts/${id}/revisions/${version}`
    const remove = async (query: string, login?: 'admin') => {
      const response = await site.send('DELETE', `${path}${query}`, undefined, login)
      const { code, deleted } = (await response.json()) as { code?: string; deleted?: boolean }
      return [response.status, deleted ?? code]
    }
    assert.equal(await remove('?force=true'), [401, 'rest_cannot_delete'])
    assert.equal(await remove('?force=true', 'admin'), [403, 'rest_cannot_delete'])
    // Users who cannot read the revisions must not learn which exist.
    const unknown = await site.send('DELETE', `/svc/v2/posts/${id}/revisions/99999?force=true`, undefined)
    assert.is(unknown.status, 401)
    site.kernel.hooks.map_meta_cap.tap('test', (needed, capability) =>
      capability === 'delete_post' ? ['manage_options'] : needed,
    )
    assert.equal(await remove('', 'admin'), [501, 'rest_trash_not_supported'])
    assert.equal(await remove('?force=true', 'admin'), [200, true])
    assert.equal(await contents(site, id), [])
  })

  making.run()
}

revisions('link to their post if the field parent is selected', async () => {
  await using site = await serve()
  const [post, version] = await withVersions(site)
  for (const path of [`posts/${post}/revisions`, `posts/${post}/revisions/${version}`])
    for (const [fields, isLinked] of [
      ['id,parent,_links', true],
      ['id,_links.parent,parent', true],
      ['id,_links', false],
      ['id,_links.self', false],
    ] as const) {
      const shown = [await site.json(`/svc/v2/${path}?_fields=${fields}`, as('administrator'))].flat()[0]
      assert.is('_links' in shown, isLinked, `${path} ${fields}`)
    }
})

revisions.run()
