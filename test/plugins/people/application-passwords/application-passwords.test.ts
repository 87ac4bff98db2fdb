import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { serve } from '../../../helpers/site.ts'
import { until } from '../../../helpers/until.ts'
import { databases, serveWithUsers, type UserIds, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const ME = '/svc/v2/users/me'
const OWN = `${ME}/application-passwords`

const basic = (login: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
})
/** A text in the form of an application password. */
const WRONG = 'wrongwrongwrongwrong1234'
const statusAndCode = async (response: Response) => [
  response.status,
  ((await response.json()) as { code?: string }).code,
]

interface CreatedPassword {
  uuid: string
  password: string
}

for (const { name, place } of databases) {
  const passwords = suite<{ site: SiteWithUsers }>(`application passwords on ${name}`)
  stopClockFor(passwords)

  passwords.before(async (context) => {
    context.site = await serveWithUsers(place)
  })
  passwords.after(async ({ site }) => site?.[Symbol.asyncDispose]())

  let number = 0
  const make = async (
    site: SiteWithUsers,
    login: keyof UserIds = 'ann',
    scopes: readonly 'accounts'[] = [],
  ): Promise<CreatedPassword & { headers: Record<string, string> }> => {
    const name = `program ${(number += 1)}`
    const { item, password } = await site.kernel.services.applicationPasswords.create(site.users[login], {
      name,
      scopes,
    })
    return { uuid: item.uuid, password, headers: basic(login, password) }
  }
  const row = (site: SiteWithUsers, uuid: string) =>
    site.store.first(site.store.db.selectFrom('application_passwords').selectAll().where('uuid', '=', uuid))

  passwords('S21: are stored hashed, and shown once', async ({ site }) => {
    const answer = await site.send('POST', OWN, { name: 'phone' }, 'ann')
    const created = (await answer.json()) as CreatedPassword
    assert.is(answer.status, 201)
    assert.match(created.password, /^\w{4}( \w{4}){5}$/)
    assert.is(
      answer.headers.get('location'),
      `${site.home}/svc-json/svc/v2/users/${site.users.ann}/application-passwords/${created.uuid}`,
    )
    const stored = JSON.stringify(await row(site, created.uuid))
    assert.match(stored, /"hash":"sha256:[0-9a-f]{64}"/)
    assert.not.match(stored, created.password.replaceAll(' ', ''))
    const again = await site.json(`${OWN}/${created.uuid}?context=edit`, site.by('ann'))
    assert.is(again.name, 'phone')
    assert.is(again.password, undefined)
  })

  passwords('have names of one line of plain text', async ({ site }) => {
    const answer = await site.send('POST', OWN, { name: ' My  <b>phone</b>\n& pad ' }, 'ann')
    const { uuid, name } = (await answer.json()) as CreatedPassword & { name: string }
    assert.is(name, 'My phone & pad')
    const rename = async (name: string) => statusAndCode(await site.send('PUT', `${OWN}/${uuid}`, { name }, 'ann'))
    assert.equal(await rename('<i></i>'), [400, 'application_password_empty_name'])
    assert.equal(await statusAndCode(await site.send('POST', OWN, { name: '<i></i>' }, 'ann')), [
      400,
      'application_password_empty_name',
    ])
    // Names need not be unique: the UUID identifies a password.
    assert.equal(await statusAndCode(await site.send('POST', OWN, { name: 'My phone & pad' }, 'ann')), [201, undefined])
    assert.equal(await rename('My phone & pad '), [200, undefined])
  })

  passwords('S21: authenticate their user, with or without spaces', async ({ site }) => {
    const { password } = await make(site)
    for (const [login, secret] of [
      ['ann', password],
      ['ANN', password.replaceAll(' ', '')],
      ['ann@mail.example', ` ${password} `],
    ] as const) {
      const answer = await site.get(ME, basic(login, secret))
      assert.is(((await answer.json()) as { id: number }).id, site.users.ann)
      assert.match(answer.headers.get('cache-control')!, /no-cache.*private/)
      assert.is(answer.headers.get('x-svc-nonce'), null)
    }
  })

  passwords('S21: are refused with a reason if they are wrong, on public routes too', async ({ site }) => {
    const { password } = await make(site)
    for (const headers of [
      basic('ann', WRONG),
      basic('ann', WRONG.replaceAll(/.{4}/g, '$& ').trim()),
      basic('ed', password),
      basic('nobody', password),
    ]) {
      const answer = await site.get('/svc/v2/types', headers)
      const body = (await answer.json()) as { code: string; message: string }
      assert.equal([answer.status, body.code], [401, 'incorrect_password'])
      assert.match(body.message, 'is wrong or revoked')
      assert.match(answer.headers.get('cache-control')!, 'no-store')
    }
  })

  passwords('leave a request a visitor’s if the header is meant for another program', async () => {
    await using site = await serveWithUsers(place)
    const base64 = (text: string) => Buffer.from(text).toString('base64')
    const foreign = [
      '',
      'Basic',
      'Basic !!!',
      'Basic a b',
      'garbage',
      'Bearer x.y.z',
      'Digest username="gate"',
      'Negotiate TlRMTVNTUAAB',
      ...['no colon', ':secret', 'gate:secret', 'ann:secret', 'ann:pass phrase of ann', 'gate:\xff'].map(
        (text) => `Basic ${base64(text)}`,
      ),
    ]
    const bodyOf = async (headers: Record<string, string>) => {
      const response = await site.get('/svc/v2/posts?_fields=id,title', headers)
      return [response.status, await response.text()]
    }
    const asVisitor = await bodyOf({})
    for (const authorization of foreign) {
      // More often than the limit of wrong application passwords.
      for (let at = 0; at < 7; at += 1) assert.equal(await bodyOf({ authorization }), asVisitor, authorization)
      assert.equal(
        await statusAndCode(await site.get(ME, { authorization })),
        [401, 'rest_not_logged_in'],
        authorization,
      )
      assert.is((await site.send('POST', '/svc/v2/posts', { title: 'x' })).status, 401)
      const draft = await site.get('/svc/v2/posts?status=draft', { authorization })
      assert.ok([400, 401].includes(draft.status), `${draft.status} ${authorization}`)
      // The session of a user counts.
      for (const login of ['admin', 'ed', 'ann', 'con', 'sub'] as const)
        assert.is((await site.get(ME, { authorization, ...site.by(login) })).status, 200, login)
    }
  })

  passwords('S21: are refused immediately after they are revoked', async ({ site }) => {
    const [one, other] = [await make(site), await make(site, 'ann', ['accounts'])]
    assert.is((await site.get(ME, one.headers)).status, 200)
    assert.is((await site.get(ME, other.headers)).status, 200)
    const revoked = await site.request(`${OWN}/${one.uuid}`, { method: 'DELETE', headers: other.headers })
    assert.is(((await revoked.json()) as { previous: CreatedPassword }).previous.uuid, one.uuid)
    assert.is((await site.get(ME, one.headers)).status, 401)
    assert.is((await site.get(ME, other.headers)).status, 200)
    const all = await site.request(OWN, { method: 'DELETE', headers: other.headers })
    assert.ok(((await all.json()) as { count: number }).count >= 1)
    assert.is((await site.get(ME, other.headers)).status, 401)
  })

  passwords('S21: are refused after their user is deleted', async ({ site }) => {
    const { users, applicationPasswords } = site.kernel.services
    const { id } = await users.create({ login: 'gone', email: 'gone@mail.example' })
    const { password } = await applicationPasswords.create(id, { name: 'p' })
    assert.is((await site.get(ME, basic('gone', password))).status, 200)
    await users.delete(id, null)
    assert.is((await site.get(ME, basic('gone', password))).status, 401)
  })

  passwords('S21: have the capabilities of a new role immediately', async ({ site }) => {
    const { headers } = await make(site, 'con')
    assert.is((await site.get('/svc/v2/settings', headers)).status, 403)
    await site.kernel.services.users.update(site.users.con, { roles: ['administrator'] })
    assert.is((await site.get('/svc/v2/settings', headers)).status, 200)
  })

  passwords('S21: record one use for a hundred concurrent requests', async () => {
    let writes = 0
    {
      await using site = await serveWithUsers(place)
      const { uuid, headers } = await make(site)
      site.store.onStatement(({ sql }) => {
        if (sql.startsWith('update "application_passwords"')) writes += 1
      })
      const send = () => site.get('/svc/v2/types?_fields=post.slug', headers)
      const answers = await Promise.all(Array.from({ length: 100 }, send))
      assert.ok(answers.every(({ status }) => status === 200))
      await until(async () => (await row(site, uuid))!.last_used !== null)
      await send()
      const stored = await row(site, uuid)
      assert.equal([stored!.last_used, stored!.last_ip], [Math.floor(Date.now() / 1000), '127.0.0.1'])
      const shown = await site.json(`${OWN}/${uuid}`, site.by('ann'))
      assert.match(shown.last_used, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
      assert.is(shown.last_ip, '127.0.0.1')
    }
    // Recorded uses are written when the site stops.
    assert.is(writes, 1)
  })

  passwords('need one indexed statement, and none while they are cached', async ({ site }) => {
    const { headers } = await make(site)
    const send = () => site.get('/svc/v2/types?_fields=post.slug', headers)
    const first = await site.statements(send)
    assert.is(first.filter((sql) => /"application_passwords"/.test(sql)).length, 1)
    const second = await site.statements(send)
    assert.equal(
      second.filter((sql) => /"application_passwords"|"users"/.test(sql)),
      [],
    )
  })

  passwords('S21: are refused over plain HTTP from other machines', async () => {
    await using site = await serveWithUsers(place, { trust_proxy: true })
    const { headers } = await make(site)
    const far = { ...headers, 'x-forwarded-for': '203.0.113.5' }
    assert.equal(await statusAndCode(await site.get('/svc/v2/types', far)), [401, 'rest_authorization_insecure'])
    assert.is((await site.get('/svc/v2/types', { ...far, 'x-forwarded-proto': 'https' })).status, 200)
    assert.is((await site.get('/svc/v2/types', headers)).status, 200)
    // A recently verified password is no exception.
    assert.is((await site.get('/svc/v2/types', far)).status, 401)
  })

  passwords('S21: are accepted over plain HTTP from other machines if configured', async () => {
    await using site = await serveWithUsers(place, {
      trust_proxy: true,
      plugins: { 'application-passwords': { insecure: true } },
    })
    const { headers } = await make(site)
    assert.is((await site.get(ME, { ...headers, 'x-forwarded-for': '203.0.113.5' })).status, 200)
  })

  passwords('S22: are rate-limited only if they are wrong', async () => {
    await using site = await serveWithUsers(place)
    const { headers } = await make(site)
    const wrong = () => site.get('/svc/v2/types', basic('ann', WRONG))
    const answers: Response[] = []
    for (let at = 0; at < 7; at += 1) answers.push(await wrong())
    assert.equal(
      answers.map(({ status }) => status),
      [401, 401, 401, 401, 401, 429, 429],
    )
    assert.ok(Number(answers[6]!.headers.get('retry-after')) > 0)
    assert.is((await site.get(ME, headers)).status, 200)
  })

  passwords('can be listed and renamed by their user only', async ({ site }) => {
    const one = await make(site, 'ed')
    const { uuid } = one
    const path = `${OWN}/${uuid}`
    const list = (await site.json(OWN, site.by('ed'))) as { uuid: string; name: string }[]
    assert.ok(list.some((item) => item.uuid === uuid))
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const renamed = await site.send(method, path, { name: `by ${method}` }, 'ed')
      assert.equal([renamed.status, ((await renamed.json()) as { name: string }).name], [200, `by ${method}`])
    }
    const app = '7f9e6c1e-9c9d-5f0b-8f43-0e5f2a0b3a11'
    const ofApp = (await (await site.send('POST', OWN, { name: 'App', app_id: app }, 'ed')).json()) as CreatedPassword
    const changed = await site.send('PUT', `${OWN}/${ofApp.uuid}`, { app_id: '' }, 'ed')
    assert.is(((await changed.json()) as { app_id: string }).app_id, app)
    assert.equal(await statusAndCode(await site.get(`${OWN}/nothing-here`, site.by('ed'))), [
      404,
      'rest_application_password_not_found',
    ])
    // Passwords of other users are not found.
    assert.equal(await statusAndCode(await site.get(path, site.by('ann'))), [
      404,
      'rest_application_password_not_found',
    ])
  })

  passwords('require a name and a valid UUID of the program', async ({ site }) => {
    assert.equal(await statusAndCode(await site.send('POST', OWN, {}, 'ann')), [400, 'rest_missing_callback_param'])
    for (const body of [{ name: '' }, { name: '  ' }, { name: 'x', app_id: 'no uuid' }, { name: ['x'] }]) {
      assert.equal(
        await statusAndCode(await site.send('POST', OWN, body, 'ann')),
        [400, 'rest_invalid_param'],
        JSON.stringify(body),
      )
    }
    assert.is((await site.send('POST', OWN, { name: 'empty id', app_id: '' }, 'ann')).status, 201)
  })

  passwords('are managed by their user and by users who can edit users', async ({ site }) => {
    const { uuid } = await make(site)
    const path = `/svc/v2/users/${site.users.ann}/application-passwords`
    const codes: [string, string, string][] = [
      ['GET', path, 'rest_cannot_list_application_passwords'],
      ['POST', path, 'rest_cannot_create_application_passwords'],
      ['DELETE', path, 'rest_cannot_delete_application_passwords'],
      ['GET', `${path}/${uuid}`, 'rest_cannot_read_application_password'],
      ['PUT', `${path}/${uuid}`, 'rest_cannot_edit_application_password'],
      ['DELETE', `${path}/${uuid}`, 'rest_cannot_delete_application_password'],
      ['GET', `${path}/introspect`, 'rest_cannot_introspect_app_password_for_non_authenticated_user'],
    ]
    for (const [method, url, code] of codes) {
      const init = (headers: Record<string, string>) => ({
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(method !== 'GET' && { body: '{"name":"x"}' }),
      })
      assert.equal(await statusAndCode(await site.request(url, init(site.by('ed')))), [403, code])
      assert.equal(await statusAndCode(await site.request(url, init({}))), [401, code])
    }
    assert.is((await site.get(path, site.by('admin'))).status, 200)
    assert.equal(await statusAndCode(await site.get(OWN)), [401, 'rest_not_logged_in'])
    assert.equal(await statusAndCode(await site.get('/svc/v2/users/9999/application-passwords', site.by('admin'))), [
      404,
      'rest_user_invalid_id',
    ])
  })

  passwords('can be identified by the program that uses them', async ({ site }) => {
    const { uuid, headers } = await make(site)
    const shown = await site.json(`${OWN}/introspect`, headers)
    assert.is(shown.uuid, uuid)
    // The request itself is the first use, which is written later.
    assert.match(shown.last_used, /^\d{4}-\d\d-\d\dT/)
    assert.is(shown.last_ip, '127.0.0.1')
    assert.equal(await statusAndCode(await site.get(`${OWN}/introspect`, site.by('ann'))), [
      404,
      'rest_no_authenticated_app_password',
    ])
  })

  passwords.run()
}

