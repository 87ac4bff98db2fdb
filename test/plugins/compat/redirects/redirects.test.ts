import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../../../helpers/browser.ts'
import { sendForm } from '../../../helpers/admin-forms.ts'
import { serve } from '../../../helpers/site.ts'
import { shared } from '../../../helpers/stores.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../helpers/site-with-users.ts'

const ROUTE = '/redirection/v1'
const sqlite = databases[0]!.place
// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on its parts
type Body = any

const siteWith = (place = sqlite) => serveWithUsers(place, { plugins: { redirects: true } })
const call = async (
  site: SiteWithUsers,
  method: string,
  path: string,
  body?: unknown,
  login: 'admin' | 'ed' = 'admin',
) => {
  const response = await site.send(method, `${ROUTE}${path}`, body, login)
  return { status: response.status, body: (await response.json()) as Body }
}
const add = (site: SiteWithUsers, url: string, target: string, more: object = {}, source: object = {}) =>
  call(site, 'POST', '/redirect', {
    url,
    match_data: { source },
    match_type: 'url',
    action_type: 'url',
    action_data: { url: target },
    group_id: 1,
    ...more,
  })
const visit = async (site: SiteWithUsers, path: string, headers: Record<string, string> = {}) => {
  const response = await site.request(`${site.home}${path}`, { headers })
  await response.arrayBuffer()
  return [response.status, response.headers.get('location')]
}

for (const { name, place } of databases) {
  const redirects = suite(`redirects on ${name}`)

  redirects('redirect visitors, count hits, and keep their IDs', async () => {
    await using site = await siteWith(place)
    assert.equal((await call(site, 'GET', '/redirect')).body, { items: [], total: 0 })
    const { body } = await add(site, 'https://old.test/old page?b=2&a=1', '/new/', { title: '<b>Moved</b>' })
    assert.equal(
      [body.total, body.items[0].id, body.items[0].url, body.items[0].title],
      [1, 1, '/old page?b=2&a=1', 'Moved'],
    )
    assert.equal(await visit(site, '/OLD%20page/?a=1&b=2'), [301, '/new/'])
    assert.equal(await visit(site, '/old%20page?a=1&b=2'), [301, '/new/'])
    const shown = (await call(site, 'GET', '/redirect')).body.items[0]
    assert.is(shown.hits, 2)
    assert.match(shown.last_access, /^\d{4}-/)
    const changed = await call(site, 'PUT', '/redirect/1', { ...shown, action_data: { url: '/newer/' } })
    assert.equal(changed.body.item.action_data, { url: '/newer/' })
    assert.equal(await visit(site, '/old%20page?a=1&b=2'), [301, '/newer/'])
    await call(site, 'POST', '/bulk/redirect/disable', { items: [1] })
    assert.is((await visit(site, '/old%20page?a=1&b=2'))[0], 404)
    await call(site, 'POST', '/bulk/redirect/delete', { items: [1] })
    assert.is((await call(site, 'GET', '/redirect')).body.total, 0)
  })

  redirects('record pages that were not found', async () => {
    await using site = await siteWith(place)
    await visit(site, '/nothing-here?x=1', { referer: 'https://elsewhere.test/', 'user-agent': 'Tester' })
    const { body } = await call(site, 'GET', '/404')
    const { id, url, hits, referrer, agent, ip } = body.items[0]
    assert.equal([url, hits, referrer, agent, ip], ['/nothing-here?x=1', 1, 'https://elsewhere.test/', 'Tester', ''])
    assert.is((await call(site, 'POST', '/bulk/404/delete', { items: [id] })).body.total, 0)
  })

  redirects('are imported once from stored tables, with their IDs, and from redirects of Yoast', async () => {
    await using database = await place()
    const item = {
      position: '0',
      last_count: '3',
      last_access: '2024-01-02 03:04:05',
      status: 'enabled',
      group_id: '7',
      title: null,
    }
    const login = 'a:2:{s:9:"logged_in";s:4:"/in/";s:10:"logged_out";s:5:"/out/";}'
    const tables = {
      groups: [{ id: '7', name: 'Old', module_id: '1', status: 'enabled' }],
      items: [
        {
          ...item,
          id: '41',
          url: '/a',
          match_data: '{"source":{"flag_query":"pass"}}',
          action_type: 'url',
          action_code: '302',
          action_data: '/b',
          match_type: 'url',
        },
        {
          ...item,
          id: '42',
          url: '/m',
          match_data: null,
          action_type: 'url',
          action_code: '302',
          action_data: login,
          match_type: 'login',
        },
        { ...item, id: '43', url: '/x', match_type: 'unknown', action_type: 'url' },
      ],
    }
    const yoast = [
      { origin: 'yoast', url: 'target', type: 302, format: 'plain' },
      { origin: '^y/(.*)', url: '', type: 410, format: 'regex' },
    ]
    {
      await using before = await serve({ database: database.url })
      await before.kernel.services.options.set('redirection_tables', tables)
      await before.kernel.services.options.set('wpseo-premium-redirects-base', yoast)
    }
    await using site = await siteWith(shared(database))
    const all = (await call(site, 'GET', '/redirect?orderby=id&direction=asc')).body
    assert.equal(
      all.items.map(({ id, url, hits, action_code: code }: Body) => [id, url, hits, code]),
      [
        [41, '/a', 3, 302],
        [42, '/m', 3, 302],
        [43, '/yoast', 0, 302],
        [44, '^y/(.*)', 0, 410],
      ],
    )
    assert.equal(all.items[1].action_data, { logged_in: '/in/', logged_out: '/out/' })
    assert.equal(await visit(site, '/a?q=1'), [302, '/b?q=1'])
    assert.equal(await visit(site, '/m'), [302, '/out/'])
    assert.equal(await visit(site, '/yoast/?any=1'), [302, '/target'])
  })

  redirects.run()
}

