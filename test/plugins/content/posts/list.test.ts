import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { as, serve, type Site } from '../../../helpers/site.ts'
import { until } from '../../../helpers/until.ts'

const list = suite('post list')

const EVERY_STATUS = ['publish', 'future', 'draft', 'pending', 'private', 'trash', 'auto-draft']

async function withEveryStatus(): Promise<Site> {
  const site = await serve()
  await addPosts(
    site.store,
    ...EVERY_STATUS.map((status) => ({ status, title: `A ${status} secret`, author_id: 9, content: 'secret' })),
  )
  return site
}

async function titles(site: Site, query: string, headers = {}): Promise<string[]> {
  const items = (await site.json(`/svc/v2/posts?_fields=title&${query}`, headers)) as { title: { rendered: string } }[]
  return items.map(({ title }) => title.rendered)
}

/** The total of a list, from its header. */
async function total(site: Site, query: string, headers = {}): Promise<string | null> {
  return (await site.get(`/svc/v2/posts?${query}`, headers)).headers.get('x-svc-total')
}

list('shows published posts, newest first, ten per page', async () => {
  await using site = await serve()
  await addPosts(site.store, ...Array.from({ length: 12 }, (_, n) => ({ title: `P${n}` })))
  const response = await site.get('/svc/v2/posts?_fields=title')
  const items = (await response.json()) as { title: { rendered: string } }[]
  assert.equal(
    items.map(({ title }) => title.rendered),
    Array.from({ length: 10 }, (_, n) => `P${n}`),
  )
  assert.is(response.headers.get('x-svc-total'), '12')
  assert.is(response.headers.get('x-svc-totalpages'), '2')
  assert.is(response.headers.get('link'), `<${site.home}/svc-json/svc/v2/posts?_fields=title&page=2>; rel="next"`)
})

list('pages by page number, or by offset instead', async () => {
  await using site = await serve()
  await addPosts(site.store, ...Array.from({ length: 7 }, (_, n) => ({ title: `P${n}` })))
  assert.equal(await titles(site, 'per_page=3&page=3'), ['P6'])
  assert.equal(await titles(site, 'per_page=3&page=2&offset=1'), ['P1', 'P2', 'P3'])
  const middle = await site.get('/svc/v2/posts?per_page=3&page=2')
  assert.match(middle.headers.get('link')!, /per_page=3&page=1>; rel="prev", <.*per_page=3&page=3>; rel="next"/)
  const past = await site.get('/svc/v2/posts?per_page=3&page=4')
  assert.is(past.status, 400)
  assert.is(((await past.json()) as { code: string }).code, 'rest_post_invalid_page_number')
})

list('pages by the limit that a tap of rest_query sets', async () => {
  const fewer = definePlugin({
    name: 'fewer',
    needs: ['posts'],
    apply: ({ hooks }) => {
      hooks.rest_query.for('post').tap('fewer', (query) => ({ ...query, limit: Math.min(query.limit, 2) }))
    },
  })
  await using site = await serve({ add: [fewer] })
  await addPosts(site.store, ...Array.from({ length: 5 }, (_, n) => ({ title: `P${n}` })))
  const second = await site.get('/svc/v2/posts?page=2&_fields=title')
  assert.is(second.headers.get('x-svc-totalpages'), '3')
  assert.match(second.headers.get('link')!, /page=1&_fields=title>; rel="prev", <.*page=3&_fields=title>; rel="next"/)
  assert.equal(await titles(site, 'page=2'), ['P2', 'P3'])
  assert.equal(await titles(site, 'page=3'), ['P4'])
  assert.is((await site.get('/svc/v2/posts?page=4')).status, 400)
})

list('omits page links that are too long for a header, and still has totals', async () => {
  await using site = await serve()
  await addPosts(site.store, ...Array.from({ length: 3 }, (_, index) => ({ title: `Post ${index}` })))
  const page = async (ids: number) => {
    const include = Array.from({ length: ids }, (_, index) => index + 1).join(',')
    return site.get(`/svc/v2/posts?per_page=1&page=2&orderby=include&include=${include}`)
  }
  const short = await page(150)
  assert.match(short.headers.get('link')!, /rel="prev", .*rel="next"/)
  const long = await page(2000)
  assert.is(long.status, 200)
  assert.is(long.headers.get('x-svc-total'), '3')
  assert.is(long.headers.get('link')?.includes('rel="next"') ?? false, false)
  assert.ok([...long.headers].join().length < 8_000)
})