const options = suite('application password options')
const SITE = databases[0]!.place

options('treat requests with wrong credentials as visitors if configured', async () => {
  await using site = await serveWithUsers(SITE, { plugins: { 'application-passwords': { lenient: true } } })
  assert.is((await site.get('/svc/v2/types', basic('ann', WRONG))).status, 200)
  assert.equal(await statusAndCode(await site.get(ME, basic('ann', WRONG))), [401, 'rest_not_logged_in'])
})

options('let a plugin disable application passwords for a user', async () => {
  const strict = definePlugin({
    name: 'test-strict',
    needs: ['application-passwords'],
    apply({ hooks }) {
      hooks.application_passwords_available_for_user.tap('test-strict', (available, { id }) => available && id !== 2)
    },
  })
  await using site = await serveWithUsers(SITE, { add: [strict] })
  const created = await site.kernel.services.applicationPasswords.create(2, { name: 'before' })
  assert.equal(await statusAndCode(await site.get(ME, basic('ed', created.password))), [
    401,
    'application_passwords_disabled_for_user',
  ])
  assert.equal(await statusAndCode(await site.get(OWN, site.by('ed'))), [
    501,
    'application_passwords_disabled_for_user',
  ])
  assert.is((await site.get(OWN, site.by('ann'))).status, 200)
})

options('require unique names in the revisions that specify it', async () => {
  const revision = '6.1'
  await using site = await serveWithUsers(databases[0]!.place, { revision })
  const answers = await Promise.all(Array.from({ length: 5 }, () => site.send('POST', OWN, { name: 'same' }, 'ann')))
  assert.equal(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409, 409, 409],
  )
})

options('announce the authorization URL, except over plain HTTP', async () => {
  const announced = async (config: Record<string, unknown>) => {
    await using site = await serve(config)
    return (await site.json('/?_fields=authentication')).authentication
  }
  const at = (url: string) => ({ 'application-passwords': { endpoints: { authorization: url } } })
  assert.equal(await announced({ home: 'https://site.test' }), at('https://site.test/svc-admin/authorize-application'))
  assert.equal(await announced({ home: 'http://site.test' }), [])
  assert.equal(await announced({ home: 'http://localhost' }), at('http://localhost/svc-admin/authorize-application'))
  assert.equal(
    await announced({ home: 'https://site.test', word: 'wp' }),
    at('https://site.test/wp-admin/authorize-application.php'),
  )
})

options.run()
