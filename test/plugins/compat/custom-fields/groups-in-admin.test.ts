import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { as, serve } from '../../../helpers/site.ts'
import { databases } from '../../../helpers/site-with-users.ts'
import { logIn, sentFields, siteWithGroups, submit } from './admin-site.ts'

const list = '/svc-admin/custom-fields'
const add = `${list}/add`
const plugins = { 'custom-fields': true } as const

for (const { name, place } of databases) {
  const groups = suite(`groups of custom fields in the admin on ${name}`)

  groups('are created with buttons, and served by the next workers', async () => {
    await using own = await place()
    let id = 0
    {
      await using site = await siteWithGroups(own, [])
      const asked = Promise.withResolvers<string>()
      site.kernel.onRestartRequest = asked.resolve
      const admin = await logIn(site, 'admin')
      assert.match(await (await admin.open(list)).text(), 'No field groups yet.')
      let page = await (await admin.open(add)).text()
      const press = async (change: string, fields: Record<string, string> = {}) => {
        const { status, text } = await submit(admin, add, { ...fields, change }, page)
        assert.is(status, 200, change)
        page = text
      }
      const f = (path: string, label: string, own: string, type: string) => ({
        [`group.${path}.label`]: label,
        [`group.${path}.name`]: own,
        [`group.${path}.type`]: type,
      })
      await press('add:fields', { 'group.title': 'Facts & figures' })
      await press('apply:fields.0', f('fields.0', 'Colour', 'colour', 'select'))
      await press('add:fields', {
        'group.fields.0.choices': '10 : Ten\n2 : Two\nred',
        'group.fields.0.default_value': '2',
        'group.fields.0.return_format': 'label',
        'group.fields.0.allow_null': '1',
      })
      await press('apply:fields.1', f('fields.1', 'Rows', 'rows', 'repeater'))
      await press('add:fields.1.fields')
      await press('apply:fields.1.fields.0', f('fields.1.fields.0', 'Blocks', 'blocks', 'flexible_content'))
      await press('add:fields.1.fields.0.layouts')
      await press('add:fields.1.fields.0.layouts.0.fields', {
        'group.fields.1.fields.0.layouts.0.label': 'Quote',
        'group.fields.1.fields.0.layouts.0.name': 'quote',
      })
      await press('add:fields', f('fields.1.fields.0.layouts.0.fields.0', 'Said', 'said', 'text'))
      await press('up:fields.2', {
        ...f('fields.2', 'First', 'first', 'text'),
        'group.fields.2.instructions': 'Of two.',
      })
      await press('up:fields.1')
      await press('add:groups.0.rules')
      await press('add:groups', {
        'group.groups.0.rules.1.param': 'post_status',
        'group.groups.0.rules.1.value': 'publish',
      })
      const last = { 'group.groups.1.rules.0.param': 'page', 'group.groups.1.rules.0.value': '99' }
      const saved = await submit(admin, add, last, page)
      assert.is(saved.status, 303, saved.text)
      assert.is(await asked.promise, 'custom fields were changed')
      const [group] = await site.kernel.services.customFields.exportJson()
      assert.match(String(group!['key']), /^group_[0-9a-f]{13}$/)
      assert.equal(group!['location'], [
        [
          { param: 'post_type', operator: '==', value: 'post' },
          { param: 'post_status', operator: '==', value: 'publish' },
        ],
        [{ param: 'page', operator: '==', value: '99' }],
      ])
      const fields = group!['fields'] as { name: string; label: string }[]
      assert.equal(
        fields.map((field) => [field.name, field.label]),
        [
          ['first', 'First'],
          ['colour', 'Colour'],
          ['rows', 'Rows'],
        ],
      )
      const pieces = await Array.fromAsync(site.kernel.services.exporter.stream({}))
      const file = pieces.map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece).toString())).join('')
      for (const part of [
        'acf-field-group',
        String(group!['key']),
        's:12:"instructions";s:7:"Of two."',
        'a:3:{i:10;s:3:"Ten";i:2;',
      ])
        assert.match(file, part)
      const shown = await (await admin.open(saved.location!)).text()
      assert.match(shown, '10 : Ten\n2 : Two\nred</textarea>')
      assert.match(await (await admin.open(list)).text(), 'post type is post, post status is publish; or page is 99')
      ;[id] = (await addPosts(site.store, {})) as [number]
    }
    await using site = await serve({ database: own.url, plugins })
    const written = await site.request(`/svc/v2/posts/${id}`, {
      method: 'POST',
      headers: { ...as('administrator'), 'content-type': 'application/json' },
      body: JSON.stringify({ acf: { colour: '10', rows: [{ blocks: [{ acf_fc_layout: 'quote', said: 'words' }] }] } }),
    })
    assert.is(written.status, 200)
    assert.equal((await site.json(`/svc/v2/posts/${id}?acf_format=standard`)).acf, {
      first: '',
      colour: 'Ten',
      rows: [{ blocks: [{ acf_fc_layout: 'quote', said: 'words' }] }],
    })
  })

  groups('keep settings that the form lacks, and are copied and deleted', async () => {
    await using own = await place()
    const settings = {
      wrapper: { width: '50', class: '', id: '' },
      conditional_logic: [[{ field: 'field_b', operator: '==', value: '1' }]],
    }
    await using site = await siteWithGroups(own, [
      {
        key: 'group_old',
        location: [[['block', '==', 'acf/x']]],
        fields: [
          { name: 'a', type: 'text', key: 'field_a', placeholder: 'P', ...settings },
          { name: 'b', type: 'true_false', key: 'field_b' },
          { name: 'odd', type: 'of_a_plugin', key: 'field_odd', special: 3 },
        ],
      },
    ])
    const { customFields } = site.kernel.services
    const admin = await logIn(site, 'admin')
    const path = `${list}/group_old`
    const saved = await submit(admin, path, { 'group.title': 'Renamed', 'group.fields.0.label': 'Ä "a"' })
    assert.is(saved.status, 303, saved.text)
    const [group] = await customFields.exportJson()
    const [first, , odd] = group!['fields'] as Record<string, unknown>[]
    assert.is(group!['title'], 'Renamed')
    assert.equal(group!['location'], [[{ param: 'block', operator: '==', value: 'acf/x' }]])
    const { label, key, placeholder, wrapper, conditional_logic: logic } = first!
    assert.equal(
      { label, key, placeholder, wrapper, conditional_logic: logic },
      { label: 'Ä "a"', key: 'field_a', placeholder: 'P', ...settings },
    )
    assert.equal([odd!['type'], odd!['special']], ['of_a_plugin', 3])
    // A copied field has the further settings of the original, and a key of its own.
    const copied = await submit(admin, path, { change: 'copy:fields.0' })
    assert.is((await submit(admin, path, {}, copied.text)).status, 303)
    const copy = ((await customFields.exportJson())[0]!['fields'] as Record<string, unknown>[])[1]!
    assert.equal([copy['name'], copy['placeholder'], copy['wrapper']], ['a_copy', 'P', settings.wrapper])
    assert.is.not(copy['key'], 'field_a')
    // A copied group refers to its own fields.
    const page = await (await admin.open(list)).text()
    const nonce = Object.fromEntries(sentFields(page))['_svcnonce']!
    await admin.send(list, { _svcnonce: nonce, do: 'copy', key: 'group_old' })
    const all = await customFields.exportJson()
    const other = all.find((one) => one['key'] !== 'group_old')!
    assert.is(other['title'], 'Renamed (copy)')
    const [a, , b] = other['fields'] as { key: string; conditional_logic?: { field: string }[][] }[]
    assert.is(a!.conditional_logic![0]![0]!.field, b!.key)
    assert.is.not(b!.key, 'field_b')
    await admin.send(list, { _svcnonce: nonce, do: 'delete', key: 'group_old' })
    assert.equal(
      (await customFields.exportJson()).map((one) => one['title']),
      ['Renamed (copy)'],
    )
    assert.is((await admin.open(path)).status, 404)
    // Fields of the deleted group are gone, too.
    const left = await site.store.all(site.store.db.selectFrom('posts').select('slug').where('type', '=', 'acf-field'))
    assert.is(left.length, 4)
  })

  groups('do not replace the changes of someone else unless the form is saved again', async () => {
    await using own = await place()
    await using site = await siteWithGroups(own, [{ key: 'group_old', fields: [{ name: 'a', type: 'text' }] }])
    const titles = async () => (await site.kernel.services.customFields.exportJson()).map(({ title }) => title)
    const admin = await logIn(site, 'admin')
    const path = `${list}/group_old`
    const opened = await (await admin.open(path)).text()
    assert.is((await submit(admin, path, { 'group.title': 'Of one' })).status, 303)
    const pressed = await submit(admin, path, { 'group.title': 'Of another', change: 'add:fields' }, opened)
    const second = { change: null, 'group.fields.1.label': 'B', 'group.fields.1.name': 'b' }
    const refused = await submit(admin, path, second, pressed.text)
    assert.is(refused.status, 409)
    assert.match(refused.text, 'someone else has changed this group')
    assert.equal(await titles(), ['Of one'])
    const again = await submit(admin, path, { change: null }, refused.text)
    assert.is(again.status, 303, again.text)
    assert.equal(await titles(), ['Of another'])
    // Of two forms that are sent at the same time, one is stored.
    const both = await (await admin.open(path)).text()
    const sent = ['First', 'Second'].map((title) => submit(admin, path, { 'group.title': title }, both))
    const statuses = (await Promise.all(sent)).map(({ status }) => status)
    assert.equal(new Set(statuses), new Set([303, 409]))
    assert.is((await titles()).length, 1)
  })

  groups('are refused with an error at each wrong field, and the form keeps its values', async () => {
    await using own = await place()
    await using site = await siteWithGroups(own, [
      {
        key: 'group_one',
        fields: [
          { name: 'a', type: 'text', key: 'field_a' },
          { name: 'n', type: 'number', key: 'field_n' },
          { name: 's', type: 'select', key: 'field_s', choices: { x: 'X' } },
          { name: 'rows', type: 'repeater', key: 'field_r', sub_fields: [{ name: 'w', type: 'text', key: 'field_w' }] },
        ],
      },
    ])
    const admin = await logIn(site, 'admin')
    const path = `${list}/group_one`
    const before = await site.kernel.services.customFields.exportJson()
    const refusals: readonly (readonly [field: string, value: string, message: string])[] = [
      ['title', '', 'Enter a title.'],
      ['order', 'x', 'Enter a number.'],
      ['groups.0.rules.0.param', 'odd', 'Select a condition.'],
      ['groups.0.rules.0.value', ' ', 'Enter a value.'],
      ['fields.0.label', '', 'Enter a label.'],
      ['fields.0.name', 'a b', 'Use letters'],
      ['fields.1.name', 'a', 'Another field has this name.'],
      ['fields.0.type', 'odd', 'Select a type.'],
      ['fields.1.max', 'many', 'Enter a number.'],
      ['fields.2.choices', 'x : X\nx : Y', 'Each line needs'],
      ['fields.3.fields.0.name', '', 'Use letters'],
    ]
    for (const [field, value, message] of refusals) {
      const { status, text } = await submit(admin, path, {
        'group.description': 'typed "text"',
        [`group.${field}`]: value,
      })
      assert.is(status, 400, field)
      const error = new RegExp(`id="field-group-${field.replaceAll('.', '-')}-error">([^<]*)`).exec(text)?.[1] ?? ''
      assert.match(error, message)
      assert.match(text, 'typed &#34;text&#34;')
    }
    assert.equal(await site.kernel.services.customFields.exportJson(), before)
    const editor = await logIn(site, 'ed')
    for (const page of [list, add, path]) assert.is((await editor.open(page)).status, 403)
    assert.is((await admin.send(path, { 'group.title': 'No nonce' })).status, 403)
    for (const wrong of [`${list}/group_none`]) assert.is((await admin.open(wrong)).status, 404)
    // Unknown buttons, and buttons of rows that are gone, change nothing.
    for (const change of ['up:fields.9', 'nothing:fields.0', 'add:', 'remove:fields.3.fields.7', 'add:constructor'])
      assert.is((await submit(admin, path, { change })).status, 200)
  })

  groups.run()
}
