import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, type Site } from '../../../helpers/site.ts'
import { addPlants, garden, kinds } from './garden.ts'

const rankMath = suite('heads of Rank Math')

const OPTIONS = {
  'rank-math-options-titles': {
    knowledgegraph_type: 'company',
    knowledgegraph_name: 'Green Company',
    title_separator: '|',
    author_custom_robots: 'on',
    author_robots: ['noindex'],
    noindex_empty_taxonomies: 'on',
    social_url_facebook: 'https://facebook.test/green',
    twitter_author_names: 'green',
  },
  'rank-math-options-general': { headless_support: 'on', breadcrumbs: 'on' },
}

interface Answer {
  success: boolean
  head: string
}

async function headAt(site: Site, path: string): Promise<string> {
  const query = new URLSearchParams({ url: site.home + path })
  const answer = (await site.json(`/rankmath/v1/getHead?${query.toString()}`)) as Answer
  assert.is(answer.success, true, JSON.stringify(answer))
  return answer.head
}

/** The structured data of a head by type. */
function graphOf(head: string): Map<string, Record<string, unknown>> {
  const [, json = ''] = /class="rank-math-schema">(.*)<\/script>/.exec(head) ?? []
  const { '@graph': graph } = JSON.parse(json) as { '@graph': Record<string, unknown>[] }
  return new Map(graph.map((piece) => [String(piece['@type']), piece]))
}

for (const { name, make } of kinds) {
  rankMath(`fill templates and escape texts, on ${name}`, async () => {
    await using site = await garden(OPTIONS, { place: await make() })
    await addPlants(site, 'rank_math_')
    const rose = await headAt(site, '/2024/05/01/rose/')
    assert.match(rose, '<title>Rose &quot;red&quot; &lt; 3 | Green &amp; Co</title>\n')
    assert.match(rose, '<meta name="description" content="A rose is red."/>\n')
    assert.match(rose, 'content="index, follow, max-snippet:-1, max-video-preview:-1, max-image-preview:large"/>')
    assert.match(rose, `<link rel="canonical" href="${site.home}/2024/05/01/rose/" />`)
    assert.match(rose, '<meta property="article:publisher" content="https://facebook.test/green" />')
    assert.match(
      rose,
      '<meta property="article:tag" content="Red" />\n<meta property="article:section" content="News" />',
    )
    assert.match(rose, '<meta property="og:image" content="http://images.test/leaf.png" />')
    assert.match(
      rose,
      '<meta name="twitter:site" content="@green" />\n<meta name="twitter:creator" content="@green" />',
    )
    assert.match(rose, 'content="Written by" />\n<meta name="twitter:data1" content="Flora" />')
    assert.not.match(rose, '< 3')
    const graph = graphOf(rose)
    assert.equal(
      [...graph.keys()],
      ['Organization', 'WebSite', 'ImageObject', 'BreadcrumbList', 'WebPage', 'Person', 'BlogPosting'],
    )
    assert.equal(graph.get('Person')!['sameAs'], ['https://flora.example.test/'])
    assert.equal(graph.get('Person')!['worksFor'], { '@id': `${site.home}/#organization` })
    const tulip = await headAt(site, '/2024/05/02/tulip/')
    assert.match(tulip, '<title>Own title</title>\n<meta name="description" content="About &quot;tulips&quot;"/>')
  })
}

rankMath('describe archives, the front page, feeds and missing pages', async () => {
  await using site = await garden(OPTIONS)
  await addPlants(site, 'rank_math_')
  const home = await headAt(site, '/')
  assert.match(home, '<title>Green &amp; Co | Plants</title>')
  assert.match(home, '<meta property="og:type" content="website" />')
  assert.is(
    (graphOf(home).get('WebSite') as { potentialAction?: { '@type': string } }).potentialAction?.['@type'],
    'SearchAction',
  )
  const news = await headAt(site, '/category/news/')
  assert.match(news, '<title>News | Green &amp; Co</title>\n<meta name="description" content="All news"/>')
  assert.match(news, '<meta name="twitter:label1" content="Posts" />\n<meta name="twitter:data1" content="1" />')
  const author = await headAt(site, '/author/flora/')
  assert.match(author, '<meta name="robots" content="follow, noindex"/>\n<meta property="og:locale"')
  assert.match(author, '<meta property="og:type" content="profile" />')
  assert.equal(graphOf(author).get('Person')!['mainEntityOfPage'], { '@id': `${site.home}/author/flora/#webpage` })
  for (const path of ['/nothing/', '/?p=99', '/2024/05/28/draft/']) {
    const head = await headAt(site, path)
    if (path.includes('?')) assert.match(head, '<meta name="robots" content="index, follow"/>')
    else
      assert.match(
        head,
        '<title>Page Not Found | Green &amp; Co</title>\n<meta name="robots" content="follow, noindex"/>',
      )
    assert.not.match(head, 'Draft')
  }
  assert.match(
    await headAt(site, '/feed/'),
    '<title>Green &amp; Co</title>\n<meta name="robots" content="index, follow"/>',
  )
  const date = await fetch(`${site.home}/svc-json/rankmath/v1/getHead?url=${site.home}/2024/05/`, {
    redirect: 'manual',
  })
  assert.equal([date.status, date.headers.get('location'), await date.text()], [301, `${site.home}/`, ''])
})

