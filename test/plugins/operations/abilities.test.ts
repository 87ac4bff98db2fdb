import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError } from '../../../kernel/index.ts'
import { as, serve, type Site, startOnly } from '../../helpers/site.ts'

startOnly('abilities')

const ROOT = '/svc-abilities/v1'
const abilities = suite<{ site: Site }>('abilities')

/** Abilities of every method, and an action. */
const garden = definePlugin({
  name: 'garden',
  needs: ['abilities', 'actions', 'roles'],
  apply({ services }) {
    const { abilities, actions, capabilities } = services
    abilities.registerCategory('garden', {
      label: 'Garden',
      description: 'What there is to do.',
      meta: { color: 'green' },
    })
    const common = { category: 'garden', description: 'Does it.' }
    abilities.register('garden/count', {
      ...common,
      label: 'Count',
      public: true,
      input_schema: {
        type: 'object',
        properties: { kind: { type: 'string', enum: ['rose', 'oak'], default: 'rose' } },
      },
      annotations: { readonly: true },
      permission: () => true,
      run: ({ kind }) => ({ kind }),
    })
    abilities.register('garden/plant', {
      ...common,
      label: 'Plant',
      input_schema: { type: 'string', minLength: 2 },
      permission: (_plant, { user }) => capabilities.can(user, 'edit_posts'),
      run: (plant) => (plant === 'rock' ? new RestError('garden_no_plant', 'A rock.', { status: 409 }) : plant),
    })
    abilities.register('garden/mow', {
      ...common,
      label: 'Mow',
      annotations: { destructive: true, idempotent: true },
      permission: (_input, { user }) => capabilities.can(user, 'manage_options'),
      run: () => ({ mown: true, secret: 'gone' }),
      output_schema: { type: 'object', properties: { mown: { type: 'boolean' } } },
    })
    abilities.register('garden/hidden', {
      ...common,
      label: 'Hidden',
      show_in_rest: false,
      permission: () => true,
      run: () => null,
    })
    actions.register('garden/water', {
      description: 'Waters.',
      label: 'Water',
      permission: () => true,
      run: () => 'wet',
    })
  },
})

abilities.before(async (context) => {
  context.site = await serve({ add: [garden] })
})
abilities.after(async ({ site }) => {
  await site[Symbol.asyncDispose]()
})

