import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts, addTerm, type TestPost } from '../../../helpers/content.ts'
import { as, serve, type Site } from '../../../helpers/site.ts'
import { emptyFilePlace, kindsOf, postgresPlace, filePlace } from '../../../helpers/stores.ts'
import { addGroups, type TestField, type TestGroup } from './definitions.ts'

const customFields = suite('custom fields')

const PLUGINS = { 'custom-fields': true, 'custom-types': true } as const

const kinds = kindsOf([{ name: 'SQLite', make: filePlace }], (server) => ({
  name: 'PostgreSQL',
  make: () => postgresPlace(server),
}))

/** Serves a site with groups of fields. */
async function siteWith(groups: readonly TestGroup[], place?: { url: string }) {
  const own = place ?? (await emptyFilePlace())
  {
    await using site = await serve({ database: own.url, plugins: PLUGINS })
    await addGroups(site.store, ...groups)
  }
  return serve({ database: own.url, plugins: PLUGINS })
}

const groupOf = (...fields: TestField[]): TestGroup => ({ key: 'group_test', fields })

/** Stores values of meta, with objects as JSON. */
async function addMeta(site: Site, id: number, values: Readonly<Record<string, unknown>>) {
  for (const [key, value] of Object.entries(values)) {
    const row = { post_id: id, key, value: typeof value === 'string' ? value : JSON.stringify(value) }
    const json = typeof value === 'object' ? 1 : 0
    await site.store.run(site.store.db.insertInto('post_meta').values({ ...row, json }))
  }
}

async function addPost(site: Site, values: Readonly<Record<string, unknown>> = {}, post: TestPost = {}) {
  const [id] = await addPosts(site.store, post)
  await addMeta(site, id!, values)
  return id!
}

const write = (site: Site, id: number, acf: unknown, query = '_fields=acf') =>
  site.request(`/svc/v2/posts/${id}?${query}`, {
    method: 'POST',
    headers: { ...as('administrator'), 'content-type': 'application/json' },
    body: JSON.stringify({ acf }),
  })

const ALL: readonly TestField[] = [
  { name: 'text', type: 'text', default_value: 'preset', maxlength: 8 },
  { name: 'area', type: 'textarea', new_lines: 'br' },
  { name: 'number', type: 'number', min: 1, max: 10 },
  { name: 'flag', type: 'true_false' },
  { name: 'day', type: 'date_picker', return_format: 'j F Y' },
  { name: 'pick', type: 'select', choices: { a: 'Label A', b: 'Label B' }, return_format: 'label', allow_null: 1 },
  { name: 'picks', type: 'checkbox', choices: { a: 'Label A', b: 'Label B' }, return_format: 'array' },
  { name: 'site', type: 'url' },
  { name: 'note', type: 'message' },
  { name: 'colour', type: 'color_picker', return_format: 'array' },
  { name: 'photo', type: 'image', return_format: 'array' },
]

