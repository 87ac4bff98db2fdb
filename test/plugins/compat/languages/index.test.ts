import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { create, languageSite, send } from './site.ts'

startOnly('languages', 'menu-routes', 'posts', 'menus', 'site-requests')

const slugs = (items: { slug: string }[]) => items.map(({ slug }) => slug)

for (const { name, make } of places) {
  const languages = suite(`languages on ${name}`)

  languages('are created with name, code, flag and default category of their locale', async () => {
    await using site = await languageSite(await make())
    const all = await site.json('/pll/v1/languages')
    assert.equal(
      all.map((one: Record<string, unknown>) => [one.slug, one.name, one.flag_code, one.is_default, one.home_url]),
      [
        ['en', 'English', 'us', true, `${site.home}/`],
        ['fr', 'Français', 'fr', false, `${site.home}/fr/`],
        ['de', 'Deutsch', 'de', false, `${site.home}/de/`],
      ],
    )
    const { body: arabic } = await send(site, 'POST', '/pll/v1/languages', { locale: 'ar' })
    assert.equal([arabic.slug, arabic.is_rtl, arabic.w3c, arabic.facebook, arabic.flag], ['ar', true, 'ar', '', ''])
    const formal = { locale: 'de_AT_formal', name: 'Sie', slug: 'sie', flag_code: 'at' }
    const { body: austrian } = await send(site, 'POST', '/pll/v1/languages', formal)
    assert.equal([austrian.w3c, austrian.fallbacks, austrian.flag_code], ['de-AT', ['de_AT'], 'at'])
    assert.match(austrian.flag, /^<img src="data:image\/svg\+xml;base64,[\w+/=]+" alt="Sie" width="16"/)
    const flag = await fetch(austrian.flag_url)
    assert.equal([flag.status, flag.headers.get('content-type')], [200, 'image/svg+xml'])
    const categories = await site.json('/svc/v2/categories?lang=fr')
    assert.equal(slugs(categories), ['uncategorized-fr'])
  })

  languages('are changed and deleted by administrators only', async () => {
    await using site = await languageSite(await make())
    const [, { term_id: french }, { term_id: german }] = await site.json('/pll/v1/languages')
    for (const [method, path, code] of [
      ['POST', '/pll/v1/languages', 'rest_cannot_create'],
      ['PUT', `/pll/v1/languages/${french}`, 'rest_cannot_update'],
      ['DELETE', `/pll/v1/languages/${french}`, 'rest_cannot_delete'],
      ['GET', '/pll/v1/settings', 'rest_forbidden_context'],
      ['POST', '/pll/v1/settings', 'rest_forbidden_context'],
    ] as const) {
      const body = method === 'GET' ? undefined : { locale: 'it_IT' }
      const asEditor = await send(site, method, path, body, 'editor')
      assert.equal([asEditor.status, asEditor.body.code], [403, code])
      assert.is((await send(site, method, path, body, '')).status, 401)
    }
    const taken = await send(site, 'PATCH', `/pll/v1/languages/${german}`, { slug: 'fr' })
    assert.equal([taken.status, taken.body.code], [400, 'pll_non_unique_slug'])
    const post = await create(site, 'posts', { title: 'Hallo', status: 'publish', lang: 'de' })
    const { body: renamed } = await send(site, 'PUT', `/pll/v1/languages/${german}`, { slug: 'at', term_group: -1 })
    assert.equal([renamed.slug, renamed.term_group, renamed.locale], ['at', -1, 'de_DE'])
    assert.equal(slugs(await site.json('/pll/v1/languages')), ['at', 'en', 'fr'])
    assert.match((await site.json(`/svc/v2/posts/${post.id}`)).link, `${site.home}/at/`)
    assert.equal(slugs(await site.json('/svc/v2/categories?lang=at')), ['uncategorized-de'])
    const { body: deleted } = await send(site, 'DELETE', `/pll/v1/languages/${german}`)
    assert.equal([deleted.deleted, deleted.previous.slug, deleted.previous.term_props.language.count], [true, 'at', 1])
    assert.is((await send(site, 'DELETE', `/pll/v1/languages/${german}`)).body.code, 'rest_invalid_id')
    assert.not.match((await site.json(`/svc/v2/posts/${post.id}`)).link, '/at/')
  })

  languages('limit lists of terms, and an unknown code means the default language', async () => {
    await using site = await languageSite(await make())
    await create(site, 'categories', { name: 'News' })
    await create(site, 'categories', { name: 'Nouvelles', lang: 'fr' })
    const { id: loose } = await site.kernel.services.terms.create({ taxonomy: 'post_tag', name: 'Loose' })
    const of = async (query: string) => slugs(await site.json(`/svc/v2/categories?${query}`))
    assert.equal(await of('lang=fr'), ['nouvelles', 'uncategorized-fr'])
    assert.equal(await of('lang=FR&search=nouv'), ['nouvelles'])
    assert.equal(await of('lang=xx'), ['news', 'uncategorized'])
    assert.is((await of('lang=')).length, 5)
    assert.equal(await site.json('/svc/v2/tags?lang=de'), [])
    assert.equal(await site.json(`/svc/v2/tags?lang=de&include=${loose}`), [])
    await send(site, 'PUT', `/svc/v2/tags/${loose}?lang=de`, { name: 'Lose' })
    assert.equal(slugs(await site.json('/svc/v2/tags?lang=de')), ['loose'])
  })

  languages('are set by the query or the body of a write, and are otherwise the default', async () => {
    await using site = await languageSite(await make())
    const link = async (query: string, body: object) =>
      (await create(site, `posts${query}`, { title: 'A', status: 'publish', ...body })).link.slice(site.home.length)
    assert.match(await link('', {}), /^\/\d{4}\//)
    assert.match(await link('', { lang: 'fr' }), /^\/fr\/\d{4}\//)
    assert.match(await link('?lang=de', {}), /^\/de\/\d{4}\//)
    assert.match(await link('?lang=xx', {}), /^\/\d{4}\//)
    const post = await create(site, 'posts', { title: 'B', status: 'publish', lang: 'fr' })
    const [category] = await site.json('/svc/v2/categories?lang=fr')
    assert.equal(post.categories, [category.id])
    assert.match(post.permalink_template, `${site.home}/fr/`)
    const { body: kept } = await send(site, 'POST', `/svc/v2/posts/${post.id}`, { title: 'C' })
    assert.match(kept.link, `${site.home}/fr/`)
    const { body: moved } = await send(site, 'POST', `/svc/v2/posts/${post.id}`, { lang: 'de' })
    assert.match(moved.link, `${site.home}/de/`)
  })

  languages('choose the menu of a location, and expand its language switcher', async () => {
    await using site = await languageSite(await make())
    const french = await create(site, 'menus', { name: 'Principal' })
    const item = { title: 'Languages', url: '#pll_switcher', menus: french.id, status: 'publish' }
    await create(site, 'menu-items', { ...item, meta: { _pll_menu_item: { show_names: true, hide_current: true } } })
    await create(site, 'menus', { name: 'Main', locations: ['primary'] })
    await send(site, 'POST', '/pll/v1/settings', { nav_menus: { any: { primary: { fr: french.id } } } })
    assert.is((await site.json('/menus/v1/locations/primary')).slug, 'main')
    const { slug, items } = await site.json('/menus/v1/locations/primary?lang=fr')
    assert.is(slug, 'principal')
    assert.equal(
      items.map((one: Record<string, unknown>) => [one.title, one.url, one.lang]),
      [
        ['Français', `${site.home}/fr/`, 'fr-FR'],
        ['Deutsch', `${site.home}/de/`, 'de-DE'],
      ],
    )
  })

  languages('cost a constant number of statements in a list', async () => {
    await using site = await languageSite(await make())
    const add = (title: string) => create(site, 'posts', { title, status: 'publish', lang: 'fr' })
    await add('One')
    const read = () => site.statements(() => site.json('/svc/v2/posts?_fields=id,link'))
    const before = await read()
    for (let at = 0; at < 6; at += 1) await add(`Post ${at}`)
    assert.is((await read()).length, before.length)
  })

  languages.run()
}
