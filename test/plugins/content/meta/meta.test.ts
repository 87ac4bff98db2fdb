import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache, type PluginContext } from '../../../../kernel/index.ts'
import type { PropertySchema } from '../../../../plugins/resources/index.ts'
import type { MetaObject, MetaSpec } from '../../../../plugins/content/meta/index.ts'
import { serve, type Site, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { removePlugin } from '../../../helpers/remove-plugin.ts'

startOnly('meta', 'posts', 'settings', 'permalinks')

/** A site whose plugin registers meta keys, with stored values of category 1. */
async function siteWith(
  register: (meta: PluginContext['services']['meta']) => void,
  stored: readonly [key: string, value: string, json?: number][] = [],
  options: Record<string, unknown> = {},
): Promise<Site> {
  const plugin = definePlugin({ name: 'own', needs: ['meta'], apply: ({ services }) => register(services.meta) })
  const site = await serve({ add: [plugin], ...options })
  const { store } = site
  await store.run(store.db.insertInto('terms').values({ id: 1, taxonomy: 'category', name: 'One', slug: 'one' }))
  for (const [key, value, json = 0] of stored) {
    await store.run(store.db.insertInto('term_meta').values({ term_id: 1, key, value, json }))
  }
  return site
}

const shown = { single: true, show_in_rest: true } as const
const metaOf = async (site: Site, path = '/svc/v2/categories/1') => (await site.json(path)).meta

for (const { name, make } of places) {
  const meta = suite(`meta on ${name}`)

  meta('shows single values, lists of values, defaults, and keys under another name', async () => {
    await using place = await make()
    await using site = await siteWith(
      (fields) => {
        fields.register('term', 'color', { ...shown, type: 'string' })
        fields.register('term', 'size', { ...shown, type: 'integer', default: 7 })
        fields.register('term', 'aliases', { type: 'string', show_in_rest: true })
        fields.register('term', 'none', { type: 'string', show_in_rest: true })
        fields.register('term', 'stored', { type: 'string', single: true, show_in_rest: { name: 'shown' } })
      },
      [
        ['color', 'red'],
        ['aliases', 'b'],
        ['aliases', 'a'],
        ['stored', 'yes'],
        ['color', 'second'],
      ],
      { database: place.url },
    )
    assert.equal(await metaOf(site), { color: 'red', size: 7, aliases: ['b', 'a'], none: [], shown: 'yes' })
  })

  meta('replaces stored values', async () => {
    await using place = await make()
    await using site = await siteWith(
      (fields) => fields.register('term', 'list', { type: 'integer', show_in_rest: true }),
      [
        ['list', '1'],
        ['list', '2'],
      ],
      { database: place.url },
    )
    const { meta: service } = site.kernel.services
    const scope = new RequestCache()
    assert.is(await service.single('term', 1, 'list', scope), '1')
    await service.write('term', 1, 'list', [5, true, { a: 1 }], scope)
    assert.is(await service.single('term', 1, 'list', scope), '5')
    assert.equal(await service.rows('term', 1, scope), [
      { key: 'list', value: '5' },
      { key: 'list', value: '1' },
      { key: 'list', value: { a: 1 } },
    ])
    await service.write('term', 1, 'list', [], scope)
    assert.is(await service.single('term', 1, 'list', scope), undefined)
    assert.equal(await metaOf(site), { list: [] })
  })

  meta('loads the meta of a list in one statement, regardless of its length', async () => {
    await using place = await make()
    await using site = await siteWith(
      (fields) => fields.register('term', 'color', { ...shown, type: 'string' }),
      [['color', 'red']],
      { database: place.url },
    )
    const { store } = site
    const more = Array.from({ length: 60 }, (_, i) => ({ taxonomy: 'category', name: `T${i}`, slug: `t${i}` }))
    await store.run(store.db.insertInto('terms').values(more.map((term, i) => ({ ...term, id: i + 2 }))))
    const statements: string[] = []
    store.onStatement(({ sql }) => statements.push(sql))
    for (const perPage of [2, 60]) {
      statements.length = 0
      await site.json(`/svc/v2/categories?per_page=${perPage}&orderby=id`)
      assert.is(statements.filter((sql) => sql.includes('term_meta')).length, 1, `${perPage} a page`)
    }
    statements.length = 0
    await site.json('/svc/v2/categories?_fields=id,name')
    assert.is(statements.filter((sql) => sql.includes('term_meta')).length, 0)
  })

  meta.run()
}

const meta = suite('meta')

meta('casts stored texts to their type', async () => {
  await using site = await siteWith(
    (fields) => {
      fields.register('term', 'number', { ...shown, type: 'number' })
      fields.register('term', 'yes', { ...shown, type: 'boolean' })
      fields.register('term', 'no', { ...shown, type: 'boolean' })
      fields.register('term', 'count', { ...shown, type: 'integer', default: 3 })
      fields.register('term', 'text', { ...shown, type: 'string' })
    },
    [
      ['number', '1.25'],
      ['yes', '1'],
      ['no', ''],
      ['count', ''],
      ['text', '12'],
    ],
  )
  assert.equal(await metaOf(site), { number: 1.25, yes: true, no: false, count: 0, text: '12' })
})

meta('shows null for values that do not match the schema', async () => {
  await using site = await siteWith(
    (fields) => {
      fields.register('term', 'count', { ...shown, type: 'integer' })
      fields.register('term', 'text', { ...shown, type: 'string' })
      fields.register('term', 'many', { type: 'integer', show_in_rest: { schema: { maximum: 9 } } })
      fields.register('term', 'broken', {
        ...shown,
        type: 'object',
        show_in_rest: { schema: { properties: { a: { type: 'string' } } } },
      })
      const schema = { enum: ['a', 'b'] }
      fields.register('term', 'one_of', { type: 'string', single: true, show_in_rest: { schema } })
    },
    [
      ['count', 'many'],
      ['text', '["a"]', 1],
      ['many', '4'],
      ['many', '10'],
      ['broken', '{', 1],
      ['one_of', 'c'],
    ],
  )
  assert.equal(await metaOf(site), { count: null, text: null, many: [4, null], broken: null, one_of: null })
})

const BOX: PropertySchema = { properties: { label: { type: 'string' }, size: { type: 'integer' } } }

meta('shows only declared properties of objects, and an empty object as an empty list', async () => {
  await using site = await siteWith(
    (fields) => {
      const box: MetaSpec = { type: 'object', single: true, show_in_rest: { schema: BOX } }
      fields.register('term', 'box', box)
      fields.register('term', 'nothing', box)
      fields.register('term', 'empty', box)
      fields.register('term', 'wrong', box)
      fields.register('term', 'boxes', { ...box, single: false })
      const open: PropertySchema = { ...BOX, additionalProperties: true }
      fields.register('term', 'open', { ...box, show_in_rest: { schema: open } })
      const items: PropertySchema = { type: 'object', ...BOX }
      fields.register('term', 'list', { type: 'array', single: true, show_in_rest: { schema: { items } } })
    },
    [
      ['box', '{"label":"b","size":"5","secret":1}', 1],
      ['empty', '{}', 1],
      ['wrong', '{"size":"large"}', 1],
      ['boxes', '{"label":"one"}', 1],
      ['boxes', '[]', 1],
      ['open', '{"other":{}}', 1],
      ['list', '[{"label":"l","secret":1}]', 1],
    ],
  )
  assert.equal(await metaOf(site), {
    box: { label: 'b', size: 5 },
    nothing: [],
    empty: [],
    wrong: null,
    boxes: [{ label: 'one' }, []],
    open: { other: [] },
    list: [{ label: 'l' }],
  })
})

meta('shows a protected key only if it is registered with show_in_rest', async () => {
  await using site = await siteWith(
    (fields) => {
      fields.register('term', '_shown', { ...shown, type: 'string' })
      fields.register('term', '_hidden', { type: 'string', single: true })
      fields.register('term', 'hidden', { type: 'string', single: true, show_in_rest: false })
    },
    [
      ['_shown', 'a'],
      ['_hidden', 'b'],
      ['hidden', 'c'],
      ['unregistered', 'd'],
    ],
  )
  assert.equal(await metaOf(site), { _shown: 'a' })
})

meta('shows a key only for its subtype, and a key without a subtype for all', async () => {
  await using site = await siteWith((fields) => {
    fields.register('term', 'any', { ...shown, type: 'string', default: 'any' })
    fields.register('term', 'own', { ...shown, type: 'string', subtype: 'category', default: 'own' })
    fields.register('term', 'both', { ...shown, type: 'string', default: 'any' })
    fields.register('term', 'both', { ...shown, type: 'string', subtype: 'category', default: 'own' })
    fields.register('user', 'other', { ...shown, type: 'string' })
  })
  await site.store.run(site.store.db.insertInto('terms').values({ id: 2, taxonomy: 'post_tag', name: 'T', slug: 't' }))
  assert.equal(await metaOf(site), { any: 'any', both: 'own', own: 'own' })
  assert.equal(await metaOf(site, '/svc/v2/tags/2'), { any: 'any', both: 'any' })
})

meta('shows an empty list if no key is registered', async () => {
  await using site = await siteWith(() => {})
  assert.equal(await metaOf(site), [])
})

meta('applies prepare_callback, which can be asynchronous', async () => {
  await using site = await siteWith(
    (fields) => {
      const prepare = (value: unknown) => `<${String(value)}>`
      fields.register('term', 'sync', { type: 'string', single: true, show_in_rest: { prepare_callback: prepare } })
      fields.register('term', 'late', {
        type: 'integer',
        show_in_rest: { prepare_callback: async (value, request, field) => [value, request.method, field.key] },
      })
    },
    [
      ['sync', 'a'],
      ['late', '1'],
      ['late', '2'],
    ],
  )
  assert.equal(await metaOf(site), {
    sync: '<a>',
    late: [
      ['1', 'GET', 'late'],
      ['2', 'GET', 'late'],
    ],
  })
})

meta('omits values that are not in the context', async () => {
  await using site = await siteWith((fields) => {
    const schema: PropertySchema = { context: ['edit'], properties: { a: { type: 'string' } } }
    fields.register('term', 'for_editors', { type: 'object', single: true, show_in_rest: { schema } })
    fields.register('term', 'for_all', { ...shown, type: 'string' })
  })
  assert.equal(await metaOf(site), { for_all: '' })
  const { contexts } = site.kernel.services.meta.schemaFor('term', 'category')!.properties as Record<string, unknown>
  assert.is(contexts, undefined)
  assert.not.ok('meta' in (await site.json('/svc/v2/categories/1?context=embed')))
})

meta('loads only the values that _fields selects', async () => {
  await using site = await siteWith(
    (fields) => {
      fields.register('term', 'a', { ...shown, type: 'string' })
      fields.register('term', 'b', {
        type: 'string',
        single: true,
        show_in_rest: { prepare_callback: () => assert.unreachable() },
      })
    },
    [['a', 'x']],
  )
  assert.equal(await metaOf(site, '/svc/v2/categories/1?_fields=meta.a'), { a: 'x' })
})

meta('describes shown values in the schema', async () => {
  await using site = await siteWith((fields) => {
    fields.register('term', 'one', { ...shown, type: 'integer', label: 'The one', description: 'One.', default: 4 })
    fields.register('term', 'many', { type: 'string', description: 'Many.', show_in_rest: true })
    fields.register('term', 'box', { type: 'object', single: true, show_in_rest: { name: 'shown', schema: BOX } })
  })
  const { properties, ...whole } = site.kernel.services.meta.schemaFor('term', 'category')!
  assert.equal({ type: whole.type, context: whole.context }, { type: 'object', context: ['view', 'edit'] })
  assert.equal(properties, {
    one: { type: 'integer', title: 'The one', description: 'One.', default: 4 },
    many: { type: 'array', items: { type: 'string', title: '', description: 'Many.', default: '' } },
    shown: { type: 'object', title: '', description: '', ...BOX, default: [], additionalProperties: false },
  })
})

meta('is part of content types that support custom fields, and of attachments', async () => {
  await using site = await siteWith(() => {})
  const { contentTypes, meta: service } = site.kernel.services
  contentTypes.register('plain', { supports: ['title'] })
  contentTypes.register('extra', { supports: ['custom-fields'] })
  assert.is(service.schemaFor('post', 'plain'), null)
  assert.is.not(service.schemaFor('post', 'extra'), null)
  assert.is.not(service.schemaFor('post', 'attachment'), null)
})

meta('is removed with its plugin, which restores replaced keys', async () => {
  const second = definePlugin({
    name: 'second',
    needs: ['meta'],
    apply: ({ services }) => services.meta.register('term', 'a', { ...shown, type: 'string', default: 'second' }),
  })
  const first = definePlugin({
    name: 'first',
    needs: ['meta'],
    apply: ({ services }) => services.meta.register('term', 'a', { ...shown, type: 'string', default: 'first' }),
  })
  await using site = await siteWith(() => {}, [], { add: [first, second] })
  assert.equal(await metaOf(site), { a: 'second' })
  await removePlugin(site.kernel, 'second')
  assert.equal(await metaOf(site), { a: 'first' })
})

meta('rejects invalid registrations with a specific error', async () => {
  await using site = await siteWith(() => {})
  const { meta: service } = site.kernel.services
  const attempt =
    (spec: unknown, objectType: MetaObject = 'term') =>
    () =>
      service.register(objectType, 'k', spec as MetaSpec)
  assert.throws(attempt({ type: 'text' }), (error: { code: string }) => error.code === 'META_TYPE_UNKNOWN')
  assert.throws(
    () => service.register('term', 'k'.repeat(256), { type: 'string' }),
    (error: { code: string }) => error.code === 'META_KEY_TOO_LONG',
  )
  assert.throws(
    attempt({ type: 'array', show_in_rest: true }),
    (error: { code: string }) => error.code === 'META_ITEMS_MISSING',
  )
  assert.throws(
    attempt({ type: 'integer', default: 'x', show_in_rest: true }),
    (error: { code: string }) => error.code === 'META_DEFAULT_INVALID',
  )
})

meta.run()
