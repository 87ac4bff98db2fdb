import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { sendForm } from '../../../../helpers/admin-forms.ts'
import { serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'
import { filePlace } from '../../../../helpers/stores.ts'

const names = suite('names in the admin')

async function loggedIn(site: SiteWithUsers, login: string): Promise<Browser> {
  const browser = browse(site)
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

const read = async (browser: Browser, path: string) =>
  (await (await browser.open(`/svc-admin/${path}`)).text()).replaceAll(/\s+/g, ' ')
const labelIn = (page: string, path: string) =>
  new RegExp(`/svc-admin/${path}"[^>]*>.*?<span class="label">([^<]*)</span>`).exec(page)?.[1]
const headingOf = (page: string) => /<h1>([^<]*)<\/h1>/.exec(page)?.[1]

for (const version of ['5.4', '7.1'] as const) {
  names(`distinguish classic menus, navigation and patterns with API version ${version}`, async () => {
    await using site = await serveWithUsers(filePlace, { revision: version })
    const admin = await loggedIn(site, 'admin')
    const page = await read(admin, '')
    assert.is(labelIn(page, 'menus'), 'Menus')
    assert.is(labelIn(page, 'content/svc_block'), 'Patterns')
    assert.is(headingOf(await read(admin, 'content/svc_block')), 'Patterns')
    assert.is(headingOf(await read(admin, 'content/svc_block/new')), 'Add new: Pattern')
    assert.not.match(page, /Reusable|Looks|Navigation Menus/)
    if (version === '5.4') return
    assert.is(labelIn(page, 'appearance'), 'Appearance')
    assert.match(await read(admin, 'menus'), 'under “Navigation”')
    assert.is(labelIn(page, 'content/svc_navigation'), 'Navigation')
    assert.is(headingOf(await read(admin, 'content/svc_navigation')), 'Navigation')
    assert.is(headingOf(await read(admin, 'content/svc_navigation/new')), 'Add new: Navigation')
  })
}

names('of types that only have a label appear on their list and in the heading of a new item', async () => {
  await using site = await serveWithUsers(filePlace, {
    add: [
      {
        name: 'garden',
        needs: ['content-types'],
        apply({ services }) {
          const spec = { label: 'Plants', public: true, show_in_rest: true, rest_base: 'plants' }
          services.contentTypes.register('plant', spec)
        },
      },
    ],
  })
  const admin = await loggedIn(site, 'admin')
  for (const [slug, { labels }] of Object.entries(await typesOf(site))) {
    const list = await admin.open(`/svc-admin/content/${slug}`)
    if (list.status !== 200 || slug === 'post') continue
    const texts = (await list.text()) + (await read(admin, `content/${slug}/new`))
    assert.not.match(texts, /Add (?:New )?Post/, slug)
    if (slug !== 'plant') assert.not.match(`${labels['add_new']} ${labels['add_new_item']}`, /\bPosts?\b/, slug)
  }
  assert.is(headingOf(await read(admin, 'content/plant')), 'Plants')
  assert.is(headingOf(await read(admin, 'content/plant/new')), 'Add new: Plants')
})

async function typesOf(site: SiteWithUsers) {
  return (await site.json('/svc/v2/types?context=edit', site.by('admin'))) as Record<
    string,
    { labels: Record<string, string> }
  >
}

names('of users who edit a post are shown to users who cannot list them', async () => {
  await using site = await serveWithUsers(filePlace)
  const created = await site.send('POST', '/svc/v2/posts', { title: 'Tulips', status: 'draft' }, 'con')
  const { id } = (await created.json()) as { id: number }
  // An administrator who has published nothing is hidden from contributors.
  const admin = await loggedIn(site, 'admin')
  await admin.open(`/svc-admin/content/post/${id}`)
  const con = await loggedIn(site, 'con')
  assert.is((await site.request(`/svc/v2/users/${site.users.admin}`, { headers: site.by('con') })).status, 403)
  assert.match(await read(con, `content/post/${id}`), 'ADMIN Writer is editing this.')
  assert.match(await read(con, 'content/post'), 'ADMIN Writer')
  const form = { action: 'heartbeat', _nonce: await con.nonce(), 'data[svc-refresh-post-lock][post_id]': String(id) }
  const beat = (await (await con.send(site.kernel.branding.ajaxPath, form)).json()) as Record<string, unknown>
  assert.match(JSON.stringify(beat), 'ADMIN Writer is editing this post.')
})

names('are requested for new users of a site that hides usernames', async () => {
  await using site = await serveWithUsers(filePlace, { plugins: { users: { hide_logins: true } } })
  const admin = await loggedIn(site, 'admin')
  const user = { username: 'flora', email: 'flora@mail.example', role: 'author', password: 'pass phrase of flora' }
  const unnamed = await sendForm(admin, '/svc-admin/users/new', { do: 'save', ...user })
  assert.is(unnamed.response.status, 400)
  assert.match(unnamed.text, 'Enter a display name.')
  const named = await sendForm(admin, '/svc-admin/users/new', { do: 'save', ...user, name: 'Flora Green' })
  assert.is(named.response.status, 303, named.text)
  const sent = { username: 'pip', email: 'pip@mail.example', password: 'pass phrase of pip', roles: ['author'] }
  const { id } = (await (await site.send('POST', '/svc/v2/users', sent, 'admin')).json()) as { id: number }
  const pip = await loggedIn(site, 'pip')
  assert.match(await read(pip, 'account'), `Other users see you as “User ${id}”. Enter a display name.`)
  const flora = await loggedIn(site, 'flora')
  assert.not.match(await read(flora, 'account'), 'Other users see you')
})

names.run()
