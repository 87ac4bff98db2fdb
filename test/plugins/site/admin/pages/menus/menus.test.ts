import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fieldsOf, formNonce, sendForm } from '../../../../../helpers/admin-forms.ts'
import { browse } from '../../../../../helpers/browser.ts'
import { databases, serveWithUsers } from '../../../../../helpers/site-with-users.ts'

for (const { name, place } of databases) {
  const menus = suite(`the menus of the admin on ${name}`)

  const open = async () => {
    const site = await serveWithUsers(place)
    site.kernel.services.menus.registerLocation('top', 'At the top')
    const browser = browse(site)
    await browser.logIn('admin', 'pass phrase of admin')
    const page = async (path: string) => (await browser.open(path)).text()
    const created = await sendForm(browser, '/svc-admin/menus', { do: 'create', name: 'Main & more' })
    const path = new URL(created.response.headers.get('location')!).pathname
    const items = async () => {
      const response = await site.request(`/svc/v2/menu-items?menus=${path.split('/').at(-1)}&context=edit`, {
        headers: site.by('admin'),
      })
      const found = (await response.json()) as {
        id: number
        title: { raw: string }
        url: string
        parent: number
        target: string
      }[]
      return found
    }
    const link = (title: string) =>
      sendForm(browser, path, {
        do: 'add-link',
        'link-title': title,
        'link-url': `https://${title.toLowerCase()}.example/`,
      })
    return { ...site, browser, page, path, items, link }
  }

  menus('are created, assigned to a location, and deleted after a confirmation', async () => {
    await using site = await open()
    const { browser, path } = site
    const again = await sendForm(browser, '/svc-admin/menus', { do: 'create', name: 'Main & more' })
    assert.is(again.response.status, 400)
    assert.match(again.text, 'A menu with this name already exists')
    const page = await site.page(path)
    assert.match(page, 'value="Main &#38; more"')
    const saved = await sendForm(browser, path, { ...fieldsOf(page), name: 'Main <b>', 'locations[]': 'top' })
    assert.is(saved.response.status, 303, saved.text)
    const list = await site.page('/svc-admin/menus')
    assert.ok(list.includes('Main &lt;b&gt;') || list.includes('Main'), list)
    assert.not.match(list, 'Main <b>')
    assert.match(list, 'At the top')
    const id = path.split('/').at(-1)!
    assert.match((await sendForm(browser, '/svc-admin/menus', { do: 'delete', id })).text, 'Delete menu?')
    assert.is((await sendForm(browser, '/svc-admin/menus', { do: 'delete-confirmed', id })).response.status, 303)
    assert.is((await browser.open(path)).status, 404)
  })

  menus('accept posts, pages, terms and links, and store order, levels and texts without scripts', async () => {
    await using site = await open()
    const { browser, path } = site
    await site.link('One')
    const wrong = await sendForm(browser, path, { do: 'add-link', 'link-title': 'Two', 'link-url': '' })
    assert.is(wrong.response.status, 400)
    const found = await site.page(`${path}?add=Hello`)
    const value = /value="(post_type:post:\d+)"/.exec(found)![1]!
    const added = await browser.send(path, { _svcnonce: formNonce(found), do: 'add', 'add[]': value })
    assert.is(added.status, 303)
    assert.match(await site.page(path), '1 item added to the menu.')
    const [one, hello] = await site.items()
    assert.equal([one!.title.raw, hello!.title.raw], ['One', 'Hello'])
    const fields = fieldsOf(await site.page(path))
    const changed = {
      ...fields,
      [`menu_order-${one!.id}`]: '2',
      [`menu_order-${hello!.id}`]: '1',
      [`parent-${one!.id}`]: String(hello!.id),
      [`title-${one!.id}`]: 'First <i>',
      [`target-${one!.id}`]: '_blank',
      [`classes-${one!.id}`]: 'big red',
    }
    const saved = await sendForm(browser, path, changed)
    assert.is(saved.response.status, 303, saved.text)
    const [above, below] = await site.items()
    assert.equal([above!.id, below!.id, below!.parent, below!.target], [hello!.id, one!.id, hello!.id, '_blank'])
    assert.match(await site.page(path), 'big red')
    assert.is(
      (await sendForm(browser, path, { ...fieldsOf(await site.page(path)), [`remove-${hello!.id}`]: '1' })).response
        .status,
      303,
    )
    assert.equal(
      (await site.items()).map(({ id, parent }) => [id, parent]),
      [[one!.id, 0]],
    )
  })

  menus('preserve changes that other users made in the meantime, and report them', async () => {
    await using site = await open()
    const { browser, path } = site
    for (const title of ['One', 'Two', 'Three']) await site.link(title)
    const [one, two, three] = await site.items()
    const fields = fieldsOf(await site.page(path))
    await site.send(
      'POST',
      `/svc/v2/menu-items/${one!.id}`,
      { title: 'Theirs', url: 'https://theirs.example/' },
      'admin',
    )
    await site.send('DELETE', `/svc/v2/menu-items/${three!.id}?force=true`, {}, 'admin')
    await site.link('Four')
    const mine = { [`title-${one!.id}`]: 'Mine', [`target-${one!.id}`]: '_blank', [`title-${two!.id}`]: 'Second' }
    const { response, text } = await sendForm(browser, path, { ...fields, was: fields['was']!, ...mine })
    assert.is(response.status, 400)
    assert.match(text, 'Mine: someone else changed these fields while you were editing. Their version was kept: title.')
    assert.match(text, 'Three: someone else removed this item while you were editing.')
    const after = await site.items()
    assert.equal(
      after.map(({ title, url, target }) => [title.raw, url, target]),
      [
        ['Theirs', 'https://theirs.example/', '_blank'],
        ['Second', 'https://two.example/', ''],
        ['Four', 'https://four.example/', ''],
      ],
    )
  })

  menus('require permission to edit the theme', async () => {
    await using site = await open()
    const editor = browse(site)
    await editor.logIn('ed', 'pass phrase of ed')
    assert.is((await editor.open('/svc-admin/menus')).status, 403)
    assert.is((await editor.open(site.path)).status, 403)
    assert.is((await editor.send(site.path, { do: 'add-link' })).status, 403)
  })

  menus.run()
}
