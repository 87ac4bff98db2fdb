import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  definePlugin,
  RestError,
  RestRequest,
  sentence,
  VISITOR,
  type AnyPlugin,
  type PluginContext,
} from '../../../kernel/index.ts'
import type { ActionSpec, ActionCall } from '../../../plugins/operations/actions/index.ts'
import garden from '../../helpers/garden.ts'
import { as, serve, serveOn, type Site, startOnly } from '../../helpers/site.ts'
import { places } from '../../helpers/stores.ts'
import { until } from '../../helpers/until.ts'
import { removePlugin } from '../../helpers/remove-plugin.ts'

startOnly('actions')

const RUN = '/svc-actions/v1/run'

/** Sends a request as a user with a role, or as a visitor, and returns status and body. */
async function sendRequest(
  site: Site,
  method: string,
  path: string,
  { role = '', body }: { role?: string; body?: unknown } = {},
) {
  const response = await site.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...(role === '' ? {} : as(role)) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const read = JSON.parse((await response.text()) || 'null')
  return { status: response.status, body: read, headers: response.headers }
}

for (const { name, make } of places) {
  const actions = suite(`actions on ${name}`)

  actions('run by their route, which validates the input', async () => {
    await using site = await serveOn(await make(), { add: [garden] })
    const water = (body: unknown, role = 'contributor') =>
      sendRequest(site, 'POST', `${RUN}/garden/water-plant`, { role, body })
    const done = await water({ plant: 'rose', litres: '3' })
    assert.equal([done.status, done.body], [200, { plant: 'rose', litres: 3 }])
    assert.equal((await water({ plant: 'rose' })).body, { plant: 'rose', litres: 4 })
    const wrong = await water({ plant: 'r', litres: 11 })
    assert.equal(
      [wrong.status, wrong.body.code, Object.keys(wrong.body.data.params)],
      [400, 'rest_invalid_param', ['plant', 'litres']],
    )
    assert.equal((await water({})).body.data.params, ['plant'])
    const unknown = await water({ plant: 'rose', liters: 3 })
    assert.equal(
      [unknown.status, unknown.body.data.params],
      [400, { liters: 'The input has no property liters: did you mean litres?' }],
    )
    const refused = await water({ plant: 'cactus' })
    assert.equal([refused.status, refused.body.code], [409, 'garden_too_wet'])
    // Invalid input has no effect, and parameters of the REST API are not part of the input.
    const listed = await sendRequest(site, 'GET', `${RUN}/garden/list-plants?_fields=plant,litres&_locale=user`)
    assert.equal(listed.body, [{ plant: 'rose', litres: 4 }])
    assert.equal((await sendRequest(site, 'GET', `${RUN}/garden/list-plants?least=5`)).body, [])
  })

  actions('check the permission with the validated input', async () => {
    await using site = await serveOn(await make(), { add: [garden] })
    const status = async (role: string, litres?: string) =>
      (await sendRequest(site, 'POST', `${RUN}/garden/water-plant`, { role, body: { plant: 'rose', litres } })).status
    assert.is(await status(''), 401)
    assert.is(await status('subscriber'), 403)
    assert.is(await status('contributor'), 200)
    assert.is(await status('contributor', '6'), 403)
    assert.is(await status('editor', '6'), 200)
    // Invalid input is reported before the permission is checked, as in every route.
    assert.is(await status('subscriber', 'x'), 400)
  })

  actions('run by GET if they are read-only, and by DELETE if they are destructive and idempotent', async () => {
    await using site = await serveOn(await make(), { add: [garden] })
    const statuses = async (path: string) =>
      Promise.all(
        ['GET', 'POST', 'DELETE'].map(
          async (method) => (await sendRequest(site, method, path, { role: 'administrator' })).status,
        ),
      )
    assert.equal(await statuses(`${RUN}/garden/list-plants`), [200, 404, 404])
    assert.equal(await statuses(`${RUN}/garden/clear-bed`), [404, 404, 200])
    assert.equal((await sendRequest(site, 'DELETE', `${RUN}/garden/clear-bed`, { role: 'administrator' })).body, null)
  })

  actions('cannot write if they are declared as read-only', async () => {
    await using site = await serveOn(await make(), { add: [garden] })
    const { status, body } = await sendRequest(site, 'GET', `${RUN}/garden/count-secretly`)
    assert.equal([status, body.code], [500, 'action_has_written'])
    assert.equal((await sendRequest(site, 'GET', `${RUN}/garden/list-plants`)).body, [])
  })

  actions('send no output that violates their schema, and roll back their transaction', async () => {
    const lines: string[] = []
    await using site = await serveOn(await make(), {
      add: [garden],
      log: 'error',
      logTo: (line) => void lines.push(line),
    })
    const invalid = await sendRequest(site, 'POST', `${RUN}/garden/lie`, { body: { whole: true } })
    assert.equal([invalid.status, invalid.body.code], [500, 'action_output_invalid'])
    assert.not.match(JSON.stringify(invalid.body), 'many')
    const line = lines.map((text) => JSON.parse(text)).find(({ action }) => action === 'garden/lie')
    assert.equal([line.plugin, line.err.message], ['garden', 'output[count] is not of type integer.'])
    assert.equal((await sendRequest(site, 'GET', `${RUN}/garden/list-plants`)).body, [{ plant: 'liar', litres: 1 }])
    assert.is((await sendRequest(site, 'POST', `${RUN}/garden/lie-wholly`)).status, 500)
    assert.is(await site.kernel.services.options.get('garden_whole'), undefined)
  })

  actions.run()
}

