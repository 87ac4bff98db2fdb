import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RequestCache, VISITOR } from '../../../../kernel/index.ts'
import { CONTENT_PLUGINS, serveOn, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { one } from '../../operations/importer/importing.ts'

startOnly('importer', 'imported-ids', 'languages', 'menu-routes', 'menus', 'site-requests', ...CONTENT_PLUGINS)

const term = (id: number, taxonomy: string, slug: string, description = '') =>
  `<wp:term><wp:term_id>${id}</wp:term_id><wp:term_taxonomy>${taxonomy}</wp:term_taxonomy><wp:term_slug>${slug}</wp:term_slug>
  <wp:term_name><![CDATA[${slug}]]></wp:term_name><wp:term_description><![CDATA[${description}]]></wp:term_description></wp:term>`
const languageTerm = (id: number, slug: string, locale: string) =>
  term(id, 'language', slug, `a:3:{s:6:"locale";s:5:"${locale}";s:3:"rtl";b:0;s:9:"flag_code";s:2:"${slug}";}`)
const post = (id: number, language: string) =>
  `<item><title>T${id}</title><wp:post_id>${id}</wp:post_id><wp:post_name>t${id}</wp:post_name><wp:status>publish</wp:status>
  <wp:post_date>2020-01-01 10:00:00</wp:post_date><wp:post_type>post</wp:post_type>
  <category domain="language" nicename="${language}"><![CDATA[${language}]]></category>
  <category domain="post_translations" nicename="pll_a"><![CDATA[pll_a]]></category></item>`
const sharingPost = (id: number, language: string, category: string) =>
  post(id, language)
    .replace('2020-01-01', '2021-01-01')
    .replace(`<wp:post_name>t${id}<`, '<wp:post_name>about<')
    .replace('</item>', `<category domain="category" nicename="sport"><![CDATA[${category}]]></category></item>`)
const file = `<rss xmlns:wp="w"><channel><title>Old</title><wp:wxr_version>1.2</wp:wxr_version>
  <wp:base_blog_url>http://old.example</wp:base_blog_url>
  ${languageTerm(12, 'en', 'en_US')}${languageTerm(15, 'fr', 'fr_FR')}
  ${term(13, 'term_language', 'pll_en')}${term(16, 'term_language', 'pll_fr')}
  ${term(2, 'category', 'news')}${term(3, 'category', 'nouvelles')}
  ${term(41, 'post_translations', 'pll_a', 'a:2:{s:2:"en";i:7;s:2:"fr";i:8;}')}
  ${term(42, 'term_translations', 'pll_b', 'a:2:{s:2:"en";i:2;s:2:"fr";i:3;}')}
  ${post(7, 'en')}${post(8, 'fr')}</channel></rss>`

const named = (text: string, from: string, to: string) => text.replace(`<![CDATA[${from}]]>`, `<![CDATA[${to}]]>`)
const sharing = `<rss xmlns:wp="w"><channel><title>Other</title><wp:wxr_version>1.2</wp:wxr_version>
  <wp:base_blog_url>http://other.example</wp:base_blog_url>
  ${languageTerm(12, 'en', 'en_US')}${languageTerm(15, 'fr', 'fr_FR')}
  ${named(term(2, 'category', 'sport'), 'sport', 'Sport')}${named(term(3, 'category', 'sport'), 'sport', 'Le sport')}
  ${term(42, 'term_translations', 'pll_c', 'a:2:{s:2:"en";i:2;s:2:"fr";i:3;}')}
  ${sharingPost(7, 'fr', 'Le sport')}${sharingPost(8, 'en', 'Sport')}</channel></rss>`

for (const { name, make } of places) {
  const ids = suite(`imported IDs on ${name}`)

  for (const isOn of [true, false])
    ids(`are mapped in groups of translations while the plugin languages is ${isOn ? 'on' : 'off'}`, async () => {
      await using site = await serveOn(await make(), {
        plugins: { languages: isOn ? { fields: true } : false, 'imported-ids': true },
      })
      const { importer, store, terms } = site.kernel.services
      // The IDs of the export belong to other objects here.
      await store.run(
        store.db.insertInto('posts').values([7, 8].map((id) => ({ id, slug: `own-${id}`, title: 'Mine' }))),
      )
      for (const slug of ['a', 'b', 'c']) await terms.create({ taxonomy: 'post_tag', name: slug })
      await importer.run({ source: one(file) })
      const rows = await store.all(
        store.db.selectFrom('posts').select(['id', 'slug']).where('slug', 'in', ['t7', 't8']),
      )
      const idOf = (slug: string) => rows.find((row) => row.slug === slug)!.id
      const groups = await terms.query({ taxonomy: ['post_translations', 'term_translations'] }, new RequestCache())
      const categories = await terms.query({ taxonomy: 'category', slug: ['news', 'nouvelles'] }, new RequestCache())
      const [news, nouvelles] = categories.items
      assert.equal(
        groups.items.map(({ description }) => description).toSorted(),
        [
          `a:2:{s:2:"en";i:${news!.id};s:2:"fr";i:${nouvelles!.id};}`,
          `a:2:{s:2:"en";i:${idOf('t7')};s:2:"fr";i:${idOf('t8')};}`,
        ].toSorted(),
      )
      if (!isOn) return
      const read = await site.json(`/svc/v2/posts/${idOf('t7')}`)
      assert.equal([read.lang, read.translations], ['en', { en: idOf('t7'), fr: idOf('t8') }])
      const [category] = await site.json('/svc/v2/categories?lang=fr')
      assert.equal(category.translations, { en: news!.id, fr: nouvelles!.id })
    })

  ids('lead to terms and posts of different languages that have the same slug', async () => {
    await using site = await serveOn(await make(), {
      plugins: { languages: { fields: true }, 'imported-ids': true },
    })
    const { importer, posts, store } = site.kernel.services
    await importer.run({ source: one(file) })
    const write = { user: VISITOR, scope: new RequestCache() }
    const [english] = (await site.json('/svc/v2/posts?lang=en')) as { id: number }[]
    await posts.update(english!.id, { slug: 'about' }, write)
    // Another old site, whose posts meet those that are here.
    await importer.run({ source: one(sharing) })
    await importer.run({ source: one(sharing) })
    const slugs = await store.all(store.db.selectFrom('posts').select('slug').where('type', '=', 'post').orderBy('id'))
    assert.equal(
      slugs.map(({ slug }) => slug),
      ['about', 't8', 'about', 'about-2'],
    )
    const shown = async (lang: string) =>
      (await site.json(`/svc/v2/categories?slug=sport&lang=${lang}`)) as { id: number; name: string; count: number }[]
    const [[sport, ...rest], [leSport]] = await Promise.all([shown('en'), shown('fr')])
    assert.equal([sport!.name, sport!.count, rest.length], ['Sport', 1, 0])
    assert.equal([leSport!.name, leSport!.count], ['Le sport', 1])
  })

  ids.run()
}
