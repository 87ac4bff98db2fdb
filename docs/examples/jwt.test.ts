import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, serve } from 'svc-rest/testing'
import jwt from './jwt.ts'

const plugins = { 'signed-tokens': { secret: 'a secret of thirty-two characters', lifetime: 60 } }

test('jwt accepts its own tokens, and rejects tokens with a wrong or missing signature', async () => {
  await using site = await serve({ add: [jwt], plugins })
  const user = await site.kernel.services.users.create({ login: 'ada', email: 'ada@site.test', roles: ['editor'] })
  const ask = (headers: Record<string, string>) => site.request('/jwt/v1/token', { method: 'POST', headers })
  assert.equal((await ask({})).status, 401)
  const { token } = (await (await ask(as('editor', user.id))).json()) as { token: string }

  const me = await site.json('/svc/v2/users/me?context=edit', { authorization: `Bearer ${token}` })
  assert.deepEqual([me.id, me.roles], [user.id, ['editor']])
  for (const wrong of [`${token.slice(0, -3)}AAA`, token.split('.')[0]!, 'x.y.z', '']) {
    const refused = await site.get('/svc/v2/users/me', { authorization: `Bearer ${wrong}` })
    assert.equal(refused.status, 401, wrong)
  }
})

test('jwt rejects a secret that is too short at start', async () => {
  await assert.rejects(
    serve({ add: [jwt], plugins: { 'signed-tokens': { secret: 'short' } } }),
    /The option "secret" of signed-tokens/,
  )
})