for (const { name, make } of kinds) {
  customFields(`show values in both formats, on ${name}`, async () => {
    await using place = await make()
    await using site = await siteWith([groupOf(...ALL)], place)
    const id = await addPost(site, {
      text: 'Hello',
      area: 'one\ntwo',
      number: '2.5',
      flag: '1',
      day: '20240315',
      pick: 'b',
      picks: ['a'],
      colour: '#0a141e',
    })
    const light = await site.json(`/svc/v2/posts/${id}`)
    assert.equal(light.acf, {
      text: 'Hello',
      area: 'one\ntwo',
      number: 2.5,
      flag: true,
      day: '20240315',
      pick: 'b',
      picks: ['a'],
      site: '',
      colour: '#0a141e',
      photo: null,
    })
    const standard = await site.json(`/svc/v2/posts/${id}?acf_format=standard`)
    assert.equal(standard.acf, {
      text: 'Hello',
      area: 'one<br />\ntwo',
      number: '2.5',
      flag: true,
      day: '15 March 2024',
      pick: 'Label B',
      picks: [{ value: 'a', label: 'Label A' }],
      site: '',
      colour: { red: 10, green: 20, blue: 30, alpha: 1 },
      photo: false,
    })
    assert.equal((await site.json(`/svc/v2/posts/${id}?acf_format=other&_fields=acf.pick`)).acf, { pick: 'b' })
  })

  customFields(`store values with references to their definitions, on ${name}`, async () => {
    await using place = await make()
    await using site = await siteWith([groupOf(...ALL)], place)
    const id = await addPost(site)
    const response = await write(site, id, { text: 'new', number: 3, flag: true, picks: ['a', 'b'], site: 'shop.test' })
    assert.is(response.status, 200)
    const { acf } = (await response.json()) as { acf: Record<string, unknown> }
    assert.equal([acf['text'], acf['number'], acf['flag'], acf['picks']], ['new', 3, true, ['a', 'b']])
    assert.is(acf['site'], 'http://shop.test')
    const rows = await site.store.all(
      site.store.db.selectFrom('post_meta').select(['key', 'value']).where('post_id', '=', id).orderBy('key'),
    )
    const stored = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
    assert.is(stored['number'], '3')
    assert.is(stored['picks'], '["a","b"]')
    assert.match(stored['_number']!, /^field_\d+_number$/)
    const cleared = (await (await write(site, id, { text: null, number: null })).json()) as typeof response & {
      acf: Record<string, unknown>
    }
    assert.equal([cleared.acf['text'], cleared.acf['number']], ['preset', ''])
  })
}

customFields('refuse invalid values, and then store nothing of the request', async () => {
  await using site = await siteWith([groupOf(...ALL)])
  const id = await addPost(site, { text: 'before' })
  const refusal = async (acf: unknown) => {
    const response = await write(site, id, acf)
    const { data } = (await response.json()) as {
      data: { params: { acf: string }; details: { acf: { code: string } } }
    }
    return [response.status, data.params.acf, data.details.acf.code]
  }
  assert.equal(await refusal(5), [400, 'acf is not of type object.', 'rest_invalid_type'])
  assert.equal(await refusal({ text: 'x', number: 0 }), [
    400,
    'acf[number] must be between 1 (inclusive) and 10 (inclusive)',
    'rest_out_of_bounds',
  ])
  assert.equal(await refusal({ text: 'far too long' }), [
    400,
    'acf[text] must be at most 8 characters long.',
    'rest_too_long',
  ])
  assert.equal(await refusal({ pick: 'c' }), [400, 'acf[pick] is not one of a, b', 'rest_invalid_param'])
  assert.equal(await refusal({ picks: ['c'] }), [400, 'acf[picks][0] is not one of a and b.', 'rest_not_in_enum'])
  assert.equal(await refusal({ photo: 999 }), [400, 'acf[photo] requires a valid attachment ID.', 'rest_invalid_param'])
  assert.is((await site.json(`/svc/v2/posts/${id}`)).acf.text, 'before')
  for (const ignored of [null, [], {}, ['a'], { unknown: 1 }]) assert.is((await write(site, id, ignored)).status, 200)
})

customFields('require required fields as soon as a request sends values', async () => {
  await using site = await siteWith([
    groupOf({ name: 'must', type: 'text', required: 1 }, { name: 'may', type: 'text' }),
  ])
  const id = await addPost(site)
  const refused = await write(site, id, { may: 'x' })
  assert.is(refused.status, 400)
  assert.match(JSON.stringify(await refused.json()), 'must is a required property of acf.')
  assert.is((await write(site, id, { must: '', may: 'x' })).status, 200)
})

