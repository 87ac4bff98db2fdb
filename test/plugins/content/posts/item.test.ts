import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { as, serve, startOnly } from '../../../helpers/site.ts'

startOnly('posts')

const item = suite('single post')

item('shows every field of the context', async () => {
  await using site = await serve()
  await site.kernel.services.options.set('permalink', '/%year%/%postname%/')
  const category = await addTerm(site.store, { taxonomy: 'category', name: 'News' })
  const format = await addTerm(site.store, { taxonomy: 'post_format', name: 'Aside', slug: 'post-format-aside' })
  const [id] = await addPosts(site.store, {
    title: 'Hello',
    content: 'First line\nsecond line\n\nNext paragraph',
    author_id: 4,
    date: '2024-05-01 10:00:00',
    date_gmt: '2024-05-01 14:00:00',
    guid: 'urn:hello',
    terms: [category, format],
    meta: { _thumbnail_id: 77, _page_template: 'wide.html' },
  })
  const post = await site.json(`/svc/v2/posts/${id}`)
  const { _links: links, meta: _, ...fields } = post
  assert.equal(fields, {
    id,
    date: '2024-05-01T10:00:00',
    date_gmt: '2024-05-01T14:00:00',
    guid: { rendered: 'urn:hello' },
    modified: '2024-05-01T10:00:00',
    modified_gmt: '2024-05-01T10:00:00',
    slug: 'hello',
    status: 'publish',
    type: 'post',
    link: `${site.home}/2024/hello/`,
    title: { rendered: 'Hello' },
    content: { rendered: '<p>First line<br />\nsecond line</p>\n<p>Next paragraph</p>\n', protected: false },
    excerpt: { rendered: '<p>First line second line Next paragraph</p>\n', protected: false },
    author: 4,
    featured_media: 77,
    comment_status: 'open',
    ping_status: 'open',
    sticky: false,
    template: 'wide.html',
    format: 'aside',
    categories: [category],
    tags: [],
    class_list: [
      `post-${id}`,
      'post',
      'type-post',
      'status-publish',
      'format-aside',
      'has-post-thumbnail',
      'hentry',
      'category-news',
      'post_format-post-format-aside',
    ],
  })
  assert.equal(Object.keys(links as object), [
    'self',
    'collection',
    'about',
    'author',
    'replies',
    'version-history',
    'svc:featuredmedia',
    'svc:attachment',
    'svc:term',
    'curies',
  ])
  assert.equal(links['svc:term'][0], {
    taxonomy: 'category',
    embeddable: true,
    href: `${site.home}/svc-json/svc/v2/categories?post=${id}`,
  })
  assert.equal(Object.keys((await site.json(`/svc/v2/posts/${id}?context=embed`)) as object).sort(), [
    '_links',
    'author',
    'date',
    'excerpt',
    'featured_media',
    'id',
    'link',
    'slug',
    'title',
    'type',
  ])
})

item('names its page in the Link header', async () => {
  await using site = await serve()
  const [id] = await addPosts(site.store, { title: 'Hello' })
  const response = await site.get(`/svc/v2/posts/${id}`)
  assert.match(response.headers.get('link')!, /^<[^>]+>; rel="alternate"; type=text\/html$/)
})

item('shows editors the raw fields and the available actions', async () => {
  await using site = await serve()
  const [id] = await addPosts(site.store, { title: 'Hello <b>you</b>', content: 'text', password: 'word' })
  const post = await site.json(`/svc/v2/posts/${id}?context=edit`, as('editor'))
  assert.equal(post.title, { raw: 'Hello <b>you</b>', rendered: 'Hello <b>you</b>' })
  assert.equal(post.content, { raw: 'text', rendered: '<p>text</p>\n', protected: true, block_version: 0 })
  assert.is(post.password, 'word')
  assert.is(post.generated_slug, 'hello-you')
  assert.match(post.permalink_template, /%postname%|\?p=/)
  const actions = Object.keys(post._links as object).filter((name) => name.includes('action-'))
  assert.equal(actions, [
    'svc:action-publish',
    'svc:action-unfiltered-html',
    'svc:action-sticky',
    'svc:action-assign-author',
    'svc:action-create-categories',
    'svc:action-assign-categories',
    'svc:action-create-tags',
    'svc:action-assign-tags',
  ])
  const view = await site.json(`/svc/v2/posts/${id}`, as('editor'))
  assert.is(view.password, undefined)
  assert.equal(view.content, { rendered: '', protected: true })
})

