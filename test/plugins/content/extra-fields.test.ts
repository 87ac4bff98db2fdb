import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError, type AnyPlugin, type PluginContext } from '../../../kernel/index.ts'
import type { PropertySchema } from '../../../plugins/resources/index.ts'
import { as, serve, type Site, startOnly } from '../../helpers/site.ts'

startOnly('extra-fields')

type Fields = PluginContext['services']['extraFields']

/** A site with category 1 and tag 2, and one or several plugins that register fields. */
function siteWith(register: (fields: Fields, plugin: PluginContext) => void): Promise<Site> {
  return start([pluginOf('own', register)])
}

async function start(add: readonly AnyPlugin[]): Promise<Site> {
  const site = await serve({ add })
  const { store } = site
  await store.run(
    store.db.insertInto('terms').values([
      { id: 1, taxonomy: 'category', name: 'One', slug: 'one' },
      { id: 2, taxonomy: 'post_tag', name: 'Two', slug: 'two' },
    ]),
  )
  return site
}

function pluginOf(name: string, register: (fields: Fields, plugin: PluginContext) => void): AnyPlugin {
  return definePlugin({
    name,
    needs: ['extra-fields', 'terms'],
    apply: (plugin) => register(plugin.services.extraFields, plugin),
  })
}

/** Returns the schema properties of a route. */
async function propertiesOf(site: Site, path: string): Promise<Record<string, unknown>> {
  const described = await (await site.request(path, { method: 'OPTIONS' })).json()
  return (described as { schema: { properties: Record<string, unknown> } }).schema.properties
}

const FIELD = { description: 'A field.', context: ['view', 'edit'] }

const fields = suite('extra-fields')

fields('adds the values of get_callback to objects', async () => {
  await using site = await siteWith((own) => {
    own.register(['category', 'tag'], 'told', {
      get_callback: (data, attribute, request, objectType) => [data['id'], attribute, request.method, objectType],
      schema: FIELD,
    })
    own.register('category', 'late', { get_callback: async ({ slug }) => [slug, 'later'] })
  })
  const category = await site.json('/svc/v2/categories/1')
  assert.equal(category.told, [1, 'told', 'GET', 'category'])
  assert.equal(category.late, ['one', 'later'])
  const [tag] = await site.json('/svc/v2/tags')
  assert.equal(tag.told, [2, 'told', 'GET', 'tag'])
  assert.not.ok('late' in tag)
})

fields('does not show a field without a get_callback', async () => {
  await using site = await siteWith((own) => {
    own.register('category', 'unset', { schema: FIELD })
    own.register('category', 'null', { get_callback: null, schema: FIELD })
  })
  const category = await site.json('/svc/v2/categories/1')
  assert.equal([category.unset, category.null], [undefined, undefined])
})

fields('shows a field in the contexts of its schema, or in all contexts without a schema', async () => {
  await using site = await siteWith((own) => {
    own.register('category', 'for_readers', { get_callback: () => 'r', schema: { type: 'string', context: ['view'] } })
    own.register('category', 'for_editors', { get_callback: () => 'e', schema: { type: 'string', context: ['edit'] } })
    own.register('category', 'for_all', { get_callback: () => 'a', schema: null })
    const properties: Record<string, PropertySchema> = {
      open: { type: 'string' },
      secret: { type: 'string', context: ['edit'] },
    }
    own.register('category', 'parts', {
      get_callback: () => ({ open: 1, secret: 2 }),
      schema: { type: 'object', properties },
    })
  })
  const shown = async (context: string) => {
    const data = await site.json(`/svc/v2/categories/1?context=${context}`, as('administrator'))
    return [data.for_readers, data.for_editors, data.for_all, data.parts]
  }
  assert.equal(await shown('view'), ['r', undefined, 'a', { open: 1 }])
  assert.equal(await shown('edit'), [undefined, 'e', 'a', { open: 1, secret: 2 }])
  assert.equal(await shown('embed'), [undefined, undefined, 'a', { open: 1 }])
})

fields('adds a field with a schema only to the schema of its object type', async () => {
  await using site = await siteWith((own) => {
    own.register('category', 'told', { get_callback: () => 1, schema: FIELD })
    own.register('category', 'untold', { get_callback: () => 1 })
  })
  const properties = await propertiesOf(site, '/svc/v2/categories')
  assert.equal([properties['told'], 'untold' in properties], [FIELD, false])
  assert.not.ok('told' in (await propertiesOf(site, '/svc/v2/tags')))
})

