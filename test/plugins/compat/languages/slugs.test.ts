import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { places } from '../../../helpers/stores.ts'
import { create, languageSite, send } from './site.ts'

const options = { plugins: { languages: { fields: true } } }

for (const { name, make } of places) {
  const slugs = suite(`slugs in several languages on ${name}`)

  slugs('can be the same for posts and pages of different languages, whose URLs show the right one', async () => {
    await using site = await languageSite(await make(), options)
    for (const type of ['posts', 'pages']) {
      const items = new Map<string, { id: number; slug: string; link: string }>()
      for (const lang of ['en', 'fr', 'de'])
        items.set(
          lang,
          await create(site, type, { title: `Own ${lang}`, slug: `about-${type}`, status: 'publish', lang }),
        )
      assert.equal(
        [...items.values()].map(({ slug }) => slug),
        Array.from({ length: 3 }, () => `about-${type}`),
      )
      for (const [lang, { link }] of items) {
        assert.is(link.includes('/fr/'), lang === 'fr', link)
        const page = await fetch(link, { redirect: 'manual' })
        assert.is(page.status, 200, link)
        const text = await page.text()
        assert.match(text, `Own ${lang}`)
        assert.match(text, `<link rel="canonical" href="${link}">`)
      }
      const [found] = await site.json(`/svc/v2/${type}?slug=about-${type}&lang=de`)
      assert.is(found.id, items.get('de')!.id)
    }
  })

  slugs('are unique within a language, and after a change of the language', async () => {
    await using site = await languageSite(await make(), options)
    const one = await create(site, 'pages', { title: 'A', slug: 'about', status: 'publish', lang: 'de' })
    const two = await create(site, 'pages', { title: 'B', slug: 'about', status: 'publish', lang: 'de' })
    const other = await create(site, 'pages', { title: 'C', slug: 'about', status: 'publish', lang: 'fr' })
    assert.equal([one.slug, two.slug, other.slug], ['about', 'about-2', 'about'])
    const saved = await send(site, 'POST', `/svc/v2/pages/${other.id}`, { title: 'C again' })
    assert.is(saved.body.slug, 'about')
    const moved = await send(site, 'POST', `/svc/v2/pages/${other.id}`, { lang: 'de' })
    assert.is(moved.body.slug, 'about-3')
    const edited = await send(site, 'GET', `/svc/v2/pages/${one.id}?context=edit`)
    assert.is(edited.body.slug, 'about')
  })

  slugs('can be the same for terms of different languages, also with the same name', async () => {
    await using site = await languageSite(await make(), options)
    const english = await create(site, 'categories', { name: 'Sport' })
    const german = await create(site, 'categories', { name: 'Sport', lang: 'de', translations: { en: english.id } })
    const french = await create(site, 'categories', { name: 'Le sport', slug: 'sport', lang: 'fr' })
    assert.equal([english.slug, german.slug, french.slug], ['sport', 'sport', 'sport'])
    assert.is(german.link, `${site.home}/de/category/sport/`)
    const again = await send(site, 'POST', '/svc/v2/categories', { name: 'Sport', lang: 'de' })
    assert.equal([again.status, again.body.data.term_id], [400, german.id])
    const renamed = await send(site, 'POST', `/svc/v2/categories/${german.id}`, { slug: 'sport', name: 'Der Sport' })
    assert.equal([renamed.status, renamed.body.slug], [200, 'sport'])
    for (const [category, lang] of [
      [english.id, 'en'],
      [german.id, 'de'],
      [french.id, 'fr'],
    ])
      await create(site, 'posts', { title: `Goal ${lang}`, status: 'publish', lang, categories: [category] })
    for (const [link, own, others] of [
      [english.link, 'Goal en', ['Goal de', 'Goal fr']],
      [german.link, 'Goal de', ['Goal en', 'Goal fr']],
      [french.link, 'Goal fr', ['Goal en', 'Goal de']],
    ]) {
      const page = await fetch(link, { redirect: 'manual' })
      const text = await page.text()
      assert.is(page.status, 200, link)
      assert.ok(text.includes(own), link)
      for (const other of others) assert.not(text.includes(other), `${link} lists ${other}`)
    }
  })

  slugs('stay apart when many items are created at the same time', async () => {
    await using site = await languageSite(await make(), options)
    const languages = ['en', 'fr', 'de']
    const created = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const lang = languages[at % 3]!
        const [post, term] = await Promise.all([
          create(site, 'posts', { title: 'Rush', slug: 'rush', status: 'publish', lang }),
          create(site, 'tags', { name: `Rush ${at}`, slug: 'rush', lang }),
        ])
        return [`${lang} post ${post.slug}`, `${lang} term ${term.slug}`]
      }),
    )
    const expected = languages.flatMap((lang) =>
      ['', '-2', '-3', '-4'].flatMap((end) => [`${lang} post rush${end}`, `${lang} term rush${end}`]),
    )
    assert.equal(created.flat().toSorted(), expected.toSorted())
  })

  slugs('are numbered across languages without the option', async () => {
    await using site = await languageSite(await make())
    const english = await create(site, 'posts', { title: 'A', slug: 'about', status: 'publish' })
    const french = await create(site, 'posts', { title: 'B', slug: 'about', status: 'publish', lang: 'fr' })
    assert.equal([english.slug, french.slug], ['about', 'about-2'])
  })

  slugs.run()
}