customFields('contain groups, repeaters, flexible content and clones', async () => {
  const inner: readonly TestField[] = [
    { name: 'title', type: 'text' },
    { name: 'count', type: 'number' },
  ]
  await using site = await siteWith([
    groupOf(
      { name: 'box', type: 'group', sub_fields: [...inner, { name: 'deep', type: 'group', sub_fields: inner }] },
      { name: 'rows', type: 'repeater', sub_fields: inner, max: 3 },
      {
        name: 'blocks',
        type: 'flexible_content',
        layouts: [
          { name: 'quote', sub_fields: [{ name: 'words', type: 'text' }] },
          { name: 'grid', sub_fields: [{ name: 'size', type: 'number' }] },
        ],
      },
      { name: 'shots', type: 'gallery', return_format: 'id' },
      { name: 'extra', type: 'clone', clone: ['group_parts'], display: 'seamless', prefix_name: 1 },
      { name: 'framed', type: 'clone', clone: ['group_parts'], display: 'group', prefix_name: 1 },
    ),
    { key: 'group_parts', location: [[['post_type', '==', 'page']]], fields: [{ name: 'part', type: 'text' }] },
  ])
  const id = await addPost(site)
  const empty = (await site.json(`/svc/v2/posts/${id}`)).acf
  const noInner = { title: '', count: '' }
  assert.equal(empty, {
    box: { ...noInner, deep: noInner },
    rows: false,
    blocks: false,
    shots: null,
    extra_part: '',
    framed: { part: '' },
  })
  const values = {
    box: { title: 'b', deep: { count: 2 } },
    rows: [
      { title: 'one', count: 1 },
      { title: 'two', count: 2 },
    ],
    blocks: [
      { acf_fc_layout: 'grid', size: 4 },
      { acf_fc_layout: 'quote', words: 'w' },
    ],
    extra_part: 'e',
    framed: { part: 'f' },
  }
  const written = await write(site, id, values)
  assert.is(written.status, 200, await written.clone().text())
  const { acf } = await site.json(`/svc/v2/posts/${id}`)
  assert.equal(acf, {
    ...values,
    box: { title: 'b', count: '', deep: { title: '', count: 2 } },
    shots: null,
  })
  const rows = await site.store.all(
    site.store.db.selectFrom('post_meta').select(['key', 'value']).where('post_id', '=', id),
  )
  const stored = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
  assert.equal([stored['rows'], stored['rows_1_title'], stored['blocks_0_size']], ['2', 'two', '4'])
  assert.is(stored['blocks'], '["grid","quote"]')
  assert.equal([stored['extra_part'], stored['framed_part']], ['e', 'f'])
  await write(site, id, { rows: [{ title: 'only', count: 1 }], blocks: [] })
  const after = (await site.json(`/svc/v2/posts/${id}`)).acf
  assert.equal([after.rows, after.blocks], [[{ title: 'only', count: 1 }], false])
  const left = await site.store.all(
    site.store.db.selectFrom('post_meta').select('key').where('post_id', '=', id).where('key', 'like', '%rows_1%'),
  )
  assert.equal(left, [])
  assert.is((await write(site, id, { rows: Array(4).fill({ title: 'x' }) })).status, 400)
})

customFields('apply by location', async () => {
  const field = (name: string): TestField[] => [{ name, type: 'text', default_value: name }]
  await using site = await siteWith([
    { key: 'group_a', location: [[['post_type', '==', 'page']]], fields: field('pages'), menu_order: 2 },
    { key: 'group_b', location: [[['page_type', '==', 'child']]], fields: field('children'), menu_order: 1 },
    { key: 'group_c', location: [[['post_category', '==', 'category:news']]], fields: field('news') },
    { key: 'group_d', location: [[['post_status', '==', 'draft']]], fields: field('drafts') },
    {
      key: 'group_e',
      location: [
        [
          ['post_type', '==', 'post'],
          ['current_user_role', '==', 'administrator'],
        ],
      ],
      fields: field('admins'),
    },
    { key: 'group_f', location: [[['taxonomy', '==', 'category']]], fields: field('categories') },
    { key: 'group_g', location: [[['comment', '==', 'post']]], fields: field('comments') },
    { key: 'group_h', location: [[['user_role', '==', 'editor']]], fields: field('editors') },
    { key: 'group_i', show_in_rest: 0, fields: field('hidden') },
    { key: 'group_j', status: 'acf-disabled', fields: field('off') },
  ])
  const news = await addTerm(site.store, { taxonomy: 'category', name: 'News' })
  const [page, post, newsPost, draft] = [
    await addPost(site, {}, { type: 'page', title: 'Parent' }),
    await addPost(site),
    await addPost(site, {}, { terms: [news] }),
    await addPost(site, {}, { status: 'draft' }),
  ]
  const child = await addPost(site, {}, { type: 'page', title: 'Child', parent_id: page })
  const names = async (path: string, role?: string) => {
    const { acf } = await site.json(path, role === undefined ? {} : as(role, 1))
    return acf === undefined ? acf : Object.keys(acf)
  }
  assert.equal(await names(`/svc/v2/pages/${page}`), ['pages'])
  assert.equal(await names(`/svc/v2/pages/${child}`), ['children', 'pages'])
  assert.equal(await names(`/svc/v2/posts/${post}`), [])
  assert.equal((await site.json(`/svc/v2/posts/${post}`)).acf, [])
  assert.equal(await names(`/svc/v2/posts/${newsPost}`), ['news'])
  assert.equal(await names(`/svc/v2/posts/${draft}`, 'administrator'), ['drafts', 'admins'])
  assert.equal(await names(`/svc/v2/categories/${news}`), ['categories'])
  assert.is(await names(`/svc/v2/tags/${await addTerm(site.store, { taxonomy: 'post_tag', name: 'T' })}`), undefined)
})

