import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError } from '../../../../kernel/index.ts'
import { browse } from '../../../helpers/browser.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { until } from '../../../helpers/until.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const FORM = '/svc-login'
/** Headers with a client address as a proxy sends it. */
const from = (ip: string) => ({ 'x-forwarded-for': ip })

for (const { name, place } of databases) {
  const login = suite<{ site: SiteWithUsers }>(`login on ${name}`)
  stopClockFor(login)

  login.before(async (context) => {
    context.site = await serveWithUsers(place, { trust_proxy: true })
  })
  login.after(async ({ site }) => site?.[Symbol.asyncDispose]())

  let last = 0
  /** Returns an address that no other test in this file uses. */
  const fresh = () => `198.51.100.${(last += 1)}`
  const tryIn = (site: SiteWithUsers, log: string, pwd: string, ip = fresh()) =>
    browse(site).send(FORM, { log, pwd }, from(ip))

  login('S22: responds to an unknown user and a wrong password alike', async ({ site }) => {
    const wrong = await tryIn(site, 'ann', 'not the password')
    const unknown = await tryIn(site, 'nil', 'not the password')
    assert.equal([wrong.status, unknown.status], [401, 401])
    assert.equal((await wrong.text()).replaceAll('ann', '*'), (await unknown.text()).replaceAll('nil', '*'))
    assert.equal([...wrong.headers.keys()], [...unknown.headers.keys()])
    assert.equal(wrong.headers.getSetCookie(), [])
  })

  login('S22: takes as long for an unknown user as for a wrong password', async ({ site }) => {
    const { passwords, users } = site.kernel.services
    const { id } = await users.create({ login: 'imported', email: 'imported@mail.example' })
    await users.upgradePasswordHash(id, '', await bcrypt('old', 4))
    const verify = passwords.verify.bind(passwords)
    const checked: string[] = []
    passwords.verify = (plain, hash) => {
      checked.push(plain)
      return verify(plain, hash)
    }
    try {
      for (const log of ['ann', 'imported', 'nobody']) {
        const started = process.hrtime.bigint()
        await tryIn(site, log, `not that of ${log}`)
        // Only a lower bound: the machine can be slow.
        assert.ok(process.hrtime.bigint() - started >= 245_000_000n, log)
      }
    } finally {
      passwords.verify = verify
    }
    assert.equal(checked, ['not that of ann', 'not that of imported', 'not that of nobody'])
  })

  login('S22: limits failing clients, with Retry-After', async ({ site }) => {
    const ip = fresh()
    const statuses: number[] = []
    for (let at = 0; at < 7; at += 1) statuses.push((await tryIn(site, 'ann', 'wrong', ip)).status)
    assert.equal(statuses, [401, 401, 401, 401, 401, 429, 429])
    const right = await tryIn(site, 'ann', 'pass phrase of ann', ip)
    assert.is(right.status, 429)
    const wait = Number(right.headers.get('retry-after'))
    assert.ok(wait > 0 && wait <= 300, String(wait))
    assert.match(await right.text(), /role="alert"[^<]*>Too many failed login attempts/)
    // The same for an unknown user.
    const other = fresh()
    for (let at = 0; at < 5; at += 1) await tryIn(site, 'nobody at all', 'wrong', other)
    assert.is((await tryIn(site, 'nobody at all', 'wrong', other)).status, 429)
  })

  login('S22: limits guesses from many addresses without locking out the owner', async ({ site }) => {
    const home = fresh()
    assert.is((await tryIn(site, 'ed', 'pass phrase of ed', home)).status, 302)
    const { passwords } = site.kernel.services
    const verify = passwords.verify.bind(passwords)
    let checked = 0
    passwords.verify = (...args) => {
      checked += 1
      return verify(...args)
    }
    try {
      const names = ['ed', 'ED', ' eD', 'ed@mail.example', 'Ed@Mail.Example']
      const guesses = Array.from({ length: 60 }, (_, at) => tryIn(site, names[at % names.length]!, 'wrong'))
      const statuses = (await Promise.all(guesses)).map(({ status }) => status)
      const guessed = statuses.filter((status) => status === 401).length
      assert.equal([guessed <= 20, checked <= 20], [true, true], `${guessed} guessed, ${checked} checked`)
      assert.ok(statuses.every((status) => status === 401 || status === 429))
      // Unknown addresses are refused without checking the password.
      const before = checked
      while ((await tryIn(site, 'ed', 'wrong')).status === 401);
      assert.is((await tryIn(site, 'ed@mail.example', 'pass phrase of ed')).status, 429)
      assert.ok(checked <= 20, `${before} ${checked}`)
    } finally {
      passwords.verify = verify
    }
    assert.is((await tryIn(site, 'ed', 'mistyped', home)).status, 401)
    assert.is((await tryIn(site, 'ed', 'pass phrase of ed', home)).status, 302)
  })

  login('S22: serves files while guesses are queued, and refuses guesses beyond the queue', async () => {
    const uploads = await mkdtemp(join(tmpdir(), 'login-'))
    await writeFile(join(uploads, 'file.txt'), 'a file')
    const plugins = { passwords: { waiting: 6 } }
    await using site = await serveWithUsers(place, { trust_proxy: true, uploads, plugins })
    const order: string[] = []
    const refused: Response[] = []
    const guesses = Array.from({ length: 40 }, async (_, at) => {
      const answer = await tryIn(site, `somebody ${at}`, 'wrong')
      if (answer.status === 429) refused.push(answer)
      else order.push('guess')
    })
    // The first refusal shows that the queue is full.
    await until(() => refused.length > 0)
    const read = browse(site)
      .open('/uploads/file.txt')
      .then(async (answer) => order.push(await answer.text()))
    await Promise.all([...guesses, read])
    assert.ok(order.indexOf('a file') >= 0 && order.at(-1) === 'guess', order.join())
    assert.ok(refused.length >= 20, String(refused.length))
    assert.ok(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0))
    await rm(uploads, { recursive: true })
  })

  login('S22: counts concurrent attempts', async ({ site }) => {
    const ip = fresh()
    const answers = await Promise.all(Array.from({ length: 20 }, () => tryIn(site, 'sub', 'wrong', ip)))
    assert.is(answers.filter(({ status }) => status === 401).length, 5)
  })

  login('accepts the login name or the email address in any case', async ({ site }) => {
    for (const log of ['ann', 'ANN', ' ann ', 'ann@mail.example', 'Ann@Mail.Example']) {
      const answer = await tryIn(site, log, 'pass phrase of ann')
      assert.equal([answer.status, answer.headers.get('location')], [302, `${site.home}/svc-admin/`], log)
    }
  })

  login('refuses users without a password', async ({ site }) => {
    await site.kernel.services.users.create({ login: 'passless', email: 'passless@mail.example' })
    for (const pwd of ['', ' ', '\0']) assert.is((await tryIn(site, 'passless', pwd)).status, 401)
    assert.is((await browse(site).send(FORM, {}, from(fresh()))).status, 401)
    assert.is((await tryIn(site, 'ann', 'x'.repeat(100_000))).status, 401)
    assert.is((await tryIn(site, 'x'.repeat(100_000), 'x')).status, 401)
  })

  login('accepts imported passwords, and stores a better hash', async ({ site }) => {
    const { users } = site.kernel.services
    const hashes = [await bcrypt('test12345', 4), '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0']
    for (const [index, hash] of hashes.entries()) {
      const { id } = await users.create({ login: `old${index}`, email: `old${index}@mail.example` })
      await users.upgradePasswordHash(id, '', hash)
      assert.is((await tryIn(site, `old${index}`, 'wrong')).status, 401)
      assert.is(await users.passwordHash(id), hash)
      assert.is((await tryIn(site, `old${index}`, 'test12345')).status, 302)
      assert.match((await users.passwordHash(id))!, /^\$argon2id\$/)
      assert.is((await tryIn(site, `old${index}`, 'test12345')).status, 302)
    }
  })

  login.run()
}