item('shows the slug that publishing would generate, with a number if the slug is in use', async () => {
  await using site = await serve()
  const draft = { status: 'draft', slug: '' }
  const [page] = (await addPosts(site.store, { type: 'page', title: 'Tea' })) as [number]
  await addPosts(
    site.store,
    { title: 'Tea' },
    { title: 'Tea', slug: 'tea-2' },
    { ...draft, title: 'Tea' },
    { ...draft, title: 'Rain', date: '2023-01-01 00:00:00' },
    { ...draft, title: 'Feed', date: '2022-01-01 00:00:00' },
    { ...draft, title: '???', date: '2021-01-01 00:00:00' },
    { ...draft, type: 'page', title: 'Tea' },
    { ...draft, type: 'page', title: 'Tea', parent_id: page, date: '2023-01-01 00:00:00' },
    { ...draft, type: 'page', title: 'Page3', date: '2022-01-01 00:00:00' },
  )
  const slugs = async (path: string) => {
    const items = (await site.json(`/svc/v2/${path}context=edit`, as('editor'))) as {
      id: number
      generated_slug: string
    }[]
    return items.map(({ id, generated_slug: slug }) => (slug === String(id) ? 'id' : slug))
  }
  assert.equal(await slugs('posts?status=draft&'), ['tea-3', 'rain', 'feed-2', 'id'])
  assert.equal(await slugs('posts?'), ['tea', 'tea-2'])
  assert.equal(await slugs('pages?status=draft&'), ['tea-2', 'tea', 'page3-2'])
  for (const { id, generated_slug: generated } of await site.json(
    '/svc/v2/posts?status=draft&context=edit',
    as('editor'),
  )) {
    const response = await site.request(`/svc/v2/posts/${id}`, {
      method: 'POST',
      headers: { ...as('editor'), 'content-type': 'application/json' },
      body: '{"status":"publish"}',
    })
    assert.is(((await response.json()) as { slug: string }).slug, generated)
  }
})

item('generates the slugs of a list in a few statements, regardless of collisions', async () => {
  await using site = await serve()
  await addPosts(
    site.store,
    ...Array.from({ length: 130 }, (_, n) => ({ title: 'Tea', slug: n ? `tea-${n + 1}` : 'tea' })),
  )
  await addPosts(site.store, ...Array.from({ length: 50 }, () => ({ title: 'Tea', status: 'draft', slug: '' })))
  const path = '/svc/v2/posts?status=draft&context=edit&per_page=50&_fields=generated_slug'
  const statements = await site.statements(async () => {
    const items = (await site.json(path, as('editor'))) as object[]
    assert.equal(
      items,
      Array.from({ length: 50 }, () => ({ generated_slug: 'tea-131' })),
    )
  })
  assert.ok(statements.length < 12, statements.join('\n'))
})

item('refuses the context edit to users who may not edit', async () => {
  await using site = await serve()
  const [id] = await addPosts(site.store, { author_id: 5 })
  const code = async (headers = {}) => {
    const answer = await site.json(`/svc/v2/posts/${id}?context=edit`, headers)
    return [answer.code, answer.data?.status]
  }
  assert.equal(await code(), ['rest_forbidden_context', 401])
  assert.equal(await code(as('author', 6)), ['rest_forbidden_context', 403])
  assert.equal(await code(as('author', 5)), [undefined, undefined])
})

item('answers drafts, private and trashed posts with the same error for visitors', async () => {
  await using site = await serve()
  const ids = await addPosts(
    site.store,
    ...['draft', 'private', 'trash', 'pending', 'auto-draft'].map((status) => ({ status, author_id: 5 })),
    // A scheduled post whose date has passed is published.
    { status: 'future', author_id: 5, date: '2999-01-01T00:00:00' },
  )
  for (const id of ids) {
    assert.is((await site.json(`/svc/v2/posts/${id}`)).code, 'rest_forbidden')
    assert.is((await site.get(`/svc/v2/posts/${id}`)).status, 401)
    assert.is((await site.get(`/svc/v2/posts/${id}`, as('subscriber'))).status, 403)
    assert.is((await site.get(`/svc/v2/posts/${id}`, as('editor'))).status, 200)
  }
})

item('answers unknown IDs and posts of other types alike', async () => {
  await using site = await serve()
  const [page] = await addPosts(site.store, { type: 'page' })
  const [revision] = await addPosts(site.store, { type: 'revision', status: 'inherit', parent_id: 1 })
  for (const id of [0, 99_999, page, revision, '999999999999999']) {
    const answer = await site.json(`/svc/v2/posts/${id}`)
    assert.equal([answer.code, answer.data.status], ['rest_post_invalid_id', 404], String(id))
  }
})

