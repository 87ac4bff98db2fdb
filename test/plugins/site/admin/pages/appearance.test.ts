import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sendForm } from '../../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'

const APPEARANCE = '/svc-admin/appearance'

async function loggedIn(site: SiteWithUsers, login: string): Promise<Browser> {
  const browser = browse(site)
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

for (const { name, place } of databases) {
  const appearance = suite(`appearance page on ${name}`)

  appearance('changes colors, fonts and widths, warns about low contrast, and can be reset', async () => {
    await using site = await serveWithUsers(place)
    const admin = await loggedIn(site, 'admin')
    const css = () => site.kernel.services.globalStyles.css()
    const page = await (await admin.open(APPEARANCE)).text()
    assert.not.match(page, /: 1\. Low contrast/)
    assert.match(page, /<iframe[^>]* sandbox/)
    const form = {
      do: 'save',
      'color.accent': '#ffee00',
      background: 'surface',
      heading_font: 'serif',
      content_size: '30rem',
    }
    const done = await sendForm(admin, APPEARANCE, form)
    assert.is(done.response.status, 303, done.text)
    assert.match(await css(), '--color--accent: #ffee00')
    assert.match(await css(), /color--surface/)
    assert.match(await css(), '30rem')
    const after = await (await admin.open(APPEARANCE)).text()
    assert.match(after, /: 1\. Low contrast/)
    assert.match(after, 'value="#ffee00"')
    assert.match(after, /value="serif"\s+selected/)
    const one = await sendForm(admin, APPEARANCE, { do: 'save', content_size: '' })
    assert.is(one.response.status, 303, one.text)
    assert.match(await css(), '--color--accent: #ffee00')
    assert.not.match(await css(), '30rem')
    await sendForm(admin, APPEARANCE, { do: 'variation', title: 'High contrast' })
    assert.match(await css(), '--color--accent: #00308f')
    const revision = /name="revision" value="(\d+)"/.exec(await (await admin.open(APPEARANCE)).text())
    assert.ok(revision !== null)
    await sendForm(admin, APPEARANCE, { do: 'reset' })
    assert.match(await css(), '--color--accent: #0b5cad')
    const restored = await sendForm(admin, APPEARANCE, { do: 'restore', revision: revision[1]! })
    assert.is(restored.response.status, 303, restored.text)
    assert.not.match(await css(), '--color--accent: #0b5cad')
  })

  appearance('refuses invalid values, and users who cannot edit the theme', async () => {
    await using site = await serveWithUsers(place)
    const admin = await loggedIn(site, 'admin')
    const wrong = {
      do: 'save',
      'color.accent': 'red;}body{',
      background: 'nowhere',
      wide_size: '4rem;color:red',
      heading_font: 'serif"',
    }
    const { response, text } = await sendForm(admin, APPEARANCE, wrong)
    assert.is(response.status, 400)
    for (const field of ['color-accent', 'background', 'wide_size', 'heading_font'])
      assert.match(text, `id="field-${field}-error"`)
    const unknown = await sendForm(admin, APPEARANCE, { do: 'theme', theme: '../x' })
    assert.is(unknown.response.status, 400)
    assert.is((await (await loggedIn(site, 'ed')).open(APPEARANCE)).status, 403)
  })

  appearance('is reached from its former URL, with the query string', async () => {
    await using site = await serveWithUsers(place)
    const admin = await loggedIn(site, 'admin')
    for (const browser of [admin, browse(site)]) {
      const moved = await browser.open('/svc-admin/looks?from=bookmark&x=%26')
      assert.is(moved.status, 308)
      assert.is(moved.headers.get('location'), `${site.home}${APPEARANCE}?from=bookmark&x=%26`)
    }
    const { status, headers } = await admin.open('/svc-admin/looks/')
    assert.is(status, 308)
    assert.is(headers.get('location'), `${site.home}${APPEARANCE}`)
    assert.is((await admin.open('/svc-admin/looks/themes')).status, 404)
    const menu = await (await admin.open('/svc-admin/')).text()
    assert.match(menu, APPEARANCE)
    assert.not.match(menu, '/svc-admin/looks')
  })

  appearance.run()
}