const actions = suite('actions')

actions('take an input that is not an object as one argument', async () => {
  await using site = await serve({ add: [garden] })
  const named = async (body: unknown) => sendRequest(site, 'POST', `${RUN}/garden/name`, { body })
  assert.is((await named({ input: 'Eden' })).body, 'Eden!')
  assert.equal((await named({})).body.data.params, ['input'])
  assert.is((await named({ input: 'E' })).status, 400)
  assert.equal((await named({ inptu: 'Eden' })).body.data.params, {
    inptu: 'The input has no property inptu: did you mean input?',
  })
})

actions('are listed for users with JSON Schema, and described by OPTIONS', async () => {
  await using site = await serve({ add: [garden] })
  assert.is((await sendRequest(site, 'GET', '/svc-actions/v1/actions')).status, 401)
  const listed = await sendRequest(site, 'GET', '/svc-actions/v1/actions?namespace=garden', { role: 'subscriber' })
  const names = listed.body.map((one: { name: string }) => one.name)
  assert.ok(names.includes('garden/water-plant') && !names.includes('garden/whisper'), String(names))
  const reports = await sendRequest(site, 'GET', '/svc-actions/v1/actions?category=reports', { role: 'subscriber' })
  assert.equal(
    reports.body.map((one: { name: string }) => one.name),
    ['garden/list-plants'],
  )
  const { body } = await sendRequest(site, 'GET', '/svc-actions/v1/actions/garden/water-plant', { role: 'subscriber' })
  assert.equal(body, {
    name: 'garden/water-plant',
    label: 'Water a plant',
    description: 'Gives a plant some water.',
    category: 'garden',
    input_schema: {
      type: 'object',
      properties: {
        plant: { description: 'Its slug.', type: 'string', minLength: 2 },
        litres: { default: 1, type: 'integer', minimum: 1, maximum: 10 },
      },
      additionalProperties: false,
      required: ['plant'],
    },
    output_schema: {
      type: 'object',
      properties: { plant: { type: 'string' }, litres: { type: 'integer' } },
      additionalProperties: false,
      required: ['plant', 'litres'],
    },
    meta: { annotations: { readonly: null, destructive: false, idempotent: false }, show_in_rest: true },
    _links: {
      self: [{ href: `${site.home}/svc-json/svc-actions/v1/actions/garden/water-plant` }],
      'svc:action-run': [{ href: `${site.home}/svc-json/svc-actions/v1/run/garden/water-plant`, method: 'POST' }],
    },
  })
  for (const missing of ['garden/whisper', 'garden/nothing']) {
    assert.is(
      (await sendRequest(site, 'GET', `/svc-actions/v1/actions/${missing}`, { role: 'subscriber' })).status,
      404,
    )
  }
  const options = await sendRequest(site, 'OPTIONS', `${RUN}/garden/list-plants`)
  assert.equal(options.body.endpoints[0].args, { least: { default: 0, type: 'integer', required: false } })
  assert.is(options.body.schema.title, 'garden/list-plants')
  assert.is(options.headers.get('allow'), 'GET')
  // The permission depends on the input, which is missing here.
  assert.is((await sendRequest(site, 'OPTIONS', `${RUN}/garden/water-plant`)).headers.get('allow'), null)
})