list('returns an empty first page on a site without posts', async () => {
  await using site = await serve()
  const response = await site.get('/svc/v2/posts?page=5')
  assert.is(response.status, 200)
  assert.equal(await response.json(), [])
  assert.is(response.headers.get('x-svc-totalpages'), '0')
})

list('refuses out-of-range values quickly', async () => {
  await using site = await serve()
  await addPosts(site.store, {})
  for (const query of [
    'per_page=0',
    'per_page=101',
    'per_page=-1',
    'page=0',
    'page=NaN',
    'page=0x10',
    'offset=a',
    'orderby=email',
    'order=up',
    'include=abc',
    'after=yesterday',
    'search[]=a',
  ]) {
    const response = await site.get(`/svc/v2/posts?${query}`)
    assert.is(response.status, 400, query)
    assert.is(((await response.json()) as { code: string }).code, 'rest_invalid_param', query)
  }
  for (const query of [
    'page=9e99',
    'page=1000000',
    `search=${'word+'.repeat(1000)}`,
    `search=${'a'.repeat(10_000)}`,
    'offset=1000000',
    'offset=9e99',
  ]) {
    const response = await site.get(`/svc/v2/posts?${query}`)
    assert.ok([200, 400].includes(response.status), query.slice(0, 20))
  }
})

list('names the argument that an order requires', async () => {
  await using site = await serve()
  assert.is((await site.json('/svc/v2/posts?orderby=relevance')).code, 'rest_no_search_term_defined')
  assert.is((await site.json('/svc/v2/posts?orderby=include')).code, 'rest_orderby_include_missing_include')
})

list('treats search text as plain text, and ignores a status that visitors may not see', async () => {
  await using site = await serve()
  await addPosts(site.store, { title: 'Red apple' }, { title: 'Green apple', status: 'draft' }, { title: 'Pear' })
  assert.equal(await titles(site, `search=${encodeURIComponent(' <b>red</b>\n apple ')}`), ['Red apple'])
  assert.is((await site.json('/svc/v2/posts?orderby=relevance&search=%20')).code, 'rest_no_search_term_defined')
  assert.is(await total(site, 'status='), '2')
})

list('never reveals unpublished posts to visitors', async () => {
  await using site = await withEveryStatus()
  assert.is(await total(site, ''), '1')
  for (const query of [
    'search=secret',
    'slug=a-draft-secret,a-private-secret,a-publish-secret',
    'author=9',
    'include=1,2,3,4,5,6,7',
    'orderby=title',
    'sticky=false',
    'after=2000-01-01T00:00:00',
  ]) {
    assert.is(await total(site, query), '1', query)
    assert.equal(await titles(site, query), ['A publish secret'], query)
  }
  for (const status of [...EVERY_STATUS.slice(1), 'any', 'inherit']) {
    const answer = await site.json(`/svc/v2/posts?status=${status}`)
    assert.is(answer.code, 'rest_invalid_param', status)
    assert.is(answer.data.details.status.code, 'rest_forbidden_status', status)
  }
})

list('lists each status to the users who may read it', async () => {
  await using site = await withEveryStatus()
  const listed = async (role: string, status: string, id = 70) =>
    (await titles(site, `status=${status}`, as(role, id))).length
  assert.is(await listed('editor', 'draft'), 1)
  assert.is(await listed('editor', 'any'), 5)
  assert.is(await listed('editor', 'trash'), 1)
  assert.is(await listed('contributor', 'draft'), 0)
  assert.is(await listed('contributor', 'draft', 9), 1)
  const refused = await site.json('/svc/v2/posts?status=private', as('subscriber'))
  assert.is(refused.data.details.status.data.status, 403)
})

list('reveals hidden posts to writers neither through the total nor through the order', async () => {
  await using site = await withEveryStatus()
  const writer = as('contributor', 70)
  for (const query of [
    'search=secret',
    'search=nothing',
    'slug=a-draft-secret',
    'orderby=title',
    'author=9',
    'before=2030-01-01T00:00:00',
  ]) {
    assert.is(await total(site, `status=draft&${query}`, writer), '0', query)
  }
  assert.is(await total(site, 'status=draft&search=secret', as('contributor', 9)), '1')
})

