import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serve, startOnly } from '../../helpers/site.ts'

startOnly('content-rendering', 'themes')

const themes = suite('themes routes')

themes('list all themes for users who can switch them, and the active one for users who can edit posts', async () => {
  await using site = await serve()
  const supports = { 'post-formats': ['aside'], 'title-tag': true }
  await site.kernel.services.options.set('theme', { stylesheet: 'plain', name: 'Plain <1>', supports })
  const [theme] = await site.json('/svc/v2/themes', as('administrator'))
  assert.is(theme.stylesheet, 'plain')
  assert.is(theme.status, 'active')
  assert.equal(theme.name, { raw: 'Plain <1>', rendered: 'Plain &lt;1&gt;' })
  assert.equal(theme.theme_supports.formats, ['standard', 'aside'])
  assert.is(theme.theme_supports['title-tag'], true)
  assert.is(theme.requires_svc, '')
  const active = await site.get('/svc/v2/themes?status=active', as('contributor'))
  assert.is(active.status, 200)
  assert.is(active.headers.get('x-svc-total'), '1')
  assert.is((await site.get('/svc/v2/themes/plain', as('contributor'))).status, 200)
})

themes('refuse all other users', async () => {
  await using site = await serve()
  const codes = await Promise.all(
    [
      site.json('/svc/v2/themes'),
      site.json('/svc/v2/themes', as('editor')),
      site.json('/svc/v2/themes?status=active', as('subscriber')),
      site.json('/svc/v2/themes/default'),
      site.json('/svc/v2/themes/nope', as('editor')),
      site.json('/svc/v2/themes/nope', as('administrator')),
    ].map(async (response) => {
      const { code, data } = (await response) as { code: string; data: { status: number } }
      return `${code} ${data.status}`
    }),
  )
  assert.equal(codes, [
    'rest_cannot_view_themes 401',
    'rest_cannot_view_themes 403',
    'rest_cannot_view_active_theme 403',
    'rest_cannot_view_active_theme 401',
    'rest_cannot_view_themes 403',
    'rest_theme_not_found 404',
  ])
})

themes('link the active theme in the index for users who can read it', async () => {
  await using site = await serve()
  const linked = async (init = {}) => (await site.json('/', init))._links['svc:active-theme']
  const link = [{ href: `${site.home}/svc-json/svc/v2/themes/default` }]
  assert.equal(await linked(as('administrator')), link)
  assert.equal(await linked(as('contributor')), link)
  assert.is(await linked(as('subscriber')), undefined)
  assert.is(await linked(), undefined)
})

themes.run()
