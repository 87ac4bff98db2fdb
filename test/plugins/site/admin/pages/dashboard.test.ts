import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, html } from '../../../../../plugins/public.ts'
import { sendForm } from '../../../../helpers/admin-forms.ts'
import { browse } from '../../../../helpers/browser.ts'
import { databases, serveWithUsers } from '../../../../helpers/site-with-users.ts'

const watered: string[] = []
const garden = definePlugin({
  name: 'garden',
  needs: ['admin'],
  apply({ services }) {
    services.admin.addPanel('dashboard', {
      name: 'garden',
      title: 'Garden',
      capability: 'edit_posts',
      show: (view) => html`<p>${view.t('All beds are dry.')}</p>`,
      save: (_view, _item, form) => void watered.push(String(form['bed'])),
    })
  },
})

for (const { name, place } of databases) {
  const dashboard = suite(`the dashboard of the admin on ${name}`)

  dashboard('shows each user only the actions and content they have permission for', async () => {
    await using site = await serveWithUsers(place, { add: [garden] })
    const post = async (login: 'ann' | 'ed', body: object) =>
      (await (await site.send('POST', '/svc/v2/posts', body, login)).json()) as { id: number }
    const draft = await post('ann', { title: 'Ann "drafts"' })
    await post('ed', { title: 'Ed drafts' })
    await post('ed', { title: 'Later', status: 'future', date: '2126-01-01T10:00:00' })
    const { id } = (await site.json('/svc/v2/posts?slug=hello'))[0]
    const comment = { post: id, content: 'Is it <b>true</b>?', author_name: 'Vic', author_email: 'vic@mail.example' }
    const held = await site.send('POST', '/svc/v2/comments', { ...comment, status: 'hold' }, 'ed')
    assert.is(held.status, 201, await held.clone().text())
    const open = async (login: string) => {
      const browser = browse(site)
      await browser.logIn(login, `pass phrase of ${login}`)
      const response = await browser.open('/svc-admin/')
      assert.is(response.status, 200, await response.clone().text())
      return { browser, text: await response.text() }
    }
    const ann = await open('ann')
    assert.match(ann.text, `content/post/${draft.id}">Ann &#34;drafts&#34;</a>`)
    assert.match(ann.text, 'content/post/new')
    assert.not.match(ann.text, 'Ed drafts')
    assert.not.match(ann.text, 'Pending comments')
    assert.not.match(ann.text, 'Database')
    assert.match(ann.text, 'All beds are dry.')

    const ed = await open('ed')
    assert.match(ed.text, 'Ann &#34;drafts&#34;')
    assert.match(ed.text, 'Later')
    assert.match(ed.text, />Later<\/a><\/p>\s*<p class="about">Post · ED Writer · <time[^>]* title="/)
    assert.not.match(ed.text, 'Database')
    const nonce = /name="_svcnonce" value="(\w+)"/.exec(ed.text)![1]!
    const waiting = /name="comment" value="(\d+)"/.exec(ed.text)![1]!
    const form = { do: 'save', panel: 'comments', comment: waiting, _svcnonce: nonce }
    assert.is((await ann.browser.send('/svc-admin/', form)).status, 403)
    assert.is((await ed.browser.send('/svc-admin/', form)).status, 303)
    assert.equal((await site.json(`/svc/v2/comments/${waiting}`)).status, 'approved')
    assert.not.match(await (await ed.browser.open('/svc-admin/')).text(), 'name="comment"')
    await ed.browser.send('/svc-admin/', { panel: 'garden', bed: 'roses', _svcnonce: nonce })
    assert.equal(watered.splice(0), ['roses'])

    const admin = await open('admin')
    for (const text of ['svc-admin/health"', 'svc-admin/changes"', 'not served over HTTPS'])
      assert.match(admin.text, text)
    assert.not.match(ann.text, 'svc-admin/changes"')
    const sub = await open('sub')
    for (const text of ['Drafts', 'Recent activity', 'Jobs', 'beds']) assert.not.match(sub.text, text)
  })

  dashboard('shows labels of types and site health in the language of the user', async () => {
    await using site = await serveWithUsers(place, { plugins: { translations: { languages: ['de'] } } })
    assert.is((await site.send('POST', '/svc/v2/users/me', { locale: 'de_DE' }, 'admin')).status, 200)
    await site.send('POST', '/svc/v2/pages', { title: 'Imprint', status: 'publish' }, 'admin')
    await site.send('POST', '/svc/v2/tags', { name: 'Roses' }, 'admin')
    const browser = browse(site)
    await browser.logIn('admin', 'pass phrase of admin')
    const text = await (await browser.open('/svc-admin/')).text()
    const by = '</a> erstellt</p> <p class="about">'
    for (const shown of [`Imprint${by}Seite`, `Roses${by}Schlagwort`, 'Neu: Beitrag', 'nicht über HTTPS ausgeliefert'])
      assert.match(text.replaceAll(/\s+/g, ' '), shown)
  })

  dashboard(
    'names changed objects by title, with the last editor, and links only to pages that the user can open',
    async () => {
      await using site = await serveWithUsers(place)
      const created = await site.send('POST', '/svc/v2/posts', { title: 'Tulips & more', status: 'publish' }, 'ann')
      const { id } = (await created.json()) as { id: number }
      await site.send('POST', `/svc/v2/posts/${id}`, { content: 'Now with roses.' }, 'ed')
      const menu = (await (await site.send('POST', '/svc/v2/menus', { name: 'Paths' }, 'admin')).json()) as {
        id: number
      }
      const item = { title: 'Home', url: 'https://x.example/', menus: menu.id, status: 'publish' }
      assert.is((await site.send('POST', '/svc/v2/menu-items', item, 'admin')).status, 201)
      const open = async (login: string) => {
        const browser = browse(site)
        await browser.logIn(login, `pass phrase of ${login}`)
        const text = await (await browser.open('/svc-admin/')).text()
        return text.slice(text.indexOf('Recent activity')).replaceAll(/\s+/g, ' ')
      }
      const admin = await open('admin')
      assert.match(
        admin,
        `<a href="${site.home}/svc-admin/menus/${menu.id}">Paths</a></p> <p class="about">Menu · <time`,
      )
      assert.match(admin, `content/post/${id}">Tulips &#38; more</a></p> <p class="about">Post · ED Writer · <time`)
      assert.not.match(admin, 'nav_menu')
      const ann = await open('ann')
      assert.match(ann, 'Tulips &#38; more</a>')
      assert.not.match(ann, '/svc-admin/menus/')
    },
  )

  dashboard('counts content with links to its lists, and stores a quick draft', async () => {
    await using site = await serveWithUsers(place)
    const browser = browse(site)
    await browser.logIn('ann', 'pass phrase of ann')
    const glance = (text: string) =>
      [...text.matchAll(/href="([^"]+)"><strong>(\d+)<\/strong> (\w+)/g)].map((found) => found.slice(1))
    const page = await (await browser.open('/svc-admin/')).text()
    assert.equal(glance(page), [
      [`${site.home}/svc-admin/content/post?status=publish`, '1', 'Posts'],
      [`${site.home}/svc-admin/media`, '0', 'Files'],
    ])
    const { response } = await sendForm(browser, '/svc-admin/', {
      do: 'draft',
      title: 'Seeds',
      content: 'Buy <b>\n\nSow',
    })
    assert.is(response.status, 303)
    const after = await (await browser.open('/svc-admin/')).text()
    const id = /Draft saved\. <a href="[^"]*content\/post\/(\d+)">Edit/.exec(after)?.[1]
    const draft = await site.json(`/svc/v2/posts/${id}?context=edit`, site.by('ann'))
    assert.equal([draft.status, draft.title.raw], ['draft', 'Seeds'])
    assert.is(
      draft.content.raw,
      '<!-- wp:paragraph -->\n<p>Buy &lt;b&gt;</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:paragraph -->\n<p>Sow</p>\n<!-- /wp:paragraph -->',
    )
    await sendForm(browser, '/svc-admin/', { do: 'draft', title: ' ', content: '' })
    assert.match(await (await browser.open('/svc-admin/')).text(), 'Enter a title or some content.')
    const sub = browse(site)
    await sub.logIn('sub', 'pass phrase of sub')
    assert.not.match(await (await sub.open('/svc-admin/')).text(), 'name="content"')
    const refused = await sendForm(sub, '/svc-admin/', { do: 'draft', title: 'No' })
    assert.is(refused.response.status, 403)
  })

  dashboard.run()
}
