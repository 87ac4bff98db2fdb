import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { places } from '../../../helpers/stores.ts'
import { create, languageSite, send, translate } from './site.ts'

for (const { name, make } of places) {
  const pages = suite(`pages with languages on ${name}`)

  pages('have URLs with their language, and other URLs redirect to them', async () => {
    await using site = await languageSite(await make())
    const english = await create(site, 'posts', { title: 'Welcome', status: 'publish' })
    const french = await create(site, 'posts', { title: 'Bienvenue', status: 'publish', lang: 'fr' })
    await translate(site, { en: english.id, fr: french.id })
    const page = await fetch(french.link)
    const text = await page.text()
    assert.is(page.status, 200)
    assert.match(text, '<html lang="fr-FR">')
    assert.match(text, `<link rel="alternate" hreflang="en-US" href="${english.link}">`)
    assert.match(text, `<link rel="alternate" hreflang="x-default" href="${english.link}">`)
    for (const path of [french.link.replace('/fr/', '/'), french.link.replace('/fr/', '/de/')]) {
      const moved = await fetch(path, { redirect: 'manual' })
      assert.equal([moved.status, moved.headers.get('location')], [301, french.link])
    }
    const home = await (await fetch(`${site.home}/fr/`)).text()
    assert.ok(home.includes('Bienvenue') && !home.includes('Welcome'))
    const root = await (await fetch(`${site.home}/`)).text()
    assert.ok(root.includes('Welcome') && !root.includes('Bienvenue'))
    const chosen = await fetch(`${site.home}/?lang=fr`, { redirect: 'manual' })
    assert.equal([chosen.status, chosen.headers.get('location')], [301, `${site.home}/fr/`])
    const feed = await (await fetch(`${site.home}/fr/feed/`)).text()
    assert.ok(feed.includes('Bienvenue') && !feed.includes('Welcome'))
    const [{ id: category }] = await site.json('/svc/v2/categories?lang=fr')
    const { link } = await site.json(`/svc/v2/categories/${category}`)
    assert.is(link, `${site.home}/fr/category/uncategorized-fr/`)
    const unprefixed = await fetch(link.replace('/fr/', '/'), { redirect: 'manual' })
    assert.equal([unprefixed.status, unprefixed.headers.get('location')], [301, link])
    assert.is((await fetch(`${site.home}/xx/category/uncategorized-fr/`)).status, 404)
  })

  pages('have separate front pages, and prefixes as the settings say', async () => {
    await using site = await languageSite(await make())
    const english = await create(site, 'pages', { title: 'Start', status: 'publish' })
    const french = await create(site, 'pages', { title: 'Accueil', status: 'publish', lang: 'fr' })
    await translate(site, { en: english.id, fr: french.id })
    const { options } = site.kernel.services
    await options.set('show_on_front', 'page')
    await options.set('page_on_front', english.id)
    assert.is((await site.json(`/svc/v2/pages/${french.id}`)).link, `${site.home}/fr/`)
    assert.match(await (await fetch(`${site.home}/fr/`)).text(), 'Accueil')
    const named = await fetch(`${site.home}/fr/accueil/`, { redirect: 'manual' })
    assert.equal([named.status, named.headers.get('location')], [301, `${site.home}/fr/`])
    const [, data] = await site.json('/pll/v1/languages')
    assert.is(data.page_on_front, french.id)
    const { body: settings } = await send(site, 'POST', '/pll/v1/settings', { hide_default: false, rewrite: false })
    assert.equal([settings.hide_default, settings.rewrite, settings.domains], [false, false, []])
    assert.is((await site.json(`/svc/v2/pages/${english.id}`)).link, `${site.home}/language/en/`)
    assert.match(await (await fetch(`${site.home}/language/fr/`)).text(), 'Accueil')
    const refused = await send(site, 'POST', '/pll/v1/settings', { default_lang: 'xx' })
    assert.is(refused.status, 400)
  })

  pages('have the parameter lang in plain URLs', async () => {
    await using site = await languageSite(await make())
    await site.kernel.services.options.set('permalink', '')
    await create(site, 'posts', { title: 'Welcome', status: 'publish' })
    const french = await create(site, 'posts', { title: 'Bienvenue', status: 'publish', lang: 'fr' })
    assert.is(french.link, `${site.home}/?p=${french.id}&lang=fr`)
    const bare = await fetch(`${site.home}/?p=${french.id}`, { redirect: 'manual' })
    assert.equal([bare.status, bare.headers.get('location')], [301, french.link])
    for (let round = 0; round < 2; round += 1) {
      const home = await (await fetch(`${site.home}/`)).text()
      const inFrench = await (await fetch(`${site.home}/?lang=fr`)).text()
      assert.equal([home.includes('Welcome'), home.includes('Bienvenue')], [true, false])
      assert.equal([inFrench.includes('Welcome'), inFrench.includes('Bienvenue')], [false, true])
    }
  })

  pages('link their translations in the switcher block', async () => {
    await using site = await languageSite(await make())
    const block = '<!-- wp:polylang/language-switcher {"show_flags":true} /-->'
    const english = await create(site, 'pages', { title: 'Start', status: 'publish', content: block })
    const french = await create(site, 'pages', { title: 'Accueil', status: 'publish', lang: 'fr' })
    await translate(site, { en: english.id, fr: french.id })
    const text = await (await fetch(english.link)).text()
    assert.match(text, `<a lang="en-US" hreflang="en-US" href="${english.link}" aria-current="true"><img `)
    assert.match(text, `<a lang="fr-FR" hreflang="fr-FR" href="${french.link}">`)
    assert.match(text, `<a lang="de-DE" hreflang="de-DE" href="${site.home}/de/">`)
    assert.match(text, 'lang-item-de no-translation')
  })

  pages('are named with their translations in sitemaps', async () => {
    await using site = await languageSite(await make())
    const english = await create(site, 'posts', { title: 'Welcome', status: 'publish' })
    const french = await create(site, 'posts', { title: 'Bienvenue', status: 'publish', lang: 'fr' })
    const german = await create(site, 'posts', { title: 'Entwurf', lang: 'de' })
    const alone = await create(site, 'posts', { title: 'Seul', status: 'publish', lang: 'fr' })
    await translate(site, { en: english.id, fr: french.id, de: german.id })
    const sitemap = async (name: string) => (await fetch(`${site.home}/sitemap-${name}-1.xml`)).text()
    const posts = await sitemap('post-post')
    const link = (tag: string, url: string) => `<xhtml:link rel="alternate" hreflang="${tag}" href="${url}"/>`
    const links = link('en-US', english.link) + link('fr-FR', french.link) + link('x-default', english.link)
    assert.match(posts, 'xmlns:xhtml="http://www.w3.org/1999/xhtml"')
    for (const url of [english.link, french.link]) {
      const [, entry] = posts.split(`<loc>${url}</loc>`)
      assert.is(entry!.slice(0, entry!.indexOf('</url>')).replace(/<lastmod>.*<\/lastmod>/, ''), links)
    }
    assert.not(posts.split(`<loc>${alone.link}</loc>`)[1]!.split('</url>')[0]!.includes('xhtml'))
    assert.not(posts.includes('de-DE'))
    const categories = await sitemap('term-category')
    assert.match(categories, link('fr-FR', `${site.home}/fr/category/uncategorized-fr/`))
    assert.match(categories, link('x-default', `${site.home}/category/uncategorized/`))
    // No sitemap has a namespace that it does not use.
    assert.not((await sitemap('author')).includes('xhtml'))
  })

  pages.run()
}
