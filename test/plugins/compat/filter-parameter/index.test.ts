import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../../kernel/index.ts'
import { addPosts, addTerm, indexed } from '../../../helpers/content.ts'
import { as, serve, serveOn, type Site } from '../../../helpers/site.ts'
import { filePlace, kindsOf, postgresPlace, type Place } from '../../../helpers/stores.ts'

const filterParameter = suite('parameter filter')

const kinds = kindsOf([{ name: 'SQLite', make: filePlace }], (server) => ({
  name: 'PostgreSQL',
  make: () => postgresPlace(server),
}))

/** A meta key of a plugin that the REST API does not show. */
const hidden = definePlugin({
  name: 'hidden',
  needs: ['meta'],
  apply: ({ services }) => services.meta.register('post', 'supplier', { type: 'string', single: true }),
})

async function shop(place?: Place): Promise<Site> {
  const options = { plugins: { 'filter-parameter': true }, add: [hidden] }
  const site = place === undefined ? await serve(options) : await serveOn(place, options)
  const { store } = site
  const news = await addTerm(store, { taxonomy: 'category', name: 'News' })
  const local = await addTerm(store, { taxonomy: 'category', name: 'Local', parent_id: news })
  const red = await addTerm(store, { taxonomy: 'post_tag', name: 'Red' })
  const blue = await addTerm(store, { taxonomy: 'post_tag', name: 'Blue' })
  await store.run(
    store.db.insertInto('users').values([
      {
        id: 7,
        login: 'flora',
        slug: 'flora',
        name: 'Flora',
        email: 'flora@example.test',
        registered: '',
        password_hash: '',
      },
    ]),
  )
  await addPosts(
    store,
    { title: 'Apple', date: '2024-06-03 10:00:00', terms: [news, red], meta: { price: 9, color: 'Red', _cost: 5 } },
    { title: 'Banana', date: '2024-06-02 11:00:00', terms: [local, blue], meta: { price: 10, supplier: 'Acme' } },
    { title: 'Cherry', date: '2024-05-01 12:00:00', terms: [red, blue], author_id: 7, meta: { price: 100 } },
    { title: 'Draft', date: '2024-06-04 12:00:00', status: 'draft', terms: [news], meta: { price: 1 } },
  )
  const [page] = await addPosts(store, { type: 'page', title: 'About' })
  await addPosts(
    store,
    { type: 'page', title: 'Team', parent_id: page! },
    { type: 'page', title: 'Team', slug: 'team' },
  )
  return site
}

async function titles(site: Site, filter: string, { route = 'posts', headers = {} } = {}): Promise<string> {
  const items = await site.json(`/svc/v2/${route}?_fields=title&${filter}`, headers)
  assert.ok(Array.isArray(items), JSON.stringify(items))
  return (items as { title: { rendered: string } }[]).map(({ title }) => title.rendered).join(' ')
}

for (const { name, make } of kinds) {
  filterParameter(`limits and orders posts by query variables, on ${name}`, async () => {
    await using site = await shop(await make())
    await indexed(site.store)
    const expected: Record<string, string> = {
      'filter[category_name]=news': 'Apple Banana',
      'filter[category_name]=local,unknown': 'Banana',
      'filter[category_name]=unknown': '',
      'filter[category_name]=news/local': 'Banana',
      'filter[tag]=red': 'Apple Cherry',
      'filter[tag]=red,blue': 'Apple Banana Cherry',
      'filter[tag]=red%2Bblue': 'Cherry',
      'filter[tag]=red%2Bgreen': '',
      'filter[taxonomy]=post_tag&filter[term]=blue': 'Banana Cherry',
      'filter[taxonomy]=nothing&filter[term]=blue': 'Apple Banana Cherry',
      'filter[year]=2024&filter[monthnum]=6': 'Apple Banana',
      'filter[monthnum]=5': 'Cherry',
      'filter[day]=2': 'Banana',
      'filter[hour]=12&filter[minute]=0': 'Cherry',
      'filter[m]=202406': 'Apple Banana',
      'filter[m]=20240603': 'Apple',
      'filter[m]=2024060210': '',
      'filter[name]=banana': 'Banana',
      'filter[name]=Banana&slug=apple': '',
      'filter[author]=7': 'Cherry',
      'filter[author]=-7': 'Apple Banana',
      'filter[author]=7&author=1': '',
      'filter[author_name]=flora': 'Cherry',
      'filter[author_name]=nobody': '',
      'filter[s]=cherry': 'Cherry',
      'filter[s]=cher': 'Cherry',
      'filter[orderby]=title&filter[order]=ASC': 'Apple Banana Cherry',
      'filter[orderby]=title': 'Cherry Banana Apple',
      'filter[order]=asc': 'Cherry Banana Apple',
      'filter[orderby][title]=asc': 'Apple Banana Cherry',
      'filter[orderby]=post_name&filter[order]=asc': 'Apple Banana Cherry',
      'filter[orderby]=relevance': 'Apple Banana Cherry',
      'filter[orderby]=comment_count%20title&filter[order]=asc': 'Apple Banana Cherry',
      'filter[orderby]=meta_value_num&filter[meta_key]=price&filter[order]=asc': 'Apple Banana Cherry',
      'filter[orderby]=meta_value&filter[meta_key]=price&filter[order]=asc': 'Banana Cherry Apple',
      'filter[meta_key]=price&filter[meta_value]=10': 'Banana',
      'filter[meta_key]=color': 'Apple',
      'filter[meta_key]=color&filter[meta_value]=red': 'Apple',
      'filter[posts_per_page]=2': 'Apple Banana',
      'filter[posts_per_page]=-1': 'Apple Banana Cherry',
      'filter[posts_per_page]=0': 'Apple',
      'per_page=1&filter[posts_per_page]=2&page=2': 'Cherry',
      'per_page=2&filter[paged]=2': 'Cherry',
    }
    for (const [query, list] of Object.entries(expected)) assert.is(await titles(site, query), list, query)
    assert.is((await titles(site, 'filter[orderby]=rand')).split(' ').toSorted().join(' '), 'Apple Banana Cherry')
  })
}

