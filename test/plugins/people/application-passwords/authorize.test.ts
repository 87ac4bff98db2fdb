import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const authorize = suite('authorization page')

const PAGE = '/svc-admin/authorize-application'
const at = (query: Record<string, string>) => `${PAGE}?${new URLSearchParams(query).toString()}`
const APP = { app_name: 'My <phone>', success_url: 'https://app.test/back?a=1', reject_url: 'https://app.test/no' }

const enter = async (site: SiteWithUsers) => {
  const browser = browse(site)
  await browser.logIn('ann', 'pass phrase of ann')
  return browser
}
/** Returns the hidden fields of a page's form. */
const fieldsOf = async (response: Response) =>
  Object.fromEntries(
    [...(await response.text()).matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))),
    ]),
  )

authorize('requires a log-in, and names the receiver of the password', async () => {
  await using site = await serveWithUsers(databases[0]!.place)
  const visitor = await browse(site).open(at(APP))
  assert.match(visitor.headers.get('location')!, `${site.home}/svc-login?redirect_to=`)
  const html = await (await (await enter(site)).open(at(APP))).text()
  assert.match(html, 'My &#60;phone&#62;')
  assert.match(html, '<strong>app.test</strong>')
})

authorize('sends a working password to the program', async () => {
  await using site = await serveWithUsers(databases[0]!.place)
  const browser = await enter(site)
  const fields = await fieldsOf(await browser.open(at(APP)))
  const sent = await browser.send(PAGE, { ...fields, decision: 'approve' })
  const target = new URL(sent.headers.get('location')!)
  assert.is(target.origin + target.pathname, 'https://app.test/back')
  const { a, site_url, user_login, password = '' } = Object.fromEntries(target.searchParams)
  assert.equal([a, site_url, user_login], ['1', site.home, 'ann'])
  const authorization = `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`
  assert.is((await site.get('/svc/v2/users/me', { authorization })).status, 200)
})

authorize('shows the password if the program passes no URL', async () => {
  await using site = await serveWithUsers(databases[0]!.place)
  const browser = await enter(site)
  const fields = await fieldsOf(await browser.open(at({ app_name: 'phone' })))
  const shown = await (await browser.send(PAGE, { ...fields, decision: 'approve' })).text()
  assert.match(shown, /<code>\w{4}( \w{4}){5}<\/code>/)
  const again = await browser.send(PAGE, { ...fields, decision: 'approve' })
  assert.is(again.status, 400)
  assert.match(await again.text(), 'You already have an application password with this name')
})

authorize('redirects to the program after a refusal', async () => {
  await using site = await serveWithUsers(databases[0]!.place)
  const browser = await enter(site)
  const rejectedLocation = async (query: Record<string, string>) => {
    const fields = await fieldsOf(await browser.open(at(query)))
    return (await browser.send(PAGE, { ...fields, decision: 'reject' })).headers.get('location')
  }
  assert.is(await rejectedLocation(APP), 'https://app.test/no')
  assert.is(
    await rejectedLocation({ app_name: 'x', success_url: 'test.app.my://back' }),
    'test.app.my://back?success=false',
  )
  assert.is(await rejectedLocation({ app_name: 'x' }), `${site.home}/svc-admin/`)
  assert.equal(await site.kernel.services.applicationPasswords.list(site.users.ann), [])
})

authorize('creates no password without the nonce of the page', async () => {
  await using site = await serveWithUsers(databases[0]!.place)
  const browser = await enter(site)
  const fields = await fieldsOf(await browser.open(at(APP)))
  for (const _svcnonce of ['', 'wrong', await browser.nonce()]) {
    assert.is((await browser.send(PAGE, { ...fields, _svcnonce, decision: 'approve' })).status, 400)
  }
  const foreign = await browser.send(PAGE, { ...fields, decision: 'approve' }, { origin: 'https://evil.test' })
  assert.is(foreign.status, 400)
  assert.equal(await site.kernel.services.applicationPasswords.list(site.users.ann), [])
})