actions('add no routes to a site without actions, and are removed with their plugin', async () => {
  const has = (site: Site) => [...site.kernel.server.routes.keys()].some((route) => route.includes('actions'))
  await using none = await serve()
  assert.is(has(none), false)
  await using site = await serve({ add: [garden] })
  assert.is(has(site), true)
  assert.is(site.kernel.server.routes.get(`${RUN}/garden/water-plant`)?.owner, 'garden')
  assert.is(site.kernel.services.actions.list().length, 8)
  assert.is(site.kernel.commands.list().filter(({ plugin }) => plugin === 'garden').length, 8)
  await removePlugin(site.kernel, 'garden')
  assert.equal(site.kernel.services.actions.list(), [])
  assert.equal(
    site.kernel.commands.list().filter(({ plugin }) => plugin === 'garden'),
    [],
  )
})

actions('can be run by other plugins and programs on behalf of a user', async () => {
  await using site = await serve({ add: [garden] })
  const { actions: service, roles } = site.kernel.services
  const editor = { id: 7, capabilities: roles.capabilitiesOf(['editor']) }
  const rose = { plant: 'rose', litres: 6 }
  assert.equal(await service.execute('garden/water-plant', rose, { user: editor }), rose)
  const refused = await service.mayExecute('garden/water-plant', rose, { user: VISITOR })
  assert.equal(refused instanceof RestError && [refused.status, refused.code], [401, 'action_forbidden'])
  assert.is(await service.mayExecute('garden/water-plant', rose, { user: editor }), true)
  assert.instance(await service.mayExecute('garden/water-plant', {}, { user: editor }), RestError)
  assert.equal(await service.execute('garden/whisper', { user: 'x' }, { user: editor, via: 'agent' }), {
    user: 'x',
    by: 7,
    via: 'agent',
  })
  const failure = async (name: string, input: unknown) =>
    service.execute(name, input, { user: VISITOR }).then(
      () => null,
      (error: RestError) => [error.code, error.message],
    )
  assert.equal(await failure('garden/water-plants', {}), [
    'action_not_found',
    'There is no action garden/water-plants: did you mean garden/water-plant?',
  ])
  assert.equal(await failure('garden/water-plant', 3), ['rest_invalid_param', 'input is not of type object.'])
  assert.is((await failure('garden/clear-bed', { all: true }))?.[0], 'rest_invalid_param')
  assert.is((await failure('garden/water-plant', rose))?.[0], 'action_forbidden')
})

actions('that are read-only cannot write through nested actions', async () => {
  const reader = definePlugin({
    name: 'reader',
    needs: ['actions', 'garden'],
    apply({ services }) {
      services.actions.register('reader/read', {
        label: 'Read',
        description: 'Runs another action, which writes.',
        annotations: { readonly: true },
        permission: () => true,
        run: (_input, { user }) => services.actions.execute('garden/lie', {}, { user }),
      })
    },
  })
  await using site = await serve({ add: [garden, reader] })
  assert.is((await sendRequest(site, 'GET', `${RUN}/reader/read`)).body.code, 'action_has_written')
  assert.is((await sendRequest(site, 'POST', `${RUN}/garden/lie`)).body.code, 'action_output_invalid')
})

actions('can be observed, changed and rejected by other plugins', async () => {
  const seen: unknown[] = []
  const watcher = definePlugin({
    name: 'watcher',
    needs: ['actions'],
    apply({ hooks }) {
      hooks.action_input.tap('watcher', (input, { name }) =>
        name === 'garden/water-plant' ? { ...(input as object), litres: '2' } : undefined,
      )
      hooks.action_permission.tap('watcher', (permitted, input) =>
        (input as { plant?: string }).plant === 'thistle' ? false : permitted,
      )
      hooks.action_output.tap('watcher', (output, _input, { name }) =>
        name === 'garden/list-plants' ? [...(output as unknown[]), { plant: 'ivy' }] : output,
      )
      hooks.action_executed.tap('watcher', (output, input, { name, user, via }: ActionCall) => {
        seen.push([name, user.id, via, input, output])
      })
    },
  })
  await using site = await serve({ add: [garden, watcher] })
  const water = (plant: string) =>
    sendRequest(site, 'POST', `${RUN}/garden/water-plant`, { role: 'contributor', body: { plant, litres: 3 } })
  assert.equal((await water('rose')).body, { plant: 'rose', litres: 2 })
  assert.is((await water('thistle')).status, 403)
  assert.is((await water('cactus')).status, 409)
  assert.equal(seen, [['garden/water-plant', 100, 'rest', { plant: 'rose', litres: 2 }, { plant: 'rose', litres: 2 }]])
  assert.equal((await sendRequest(site, 'GET', `${RUN}/garden/list-plants`)).body, [
    { plant: 'rose', litres: 2 },
    { plant: 'ivy' },
  ])
})