filterParameter('ignores variables that would show other posts, and values that are no texts', async () => {
  await using site = await shop()
  const all = 'Apple Banana Cherry'
  const ignored = [
    '[post_status]=draft',
    '[offset]=1',
    '[post_type]=page',
    '[unknown]=1',
    '=x',
    '[]=x',
    '[cat][]=x',
    '[s][a]=b',
  ]
  for (const query of ignored) {
    assert.is(await titles(site, `filter${query}`), all, query)
    assert.is(await titles(site, `filter${query}`, { headers: as('administrator') }), all, query)
  }
  assert.is(await titles(site, `filter[name]=${'a'.repeat(5000)}`), all)
  assert.is(await titles(site, 'filter[toString]=a&filter[__proto__]=b'), all)
})

filterParameter('does not reveal values of internal keys and of keys that the REST API hides', async () => {
  await using site = await shop()
  const all = 'Apple Banana Cherry'
  assert.is(await titles(site, 'filter[meta_key]=_cost&filter[meta_value]=5'), all)
  assert.is(await titles(site, 'filter[meta_key]=supplier&filter[meta_value]=Acme'), all)
  assert.is(
    await titles(site, 'filter[meta_key]=supplier&filter[orderby]=meta_value&filter[order]=asc'),
    'Cherry Banana Apple',
  )
  assert.is(await titles(site, 'filter[meta_value]=5'), all)
})

filterParameter('sets totals, links and the check of the page number by its own page size', async () => {
  await using site = await shop()
  const headersOf = async (query: string) => {
    const { headers, status } = await site.get(`/svc/v2/posts?_fields=id&${query}`)
    const links = (headers.get('link') ?? '').match(/[?&]page=\d+>; rel="\w+"/g) ?? []
    return [status, headers.get('x-svc-total'), headers.get('x-svc-totalpages'), ...links]
  }
  assert.equal(await headersOf('filter[posts_per_page]=2'), [200, '3', '2', '&page=2>; rel="next"'])
  assert.equal(await headersOf('filter[posts_per_page]=1&filter[paged]=2'), [
    200,
    '3',
    '3',
    '&page=1>; rel="prev"',
    '&page=3>; rel="next"',
  ])
  assert.equal(await headersOf('filter[posts_per_page]=-1'), [200, '3', '1'])
  assert.equal((await headersOf('filter[posts_per_page]=2&filter[paged]=3'))[0], 400)
})

filterParameter('limits the size of a page', async () => {
  await using site = await serve({ plugins: { 'filter-parameter': { max_posts: 2 } } })
  await addPosts(site.store, { title: 'A' }, { title: 'B' }, { title: 'C' })
  assert.is(await titles(site, 'filter[posts_per_page]=-1'), 'A B')
  assert.is(await titles(site, 'filter[posts_per_page]=1000&page=2'), 'C')
})

filterParameter('filters pages by their path, and no terms', async () => {
  await using site = await shop()
  const pages = { route: 'pages' }
  assert.is(await titles(site, 'filter[pagename]=about', pages), 'About')
  assert.is(await titles(site, 'filter[pagename]=about/team', pages), 'Team')
  assert.is(await titles(site, 'filter[pagename]=nowhere/team', pages), '')
  const terms = (await site.json('/svc/v2/tags?filter[slug]=red')) as unknown[]
  assert.is(terms.length, 2)
  const { endpoints } = (await (await site.request('/svc/v2/posts', { method: 'OPTIONS' })).json()) as {
    endpoints: { args: object }[]
  }
  assert.ok('slug' in endpoints[0]!.args)
  assert.not('filter' in endpoints[0]!.args)
})

filterParameter('does not cache lists in random order, and caches the others', async () => {
  await using site = await shop()
  const cacheOf = async (query: string) => {
    await site.get(`/svc/v2/posts?${query}`)
    return (await site.get(`/svc/v2/posts?${query}`)).headers.get('x-svc-cache')
  }
  assert.is(await cacheOf('filter[orderby]=rand'), 'BYPASS')
  assert.is(await cacheOf('filter[tag]=red'), 'HIT')
  assert.is(await titles(site, 'filter[meta_key]=color'), 'Apple')
  await site.store.run(site.store.db.deleteFrom('post_meta').where('key', '=', 'color'))
  assert.is(await titles(site, 'filter[meta_key]=color'), '')
})

filterParameter.run()