list('answers the same for a search that matches a draft, a protected text or nothing', async () => {
  await using site = await serve()
  await addPosts(
    site.store,
    { title: 'Open' },
    { status: 'draft', title: 'hiddendraft' },
    { password: 'p', content: 'hiddentext', title: 'Shut' },
  )
  const answers = await Promise.all(
    ['hiddendraft', 'hiddentext', 'nothingatall'].map(async (word) => {
      const response = await site.get(`/svc/v2/posts?search=${word}`)
      const headers = ['x-svc-total', 'x-svc-totalpages', 'etag'].map((name) => response.headers.get(name))
      return { headers, body: await response.json() }
    }),
  )
  assert.equal(answers[0], answers[2])
  assert.equal(answers[1], answers[2])
})

list('leaves content and excerpt of a protected post empty', async () => {
  await using site = await serve()
  await addPosts(site.store, { title: 'Shut', password: 'p', content: 'the text', excerpt: 'the excerpt' })
  const [post] = await site.json('/svc/v2/posts?password=p')
  assert.equal(post.content, { rendered: '', protected: true })
  assert.equal(post.excerpt, { rendered: '', protected: true })
  assert.is(post.title.rendered, 'Shut')
})

list('filters sticky posts', async () => {
  await using site = await serve()
  const [, pinned] = await addPosts(site.store, { title: 'one' }, { title: 'pinned' }, { title: 'two' })
  await site.kernel.services.options.set('sticky_posts', [pinned, 999])
  assert.equal(await titles(site, 'sticky=true'), ['pinned'])
  assert.equal(await titles(site, 'sticky=false'), ['one', 'two'])
  assert.equal(await titles(site, 'sticky=true&include=1'), [])
  const [post] = await site.json('/svc/v2/posts?sticky=1&_fields=sticky')
  assert.is(post.sticky, true)
  await site.kernel.services.options.set('sticky_posts', [])
  assert.equal(await titles(site, 'sticky=true'), [])
})

list('follows a term that is moved below another one', async () => {
  await using site = await serve()
  const { store } = site
  const top = await addTerm(store, { taxonomy: 'category', name: 'Top' })
  const other = await addTerm(store, { taxonomy: 'category', name: 'Other' })
  await addPosts(store, { title: 'other', terms: [other] })
  const below = `categories[terms]=${top}&categories[include_children]=true`
  assert.equal(await titles(site, below), [])
  await store.run(store.db.updateTable('terms').set({ parent_id: top }).where('id', '=', other))
  assert.equal(await titles(site, below), ['other'])
})

list('filters by terms given as a list or as an object', async () => {
  await using site = await serve()
  const { store } = site
  const top = await addTerm(store, { taxonomy: 'category', name: 'Top' })
  const below = await addTerm(store, { taxonomy: 'category', name: 'Below', parent_id: top })
  const tag = await addTerm(store, { taxonomy: 'post_tag', name: 'Tag' })
  await addPosts(store, { title: 'top', terms: [top] }, { title: 'below', terms: [below, tag] }, { title: 'none' })
  assert.equal(await titles(site, `categories=${top},${below}`), ['top', 'below'])
  assert.equal(await titles(site, `categories[terms]=${top}&categories[include_children]=true`), ['top', 'below'])
  assert.equal(await titles(site, `categories[terms]=${below},${top}&categories[operator]=AND`), [])
  assert.equal(await titles(site, `categories[terms]=${top},${below}&categories[operator]=AND`), [])
  const withChildren = `categories[terms]=${top},${below}&categories[operator]=AND&categories[include_children]=true`
  assert.equal(await titles(site, withChildren), [], 'AND with include_children requires the descendants too')
  const many = Array.from({ length: 1200 }, (_, index) => index + 1).join()
  assert.equal(await titles(site, `categories[terms]=${many}&categories[operator]=AND`), [])
  assert.equal(await titles(site, `categories[terms]=${many}&tags=${many}&orderby=title`), ['below'])
  assert.equal(await titles(site, `categories_exclude=${below}`), ['top', 'none'])
  assert.equal(await titles(site, `categories=${top}&tags=${tag}`), [])
  assert.equal(await titles(site, `categories=${top}&tags=${tag}&tax_relation=OR`), ['top', 'below'])
  assert.is((await site.json('/svc/v2/posts?categories[nope]=1')).code, 'rest_invalid_param')
  assert.is(
    (await site.json(`/svc/v2/posts?tags[include_children]=true&tags[terms]=${tag}`)).code,
    'rest_invalid_param',
  )
})

list('ignores exclude next to include, and author next to author_exclude', async () => {
  await using site = await serve()
  const [one, two] = (await addPosts(
    site.store,
    { title: 'one', author_id: 1 },
    { title: 'two', author_id: 2 },
    { title: 'three', author_id: 3 },
  )) as [number, number]
  assert.equal(await titles(site, `exclude=${one}`), ['two', 'three'])
  assert.equal(await titles(site, `include=${one},${two}&exclude=${one}`), ['one', 'two'])
  assert.equal(await titles(site, 'author=1,2&author_exclude=2'), ['one', 'three'])
})

