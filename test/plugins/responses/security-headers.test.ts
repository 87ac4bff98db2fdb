import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../helpers/site-with-users.ts'

const headers = suite('security-headers')
const { place } = databases[0]!
const HSTS = 'strict-transport-security'

const PATHS = [
  '/',
  '/nothing/',
  '/svc-login',
  '/svc-admin/',
  '/feed/',
  '/svc-json/',
  '/svc-json/svc/v2/types',
  '/svc-json/nothing',
]

const readHeader = async ({ listening }: SiteWithUsers, path: string, name = HSTS) => {
  const answer = await fetch(`${listening}${path}`, { redirect: 'manual' })
  await answer.arrayBuffer()
  return answer.headers.get(name)
}

headers('require TLS for a year on every response of a site with an https home, including cached ones', async () => {
  await using site = await serveWithUsers(place, { home: 'https://site.test' })
  for (const path of [...PATHS, ...PATHS]) assert.is(await readHeader(site, path), 'max-age=31536000', path)
})

headers('require TLS according to the options', async () => {
  const options = { hsts_max_age: 0, hsts_subdomains: true }
  await using site = await serveWithUsers(place, {
    home: 'https://site.test',
    plugins: { 'security-headers': options },
  })
  assert.is(await readHeader(site, '/'), 'max-age=0; includeSubDomains')
  await using without = await serveWithUsers(place, {
    home: 'https://site.test',
    plugins: { 'security-headers': false },
  })
  assert.is(await readHeader(without, '/'), null)
  await using plain = await serveWithUsers(place)
  for (const path of PATHS) assert.is(await readHeader(plain, path), null, path)
})

headers('omit Strict-Transport-Security for localhost and IP addresses', async () => {
  for (const home of [
    'https://localhost:8443',
    'https://shop.localhost',
    'https://localhost.',
    'https://127.0.0.1:8443',
    'https://192.0.2.7',
    'https://[2001:db8::1]',
  ]) {
    await using site = await serveWithUsers(place, { home })
    for (const path of ['/', '/svc-login', '/svc-json/'])
      assert.is(await readHeader(site, path), null, `${home}${path}`)
  }
  await using named = await serveWithUsers(place, { home: 'https://localhost.example:8443' })
  assert.is(await readHeader(named, '/'), 'max-age=31536000')
})

headers('send Permissions-Policy with pages only', async () => {
  await using site = await serveWithUsers(place)
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  for (const path of ['/', '/nothing/', '/svc-login', '/hello/embed/']) {
    assert.match((await readHeader(site, path, 'permissions-policy')) ?? '', 'camera=()', path)
  }
  const page = await admin.open('/svc-admin/users')
  assert.match(page.headers.get('permissions-policy') ?? '', 'microphone=()')
  assert.is(await readHeader(site, '/svc-json/', 'permissions-policy'), null)
  await using without = await serveWithUsers(place, { plugins: { 'security-headers': { permissions_policy: '' } } })
  assert.is(await readHeader(without, '/', 'permissions-policy'), null)
})

headers('S33: allow no inline scripts, style elements, base or forms to other sites on any page', async () => {
  await using site = await serveWithUsers(place)
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  const paths = [
    '/',
    '/nothing/',
    '/svc-login',
    '/svc-login?action=logout',
    '/?p=1&embed=true',
    '/svc-admin/',
    '/svc-admin/account',
    '/svc-admin/nothing',
    '/svc-admin/authorize-application?app_name=x',
  ]
  for (const path of paths) {
    const answer = await admin.open(path)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(policy, "default-src 'none'", path)
    assert.match(policy, /form-action '(?:self|none)'(?:;|$)/, path)
    assert.match(policy, "base-uri 'none'", path)
    assert.not.match(policy.replace("style-src-attr 'unsafe-inline'", ''), 'unsafe-inline', path)
    await answer.arrayBuffer()
  }
})

headers('S18: prefix cookies with __Host- if browsers accept it', async () => {
  await using site = await serveWithUsers(place, { home: 'https://site.test' })
  const browser = browse({ kernel: site.kernel, home: site.listening })
  const [cookie = ''] = (await browser.logIn('ann', 'pass phrase of ann')).headers.getSetCookie()
  assert.match(cookie, /^__Host-svc_logged_in_[0-9a-f]{32}=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  assert.is((await browser.api('/svc/v2/users/me', await browser.nonce())).status, 200)
  const page = await (await browser.open('/svc-admin/account')).text()
  const [, _svcnonce = ''] = /name="_svcnonce" value="([^"]+)"/.exec(page) ?? []
  const saved = await browser.send('/svc-admin/account', { _svcnonce, do: 'end-sessions' })
  assert.match(
    saved.headers.getSetCookie().join(),
    /^__Host-svc_admin_notice=[^;]+; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  )
  assert.match(await (await browser.open('/svc-admin/account')).text(), 'Sessions logged out.')

  // Other hosts of the domain can set a cookie without the prefix.
  const plain = cookie.slice('__Host-'.length, cookie.indexOf(';'))
  const answer = await fetch(`${site.listening}/svc-admin/account`, { headers: { cookie: plain }, redirect: 'manual' })
  assert.is(answer.status, 302)
  const out = await browser.open('/svc-login?action=logout')
  const [, nonce = ''] = /name="_svcnonce" value="([^"]+)"/.exec(await out.text()) ?? []
  await browser.send('/svc-login', { action: 'logout', _svcnonce: nonce })
  assert.is(browser.cookie, '')
})

headers('S18: restrict cookies to the path of the site, without a prefix', async () => {
  await using site = await serveWithUsers(place, { home: 'https://site.test/blog' })
  const browser = browse({ kernel: site.kernel, home: `${site.listening}/blog` })
  const [cookie = ''] = (await browser.logIn('ann', 'pass phrase of ann')).headers.getSetCookie()
  assert.match(cookie, /^svc_logged_in_[0-9a-f]{32}=[\w-]{43}; Path=\/blog\/; HttpOnly; Secure; SameSite=Lax$/)
})

headers.run()
