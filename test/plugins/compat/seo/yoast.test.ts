import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { as, type Site } from '../../../helpers/site.ts'
import { addPlants, garden, kinds } from './garden.ts'

const yoast = suite('heads of Yoast SEO')

const OPTIONS = {
  wpseo_titles: {
    separator: 'sc-pipe',
    company_or_person: 'company',
    company_name: 'Green Company',
    company_logo: 'http://images.test/logo.png',
    'metadesc-page': 'About %%title%%',
    'noindex-tax-post_tag': true,
  },
  wpseo_social: {
    facebook_site: 'https://facebook.test/green',
    twitter_site: 'green',
    other_social_urls: ['https://example.test/green', 'javascript:alert(1)'],
    og_default_image: 'http://images.test/default.png',
  },
}

type Piece = Record<string, unknown>
interface HeadJson {
  title: string
  schema: { '@graph': Piece[] }
  [key: string]: unknown
}
interface Item {
  yoast_head: string
  yoast_head_json: HeadJson
}

const itemAt = async (site: Site, path: string, headers = {}) => (await site.json(`/svc/v2/${path}`, headers)) as Item

/** The structured data of a head by type. */
const graphOf = ({ schema }: HeadJson) => new Map(schema['@graph'].map((piece) => [String(piece['@type']), piece]))

for (const { name, make } of kinds) {
  yoast(`have the keys that front ends read, on ${name}`, async () => {
    await using site = await garden(OPTIONS, { place: await make() })
    const { rose } = await addPlants(site, '_yoast_wpseo_')
    const { yoast_head: html, yoast_head_json: json } = await itemAt(site, `posts/${rose}`)
    const { schema: _, ...texts } = json
    const url = `${site.home}/2024/05/01/rose/`
    assert.equal(texts, {
      title: 'Rose "red" < 3 | Green & Co',
      robots: {
        index: 'index',
        follow: 'follow',
        'max-snippet': 'max-snippet:-1',
        'max-image-preview': 'max-image-preview:large',
        'max-video-preview': 'max-video-preview:-1',
      },
      canonical: url,
      og_locale: 'en_US',
      og_type: 'article',
      og_title: 'Rose "red" < 3 | Green & Co',
      og_description: 'A rose is red.',
      og_url: url,
      og_site_name: 'Green & Co',
      article_publisher: 'https://facebook.test/green',
      article_published_time: '2024-05-01T10:00:00+00:00',
      og_image: [{ url: 'http://images.test/leaf.png', type: 'image/png' }],
      author: 'Flora',
      twitter_card: 'summary_large_image',
      twitter_creator: '@green',
      twitter_site: '@green',
      twitter_misc: { 'Written by': 'Flora', 'Est. reading time': '1 minute' },
    })
    assert.match(html, '<title>Rose &quot;red&quot; &lt; 3 | Green &amp; Co</title>\n')
    assert.match(
      html,
      '<meta name="twitter:label2" content="Est. reading time" />\n\t<meta name="twitter:data2" content="1 minute" />',
    )
    assert.not.match(html, '< 3')
    const graph = graphOf(json)
    assert.equal(
      [...graph.keys()],
      ['Article', 'WebPage', 'ImageObject', 'BreadcrumbList', 'WebSite', 'Organization', 'Person'],
    )
    assert.equal(graph.get('Article')!['keywords'], ['Red'])
    assert.equal(graph.get('Article')!['articleSection'], ['News'])
    assert.is(graph.get('Article')!['wordCount'], 4)
    assert.equal(graph.get('Organization')!['sameAs'], [
      'https://facebook.test/green',
      'https://x.com/green',
      'https://example.test/green',
    ])
    const crumbs = graph.get('BreadcrumbList')!['itemListElement'] as { name: string }[]
    assert.equal(
      crumbs.map((crumb) => crumb.name),
      ['Home', 'News', 'Rose "red" < 3'],
    )
  })
}

yoast('show the texts of the editor, and templates of the type', async () => {
  await using site = await garden(OPTIONS)
  const { tulip } = await addPlants(site, '_yoast_wpseo_')
  const { yoast_head_json: own } = await itemAt(site, `posts/${tulip}`)
  assert.equal([own.title, own['description'], own['og_title']], ['Own title', 'About "tulips"', 'Own title'])
  const pages = (await site.json('/svc/v2/pages?slug=about')) as Item[]
  assert.is(pages[0]!.yoast_head_json['description'], 'About About')
  assert.not('article_published_time' in pages[0]!.yoast_head_json)
  assert.not(graphOf(pages[0]!.yoast_head_json).has('Article'))
})

