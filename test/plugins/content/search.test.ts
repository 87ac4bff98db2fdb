import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RestError, type AnyPlugin } from '../../../kernel/index.ts'
import type { SearchHandler } from '../../../plugins/content/search/index.ts'
import type { NewRow } from '../../../plugins/storage/store/index.ts'
import { stopClockFor } from '../../helpers/clock.ts'
import { as, serve, type Site, startOnly } from '../../helpers/site.ts'
import { places } from '../../helpers/stores.ts'

startOnly('search')

const AUTHOR = as('author', 5)
const EDITOR = as('editor', 4)

const POSTS: NewRow<'posts'>[] = [
  { id: 1, title: 'Garden tools', content: 'Spades and rakes.' },
  { id: 2, title: 'A day out', content: 'We went to a garden, and saw 100% of it.' },
  { id: 3, title: 'Garden', content: 'Roses and more roses.' },
  { id: 4, title: 'About', content: 'A page on a garden.', type: 'page' },
  { id: 5, title: 'Garden draft', content: 'garden', status: 'draft', author_id: 5 },
  { id: 6, title: 'Garden private', content: 'garden', status: 'private', author_id: 5 },
  { id: 7, title: 'Behind a wall', content: 'The garden of secrets.', password: 'open', author_id: 5 },
  { id: 8, title: 'Garden file', content: 'garden', type: 'attachment', status: 'inherit' },
  { id: 9, title: 'Garden block', content: 'garden', type: 'svc_block' },
  { id: 10, title: 'Garden hidden', content: 'garden', type: 'hidden' },
]

const TERMS: NewRow<'terms'>[] = [
  { id: 21, taxonomy: 'category', name: 'Gardens', slug: 'gardens' },
  { id: 22, taxonomy: 'post_tag', name: 'Roof garden', slug: 'roof-garden' },
  { id: 23, taxonomy: 'post_tag', name: 'Water', slug: 'water' },
  { id: 24, taxonomy: 'nav_menu', name: 'Garden menu', slug: 'garden-menu' },
  { id: 25, taxonomy: 'post_format', name: 'Aside', slug: 'post-format-aside' },
  { id: 26, taxonomy: 'post_format', name: 'Audio', slug: 'post-format-audio' },
]

/** A site with the posts above, the first ones newest. */
async function filled(database: string, add: readonly AnyPlugin[] = []): Promise<Site> {
  const hidden = definePlugin({
    name: 'hidden',
    needs: ['content-types'],
    apply: ({ services }) => void services.contentTypes.register('hidden', { public: false, show_in_rest: true }),
  })
  const site = await serve({ database, add: [hidden, ...add] })
  const { store } = site
  const { db } = store
  for (const post of POSTS) {
    const date = `2024-01-${String(30 - post.id!).padStart(2, '0')} 10:00:00`
    const row = { status: 'publish', slug: `post-${post.id}`, date, date_gmt: date, ...post }
    await store.run(db.insertInto('posts').values(row))
  }
  await store.run(db.insertInto('terms').values(TERMS))
  await store.syncSequences()
  return site
}

const at = (query = '') => `/svc/v2/search${query}`
// oxlint-disable-next-line typescript/no-explicit-any -- assertions check the shape of responses
const body = async (response: Response): Promise<any> => response.json()
const ids = async (site: Site, query: string, headers = {}) =>
  (await site.json(at(query), headers)).map(({ id }: { id: number | string }) => id)
const total = (response: Response) => response.headers.get('X-SVC-Total')

