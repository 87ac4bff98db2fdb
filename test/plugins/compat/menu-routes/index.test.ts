import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { as, serveOn, startOnly, type Site } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

startOnly('menu-routes', 'posts', 'menus')

/** A theme with two menu locations. */
const theme = definePlugin({
  name: 'two-places',
  needs: ['menus'],
  apply({ services }) {
    services.menus.registerLocation('primary', 'Primary')
    services.menus.registerLocation('footer', 'Footer')
  },
})

const options = { add: [theme], plugins: { 'menu-routes': true } }

async function create(site: Site, path: string, body: unknown) {
  const response = await site.request(`/svc/v2/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as('administrator') },
    body: JSON.stringify(body),
  })
  assert.is(response.status, 201)
  return (await response.json()) as { id: number; link: string; slug: string }
}

/** Creates a menu with a page, a link below it, a draft page and a category. */
async function createMenu(site: Site) {
  const page = await create(site, 'pages', { title: 'About us', status: 'publish' })
  const draft = await create(site, 'pages', { title: 'A secret plan' })
  const category = await create(site, 'categories', { name: 'News' })
  const menu = await create(site, 'menus', { name: 'Main', locations: ['primary'] })
  await create(site, 'menus', { name: 'Empty', locations: ['footer'] })
  const item = (fields: object) => create(site, 'menu-items', { status: 'publish', menus: menu.id, ...fields })
  const first = await item({ type: 'post_type', object: 'page', object_id: page.id, menu_order: 1 })
  const below = await item({
    title: 'Elsewhere',
    url: 'https://example.com/',
    parent: first.id,
    menu_order: 2,
    target: '_blank',
    classes: ['one', 'two'],
    xfn: ['friend'],
    attr_title: 'A title',
    description: 'A description',
  })
  const hidden = await item({ type: 'post_type', object: 'page', object_id: draft.id, menu_order: 3 })
  const orphan = await item({ title: 'Of the plan', url: 'https://example.com/plan', parent: hidden.id, menu_order: 4 })
  const last = await item({ type: 'taxonomy', object: 'category', object_id: category.id, menu_order: 5 })
  return { page, category, menu, first, below, orphan, last }
}

for (const { name, make } of places) {
  const routes = suite(`menu-routes on ${name}`)

  routes('show visitors the items of a menu by ID, slug and location', async () => {
    await using site = await serveOn(await make(), options)
    const { page, menu, first, below, orphan, last } = await createMenu(site)
    const body = await site.json('/menus/v1/menus/MAIN')
    assert.equal(await site.json(`/menus/v1/menus/${menu.id}`), body)
    assert.equal(await site.json('/menus/v1/locations/primary'), body)
    assert.equal([body.term_id, body.name, body.taxonomy, body.filter], [menu.id, 'Main', 'nav_menu', 'raw'])
    assert.equal(
      body.items.map(({ ID }: { ID: number }) => ID),
      [first.id, orphan.id, last.id],
    )
    const [about, , news] = body.items
    assert.equal([about.title, about.url, about.slug, about.type_label], ['About us', page.link, 'about-us', 'Page'])
    assert.equal([about.object_id, about.menu_item_parent, about.db_id], [String(page.id), '0', first.id])
    assert.equal([news.title, news.slug, news.type, news.object], ['News', 'news', 'taxonomy', 'category'])
    assert.not('child_items' in news)
    const [child] = about.child_items
    assert.equal([child.ID, child.menu_item_parent, child.url], [below.id, String(first.id), 'https://example.com/'])
    assert.equal([child.classes, child.xfn, child.attr_title], [['one', 'two'], 'friend', 'A title'])
    assert.equal([child.description, child.target, 'slug' in child], ['A description', '_blank', false])
  })

  routes('list menus that have items, and locations with a menu', async () => {
    await using site = await serveOn(await make(), options)
    const { menu } = await createMenu(site)
    const listed = await site.json('/menus/v1/menus')
    assert.equal(
      listed.map(({ term_id: id }: { term_id: number }) => id),
      [menu.id],
    )
    const locations = await site.json('/menus/v1/locations')
    assert.equal(Object.keys(locations), ['primary', 'footer'])
    assert.equal([locations.primary.slug, locations.primary.menu.slug], ['primary', 'main'])
    const unknown = await site.get('/menus/v1/locations/sidebar')
    assert.equal([unknown.status, ((await unknown.json()) as { code: string }).code], [404, 'not_found'])
    assert.is((await site.get('/menus/v1/menus/nothing')).status, 404)
  })

  routes('show locations that no theme has', async () => {
    await using site = await serveOn(await make(), options)
    const { menu } = await createMenu(site)
    await site.kernel.services.options.set('menu_locations', { 'header-menu': menu.id })
    assert.is((await site.json('/menus/v1/locations/header-menu')).term_id, menu.id)
    assert.is((await site.json('/svc-api-menus/v2/menu-locations'))['header-menu'].ID, menu.id)
  })

  routes('number menus under the routes of WP API Menus', async () => {
    await using site = await serveOn(await make(), options)
    const { category, menu, first, below, last } = await createMenu(site)
    const base = `${site.home}/svc-json/svc-api-menus/v2`
    const all = await site.json('/svc-api-menus/v2/menus')
    assert.equal(
      all.map(({ slug }: { slug: string }) => slug),
      ['empty', 'main'],
    )
    assert.equal(all[1].meta.links, { collection: `${base}/menus/`, self: `${base}/menus/${menu.id}` })
    const { items, ID } = await site.json(`/svc-api-menus/v2/menus/${menu.id}`)
    assert.is(ID, menu.id)
    assert.equal([items[0].id, items[0].children[0].id, 'children' in items[2]], [first.id, below.id, false])
    assert.equal([items[0].children[0].classes, items[0].children[0].xfn], ['one two', 'friend'])
    assert.equal([items[2].object_id, items[2].object_slug], [category.id, 'news'])
    const located = await site.json('/svc-api-menus/v2/menu-locations/primary')
    assert.equal([located[0].ID, located[0].children[0].ID, located[2].children], [first.id, below.id, []])
    assert.is(located[2].ID, last.id)
    for (const path of ['menus/9999', 'menu-locations/nowhere', 'menu-locations/footer'])
      assert.equal(await site.json(`/svc-api-menus/v2/${path}`), [])
    const { primary } = await site.json('/svc-api-menus/v2/menu-locations')
    assert.equal([primary.ID, primary.label], [menu.id, 'Primary'])
  })

  routes('read a menu with as many statements for one item as for eight', async () => {
    await using site = await serveOn(await make(), options)
    const { category, menu } = await createMenu(site)
    const read = () => site.statements(() => site.json('/menus/v1/menus/main'))
    const before = await read()
    for (let order = 6; order < 12; order += 1) {
      const page = await create(site, 'pages', { title: `Page ${order}`, status: 'publish' })
      const shared = { status: 'publish', menus: menu.id }
      await create(site, 'menu-items', {
        ...shared,
        type: 'post_type',
        object: 'page',
        object_id: page.id,
        menu_order: order,
      })
      await create(site, 'menu-items', { ...shared, type: 'taxonomy', object: 'category', object_id: category.id })
    }
    assert.is((await read()).length, before.length)
  })

  routes('follow changes of an item, although responses are cached', async () => {
    await using site = await serveOn(await make(), options)
    const { page } = await createMenu(site)
    const read = async () => (await site.json('/menus/v1/locations/primary')).items[0]?.title
    assert.is(await read(), 'About us')
    await site.request(`/svc/v2/pages/${page.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...as('administrator') },
      body: JSON.stringify({ title: 'About all of us' }),
    })
    assert.is(await read(), 'About all of us')
  })

  routes('pass each item through the filter rest_menu_routes_item', async () => {
    const icons = definePlugin({
      name: 'icons-of-items',
      needs: ['menu-routes'],
      apply({ hooks }) {
        hooks.rest_menu_routes_item.tap('icons-of-items', (data, item) => ({ ...data, icon: `${item.object}.svg` }))
      },
    })
    await using site = await serveOn(await make(), { ...options, add: [theme, icons] })
    await createMenu(site)
    const { items } = await site.json('/menus/v1/menus/main')
    assert.equal([items[0].icon, items[0].child_items[0].icon], ['page.svg', 'custom.svg'])
  })

  routes.run()
}