const redirects = suite('redirects')

redirects('need an administrator', async () => {
  await using site = await siteWith()
  for (const [method, path] of [
    ['GET', '/redirect'],
    ['POST', '/redirect'],
    ['GET', '/404'],
    ['GET', '/setting'],
    ['GET', '/export/all/json'],
    ['POST', '/import/file/1'],
  ] as const) {
    assert.is((await site.send(method, `${ROUTE}${path}`, {})).status, 401, path)
    assert.is((await call(site, method, path, {}, 'ed')).status, 403, path)
  }
})

redirects('match by their flags', async () => {
  await using site = await siteWith()
  await add(site, '/exact?a=1', '/t1', {}, { flag_query: 'exact', flag_case: false, flag_trailing: false })
  await add(site, '/ignore', '/t2', {}, { flag_query: 'ignore' })
  await add(site, '/pass', '/t3?x=1', {}, { flag_query: 'pass' })
  await add(site, '^/blog/(\\d+)/(.*)$', '/archive/$1/$2', { action_code: 302 }, { flag_regex: true })
  await add(site, '^/go/(.*)$', '/$1', {}, { flag_regex: true })
  await add(site, '^/(?=look)around$', '/never', {}, { flag_regex: true })
  await add(site, '/gone', '', { action_type: 'error', action_code: 410 })
  await add(site, '/loop', '/loop')
  const visits = {
    '/exact?a=1': [301, '/t1'],
    '/Exact?a=1': [404, null],
    '/exact/?a=1': [404, null],
    '/exact': [404, null],
    '/exact?a=1&b=2': [404, null],
    '/ignore?b=2': [301, '/t2'],
    '/pass?b=2': [301, '/t3?x=1&b=2'],
    '/blog/12/a-title?x=1': [302, '/archive/12/a-title?x=1'],
    '/go//evil.test': [301, '/evil.test'],
    '/lookaround': [404, null],
    '/gone': [410, null],
    '/loop': [404, null],
  }
  for (const [path, expected] of Object.entries(visits)) assert.equal(await visit(site, path), expected, path)
  assert.is((await visit(site, '/svc-login'))[0], 200)
})

redirects('apply conditions', async () => {
  await using site = await siteWith()
  const target = { url_from: '/yes', url_notfrom: '/no' }
  const condition = (url: string, type: string, data: object) =>
    add(site, url, '', { match_type: type, action_data: { ...target, ...data } })
  await condition('/agent', 'agent', { agent: 'Mozilla' })
  await condition('/ref', 'referrer', { referrer: 'https://a.test' })
  await condition('/cookie', 'cookie', { name: 'lang', value: 'd[ei]', regex: true })
  await condition('/language', 'language', { language: 'de,fr' })
  assert.equal(await visit(site, '/agent', { 'user-agent': 'Mozilla/5' }), [301, '/yes'])
  assert.equal(await visit(site, '/agent', { 'user-agent': 'curl' }), [301, '/no'])
  assert.equal(await visit(site, '/ref', { referer: 'https://a.test/' }), [301, '/yes'])
  assert.equal(await visit(site, '/ref', { referer: 'https://b.test/' }), [301, '/no'])
  assert.equal(await visit(site, '/cookie', { cookie: 'a=1; lang=de' }), [301, '/yes'])
  assert.equal(await visit(site, '/language', { 'accept-language': 'fr;q=0.9,en' }), [301, '/yes'])
  assert.equal(await visit(site, '/language', { 'accept-language': 'en' }), [301, '/no'])
})