actions('get a signal that is aborted when the client disconnects', async () => {
  let reason: unknown
  const slow = plugin(({ services }) =>
    services.actions.register('slow/wait', {
      label: 'Wait',
      description: 'Waits until it is stopped.',
      annotations: { readonly: true },
      permission: () => true,
      run: (_input, { signal }) =>
        new Promise<string>((resolve) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason
            resolve('late')
          })
        }),
    }),
  )
  await using site = await serve({ add: [slow], limits: { requestTimeout: 100 } })
  assert.is((await sendRequest(site, 'GET', `${RUN}/slow/wait`)).status, 503)
  assert.is((reason as RestError).code, 'rest_handler_timeout')
})

actions('send no properties that the output schema does not list', async () => {
  const row = { id: 1, secret: 'x', by: { id: 2, secret: 'x' }, tags: [{ id: 3, secret: 'x' }], more: { any: 1 } }
  const by = { type: 'object', properties: { id: { type: 'integer' } } } as const
  const properties = {
    id: { type: 'integer' },
    by,
    tags: { type: 'array', items: by },
    more: { type: 'object' },
  } as const
  const leaking = plugin(({ services }) => {
    const spec = { label: 'L', description: 'D', permission: () => true, run: () => row as never }
    const output = { type: 'object', properties } as const
    services.actions.register('leak/row', { ...spec, output_schema: output })
    services.actions.register('leak/any', { ...spec, output_schema: { anyOf: [{ type: 'string' }, output] } })
    services.actions.register('leak/open', { ...spec, output_schema: { ...output, additionalProperties: true } })
  })
  await using site = await serve({ add: [leaking] })
  const run = async (name: string) => (await sendRequest(site, 'POST', `${RUN}/leak/${name}`)).body
  const listed = { id: 1, by: { id: 2 }, tags: [{ id: 3 }], more: { any: 1 } }
  assert.equal(await run('row'), listed)
  assert.equal(await run('any'), listed)
  assert.equal(await run('open'), { ...listed, secret: 'x' })
  const { output_schema: schema } = site.kernel.services.actions.get('leak/row')!
  assert.is(schema['additionalProperties'], false)
  assert.equal(await site.kernel.services.actions.execute('leak/row', {}, { user: VISITOR }), listed)
})

actions('that are read-only cannot write in any way', async () => {
  const late: unknown[] = []
  const createWrites = (context: PluginContext): Record<string, () => unknown> => {
    const { jobs, options, store } = context.services
    const write = () => options.set('x', 1)
    return {
      option: write,
      job: () => jobs.add('tested'),
      script: () => store.script(`insert into options (name, value) values ('x', '1')`),
      later: () => void setImmediate(() => void write().catch((error: RestError) => late.push(error.code))),
      request: async () => (await context.server.dispatch(new RestRequest('POST', '/tested/v1/write'))).data,
    }
  }
  const reader = definePlugin({
    name: 'tested',
    needs: ['actions', 'jobs', 'settings', 'store'],
    apply(context) {
      const { hooks, services } = context
      services.jobs.handle('tested', { run: () => {} })
      hooks.rest_api_init.tap('tested', (server) =>
        server.registerRoute('tested/v1', '/write', {
          methods: 'POST',
          permission_callback: () => true,
          callback: () => services.options.set('x', 1),
        }),
      )
      for (const [kind, run] of Object.entries(createWrites(context)))
        services.actions.register(`tested/${kind}`, { ...RIGHT, annotations: { readonly: true }, run })
    },
  })
  await using site = await serve({ add: [reader] })
  for (const kind of ['option', 'job', 'script', 'later', 'request']) {
    const { body } = await sendRequest(site, 'GET', `${RUN}/tested/${kind}`)
    assert.is(body?.code, kind === 'later' ? undefined : 'action_has_written', kind)
  }
  await until(() => late.length > 0)
  assert.equal(late, ['action_has_written'])
  assert.is(await site.kernel.services.options.get('x'), undefined)
  assert.equal(await site.kernel.services.jobs.list(), [])
})

actions('have the method of their annotations, and run only if the permission is exactly true', async () => {
  const values = [undefined, false, true]
  const methods = new Map<string, string>()
  const permissions: readonly unknown[] = ['yes', 1, {}, undefined, null, false]
  const many = plugin(({ services }) => {
    for (const readonly of values)
      for (const destructive of values)
        for (const idempotent of values) {
          if (readonly === true && destructive === true) continue
          const name = `many/a${methods.size}`
          methods.set(name, readonly ? 'GET' : destructive && idempotent ? 'DELETE' : 'POST')
          const annotations = { readonly, destructive, idempotent } as NonNullable<ActionSpec['annotations']>
          services.actions.register(name, { ...RIGHT, annotations })
        }
    for (const [at, permitted] of permissions.entries())
      services.actions.register(`perm/p${at}`, { ...RIGHT, permission: () => permitted as boolean })
  })
  await using site = await serve({ add: [many] })
  for (const [name, method] of methods) {
    for (const tried of ['GET', 'POST', 'DELETE'])
      assert.is(
        (await sendRequest(site, tried, `${RUN}/${name}`)).status,
        tried === method ? 200 : 404,
        `${tried} ${name}`,
      )
  }
  for (const at of permissions.keys()) assert.is((await sendRequest(site, 'POST', `${RUN}/perm/p${at}`)).status, 401)
})

