import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formNonce, sendForm } from '../../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'
import { definePlugin, html } from '../../../../../plugins/public.ts'

const USERS = '/svc-admin/users'

async function loggedIn(site: SiteWithUsers, login: string): Promise<Browser> {
  const browser = browse(site)
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

/** A role with the capability to edit users, but no other capability of administrators. */
const helper = definePlugin({
  name: 'helper',
  needs: ['admin', 'roles', 'meta', 'settings'],
  apply({ services }) {
    services.roles.register('helper', 'Helper', ['read', 'list_users', 'edit_users', 'promote_users', 'delete_users'])
    services.meta.register('user', 'shoe_size', { type: 'integer', single: true, show_in_rest: true })
    services.admin.addColumn('users', { name: 'shoes', label: 'Shoes', cell: () => 'size <40>' })
    services.admin.addPanel('user', {
      name: 'garden',
      title: 'Garden',
      show: (_view, item) => html`<input name="bed" aria-label="Bed" value="${String(item?.['username'])}" />`,
      save: (view, item) => services.options.set('bed', `${String(item['username'])}: ${view.text('bed')}`),
    })
  },
})

for (const { name, place } of databases) {
  const users = suite(`users in the admin on ${name}`)
  const open = () => serveWithUsers(place, { add: [helper] })

  users('are listed by role, searched and sorted, with columns of plugins', async () => {
    await using site = await open()
    const admin = await loggedIn(site, 'admin')
    const text = await (await admin.open(USERS)).text()
    assert.match(text, /role=author"[^>]*>Author <span class="number">\(2\)</)
    assert.match(text, 'size &#60;40&#62;')
    assert.match(text, 'ann@mail.example')
    const authors = await (await admin.open(`${USERS}?role=author&orderby=email&order=desc`)).text()
    assert.not.match(authors, 'sub@mail.example')
    assert.ok(authors.indexOf('shy@mail.example') < authors.indexOf('ann@mail.example'))
    const found = await (await admin.open(`${USERS}?search=sub@mail.example`)).text()
    assert.match(found, 'sub@mail.example')
    assert.not.match(found, 'ann@mail.example')
    assert.is((await admin.open(`${USERS}?orderby=nonsense&per_page=2`)).status, 200)
    const first = await (await admin.open(`${USERS}?per_page=2`)).text()
    const next = /<a href="([^"]+)" rel="next"/.exec(first)![1]!.replaceAll('&#38;', '&')
    assert.match(await (await admin.open(next)).text(), 'con@mail.example')
  })

  users('get roles in bulk, except users with more capabilities than the editor', async () => {
    await using site = await open()
    await site.kernel.services.users.update(site.users.ed, { roles: ['helper'] })
    const ed = await loggedIn(site, 'ed')
    const { sub, con, admin } = site.users
    const page = await (await ed.open(USERS)).text()
    assert.not.match(page, '<option value="administrator"')
    const form = new URLSearchParams({ _svcnonce: formNonce(page), do: 'role', role: 'author' })
    for (const id of [sub, con, admin]) form.append('ids[]', String(id))
    const response = await ed.open(USERS, { method: 'POST', body: form })
    assert.is(response.status, 303)
    assert.match(await (await ed.open(USERS)).text(), /Role of 2 users changed\. 1 item failed:/)
    const rolesOf = async (id: number) => (await site.kernel.services.users.current(id))?.roles
    assert.equal(await rolesOf(sub), ['author'])
    assert.equal(await rolesOf(admin), ['administrator'])
    const own = await sendForm(ed, `${USERS}/${sub}`, { do: 'roles', 'roles[]': 'administrator' })
    assert.is(own.response.status, 403)
    assert.equal(await rolesOf(sub), ['author'])
    const above = await (await ed.open(`${USERS}/${admin}`)).text()
    assert.match(above, 'You can view this user, but not edit them.')
    assert.not.match(above, 'name="password"')
    const sent = { _svcnonce: formNonce(page), program: 'x', first_name: 'x', was: '{"first_name":"First-admin"}' }
    for (const action of ['end-session', 'end-sessions', 'create-password', 'save', 'password'])
      assert.is((await ed.send(`${USERS}/${admin}`, { ...sent, do: action })).status, 403, action)
  })

  users('are added with a generated password that is shown once, or with an entered one', async () => {
    await using site = await open()
    const admin = await loggedIn(site, 'admin')
    const bad = await sendForm(admin, `${USERS}/new`, { username: 'Ünsinn', email: 'x@mail.example', role: 'author' })
    assert.is(bad.response.status, 400)
    assert.match(bad.text, 'id="field-username-error"')
    assert.match(bad.text, 'value="x@mail.example"')
    const duplicate = await sendForm(admin, `${USERS}/new`, {
      username: 'ann',
      email: 'x@mail.example',
      role: 'author',
    })
    assert.match(duplicate.text, 'id="field-username-error"')
    const added = await sendForm(admin, `${USERS}/new`, { username: 'zoe', email: 'zoe@mail.example', role: 'author' })
    assert.is(added.response.status, 200, added.text)
    const password = /<code class="secret">([^<]+)</.exec(added.text)![1]!
    const zoe = browse(site)
    await zoe.logIn('zoe', password)
    assert.is((await zoe.open('/svc-admin/account')).status, 200)
    const form = { username: 'max', email: 'max@mail.example', role: 'editor', password: 'a chosen phrase' }
    assert.is((await sendForm(admin, `${USERS}/new`, form)).response.status, 303)
    const max = browse(site)
    await max.logIn('max', 'a chosen phrase')
    assert.equal((await site.kernel.services.users.current((await site.kernel.services.users.idOf('max'))!))?.roles, [
      'editor',
    ])
  })

  users('are edited on a separate page, with meta and panels of plugins', async () => {
    await using site = await open()
    const admin = await loggedIn(site, 'admin')
    const [sub, path] = [await loggedIn(site, 'sub'), `${USERS}/${site.users.sub}`]
    const wrong = await sendForm(admin, path, { do: 'save', 'meta[shoe_size]': 'large' })
    assert.is(wrong.response.status, 400)
    assert.match(wrong.text, 'Enter a number.')
    const form = { do: 'save', 'meta[shoe_size]': '41', first_name: 'Suse', bed: 'roses' }
    const stored = await sendForm(admin, path, form)
    assert.is(stored.response.status, 303, stored.text)
    assert.match(await (await admin.open(path)).text(), /name="meta\[shoe_size\]"/)
    assert.is(await site.kernel.services.options.get('bed'), 'sub: roses')
    const read = await site.send('GET', `/svc/v2/users/${site.users.sub}?context=edit`, null, 'admin')
    const user = (await read.json()) as { meta: { shoe_size: number }; first_name: string; last_name: string }
    assert.equal([user.meta.shoe_size, user.first_name], [41, 'Suse'])
    await sendForm(admin, path, { do: 'end-sessions' })
    assert.is((await sub.open('/svc-admin/account')).status, 302)
    const generated = await sendForm(admin, path, { do: 'password', password: '' })
    const password = /<code class="secret">([^<]+)</.exec(generated.text)![1]!
    await sub.logIn('sub', password)
    assert.is((await sub.open('/svc-admin/account')).status, 200)
    assert.is((await admin.open(`${USERS}/9999`)).status, 404)
    assert.is((await admin.open(`${USERS}/x`)).status, 404)
    assert.is(
      (await admin.open(`${USERS}/${site.users.admin}`)).headers.get('location'),
      `${site.home}/svc-admin/account`,
    )
  })

  users('are deleted, and their posts reassigned to a selected user', async () => {
    await using site = await open()
    const admin = await loggedIn(site, 'admin')
    const { ann, ed, shy } = site.users
    const path = `${USERS}/delete?ids=${ann}`
    const unknownHeir = await sendForm(admin, path, { do: 'delete', posts: 'give', heir: 'x', 'ids[]': String(ann) })
    assert.is(unknownHeir.response.status, 400)
    assert.match(unknownHeir.text, 'Choose a user to attribute the content to.')
    const done = await sendForm(admin, path, { do: 'delete', posts: 'give', heir: String(ed), 'ids[]': String(ann) })
    assert.is(done.response.status, 303, done.text)
    const posts = (await (await site.request('/svc/v2/posts')).json()) as { author: number }[]
    assert.equal(
      posts.map(({ author }) => author),
      [ed],
    )
    await sendForm(admin, `${USERS}/delete?ids=${shy}`, { do: 'delete', posts: 'trash', 'ids[]': String(shy) })
    const trash = await site.send('GET', '/svc/v2/posts?status=trash', null, 'admin')
    assert.is(((await trash.json()) as unknown[]).length, 1)
    assert.is((await admin.open(`${USERS}/delete`)).status, 400)
  })

  users('can open a page with the capabilities of each role', async () => {
    await using site = await open()
    const text = await (await (await loggedIn(site, 'admin')).open(`${USERS}/roles`)).text()
    assert.match(text, 'Helper')
    assert.match(text, '<code>edit_others_posts</code>')
    assert.is((await (await loggedIn(site, 'ed')).open(`${USERS}/roles`)).status, 403)
  })

  users.run()
}
