import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { databases, serveWithUsers, type UserIds } from '../../helpers/site-with-users.ts'

const families = suite('routes of plugins, widgets and site health')

type Login = keyof UserIds

families('are for administrators only, and return the state of the site', async () => {
  await using site = await serveWithUsers(databases[0]!.place)
  const sendRequest = async (path: string, login?: Login, method = 'GET', headers: Record<string, string> = {}) => {
    const credentials = login === undefined ? {} : site.by(login)
    const response = await site.request(path, { method, headers: { ...credentials, ...headers } })
    // oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the structure
    return { status: response.status, body: (await response.json()) as any }
  }
  const refusals: Readonly<Record<string, string>> = {
    '/svc/v2/plugins': 'rest_cannot_view_plugins',
    '/svc/v2/plugins/media': 'rest_cannot_view_plugin',
    '/svc/v2/sidebars': 'rest_cannot_manage_widgets',
    '/svc/v2/widgets': 'rest_cannot_manage_widgets',
    '/svc/v2/widget-types': 'rest_cannot_manage_widgets',
    '/svc-site-health/v1/tests/authorization-header': 'rest_forbidden',
    '/svc-site-health/v1/directory-sizes': 'rest_forbidden',
  }
  for (const [path, code] of Object.entries(refusals)) {
    for (const [login, status] of [
      [undefined, 401],
      ['sub', 403],
      ['ed', 403],
    ] as const) {
      const { status: found, body } = await sendRequest(path, login)
      assert.equal([found, body.code], [status, code], `${path} ${login}`)
    }
    assert.is((await sendRequest(path, 'admin')).status, 200, path)
  }
  const { body: plugins } = await sendRequest('/svc/v2/plugins', 'admin')
  const media = plugins.find(({ plugin }: { plugin: string }) => plugin === 'media')
  assert.is(media.status, 'active')
  assert.match(media.version, /^\d+\.\d+\.\d+/)
  assert.equal(
    (await sendRequest('/svc/v2/plugins?search=medi&_fields=plugin', 'admin')).body.map(
      (one: object) => Object.values(one)[0],
    ),
    ['media'],
  )
  assert.equal((await sendRequest('/svc/v2/plugins?status=inactive', 'admin')).body, [])
  assert.is((await sendRequest('/svc/v2/plugins/nothing', 'admin')).body.code, 'rest_plugin_not_found')
  assert.equal((await sendRequest('/svc/v2/plugins', 'admin', 'POST')).body.code, 'rest_cannot_install_plugin')
  assert.equal((await sendRequest('/svc/v2/plugins/media', 'admin', 'DELETE')).body.code, 'rest_cannot_manage_plugins')
  for (const [path, code] of [
    ['sidebars', 'rest_sidebar_not_found'],
    ['widgets', 'rest_widget_not_found'],
    ['widget-types', 'rest_widget_type_invalid'],
  ] as const) {
    assert.equal((await sendRequest(`/svc/v2/${path}`, 'admin')).body, [])
    assert.equal((await sendRequest(`/svc/v2/${path}/one`, 'admin')).body.code, code)
  }
  const { body: health } = await sendRequest('/svc-site-health/v1/tests/authorization-header', 'admin')
  assert.equal([health.test, health.status, health.badge.color], ['authorization_header', 'recommended', 'orange'])
})

families('do not exist in REST API versions before their introduction', async () => {
  await using site = await serveWithUsers(databases[0]!.place, { revision: '5.4' })
  for (const path of ['/svc/v2/plugins', '/svc/v2/sidebars', '/svc-site-health/v1/tests/https-status']) {
    assert.is((await site.request(path, { headers: site.by('admin') })).status, 404, path)
  }
  const media = await site.json('/svc/v2/media?context=edit', site.by('admin'))
  assert.equal(media, [])
})

families.run()