redirects('take effect on pages that were cached before', async () => {
  await using site = await siteWith()
  const cached = `/?p=1`
  assert.is((await visit(site, '/'))[0], 200)
  assert.is((await visit(site, '/'))[0], 200)
  await add(site, '/', '/start', {}, { flag_query: 'exact' })
  assert.equal(await visit(site, '/'), [301, '/start'])
  assert.not.equal(await visit(site, cached), [301, '/start'])
})

redirects('refuse wrong fields, groups and filters', async () => {
  await using site = await siteWith()
  const good = { url: '/a', match_type: 'url', action_type: 'url', action_data: { url: '/b' }, group_id: 1 }
  for (const wrong of [{ group_id: undefined }, { group_id: 99 }, { match_type: 'x' }, { action_type: 'x' }])
    assert.equal(
      (await call(site, 'POST', '/redirect', { ...good, ...wrong })).body.code,
      'redirect',
      JSON.stringify(wrong),
    )
  assert.is((await call(site, 'POST', '/redirect', {})).body.total, 0)
  assert.is((await call(site, 'POST', '/redirect/9', good)).body.code, 'redirect_update_failed')
  for (const query of ['per_page=4', 'filterBy[wrong]=1', 'orderby=x'])
    assert.is((await call(site, 'GET', `/redirect?${query}`)).status, 400)
  await add(site, '/a', 'javascript:alert(1)')
  assert.equal((await call(site, 'GET', '/redirect?filterBy[url]=a')).body.items[0].action_data, { url: '/' })
})

redirects('are exported and imported in each format', async () => {
  await using site = await siteWith()
  await add(site, '/old', '/new', { title: 'A "quoted", title' })
  await add(site, '^/b/(.*)$', '/c/$1', { action_code: 302 }, { flag_regex: true })
  await add(site, '/gone', '', { action_type: 'error', action_code: 410 })
  const exported = async (format: string) => (await call(site, 'GET', `/export/all/${format}`)).body.data as string
  assert.match(await exported('apache'), String.raw`RewriteRule ^old/?$ /new [R=301,L,NC]`)
  assert.match(await exported('nginx'), String.raw`rewrite "(?i)^/b/(.*)$" /c/$1 redirect;`)
  const files = {
    'r.json': await exported('json'),
    'r.csv': await exported('csv'),
    '.htaccess': await exported('apache'),
  }
  for (const [filename, content] of Object.entries(files)) {
    await call(site, 'POST', '/bulk/redirect/delete', {
      items: (await call(site, 'GET', '/redirect')).body.items.map(({ id }: Body) => id),
    })
    const data = new FormData()
    data.append('file', new File([content], filename))
    const response = await site.request(`${ROUTE}/import/file/1`, {
      method: 'POST',
      headers: site.by('admin'),
      body: data,
    })
    assert.equal(await response.json(), { imported: 3 }, filename)
    assert.equal(await visit(site, '/old'), [301, '/new'], filename)
    assert.equal(await visit(site, '/b/x'), [302, '/c/x'], filename)
    assert.is((await visit(site, '/gone'))[0], 410, filename)
  }
})

redirects('are managed in the admin', async () => {
  await using site = await siteWith()
  const admin = browse(site)
  await admin.logIn('admin', 'pass phrase of admin')
  await visit(site, '/lost"')
  await call(site, 'GET', '/404')
  const missing = await (await admin.open('/svc-admin/redirects/missing')).text()
  assert.match(missing, '/svc-admin/redirects?url=%2Flost')
  const fields = {
    url: '/lost',
    target: '/found',
    code: '302',
    flag_query: 'ignore',
    flag_case: '1',
    group: '1',
    title: 'Lost',
  }
  assert.is((await sendForm(admin, '/svc-admin/redirects?url=%2Flost', { do: 'add', ...fields })).response.status, 303)
  assert.equal(await visit(site, '/Lost?x'), [302, '/found'])
  assert.match(await (await admin.open('/svc-admin/redirects')).text(), '/found')
  await sendForm(admin, '/svc-admin/redirects/1', { do: 'save', ...fields, target: '/moved' })
  assert.equal(await visit(site, '/lost'), [302, '/moved'])
  const { text } = await sendForm(admin, '/svc-admin/redirects', { do: 'export', format: 'csv' })
  assert.match(text, '"/lost","/moved"')
  await sendForm(admin, '/svc-admin/redirects', { do: 'delete', id: '1' })
  assert.is((await visit(site, '/lost'))[0], 404)
  const editor = browse(site)
  await editor.logIn('ed', 'pass phrase of ed')
  assert.is((await editor.open('/svc-admin/redirects')).status, 403)
})

redirects.run()