async function sendRequest(
  site: Site,
  method: string,
  path: string,
  { role = '', body }: { role?: string; body?: unknown } = {},
) {
  const response = await site.request(`${ROOT}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(role === '' ? {} : as(role)) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the structure
  return { status: response.status, body: (await response.json()) as any, headers: response.headers }
}

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body?.code ?? body]

abilities('are listed for logged-in users, together with actions that have a route', async ({ site }) => {
  assert.equal(outcome(await sendRequest(site, 'GET', '/abilities')), [401, 'rest_forbidden'])
  const { body } = await sendRequest(site, 'GET', '/abilities', { role: 'subscriber' })
  const names = body.map(({ name }: { name: string }) => name)
  assert.equal(
    names.filter((name: string) => name.startsWith('garden/')),
    ['garden/count', 'garden/plant', 'garden/mow', 'garden/water'],
  )
  assert.ok(
    ['core/get-site-info', 'core/get-user-info', 'core/get-environment-info'].every((name) => names.includes(name)),
  )
  const { meta } = body.find(({ name }: { name: string }) => name === 'garden/count')
  assert.equal(meta, {
    annotations: { readonly: true, destructive: null, idempotent: null },
    show_in_rest: true,
    public: true,
  })
})

abilities('are filtered by category, namespace and meta, and paginated', async ({ site }) => {
  const names = async (query: string) =>
    (await sendRequest(site, 'GET', `/abilities?_fields=name&${query}`, { role: 'subscriber' })).body.map(
      (one: { name: string }) => one.name,
    )
  assert.equal(await names('category=garden&per_page=2&page=2'), ['garden/mow', 'garden/water'])
  assert.equal(await names('namespace=core&meta[annotations][readonly]=true').then((found) => found.length), 3)
  assert.equal(await names('category=garden&meta[public]=true'), ['garden/count'])
  assert.equal(await names('meta[constructor][name]=Object'), [])
  const all = await names('per_page=100')
  for (const query of ['category=', 'namespace=']) assert.equal(await names(`per_page=100&${query}`), all, query)
  assert.equal(await names('category=garden&page=9'), [])
})

abilities('have a route each, like their categories', async ({ site }) => {
  const role = 'subscriber'
  const { body } = await sendRequest(site, 'GET', '/abilities/garden/plant', { role })
  assert.match(body._links['svc:action-run'][0].href, /abilities\/garden\/plant\/run$/)
  for (const path of ['/abilities/garden/hidden', '/abilities/garden/nothing', '/abilities/constructor/name']) {
    assert.equal(outcome(await sendRequest(site, 'GET', path, { role })), [404, 'rest_ability_not_found'])
  }
  const category = await sendRequest(site, 'GET', '/categories/garden', { role })
  assert.equal([category.body.label, category.body.meta], ['Garden', { color: 'green' }])
  assert.equal(outcome(await sendRequest(site, 'GET', '/categories/none', { role })), [
    404,
    'rest_ability_category_not_found',
  ])
})

abilities('run only by the method of their annotations', async ({ site }) => {
  const role = 'administrator'
  const input = { count: '', plant: 'rose', mow: '', water: '' }
  const methods = { count: 'GET', plant: 'POST', mow: 'DELETE', water: 'POST' }
  for (const [name, own] of Object.entries(methods)) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const value = input[name as keyof typeof input]
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: value === '' ? {} : { input: value } }
      const { status } = await sendRequest(site, method, `/abilities/garden/${name}/run`, { role, ...body })
      assert.is(status, method === own ? 200 : 405, `${method} ${name}`)
    }
  }
  assert.equal(outcome(await sendRequest(site, 'POST', '/abilities/garden/hidden/run', { role, body: {} })), [
    404,
    'rest_ability_not_found',
  ])
})

abilities('validate their input before they check the permission', async ({ site }) => {
  const run = (name: string, body: unknown, role = 'contributor') =>
    sendRequest(site, 'POST', `/abilities/garden/${name}/run`, { role, body })
  assert.equal(outcome(await run('plant', { input: 'rose' })), [200, 'rose'])
  for (const body of [{ input: 'r' }, { input: 7 }, {}, { input: null }, { input: { a: 1 } }]) {
    assert.equal(outcome(await run('plant', body, 'subscriber')), [400, 'ability_invalid_input'])
  }
  assert.equal(outcome(await run('plant', { input: 'rose' }, 'subscriber')), [403, 'rest_ability_cannot_execute'])
  assert.equal(outcome(await run('plant', { input: 'rose' }, '')), [401, 'rest_ability_cannot_execute'])
  assert.equal(outcome(await run('plant', { input: 'rock' })), [409, 'garden_no_plant'])
  assert.equal(outcome(await sendRequest(site, 'GET', '/abilities/garden/count/run?input[kind]=elm')), [
    400,
    'ability_invalid_input',
  ])
  assert.equal((await sendRequest(site, 'GET', '/abilities/garden/count/run')).body, { kind: 'rose' })
})

abilities('send only declared properties, and responses that are not cached', async ({ site }) => {
  const { body } = await sendRequest(site, 'DELETE', '/abilities/garden/mow/run', { role: 'administrator' })
  assert.equal(body, { mown: true })
  const { headers } = await sendRequest(site, 'GET', '/abilities/garden/count/run')
  assert.equal([headers.get('age'), headers.get('cache-control')], [null, 'private, no-store'])
})

abilities('of the site reveal information only to users who manage it', async ({ site }) => {
  for (const name of ['get-site-info', 'get-environment-info']) {
    assert.is((await sendRequest(site, 'GET', `/abilities/core/${name}/run`, { role: 'editor' })).status, 403)
    assert.is((await sendRequest(site, 'GET', `/abilities/core/${name}/run`)).status, 401)
    assert.is((await sendRequest(site, 'GET', `/abilities/core/${name}/run`, { role: 'administrator' })).status, 200)
  }
  const some = await sendRequest(site, 'GET', '/abilities/core/get-site-info/run?input[fields][]=url', {
    role: 'administrator',
  })
  assert.equal(some.body, { url: site.home })
  const me = await sendRequest(site, 'GET', '/abilities/core/get-user-info/run', { role: 'subscriber' })
  assert.equal(me.body.roles.length >= 0, true)
})

abilities('are rejected without a registered category, and categories with a duplicate slug', async () => {
  const wrong = (apply: (abilities: Site['kernel']['services']['abilities']) => void) =>
    serve({
      add: [definePlugin({ name: 'wrong', needs: ['abilities'], apply: ({ services }) => apply(services.abilities) })],
    }).then(
      () => '',
      (error: Error) => error.message,
    )
  const ability = { label: 'A', description: 'B', permission: () => true, run: () => null }
  assert.match(
    await wrong((all) => all.register('wrong/one', { ...ability, category: 'none' })),
    /category "none" is not registered/,
  )
  assert.match(
    await wrong((all) => all.registerCategory('site', { label: 'S', description: '' })),
    /already registered/,
  )
  assert.match(
    await wrong((all) => all.registerCategory('No Slug', { label: 'S', description: '' })),
    /lowercase letters/,
  )
})

abilities('have neither action routes nor commands, but share the names of actions', async ({ site }) => {
  const { actions } = site.kernel.services
  const names = actions.list().map(({ name }) => name)
  assert.equal([names, actions.get('garden/count')], [['garden/water'], undefined])
  const response = await site.get('/svc-actions/v1/run/garden/count', as('administrator'))
  assert.is(response.status, 404)
  assert.is(site.kernel.commands.find(['action', 'garden/count']), undefined)
  assert.is(site.kernel.commands.find(['action', 'garden/water'])?.plugin, 'garden')
  const again = { label: 'A', description: 'B', permission: () => true, run: () => null }
  assert.throws(() => actions.register('garden/count', again), /is already registered/)
})

abilities('include whether an action is public', async () => {
  const pond = definePlugin({
    name: 'pond',
    needs: ['actions'],
    apply: ({ services }) =>
      services.actions.register('pond/fill', {
        label: 'Fill',
        description: 'Fills it.',
        public: true,
        permission: () => true,
        run: () => null,
      }),
  })
  await using site = await serve({ add: [pond] })
  const { body } = await sendRequest(site, 'GET', '/abilities/pond/fill', { role: 'subscriber' })
  assert.is(body.meta.public, true)
})

abilities('do not exist before REST API version 6.9', async () => {
  await using site = await serve({ revision: '6.5' })
  assert.is((await sendRequest(site, 'GET', '/abilities', { role: 'subscriber' })).status, 404)
})

abilities('of the core return all facts, or the ones that the input selects', async ({ site }) => {
  const head = { headers: as('administrator') }
  for (const name of ['core/get-site-info', 'core/get-user-info', 'core/get-environment-info']) {
    const found = await (await site.request(`${ROOT}/abilities/${name}`, head)).json()
    const { input_schema: input, output_schema: output } = found as {
      input_schema: { properties: { fields: { items: { enum: string[] } } } }
      output_schema: { properties: object; additionalProperties: boolean }
    }
    const names = Object.keys(output.properties)
    assert.equal(input.properties.fields.items.enum, names)
    assert.is(output.additionalProperties, false)
    const run = async (query: string) => (await site.request(`${ROOT}/abilities/${name}/run${query}`, head)).json()
    const all = (await run('')) as Record<string, unknown>
    assert.equal(Object.keys(all), names)
    for (const field of names)
      assert.equal(await run(`?input[fields][]=${field}`), { [field]: all[field] }, `${name}: ${field}`)
    assert.is(((await run('?input[fields][]=nothing')) as { code: string }).code, 'ability_invalid_input')
  }
})

abilities.run()
