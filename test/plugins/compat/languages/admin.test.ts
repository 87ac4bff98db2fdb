import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { act, enter, pageOf } from '../../../helpers/admin-lists.ts'
import { sendForm } from '../../../helpers/admin-forms.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import { startOnly } from '../../../helpers/site.ts'

startOnly('admin', 'languages', 'terms', 'posts', 'menus', 'site-requests')

const list = '/svc-admin/terms/category'

for (const { name, place } of databases) {
  const languages = suite(`languages in the admin on ${name}`)

  languages('are added, chosen and deleted on their page, and set in lists and forms', async () => {
    await using site = await serveWithUsers(place, { plugins: { languages: true } })
    const admin = await enter(site, 'admin')
    assert.match(await pageOf(admin, '/svc-admin/languages'), 'Content has no language yet')
    for (const locale of ['en_US', 'fr_FR', 'de_DE'])
      assert.is((await sendForm(admin, '/svc-admin/languages', { do: 'add', locale })).response.status, 303)
    const { services } = site.kernel
    const page = await pageOf(admin, '/svc-admin/languages')
    assert.match(
      page,
      /Français<\/span>\s*<\/th>\s*<td data-label="Slug">fr<\/td>\s*<td data-label="Locale">fr_FR<\/td>/,
    )
    await act(admin, list, [['name', 'Green']])
    await act(admin, list, [['name', 'Vert']])
    const found = (await site.json('/svc/v2/categories?lang=en')) as { id: number; slug: string }[]
    const idOf = (slug: string) => String(found.find((one) => one.slug === slug)!.id)
    const edited = { do: 'save', name: 'Vert', item_language: 'fr', translation_en: idOf('green') }
    assert.is((await sendForm(admin, `${list}/${idOf('vert')}`, edited)).response.status, 303)
    const [vert] = (await site.json('/svc/v2/categories?lang=fr&search=Vert')) as { id: number; link: string }[]
    const text = await pageOf(admin, list)
    assert.match(text, /data-label="Language">fr <small>\(\s*<span>en<\/span>/)
    const form = await pageOf(admin, `${list}/${vert!.id}`)
    assert.match(form, /<option value="fr"\s+selected>Français<\/option>/)
    assert.match(form, new RegExp(`name="translation_en"[^>]*value="${idOf('green')}"`))
    const german = (await site.json('/pll/v1/languages')).find(({ slug }: { slug: string }) => slug === 'de').term_id
    await sendForm(admin, '/svc-admin/languages', { do: 'choose', slug: 'fr' })
    await sendForm(admin, '/svc-admin/languages', { do: 'remove', id: String(german) })
    const left = (await site.json('/pll/v1/languages')) as { slug: string; is_default: boolean }[]
    assert.equal(
      left.map(({ slug, is_default: isDefault }) => [slug, isDefault]),
      [
        ['en', false],
        ['fr', true],
      ],
    )
    assert.is((await services.options.get<{ default_lang: string }>('polylang'))?.default_lang, 'fr')
    const editor = await enter(site, 'ed')
    assert.is((await editor.open('/svc-admin/languages')).status, 403)
  })

  languages.run()
}