const pages = suite('login pages')
const SITE = databases[0]!.place

pages('show a form that works without scripts', async () => {
  await using site = await serveWithUsers(SITE)
  const answer = await browse(site).open(FORM)
  const html = await answer.text()
  assert.is(answer.status, 200)
  assert.is(answer.headers.get('content-type'), 'text/html; charset=UTF-8')
  assert.match(html, '<html lang="en-US">')
  for (const [field, name] of [
    ['user_login', 'log'],
    ['user_pass', 'pwd'],
    ['rememberme', 'rememberme'],
  ]) {
    assert.match(html, `<label for="${field}">`)
    assert.match(html, new RegExp(`name="${name}"\\s+id="${field}"`))
  }
  assert.not.match(html, '<script')
  assert.match(answer.headers.get('content-security-policy')!, "default-src 'none'")
  assert.match(answer.headers.get('cache-control')!, 'no-store')
  assert.is(answer.headers.get('x-frame-options'), 'DENY')
})

pages('report errors to screen readers', async () => {
  await using site = await serveWithUsers(SITE)
  const html = await (await browse(site).logIn('<b>"ann"</b>', 'wrong')).text()
  assert.match(html, '<p role="alert" id="login_error">Incorrect username, email address or password.</p>')
  assert.match(html, 'aria-invalid="true" aria-describedby="login_error"')
  assert.match(html, 'value="&#60;b&#62;&#34;ann&#34;&#60;/b&#62;"')
  assert.not.match(html, '<b>')
})

