import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache, type PluginContext } from '../../../../kernel/index.ts'
import { sql } from '../../../../plugins/storage/store/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { addObjects, indexedKeys, OBJECTS, type Kind, type MetaOf } from '../../../helpers/indexed-fields.ts'
import { as, serve, type Site, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'

startOnly('field-index', ...CONTENT_PLUGINS)

const shown = { single: true, show_in_rest: true, filterable: true, sortable: true } as const
const admin = as('administrator')

const shop = (apply: (services: PluginContext['services']) => void) =>
  definePlugin({
    name: 'shop',
    needs: ['meta', 'extra-fields', 'content-types'],
    apply: ({ services }) => apply(services),
  })

const ids = async (site: Site, path: string, headers = {}) => {
  const response = await site.get(`/svc/v2/${path}`, headers)
  const items = (await response.json()) as { id: number }[]
  assert.is(response.status, 200, JSON.stringify(items))
  return items.map(({ id }) => id)
}

for (const { name, make } of places) {
  const rules = suite(`indexed fields, on ${name}`)

  rules('store texts without invalid characters, sorted by their first 200 characters', async () => {
    await using place = await make()
    const faces = '😀'.repeat(150)
    const texts = ['a\0b', `c${'\ud83d'}`, faces, `${faces}!`]
    await using site = await serve({
      database: place.url,
      add: [
        shop(({ extraFields: fields }) => {
          fields.register('post', 'label', {
            get_callback: () => '',
            dependsOn: 'nothing',
            schema: { type: 'string', context: ['view'] },
            filterable: true,
            sortable: true,
            index: { type: 'text', value: ({ menu_order: at }: { menu_order: number }) => texts[at] },
          })
        }),
      ],
    })
    const posts = await addPosts(site.store, ...texts.map((_, at) => ({ menu_order: at })))
    assert.equal(await ids(site, 'posts?orderby=field.label&order=asc'), posts)
    assert.equal(await ids(site, 'posts?field[label]=ab'), [posts[0]])
    assert.equal(await ids(site, 'posts?field[label]=a%00b'), [posts[0]])
    assert.equal(await ids(site, `posts?field[label]=${encodeURIComponent('c\ufffd')}`), [posts[1]])
    assert.equal(await ids(site, `posts?field[label][gt]=${encodeURIComponent(faces)}`), [posts[3]])
    const many = Array.from({ length: 200 }, (_, at) => `no text ${at}`)
    const found = await site.kernel.services.posts.query(
      {
        types: ['post'],
        statuses: ['publish'],
        readScope: null,
        limit: 10,
        where: [{ field: 'label', compare: 'in', value: [...many, 'a\0b', 'c\ud83d'] }],
      },
      new RequestCache(),
    )
    assert.equal(
      found.items.map(({ id }) => id),
      posts.slice(0, 2),
    )
  })

  rules('page through objects with several values, without hidden and filtered ones', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [indexedKeys] })
    const metas: MetaOf[] = Array.from({ length: 8 }, (_, at) => ({
      sizes: [at, at + 1, at, 9],
      ...(at % 4 === 3 && { color: ['red'] }),
    }))
    for (const kind of Object.keys(OBJECTS) as Kind[]) {
      const allIds = (await addObjects(site, kind, metas)).map(({ id }) => id)
      const expected = allIds.filter((_, at) => at % 4 !== 3)
      const list = (more: string) => ids(site, `${OBJECTS[kind].route}?${more}&orderby=meta.sizes&order=asc`, admin)
      for (let page = 1; page <= 4; page++)
        assert.equal(await list(`per_page=2&page=${page}`), allIds.slice(page * 2 - 2, page * 2), `${kind} ${page}`)
      for (let page = 1; page <= 2; page++)
        assert.equal(
          await list(`per_page=3&page=${page}&meta[color][exists]=false`),
          expected.slice(page * 3 - 3, page * 3),
          `${kind} ${page}, without a color`,
        )
      assert.equal(await list(`per_page=2&exclude=${allIds[0]}`), allIds.slice(1, 3), kind)
      if (kind === 'comment') {
        await site.store.run(sql`update comments set approved = '0' where id = ${allIds[0]}`)
        assert.equal(await ids(site, 'comments?orderby=meta.sizes&order=asc&per_page=2'), allIds.slice(1, 3))
      }
    }
  })

  rules('of a type take precedence over fields of all types, and must agree in lists of several types', async () => {
    await using place = await make()
    await using site = await serve({
      database: place.url,
      add: [
        shop(({ meta, contentTypes }) => {
          contentTypes.register('event', { label: 'Events', public: true, show_in_rest: true, supports: ['title'] })
          meta.register('post', 'size', { ...shown, type: 'number' })
          meta.register('post', 'size', { ...shown, subtype: 'page', type: 'string', sortable: false })
          meta.register('comment', 'rate', { ...shown, subtype: 'comment', type: 'number' })
        }),
      ],
    })
    const pages = await addPosts(site.store, ...['9', '10'].map((size) => ({ type: 'page', meta: { size } })))
    assert.equal(await ids(site, 'pages?meta[size][gt]=10&order=asc'), [pages[0]])
    assert.is((await site.get('/svc/v2/pages?orderby=meta.size')).status, 400)
    const countFor = async (types: readonly string[], orderby?: 'meta.size') =>
      site.kernel.services.posts
        .query(
          {
            types,
            statuses: ['publish'],
            readScope: null,
            limit: 10,
            ...(orderby === undefined ? { where: [{ meta: 'size', value: '9' }] } : { orderby }),
          },
          new RequestCache(),
        )
        .then(
          ({ total }) => total,
          ({ code }) => code as string,
        )
    assert.is(await countFor(['page']), 1)
    assert.is(await countFor(['page'], 'meta.size'), 'FIELD_NOT_INDEXED')
    assert.is(await countFor(['post', 'page']), 'FIELD_NOT_INDEXED')
    // Events do not support meta.
    assert.is((await site.get('/svc/v2/event?orderby=meta.size')).status, 400)
    const described = (await (await site.request('/svc/v2/event', { method: 'OPTIONS' })).json()) as {
      endpoints: { args: object }[]
    }
    assert.not.ok('meta' in described.endpoints[0]!.args)
    assert.is((await site.get('/svc/v2/comments?meta[rate]=1')).status, 200)
    for (const type of ['all', 'pings', 'pingback'])
      assert.is((await site.get(`/svc/v2/comments?meta[rate]=1&type=${type}`, admin)).status, 400, type)
  })

  rules('are indexed in the transaction that writes a thousand objects, and invalidate cached lists', async () => {
    await using place = await make()
    let factor = 1
    await using site = await serve({
      database: place.url,
      add: [
        shop(({ extraFields: fields }) => {
          fields.register('post', 'rating', {
            get_callback: () => 1,
            dependsOn: 'nothing',
            schema: { type: 'number', context: ['view'] },
            filterable: true,
            sortable: true,
            index: { type: 'number', value: ({ id }: { id: number }) => id * factor },
          })
        }),
      ],
    })
    const { store, kernel } = site
    const rows = Array.from({ length: 1200 }, (_, at) => ({ slug: `p${at}`, status: 'publish' }))
    await store.run(store.db.insertInto('posts').values(rows))
    const left = await store.first(sql<{ n: number }>`select count(*) as n from index_queue`)
    assert.is(left!.n, 0)
    const list = () => ids(site, 'posts?field[rating][lt]=0')
    assert.equal([await list(), await list()], [[], []])
    factor = -1
    await kernel.services.extraFields.reindex('post', 'rating', [7])
    assert.equal(await list(), [7])
  })

  if (name === 'PostgreSQL')
    rules('are analyzed for the planner after many objects were indexed', async () => {
      await using place = await make()
      await using site = await serve({
        database: place.url,
        add: [shop(({ meta }) => meta.register('post', 'price', { ...shown, type: 'number' }))],
      })
      const { store } = site
      await store.run(
        sql`insert into posts (slug, status) select 'p' || n, 'publish' from generate_series(1, 6000) as n`,
      )
      await store.run(
        sql`insert into post_meta (post_id, key, value) select id, 'price', '7' from posts where slug like 'p%'`,
      )
      assert.is((await ids(site, 'posts?meta[price]=7')).length, 10)
      const estimate = await store.first(
        sql<{ rows: number }>`select cast(reltuples as integer) as rows from pg_class where relname = 'indexed_values'`,
      )
      assert.is(estimate!.rows, 6000)
    })

  rules('apply the limits of their schema to equality, but not to ranges', async () => {
    await using place = await make()
    await using site = await serve({
      database: place.url,
      add: [
        shop(({ meta }) => {
          const schema = { type: 'number', minimum: 0, maximum: 10 } as const
          meta.register('post', 'stars', { ...shown, type: 'number', show_in_rest: { schema } })
          meta.register('post', 'sizes', { ...shown, single: false, type: 'integer' })
        }),
      ],
    })
    const [one, two] = await addPosts(site.store, { meta: { stars: 3 } }, { meta: { stars: 11 } })
    assert.equal(await ids(site, 'posts?meta[stars][gt]=-1'), [one], 'a value outside the limits is not indexed')
    assert.equal(await ids(site, 'posts?meta[stars][lte]=100'), [one])
    const status = async (query: string) => (await site.get(`/svc/v2/posts?${query}`)).status
    for (const query of ['meta[stars]=11', 'meta[stars][ne]=-1', 'meta[stars][in]=3,11', 'meta[stars][not_in]=11'])
      assert.is(await status(query), 400, query)
    const values = (count: number) => Array.from({ length: count }, () => '3').join()
    assert.equal(await ids(site, `posts?meta[stars][in]=${values(100)}`), [one])
    assert.is(await status(`meta[stars][in]=${values(101)}`), 400)
    const { meta } = site.kernel.services
    await meta.write('post', one!, 'sizes', [1, 2], new RequestCache())
    await meta.write('post', two!, 'sizes', [1, 3], new RequestCache())
    assert.equal(await ids(site, 'posts?meta[sizes][eq]=1&meta[sizes][ne]=2'), [two])
  })

  rules('invalidate cached lists with SQL of a plugin when its tables change', async () => {
    await using place = await make()
    const stock = definePlugin({
      name: 'stock',
      apply({ hooks }) {
        hooks.rest_query.for('post').tap('stock', (query) => ({
          ...query,
          conditions: [
            ({ ref, sql: own }) => own<boolean>`exists (select 1 from shop_stock where post_id = ${ref('id')})`,
          ],
          sort: ({ ref, sql: own }) => own`(select max(pieces) from shop_stock where post_id = ${ref('id')})`,
        }))
      },
    })
    await using site = await serve({ database: place.url, add: [stock] })
    const { store } = site
    await store.run(sql`create table shop_stock (post_id bigint, pieces bigint)`)
    const [one, two, three, four] = await addPosts(store, {}, {}, {}, {})
    const list = () => ids(site, 'posts?order=asc')
    assert.equal([await list(), await list()], [[], []])
    await store.run(sql`insert into shop_stock values (${one}, 5), (${two}, 4)`)
    assert.equal(
      [await list(), await list()],
      [
        [two, one],
        [two, one],
      ],
    )
    await store.run(sql`update shop_stock set pieces = 9 where post_id = ${two}`)
    assert.equal(await list(), [one, two])
    // The total is cached as well.
    const total = async () => (await site.get('/svc/v2/posts?per_page=1')).headers.get('x-svc-total')
    assert.equal([await total(), await total()], ['2', '2'])
    await store.run(sql`delete from shop_stock where post_id = ${two}`)
    await store.run(sql`insert into shop_stock values (${three}, 1), (${four}, 1)`)
    assert.is(await total(), '3')
  })

  rules.run()
}
