import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache } from '../../../../kernel/index.ts'
import type { MetaSpec } from '../../../../plugins/content/meta/index.ts'
import { sql } from '../../../../plugins/storage/store/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { serve, type Site, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { filePlace, places } from '../../../helpers/stores.ts'

startOnly('field-index', ...CONTENT_PLUGINS)

const number: MetaSpec = { type: 'number', single: true, show_in_rest: true, filterable: true, sortable: true }

const keys = (specs: Record<string, MetaSpec>) =>
  definePlugin({
    name: 'shop',
    needs: ['meta'],
    apply({ services }) {
      for (const [key, spec] of Object.entries(specs)) services.meta.register('post', key, spec)
    },
  })

const ids = async (site: Site, query: string, type = 'posts'): Promise<number[]> => {
  const items = (await site.json(`/svc/v2/${type}?_fields=id&${query}`)) as { id: number }[]
  return items.map(({ id }) => id)
}

/** Returns the numbers of fields, of indexed values and of queued objects. */
const counts = async ({ store }: Site) => {
  const row = await store.first(
    sql<{ indexed: number; waiting: number; fields: number }>`select (select count(*) from indexed_values) as indexed,
      (select count(*) from index_queue) as waiting, (select count(*) from indexed_fields) as fields`,
  )
  return [row!.fields, row!.indexed, row!.waiting]
}