pages('redirect users to the requested URL within the site', async () => {
  await using site = await serveWithUsers(SITE)
  const redirectOf = async (target: string) => {
    const answer = await browse(site).logIn('ann', 'pass phrase of ann', { redirect_to: target })
    return answer.headers.get('location')!.replace(site.home, '')
  }
  assert.is(await redirectOf('/svc-json/?a=1&b=%2F'), '/svc-json/?a=1&b=%2F')
  assert.is(await redirectOf(`${site.home}/2025/hello/#top`), '/2025/hello/#top')
  const foreignTargets = [
    'https://evil.test/',
    '//evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/\t/evil.test',
    'javascript:alert(1)',
    'data:text/html,x',
    site.home.replace('//', '//user@'),
    `${site.home}.evil.test/`,
    'http://[',
    `${site.home.replace(/:\d+$/, '')}:1/`,
    `/${'a'.repeat(9000)}`,
  ]
  for (const target of foreignTargets) assert.is(await redirectOf(target), '/svc-admin/', target)
  const browser = browse(site)
  await browser.logIn('ann', 'pass phrase of ann')
  const again = await browser.open(`${FORM}?redirect_to=${encodeURIComponent('https://evil.test/')}`)
  assert.equal([again.status, again.headers.get('location')], [302, `${site.home}/svc-admin/`])
})

pages('work for a site in a subfolder', async () => {
  await using site = await serveWithUsers(SITE, { home: 'http://127.0.0.1/blog' })
  const browser = browse({ kernel: site.kernel, home: `${site.listening}/blog` })
  const outside = await browser.logIn('ann', 'pass phrase of ann', { redirect_to: '/other/' })
  assert.is(outside.headers.get('location'), 'http://127.0.0.1/blog/svc-admin/')
  assert.match(outside.headers.getSetCookie()[0]!, /; Path=\/blog\/; /)
})