for (const { name, make } of places) {
  const search = suite(`search, on ${name}`)
  stopClockFor(search)

  search('finds posts of every public type, newest first', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    const response = await site.get(at())
    const list = await body(response)
    assert.equal([list.map(({ id }: { id: number }) => id), total(response)], [[1, 2, 3, 4, 7], '5'])
    const root = `${site.home}/svc-json/svc/v2`
    assert.equal(list[3], {
      id: 4,
      title: 'About',
      url: `${site.home}/post-4/`,
      type: 'post',
      subtype: 'page',
      _links: {
        self: [{ embeddable: true, href: `${root}/pages/4`, targetHints: { allow: ['GET'] } }],
        about: [{ href: `${root}/types/page` }],
        collection: [{ href: `${root}/search` }],
      },
    })
  })

  search('ranks titles before other texts, and supports phrases and excluded words', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    assert.equal(await ids(site, '?search=garden'), [1, 3, 2, 4])
    assert.equal(await ids(site, '?search=garden%20-tools'), [3, 2, 4])
    assert.equal(await ids(site, '?search=%22a%20garden%22'), [2, 4])
    assert.equal(await ids(site, '?search=GARDEN%20roses'), [3])
    assert.equal(await ids(site, '?search=nothing%20of%20it'), [])
  })

  search('S7: matches wildcards literally', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    assert.equal(await ids(site, '?search=100%25'), [2])
    assert.equal(await ids(site, '?search=g_rden'), [])
    assert.equal(await ids(site, '?search=%25&type=term'), [])
    assert.is((await site.get(at(`?search=${'term%20'.repeat(300)}`))).status, 200)
  })

  search('pages through results, and refuses pages beyond the last one', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    const second = await site.get(at('?search=garden&per_page=3&page=2'))
    assert.equal(
      [(await body(second)).map(({ id }: { id: number }) => id), total(second), second.headers.get('X-SVC-TotalPages')],
      [[4], '4', '2'],
    )
    assert.match(second.headers.get('Link')!, /search=garden&per_page=3&page=1>; rel="prev"/)
    const behind = await site.get(at('?search=garden&page=2'))
    assert.equal([behind.status, await body(behind), total(behind)], [200, [], '0'])
    const terms = await site.get(at('?type=term&page=99'))
    assert.equal([terms.status, (await body(terms)).code], [400, 'rest_search_invalid_page_number'])
    assert.is((await site.get(at('?search=nothing&page=2'))).status, 200)
    for (const query of ['per_page=0', 'per_page=101', 'page=0', 'page=x']) {
      assert.is((await site.get(at(`?${query}`))).status, 400, query)
    }
  })

  search('filters by subtype, include and exclude', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    assert.equal(await ids(site, '?subtype=page'), [4])
    assert.equal(await ids(site, '?subtype=page,post&search=garden'), [1, 3, 2, 4])
    assert.equal(await ids(site, '?subtype[]=page&subtype[]=any'), [1, 2, 3, 4, 7])
    assert.equal(await ids(site, '?subtype=category'), [])
    assert.equal(await ids(site, '?include=4,2,5,6,9'), [2, 4])
    assert.equal(await ids(site, '?exclude=1,2&search=garden'), [3, 4])
    for (const query of [
      'type=nope',
      'subtype=attachment',
      'subtype=svc_block',
      'subtype=hidden',
      'subtype[]=post&subtype[]=nope',
    ]) {
      const refused = await site.get(at(`?${query}`))
      assert.equal([refused.status, (await body(refused)).code], [400, 'rest_invalid_param'], query)
    }
  })

  search('finds terms of public taxonomies by name', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    assert.equal(await ids(site, '?type=term'), [21, 22, 23])
    const [first, second] = await site.json(at('?type=term&search=garden'))
    const root = `${site.home}/svc-json/svc/v2`
    assert.equal(first, {
      id: 21,
      title: 'Gardens',
      url: `${site.home}/category/gardens/`,
      type: 'category',
      _links: {
        self: [{ embeddable: true, href: `${root}/categories/21`, targetHints: { allow: ['GET'] } }],
        about: [{ href: `${root}/taxonomies/category` }],
        collection: [{ href: `${root}/search` }],
      },
    })
    assert.is(second.id, 22)
    assert.equal(await ids(site, '?type=term&subtype=post_tag'), [22, 23])
    assert.equal(await ids(site, '?type=term&include=21,22'), [21, 22])
    assert.equal(await ids(site, '?type=term&exclude=22&include=21,22'), [21, 22], 'what is limited leaves out none')
    assert.equal(await ids(site, '?type=term&per_page=1&page=2'), [22])
    assert.is((await site.get(at('?type=term&subtype=nav_menu'))).status, 400)
  })

  search('finds post formats that are in use', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    const [aside] = await site.json(at('?type=post-format'))
    assert.equal(aside, {
      id: 'aside',
      title: 'Aside',
      url: `${site.home}/type/aside/`,
      type: 'post-format',
      _links: { collection: [{ href: `${site.home}/svc-json/svc/v2/search` }] },
    })
    const found = await site.get(at('?type=post-format&search=AU'))
    assert.equal([(await body(found)).map(({ id }: { id: string }) => id), total(found)], [['audio'], '1'])
    assert.equal(await ids(site, '?type=post-format&per_page=1&page=2'), ['audio'])
  })

  search('S11: does not match words of password-protected texts', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    for (const headers of [{}, as('subscriber', 7), as('contributor', 8)]) {
      const found = await site.get(at('?search=secrets'), headers)
      assert.equal([await body(found), total(found)], [[], '0'])
    }
    assert.equal(await ids(site, '?search=secrets', AUTHOR), [7])
    assert.equal(await ids(site, '?search=secrets', EDITOR), [7])
    const [{ _embedded: embedded }] = await site.json(at('?include=7&_embed'))
    assert.equal(embedded.self[0].excerpt, { rendered: '', protected: true })
  })

  search('S13: finds only published posts, for every user', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    for (const headers of [{}, AUTHOR, as('administrator', 1)]) {
      for (const query of ['?search=draft', '?search=private', '?include=5,6,8,9,10']) {
        const found = await site.get(at(query), headers)
        assert.equal([await body(found), total(found)], [[], '0'], query)
      }
    }
  })

  search('S10: embeds results in their short form', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    const list = await site.json(at('?search=garden&_embed'))
    assert.equal(
      list.map(({ _embedded }: { _embedded: { self: { id: number; content?: unknown }[] } }) => _embedded.self[0]!.id),
      [1, 3, 2, 4],
    )
    assert.is(list[0]._embedded.self[0].content, undefined)
    const [term] = await site.json(at('?type=term&_embed=self'))
    assert.is(term._embedded.self[0].name, 'Gardens')
  })

  search('returns the requested fields', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    assert.equal(await site.json(at('?search=tools&_fields=id,title')), [{ id: 1, title: 'Garden tools' }])
    assert.equal(await site.json(at('?search=tools&context=embed&_fields=type,subtype,url')), [
      { type: 'post', subtype: 'post', url: `${site.home}/2024/01/29/post-1/` },
    ])
    assert.is((await site.get(at('?context=edit'))).status, 400)
    const described = await body(await site.request(at(), { method: 'OPTIONS' }))
    assert.equal(described.schema.properties.type.enum, ['post', 'term', 'post-format'])
    assert.equal(described.schema.properties.subtype.enum, ['post', 'page', 'category', 'post_tag'])
    assert.equal(described.endpoints[0].args.subtype.items.enum, ['post', 'page', 'category', 'post_tag', 'any'])
  })

  search('S2: binds every value', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    const values: Record<string, readonly string[]> = {
      // With one word each, because the number of words does change the SQL.
      search: ["'gar", '");drop/**/table/**/posts;--', 'garden', '١٢٣'],
      include: ['1', '999'],
      exclude: ['1', '-7'],
    }
    for (const type of ['post', 'term']) {
      for (const [parameter, list] of Object.entries(values)) {
        const texts = new Set<string>()
        for (const value of list) {
          const query = new URLSearchParams({ [parameter]: value, type, per_page: '1', _fields: 'id' }).toString()
          texts.add((await site.statements(async () => assert.is((await site.get(at(`?${query}`))).status, 200)))[0]!)
        }
        assert.is(texts.size, 1, `${type} ${parameter}`)
      }
    }
    // A short result is cached after its total is known.
    for (let time = 0; time < 2; time++) await site.json(at('?search=garden'))
    const plain = await site.statements(() => site.json(at('?search=garden')))
    assert.equal(
      await site.statements(() => site.json(at('?search=garden&where[id]=1&status=draft&orderby=password'))),
      plain,
    )
  })

  search('takes the same few statements for a list of any length', async () => {
    await using place = await make()
    await using site = await filled(place.url)
    const { store } = site
    const more = Array.from({ length: 120 }, (_, index) => ({
      title: `Garden ${index}`,
      slug: `g${index}`,
      status: 'publish',
      type: index % 2 ? 'post' : 'page',
      date: '2023-01-01 00:00:00',
    }))
    await store.run(store.db.insertInto('posts').values(more))
    await store.run(
      store.db.insertInto('terms').values(more.map(({ title, slug }) => ({ taxonomy: 'category', name: title, slug }))),
    )
    for (const type of ['post', 'term', 'post-format']) {
      for (const perPage of [2, 100]) {
        const statements = await site.statements(() => site.json(at(`?type=${type}&per_page=${perPage}`)))
        assert.ok(statements.length <= (type === 'post-format' ? 1 : 3), `${type}: ${statements.join('\n')}`)
      }
    }
    const embedded = await site.statements(() => site.json(at('?per_page=100&_embed')))
    assert.ok(embedded.length <= 14, `${embedded.length} embedded`)
  })

  search('lets plugins add, replace and remove handlers', async () => {
    await using place = await make()
    const animals: SearchHandler = {
      type: 'animal',
      subtypes: () => ['bird', 'fish'],
      search(request, subtypes) {
        if (request.get('search') === 'unicorn')
          return new RestError('no_such_animal', 'There are none.', { status: 418 })
        return { ids: [...subtypes], total: subtypes.length }
      },
      prepare: (id, fields) => ({
        id,
        title: `A ${id}`,
        ...(fields.includes('url') && { url: 'https://zoo.test/' }),
        type: 'animal',
        subtype: String(id),
      }),
      links: (id) => ({ self: { href: `https://zoo.test/${id}` } }),
    }
    const zoo = definePlugin({
      name: 'zoo',
      needs: ['search'],
      apply({ hooks }) {
        hooks.svc_rest_search_handlers.tap('zoo', (handlers) => [
          animals,
          ...handlers.filter(({ type }) => type !== 'post-format'),
        ])
      },
    })
    await using site = await filled(place.url, [zoo])
    assert.equal(await site.json(at('?subtype=fish')), [
      {
        id: 'fish',
        title: 'A fish',
        url: 'https://zoo.test/',
        type: 'animal',
        subtype: 'fish',
        _links: {
          self: [{ href: 'https://zoo.test/fish' }],
          collection: [{ href: `${site.home}/svc-json/svc/v2/search` }],
        },
      },
    ])
    assert.equal(await ids(site, '?type=animal&_fields=id'), ['bird', 'fish'])
    assert.is((await site.get(at('?search=unicorn'))).status, 418)
    assert.is((await site.get(at('?type=post-format'))).status, 400)
    assert.equal(await ids(site, '?type=post&search=tools'), [1])
    await using other = await make()
    await using without = await filled(other.url)
    assert.equal(await ids(without, '?search=tools'), [1])
    assert.is((await without.get(at('?type=post-format'))).status, 200)
  })

  search('refuses to start with an incomplete handler', async () => {
    const broken = definePlugin({
      name: 'broken',
      needs: ['search'],
      apply({ hooks }) {
        hooks.svc_rest_search_handlers.tap('broken', (handlers) => [...handlers, { type: 'half' } as SearchHandler])
      },
    })
    try {
      await serve({ add: [broken] })
      assert.unreachable('it started')
    } catch (error) {
      assert.match((error as Error).message, /half.*subtypes, search, prepare, links/)
    }
  })

  search.run()
}