customFields('link the objects that values refer to, which can be embedded', async () => {
  await using site = await siteWith([
    groupOf(
      { name: 'one', type: 'post_object', post_type: ['post'], return_format: 'object' },
      { name: 'topic', type: 'taxonomy', taxonomy: 'category', field_type: 'select', return_format: 'object' },
      { name: 'box', type: 'group', sub_fields: [{ name: 'more', type: 'relationship', return_format: 'id' }] },
    ),
  ])
  const term = await addTerm(site.store, { taxonomy: 'category', name: 'News' })
  const draft = await addPost(site, {}, { title: 'Secret', status: 'draft', content: 'secret words' })
  const other = await addPost(site, {}, { title: 'Other' })
  const id = await addPost(site, { one: String(draft), topic: String(term), box_more: [String(other), '99999'] })
  const response = await site.json(`/svc/v2/posts/${id}?_fields=acf&_embed=acf:post`)
  assert.equal(response.acf, { one: draft, topic: term, box: { more: [other, 99999] } })
  assert.equal(
    response._links['acf:post'].map(({ href }: { href: string }) => href.split('/').at(-1)),
    [String(other), String(draft)],
  )
  assert.is(response._links['acf:term'][0].taxonomy, 'category')
  const standard = await site.json(`/svc/v2/posts/${id}?acf_format=standard&_fields=acf`)
  assert.is(standard.acf.one, false)
  assert.is(standard.acf.topic.name, 'News')
  const edited = await site.json(`/svc/v2/posts/${id}?acf_format=standard&_fields=acf`, as('administrator', 1))
  assert.is(edited.acf.one.post_title, 'Secret')
  assert.equal((await site.json(`/svc/v2/posts/${id}?_fields=id,title`))._links, undefined)
})

customFields('hide the account of users from visitors', async () => {
  await using site = await siteWith([
    groupOf(
      { name: 'who', type: 'user', return_format: 'array' },
      { name: 'row', type: 'user', return_format: 'object' },
    ),
  ])
  const user = await site.kernel.services.users.create({
    login: 'hidden-login',
    email: 'hidden@example.test',
    name: 'Ada',
    password: 'a long password',
    roles: ['author'],
  })
  const id = await addPost(site, { who: String(user.id), row: String(user.id) })
  const text = await (await site.get(`/svc/v2/posts/${id}?acf_format=standard`)).text()
  assert.not.match(text, 'hidden@example.test')
  assert.match(text, '"display_name":"Ada"')
  const seen = await site.json(`/svc/v2/posts/${id}?acf_format=standard`, as('administrator', 1))
  assert.is(seen.acf.who.user_email, 'hidden@example.test')
  assert.not('user_pass' in seen.acf.row.data)
})

customFields('describe the fields of the object in the path', async () => {
  await using site = await siteWith([
    groupOf({ name: 'text', type: 'text', maxlength: 5 }),
    {
      key: 'group_news',
      location: [[['post_category', '==', 'category:news']]],
      fields: [{ name: 'news', type: 'url' }],
    },
  ])
  const id = await addPost(site)
  const options = async (path: string) =>
    (await (await site.request(path, { method: 'OPTIONS', headers: as('administrator', 1) })).json()) as {
      schema: { properties: { acf: { properties: Record<string, unknown> } } }
    }
  const list = (await options('/svc/v2/posts')).schema.properties.acf.properties
  assert.equal(list, { text: { type: ['string', 'null'], required: false, maxLength: 5 } })
  const news = await addTerm(site.store, { taxonomy: 'category', name: 'News' })
  const inNews = await addPost(site, {}, { terms: [news] })
  assert.equal(Object.keys((await options(`/svc/v2/posts/${id}`)).schema.properties.acf.properties), ['text'])
  assert.equal(Object.keys((await options(`/svc/v2/posts/${inNews}`)).schema.properties.acf.properties), [
    'text',
    'news',
  ])
})

