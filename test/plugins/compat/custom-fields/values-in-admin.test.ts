import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { as, type Site } from '../../../helpers/site.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { logIn, sentFields, siteWithGroups, submit } from './admin-site.ts'
import type { TestField } from './definitions.ts'

const named = (name: string, type: string, settings: Record<string, unknown> = {}): TestField => ({
  name,
  type,
  key: `field_${name}`,
  ...settings,
})
const FIELDS: readonly TestField[] = [
  named('text', 'text', { maxlength: 8, instructions: 'Eight letters <b>only</b>.' }),
  named('area', 'textarea'),
  named('number', 'number', { min: 1, max: 10 }),
  named('mail', 'email'),
  named('site', 'url'),
  named('pick', 'select', { choices: { a: 'Label A', b: 'Label B' }, allow_null: 1 }),
  named('picks', 'checkbox', { choices: { a: 'Label A', b: 'Label B' } }),
  named('one', 'radio', { choices: { x: 'X', y: 'Y' }, allow_null: 1 }),
  named('flag', 'true_false'),
  named('photo', 'image'),
  named('photos', 'gallery'),
  named('day', 'date_picker'),
  named('moment', 'date_time_picker'),
  named('hour', 'time_picker'),
  named('colour', 'color_picker'),
  named('related', 'relationship'),
  named('author', 'user', { allow_null: 1 }),
  named('link', 'link'),
  named('box', 'group', { sub_fields: [named('inner', 'text')] }),
  named('rows', 'repeater', {
    sub_fields: [named('word', 'text'), named('deep', 'group', { sub_fields: [named('leaf', 'number')] })],
  }),
  named('blocks', 'flexible_content', { layouts: [{ name: 'quote', sub_fields: [named('said', 'text')] }] }),
  named('map', 'google_map'),
]
const acfOf = async (site: Site, id: number) =>
  (await site.json(`/svc/v2/posts/${id}?context=edit&_fields=acf`, as('administrator'))).acf as Record<string, unknown>

