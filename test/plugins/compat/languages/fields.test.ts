import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { create, languageSite, send } from './site.ts'

startOnly('languages', 'menu-routes', 'posts', 'menus', 'site-requests')

const options = { plugins: { languages: { fields: true } } }
const idsOf = (items: { id: number }[]) => items.map(({ id }) => id)

for (const { name, make } of places) {
  const fields = suite(`fields of languages on ${name}`)

  fields('show and write the language and the translations of posts', async () => {
    await using site = await languageSite(await make(), options)
    const english = await create(site, 'posts', { title: 'Welcome', status: 'publish' })
    assert.equal([english.lang, english.translations], ['en', { en: english.id }])
    const path = `posts?lang=fr&translations[en]=${english.id}`
    const french = await create(site, path, { title: 'Bienvenue', status: 'publish' })
    const both = { en: english.id, fr: french.id }
    assert.equal([french.lang, french.translations], ['fr', both])
    const read = await site.json(`/svc/v2/posts/${english.id}`)
    assert.equal([read.translations, read.modified], [both, english.modified])
    // A third post replaces the French translation, which then stands alone.
    const other = await create(site, 'posts', {
      title: 'Salut',
      status: 'publish',
      lang: 'fr',
      translations: { en: english.id },
    })
    assert.equal(other.translations, { en: english.id, fr: other.id })
    assert.equal((await site.json(`/svc/v2/posts/${french.id}`)).translations, { fr: french.id })
    await send(site, 'DELETE', `/svc/v2/posts/${other.id}?force=true`)
    assert.equal((await site.json(`/svc/v2/posts/${english.id}`)).translations, { en: english.id })
  })

  fields('limit lists of posts of every type', async () => {
    await using site = await languageSite(await make(), options)
    const english = await create(site, 'posts', { title: 'A', status: 'publish' })
    const french = await create(site, 'posts', { title: 'B', status: 'publish', lang: 'fr' })
    const german = await create(site, 'pages', { title: 'C', status: 'publish', lang: 'de' })
    const list = async (query: string) => idsOf(await site.json(`/svc/v2/${query}`))
    assert.equal(await list('posts?lang=fr'), [french.id])
    assert.equal(await list('posts?lang=de'), [])
    assert.equal(await list('posts?lang=xx'), [english.id])
    assert.equal(await list('posts?lang=en,fr&orderby=id&order=asc'), [english.id, french.id])
    assert.equal(await list('posts?lang='), [french.id, english.id])
    assert.equal(await list('pages?lang=de'), [german.id])
    assert.equal(await list('pages?lang=en'), [])
    const { body } = await send(site, 'OPTIONS', '/svc/v2/posts')
    assert.equal([body.endpoints[0].args.lang.type, body.schema.properties.translations.type], ['string', 'object'])
  })

  fields('show and write the language and the translations of terms', async () => {
    await using site = await languageSite(await make(), options)
    const english = await create(site, 'tags', { name: 'Green' })
    const french = await create(site, 'tags', { name: 'Vert', lang: 'fr', translations: { en: english.id } })
    assert.equal(french.translations, { en: english.id, fr: french.id })
    const read = await site.json(`/svc/v2/tags/${english.id}`)
    assert.equal([read.lang, read.translations], ['en', french.translations])
    await send(site, 'DELETE', `/svc/v2/tags/${english.id}?force=true`)
    assert.equal((await site.json(`/svc/v2/tags/${french.id}`)).translations, { fr: french.id })
  })

  fields(
    'refuse translations in another language, of another type, and of posts that the user may not edit',
    async () => {
      await using site = await languageSite(await make(), options)
      const english = await create(site, 'posts', { title: 'A', status: 'publish' })
      const page = await create(site, 'pages', { title: 'B', status: 'publish' })
      const attempt = (translations: object, role = 'administrator') =>
        send(site, 'POST', '/svc/v2/posts', { title: 'C', lang: 'fr', translations }, role)
      for (const translations of [
        { de: english.id },
        { en: page.id },
        { en: 999_999 },
        { en: -1 },
        { xx: english.id },
      ]) {
        const { status, body } = await attempt(translations)
        assert.equal([status, body.code], [400, 'pll_invalid_translations'], JSON.stringify(translations))
      }
      assert.is((await attempt({ en: english.id }, 'contributor')).body.code, 'pll_invalid_translations')
      assert.equal((await site.json(`/svc/v2/posts/${english.id}`)).translations, { en: english.id })
      assert.is((await site.json('/svc/v2/posts')).length, 1)
    },
  )

  fields('hide translations that the requesting user may not read', async () => {
    await using site = await languageSite(await make(), options)
    const english = await create(site, 'posts', { title: 'A', status: 'publish' })
    const draft = await create(site, 'posts', { title: 'B', lang: 'fr', translations: { en: english.id } })
    assert.equal((await site.json(`/svc/v2/posts/${english.id}`)).translations, { en: english.id })
    const { body } = await send(site, 'GET', `/svc/v2/posts/${english.id}`)
    assert.equal(body.translations, { en: english.id, fr: draft.id })
  })

  fields('cost a constant number of statements in a list', async () => {
    await using site = await languageSite(await make(), options)
    const add = async (title: string) => {
      const { id } = await create(site, 'posts', { title, status: 'publish' })
      await create(site, 'posts', { title, status: 'publish', lang: 'fr', translations: { en: id } })
    }
    await add('One')
    const read = () => site.statements(() => site.json('/svc/v2/posts?lang=fr&_fields=id,lang,translations,link'))
    const before = await read()
    for (let at = 0; at < 4; at += 1) await add(`Post ${at}`)
    assert.is((await read()).length, before.length)
  })

  fields.run()
}
