import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sendForm } from '../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../helpers/browser.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import type { Site } from '../../../helpers/site.ts'
import { definePlugin } from '../../../../plugins/public.ts'
import { ICON_NAMES } from '../../../../plugins/site/admin/frame/icon-names.ts'

const garden = definePlugin({
  name: 'garden',
  needs: ['admin'],
  apply({ services }) {
    services.admin.addPage({
      path: 'garden',
      title: 'Garden',
      menu: { position: 20, group: 'tools', icon: 'shapes' },
      show: () => ({ main: services.plainPages.html`<p>Roses</p>` }),
    })
  },
})

async function enter(site: Site, login: string): Promise<Browser> {
  const browser = browse(site)
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

const textOf = async (browser: Browser, path: string) => (await browser.open(path)).text()

/** Returns the text of an HTML part without its tags. */
const plain = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** Returns the labels of the menu by group; entries above all groups are under `''`. */
function menuOf(page: string): Record<string, string[]> {
  const menu = /<nav id="menu"[^]*?<\/nav>/.exec(page)![0]
  return Object.fromEntries(
    menu.split('class="menu-group"').map((part, index) => {
      const name = index === 0 ? '' : plain(/>([^<]*)<\/p>/.exec(part)![1]!)
      return [name, [...part.matchAll(/class="label">([^<]*)</g)].map(([, label]) => label!)]
    }),
  )
}

for (const { name, place } of databases) {
  const shell = suite(`the shell of the admin on ${name}`)

  shell('groups the menu by subject, and shows each user the entries they can open', async () => {
    await using site = await serveWithUsers(place, { add: [garden] })
    const admin = menuOf(await textOf(await enter(site, 'admin'), '/svc-admin/'))
    assert.equal(Object.keys(admin), ['', 'Content', 'Design', 'Site', 'Tools'])
    assert.equal(admin[''], ['Dashboard'])
    assert.equal(admin['Site'], ['Users', 'Settings'])
    assert.ok(admin['Content']!.includes('Posts') && admin['Design']!.includes('Appearance'))
    assert.ok(admin['Tools']!.includes('Garden') && admin['Tools']!.includes('Plugins'))
    const author = menuOf(await textOf(await enter(site, 'ann'), '/svc-admin/'))
    assert.is(author['Site'], undefined)
  })

  shell('links the pages above the open one', async () => {
    await using site = await serveWithUsers(place)
    const admin = await enter(site, 'admin')
    const crumbs = async (path: string) =>
      plain(/<nav class="breadcrumbs"[^]*?<\/nav>/.exec(await textOf(admin, `/svc-admin/${path}`))![0])
    assert.is(await crumbs(''), 'Dashboard')
    assert.is(await crumbs('users/new'), 'Users Add user')
    assert.is(await crumbs('media/new'), 'Media library Upload files')
    assert.is(await crumbs('users/roles'), 'Users Roles and permissions')
    assert.match(await crumbs('terms/category'), /^Posts Categories$/)
    assert.match(await crumbs('content/post/new'), /^Posts Add/)
  })

  shell('stores the color scheme in the browser, and goes back to the page', async () => {
    await using site = await serveWithUsers(place)
    const browser = await enter(site, 'ann')
    const schemeOf = async () => /<html[^>]*data-scheme="(\w+)"/.exec(await textOf(browser, '/svc-admin/'))?.[1]
    assert.is(await schemeOf(), 'auto')
    const back = `${site.home}/svc-admin/content/post`
    const { response } = await sendForm(browser, '/svc-admin/account', { do: 'scheme', scheme: 'dark', back })
    assert.equal([response.status, response.headers.get('location')], [303, back])
    assert.is(await schemeOf(), 'dark')
    const elsewhere = { do: 'scheme', scheme: 'pink', back: 'https://evil.example/' }
    const refused = await sendForm(browser, '/svc-admin/account', elsewhere)
    assert.is(refused.response.headers.get('location'), `${site.home}/svc-admin/`)
    assert.is(await schemeOf(), 'auto')
  })

  shell('finds pages, content to create and content that the user can edit', async () => {
    await using site = await serveWithUsers(place)
    const find = async (login: string, q: string) => {
      const url = `/svc-admin/search?format=json&q=${encodeURIComponent(q)}`
      return (await (await enter(site, login)).open(url)).json() as Promise<
        { label: string; hint: string; href: string }[]
      >
    }
    const labels = async (login: string, q: string) => (await find(login, q)).map(({ label }) => label)
    const admin = await enter(site, 'admin')
    const nonce = await admin.nonce()
    const post = (title: string) =>
      admin.api('/svc/v2/posts', nonce, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title, status: 'draft' }),
      })
    assert.is((await post('A secret <b>orchard</b>')).status, 201)
    assert.ok((await labels('admin', '')).includes('Reading'))
    assert.equal(await labels('admin', 'permal'), ['Permalinks'])
    assert.ok((await labels('admin', 'user')).includes('Add user'))
    const [found] = await find('admin', 'secret orchard')
    assert.match(found?.href ?? '', /svc-admin\/content\/post\/\d+$/)
    assert.equal(await labels('con', 'secret orchard'), [])
    assert.equal(await labels('sub', 'user'), [])
    assert.match(await textOf(admin, '/svc-admin/search?q=nothing-at-all'), 'No results.')
  })

  shell.run()
}

const icons = suite('the icons of the admin')

icons('contain each name of the list once', async () => {
  await using site = await serveWithUsers(databases[0]!.place)
  const page = await textOf(await enter(site, 'ann'), '/svc-admin/')
  const url = /<use href="([^"#]+)#/.exec(page)![1]!
  const response = await fetch(url)
  assert.is(response.headers.get('content-type'), 'image/svg+xml')
  const names = [...(await response.text()).matchAll(/<symbol id="([^"]+)"/g)].map(([, icon]) => icon)
  assert.equal(names, [...ICON_NAMES])
})

icons.run()