for (const { name, place } of databases) {
  const panel = suite(`values of custom fields in the editor on ${name}`)

  panel('are stored as over the REST API, and shown again', async () => {
    await using own = await place()
    await using site = await siteWithGroups(own, [{ key: 'group_all', fields: FIELDS }])
    const [id, other, photo] = await addPosts(site.store, {}, {}, { type: 'attachment', mime_type: 'image/png' })
    const editor = await logIn(site, 'ed')
    const path = `/svc-admin/content/post/${id}`
    const form = {
      do: 'save',
      'acf.field_text': 'Hi "you"',
      'acf.field_area': 'one\r\ntwo',
      'acf.field_number': '2.5',
      'acf.field_mail': 'a@shop.test',
      'acf.field_site': 'https://shop.test',
      'acf.field_pick': 'b',
      'acf.field_picks[]': 'a',
      'acf.field_one': 'y',
      'acf.field_flag': '1',
      'acf.field_photo': String(photo),
      'acf.field_photos': `${photo}, ${photo}`,
      'acf.field_day': '2024-03-15',
      'acf.field_moment': '2024-03-15T10:30',
      'acf.field_hour': '10:30',
      'acf.field_colour': '#0a141e',
      'acf.field_related': `${other}`,
      'acf.field_author': '1',
      'acf.field_link.url': 'https://shop.test/a',
      'acf.field_link.title': 'A',
      'acf.field_box.field_inner': 'in',
      'acf.field_rows.0.field_word': 'first',
      'acf.field_rows.0.field_deep.field_leaf': '7',
      'acf.field_blocks.0._layout': 'quote',
      'acf.field_map': '{"lat": 1, "lng": 2}',
    }
    const stored = await submit(editor, path, form)
    assert.is(stored.status, 303, stored.text.slice(stored.text.indexOf('<main')))
    const acf = await acfOf(site, id!)
    assert.equal(acf, {
      text: 'Hi "you"',
      area: 'one\ntwo',
      number: 2.5,
      mail: 'a@shop.test',
      site: 'https://shop.test',
      pick: 'b',
      picks: ['a'],
      one: 'y',
      flag: true,
      photo,
      photos: [photo, photo],
      day: '20240315',
      moment: '2024-03-15 10:30:00',
      hour: '10:30:00',
      colour: '#0a141e',
      related: [other],
      author: 1,
      link: { title: 'A', url: 'https://shop.test/a', target: '' },
      box: { inner: 'in' },
      rows: [{ word: 'first', deep: { leaf: 7 } }],
      blocks: [{ acf_fc_layout: 'quote', said: '' }],
      map: { lat: 1, lng: 2 },
    })
    // The form shows what is stored: to send it unchanged changes nothing.
    const rowsOf = async () => {
      const { db } = site.store
      const rows = await site.store.all(
        db.selectFrom('post_meta').selectAll().where('post_id', '=', id!).orderBy('key'),
      )
      return rows
        .filter(({ key }) => !key.startsWith('_edit') && key !== '_markdown')
        .map(({ key, id: row, value }) => [key, row, value].join(' '))
    }
    const before = await rowsOf()
    assert.is((await submit(editor, path, { do: 'save', title: 'Same values' })).status, 303)
    assert.equal(await rowsOf(), before)
    // A second row before the first; the layout has fields now.
    await submit(editor, path, {
      do: 'save',
      'acf.field_rows.1.field_word': 'second',
      'acf.field_rows.0._order': '9',
      'acf.field_blocks.0.field_said': 'words',
      'acf.field_flag': '',
      'acf.field_number': '',
    })
    const changed = await acfOf(site, id!)
    assert.equal(changed['rows'], [
      { word: 'second', deep: { leaf: '' } },
      { word: 'first', deep: { leaf: 7 } },
    ])
    assert.equal(changed['blocks'], [{ acf_fc_layout: 'quote', said: 'words' }])
    assert.equal([changed['flag'], changed['number'], changed['text']], [false, '', 'Hi "you"'])
    await submit(editor, path, { do: 'save', 'acf.field_rows.0._remove': '1', 'acf.field_blocks.0._remove': '1' })
    const removed = await acfOf(site, id!)
    assert.equal([removed['rows'], removed['blocks']], [[{ word: 'first', deep: { leaf: 7 } }], false])
    // The protected key of the plugin, which no user may change, does not keep users from copying a post.
    const nonce = new Map(sentFields(await (await editor.open('/svc-admin/content/post')).text())).get('_svcnonce')!
    await editor.send('/svc-admin/content/post', { _svcnonce: nonce, do: 'row', row: `duplicate:${id}` })
    const drafts = (await site.json('/svc/v2/posts?status=draft', as('administrator'))) as {
      title: { rendered: string }
    }[]
    assert.ok(drafts.some(({ title }) => title.rendered.startsWith('Same values (')))
  })

  panel('are refused with a message at the field, and nothing of the form is stored or lost', async () => {
    await using own = await place()
    const required = named('needed', 'text', { required: 1 })
    await using site = await siteWithGroups(own, [{ key: 'group_all', fields: [...FIELDS, required] }])
    const [id] = await addPosts(site.store, { title: 'Before' })
    const editor = await logIn(site, 'ed')
    const path = `/svc-admin/content/post/${id}`
    const valid = { do: 'save', title: 'After', 'acf.field_needed': 'yes', 'acf.field_area': 'kept text' }
    const refusals: readonly (readonly [field: string, value: string, message: RegExp])[] = [
      ['text', 'more than eight', /must be at most 8 characters/],
      ['number', '11', /between 1 .*and 10|10/],
      ['mail', 'nobody', /valid email/],
      ['pick', 'c', /not one of/],
      ['photo', String(id), /valid attachment ID/],
      ['related', '999999', /valid post ID/],
      ['author', 'me', /integer|type/],
      ['map', '{', /valid JSON/],
      ['needed', '', /Fill in this field/],
    ]
    for (const [field, value, message] of refusals) {
      const refused = await submit(editor, path, { ...valid, [`acf.field_${field}`]: value })
      assert.is(refused.status, 400, field)
      const error = new RegExp(`id="field-acf-field_${field}-error">([^<]*)`).exec(refused.text)?.[1] ?? ''
      assert.match(error, message, field)
      assert.match(refused.text, 'kept text')
      assert.match(refused.text, 'value="After"')
      if (field === 'text') assert.match(refused.text, 'value="more than eight"')
    }
    assert.is((await site.json(`/svc/v2/posts/${id}`)).title.rendered, 'Before')
    assert.is((await submit(editor, path, valid)).status, 303)
    assert.is((await acfOf(site, id!))['area'], 'kept text')
    // A new post is checked before it is created.
    const fresh = '/svc-admin/content/post/new'
    const total = async () =>
      (await site.json('/svc/v2/posts?status=draft,publish&_fields=id', as('administrator'))).length
    const count = await total()
    assert.is((await submit(editor, fresh, { do: 'save', title: 'New' })).status, 400)
    assert.is(await total(), count)
    const created = await submit(editor, fresh, {
      do: 'save',
      title: 'New',
      'acf.field_needed': 'new',
      'acf.field_flag': '1',
    })
    assert.is(
      created.status,
      303,
      created.text.slice(created.text.indexOf('<main'), created.text.indexOf('<main') + 3000),
    )
    const newId = Number(/post\/(\d+)/.exec(created.location ?? '')![1])
    const acf = await acfOf(site, newId)
    assert.equal([acf['needed'], acf['flag'], acf['picks']], ['new', true, []])
  })

  panel('belong to the groups that apply, also for terms and users', async () => {
    await using own = await place()
    const group = (key: string, location: readonly (readonly [string, string, string])[], more = {}) => ({
      key: `group_${key}`,
      location: [location],
      fields: [named(key, 'text')],
      ...more,
    })
    await using site = await siteWithGroups(own, [
      group('drafts', [['post_status', '==', 'draft']]),
      group('hidden', [['post_type', '==', 'post']], { show_in_rest: 0 }),
      group('off', [['post_type', '==', 'post']], { status: 'acf-disabled' }),
      group('back', [
        ['current_user', '==', 'viewing_back'],
        ['post_type', '==', 'post'],
      ]),
      group('admins', [
        ['current_user_role', '==', 'administrator'],
        ['post_type', '==', 'post'],
      ]),
      group('term', [['taxonomy', '==', 'category']]),
      group('person', [['user_form', '==', 'all']]),
    ])
    const [published, draft] = await addPosts(site.store, {}, { status: 'draft' })
    const fieldsAt = async (login: string, path: string) => {
      const text = await (await (await logIn(site, login)).open(`/svc-admin/${path}`)).text()
      return [...text.matchAll(/name="acf\.field_(\w+)"/g)].map(([, field]) => String(field)).toSorted()
    }
    assert.equal(await fieldsAt('ed', `content/post/${published}`), ['back', 'hidden'])
    assert.equal(await fieldsAt('ed', `content/post/${draft}`), ['back', 'drafts', 'hidden'])
    assert.equal(await fieldsAt('ed', 'content/post/new'), ['back', 'drafts', 'hidden'])
    assert.equal(await fieldsAt('admin', `content/post/${published}`), ['admins', 'back', 'hidden'])
    assert.equal(await fieldsAt('admin', `content/page/new`), ['drafts'])
    const { id: term } = await site.kernel.services.terms.create({ taxonomy: 'category', name: 'News' })
    const admin = await logIn(site, 'admin')
    const saved = await submit(admin, `/svc-admin/terms/category/${term}`, {
      do: 'save',
      'acf.field_term': 'of a term',
    })
    assert.is(saved.status, 303)
    assert.is((await site.json(`/svc/v2/categories/${term}`)).acf.term, 'of a term')
    assert.is((await submit(admin, '/svc-admin/account', { do: 'save', 'acf.field_person': 'me' })).status, 303)
    assert.equal(await fieldsAt('admin', 'account'), ['person'])
    assert.match(await (await admin.open('/svc-admin/account')).text(), 'value="me"')
  })

  panel.run()
}