rankMath('do not show the text of protected posts', async () => {
  await using site = await garden(OPTIONS)
  await addPlants(site, 'rank_math_')
  const head = await headAt(site, '/2024/05/25/locked/')
  assert.match(head, '<title>Locked | Green &amp; Co</title>')
  assert.not.match(head, 'A rose')
})

rankMath('refuse URLs of other sites, and requests without a URL', async () => {
  await using site = await garden(OPTIONS)
  const codeOf = async (query: string) => {
    const { code, data } = (await site.json(`/rankmath/v1/getHead${query}`)) as {
      code: string
      data: { status: number }
    }
    return [code, data.status]
  }
  assert.equal(await codeOf(''), ['rest_missing_callback_param', 400])
  for (const url of ['', '/path/', 'http://elsewhere.test/', 'nothing', 'ftp://x'])
    assert.equal(await codeOf(`?url=${encodeURIComponent(url)}`), ['rest_invalid_param', 400], url)
})

rankMath('have no route for heads if headless support is off', async () => {
  const general = { headless_support: 'off' }
  await using site = await garden({ ...OPTIONS, 'rank-math-options-general': general })
  const answer = (await site.json(`/rankmath/v1/getHead?url=${site.home}/`)) as { code: string }
  assert.is(answer.code, 'rest_no_route')
})

rankMath('are changed by users who may edit the object', async () => {
  await using site = await garden(OPTIONS)
  const { rose, news } = await addPlants(site, 'rank_math_')
  const update = async (objectType: string, objectID: number, meta: object, headers: object) => {
    const response = await site.request('/rankmath/v1/updateMeta', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ objectType, objectID, meta }),
    })
    const { code } = (await response.json()) as { code?: string }
    return [response.status, code]
  }
  const title = { rank_math_title: 'Changed' }
  assert.equal(await update('post', rose, title, {}), [401, 'rest_cannot_edit'])
  assert.equal(await update('post', rose, title, as('author')), [403, 'rest_cannot_edit'])
  assert.equal(await update('term', news, title, as('author')), [403, 'rest_cannot_edit'])
  assert.equal(await update('user', 7, title, as('editor')), [403, 'rest_cannot_edit'])
  assert.equal(await update('post', 9999, title, as('administrator')), [403, 'rest_cannot_edit'])
  assert.equal(await update('comment', rose, title, as('administrator')), [400, 'rest_invalid_param'])
  const change = { ...title, rank_math_robots: ['noindex'], other: 'x', _thumbnail_id: '' }
  assert.equal(await update('post', rose, change, as('editor')), [200, undefined])
  const head = await headAt(site, '/2024/05/01/rose/')
  assert.match(head, '<title>Changed</title>')
  assert.match(head, '<meta name="robots" content="follow, noindex"/>')
  assert.match(head, 'http://images.test/leaf.png')
  const keys = await site.store.all(site.store.db.selectFrom('post_meta').select('key').where('post_id', '=', rose))
  assert.not(keys.some(({ key }) => key === 'other'))
  assert.equal(await update('post', rose, { rank_math_title: '' }, as('editor')), [200, undefined])
  assert.match(await headAt(site, '/2024/05/01/rose/'), '<title>Rose &quot;red&quot;')
})

rankMath('are cached until a post or a setting changes', async () => {
  await using site = await garden(OPTIONS)
  await addPlants(site, 'rank_math_')
  const path = `/rankmath/v1/getHead?url=${site.home}/category/news/`
  await site.get(path)
  assert.is((await site.get(path)).headers.get('x-svc-cache'), 'HIT')
  await site.kernel.services.options.set('title', 'Renamed')
  assert.match(await headAt(site, '/category/news/'), '<title>News | Renamed</title>')
})

rankMath('add no fields to posts', async () => {
  await using site = await garden(OPTIONS)
  const { rose } = await addPlants(site, 'rank_math_')
  assert.not('yoast_head' in ((await site.json(`/svc/v2/posts/${rose}`)) as object))
})

rankMath.run()
