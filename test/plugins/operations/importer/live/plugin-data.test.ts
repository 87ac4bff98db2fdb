import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serveOn, type Site } from '../../../../helpers/site.ts'
import { databases } from '../../../../helpers/site-with-users.ts'
import { importFrom, MOVER, serveOld } from './old-site.ts'

interface Shown {
  id: number
  slug: string
  lang: string
  translations: Record<string, number>
}

async function create(site: Site, path: string, body: object): Promise<Shown> {
  const response = await site.request(path.startsWith('/') ? path : `/svc/v2/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as('administrator', 1) },
    body: JSON.stringify(body),
  })
  assert.ok(response.ok, await response.clone().text())
  return (await response.json()) as Shown
}

/** A site with the languages French and English, of which French is the default. */
async function bilingualSite(): Promise<Site> {
  const old = await serveOld({ plugins: { languages: { fields: true } } })
  for (const [locale, position] of [
    ['fr_FR', 0],
    ['en_US', 1],
  ])
    await create(old, '/pll/v1/languages', { locale, term_group: position })
  return old
}

for (const { name, place } of databases) {
  const test = suite(`import of a running site with data of plugins: ${name}`)

  test('brings languages, and links translations of posts, pages and terms', async () => {
    await using old = await bilingualSite()
    const terms = await create(old, 'categories', { name: 'Nouvelles', slug: 'news' })
    await create(old, 'categories', { name: 'News', slug: 'news', lang: 'en', translations: { fr: terms.id } })
    for (const type of ['posts', 'pages']) {
      const french = await create(old, type, { title: 'Bienvenue', slug: `about-${type}`, status: 'publish' })
      const translations = { fr: french.id }
      const english = { title: 'Welcome', slug: `about-${type}`, status: 'publish', lang: 'en', translations }
      await create(old, type, english)
      await create(old, type, { title: `Seul ${type}`, status: 'publish' })
    }
    await using here = await serveOn(await place(), { plugins: { languages: { fields: true } } })
    // Other objects have the IDs of the old site.
    for (let at = 0; at < 5; at += 1)
      await create(here, 'posts', { title: 'Mine', slug: `own-${at}`, status: 'publish' })
    for (const run of [1, 2]) {
      const report = await importFrom(here, old.home, { full: run === 2 })
      assert.not(
        report.gaps.some(({ subject }) => /lang|translations/.test(subject)),
        JSON.stringify(report.gaps),
      )
      const languages = await here.json('/pll/v1/languages')
      assert.equal(
        languages.map((one: Record<string, unknown>) => [
          one['slug'],
          one['locale'],
          one['flag_code'],
          one['is_default'],
        ]),
        [
          ['fr', 'fr_FR', 'fr', true],
          ['en', 'en_US', 'us', false],
        ],
      )
      for (const type of ['posts', 'pages', 'categories']) {
        const slug = type === 'categories' ? 'news' : `about-${type}`
        const list = async (lang: string): Promise<Shown[]> => here.json(`/svc/v2/${type}?slug=${slug}&lang=${lang}`)
        const [[french, ...others], [english]] = await Promise.all([list('fr'), list('en')])
        assert.equal([others, french!.lang, english!.lang], [[], 'fr', 'en'], type)
        const both = { fr: french!.id, en: english!.id }
        assert.equal([french!.translations, english!.translations], [both, both], type)
      }
      const [alone] = await here.json('/svc/v2/posts?slug=seul-posts')
      assert.equal([alone.lang, alone.translations], ['fr', { fr: alone.id }])
    }
    const [english] = await here.json('/svc/v2/pages?slug=about-pages&lang=en')
    const [french] = await here.json('/svc/v2/pages?slug=about-pages&lang=fr')
    const page = await (await fetch(english.link)).text()
    assert.match(page, 'Welcome')
    assert.match(page, `hreflang="fr-FR" href="${french.link.replace('&', '&amp;')}"`)
  })

  test('keeps titles and descriptions of Yoast SEO that differ from the usual ones', async () => {
    await using old = await serveOld({ plugins: { seo: { dialect: 'yoast' } } })
    const meta = { _yoast_wpseo_title: 'Chosen title', _yoast_wpseo_metadesc: 'Chosen text' }
    const chosen = await create(old, 'posts', { title: 'Chosen', status: 'publish', content: 'Long' })
    const hidden = await create(old, 'pages', { title: 'Hidden', status: 'publish', content: 'Long' })
    const noindex = { '_yoast_wpseo_meta-robots-noindex': '1' }
    const { store } = old
    for (const [id, values] of [
      [chosen.id, meta],
      [hidden.id, noindex],
    ] as const)
      for (const [key, value] of Object.entries(values))
        await store.run(store.db.insertInto('post_meta').values({ post_id: id, key, value, json: 0 }))
    await create(old, 'posts', { title: 'Usual & "plain"', slug: 'usual', status: 'publish', content: 'Long' })
    await using here = await serveOn(await place(), { plugins: { seo: { dialect: 'yoast' } } })
    const probe = await here.kernel.services.importer.probeLive({ url: old.home, ...MOVER, allow: ['127.0.0.1:*'] })
    assert.match(probe.gaps.map(({ subject }) => subject).join('\n'), 'templates of titles')
    await importFrom(here, old.home)
    const metaOf = async (slug: string) => {
      const rows = await here.store.all(
        here.store.db
          .selectFrom('post_meta')
          .innerJoin('posts', 'posts.id', 'post_meta.post_id')
          .select(['post_meta.key as key', 'post_meta.value as value'])
          .where('posts.slug', '=', slug)
          .where('post_meta.key', 'like', '%yoast%'),
      )
      return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
    }
    assert.equal(await metaOf('chosen'), meta)
    assert.equal(await metaOf('hidden'), noindex)
    assert.equal(await metaOf('usual'), {})
    const [post] = await here.json('/svc/v2/posts?slug=chosen')
    assert.equal([post.yoast_head_json.title, post.yoast_head_json.description], ['Chosen title', 'Chosen text'])
  })

  test.run()
}
