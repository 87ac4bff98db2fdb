import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache } from '../../../kernel/index.ts'
import { as, serveOn, type Site } from '../../helpers/site.ts'
import { places } from '../../helpers/stores.ts'
import { themeFolder } from '../../helpers/theme-folder.ts'

/** A theme with two menu locations. */
const theme = definePlugin({
  name: 'two-places',
  needs: ['menus'],
  apply({ services }) {
    services.menus.registerLocation('primary', 'Primary')
    services.menus.registerLocation('footer', 'Footer')
  },
})

async function send(site: Site, method: string, path: string, role = 'administrator', body?: unknown) {
  const response = await site.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...(role === '' ? {} : as(role)) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- assertions check the shape
  return { status: response.status, body: (await response.json()) as any }
}

const FALLBACK = '/svc-block-editor/v1/navigation-fallback'

for (const { name, make } of places) {
  const menus = suite(`menus on ${name}`)

  menus('lose their items and locations when they are deleted', async () => {
    await using site = await serveOn(await make(), { add: [theme] })
    const { body: page } = await send(site, 'POST', '/svc/v2/pages', undefined, { title: 'About', status: 'publish' })
    const { body: menu } = await send(site, 'POST', '/svc/v2/menus', undefined, {
      name: 'Main',
      locations: ['primary'],
    })
    assert.equal([menu.slug, menu.locations, menu.auto_add], ['main', ['primary'], false])
    const leads = { type: 'post_type', object: 'page', object_id: page.id, menus: menu.id }
    const { body: item } = await send(site, 'POST', '/svc/v2/menu-items', undefined, leads)
    assert.equal([item.title.raw, item.url, item.invalid, item.menus], ['About', page.link, false, menu.id])
    const custom = { title: 'Below', url: 'https://example.com/', parent: item.id, menu_order: 2, menus: menu.id }
    const { body: below } = await send(site, 'POST', '/svc/v2/menu-items', undefined, custom)
    assert.equal([below.parent, below.object_id], [item.id, below.id])
    // An item without a title follows the title of its page.
    await send(site, 'PUT', `/svc/v2/pages/${page.id}`, undefined, { title: 'About us' })
    const { body: listed } = await send(site, 'GET', `/svc/v2/menu-items?menus=${menu.id}`)
    const { body: past } = await send(site, 'GET', `/svc/v2/menu-items?menus=${menu.id}&page=9`)
    assert.is(past.code, 'rest_post_invalid_page_number')
    assert.equal(
      listed.map(({ title }: { title: { rendered: string } }) => title.rendered),
      ['About us', 'Below'],
    )
    // Deleting a page deletes its item, and moves the children of the item up.
    await send(site, 'DELETE', `/svc/v2/pages/${page.id}?force=true`)
    assert.is((await send(site, 'GET', `/svc/v2/menu-items/${item.id}`)).status, 404)
    assert.is((await send(site, 'GET', `/svc/v2/menu-items/${below.id}`)).body.parent, 0)
    assert.is((await send(site, 'DELETE', `/svc/v2/menu-items/${below.id}`)).status, 501)
    await send(site, 'DELETE', `/svc/v2/menus/${menu.id}?force=true`)
    assert.is((await send(site, 'GET', `/svc/v2/menu-items/${below.id}`)).status, 404)
    assert.is((await send(site, 'GET', '/svc/v2/menu-locations/primary')).body.menu, 0)
  })

  menus('receive new top-level pages if automatic addition is on', async () => {
    await using site = await serveOn(await make(), { add: [theme] })
    const { body: menu } = await send(site, 'POST', '/svc/v2/menus', undefined, { name: 'Grows', auto_add: true })
    const { body: page } = await send(site, 'POST', '/svc/v2/pages', undefined, { title: 'Draft' })
    const items = async () => (await send(site, 'GET', `/svc/v2/menu-items?menus=${menu.id}`)).body as { url: string }[]
    assert.is((await items()).length, 0)
    await send(site, 'PUT', `/svc/v2/pages/${page.id}`, undefined, { status: 'publish' })
    await send(site, 'POST', '/svc/v2/pages', undefined, { title: 'Below', status: 'publish', parent: page.id })
    assert.is((await items()).length, 1)
  })

  menus('are readable for users who can edit posts, and for all at public locations', async () => {
    const place = await make()
    const options = { add: [theme], plugins: { menus: { public: ['primary'] } } }
    await using site = await serveOn(place, options)
    const { body: page } = await send(site, 'POST', '/svc/v2/pages', undefined, { title: 'Secret', status: 'private' })
    const { body: open } = await send(site, 'POST', '/svc/v2/menus', undefined, { name: 'O', locations: ['primary'] })
    const { body: shut } = await send(site, 'POST', '/svc/v2/menus', undefined, { name: 'S', locations: ['footer'] })
    const leads = { type: 'post_type', object: 'page', object_id: page.id, menus: open.id }
    const { body: item } = await send(site, 'POST', '/svc/v2/menu-items', undefined, leads)
    for (const role of ['', 'subscriber']) {
      for (const path of ['menus', 'menu-items', 'menu-locations', 'menu-locations/footer', `menus/${shut.id}`])
        assert.is((await send(site, 'GET', `/svc/v2/${path}`, role)).status, role === '' ? 401 : 403, path)
      for (const path of ['menu-locations/primary', `menus/${open.id}`, `menu-items?menus=${open.id}`])
        assert.is((await send(site, 'GET', `/svc/v2/${path}`, role)).status, 200, path)
      assert.ok((await send(site, 'GET', `/svc/v2/menu-items?menus=${open.id}&status=draft`, role)).status >= 400)
      assert.ok((await send(site, 'GET', `/svc/v2/menu-items?menus=${open.id}&context=edit`, role)).status >= 400)
    }
    // The title and URL of a private page are hidden.
    const { body: seen } = await send(site, 'GET', `/svc/v2/menu-items/${item.id}`, '')
    assert.equal([seen.invalid, seen.url, seen.title.rendered.includes('Secret')], [true, '', false])
    assert.is((await send(site, 'GET', '/svc/v2/menus', 'contributor')).status, 200)
    const refused = await send(site, 'POST', '/svc/v2/menu-items', 'editor', {
      title: 'x',
      url: 'https://example.com/',
    })
    assert.equal([refused.status, refused.body.code], [403, 'rest_cannot_create'])
  })

  menus('refuse invalid items, duplicate names and unknown locations', async () => {
    await using site = await serveOn(await make(), { add: [theme] })
    const bad = [
      { title: 'a', url: 'javascript:alert(1)' },
      { title: 'a' },
      { url: 'https://example.com/' },
      { title: 'a', url: 'https://example.com/', type: '__proto__' },
      { title: 'a', url: 'https://example.com/', menu_order: 0 },
    ]
    for (const body of bad) assert.is((await send(site, 'POST', '/svc/v2/menu-items', undefined, body)).status, 400)
    await send(site, 'POST', '/svc/v2/menus', undefined, { name: 'Twin' })
    const twin = await send(site, 'POST', '/svc/v2/menus', undefined, { name: 'Twin' })
    assert.equal([twin.status, twin.body.code], [400, 'menu_exists'])
    const lost = await send(site, 'POST', '/svc/v2/menus', undefined, { name: 'Lost', locations: ['__proto__'] })
    assert.is(lost.status, 400)
  })

  menus('take locations as a list or as a text', async () => {
    await using site = await serveOn(await make(), { add: [theme] })
    const { body: menu } = await send(site, 'POST', '/svc/v2/menus', undefined, { name: 'Main' })
    const steps: readonly [unknown, unknown][] = [
      ['footer', ['footer']],
      ['primary,footer', ['primary', 'footer']],
      [['primary'], ['primary']],
      ['nowhere', 'rest_invalid_menu_location'],
      [['primary', 'nowhere'], 'rest_invalid_menu_location'],
      [{ a: 'primary' }, 'rest_invalid_type'],
      [[['primary']], 'rest_invalid_type'],
      ['', []],
    ]
    for (const [locations, expected] of steps) {
      const { body } = await send(site, 'PUT', `/svc/v2/menus/${menu.id}`, undefined, { locations })
      assert.equal(body.locations ?? body.data.details.locations.code, expected, JSON.stringify(locations))
    }
  })

  menus('have items that lead to the post or term of an ID, whose type or taxonomy they find', async () => {
    await using site = await serveOn(await make(), { add: [theme] })
    const add = async (path: string, body: object) => (await send(site, 'POST', path, undefined, body)).body
    const page = await add('/svc/v2/pages', { title: 'About', status: 'publish' })
    const term = await add('/svc/v2/categories', { name: 'News' })
    const rows: readonly [object, string | undefined, string | undefined][] = [
      [{ type: 'post_type', object_id: page.id }, 'page', 'About'],
      [{ type: 'taxonomy', object_id: term.id }, 'category', 'News'],
      [{ type: 'post_type', object_id: 98_765 }, undefined, 'rest_post_invalid_id'],
      [{ type: 'post_type' }, undefined, 'rest_post_invalid_id'],
      [{ type: 'taxonomy', object_id: 98_765 }, undefined, 'rest_term_invalid_id'],
      [{ type: 'taxonomy', title: 'A title' }, undefined, 'rest_term_invalid_id'],
      [{ type: 'post_type_archive', title: 'A title' }, undefined, 'rest_post_invalid_type'],
      [{ type: 'post_type', object: 'page', object_id: 98_765 }, 'page', '#98765 (no title)'],
    ]
    for (const [body, object, expected] of rows) {
      const item = await add('/svc/v2/menu-items', body)
      assert.equal([item.object, item.title?.raw ?? item.code], [object, expected], JSON.stringify(body))
      if (object === undefined) assert.is(item.data.status, 400)
    }
    const link = await add('/svc/v2/menu-items', { title: 'A link', url: 'https://example.com/' })
    const path = `/svc/v2/menu-items/${link.id}`
    const moved = await send(site, 'PUT', path, undefined, { type: 'post_type', object: '', object_id: page.id })
    assert.equal([moved.body.object, moved.body.object_id], ['page', page.id])
  })

  menus('lose items whose term, page or menu is deleted by the REST API or by a service', async () => {
    await using site = await serveOn(await make(), { add: [theme] })
    const { services } = site.kernel
    const { body: menu } = await send(site, 'POST', '/svc/v2/menus', undefined, { name: 'M', locations: ['footer'] })
    const createItem = async (type: string, object: string, id: number) =>
      (await send(site, 'POST', '/svc/v2/menu-items', undefined, { type, object, object_id: id, menus: menu.id })).body
    const there = async () =>
      ((await send(site, 'GET', `/svc/v2/menu-items?menus=${menu.id}`)).body as { object_id: number }[])
        .map(({ object_id: id }) => id)
        .toSorted((a, b) => a - b)
    const [one, two] = [
      await services.terms.create({ taxonomy: 'category', name: 'One' }),
      await services.terms.create({ taxonomy: 'post_tag', name: 'Two' }),
    ]
    const { body: page } = await send(site, 'POST', '/svc/v2/pages', undefined, { title: 'P', status: 'publish' })
    await createItem('taxonomy', 'category', one.id)
    await createItem('taxonomy', 'post_tag', two.id)
    await createItem('post_type', 'page', page.id)
    assert.is((await there()).length, 3)
    await send(site, 'DELETE', `/svc/v2/categories/${one.id}?force=true`)
    assert.equal(
      await there(),
      [two.id, page.id].toSorted((a, b) => a - b),
    )
    await services.terms.delete(two.id)
    assert.equal(await there(), [page.id])
    // Also if the menu is deleted as a term.
    await services.terms.delete(menu.id)
    assert.equal((await send(site, 'GET', '/svc/v2/menu-items?status=publish')).body, [])
    assert.is((await send(site, 'GET', '/svc/v2/menu-locations/footer')).body.menu, 0)
  })

  menus('are assigned to locations of the active theme, and items without a menu are marked', async () => {
    const json = { version: 3, svc: { menus: { side: 'At the side', 'a/b': 'No name', __proto__: 'x', wrong: {} } } }
    await using folder = await themeFolder({ 'theme.json': JSON.stringify(json) })
    const place = await make()
    await using site = await serveOn(place, { plugins: { themes: { folder: folder.folder, recheck: 0 } } })
    const names = async () => Object.keys((await send(site, 'GET', '/svc/v2/menu-locations')).body as object)
    assert.equal(await names(), ['primary'])
    await site.kernel.services.options.set('theme', { stylesheet: 'plain' })
    assert.equal(await names(), ['side'])
    const { body: menu } = await send(site, 'POST', '/svc/v2/menus', undefined, { name: 'M', locations: ['side'] })
    assert.equal(menu.locations, ['side'])
    const rejected = await send(site, 'POST', '/svc/v2/menus', undefined, { name: 'N', locations: ['primary'] })
    assert.equal([rejected.status, rejected.body.data.params.locations !== undefined], [400, true])

    const link = { title: 'Out', url: 'https://example.com/' }
    const { body: item } = await send(site, 'POST', '/svc/v2/menu-items', undefined, link)
    const { meta } = site.kernel.services
    const orphaned = () => meta.single('post', item.id, '_menu_item_orphaned', new RequestCache())
    assert.match(String(await orphaned()), /^\d{10}$/)
    await send(site, 'PUT', `/svc/v2/menu-items/${item.id}`, undefined, { menus: menu.id })
    assert.is(await orphaned(), undefined)
    await send(site, 'PUT', `/svc/v2/menu-items/${item.id}`, undefined, { menus: 0 })
    assert.match(String(await orphaned()), /^\d{10}$/)
  })

  menus('link to archives with the permalink structure of the site', async () => {
    await using site = await serveOn(await make(), {
      add: [
        definePlugin({
          name: 'books',
          needs: ['content-types'],
          apply: ({ services }) => {
            const rewrite = { slug: 'library', with_front: true }
            services.contentTypes.register('book', { public: true, show_in_rest: true, has_archive: true, rewrite })
          },
        }),
      ],
    })
    const leads = { type: 'post_type_archive', object: 'book' }
    const { body: item } = await send(site, 'POST', '/svc/v2/menu-items', undefined, leads)
    const path = async () => (await send(site, 'GET', `/svc/v2/menu-items/${item.id}`)).body.url.replace(site.home, '')
    for (const [permalink, expected] of [
      ['', '/?post_type=book'],
      ['/blog/%postname%/', '/blog/library/'],
      ['/%postname%', '/library'],
    ] as const) {
      await site.kernel.services.options.set('permalink', permalink)
      assert.is(await path(), expected)
    }
  })

  menus('are converted to one navigation by concurrent requests', async () => {
    await using site = await serveOn(await make(), { add: [theme] })
    const { body: menu } = await send(site, 'POST', '/svc/v2/menus', undefined, {
      name: 'Main',
      locations: ['primary'],
    })
    const custom = { title: 'Out -->', url: 'https://example.com/?a=1&b=2', menus: menu.id }
    await send(site, 'POST', '/svc/v2/menu-items', undefined, custom)
    assert.is((await send(site, 'GET', FALLBACK, 'editor')).status, 403)
    assert.is((await send(site, 'GET', FALLBACK, '')).status, 401)
    const responses = await Promise.all(Array.from({ length: 8 }, async () => send(site, 'GET', FALLBACK)))
    assert.is(new Set(responses.map(({ body }) => body.id)).size, 1)
    const [hinted] = responses[0]!.body._links.self
    assert.equal(hinted.targetHints, { allow: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] })
    assert.equal((await send(site, 'GET', `${FALLBACK}?_fields=nothing`)).body, [])
    const { body: embedded } = await send(site, 'GET', `${FALLBACK}?_embed`)
    const [self] = embedded._embedded.self
    assert.is(self.title.raw, 'Main')
    assert.match(self.content.raw, /^<!-- wp:navigation-link \{.*Out \\u002d\\u002d\\u003e.*\} \/-->$/)
    const { body: all } = await send(site, 'GET', '/svc/v2/navigation')
    assert.is(all.length, 1)
  })

  menus.run()
}
