import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, type RestResponse } from '../../../kernel/index.ts'
import { serve, type Site } from '../../helpers/site.ts'

const hooked = suite<{ site: Site; inserted: string[] }>('hooks of later versions')

hooked.before(async (context) => {
  const inserted: string[] = []
  const tapping = definePlugin({
    name: 'tapping',
    needs: ['batch', 'search', 'content-types', 'taxonomies', 'application-passwords', 'discovery'],
    apply({ hooks }) {
      const moveRoute = (route: string) => route.replace('/svc/v2/', '/mine/v1/')
      hooks.rest_get_max_batch_size.tap('tapping', () => 2)
      hooks.rest_route_for_post.tap('tapping', (route, { id }) => (id === 2 ? '' : moveRoute(route)))
      hooks.rest_route_for_post_type_items.tap('tapping', (route, type) =>
        type === 'page' ? '/mine/v1/leaves' : route,
      )
      hooks.rest_route_for_term.tap('tapping', (route, { taxonomy }) => `${moveRoute(route)}/of-${taxonomy}`)
      hooks.rest_route_for_taxonomy_items.tap('tapping', (route, name) => `${route}/all-${name}`)
      hooks.rest_queried_resource_route.tap('tapping', (route) => route || '/svc/v2/posts')
      hooks.rest_query.for('post_search').tap('tapping', (query) => ({ ...query, types: ['page'] }))
      hooks.rest_query.for('term_search').tap('tapping', (query) => ({ ...query, search: 'bed' }))
      hooks.rest_query.for('post_format_search').tap('tapping', (query) => ({ ...query, limit: 0 }))
      hooks.rest_prepare.for('application_password').tap('tapping', (response: RestResponse) => {
        response.data = { ...(response.data as object), device: 'a phone' }
        return response
      })
      hooks.rest_after_insert_application_password.tap('tapping', ({ name }, _request, creating) => {
        inserted.push(`${name} ${creating}`)
      })
    },
  })
  const site = await serve({ add: [tapping], plugins: { 'site-pages': false } })
  Object.assign(context, { site, inserted })
  const { store, kernel } = site
  for (const [id, type] of [
    [1, 'page'],
    [2, 'page'],
    [3, 'post'],
  ] as const) {
    const post = { id, type, status: id === 2 ? 'draft' : 'publish', title: `Bed ${id}`, slug: `bed-${id}` }
    await store.run(store.db.insertInto('posts').values({ ...post, author_id: 1 }))
  }
  await kernel.services.terms.create({ taxonomy: 'category', name: 'A bed' })
  await kernel.services.users.create({ login: 'admin', email: 'admin@mail.example', roles: ['administrator'] })
})

hooked.after(async ({ site }) => site?.[Symbol.asyncDispose]())

interface SearchResult {
  id: number
  _links: Record<string, { href: string }[]>
}

hooked('limit the size of batches', async ({ site }) => {
  const requests = [1, 2, 3].map(() => ({ path: '/svc/v2/posts' }))
  const batch = (of: object[]) =>
    site.request('/batch/v1', {
      method: 'POST',
      body: JSON.stringify({ requests: of }),
      headers: { 'content-type': 'application/json' },
    })
  assert.equal([(await batch(requests)).status, (await batch(requests.slice(1))).status], [400, 207])
})

hooked('change the queries of searches and the links of their results', async ({ site }) => {
  const root = `${site.home}/svc-json`
  const posts = (await site.json('/svc/v2/search?search=bed')) as SearchResult[]
  assert.equal(
    posts.map(({ _links: links }) => links['self']![0]!.href),
    [`${root}/mine/v1/leaves/1`],
  )
  const terms = (await site.json('/svc/v2/search?type=term&search=nothing')) as SearchResult[]
  assert.equal(
    terms.map(({ _links: links }) => links['self']![0]!.href),
    [`${root}/mine/v1/categories/all-category/1/of-category`],
  )
  assert.equal(await site.json('/svc/v2/search?type=post-format'), [])
})

hooked('change the items links of content types and taxonomies', async ({ site }) => {
  const itemsOf = async (path: string) => ((await site.json(path)) as SearchResult)._links['svc:items']![0]!.href
  const root = `${site.home}/svc-json`
  assert.is(await itemsOf('/svc/v2/types/page'), `${root}/mine/v1/leaves`)
  assert.is(await itemsOf('/svc/v2/taxonomies/category'), `${root}/svc/v2/categories/all-category`)
})

hooked('change the alternate link of plain URLs, which get 404 for unreadable posts', async ({ site }) => {
  const linkOf = async (query: string) => {
    const { status, headers } = await site.get(`${site.home}/${query}`)
    return [
      status,
      /<([^>]+)>; rel="alternate"/.exec(headers.get('link') ?? '')?.[1]?.replace(`${site.home}/svc-json`, ''),
    ]
  }
  assert.equal(await linkOf('?p=3'), [200, '/mine/v1/posts/3'])
  assert.equal(await linkOf('?page_id=1'), [200, '/mine/v1/leaves/1'])
  assert.equal(await linkOf(''), [200, '/svc/v2/posts'])
  for (const none of ['?p=x', '?p=99999999999999999999']) assert.equal(await linkOf(none), [200, '/svc/v2/posts'])
  for (const query of ['?p=2', '?page_id=2', '?p=999999', '?attachment_id=999999']) {
    assert.is((await site.get(`${site.home}/${query}`)).status, 404, query)
  }
})

hooked('run for application passwords and change their responses', async ({ site, inserted }) => {
  const { item, password } = await site.kernel.services.applicationPasswords.create(1, {
    name: 'first',
    scopes: ['accounts'],
  })
  const headers = { authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}` }
  const path = '/svc/v2/users/me/application-passwords'
  const created = await site.request(`${path}?name=second`, { method: 'POST', headers })
  assert.equal([created.status, ((await created.json()) as { device: string }).device], [201, 'a phone'])
  await site.request(`${path}/${item.uuid}?name=changed`, { method: 'POST', headers })
  assert.equal(inserted, ['second true', 'changed false'])
})

hooked('escape names once, and keep valid entities', async ({ site }) => {
  const { password } = await site.kernel.services.applicationPasswords.create(1, { name: 'names' })
  const headers = {
    authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
    'content-type': 'application/json',
  }
  const named = async (path: string, body: object) => {
    const response = await site.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
    return ((await response.json()) as { name: string }).name
  }
  const name = 'Q & A &invalid; &hellip;'
  const shown = 'Q &amp; A &amp;invalid; &hellip;'
  assert.is(await named('/svc/v2/users/1', { name }), shown)
  assert.is(await named('/svc/v2/users/1', { name: shown }), shown)
  assert.is(await named('/svc/v2/tags', { name }), shown)
})

hooked.run()
