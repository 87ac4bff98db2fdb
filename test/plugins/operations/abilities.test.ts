import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import garden from '../../helpers/garden.ts'
import { as, serve, type Site } from '../../helpers/site.ts'

const RUN = '/svc-abilities/v1/abilities'
const abilities = suite('abilities')

async function ask(site: Site, method: string, path: string, role = 'administrator', body?: unknown) {
  const response = await site.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...(role === '' ? {} : as(role)) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect by looking at it
  return { status: response.status, body: (await response.json()) as any }
}

const forge = definePlugin({
  name: 'forge',
  needs: ['abilities'],
  apply({ hooks, services }) {
    services.abilities.registerCategory('forge', { label: 'Forge', description: 'Makes things.' })
    services.abilities.register('forge/hit', {
      label: 'Hit',
      description: 'Hits so often.',
      category: 'forge',
      input_schema: { type: 'object', properties: { times: { type: 'integer', maximum: 3, default: 2 } }, default: {} },
      output_schema: { type: 'string' },
      permission: (_input, { user }) => user.id !== 0,
      run: (input) => 'clang '.repeat((input as { times: number }).times).trim(),
    })
    hooks.ability_permission.tap('forge', (permitted, name, input) =>
      name === 'forge/hit' && (input as { times: number }).times === 3 ? false : permitted,
    )
  },
})

abilities('run with checked input, by the method that they tell', async () => {
  await using site = await serve({ add: [forge] })
  const hit = (input?: unknown) => ask(site, 'POST', `${RUN}/forge/hit/run`, 'subscriber', { input })
  assert.equal((await hit()).body, 'clang clang')
  assert.equal((await hit({ times: 1 })).body, 'clang')
  assert.equal([(await hit({ times: 4 })).body.code, (await hit('x')).status], ['ability_invalid_input', 400])
  assert.equal((await hit({ times: 3 })).body.code, 'rest_ability_cannot_execute')
  assert.is((await ask(site, 'GET', `${RUN}/forge/hit/run`)).status, 405)
  assert.is((await ask(site, 'POST', `${RUN}/forge/nothing/run`)).status, 404)
  assert.is((await ask(site, 'GET', RUN, '')).status, 401)
})

abilities('have the actions of plugins among them, with their rights', async () => {
  await using site = await serve({ add: [garden] })
  const water = (role: string, input: unknown) => ask(site, 'POST', `${RUN}/garden/water-plant/run`, role, { input })
  assert.equal((await water('contributor', { plant: 'rose', litres: 3 })).body, { plant: 'rose', litres: 3 })
  assert.is((await water('contributor', { plant: 'r' })).status, 400)
  assert.ok((await water('', { plant: 'rose' })).status >= 401)
  const { body: listed } = await ask(site, 'GET', `${RUN}?category=garden`)
  assert.ok(listed.some(({ name }: { name: string }) => name === 'garden/water-plant'))
})

abilities('tell of site and environment to who runs it, and everybody of themselves', async () => {
  await using site = await serve()
  for (const name of ['get-site-info', 'get-environment-info']) {
    assert.is((await ask(site, 'GET', `${RUN}/core/${name}/run`)).status, 200)
    assert.is((await ask(site, 'GET', `${RUN}/core/${name}/run`, 'editor')).status, 403)
  }
  const { body: site1 } = await ask(site, 'GET', `${RUN}/core/get-site-info/run?input[fields][]=charset`)
  assert.equal(site1, { charset: 'UTF-8' })
  const { body: user } = await ask(site, 'GET', `${RUN}/core/get-user-info/run`, 'subscriber')
  assert.type(user.id, 'number')
})

abilities.run()
