import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { browse } from '../../../helpers/browser.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import { startOnly } from '../../../helpers/site.ts'
import { definePlugin, html } from '../../../../plugins/public.ts'

startOnly('admin')

const garden = definePlugin({
  name: 'garden',
  needs: ['admin'],
  apply({ services }) {
    services.admin.addPage({
      path: 'garden/:bed',
      title: 'Garden',
      capability: 'edit_posts',
      show: (view) => ({
        main: html`<p>${view.params['bed']}</p>${view.formStart('water')}<button>Water</button></form>`,
      }),
      actions: {
        water: (view) => view.redirect(view.here(), { kind: 'done', text: `Watered <${view.params['bed']}>.` }),
      },
    })
  },
})

for (const { name, place } of databases) {
  const frame = suite(`the frame of the admin on ${name}`)
  const open = () => serveWithUsers(place, { add: [garden] })

  frame('sends visitors to the login page and back', async () => {
    await using site = await open()
    const response = await browse(site).open('/svc-admin/garden/roses')
    assert.is(response.status, 302)
    assert.match(response.headers.get('location') ?? '', /svc-login\?redirect_to=.*svc-admin%2Fgarden%2Froses/)
  })

  frame('shows a page of a plugin to users with the capability, and refuses other users', async () => {
    await using site = await open()
    const [author, subscriber] = [browse(site), browse(site)]
    await author.logIn('ann', 'pass phrase of ann')
    await subscriber.logIn('sub', 'pass phrase of sub')
    const shown = await author.open('/svc-admin/garden/ro%3Cses')
    assert.is(shown.status, 200, await shown.clone().text())
    assert.match(await shown.text(), '<p>ro&#60;ses</p>')
    assert.is((await subscriber.open('/svc-admin/garden/roses')).status, 403)
    assert.is((await author.open('/svc-admin/nowhere')).status, 404)
  })

  frame('runs a form action only with its nonce, and shows the notice once', async () => {
    await using site = await open()
    const author = browse(site)
    await author.logIn('ann', 'pass phrase of ann')
    const text = await (await author.open('/svc-admin/garden/roses')).text()
    const nonce = /name="_svcnonce" value="(\w+)"/.exec(text)![1]!
    const refused = await author.send('/svc-admin/garden/roses', { do: 'water' })
    assert.is(refused.status, 403)
    const foreign = await author.send(
      '/svc-admin/garden/roses',
      { do: 'water', _svcnonce: nonce },
      { origin: 'https://other.example' },
    )
    assert.is(foreign.status, 403)
    const unknown = await author.send('/svc-admin/garden/roses', { do: 'toString', _svcnonce: nonce })
    assert.is(unknown.status, 400)
    const done = await author.send('/svc-admin/garden/roses', { do: 'water', _svcnonce: nonce })
    assert.is(done.status, 303)
    const after = await author.open(done.headers.get('location')!)
    assert.match(await after.text(), 'Watered &#60;roses&#62;.')
    assert.not.match(await (await author.open('/svc-admin/garden/roses')).text(), 'Watered')
  })

  frame('serves scripts and styles with a cache lifetime of a year, and no files outside of their folder', async () => {
    await using site = await open()
    const author = browse(site)
    await author.logIn('ann', 'pass phrase of ann')
    const page = await author.open('/svc-admin/')
    assert.match(page.headers.get('content-security-policy')!, "default-src 'none'")
    const script = /<script type="module" src="([^"]+)"/.exec(await page.text())![1]!
    const file = await browse(site).open(script)
    assert.is(file.status, 200)
    assert.match(file.headers.get('cache-control')!, 'max-age=31536000')
    assert.is((await browse(site).open('/svc-admin/assets/core/x/..%2findex.js')).status, 404)
    assert.is((await browse(site).open('/svc-admin/assets/core/x/tsconfig.map')).status, 404)
  })

  frame('ignores invalid notices, and notices with links to other sites', async () => {
    await using site = await open()
    const author = browse(site)
    await author.logIn('ann', 'pass phrase of ann')
    const session = author.cookie
    const shown = async (notice: unknown) => {
      author.cookie = `${session}; svc_admin_notice=${encodeURIComponent(JSON.stringify(notice))}`
      return (await author.open('/svc-admin/garden/roses')).text()
    }
    const link = (href: string) => ({ kind: 'done', text: 'Planted <b>.', link: { href, label: 'See it' } })
    assert.match(await shown(link(`${site.home}/roses/`)), 'See it')
    for (const href of ['https://elsewhere.test/', `${site.home}@elsewhere.test/`]) {
      const text = await shown(link(href))
      assert.match(text, 'Planted &#60;b&#62;.')
      assert.not.match(text, 'See it')
    }
    for (const none of [
      null,
      7,
      [],
      { kind: 'done' },
      { kind: 'other', text: 'x' },
      { ...link('x'), link: null },
      link('javascript:alert(1)'),
    ])
      assert.not.match(await shown(none), 'class="notice')
  })

  frame('logs out by a form', async () => {
    await using site = await open()
    const author = browse(site)
    await author.logIn('ann', 'pass phrase of ann')
    const nonce = /name="_svcnonce" value="(\w+)"/.exec(await (await author.open('/svc-admin/')).text())![1]!
    assert.is((await author.send('/svc-admin/log-out', { do: 'log-out', _svcnonce: nonce })).status, 303)
    assert.is((await author.open('/svc-admin/')).status, 302)
  })

  frame.run()
}