pages('accept no form that another site sent', async () => {
  await using site = await serveWithUsers(SITE)
  const send = (headers: Record<string, string>) =>
    browse(site).send(FORM, { log: 'ann', pwd: 'pass phrase of ann' }, headers)
  for (const headers of [
    { origin: 'https://evil.test' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const answer = await send(headers)
    assert.equal([answer.status, answer.headers.getSetCookie()], [403, []])
  }
  assert.is((await send({ origin: site.home })).status, 302)
  assert.is((await send({ 'sec-fetch-site': 'same-origin', origin: site.home })).status, 302)
})

pages('ask for confirmation of a log-out without a nonce', async () => {
  await using site = await serveWithUsers(SITE)
  const browser = browse(site)
  await browser.logIn('ann', 'pass phrase of ann')
  for (const query of ['', '&_svcnonce=wrong', `&_svcnonce=${await browser.nonce()}`]) {
    const response = await browser.open(`${FORM}?action=logout${query}`)
    assert.is(response.status, 403)
    assert.match(await response.text(), 'Do you want to log out?')
  }
  assert.is((await browser.open('/svc-admin/')).status, 200)
  const html = await (await browser.open(`${FORM}?action=logout`)).text()
  const [, nonce = ''] = /name="_svcnonce" value="(\w+)"/.exec(html) ?? []
  const out = await browser.send(FORM, { action: 'logout', _svcnonce: nonce })
  assert.equal([out.status, out.headers.get('location')], [302, `${site.home}/svc-login?loggedout=true`])
  assert.is(browser.cookie, '')
  assert.match(await (await browser.open('/svc-login?loggedout=true')).text(), 'role="status">You are now logged out.')
})

pages('redirect visitors to the login and back', async () => {
  await using site = await serveWithUsers(SITE)
  const answer = await browse(site).open('/svc-admin/?a=1')
  const target = encodeURIComponent(`${site.home}/svc-admin/?a=1`)
  assert.equal([answer.status, answer.headers.get('location')], [302, `${site.home}/svc-login?redirect_to=${target}`])
  const long = await browse(site).open(`/svc-admin/?a=${'a'.repeat(9000)}`)
  assert.is(long.headers.get('location'), `${site.home}/svc-login`)
})

pages('return a fresh nonce to logged-in users only', async () => {
  await using site = await serveWithUsers(SITE)
  const browser = browse(site)
  const visitor = await browser.open('/svc-admin/ajax?action=rest-nonce')
  assert.equal([visitor.status, await visitor.text()], [400, '0'])
  await browser.logIn('ann', 'pass phrase of ann')
  const answer = await browser.open('/svc-admin/ajax?action=rest-nonce')
  assert.is(answer.status, 200)
  assert.match(await answer.text(), /^[0-9a-f]{20}$/)
  assert.match(answer.headers.get('cache-control')!, 'no-cache')
  assert.is((await browser.open('/svc-admin/ajax?action=other')).status, 404)
})

pages('respond with 405 to other methods', async () => {
  await using site = await serveWithUsers(SITE)
  const answer = await browse(site).open(FORM, { method: 'DELETE' })
  assert.equal([answer.status, answer.headers.get('allow')], [405, 'GET, HEAD, POST'])
  assert.is((await browse(site).open('/svc-admin/', { method: 'DELETE' })).status, 405)
  assert.is((await browse(site).open('/svc-admin/', { method: 'POST' })).status, 401)
})

pages('use the URLs that tools expect, with the word wp', async () => {
  await using site = await serveWithUsers(SITE, { word: 'wp' })
  const browser = browse(site)
  const entered = await browser.send('/wp-login.php', { log: 'admin', pwd: 'pass phrase of admin' })
  assert.equal([entered.status, entered.headers.get('location')], [302, `${site.home}/wp-admin/`])
  assert.is((await browser.open('/wp-admin/')).status, 200)
  const nonce = await (await browser.open('/wp-admin/admin-ajax.php?action=rest-nonce')).text()
  assert.is((await browser.api('/wp/v2/settings', nonce)).status, 200)
  assert.is((await browse(site).open('/svc-login')).status, 404)
})

pages('let a plugin refuse a right password', async () => {
  const seen: string[] = []
  const guard = definePlugin({
    name: 'test-guard',
    needs: ['login'],
    apply({ hooks }) {
      hooks.authenticate.tap('test-guard', (user, login) =>
        login === 'con' ? new RestError('test_no', 'Bring your key.', { status: 403 }) : user,
      )
      hooks.login_succeeded.tap('test-guard', ({ login }) => void seen.push(`in ${login}`))
      hooks.login_failed.tap('test-guard', (login) => void seen.push(`failed ${login}`))
    },
  })
  await using site = await serveWithUsers(SITE, { add: [guard] })
  const refused = await browse(site).logIn('con', 'pass phrase of con')
  assert.is(refused.status, 403)
  assert.match(await refused.text(), 'Bring your key.')
  await browse(site).logIn('ann', 'pass phrase of ann')
  await browse(site).logIn('ann', 'wrong')
  assert.equal(seen, ['in ann', 'failed ann'])
})

pages.run()