actions('apply defaults of properties named like members of Object.prototype', async () => {
  const named = plugin(({ services }) => {
    const property = { type: 'string', default: 'given' } as const
    const input_schema = { type: 'object', properties: { constructor: property, valueOf: property } } as const
    services.actions.register('tested/names', { ...RIGHT, input_schema, run: (input) => input })
  })
  await using site = await serve({ add: [named] })
  const expected = { constructor: 'given', valueOf: 'given' }
  assert.equal((await sendRequest(site, 'POST', `${RUN}/tested/names`)).body, expected)
  assert.equal(await site.kernel.services.actions.execute('tested/names', {}, { user: VISITOR }), expected)
})

const RIGHT: ActionSpec = { label: 'L', description: 'D', permission: () => true, run: () => null }
const without = (key: keyof ActionSpec) => Object.fromEntries(Object.entries(RIGHT).filter(([name]) => name !== key))

/** Rejected declarations with their error. */
const WRONG: readonly (readonly [name: string, action: object, message: string])[] = [
  ['water', RIGHT, 'its name must have the form garden/water-plant in lowercase letters'],
  ['Garden/water', RIGHT, 'its name must have the form garden/water-plant in lowercase letters'],
  [
    'a/b',
    without('permission'),
    'it has no permission: return whether the user may run it, or use permission: () => true to allow all users',
  ],
  ['a/b', without('run'), 'it has no function run'],
  ['a/b', without('label'), 'it has no label'],
  ['a/b', without('description'), 'it has no description'],
  ['a/b', { ...RIGHT, inputSchema: {} }, 'it has the unknown key "inputSchema": did you mean input_schema?'],
  ['a/b', { ...RIGHT, annotations: { readOnly: true } }, 'it has the unknown key "readOnly": did you mean readonly?'],
  ['a/b', { ...RIGHT, annotations: { readonly: 'yes' } }, 'its annotation readonly must be true, false or null'],
  [
    'a/b',
    { ...RIGHT, annotations: { readonly: true, destructive: true } },
    'it cannot be both read-only and destructive',
  ],
  [
    'a/b',
    { ...RIGHT, annotations: { readonly: true }, transaction: true },
    'it is read-only and must not set "transaction"',
  ],
  ['a/b', { ...RIGHT, execute: 1 }, 'it has the unknown key "execute": did you mean run?'],
  [
    'a/b',
    { ...RIGHT, input_schema: 'text' },
    `its input_schema is "text": it must be a schema, such as { type: 'string' }`,
  ],
  [
    'a/b',
    { ...RIGHT, output_schema: { type: 'array', items: { type: 'int' } } },
    'its output_schema (at items) has the type "int": did you mean integer?',
  ],
  [
    'a/b',
    { ...RIGHT, input_schema: { type: 'object', properties: { x: { validate_callback: () => true } } } },
    'its input_schema.x has a validate_callback, which is only supported for arguments of routes: validate in run instead',
  ],
]

for (const [name, action, message] of WRONG) {
  actions(`are rejected: ${message}`, async () => {
    const wrong = plugin(({ services }) => services.actions.register(name, action as ActionSpec))
    const failure = await serve({ add: [wrong] }).then(
      async (site) => site[Symbol.asyncDispose](),
      (error: RestError) => error,
    )
    assert.equal(
      [failure?.code, failure?.message],
      ['ACTION_INVALID', `The action "${name}" cannot be registered: ${sentence(message)}`],
    )
  })
}

actions('are rejected if their name is already registered', async () => {
  const again = plugin(({ services }) => services.actions.register('garden/lie', RIGHT), ['garden'])
  const failure = await serve({ add: [garden, again] }).catch((error: RestError) => error)
  assert.is(
    (failure as RestError).message,
    'The action "garden/lie" is already registered by garden. Choose another name.',
  )
})

actions.run()

function plugin(apply: (context: PluginContext) => void, needs: readonly string[] = []): AnyPlugin {
  return definePlugin({ name: 'tested', needs: ['actions', ...needs], apply })
}