for (const { name, make } of places) {
  const values = suite(`indexed values, on ${name}`)

  values('are updated in the transaction of the write, by service or by SQL', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [keys({ price: number })] })
    const { store, kernel } = site
    const { db } = store
    const [one, two] = await addPosts(store, { meta: { price: 1 } }, { meta: { price: 2 } })
    assert.equal(await counts(site), [1, 2, 0])
    const set = (value: string) => db.updateTable('post_meta').set({ value }).where('post_id', '=', one!)
    await store.run(set('20'))
    assert.equal(await ids(site, 'meta[price][gt]=1&orderby=meta.price&order=asc'), [two, one])
    assert.equal(await counts(site), [1, 2, 0])
    // A rolled back write changes nothing.
    await store
      .transaction(async (tx) => {
        await tx.run(set('30'))
        throw new Error('no')
      })
      .catch(() => {})
    assert.equal(await ids(site, 'meta[price]=30'), [])
    await store.run(set('much'))
    assert.equal(await ids(site, 'meta[price][exists]=true'), [two], 'a value of the wrong type is not indexed')
    await store.run(db.updateTable('post_meta').set({ key: 'cost' }).where('post_id', '=', two!))
    assert.equal(await ids(site, 'meta[price][exists]=true'), [])
    await store.run(db.updateTable('post_meta').set({ key: 'price' }).where('post_id', '=', two!))
    assert.equal(await ids(site, 'meta[price][exists]=true'), [two])
    await store.run(db.deleteFrom('posts').where('id', '=', two!))
    assert.equal(await counts(site), [1, 0, 0])
    await kernel.services.meta.write('post', one!, 'price', [], new RequestCache())
    assert.equal(await counts(site), [1, 0, 0])
  })

  values('are found within the transaction that has written them', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [keys({ price: number })] })
    const [one] = await addPosts(site.store, { meta: { price: 1 } })
    const { meta, posts } = site.kernel.services
    const scope = new RequestCache()
    const dear = {
      types: ['post'],
      statuses: ['publish'],
      readScope: null,
      limit: 5,
      where: [{ meta: 'price', value: 9 }],
    }
    const found = await site.store.transaction(async () => {
      await meta.write('post', one!, 'price', [9], scope)
      return (await posts.query(dear, scope)).total
    })
    assert.is(found, 1)
    assert.is((await posts.query(dear, scope)).total, 1)
  })

  values('follow type, status and date of their object', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [keys({ price: number })] })
    const { store } = site
    const [one, two] = await addPosts(store, { meta: { price: 1 } }, { meta: { price: 1 } })
    assert.equal(await ids(site, 'meta[price]=1'), [one, two])
    await store.run(store.db.updateTable('posts').set({ date: '2020-01-01 10:00:00' }).where('id', '=', one!))
    assert.equal(await ids(site, 'meta[price]=1'), [two, one])
    await store.run(store.db.updateTable('posts').set({ status: 'draft' }).where('id', '=', two!))
    assert.equal(await ids(site, 'meta[price]=1'), [one])
    await store.run(store.db.updateTable('posts').set({ type: 'page' }).where('id', '=', one!))
    assert.equal(await ids(site, 'meta[price]=1'), [])
    assert.equal(await ids(site, 'meta[price]=1', 'pages'), [one])
  })

  values('of a field of one type follow objects that change to it', async () => {
    await using place = await make()
    const specs = { price: { ...number, subtype: 'page' } }
    await using site = await serve({ database: place.url, add: [keys(specs)] })
    const { store } = site
    const [one] = await addPosts(store, { meta: { price: 1 } })
    assert.equal(await counts(site), [1, 0, 0])
    assert.is((await site.get('/svc/v2/posts?meta[price]=1')).status, 200, 'lists of posts ignore the unknown argument')
    await store.run(store.db.updateTable('posts').set({ type: 'page' }).where('id', '=', one!))
    assert.equal(await ids(site, 'meta[price]=1', 'pages'), [one])
  })

  values(
    'are built when a key is registered, rebuilt when its type changes, and deleted when it is not registered any longer',
    async () => {
      await using place = name === 'SQLite' ? await filePlace() : await make()
      const at = (specs: Record<string, MetaSpec>) => serve({ database: place.url, add: [keys(specs)] })
      {
        await using site = await at({})
        await addPosts(site.store, ...[3, 1, 2].map((price) => ({ meta: { price } })))
        assert.equal(await counts(site), [0, 0, 0])
      }
      {
        await using site = await at({ price: number })
        assert.equal(await ids(site, 'orderby=meta.price&order=asc'), [2, 3, 1])
        assert.equal(await counts(site), [1, 3, 0])
      }
      {
        await using site = await at({ price: { ...number, type: 'string' } })
        assert.equal(await ids(site, 'meta[price][gte]=2&orderby=meta.price&order=asc'), [3, 1])
        const texts = await site.store.all(site.store.db.selectFrom('indexed_values').select(['text', 'number']))
        assert.ok(texts.length === 3 && texts.every(({ text, number: none }) => text !== null && none === null))
      }
      {
        // A process without the index writes; the next process with the index must find the post.
        await using site = await at({})
        assert.equal(await counts(site), [0, 0, 0])
        await addPosts(site.store, { meta: { price: 0 } })
      }
      await using site = await at({ price: number })
      assert.equal(await ids(site, 'orderby=meta.price&order=asc'), [4, 2, 3, 1])
    },
  )

  values('are built by the process that registers the field if another process does not', async () => {
    await using place = name === 'SQLite' ? await filePlace() : await make()
    await using site = await serve({ database: place.url, add: [keys({ price: number })] })
    const [one] = await addPosts(site.store, { meta: { price: 1 } })
    assert.equal(await ids(site, 'meta[price]=1'), [one])
    // At its start, the other process deletes the field; the first must add it again.
    await using other = await serve({ database: place.url })
    const set = (value: string) => other.store.db.updateTable('post_meta').set({ value }).where('post_id', '=', one!)
    await other.store.run(set('5'))
    assert.equal(await ids(site, 'meta[price][gte]=2'), [one])
    await other.store.run(set('7'))
    assert.equal(await ids(site, 'meta[price]=7'), [one])
  })

  values('of thousands of objects in one transaction never yield an incomplete list', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [keys({ price: number })] })
    const { store } = site
    const count = 5200
    await store.transaction(async (tx) => {
      for (let from = 0; from < count; from += 400) {
        const rows = Array.from({ length: 400 }, (_, at) => ({ slug: `s${from + at}`, status: 'publish' }))
        const inserted = await tx.all(tx.db.insertInto('posts').values(rows).returning('id'))
        await tx.run(
          tx.db
            .insertInto('post_meta')
            .values(inserted.map(({ id }) => ({ post_id: id, key: 'price', value: String(id) }))),
        )
      }
    })
    const response = await site.get('/svc/v2/posts?meta[price][gt]=0&orderby=meta.price&per_page=1')
    assert.is(response.headers.get('x-svc-total'), String(count))
    assert.is((await counts(site))[2], 0)
  })

  values('invalidate cached lists when they change', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, add: [keys({ price: number })] })
    const scope = new RequestCache()
    const [one] = await addPosts(site.store, { meta: { price: 1 } })
    const changes = [
      ['meta[price]=2', [2]],
      ['meta[price][exists]=false', []],
      ['orderby=meta.price', []],
      ['meta[price][ne]=1', [3]],
    ] as const
    for (const [list, values] of changes) {
      const before = await ids(site, list)
      assert.equal(await ids(site, list), before)
      await site.kernel.services.meta.write('post', one!, 'price', values, scope)
      assert.not.equal(await ids(site, list), before, list)
      await site.kernel.services.meta.write('post', one!, 'price', [1], scope)
      assert.equal(await ids(site, list), before)
    }
  })

  values.run()
}
