import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { as, serve, type Site } from '../../../helpers/site.ts'
import { filePlace, kindsOf, postgresPlace } from '../../../helpers/stores.ts'
import { addGroups } from '../custom-fields/definitions.ts'

const routes = suite('routes of custom fields')

const PLUGINS = { 'custom-fields': true, 'custom-field-routes': true } as const

const kinds = kindsOf([{ name: 'SQLite', make: filePlace }], (server) => ({
  name: 'PostgreSQL',
  make: () => postgresPlace(server),
}))

async function siteOf(place: { url: string }): Promise<Site> {
  {
    await using site = await serve({ database: place.url, plugins: PLUGINS })
    await addGroups(
      site.store,
      {
        key: 'group_a',
        fields: [
          { key: 'field_price', name: 'price', type: 'number' },
          { key: 'field_pick', name: 'pick', type: 'select', choices: { a: 'A' }, return_format: 'label' },
        ],
      },
      { key: 'group_b', fields: [{ key: 'field_secret', name: 'secret', type: 'text' }], show_in_rest: 0 },
      {
        key: 'group_c',
        location: [[['taxonomy', '==', 'category']]],
        fields: [{ key: 'field_tone', name: 'tone', type: 'text' }],
      },
      {
        key: 'group_d',
        location: [[['options_page', '==', 'theme-settings']]],
        fields: [
          { key: 'field_footer', name: 'footer', type: 'text' },
          { key: 'field_rows', name: 'rows', type: 'repeater', sub_fields: [{ name: 'label', type: 'text' }] },
        ],
      },
    )
  }
  return serve({ database: place.url, plugins: PLUGINS })
}

const VALUES = { price: '12', _price: 'field_price', secret: 'hidden', _secret: 'field_secret' }

const send = (site: Site, path: string, body: unknown, headers = as('administrator', 1)) =>
  site.request(path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

for (const { name, make } of kinds) {
  routes(`show stored values, and null where an object stores none, on ${name}`, async () => {
    await using place = await make()
    await using site = await siteOf(place)
    const [stored, empty] = await addPosts(site.store, { title: 'One', meta: VALUES }, { title: 'Two' })
    const [draft] = await addPosts(site.store, { title: 'Draft', status: 'draft', meta: VALUES })
    assert.equal(await site.json(`/acf/v3/posts/${stored}`), { acf: { price: '12' } })
    assert.equal(await site.json(`/acf/v3/posts/${stored}/price`), { price: '12' })
    assert.equal(await site.json(`/acf/v3/posts/${stored}/secret`), { secret: null })
    assert.equal(await site.json(`/acf/v3/posts/${empty}`), { acf: { price: null, pick: null } })
    assert.equal(await site.json(`/acf/v3/posts/${draft}`), { acf: false })
    assert.equal(await site.json('/acf/v3/posts/99999'), { acf: false })
    assert.equal(await site.json(`/acf/v3/posts/${draft}`, as('administrator', 1)), { acf: { price: '12' } })
    assert.equal(await site.json('/acf/v3/posts?per_page=1'), [{ id: stored, acf: { price: '12' } }])
    assert.equal((await site.json(`/svc/v2/posts/${stored}`)).acf, { price: '12' })
  })

  routes(`store fields with the permissions of the object, on ${name}`, async () => {
    await using place = await make()
    await using site = await siteOf(place)
    const [id] = await addPosts(site.store, { title: 'One', author_id: 1 })
    const term = await addTerm(site.store, { taxonomy: 'category', name: 'News' })
    const path = `/acf/v3/posts/${id}`
    assert.is((await send(site, path, { fields: { price: 5 } }, {})).status, 401)
    assert.is((await send(site, path, { fields: { price: 5 } }, as('author', 7))).status, 403)
    assert.equal(await (await send(site, path, { fields: { price: 5, pick: 'a', other: 1 } })).json(), {
      acf: { price: '5', pick: 'A' },
    })
    const nothing = await send(site, path, {})
    assert.equal([nothing.status, ((await nothing.json()) as { code: string }).code], [500, 'cant_update_item'])
    assert.equal(await (await send(site, `/acf/v3/categories/${term}`, { fields: { tone: 'loud' } })).json(), {
      acf: { tone: 'loud' },
    })
    assert.equal(
      await (await send(site, `/svc/v2/posts/${id}?_fields=acf`, { acf: { price: 1 }, fields: { price: 6 } })).json(),
      {
        acf: { price: '6', pick: 'A' },
      },
    )
  })

  routes(`show and store values of option pages, on ${name}`, async () => {
    await using place = await make()
    await using site = await siteOf(place)
    const fields = { footer: 'Hello', rows: [{ label: 'one' }, { label: 'two' }] }
    assert.is((await send(site, '/acf/v3/options/options', { fields }, as('editor', 7))).status, 403)
    assert.is((await send(site, '/acf/v3/options/options', { fields })).status, 200)
    assert.equal(await site.json('/acf/v3/options/options'), { acf: fields })
    assert.equal(await site.json('/acf/v3/options/options/footer'), { footer: 'Hello' })
    assert.is(await site.kernel.services.options.get('options_rows_1_label'), 'two')
    await site.kernel.services.options.set('options_private', 'secret')
    assert.equal(await site.json('/acf/v3/options/options/private'), { private: null })
  })
}

routes('serve the faces of a font below their font', async () => {
  await using place = await filePlace()
  await using site = await siteOf(place)
  const create = async (path: string, body: object) => {
    const response = await send(site, `/svc/v2/font-families${path}`, body)
    assert.is(response.status, 201)
    return ((await response.json()) as { id: number }).id
  }
  const settings = { name: 'Lato', slug: 'lato', fontFamily: 'Lato' }
  const family = await create('', { font_family_settings: JSON.stringify(settings) })
  const other = await create('', { font_family_settings: JSON.stringify({ ...settings, slug: 'other' }) })
  const src = 'https://example.com/lato.woff2'
  const face = { fontFamily: 'Lato', fontWeight: '400', fontStyle: 'normal', src }
  const id = await create(`/${family}/font-faces`, { font_face_settings: JSON.stringify(face) })
  const headers = as('administrator', 1)
  const path = `/acf/v3/font-families/${family}/font-faces`
  assert.equal(await site.json(path, headers), [{ id, acf: false }])
  assert.equal(await site.json(`${path}/${id}`, headers), { acf: false })
  assert.equal(await site.json(`/acf/v3/font-families/${other}/font-faces`, headers), [])
  assert.is((await site.request(path)).status, 401)
})

routes.run()
