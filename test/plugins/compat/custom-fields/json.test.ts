import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { serve } from '../../../helpers/site.ts'
import { filePlace, kindsOf, postgresPlace } from '../../../helpers/stores.ts'

const definitions = suite('JSON of custom fields')

const PLUGINS = { 'custom-fields': true } as const

const kinds = kindsOf([{ name: 'SQLite', make: filePlace }], (server) => ({
  name: 'PostgreSQL',
  make: () => postgresPlace(server),
}))

const GROUP = {
  key: 'group_facts',
  title: 'Facts',
  fields: [
    { key: 'field_f1', label: 'Price', name: 'price', type: 'number', min: 1, required: 0 },
    {
      key: 'field_f2',
      label: 'Rows',
      name: 'rows',
      type: 'repeater',
      sub_fields: [{ key: 'field_f3', label: 'Words', name: 'words', type: 'text' }],
    },
    {
      key: 'field_f4',
      label: 'Blocks',
      name: 'blocks',
      type: 'flexible_content',
      layouts: {
        layout_1: {
          key: 'layout_1',
          name: 'quote',
          label: 'Quote',
          sub_fields: [{ key: 'field_f5', label: 'Said', name: 'said', type: 'text' }],
        },
      },
    },
  ],
  location: [[{ param: 'post_type', operator: '==', value: 'post' }]],
  menu_order: 3,
  active: true,
  show_in_rest: 1,
}

for (const { name, make } of kinds) {
  definitions(`is exported as it was imported, on ${name}`, async () => {
    await using place = await make()
    {
      await using site = await serve({ database: place.url, plugins: PLUGINS })
      const { customFields } = site.kernel.services
      assert.equal(await customFields.importJson(GROUP), ['Facts'])
      // Again: replaces the group.
      assert.equal(await customFields.importJson([GROUP]), ['Facts'])
      const [exported, ...others] = await customFields.exportJson()
      assert.equal(others, [])
      const [price, rows, blocks] = GROUP.fields
      assert.equal(exported, {
        ...GROUP,
        fields: [price, rows, { ...blocks, layouts: Object.values(GROUP.fields[2]!.layouts!) }],
      })
    }
    await using site = await serve({ database: place.url, plugins: PLUGINS })
    const [id] = await addPosts(site.store, {
      meta: { price: 5, rows: 1, rows_0_words: 'w', blocks: '' },
    })
    assert.equal((await site.json(`/svc/v2/posts/${id}`)).acf, { price: 5, rows: [{ words: 'w' }], blocks: false })
  })
}

definitions('is refused without a group', async () => {
  await using site = await serve({ plugins: PLUGINS })
  const { customFields } = site.kernel.services
  for (const json of [null, [], 'text', { key: 'post_type_x' }]) {
    const message = await customFields.importJson(json).catch(({ message: text }: Error) => text)
    assert.match(String(message), 'it contains no group of fields')
  }
  assert.is((await site.get('/svc/v2/types/acf-field')).status, 401)
})

definitions.run()
