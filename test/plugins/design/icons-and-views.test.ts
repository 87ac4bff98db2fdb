import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { Icons } from '../../../plugins/design/icons/service.ts'
import { filePlace } from '../../helpers/stores.ts'
import { serveWithUsers } from '../../helpers/site-with-users.ts'

const icons = suite('icons')
const views = suite('view configs')

icons('are listed for users who can edit posts, together with icons and views of plugins', async () => {
  const garden = definePlugin({
    name: 'garden',
    needs: ['icons', 'view-config'],
    apply({ services }) {
      services.icons.registerCollection('garden', { label: 'Garden' })
      services.icons.register('garden/pond', { label: 'Pond', content: '<svg><circle r="8"/></svg>' })
      services.viewConfig.register('garden', 'bed', { view_list: [{ title: 'All beds', slug: 'all' }] })
    },
  })
  await using site = await serveWithUsers(filePlace, { add: [garden] })
  for (const path of ['icons', 'icons/core', 'icons/garden/pond', 'icon-collections', 'icon-collections/garden'])
    for (const [login, status] of [
      ['con', 200],
      ['sub', 403],
    ] as const)
      assert.is((await site.get(`/svc/v2/${path}`, site.by(login))).status, status, path)
  assert.is((await site.get('/svc/v2/icons')).status, 401)
  type Named = { name: string }[]
  const found = (await site.json('/svc/v2/icons?search=POND', site.by('con'))) as Named
  assert.equal(
    found.map(({ name }) => name),
    ['garden/pond'],
  )
  const config = (await site.json('/svc/v2/view-config?kind=garden&name=bed', site.by('con'))) as { view_list: unknown }
  assert.equal(config.view_list, [{ title: 'All beds', slug: 'all' }])
})

icons('include every name that existing clients use, each with a drawing of its own', async () => {
  await using site = await serveWithUsers(filePlace)
  type Listed = { name: string; label: string; content: string }[]
  const all = (await site.json('/svc/v2/icons', site.by('con'))) as Listed
  const names = all.map(({ name }) => name)
  assert.equal(names.toSorted(), names)
  for (const name of CLIENT_ICONS.split(' ')) {
    const found = (await site.json(`/svc/v2/icons/core/${name}`, site.by('con'))) as Listed[number]
    assert.is(found.name, `core/${name}`)
    assert.match(found.content, /^<svg [^>]*><path [^>]*\bd="M[^"]+" \/><\/svg>$/)
  }
  assert.is(new Set(all.map(({ label }) => label)).size, all.length)
})

/** Names of icons that blocks of existing clients refer to. */
const CLIENT_ICONS =
  'arrow-down at-symbol audio bell block-default block-meta block-table calendar capture-photo capture-video cart ' +
  'category caution chart-bar check chevron-down chevron-down-small chevron-left-small chevron-right-small ' +
  'chevron-up-down chevron-up-small comment cover create desktop download drawer-left drawer-right envelope error ' +
  'external file gallery group heading help home image info key language map-marker menu mobile more-horizontal ' +
  'more-vertical next paragraph payment pencil people plus plus-circle previous published quote receipt rss scheduled ' +
  'search settings shadow share shield shuffle star-empty star-filled star-half store styles symbol symbol-filled ' +
  'table tablet tag tip upload verse'

icons('are refused if they contain scripts or their collection is missing', () => {
  const registry = new Icons()
  registry.registerCollection('a', { label: 'A' })
  for (const content of [
    '<svg onload="x()"></svg>',
    '<svg><script>1</script></svg>',
    '<p></p>',
    '<svg><a href="x"></a></svg>',
  ])
    assert.throws(() => registry.register('a/b', { label: 'B', content }), /cannot be registered/)
  assert.throws(() => registry.register('b/b', { label: 'B', content: '<svg></svg>' }), /register its collection first/)
})

views('are readable for users who can edit posts of the type', async () => {
  await using site = await serveWithUsers(filePlace)
  const status = async (query: string, login: 'admin' | 'ed' | 'ann' | 'con' | 'sub') =>
    (await site.get(`/svc/v2/view-config?${query}`, site.by(login))).status
  const logins = ['admin', 'ed', 'ann', 'con', 'sub'] as const
  for (const [query, expected] of [
    ['kind=postType&name=page', [200, 200, 403, 403, 403]],
    ['kind=postType&name=post', [200, 200, 200, 200, 403]],
    ['kind=postType&name=svc_template', [200, 403, 403, 403, 403]],
    ['kind=postType&name=constructor', [404, 404, 404, 404, 404]],
    ['kind=root&name=__proto__', [200, 200, 200, 200, 403]],
  ] as const)
    assert.equal(await Promise.all(logins.map((login) => status(query, login))), expected, query)
})

icons.run()
views.run()