list('refuses arguments with too many values for a statement', async () => {
  await using site = await serve()
  const many = (count: number) => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-http-method-override': 'GET' },
    body: JSON.stringify({ include: Array.from({ length: count }, (_, id) => id + 1) }),
  })
  assert.is((await site.request('/svc/v2/posts', many(4000))).status, 200)
  const refused = await site.request('/svc/v2/posts', many(4001))
  const { code, data } = (await refused.json()) as { code: string; data: { params: object } }
  assert.equal([refused.status, code, Object.keys(data.params)], [400, 'rest_invalid_param', ['include']])
})

list('filters pages by parent and menu order, which posts do not have', async () => {
  await using site = await serve()
  const [parent] = (await addPosts(site.store, { type: 'page', title: 'parent', menu_order: 5 })) as [number]
  await addPosts(site.store, { type: 'page', title: 'child', parent_id: parent })
  const slugs = async (query: string) =>
    ((await site.json(`/svc/v2/pages?_fields=slug&${query}`)) as { slug: string }[]).map(({ slug }) => slug)
  assert.equal(await slugs(`parent=${parent}`), ['child'])
  assert.equal(await slugs('parent=0'), ['parent'])
  assert.equal(await slugs('parent_exclude=0'), ['child'])
  assert.equal(await slugs('menu_order=5'), ['parent'])
  assert.equal(await slugs('orderby=menu_order&order=asc'), ['child', 'parent'])
  const { routes } = await site.json('/?_fields=routes')
  const argumentsOf = (route: string) => Object.keys(routes[route].endpoints[0].args as object)
  assert.not.ok(argumentsOf('/svc/v2/posts').includes('menu_order'))
  assert.not.ok(argumentsOf('/svc/v2/pages').includes('sticky'))
})

list('reads times with a zone as instants, and other times in the time zone of the site', async () => {
  await using site = await serve()
  await site.kernel.services.options.set('timezone', 'America/New_York')
  await addPosts(site.store, { title: 'noon', date: '2024-01-10 12:00:00', date_gmt: '2024-01-10 17:00:00' })
  assert.equal(await titles(site, 'after=2024-01-10T16:59:00Z'), ['noon'])
  assert.equal(await titles(site, 'after=2024-01-10T17:01:00Z'), [])
  assert.equal(await titles(site, 'before=2024-01-10T12:01:00'), ['noon'])
  assert.equal(await titles(site, 'modified_before=2024-01-10T11:00:00'), [])
})

list('skips posts that the user may not edit in the context edit', async () => {
  await using site = await serve()
  await addPosts(site.store, { title: 'mine', author_id: 5 }, { title: 'theirs', author_id: 6 })
  const items = await site.json('/svc/v2/posts?context=edit', as('author', 5))
  assert.equal(
    (items as { title: { raw: string } }[]).map(({ title }) => title.raw),
    ['mine'],
  )
  const refused = await site.get('/svc/v2/posts?context=edit')
  assert.is(refused.status, 401)
  assert.is(((await refused.json()) as { code: string }).code, 'rest_forbidden_context')
  assert.is((await site.get('/svc/v2/posts?context=edit', as('subscriber'))).status, 403)
})

list('shows blocks to writers only', async () => {
  await using site = await serve()
  await addPosts(site.store, { type: 'svc_block', title: 'Block', content: 'secret' })
  assert.equal(await site.json('/svc/v2/blocks'), [])
  assert.is((await site.get('/svc/v2/blocks?search=secret')).headers.get('x-svc-total'), '0')
  assert.equal(await site.json('/svc/v2/blocks', as('subscriber')), [])
  const [block] = await site.json('/svc/v2/blocks', as('author'))
  assert.equal(block.title, { raw: 'Block' })
  assert.equal(block.content, { raw: 'secret', protected: false })
  const [embedded] = await site.json('/svc/v2/blocks?context=embed', as('author'))
  assert.equal([embedded.title, embedded.content], [[], undefined])
  const [some] = await site.json('/svc/v2/blocks?_fields=slug', as('author'))
  assert.equal(Object.keys(some as object), ['slug'])
})