yoast('hide posts, and use other URLs and images, as the editor has chosen', async () => {
  await using site = await garden(OPTIONS)
  const meta = {
    '_yoast_wpseo_meta-robots-noindex': '1',
    '_yoast_wpseo_meta-robots-nofollow': '1',
    '_yoast_wpseo_meta-robots-adv': 'noarchive',
    _yoast_wpseo_canonical: 'https://elsewhere.test/',
    '_yoast_wpseo_opengraph-title': 'Shared',
    '_yoast_wpseo_opengraph-image': 'http://images.test/shared.png',
  }
  const [hidden, odd] = await addPosts(
    site.store,
    { title: 'Hidden', meta },
    { title: 'Odd', meta: { _yoast_wpseo_canonical: 'javascript:alert(1)' } },
  )
  const { yoast_head_json: json } = await itemAt(site, `posts/${hidden}`)
  assert.equal(json['robots'], { index: 'noindex', follow: 'nofollow', archive: 'noarchive' })
  assert.not('canonical' in json)
  assert.equal([json['og_title'], json['og_url']], ['Shared', 'https://elsewhere.test/'])
  assert.equal(json['og_image'], [{ url: 'http://images.test/shared.png' }])
  const other = await itemAt(site, `posts/${odd}`)
  assert.not.match(other.yoast_head, 'javascript')
  assert.equal(other.yoast_head_json['og_image'], [{ url: 'http://images.test/default.png' }])
})

yoast('are fields of terms, users and content types, too', async () => {
  const terms = { category: { 1: { wpseo_title: 'Own %%term_title%%', wpseo_noindex: 'noindex' } } }
  await using site = await garden({ ...OPTIONS, wpseo_taxonomy_meta: terms })
  const { news, tag } = await addPlants(site, '_yoast_wpseo_')
  const category = await itemAt(site, `categories/${news}`)
  assert.is(category.yoast_head_json.title, news === 1 ? 'Own News' : 'News Archives | Green & Co')
  assert.ok(graphOf(category.yoast_head_json).has('CollectionPage'))
  const red = await itemAt(site, `tags/${tag}`)
  assert.equal(red.yoast_head_json['robots'], { index: 'noindex', follow: 'follow' })
  const user = await itemAt(site, 'users/7')
  assert.is(user.yoast_head_json.title, 'Flora, Author at Green & Co')
  assert.ok(graphOf(user.yoast_head_json).has('ProfilePage'))
  const types = (await site.json('/svc/v2/types')) as Record<string, Item>
  assert.is(types['post']!.yoast_head_json.title, 'Green & Co | Plants')
  assert.is(types['page']!.yoast_head_json, null)
})

yoast('do not show drafts and the texts of protected posts to visitors', async () => {
  await using site = await garden(OPTIONS)
  const { draft, locked } = await addPlants(site, '_yoast_wpseo_')
  assert.is(((await site.json(`/svc/v2/posts/${draft}`)) as { code?: string }).code, 'rest_forbidden')
  const own = await itemAt(site, `posts/${draft}`, as('administrator'))
  assert.is((own.yoast_head_json['robots'] as { index: string }).index, 'noindex')
  const { yoast_head: html } = await itemAt(site, `posts/${locked}`)
  assert.not.match(html, 'A rose')
})

yoast('answer for URLs, with status 404 and a head for missing pages', async () => {
  await using site = await garden(OPTIONS)
  await addPlants(site, '_yoast_wpseo_')
  const at = async (url: string) => {
    const response = await site.get(`/yoast/v1/get_head?url=${encodeURIComponent(url)}`)
    const body = (await response.json()) as { html: string; json: HeadJson; status: number }
    return { http: response.status, ...body }
  }
  const rose = await at(`${site.home}/2024/05/01/rose/`)
  assert.equal([rose.http, rose.status, rose.json.title], [200, 200, 'Rose "red" < 3 | Green & Co'])
  for (const url of [`${site.home}/nothing/`, `${site.home}/2024/05/28/draft/`, 'http://elsewhere.test/', 'nonsense']) {
    const missing = await at(url)
    assert.equal([missing.http, missing.status, missing.json.title], [404, 404, 'Page not found | Green & Co'], url)
    assert.equal(missing.json['robots'], { index: 'noindex', follow: 'follow' })
    assert.match(missing.html, '<title>Page not found | Green &amp; Co</title>')
  }
  assert.is(((await site.json('/yoast/v1/get_head')) as { code: string }).code, 'rest_missing_callback_param')
})

yoast('of a list need a constant number of statements', async () => {
  await using site = await garden(OPTIONS)
  const { image, news, tag } = await addPlants(site, '_yoast_wpseo_')
  const read = (path: string) => () => site.json(path)
  const add = (count: number) =>
    addPosts(
      site.store,
      ...Array.from({ length: count }, (_, at) => ({
        title: `Plant ${count} ${at}`,
        author_id: 7,
        terms: [news, tag],
        meta: { _thumbnail_id: image },
      })),
    )
  const path = '/svc/v2/posts?per_page=50&_fields=yoast_head,yoast_head_json'
  await add(2)
  const few = await site.statements(read(path))
  await add(12)
  const many = await site.statements(read(path))
  assert.is(many.length, few.length, many.slice(few.length).join('\n'))
})

yoast.run()
