import { createHmac } from 'node:crypto'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError } from '../../../../kernel/index.ts'
import type { JwtOptions } from '../../../../plugins/compat/jwt/index.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'
import { startOnly, type ServeOptions } from '../../../helpers/site.ts'

startOnly('posts', 'application-passwords', 'login', 'batch')

const SECRET = 'a secret of the test with many characters'
const TOKEN = '/jwt-auth/v1/token'
const VALIDATE = `${TOKEN}/validate`
const ME = '/svc/v2/users/me'
const LOST = '/svc-login?action=lostpassword'
const sqlite = databases[0]!.place

const siteWith = (place = sqlite, options: Partial<JwtOptions> = {}, more: ServeOptions = {}) =>
  serveWithUsers(place, { trust_proxy: true, plugins: { jwt: { secret: SECRET, ...options } }, ...more })

// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on its parts
type Body = any

let last = 0
/** Requests a token from an address that no other request uses, unless the headers name one. */
async function ask(site: SiteWithUsers, body: object, headers: Record<string, string> = {}) {
  const response = await site.request(TOKEN, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${(last += 1)}`, ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}
const passwordOf = (login: string) => `pass phrase of ${login}`
const tokenOf = async (site: SiteWithUsers, username: string, password = passwordOf(username)) =>
  (await ask(site, { username, password })).body.token as string
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

const HEADER: object = { typ: 'JWT', alg: 'HS256' }
const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
function sign(claims: object, { header = HEADER, secret = SECRET } = {}): string {
  const text = `${encoded(header)}.${encoded(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
const NOW = Math.floor(Date.now() / 1000)

for (const { name, place } of databases) {
  const jwt = suite(`jwt on ${name}`)

  jwt('issues tokens for logins and email addresses, and authenticates requests by them', async () => {
    await using site = await siteWith(place)
    const { status, body } = await ask(site, { username: 'ed', password: passwordOf('ed') })
    assert.is(status, 200)
    const { token, ...user } = body
    const shown = { user_email: 'ed@mail.example', user_nicename: 'ed-w', user_display_name: 'ED Writer' }
    assert.equal(user, shown)
    const { iat, ...claims } = claimsOf(token)
    const data = { user: { id: String(site.users.ed) } }
    assert.equal(claims, { iss: site.home, nbf: iat, exp: iat + 7 * 86_400, data })
    assert.is((await site.json(ME, bearer(token))).id, site.users.ed)
    assert.is(
      (await site.json(`${ME}?context=edit`, bearer(await tokenOf(site, 'ED@mail.example', passwordOf('ed'))))).id,
      site.users.ed,
    )

    const form = await site.request(TOKEN, {
      method: 'POST',
      body: new URLSearchParams({ username: 'ann', password: passwordOf('ann') }),
    })
    assert.is(((await form.json()) as Body).user_nicename, 'ann-w')
    const draft = await site.request('/svc/v2/posts', {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json' },
      body: '{"title":"By token"}',
    })
    assert.is(draft.status, 201)
  })

  jwt('accepts application passwords, and ends their tokens when they are revoked', async () => {
    await using site = await siteWith(place)
    const { applicationPasswords } = site.kernel.services
    const { item, password } = await applicationPasswords.create(site.users.ed, { name: 'front end' })
    const token = await tokenOf(site, 'ed', password)
    assert.is((await site.json(ME, bearer(token))).id, site.users.ed)
    assert.is((await site.json(ME, bearer(token))).id, site.users.ed)
    await applicationPasswords.revoke(site.users.ed, item.uuid)
    const refused = await site.get(ME, bearer(token))
    assert.equal([refused.status, ((await refused.json()) as Body).code], [403, 'jwt_auth_invalid_token'])
  })

  jwt.run()
}

const jwt = suite('jwt')

jwt('refuses logins with the codes of a site with and of one without application passwords', async () => {
  await using site = await siteWith()
  const refusal = async (username: string | undefined, password?: string) => {
    const { status, body } = await ask(site, { username, password })
    assert.is(status, 403)
    assert.equal(body.data, { status: 403 })
    return `${body.code}: ${body.message}`
  }
  const lost = `<a href="${site.home}${LOST}">Lost your password?</a>`
  const [wrongName, wrongMail] = ['username <strong>ed</strong>', 'email address <strong>ed@mail.example</strong>']
  const without = [
    await refusal('ed', 'wrong'),
    await refusal('ed@mail.example', 'wrong'),
    await refusal('<b>nobody', 'wrong'),
    await refusal('nobody@mail.example', 'wrong'),
    await refusal('ed'),
    await refusal(undefined, 'wrong'),
  ]
  assert.equal(without, [
    `[jwt_auth] incorrect_password: <strong>Error:</strong> The password you entered for the ${wrongName} is incorrect. ${lost}`,
    `[jwt_auth] incorrect_password: <strong>Error:</strong> The password you entered for the ${wrongMail} is incorrect. ${lost}`,
    '[jwt_auth] invalid_username: <strong>Error:</strong> The username <strong>&lt;b&gt;nobody</strong> is not registered on this site. If you are unsure of your username, try your email address instead.',
    '[jwt_auth] invalid_email: <strong>Error:</strong> Unknown email address. Check again or try your username.',
    '[jwt_auth] empty_password: <strong>Error:</strong> The password field is empty.',
    '[jwt_auth] empty_username: <strong>Error:</strong> The username field is empty.',
  ])
  await site.kernel.services.applicationPasswords.create(site.users.ann, { name: 'any' })
  const wrong = '[jwt_auth] incorrect_password: The provided password is an invalid application password.'
  const unknown =
    '[jwt_auth] invalid_username: <strong>Error:</strong> Unknown username. Check again or try your email address.'
  const used = [
    await refusal('ed', 'wrong'),
    await refusal('nobody', 'x'),
    await refusal('ed'),
    await refusal(undefined, 'x'),
  ]
  assert.equal(used, [wrong, unknown, wrong, unknown])
})

jwt('hides whether an account exists if the site asks for it', async () => {
  await using site = await siteWith(sqlite, { hide_accounts: true })
  const refusals = await Promise.all(['ed', 'no'].map((username) => ask(site, { username, password: 'wrong' })))
  const [known, unknown] = refusals.map(({ body }) =>
    JSON.stringify(body).replaceAll(/strong>(?:ed|no)</g, 'strong>*<'),
  )
  assert.is(unknown, known)
  assert.match(known!, 'incorrect_password')
})

jwt('limits wrong passwords as the login page does, and checks no password beyond the limit', async () => {
  await using site = await siteWith(
    sqlite,
    {},
    { plugins: { jwt: { secret: SECRET }, 'login-attempts': { tries: 2 } } },
  )
  const from = { 'x-forwarded-for': '203.0.113.9' }
  for (const password of ['one', 'two']) assert.is((await ask(site, { username: 'ed', password }, from)).status, 403)
  const limited = await ask(site, { username: 'ed@mail.example', password: passwordOf('ed') }, from)
  assert.equal([limited.status, limited.body.code], [429, 'login_too_many_attempts'])
  assert.ok(Number(limited.headers.get('retry-after')) > 0)
})

jwt('asks the taps of authenticate, such as a second factor', async () => {
  const secondFactor = definePlugin({
    name: 'second-factor',
    needs: ['login'],
    apply({ hooks }) {
      hooks.authenticate.tap('second-factor', (_user, login) =>
        login === 'ed' ? new RestError('second_factor_missing', 'Send a code.', { status: 401 }) : undefined!,
      )
    },
  })
  await using site = await siteWith(sqlite, {}, { add: [secondFactor] })
  const { status, body } = await ask(site, { username: 'ed', password: passwordOf('ed') })
  assert.equal([status, body.code, body.message], [403, '[jwt_auth] second_factor_missing', 'Send a code.'])
  assert.type(await tokenOf(site, 'ann'), 'string')
})

jwt('refuses every request with an invalid token, and validates tokens', async () => {
  await using site = await siteWith()
  const valid = { iss: site.home, iat: NOW - 5, nbf: NOW - 5, exp: NOW + 600, data: { user: { id: site.users.ed } } }
  const other = { secret: 'another secret of the test, many characters' }
  const wrongTokens: [token: string, code: string, message: string][] = [
    ['garbage', 'jwt_auth_invalid_token', 'Wrong number of segments'],
    ['a.b.c', 'jwt_auth_invalid_token', 'Syntax error, malformed JSON'],
    [`${encoded('text')}.${encoded({})}.x`, 'jwt_auth_invalid_token', 'Syntax error, malformed JSON'],
    [sign(valid, { header: {} }), 'jwt_auth_invalid_token', 'Empty algorithm'],
    [sign(valid, { header: { alg: 'none' } }), 'jwt_auth_invalid_token', 'Algorithm not supported'],
    [sign(valid, { header: { alg: 'HS512' } }), 'jwt_auth_invalid_token', 'Incorrect key for this algorithm'],
    [sign(valid, other), 'jwt_auth_invalid_token', 'Signature verification failed'],
    [sign(valid).slice(0, -2), 'jwt_auth_invalid_token', 'Signature verification failed'],
    [sign({ ...valid, exp: NOW - 1 }), 'jwt_auth_invalid_token', 'Expired token'],
    [sign({ ...valid, exp: 'never' }), 'jwt_auth_invalid_token', 'Expired token'],
    [
      sign({ ...valid, nbf: 4_102_444_800 }),
      'jwt_auth_invalid_token',
      'Cannot handle token prior to 2100-01-01T00:00:00+0000',
    ],
    [
      sign({ ...valid, iat: 4_102_444_800 }),
      'jwt_auth_invalid_token',
      'Cannot handle token prior to 2100-01-01T00:00:00+0000',
    ],
    [sign({ ...valid, iss: 'https://elsewhere.test' }), 'jwt_auth_bad_iss', 'The iss do not match with this server'],
    [sign({ ...valid, iss: undefined }), 'jwt_auth_bad_iss', 'The iss do not match with this server'],
    [sign({ ...valid, data: {} }), 'jwt_auth_bad_request', 'User ID not found in the token'],
    ['', 'jwt_auth_bad_auth_header', 'Authorization header malformed.'],
  ]
  for (const [token, code, message] of wrongTokens) {
    for (const [path, method] of [
      ['/svc/v2/posts', 'GET'],
      ['/', 'GET'],
      [TOKEN, 'POST'],
      [VALIDATE, 'POST'],
    ] as const) {
      const response = await site.request(path, { method, headers: bearer(token) })
      const body = (await response.json()) as Body
      assert.equal([response.status, body.code, body.message], [403, code, message], `${path} with ${token}`)
    }
  }
  const validate = async (headers: Record<string, string>) => {
    const response = await site.request(VALIDATE, { method: 'POST', headers })
    return [response.status, ((await response.json()) as Body).code]
  }
  assert.equal(await validate(bearer(sign(valid))), [200, 'jwt_auth_valid_token'])
  assert.equal(await validate(bearer(sign({ ...valid, data: { user: { id: '9999' } } }))), [
    200,
    'jwt_auth_valid_token',
  ])
  assert.equal(await validate({}), [403, 'jwt_auth_no_auth_header'])
  assert.equal(await validate({ authorization: sign(valid) }), [403, 'jwt_auth_bad_auth_header'])
  assert.equal(await validate({ authorization: `bearer ${sign(valid)}` }), [403, 'jwt_auth_bad_auth_header'])
})

jwt('treats unknown users and other schemes as visitors', async () => {
  await using site = await siteWith()
  const valid = { iss: site.home, exp: NOW + 600, data: { user: { id: String(site.users.ed) } } }
  for (const id of ['9999', 'x', 1.5, '1e400']) {
    const token = sign({ ...valid, data: { user: { id } } })
    assert.is((await site.get(ME, bearer(token))).status, 401, String(id))
    assert.is((await site.get('/svc/v2/posts', bearer(token))).status, 200)
  }
  for (const authorization of [`bearer ${sign(valid)}`, `BEARER ${sign(valid)}`, sign(valid), 'Token x'])
    assert.is((await site.get(ME, { authorization })).status, 401, authorization)
  assert.is((await site.get(ME, { authorization: `Bearer   ${sign(valid)}` })).status, 200)
})

jwt('never caches responses for a user as those for visitors', async () => {
  await using site = await siteWith()
  const token = await tokenOf(site, 'ed')
  const path = '/svc/v2/posts?status=draft,publish&_fields=id'
  for (let round = 0; round < 2; round += 1) {
    assert.is((await site.get(path, bearer(token))).status, 200)
    assert.is((await site.get(path)).status, 400)
    assert.is((await site.get('/svc/v2/posts', bearer('garbage'))).status, 403)
    assert.is((await site.get('/svc/v2/posts')).status, 200)
  }
})

jwt('changes accounts only if the option or the application password permits it', async () => {
  const change = async (site: SiteWithUsers, token: string) => {
    const init = { method: 'POST', headers: { ...bearer(token), 'content-type': 'application/json' } }
    const response = await site.request(ME, { ...init, body: '{"email":"new@mail.example"}' })
    const { code = null } = (await response.json()) as Body
    return [response.status, code]
  }
  {
    await using site = await siteWith()
    const { applicationPasswords } = site.kernel.services
    const { password } = await applicationPasswords.create(site.users.ed, { name: 'content' })
    const { password: full } = await applicationPasswords.create(site.users.ed, { name: 'full', scopes: ['accounts'] })
    assert.equal(await change(site, await tokenOf(site, 'ed')), [403, 'jwt_auth_account_change'])
    assert.equal(await change(site, await tokenOf(site, 'ed', password)), [403, 'rest_insufficient_scope'])
    assert.equal(await change(site, await tokenOf(site, 'ed', full)), [200, null])
  }
  await using site = await siteWith(sqlite, { account_changes: true })
  assert.equal(await change(site, await tokenOf(site, 'ed')), [200, null])
})

jwt('refuses all tokens without a secret, and a short secret at start', async () => {
  const logged: string[] = []
  const options = { plugins: { jwt: true }, log: 'warn', logTo: (line: string) => logged.push(line) }
  await using site = await serveWithUsers(sqlite, options)
  const { status, body } = await ask(site, { username: 'ed', password: passwordOf('ed') })
  assert.equal([status, body.code], [403, 'jwt_auth_bad_config'])
  const empty = sign({ iss: site.home, exp: NOW + 600, data: { user: { id: site.users.ed } } }, { secret: '' })
  for (const path of [ME, '/svc/v2/posts']) {
    const refused = await site.get(path, bearer(empty))
    assert.equal([refused.status, ((await refused.json()) as Body).code], [403, 'jwt_auth_bad_config'])
  }
  assert.ok(logged.some((line) => line.includes('The plugin jwt has no secret')))
  const short = await siteWith(sqlite, { secret: 'short' }).catch((error: unknown) => error)
  assert.match(String(short), 'The option "secret" of jwt')
})

jwt('passes claims and responses through hooks', async () => {
  const hooked = definePlugin({
    name: 'hooked',
    needs: ['jwt'],
    apply({ hooks }) {
      hooks.jwt_auth_token_before_sign.tap('hooked', (claims, user) => ({ ...claims, roles: user.roles }))
      hooks.jwt_auth_token_before_dispatch.tap('hooked', (response, { id }) => ({ ...response, id }))
    },
  })
  await using site = await siteWith(sqlite, {}, { add: [hooked] })
  const { body } = await ask(site, { username: 'ed', password: passwordOf('ed') })
  assert.is(body.id, site.users.ed)
  assert.equal(claimsOf(body.token).roles, ['editor'])
})

jwt.run()