item('takes its ID from the path only', async () => {
  await using site = await serve()
  const [first, second] = await addPosts(site.store, { title: 'first' }, { title: 'second', status: 'draft' })
  for (const query of [`id=${second}`, `id=${second}x`, `id[]=${second}`, `ID=${second}`]) {
    const answer = await site.json(`/svc/v2/posts/${first}?${query}`)
    assert.is(answer.id, first, query)
  }
  assert.is((await site.json(`/svc/v2/posts/${second}?id=${first}`)).code, 'rest_forbidden')
})

item('opens a protected post with its password, and refuses a wrong password', async () => {
  await using site = await serve()
  const [id] = await addPosts(site.store, { content: 'text', excerpt: 'short', password: 'word' })
  const post = await site.json(`/svc/v2/posts/${id}`)
  assert.equal(
    [post.content, post.excerpt],
    [
      { rendered: '', protected: true },
      { rendered: '', protected: true },
    ],
  )
  const open = await site.json(`/svc/v2/posts/${id}?password=word`)
  assert.equal([open.content.rendered, open.excerpt.rendered], ['<p>text</p>\n', '<p>short</p>\n'])
  const wrong = await site.get(`/svc/v2/posts/${id}?password=Word`)
  assert.is(wrong.status, 403)
  assert.is(((await wrong.json()) as { code: string }).code, 'rest_post_incorrect_password')
  const embedded = await site.json(`/svc/v2/posts/${id}?context=embed`)
  assert.equal(embedded.excerpt, { rendered: '', protected: true })
})

item('does not show unpublished posts to clients with the password', async () => {
  await using site = await serve()
  const [id] = await addPosts(site.store, { status: 'draft', password: 'word' })
  assert.is((await site.json(`/svc/v2/posts/${id}?password=word`)).code, 'rest_forbidden')
})

item('computes the UTC dates that a draft does not have yet', async () => {
  await using site = await serve()
  await site.kernel.services.options.set('timezone', 'America/New_York')
  const [draft, never] = await addPosts(
    site.store,
    { status: 'draft', date: '2024-01-10 12:00:00', date_gmt: '0000-00-00 00:00:00', modified_gmt: '' },
    { status: 'draft', date: '0000-00-00 00:00:00', date_gmt: '' },
  )
  const post = await site.json(`/svc/v2/posts/${draft}`, as('editor'))
  assert.equal(
    [post.date, post.date_gmt, post.modified_gmt],
    ['2024-01-10T12:00:00', '2024-01-10T17:00:00', '2024-01-10T17:00:00'],
  )
  const other = await site.json(`/svc/v2/posts/${never}`, as('editor'))
  assert.equal([other.date, other.date_gmt], [null, null])
})

item('links a page to its parent, and a post to its revisions', async () => {
  await using site = await serve()
  const [parent] = (await addPosts(site.store, { type: 'page', title: 'Above' })) as [number]
  const [child] = (await addPosts(site.store, { type: 'page', title: 'Below', parent_id: parent })) as [number]
  const [version] = await addPosts(site.store, { type: 'revision', status: 'inherit', parent_id: child })
  const { _links: links, parent: above } = await site.json(`/svc/v2/pages/${child}`)
  const root = `${site.home}/svc-json/svc/v2`
  assert.is(above, parent)
  assert.equal(links.up, [{ embeddable: true, href: `${root}/pages/${parent}` }])
  assert.equal(links['version-history'], [{ count: 1, href: `${root}/pages/${child}/revisions` }])
  assert.equal(links['predecessor-version'], [{ id: version, href: `${root}/pages/${child}/revisions/${version}` }])
})

item('prefixes the title of a private post up to revision 6.5', async () => {
  for (const [revision, prefix] of [
    ['6.5', 'Private: '],
    ['latest', ''],
  ] as const) {
    await using site = await serve({ revision })
    const title = '50 % $& off'
    const [id, page] = await addPosts(
      site.store,
      { status: 'private', title },
      { status: 'private', title, type: 'page' },
    )
    const shown = `${prefix}50 % $&#038; off`
    assert.is((await site.json(`/svc/v2/posts/${id}`, as('editor'))).title.rendered, shown)
    assert.is((await site.json(`/svc/v2/pages/${page}`, as('editor'))).title.rendered, shown)
    const [listed] = await site.json('/svc/v2/posts?status=private', as('editor'))
    assert.is(listed.title.rendered, shown)
  }
})

item.run()