const RESERVED = [
  'javascript:alert(1)',
  'JavaScript://%0aalert(1)',
  'java\nscript://x',
  'data:text/html,x',
  'data://text/html,x',
  'vbscript://x',
  'blob:https://app.test/1',
  'file:///etc/passwd',
  'ftp://app.test/',
  'ws://app.test/',
  'wss://app.test/',
  'about:blank',
  'filesystem:https://app.test/',
  'ms-settings:x',
  'ms-word://x',
  'mailto:a@app.test',
  'tel:1',
  'intent://x',
  'view-source://x',
  'http://app.test/',
  'wordpress:back',
  'wordpress://a@back',
]

for (const [word, appSchemes, allowed] of [
  ['wp', null, ['wordpress://now-login', 'myapp://back']],
  ['wp', [], []],
  ['wp', ['wordpress'], ['wordpress://now-login']],
  ['svc', null, []],
  ['svc', ['wordpress'], ['wordpress://now-login']],
  ['svc', ['*', 'javascript', 'data'], ['wordpress://now-login', 'myapp://back']],
] as const) {
  authorize(`allows ${allowed.length} app schemes under ${word} with ${JSON.stringify(appSchemes)}`, async () => {
    const plugins = { 'application-passwords': { app_schemes: appSchemes } }
    await using site = await serveWithUsers(databases[0]!.place, { word, plugins })
    const browser = await enter(site)
    const path = word === 'wp' ? '/wp-admin/authorize-application.php' : '/svc-admin/authorize-application'
    const statusOf = async (query: Record<string, string>) =>
      (await browser.open(`${path}?${new URLSearchParams({ app_name: 'x', ...query }).toString()}`)).status
    for (const url of ['wordpress://now-login', 'myapp://back']) {
      const expected = (allowed as readonly string[]).includes(url) ? 200 : 400
      assert.equal(
        [await statusOf({ success_url: url }), await statusOf({ reject_url: url })],
        [expected, expected],
        url,
      )
    }
    for (const url of RESERVED) {
      assert.equal([await statusOf({ success_url: url }), await statusOf({ reject_url: url })], [400, 400], url)
    }
  })
}

authorize('sends no password to an unsafe URL', async () => {
  await using site = await serveWithUsers(databases[0]!.place)
  const browser = await enter(site)
  const statusOf = async (query: Record<string, string>) => (await browser.open(at({ app_name: 'x', ...query }))).status
  const unsafe = [
    'http://app.test/',
    'http://127.evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'http://evil-localhost/',
    'http://localhost.:80.evil.example/',
    'http://127.0.0.1@evil.example/',
    'http://[::2]/',
    'http://0.0.0.0/',
    'http://[::ffff:10.0.0.1]/',
    'http://128.0.0.1/',
    'http://127.0.0.1x/',
    'https://app.test@evil.example/',
    'https://a:b@app.test/',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://app.test/1',
    'file:///etc/passwd',
    'ftp://app.test/',
    'ws://app.test/',
    'about:blank',
    'filesystem:https://app.test/',
    'ms-settings:x',
    'mailto:a@app.test',
    'tel:1',
    'intent://x',
    'myapp://back',
    'x:',
    '.app:',
    'nothing',
    '//app.test',
    '/back',
    'https:',
    'http://',
  ]
  for (const url of unsafe) {
    assert.is(await statusOf({ success_url: url }), 400, url)
    assert.is(await statusOf({ reject_url: url }), 400, url)
  }
  const safe = [
    'http://127.0.0.1:9999/',
    'http://127.255.0.9/',
    'http://127.1/',
    'http://2130706433/',
    'http://[::1]:1/',
    'http://localhost/',
    'http://LOCALHOST:3000/',
    'http://app.localhost/',
    'https://app.test',
    'https://127.evil.example/',
    'com.example.app://back',
    'com.example.app:/back',
    'net.example-1.a+b:x',
  ]
  for (const url of safe) {
    assert.is(await statusOf({ success_url: url }), 200, url)
    assert.is(await statusOf({ reject_url: url }), 200, url)
  }
  assert.is(await statusOf({ app_name: '' }), 400)
  assert.is(await statusOf({ app_id: 'x' }), 400)
})

authorize.run()