customFields('filter and sort lists by the named fields', async () => {
  const place = await emptyFilePlace()
  const plugins = { ...PLUGINS, 'custom-fields': { filterable: ['number', 'picks'] } }
  {
    await using site = await serve({ database: place.url, plugins })
    await addGroups(site.store, groupOf(...ALL))
  }
  await using site = await serve({ database: place.url, plugins })
  const ids: number[] = []
  for (const number of [3, 8, 5]) {
    const id = await addPost(site)
    await write(site, id, { number, picks: number === 5 ? ['a', 'b'] : ['b'] })
    ids.push(id)
  }
  const [three, eight, five] = ids
  const listed = async (query: string) =>
    ((await site.json(`/svc/v2/posts?_fields=id&${query}`)) as { id: number }[]).map(({ id }) => id)
  assert.equal(await listed('field[acf_number][gte]=5&orderby=field.acf_number&order=asc'), [five, eight])
  assert.equal(await listed('orderby=field.acf_number&order=desc'), [eight, five, three])
  assert.equal(await listed('field[acf_picks]=a'), [five])
  assert.is((await site.get('/svc/v2/posts?field[acf_text]=x')).status, 400)
})

customFields('read a list with a constant number of statements', async () => {
  await using site = await siteWith([groupOf(...ALL)])
  for (let index = 0; index < 9; index += 1) await addPost(site, { text: `t${index}`, photo: '1' })
  const count = async (size: number, format: string) =>
    (await site.statements(() => site.get(`/svc/v2/posts?per_page=${size}&_fields=id,acf&acf_format=${format}`))).length
  // The total is counted once.
  await count(5, 'light')
  assert.is(await count(9, 'light'), await count(2, 'light'))
  assert.is(await count(9, 'standard'), await count(2, 'standard'))
})

customFields('show a map that was saved empty as null', async () => {
  await using site = await siteWith([groupOf({ name: 'place', type: 'google_map' })])
  const id = await addPost(site, { place: '' })
  assert.equal((await site.json(`/svc/v2/posts/${id}`)).acf, { place: null })
})

customFields('are shown on the menu items of menus/v1 that store them', async () => {
  const shown: TestGroup = {
    key: 'group_menu',
    location: [[['nav_menu_item', '==', 'all']]],
    fields: [{ name: 'icon_name', type: 'text', key: 'field_icon' }],
  }
  const hidden: TestGroup = { ...shown, key: 'group_hidden', show_in_rest: 0, fields: [{ name: 'note', type: 'text' }] }
  const own = await emptyFilePlace()
  const open = () => serve({ database: own.url, plugins: { ...PLUGINS, 'menu-routes': true } })
  {
    await using site = await open()
    await addGroups(site.store, shown, hidden)
  }
  await using site = await open()
  const create = async (path: string, body: object) => {
    const headers = { ...as('administrator'), 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    return ((await (await site.request(`/svc/v2/${path}`, sent)).json()) as { id: number }).id
  }
  const menu = await create('menus', { name: 'Main' })
  const item = (title: string) =>
    create('menu-items', { title, url: 'https://example.com/', status: 'publish', menus: menu })
  const [first, second] = [await item('First'), await item('Second')]
  await addMeta(site, first, { icon_name: 'star', _icon_name: 'field_icon', note: 'secret', _note: 'field_note' })
  const { items } = await site.json('/menus/v1/menus/main')
  const shownItems = items.map(({ ID, acf }: { ID: number; acf?: unknown }) => [ID, acf])
  assert.equal(shownItems, [
    [first, { icon_name: 'star' }],
    [second, undefined],
  ])
})

customFields.run()
