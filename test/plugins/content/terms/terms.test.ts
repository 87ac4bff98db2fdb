import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Controller } from '../../../../plugins/resources/index.ts'
import { definePlugin, RestRequest, type AnyPlugin } from '../../../../kernel/index.ts'
import { defaults } from '../../../../plugins/index.ts'
import type { Row } from '../../../../plugins/storage/store/index.ts'
import { stopClockFor } from '../../../helpers/clock.ts'
import { as, serve, type ServeOptions, type Site, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

startOnly('terms', 'posts', 'settings', 'permalinks')

const category = (id: number, name: string, parent_id = 0, count = 0, description = '') => ({
  id,
  taxonomy: 'category',
  name,
  slug: name.toLowerCase(),
  parent_id,
  count,
  description,
})
const tag = (id: number, name: string, count = 0, slug = name) => ({ id, taxonomy: 'post_tag', name, slug, count })

const TERMS = [
  category(1, 'Animals'),
  category(2, 'Birds', 1, 3, 'They fly.'),
  category(3, 'cats', 1, 0, 'they do not.'),
  category(4, 'Empty'),
  category(5, 'Dinosaurs', 0, 3),
  tag(11, 'red', 2),
  tag(12, 'Green', 5),
  tag(13, 'blue', 2, 'b-l-u-e'),
  tag(14, '100%', 0, '100-percent'),
  tag(15, 'a_b', 0, 'a_b'),
  { id: 21, taxonomy: 'nav_menu', name: 'Menu', slug: 'menu' },
]

/** A site with terms, two published posts (1 and 2) and a draft (3). */
async function serveTerms(options: ServeOptions = {}): Promise<Site> {
  const site = await serve(options)
  const { store } = site
  const date = '2025-01-05 10:00:00'
  const dates = { date, date_gmt: date, modified: date, modified_gmt: date }
  const post = (id: number, status: string) => ({ id, status, title: `P${id}`, slug: `p${id}`, author_id: 1, ...dates })
  for (const term of TERMS) await store.run(store.db.insertInto('terms').values(term))
  await store.run(store.db.insertInto('posts').values([post(1, 'publish'), post(2, 'publish'), post(3, 'draft')]))
  const pairs = [
    [1, 3],
    [1, 2],
    [1, 11],
    [2, 2],
    [2, 12],
    [2, 13],
    [3, 4],
  ] as const
  const rows = pairs.map(([post_id, term_id]) => ({ post_id, term_id }))
  await store.run(store.db.insertInto('term_relationships').values(rows))
  return site
}

const names = async (site: Site, path: string, headers?: Record<string, string>) => {
  const body = await site.json(path, headers)
  return Array.isArray(body) ? body.map((term: Row<'terms'>) => term.name) : body.code
}

const CATEGORIES = '/svc/v2/categories'
const TAGS = '/svc/v2/tags'

for (const { name, make } of places) {
  const terms = suite(`terms, on ${name}`)
  stopClockFor(terms)
  let site: Site
  let place: Awaited<ReturnType<typeof make>>

  terms.before(async () => {
    place = await make()
    site = await serveTerms({ database: place.url })
  })
  terms.after(async () => {
    await site[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  })

  terms('are listed by name, case-insensitively', async () => {
    assert.equal(await names(site, CATEGORIES), ['Animals', 'Birds', 'cats', 'Dinosaurs', 'Empty'])
    assert.equal(await names(site, `${CATEGORIES}?order=desc`), ['Empty', 'Dinosaurs', 'cats', 'Birds', 'Animals'])
  })

  terms('are sorted by every documented order, with ties by ID', async () => {
    const ordered = (query: string) => names(site, `${TAGS}?${query}`)
    assert.equal(await ordered('orderby=id&order=desc'), ['a_b', '100%', 'blue', 'Green', 'red'])
    assert.equal(await ordered('orderby=slug'), ['100%', 'Green', 'a_b', 'blue', 'red'])
    assert.equal(await ordered('orderby=count&order=desc'), ['Green', 'red', 'blue', '100%', 'a_b'])
    assert.equal(await ordered('orderby=term_group'), ['red', 'Green', 'blue', '100%', 'a_b'])
    assert.equal(await ordered('orderby=include&include=13,11,12'), ['blue', 'red', 'Green'])
    assert.equal(await ordered('orderby=include&include=13,11,12&order=desc&per_page=2'), ['Green', 'red'])
    assert.equal(await ordered('orderby=include_slugs&slug=red,b-l-u-e'), ['red', 'blue'])
    assert.equal(await ordered('orderby=include'), ['100%', 'a_b', 'blue', 'Green', 'red'])
    const byDescription = await names(site, `${CATEGORIES}?orderby=description`)
    assert.equal(byDescription, ['Animals', 'Empty', 'Dinosaurs', 'cats', 'Birds'])
  })

  terms('are filtered by include, exclude, slug, parent and search', async () => {
    assert.equal(await names(site, `${CATEGORIES}?include=3,2,11`), ['Birds', 'cats'])
    assert.equal(await names(site, `${CATEGORIES}?exclude=1,2,3`), ['Dinosaurs', 'Empty'])
    assert.equal(await names(site, `${CATEGORIES}?include=2,3&exclude=2`), ['Birds', 'cats'])
    assert.equal(await names(site, `${CATEGORIES}?slug[]=birds&slug[]=Cats&slug[]=red`), ['Birds', 'cats'])
    assert.equal(await names(site, `${CATEGORIES}?parent=1`), ['Birds', 'cats'])
    assert.equal(await names(site, `${CATEGORIES}?parent=0`), ['Animals', 'Dinosaurs', 'Empty'])
    assert.equal(await names(site, `${CATEGORIES}?search=IR`), ['Birds'])
    assert.equal(await names(site, `${TAGS}?search=l-u`), ['blue'])
  })

  terms('match wildcards in a search literally', async () => {
    assert.equal(await names(site, `${TAGS}?search=%25`), ['100%'])
    assert.equal(await names(site, `${TAGS}?search=_`), ['a_b'])
    assert.equal(await names(site, `${TAGS}?search=%25%25`), [])
  })

  terms('are left out without posts, unless a descendant has posts', async () => {
    assert.equal(await names(site, `${CATEGORIES}?hide_empty=true`), ['Animals', 'Birds', 'Dinosaurs'])
    assert.equal(await names(site, `${TAGS}?hide_empty=1`), ['blue', 'Green', 'red'])
  })

  terms('are paged, with an empty page after the last one', async () => {
    const page = async (path: string) => {
      const response = await site.get(path)
      const { headers } = response
      const links = [...(headers.get('link') ?? '').matchAll(/<[^>]*\?([^>]*)>; rel="(prev|next)"/g)]
      const list = ((await response.json()) as Row<'terms'>[]).map((term) => term.name)
      return [
        list,
        headers.get('x-svc-total'),
        headers.get('x-svc-totalpages'),
        links.map(([, query, rel]) => [rel, query]),
      ]
    }
    assert.equal(await page(`${CATEGORIES}?per_page=2`), [
      ['Animals', 'Birds'],
      '5',
      '3',
      [['next', 'per_page=2&page=2']],
    ])
    assert.equal(await page(`${CATEGORIES}?per_page=2&page=3`), [['Empty'], '5', '3', [['prev', 'per_page=2&page=2']]])
    assert.equal(await page(`${CATEGORIES}?page=500`), [[], '5', '1', [['prev', 'page=1']]])
    assert.equal(await page(`${TAGS}?per_page=2&offset=3`), [
      ['Green', 'red'],
      '5',
      '3',
      [['prev', 'per_page=2&offset=3&page=2']],
    ])
    assert.equal(await page(`${CATEGORIES}?hide_empty=true&per_page=2`), [
      ['Animals', 'Birds'],
      '3',
      '2',
      [['next', 'hide_empty=1&per_page=2&page=2']],
    ])
  })

  terms('of a post are listed to readers of the post', async () => {
    assert.equal(await names(site, `${CATEGORIES}?post=1`), ['Birds', 'cats'])
    assert.equal(await names(site, `${CATEGORIES}?post=1&hide_empty=1`), ['Birds'])
    assert.equal(await names(site, `${TAGS}?post=2&orderby=id&order=desc`), ['blue', 'Green'])
    assert.equal(await names(site, `${CATEGORIES}?post=3`), 'rest_forbidden_context')
    assert.equal(await names(site, `${CATEGORIES}?post=3`, as('editor')), ['Empty'])
    assert.equal(await names(site, `${CATEGORIES}?post=999`), 'rest_post_invalid_id')
    assert.is((await site.get(`${CATEGORIES}?post=3`)).status, 401)
    assert.is((await site.get(`${CATEGORIES}?post=3`, as('subscriber'))).status, 403)
  })

  terms('of many posts, of every taxonomy, are read in one statement', async () => {
    const { terms: service } = site.kernel.services
    const statements = await site.statements(async () => {
      const request = new RestRequest('GET', '/')
      const loader = service.ofPosts(request.scope)
      const [one, two] = await Promise.all([loader.load(1), loader.load(2)])
      const shape = (termsByTaxonomy: typeof one) =>
        Object.fromEntries([...termsByTaxonomy].map(([taxonomy, list]) => [taxonomy, list.map((term) => term.name)]))
      assert.equal(shape(one), { category: ['Birds', 'cats'], post_tag: ['red'] })
      assert.equal(shape(two), { category: ['Birds'], post_tag: ['blue', 'Green'] })
      const again = await service.query({ taxonomy: 'category', post: 1, limit: 1 }, request.scope)
      assert.equal([again.items.map((term) => term.name), again.total], [['Birds'], 2])
    })
    assert.is(statements.length, 1)
  })

  const HOSTILE = [
    '7',
    '1,2',
    '%27%20or%201=1--',
    '%22%3B drop table terms',
    '١٢',
    'x'.repeat(7000),
    '0x10',
    '1e3',
    '-1',
    '%00',
    "'))",
  ]
  const SHAPES = (param: string, value: string) => [
    `${param}=${value}`,
    `${param}[]=${value}`,
    `${param}[k]=${value}`,
    `${param}[a'%20or%201=1]=${value}`,
    `${param}[a][b]=${value}`,
    `${param}[0]=${value}&${param}[1]=${value}`,
  ]

  for (const param of [
    'include',
    'exclude',
    'slug',
    'parent',
    'post',
    'offset',
    'search',
    'hide_empty',
    'order',
    'orderby',
  ]) {
    terms(`bind or refuse any value of ${param}`, async () => {
      const texts = new Set<string>()
      for (const value of HOSTILE) {
        for (const query of SHAPES(param, encodeURI(decodeURI(value)))) {
          for (const path of [CATEGORIES, TAGS]) {
            let status = 0
            const statements = await site.statements(async () => {
              status = (await site.get(`${path}?${query}`)).status
            })
            assert.ok(status === 200 || status === 400, `${status} for ${query.slice(0, 60)}`)
            if (status === 400)
              assert.equal(
                statements.filter((sql) => / terms/.test(sql)),
                [],
              )
            // Lists can differ in the number of bound values.
            for (const sql of statements) texts.add(sql.replace(/(?:\$\d+|\?)(?:, (?:\$\d+|\?))*/g, '?'))
          }
        }
      }
      for (const sql of texts) assert.not.match(sql, /drop|xxx|or 1|١|0x10|1e3/i)
      assert.ok(texts.size < 24, [...texts].join('\n'))
    })
  }

  terms('ignore undeclared parameters', async () => {
    const plain = await site.statements(() => site.get(TAGS))
    for (const query of ['where[id]=1', 'filter[name]=x', '$or[0][id]=1', 'knex=1', 'taxonomy=category', 'limit=1']) {
      assert.equal(await site.statements(() => site.get(`${TAGS}?${query}`)), plain, query)
    }
  })

  terms('refuse an unknown order and out-of-range pages', async () => {
    for (const query of [
      'orderby=parent',
      'orderby=password',
      'order=up',
      'per_page=0',
      'per_page=101',
      'page=0',
      'page=x',
    ]) {
      assert.is((await site.get(`${TAGS}?${query}`)).status, 400, query)
    }
    assert.equal(await names(site, `${TAGS}?page=1000000`), [])
    assert.equal(await names(site, `${TAGS}?offset=1000000`), [])
    assert.equal(await names(site, `${TAGS}?page=9007199254740991`), [])
  })

  terms('take as many statements for a long list as for a short one', async () => {
    const counts = []
    for (const perPage of [1, 5]) {
      counts.push((await site.statements(() => site.get(`${CATEGORIES}?per_page=${perPage}&page=1`))).length)
    }
    const [smallPage, largePage] = counts
    assert.ok(smallPage! <= 8 && largePage! <= 8, `${smallPage} and ${largePage} statements`)
    const single = await site.statements(() => site.get(`${CATEGORIES}/2`))
    assert.ok(single.length <= 5, `${single.length} statements`)
    assert.equal(await site.statements(() => site.get(`${CATEGORIES}?per_page=3&_fields=id,name`)), [
      ...(await site.statements(() => site.get(`${CATEGORIES}?per_page=3&_fields=name`))),
    ])
  })

  terms.run()
}

const terms = suite('terms')
stopClockFor(terms)

terms('have links', async () => {
  await using site = await serveTerms()
  const { id, name, slug, count, description, parent, taxonomy, link, meta, _links, ...rest } = await site.json(
    `${CATEGORIES}/2`,
  )
  assert.equal(
    { id, name, slug, count, description, parent, taxonomy, meta },
    {
      id: 2,
      name: 'Birds',
      slug: 'birds',
      count: 3,
      description: 'They fly.',
      parent: 1,
      taxonomy: 'category',
      meta: [],
    },
  )
  assert.equal(rest, {})
  assert.match(link, site.home)
  const root = `${site.home}/svc-json/svc/v2`
  assert.equal(
    _links.self.map((one: { href: string }) => one.href),
    [`${root}/categories/2`],
  )
  assert.equal(_links.collection, [{ href: `${root}/categories` }])
  assert.equal(_links.about, [{ href: `${root}/taxonomies/category` }])
  assert.equal(_links.up, [{ embeddable: true, href: `${root}/categories/1` }])
  assert.equal(_links['svc:post_type'], [{ href: `${root}/posts?categories=2` }])
})

terms('have a short form in the context embed', async () => {
  await using site = await serveTerms()
  const { _links, ...term } = await site.json(`${TAGS}/12?context=embed`)
  assert.equal(Object.keys(term).sort(), ['id', 'link', 'name', 'slug', 'taxonomy'])
})

terms('have no parent in a flat taxonomy', async () => {
  await using site = await serveTerms()
  assert.not.ok('parent' in (await site.json(`${TAGS}/12`)))
  const { endpoints } = (await (await site.request(TAGS, { method: 'OPTIONS' })).json()) as {
    endpoints: { args: object }[]
  }
  assert.equal(['parent' in endpoints[0]!.args, 'offset' in endpoints[0]!.args], [false, true])
})

terms('are found only in their own taxonomy', async () => {
  await using site = await serveTerms()
  for (const path of [`${CATEGORIES}/12`, `${TAGS}/2`, `${TAGS}/999`, `${TAGS}/0`]) {
    const response = await site.get(path)
    assert.equal(
      [response.status, ((await response.json()) as { code: string }).code],
      [404, 'rest_term_invalid'],
      path,
    )
  }
})

terms('are shown in the context edit to users who may edit them', async () => {
  await using site = await serveTerms()
  for (const path of [`${CATEGORIES}?context=edit`, `${CATEGORIES}/2?context=edit`]) {
    for (const [headers, status] of [
      [{}, 401],
      [as('subscriber'), 403],
      [as('editor'), 200],
    ] as const) {
      const response = await site.get(path, headers)
      const { code } = (await response.json()) as { code?: string }
      assert.equal([response.status, code], [status, status === 200 ? undefined : 'rest_forbidden_context'], path)
    }
  }
})

/** A plugin that registers a taxonomy. */
const withTaxonomy = (name: string, spec: object): AnyPlugin =>
  definePlugin({
    name: 'own',
    needs: ['taxonomies'],
    apply({ services, hooks }) {
      hooks.rest_api_init.tap('own', () => void services.taxonomies.register(name, ['post', 'page'], spec))
    },
  })

terms('of a custom taxonomy are served', async () => {
  const topic = withTaxonomy('topic', { show_in_rest: true, rest_base: 'topics', rest_namespace: 'own/v1' })
  await using site = await serveTerms({ add: [topic] })
  await site.store.run(site.store.db.insertInto('terms').values({ id: 31, taxonomy: 'topic', name: 'T', slug: 't' }))
  const [term] = await site.json('/own/v1/topics')
  const root = `${site.home}/svc-json`
  assert.equal(term._links['svc:post_type'], [
    { href: `${root}/svc/v2/posts?topics=31` },
    { href: `${root}/svc/v2/pages?topics=31` },
  ])
  assert.equal(await site.json('/own/v1/topics?post=1'), [])
})

terms('of a taxonomy without show_in_rest are not served', async () => {
  await using site = await serveTerms({ add: [withTaxonomy('topic', { show_in_rest: false })] })
  assert.is((await site.get('/svc/v2/topic')).status, 404)
})

terms('of a private taxonomy are hidden from users who may not assign them', async () => {
  await using site = await serveTerms({ add: [withTaxonomy('topic', { public: false, show_in_rest: true })] })
  await site.store.run(site.store.db.insertInto('terms').values({ id: 31, taxonomy: 'topic', name: 'T', slug: 't' }))
  for (const path of ['/svc/v2/topic', '/svc/v2/topic/31']) {
    assert.is((await site.get(path)).status, 401, path)
    assert.is((await site.get(path, as('subscriber'))).status, 403, path)
    assert.is((await site.get(path, as('author'))).status, 200, path)
  }
})

terms('are served by the controller of their taxonomy, and not served without a valid one', async () => {
  class Own extends Controller {
    constructor(plugin: ConstructorParameters<typeof Controller>[0], name: string) {
      super(plugin, 'own/v1', name, name)
    }
    override register(server: Parameters<Controller['register']>[0]) {
      server.registerRoute(this.namespace, this.restBase, { callback: () => 'own', permission_callback: () => true })
    }
    protected override itemSchema(): never {
      throw new Error('not asked for')
    }
    protected override toData = () => ({})
    protected override toLinks = () => ({})
  }
  {
    await using site = await serveTerms({
      add: [withTaxonomy('topic', { show_in_rest: true, rest_controller_class: Own })],
    })
    assert.is(await site.json('/own/v1/topic'), 'own')
  }
  for (const rest_controller_class of [false, class {}, 'Nobody']) {
    await using site = await serveTerms({ add: [withTaxonomy('topic', { show_in_rest: true, rest_controller_class })] })
    assert.is((await site.get('/svc/v2/topic')).status, 404)
  }
})

terms('pass filters of query, arguments and response', async () => {
  const own = definePlugin({
    name: 'own',
    needs: ['terms'],
    apply({ hooks }) {
      hooks.rest_query
        .for('post_tag')
        .tap('own', (query, request) => (request.get('used') ? { ...query, hideEmpty: true } : query))
      hooks.rest_collection_params.for('post_tag').tap('own', (params) => ({ ...params, used: { type: 'boolean' } }))
      hooks.rest_prepare.for('post_tag').tap('own', (response, term: Row<'terms'>) => {
        response.data = { ...(response.data as object), shout: term.name.toUpperCase() }
        return response
      })
    },
  })
  await using site = await serveTerms({ add: [own] })
  const list = await site.json(`${TAGS}?used=1`)
  assert.equal(
    list.map((term: { shout: string }) => term.shout),
    ['BLUE', 'GREEN', 'RED'],
  )
})

terms('are embedded in a list of posts at the cost of a single post', async () => {
  await using site = await serveTerms()
  const embedded = (path: string) => site.statements(() => site.json(path))
  const plain = await embedded('/svc/v2/posts?per_page=2')
  const whole = await embedded('/svc/v2/posts?per_page=2&_embed=svc:term')
  // The terms have been read with the posts; only their meta is left to read, for all of them together.
  assert.ok(whole.length - plain.length <= 2, whole.slice(plain.length).join('\n'))
  const [post] = await site.json('/svc/v2/posts?include=2&_embed=svc:term')
  const names = post._embedded['svc:term'].map((list: { name: string }[]) => list.map((term) => term.name))
  assert.equal(names, [['Birds'], ['blue', 'Green']])
})

terms('work without the plugins meta and posts', async () => {
  const plugins = [
    'arguments',
    'resources',
    'store',
    'field-index',
    'settings',
    'roles',
    'content-types',
    'taxonomies',
    'permalinks',
    'html',
    'bodies',
    'terms',
  ]
  const off = defaults.filter(({ name }) => !plugins.includes(name)).map(({ name }) => [name, false])
  await using site = await serveTerms({ plugins: Object.fromEntries(off) })
  const term = await site.json(`${CATEGORIES}/2`)
  assert.equal(['meta' in term, term.link], [false, `${site.home}/category/animals/birds/`])
  const created = await site.request(CATEGORIES, {
    method: 'POST',
    headers: { ...as('editor'), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'New', meta: { x: 1 } }),
  })
  assert.is(created.status, 201)
  assert.equal(await names(site, `${CATEGORIES}?post=1`), 'rest_post_invalid_id')
})

terms.run()
