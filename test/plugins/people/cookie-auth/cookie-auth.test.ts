import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError } from '../../../../kernel/index.ts'
import { formNonce } from '../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../helpers/browser.ts'
import { stopClock, stopClockFor } from '../../../helpers/clock.ts'
import { learned } from '../../../helpers/learned.ts'
import { serve } from '../../../helpers/site.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const ME = '/svc/v2/users/me'
const BODY = { 'content-type': 'application/json' }

for (const { name, place } of databases) {
  const cookies = suite<{ site: SiteWithUsers }>(`cookies and nonces on ${name}`)
  stopClockFor(cookies)

  cookies.before(async (context) => {
    context.site = await serveWithUsers(place)
  })
  cookies.after(async ({ site }) => site?.[Symbol.asyncDispose]())

  const enter = async (site: SiteWithUsers, login = 'ann', more = {}): Promise<Browser> => {
    const browser = browse(site)
    assert.is((await browser.logIn(login, `pass phrase of ${login}`, more)).status, 302)
    return browser
  }
  const statusAndCode = async (response: Response) => [
    response.status,
    ((await response.json()) as { code?: string }).code,
  ]

  cookies('S18: do not authenticate without a nonce', async ({ site }) => {
    const browser = await enter(site)
    assert.equal(await statusAndCode(await browser.api(ME, null)), [401, 'rest_not_logged_in'])
    const open = await browser.api('/svc/v2/types', null)
    assert.is(open.status, 200)
    assert.is(open.headers.get('x-svc-nonce'), null)
  })

  cookies('S18: authenticate with a nonce, and the response contains a fresh one', async ({ site }) => {
    const browser = await enter(site)
    const answer = await browser.api(ME, await browser.nonce())
    assert.is(((await answer.json()) as { id: number }).id, site.users.ann)
    assert.match(answer.headers.get('cache-control')!, /no-cache.*private/)
    assert.is(answer.headers.get('expires'), 'Wed, 11 Jan 1984 05:00:00 GMT')
    const again = await browser.api(ME, answer.headers.get('x-svc-nonce'))
    assert.is(again.status, 200)
  })

  cookies('S18: accept the nonce as a parameter, which takes precedence over the header', async ({ site }) => {
    const browser = await enter(site)
    const nonce = await browser.nonce()
    assert.is((await browser.api(`${ME}?_svcnonce=${nonce}`, null)).status, 200)
    assert.is((await browser.api(`${ME}?_svcnonce=${nonce}`, 'wrong')).status, 200)
    assert.is((await browser.api(`${ME}?_svcnonce=wrong`, nonce)).status, 403)
    const form = { method: 'POST', body: new URLSearchParams({ _svcnonce: nonce, description: 'By form' }) }
    assert.is((await browser.api(ME, null, form)).status, 200)
    const json = { method: 'POST', headers: BODY, body: JSON.stringify({ _svcnonce: nonce, description: 'By JSON' }) }
    assert.is((await browser.api(ME, null, json)).status, 200)
  })

  cookies('S18: are refused with a wrong nonce, for all users and actions', async ({ site }) => {
    const browser = await enter(site)
    const [other, stranger] = [await enter(site, 'ed'), browse(site)]
    const foreign = await other.nonce()
    for (const nonce of ['wrong', '', '0123456789abcdef0123', foreign]) {
      assert.equal(await statusAndCode(await browser.api(ME, nonce)), [403, 'rest_cookie_invalid_nonce'], nonce)
    }
    const answer = await stranger.api('/svc/v2/types', 'wrong')
    assert.equal(
      [answer.status, await answer.json()],
      [403, { code: 'rest_cookie_invalid_nonce', message: 'Cookie nonce is invalid', data: { status: 403 } }],
    )
    assert.is((await browser.api(`${ME}?_svcnonce[]=a`, null)).status, 403)
  })

  cookies('S18: accept nonces of their own session only', async ({ site }) => {
    const [here, there] = [await enter(site), await enter(site)]
    assert.is((await here.api(ME, await here.nonce())).status, 200)
    assert.equal(await statusAndCode(await here.api(ME, await there.nonce())), [403, 'rest_cookie_invalid_nonce'])
  })

  cookies('S18: accept no nonce of another action', async ({ site }) => {
    const browser = await enter(site)
    const page = await (await browser.open('/svc-admin/')).text()
    const other = formNonce(page)
    assert.is(other.length, 20)
    assert.equal(await statusAndCode(await browser.api(ME, other)), [403, 'rest_cookie_invalid_nonce'])
  })

  cookies('S18: are invalid after the log-out, like their nonces', async ({ site }) => {
    const browser = await enter(site)
    const [nonce, cookie] = [await browser.nonce(), browser.cookie]
    await browser.api(ME, nonce)
    const page = await (await browser.open('/svc-admin/')).text()
    await browser.send('/svc-admin/log-out', { do: 'log-out', _svcnonce: formNonce(page) })
    assert.is(browser.cookie, '')
    browser.cookie = cookie
    assert.equal(await statusAndCode(await browser.api(ME, nonce)), [403, 'rest_cookie_invalid_nonce'])
    assert.is((await browser.open('/svc-admin/ajax?action=rest-nonce')).status, 400)
  })

  cookies('S18: are invalid after a change of the password, like their nonces', async ({ site }) => {
    const browser = await enter(site, 'con')
    const nonce = await browser.nonce()
    assert.is((await browser.api(ME, nonce)).status, 200)
    const changed = await site.send('POST', `/svc/v2/users/${site.users.con}`, { password: 'another phrase' }, 'admin')
    assert.is(changed.status, 200)
    assert.equal(await statusAndCode(await browser.api(ME, nonce)), [403, 'rest_cookie_invalid_nonce'])
    assert.is((await browser.open('/svc-admin/ajax?action=rest-nonce')).status, 400)
    assert.is((await browser.logIn('con', 'pass phrase of con')).status, 401)
    assert.is((await browser.logIn('con', 'another phrase')).status, 302)
  })

  cookies('S19: permit no changes by a form of another site', async ({ site }) => {
    const browser = await enter(site)
    const change = JSON.stringify({ description: 'CSRF' })
    const multipart = new FormData()
    multipart.set('description', 'CSRF')
    const bodies: RequestInit[] = [
      { body: new URLSearchParams({ description: 'CSRF' }) },
      { body: change, headers: { 'content-type': 'text/plain' } },
      { body: change, headers: BODY },
      { body: multipart },
      { body: new URLSearchParams({ description: 'CSRF' }), headers: { 'x-http-method-override': 'PUT' } },
    ]
    for (const init of bodies) {
      // A visitor has no account that `users/me` could change.
      assert.is((await browser.api(ME, null, { method: 'POST', ...init })).status, 404)
      assert.is((await browser.api(`/svc/v2/users/${site.users.ann}`, null, { method: 'POST', ...init })).status, 401)
    }
    const ann = (await (await browser.api(ME, await browser.nonce())).json()) as { description: string }
    assert.is.not(ann.description, 'CSRF')
  })

  cookies('S19: are HttpOnly and SameSite', async ({ site }) => {
    const plain = (await browse(site).logIn('ann', 'pass phrase of ann')).headers.getSetCookie()
    assert.is(plain.length, 1)
    assert.match(plain[0]!, /^svc_logged_in_[0-9a-f]{32}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    const remembered = await browse(site).logIn('ann', 'pass phrase of ann', { rememberme: 'forever' })
    assert.match(remembered.headers.getSetCookie()[0]!, /; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  cookies('S20: give unknown origins no access to responses', async () => {
    await using site = await serveWithUsers(place, { plugins: { cors: { origins: ['https://app.test'] } } })
    const browser = await enter(site)
    const nonce = await browser.nonce()
    const granted = async (origin: string, path = `/svc-json${ME}`) => {
      const { headers } = await browser.open(path, { headers: { origin, 'x-svc-nonce': nonce } })
      return [headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]
    }
    assert.equal(await granted('https://app.test'), ['https://app.test', 'true'])
    for (const origin of ['https://evil.test', 'null']) assert.equal(await granted(origin), [null, null])
    // The URL that returns nonces and the pages are only for pages of the site.
    for (const path of ['/svc-admin/ajax?action=rest-nonce', '/svc-admin/', '/svc-login']) {
      assert.equal(await granted('https://app.test', path), [null, null])
    }
  })

  cookies('S20: give pages of other origins public content only, because they lack the nonce', async ({ site }) => {
    const browser = await enter(site)
    for (const origin of ['https://evil.test', 'null']) {
      const refused = await browser.open(`/svc-json${ME}`, { headers: { origin } })
      assert.is(refused.headers.get('access-control-allow-credentials'), 'true')
      assert.is(refused.headers.get('access-control-expose-headers')?.includes('Nonce'), false)
      assert.is(refused.status, 401)
      // The pages and the URL that return nonces cannot be read.
      for (const path of ['/svc-admin/ajax?action=rest-nonce', '/svc-admin/', '/svc-login', '/']) {
        const { headers } = await browser.open(path, { headers: { origin } })
        assert.is(headers.get('access-control-allow-credentials'), null, path)
      }
    }
  })

  cookies('S23: give scripts of other sites no data', async () => {
    await using site = await serveWithUsers(place, { plugins: { jsonp: { enabled: true } } })
    const browser = await enter(site)
    const nonce = await browser.nonce()
    assert.equal(await statusAndCode(await browser.api(`${ME}?_jsonp=cb&_svcnonce=${nonce}`, null)), [
      403,
      'rest_callback_forbidden',
    ])
    const anonymous = await browser.api(`${ME}?_jsonp=cb`, null)
    assert.is(anonymous.headers.get('x-content-type-options'), 'nosniff')
    assert.match(await anonymous.text(), /^\/\*\*\/cb\(\{"code":"rest_not_logged_in"/)
  })

  cookies('do not authenticate after their user is deleted', async ({ site }) => {
    const { id } = await site.kernel.services.users.create({
      login: 'gone',
      email: 'gone@mail.example',
      password: 'pass phrase of gone',
    })
    const browser = await enter(site, 'gone')
    const nonce = await browser.nonce()
    assert.is((await browser.api(ME, nonce)).status, 200)
    await site.kernel.services.users.delete(id, null)
    assert.equal(await statusAndCode(await browser.api(ME, null)), [401, 'rest_not_logged_in'])
    assert.is((await browser.api('/svc/v2/types', null)).status, 200)
    assert.equal(await statusAndCode(await browser.api(ME, nonce)), [403, 'rest_cookie_invalid_nonce'])
  })

  cookies('expire with their session', async () => {
    using clock = stopClock()
    await using site = await serveWithUsers(place, { plugins: { 'cookie-auth': { session_life: 600 } } })
    const browser = await enter(site)
    const nonce = await browser.nonce()
    assert.is((await browser.api(ME, nonce)).status, 200)
    clock.advance(600_000)
    assert.equal(await statusAndCode(await browser.api(ME, nonce)), [403, 'rest_cookie_invalid_nonce'])
  })

  cookies('are ignored if they are malformed', async ({ site }) => {
    const { name: cookie } = site.kernel.services.sessionCookie
    for (const value of ['', 'x', 'a'.repeat(43), '%00', '"', 'ä'.repeat(3)]) {
      const answer = await site.get('/svc/v2/types', { cookie: `${cookie}=${encodeURI(value)}` })
      assert.is(answer.status, 200, value)
      assert.is((await site.get(ME, { cookie: `${cookie}=${encodeURI(value)}` })).status, 401)
    }
  })

  cookies('S40: and nonces are valid in every process on the same database', async () => {
    await using database = await place()
    const shared = { [Symbol.asyncDispose]: async () => {}, url: database.url }
    await using one = await serveWithUsers(async () => shared, { home: 'http://site.test' })
    await using other = await serve({ database: database.url, home: 'http://site.test' })
    const browser = browse({ kernel: one.kernel, home: one.listening })
    await browser.logIn('ann', 'pass phrase of ann')
    const nonce = await browser.nonce()
    assert.is(nonce.length, 20)
    const otherBrowser = browse({ kernel: other.kernel, home: other.listening })
    otherBrowser.cookie = browser.cookie
    assert.is((await otherBrowser.api(ME, nonce)).status, 200)
    await one.kernel.services.sessions.destroyAll(one.users.ann)
    await learned(one.store, other.store)
    assert.is((await otherBrowser.api(ME, nonce)).status, 403)
  })

  cookies('remain valid if destroyAll excludes their session', async ({ site }) => {
    const { sessions } = site.kernel.services
    const from = { ip: '192.0.2.1', agent: 'test' }
    const current = await sessions.create(site.users.ed, from)
    const ended = await sessions.create(site.users.ed, from)
    await sessions.destroyAll(site.users.ed, current.token)
    assert.is((await sessions.verify(current.token))?.userId, site.users.ed)
    assert.is(await sessions.verify(ended.token), undefined)
  })

  cookies.run()
}

const steps = suite('cookie authentication')

/** A plugin that checks the credentials before the cookie is read. */
const withJudgement = (judgement: RestError | true) =>
  definePlugin({
    name: 'test-judge',
    apply({ hooks }) {
      hooks.rest_authentication_errors.tap({ name: 'test-judge', stage: -100 }, () => judgement)
    },
  })

steps('returns the result of an earlier handler unchanged', async () => {
  const refusal = new RestError('test_refused', 'Not today.', { status: 418 })
  await using refusing = await serveWithUsers(databases[0]!.place, { add: [withJudgement(refusal)] })
  assert.is((await refusing.get('/svc/v2/types', { 'x-svc-nonce': 'wrong' })).status, 418)
  await using admitting = await serveWithUsers(databases[0]!.place, { add: [withJudgement(true)] })
  assert.is((await admitting.get('/svc/v2/types', { 'x-svc-nonce': 'wrong' })).status, 200)
})

steps('does not affect users identified by other credentials', async () => {
  await using site = await serveWithUsers(databases[0]!.place)
  const answer = await site.get(ME, { ...site.by('ann'), 'x-svc-nonce': 'wrong' })
  assert.is(answer.status, 200)
  assert.is(answer.headers.get('x-svc-nonce'), null)
})

steps('fires an action with the reason for an invalid cookie', async () => {
  const seen: string[] = []
  const listener = definePlugin({
    name: 'test-listener',
    needs: ['cookie-auth'],
    apply({ hooks }) {
      hooks.auth_cookie_valid.tap('test', (id) => void seen.push(`valid ${id}`))
      hooks.auth_cookie_malformed.tap('test', () => void seen.push('malformed'))
      hooks.auth_cookie_bad_session_token.tap('test', () => void seen.push('bad_session_token'))
    },
  })
  await using site = await serveWithUsers(databases[0]!.place, { add: [listener] })
  const { name } = site.kernel.services.sessionCookie
  const browser = browse(site)
  await browser.logIn('ann', 'pass phrase of ann')
  await browser.api('/svc/v2/types', null)
  await site.get('/svc/v2/types', { cookie: `${name}=x` })
  await site.get('/svc/v2/types', { cookie: `${name}=${'a'.repeat(43)}` })
  assert.equal(seen, [`valid ${site.users.ann}`, 'malformed', 'bad_session_token'])
})

steps('uses the word of the site in names of cookies and headers', async () => {
  await using site = await serveWithUsers(databases[0]!.place, { word: 'wp' })
  const browser = browse(site)
  await browser.logIn('ann', 'pass phrase of ann')
  assert.match(browser.cookie, /^wordpress_logged_in_[0-9a-f]{32}=/)
  const nonce = await browser.nonce()
  const answer = await browser.api('/wp/v2/users/me', nonce)
  assert.is(answer.status, 200)
  assert.is(answer.headers.get('x-wp-nonce')?.length, 20)
  assert.is((await browser.api(`/wp/v2/users/me?_wpnonce=${nonce}`, null)).status, 200)
})

steps('marks cookies as Secure if the site uses TLS', async () => {
  await using site = await serveWithUsers(databases[0]!.place, { home: 'https://site.test' })
  const browser = browse({ kernel: site.kernel, home: site.listening })
  const [cookie = ''] = (await browser.logIn('ann', 'pass phrase of ann')).headers.getSetCookie()
  assert.match(cookie, /; HttpOnly; Secure; SameSite=Lax$/)
})

steps.run()