fields('does not compute fields that _fields omits', async () => {
  let calls = 0
  await using site = await siteWith((own) => {
    own.register('category', 'counted', { get_callback: () => ++calls })
    own.register('category', 'other', { get_callback: ({ id }) => id })
  })
  assert.equal(await site.json('/svc/v2/categories/1?_fields=other,name'), { name: 'One', other: 1 })
  assert.is(calls, 0)
})

fields('lets a later registration of the same field replace an earlier one', async () => {
  const earlier = pluginOf('own', (own) => own.register('category', 'f', { get_callback: () => 1, schema: FIELD }))
  const later = pluginOf('later', (own) => own.register('category', 'f', { get_callback: () => 2 }))
  const shown = async (...plugins: AnyPlugin[]) => {
    await using site = await start(plugins)
    return [(await site.json('/svc/v2/categories/1')).f, 'f' in (await propertiesOf(site, '/svc/v2/categories'))]
  }
  assert.equal(await shown(earlier, later), [2, false])
  assert.equal(await shown(earlier), [1, true])
})

fields('supports fields that are registered in rest_api_init', async () => {
  await using site = await siteWith((own, { hooks }) => {
    hooks.rest_api_init.tap('own', () => own.register('category', 'f', { get_callback: () => 'made', schema: FIELD }))
  })
  assert.is((await site.json('/svc/v2/categories/1')).f, 'made')
  assert.equal((await propertiesOf(site, '/svc/v2/categories'))['f'], FIELD)
})

fields('returns an error if a callback fails, and serves later requests', async () => {
  const failing = { sync: true }
  await using site = await siteWith((own) => {
    own.register('category', 'a', {
      get_callback: async () => {
        if (!failing.sync) throw new TypeError('late')
        return 1
      },
    })
    own.register('category', 'b', {
      get_callback: () => {
        if (failing.sync) throw new TypeError('at once')
        return 1
      },
    })
  })
  for (const sync of [true, false]) {
    failing.sync = sync
    const response = await site.get('/svc/v2/categories/1')
    assert.equal([response.status, ((await response.json()) as { code: string }).code], [500, 'rest_internal_error'])
  }
  assert.is((await site.get('/svc/v2/tags/2')).status, 200)
})

fields('passes values of a request to update_callback, and returns its first error', async () => {
  const set: unknown[] = []
  await using site = await siteWith((own, { hooks, services }) => {
    own.register('thing', 'a', {
      update_callback: (value, object, attribute, _request, objectType) => {
        set.push([attribute, value, object, objectType])
      },
    })
    own.register('thing', 'b', {
      update_callback: async (value) =>
        value === 'reject'
          ? new RestError('own_rejected', 'Not this one.', { status: 400 })
          : void set.push(['b', value]),
    })
    own.register('thing', 'unwritable', { get_callback: () => 1 })
    hooks.rest_api_init.tap('own', (server) => {
      server.registerRoute('own/v1', '/thing', {
        methods: 'POST',
        permission_callback: () => true,
        callback: async (request) => (await services.extraFields.update('thing', { id: 7 }, request)) ?? 'written',
      })
    })
  })
  const post = async (body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    return (await site.request('/own/v1/thing', { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }
  assert.is(await post({ b: 'x', a: 1, unwritable: 2 }), 'written')
  assert.equal(set.splice(0), [
    ['a', 1, { id: 7 }, 'thing'],
    ['b', 'x'],
  ])
  assert.is(((await post({ b: 'reject' })) as { code: string }).code, 'own_rejected')
  assert.equal(set, [])
})

fields('S43: ignores fields without a schema or an update_callback', async () => {
  const written: unknown[] = []
  await using site = await siteWith((own) => {
    own.register('category', 'mute', { get_callback: () => 'made', schema: FIELD })
    own.register('category', 'open', { update_callback: (value) => void written.push(value), schema: FIELD })
  })
  const body = JSON.stringify({ mute: 'sent', undeclared: 'sent', open: 'sent', __proto__: { x: 1 } })
  const headers = { 'content-type': 'application/json', ...as('administrator') }
  const answer = await site.request('/svc/v2/categories/1', { method: 'POST', headers, body })
  assert.is(answer.status, 200)
  const changed = (await answer.json()) as Record<string, unknown>
  assert.equal([changed['mute'], changed['undeclared']], ['made', undefined])
  assert.equal(written, ['sent'])
})

fields.run()
