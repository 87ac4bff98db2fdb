import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'

type Login = keyof SiteWithUsers['users'] | null

/** Visitors, and one user of each role that cannot edit the theme or other users. */
const OTHERS: readonly Login[] = [null, 'sub', 'con', 'ann', 'ed']

/** Sends a GET request and returns status, code, and the error of an argument. */
async function refusal(site: SiteWithUsers, path: string, login: Login) {
  const response = await site.send('GET', `/svc/v2/${path}`, undefined, login ?? undefined)
  const body = (await response.json()) as {
    code?: string
    data?: { details?: Record<string, { code: string; data: unknown }> }
  }
  return { status: response.status, code: body.code, details: body.data?.details, allow: response.headers.get('allow') }
}

async function created(site: SiteWithUsers, path: string, body: unknown): Promise<number> {
  const response = await site.send('POST', `/svc/v2/${path}`, body, 'admin')
  assert.is(response.status, 201, path)
  return ((await response.json()) as { id: number }).id
}

for (const { name, place } of databases) {
  const checks = suite(`order of checks, ${name}`)

  checks('refuses the context edit before it refuses to show menus, menu items and users', async () => {
    await using site = await serveWithUsers(place)
    const menu = await created(site, 'menus', { name: 'Main' })
    const item = await created(site, 'menu-items', {
      title: 'One',
      url: 'https://example.com/',
      menus: menu,
      status: 'publish',
    })
    for (const login of OTHERS) {
      const status = login === null ? 401 : 403
      const others = ['menus', `menus/${menu}`, 'menu-items', `menu-items/${item}`]
      for (const path of [...others, `users/${site.users.admin}`, `users/${site.users.shy}`]) {
        const found = await refusal(site, `${path}?context=edit`, login)
        assert.equal([found.status, found.code], [status, 'rest_forbidden_context'], `${path} ${login}`)
      }
      if (login === null || login === 'sub')
        for (const path of others) assert.is((await refusal(site, path, login)).code, 'rest_cannot_view', path)
    }
    const hidden = await refusal(site, `users/${site.users.shy}`, null)
    assert.equal([hidden.status, hidden.code], [401, 'rest_user_cannot_view'])
  })

  checks('checks the argument post of every list of terms in the same way', async () => {
    await using site = await serveWithUsers(place)
    const page = await created(site, 'pages', { title: 'Page', status: 'publish' })
    for (const list of ['categories', 'tags', 'menus']) {
      const missing = await refusal(site, `${list}?post=999999`, 'admin')
      assert.equal([missing.status, missing.code], [400, 'rest_post_invalid_id'], list)
      const other = await refusal(site, `${list}?post=${page}`, 'admin')
      assert.equal([other.status, other.code], [403, 'rest_forbidden_context'], list)
    }
  })

  checks('embeds the menus of menu items for every user who may see them', async () => {
    await using site = await serveWithUsers(place)
    const menu = await created(site, 'menus', { name: 'Main' })
    const item = { title: 'One', url: 'https://example.com/', menus: menu, status: 'publish' }
    await created(site, 'menu-items', item)
    for (const login of ['admin', 'ed', 'ann', 'con'] as const) {
      const response = await site.send('GET', '/svc/v2/menu-items?_embed=1', undefined, login)
      const [shown] = (await response.json()) as { _embedded: Record<string, { id?: number }[][]> }[]
      assert.equal(
        shown?._embedded['svc:term']?.flat().map(({ id }) => id),
        [menu],
        login,
      )
    }
  })

  checks('refuses statuses that a user may not list before it checks that they exist', async () => {
    await using site = await serveWithUsers(place)
    for (const list of ['posts', 'pages', 'media', 'blocks', 'navigation', 'menu-items']) {
      for (const status of ['nothing', 'hold', 'trash', 'trash,nothing']) {
        const encoded = `${list}?status=${encodeURIComponent(status)}`
        for (const login of [null, 'sub'] as const) {
          const { details } = await refusal(site, encoded, login)
          const forbidden = { code: 'rest_forbidden_status', data: { status: login === null ? 401 : 403 } }
          assert.equal([details?.['status']?.code, details?.['status']?.data], Object.values(forbidden), encoded)
        }
        if (status !== 'trash') {
          const { details } = await refusal(site, encoded, 'admin')
          assert.is(details?.['status']?.code, 'rest_not_in_enum', encoded)
        }
      }
      assert.is((await refusal(site, `${list}?status=trash`, 'admin')).status, 200, list)
    }
  })

  checks('requires the arguments that an order or an offset of revisions needs, of every type', async () => {
    await using site = await serveWithUsers(place)
    for (const base of ['posts', 'pages', 'blocks', 'navigation']) {
      const id = await created(site, base, { title: 'One', content: 'one', status: 'publish' })
      for (const content of ['two', 'three']) await site.send('POST', `/svc/v2/${base}/${id}`, { content }, 'admin')
      const path = `${base}/${id}/revisions`
      const codes: [query: string, code: string | undefined][] = [
        ['orderby=relevance', 'rest_no_search_term_defined'],
        ['orderby=relevance&search=%20', 'rest_no_search_term_defined'],
        ['orderby=relevance&search=two', undefined],
        ['orderby=include', 'rest_orderby_include_missing_include'],
        ['orderby=include&include=1', undefined],
        ['offset=1000', 'rest_revision_invalid_offset_number'],
        ['offset=1000&per_page=2', 'rest_revision_invalid_offset_number'],
        ['offset=1', undefined],
        ['offset=-1000', undefined],
      ]
      for (const [query, code] of codes) {
        const found = await refusal(site, `${path}?${query}`, 'admin')
        assert.equal([found.code, found.status], [code, code === undefined ? 200 : 400], `${path} ${query}`)
        assert.is((await refusal(site, `${path}?${query}`, 'sub')).code, 'rest_cannot_read', `${path} ${query}`)
      }
    }
  })

  checks('refuses to render a block without context=edit, before permission and other arguments', async () => {
    await using site = await serveWithUsers(place)
    for (const login of [...OTHERS, 'admin'] as const) {
      for (const query of ['', '?context=view', '?post_id=abc', '?post_id=1', '?_fields=id']) {
        const { code, details } = await refusal(site, `block-renderer/core/archives${query}`, login)
        assert.is(code, 'rest_invalid_param', query)
        const found = Object.entries(details ?? {}).map(([argument, { code: rule }]) => [argument, rule])
        assert.equal(found, [['context', 'rest_not_in_enum']], `${query} ${login}`)
      }
      for (const query of ['', '?post_id=x']) {
        const { allow } = await refusal(site, `block-renderer/core/archives${query}`, login)
        assert.is(allow, login === null || login === 'sub' ? null : 'GET, POST', String(login))
      }
    }
    const page = await created(site, 'pages', { title: 'Page', status: 'publish' })
    assert.is((await refusal(site, `block-renderer/core/archives?post_id=${page}`, 'ed')).allow, 'GET, POST')
    assert.is((await refusal(site, 'block-renderer/core/archives?context=edit', null)).code, 'block_cannot_read')
    assert.is(
      (await refusal(site, 'block-renderer/core/archives?context=edit&post_id=x', 'ed')).code,
      'rest_invalid_param',
    )
    assert.is((await refusal(site, 'block-renderer/core/archives?context=edit', 'ed')).status, 200)
  })

  checks('names the forms that a value fits if it must fit only one', async () => {
    await using site = await serveWithUsers(place)
    for (const path of ['posts?categories=', 'posts?tags=', 'posts?tags_exclude=', 'menu-items?menus_exclude=']) {
      const { details } = await refusal(site, path, 'admin')
      const [found] = Object.values(details ?? {})
      assert.equal([found?.code, found?.data], ['rest_one_of_multiple_matches', { positions: [0, 1] }], path)
    }
  })

  checks.run()
}
