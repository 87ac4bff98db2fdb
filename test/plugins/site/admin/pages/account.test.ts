import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache } from '../../../../../kernel/index.ts'
import { formNonce, sendForm } from '../../../../helpers/admin-forms.ts'
import { browse } from '../../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'

const ACCOUNT = '/svc-admin/account'

async function loggedIn(site: SiteWithUsers, login: string, password = `pass phrase of ${login}`) {
  const browser = browse(site)
  await browser.logIn(login, password)
  return browser
}

for (const { name, place } of databases) {
  const account = suite(`the account in the admin on ${name}`)

  account('stores the profile, and shows each error next to its field', async () => {
    await using site = await serveWithUsers(place)
    const sub = await loggedIn(site, 'sub')
    const refused = await sendForm(sub, ACCOUNT, { do: 'save', email: 'no address', first_name: 'Su & <Sub>' })
    assert.is(refused.response.status, 400)
    assert.match(refused.text, /aria-invalid="true"/)
    assert.match(refused.text, 'value="Su &#38; &#60;Sub&#62;"')
    const stored = await sendForm(sub, ACCOUNT, { do: 'save', email: 'new@mail.example', name: 'Q & A' })
    assert.is(stored.response.status, 303, stored.text)
    const after = await (await sub.open(ACCOUNT)).text()
    assert.match(after, 'Profile updated.')
    assert.match(after, 'value="Q &#38; A"')
    assert.match(after, 'value="new@mail.example"')
    assert.match(after, 'value="First-sub"')
  })

  account('asks for no email address of a user who has none', async () => {
    await using site = await serveWithUsers(place)
    await site.kernel.services.users.update(site.users.sub, { email: '' })
    const sub = await loggedIn(site, 'sub')
    const stored = await sendForm(sub, ACCOUNT, { do: 'save', nickname: 'Susi', email: '', 'meta[x]': 'y' })
    assert.is(stored.response.status, 303, stored.text)
    const after = await (await sub.open(ACCOUNT)).text()
    assert.match(after, 'value="Susi"')
    assert.not.match(after, /name="email"[^>]* required/)
  })

  account('keeps changes that other users made in the meantime', async () => {
    await using site = await serveWithUsers(place)
    const sub = await loggedIn(site, 'sub')
    const page = await (await sub.open(ACCOUNT)).text()
    await site.kernel.services.users.update(site.users.sub, { last_name: 'Meanwhile', nickname: 'Other' })
    const was = /name="was" value="([^"]*)"/.exec(page)![1]!.replaceAll('&#34;', '"').replaceAll('&#39;', "'")
    const form = { do: 'save', _svcnonce: formNonce(page), was, last_name: '', nickname: 'Mine' }
    const refused = await sub.send(ACCOUNT, form)
    assert.is(refused.status, 400)
    assert.match(await refused.text(), 'Someone else saved changes. Save again to overwrite them.')
    const again = await sendForm(sub, ACCOUNT, { do: 'save', nickname: 'Mine' })
    assert.is(again.response.status, 303)
    const { last_name: last } = await site.kernel.services.users.profile(site.users.sub, new RequestCache())
    assert.is(last, 'Meanwhile')
  })

  account('changes the password only with the current one, and keeps this browser logged in', async () => {
    await using site = await serveWithUsers(place)
    const [ann, otherBrowser] = [await loggedIn(site, 'ann'), await loggedIn(site, 'ann')]
    const password = 'another pass phrase'
    const wrong = await sendForm(ann, ACCOUNT, { do: 'password', current: 'nonsense', password, again: password })
    assert.is(wrong.response.status, 400)
    assert.match(wrong.text, 'The current password is incorrect.')
    const current = 'pass phrase of ann'
    const other = await sendForm(ann, ACCOUNT, { do: 'password', current, password, again: 'x' })
    assert.match(other.text, 'The passwords don’t match.')
    const done = await sendForm(ann, ACCOUNT, { do: 'password', current, password, again: password })
    assert.is(done.response.status, 303, done.text)
    assert.match(await (await ann.open(ACCOUNT)).text(), 'Password changed.')
    assert.is((await otherBrowser.open(ACCOUNT)).status, 302)
    assert.is((await (await loggedIn(site, 'ann', password)).open(ACCOUNT)).status, 200)
  })

  account('lists the sessions of the user only, and ends the others', async () => {
    await using site = await serveWithUsers(place)
    const [ann, otherBrowser, sub] = [
      await loggedIn(site, 'ann'),
      await loggedIn(site, 'ann'),
      await loggedIn(site, 'sub'),
    ]
    const { sessions } = site.kernel.services
    assert.match(await (await ann.open(ACCOUNT)).text(), 'This browser')
    const [foreign] = await sessions.list(site.users.sub)
    await sendForm(ann, ACCOUNT, { do: 'end-session', session: foreign!.id })
    assert.match(await (await ann.open(ACCOUNT)).text(), 'This session has already expired.')
    assert.is((await sub.open(ACCOUNT)).status, 200)
    await sendForm(ann, ACCOUNT, { do: 'end-sessions' })
    assert.is((await otherBrowser.open(ACCOUNT)).status, 302)
    assert.is((await ann.open(ACCOUNT)).status, 200)
    assert.is((await sessions.list(site.users.ann)).length, 1)
  })

  account('creates an application password that is shown once, and revokes it', async () => {
    await using site = await serveWithUsers(place)
    const ann = await loggedIn(site, 'ann')
    const created = await sendForm(ann, ACCOUNT, { do: 'create-password', program: 'Robot <1>' })
    const secret = /<code class="secret">([^<]+)</.exec(created.text)![1]!
    const asRobot = () =>
      site.request('/svc/v2/users/me', {
        headers: { authorization: `Basic ${Buffer.from(`ann:${secret}`).toString('base64')}` },
      })
    assert.is((await asRobot()).status, 200)
    const text = await (await ann.open(ACCOUNT)).text()
    assert.not.match(text, secret)
    const uuid = /name="uuid" value="([^"]+)"/.exec(text)![1]!
    assert.is((await sendForm(ann, ACCOUNT, { do: 'revoke-password', uuid })).response.status, 303)
    assert.is((await asRobot()).status, 401)
    assert.match((await sendForm(ann, ACCOUNT, { do: 'create-password', program: ' ' })).text, 'field-error')
  })

  account.run()
}