list('lets plugins change the query, the arguments and the response', async () => {
  const plugin = definePlugin({
    name: 'shades',
    after: ['posts'],
    apply({ hooks }) {
      hooks.rest_collection_params.for('post').tap('shades', (params) => ({ ...params, shade: { type: 'string' } }))
      hooks.rest_query
        .for('post')
        .tap('shades', (query, request) => (request.get('shade') === 'dark' ? { ...query, search: 'night' } : query))
      hooks.rest_prepare.for('post').tap('shades', (response, post) => {
        ;(response.data as Record<string, unknown>)['length'] = post.content?.length
        return response
      })
    },
  })
  await using site = await serve({ add: [plugin] })
  await addPosts(site.store, { title: 'Night', content: 'four' }, { title: 'Day' })
  const items = await site.json('/svc/v2/posts?shade=dark&_fields=id,length')
  assert.equal(
    (items as { length: number }[]).map(({ length }) => length),
    [4],
  )
})

list('serves custom types under their own URL', async () => {
  const plugin = definePlugin({
    name: 'films',
    needs: ['content-types'],
    apply({ services }) {
      services.contentTypes.register('film', {
        public: true,
        show_in_rest: true,
        rest_base: 'films',
        rest_namespace: 'cinema/v1',
        supports: ['title'],
      })
      services.contentTypes.register('ticket', { public: true, show_in_rest: true, rest_controller_class: false })
    },
  })
  await using site = await serve({ add: [plugin] })
  await addPosts(site.store, { type: 'film', title: 'Metropolis' })
  const [film] = await site.json('/cinema/v1/films')
  assert.equal(Object.keys(film as object).sort(), [
    '_links',
    'class_list',
    'date',
    'date_gmt',
    'guid',
    'id',
    'link',
    'modified',
    'modified_gmt',
    'slug',
    'status',
    'template',
    'title',
    'type',
  ])
  assert.is(film._links.about[0].href, `${site.home}/svc-json/svc/v2/types/film`)
  assert.is((await site.get('/svc/v2/ticket')).status, 404)
})

list('S4: ignores arguments that lists of the type do not declare', async () => {
  await using site = await serve()
  await addPosts(site.store, { title: 'One' }, { title: 'Other' })
  const unknown = ['parent=1,2', 'parent[a]=b', 'parent_exclude[]=x', 'menu_order[a]=1', 'menu_order=x']
  for (const query of unknown) assert.is(await total(site, query), '2', query)
  await addPosts(site.store, { type: 'page', title: 'Page' })
  const pages = await site.get('/svc/v2/pages?sticky=true&categories[x]=1')
  assert.is(pages.headers.get('x-svc-total'), '1')
})

list('S7: finds posts by excluded words alone, ordered by relevance', async () => {
  await using site = await serve()
  await addPosts(site.store, { title: 'Red wine' }, { title: 'White wine' })
  assert.equal(await titles(site, 'orderby=relevance&search=-white'), ['Red wine'])
  const found = (await site.json('/svc/v2/search?search=-white')) as { title: string }[]
  assert.equal(
    found.map(({ title }) => title),
    ['Red wine'],
  )
})

list('stops rendering after the client has disconnected', async () => {
  const started = Promise.withResolvers<void>()
  const resume = Promise.withResolvers<void>()
  const stages: string[] = []
  let isOver: Promise<unknown> | undefined
  const slow = definePlugin({
    name: 'slow',
    after: ['content-rendering', 'posts'],
    apply({ hooks }) {
      hooks.the_content.tapPromise({ name: 'slow', stage: -1 }, async (content) => {
        stages.push('rendered')
        started.resolve()
        await resume.promise
        return content
      })
      hooks.rest_prepare.for('post').tap('slow', (response) => {
        stages.push('prepared')
        return response
      })
      hooks.rest_post_dispatch.tap('slow', (response) => {
        stages.push('dispatched')
        return response
      })
      hooks.rest_request_before_callbacks.tap('slow', (response, _handler, request) => {
        isOver = new Promise((resolve) => request.work.signal.addEventListener('abort', resolve))
        return response
      })
    },
  })
  await using site = await serve({ add: [slow] })
  await addPosts(site.store, { title: 'One', content: 'One' }, { title: 'Two', content: 'Two' })
  const client = new AbortController()
  const answer = site.request('/svc/v2/posts?_fields=content', { signal: client.signal }).catch(() => 'left')
  await started.promise
  client.abort()
  assert.is(await answer, 'left')
  await isOver
  resume.resolve()
  await until(() => stages.includes('dispatched'))
  assert.equal(stages, ['rendered', 'rendered', 'dispatched'])
})

list.run()
