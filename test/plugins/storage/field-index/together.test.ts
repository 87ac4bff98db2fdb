import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache } from '../../../../kernel/index.ts'
import type { FieldArgs } from '../../../../plugins/content/extra-fields/index.ts'
import type { MetaType } from '../../../../plugins/content/meta/index.ts'
import { sql, type Store } from '../../../../plugins/storage/store/index.ts'
import { addPosts } from '../../../helpers/content.ts'
import { serve, type Site, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { filePlace, postgresPlace, type Place } from '../../../helpers/stores.ts'
import { until } from '../../../helpers/until.ts'

startOnly('field-index', ...CONTENT_PLUGINS)

/** Databases that two processes can open. */
const server = process.env['SVC_TEST_POSTGRES']
const shared: { name: string; make: () => Promise<Place> }[] = [{ name: 'SQLite', make: filePlace }]
if (server) shared.push({ name: 'PostgreSQL', make: () => postgresPlace(server) })

const priced = (type: MetaType) =>
  definePlugin({
    name: 'shop',
    needs: ['meta'],
    apply({ services }) {
      const shown = { single: true, show_in_rest: true, filterable: true, sortable: true } as const
      services.meta.register('post', 'price', { ...shown, type })
    },
  })

const rated = (value: NonNullable<FieldArgs['index']>['value']) =>
  definePlugin({
    name: 'ratings',
    needs: ['extra-fields'],
    apply({ services }) {
      services.extraFields.register('post', 'rating', {
        get_callback: () => 1,
        dependsOn: 'nothing',
        schema: { type: 'number', context: ['view', 'edit'] },
        filterable: true,
        sortable: true,
        index: { type: 'number', value },
      })
    },
  })

const ids = async (site: Site, query: string): Promise<number[]> => {
  const items = (await site.json(`/svc/v2/posts?_fields=id&${query}`)) as { id: number }[]
  return items.map(({ id }) => id)
}

const queueLength = async (store: Store) =>
  (await store.first(sql<{ n: number }>`select count(*) as n from index_queue`))!.n

for (const { name, make } of shared) {
  const together = suite(`processes with different fields, on ${name}`)

  together('each sort by their own type of a key', async () => {
    await using place = await make()
    await using older = await serve({ database: place.url, add: [priced('number')] })
    const [nine, ten] = await addPosts(older.store, { meta: { price: 9 } }, { meta: { price: 10 } })
    const order = 'orderby=meta.price&order=asc'
    assert.equal(await ids(older, order), [nine, ten])
    await using newer = await serve({ database: place.url, add: [priced('string')] })
    for (let time = 1; time <= 2; time++) {
      assert.equal(await ids(newer, order), [ten, nine], `texts, time ${time}`)
      assert.equal(await ids(older, order), [nine, ten], `numbers, time ${time}`)
    }
    await older.kernel.services.meta.write('post', ten!, 'price', [100], new RequestCache())
    assert.equal(await ids(newer, 'meta[price]=100'), [ten])
    await newer.kernel.services.meta.write('post', ten!, 'price', [8], new RequestCache())
    assert.equal(await ids(older, order), [ten, nine])
    assert.equal(await ids(newer, order), [ten, nine])
  })

  together('write without deadlocks, in turn or not', async () => {
    await using place = await make()
    await using one = await serve({ database: place.url, add: [priced('number')] })
    await using two = await serve({ database: place.url, add: [priced('number')] })
    const posts = await addPosts(one.store, ...Array.from({ length: 4 }, () => ({ meta: { price: 1 } })))
    const price = (post: number, value: number) =>
      sql`update post_meta set value = ${String(value)} where post_id = ${post} and key = 'price'`
    const status = (post: number, round: number) =>
      sql`update posts set status = ${round % 2 === 0 ? 'draft' : 'publish'} where id = ${post}`
    const writers: ((site: Site, post: number, round: number) => Promise<unknown>)[] = [
      ({ store }, post, round) => store.run(price(post, round)),
      ({ store }, post, round) => store.run(status(post, round)),
      ({ store }, post, round) =>
        store.transaction(async (tx) => {
          await tx.run(status(post, round))
          await tx.run(price(post, round))
        }),
      ({ store }, post, round) => store.script(`update post_meta set value = '${round}' where post_id = ${post}`),
      ({ kernel }, post, round) => kernel.services.meta.write('post', post, 'price', [round], new RequestCache()),
    ]
    const work = writers.flatMap((write, at) =>
      [one, two].map(async (site) => {
        for (let round = 0; round < 12; round++) await write(site, posts[(at + round * 3) % posts.length]!, round)
      }),
    )
    const failures = (await Promise.allSettled(work)).flatMap((done) =>
      done.status === 'rejected' ? [done.reason] : [],
    )
    assert.equal(failures.map(String), [])
    assert.equal(await ids(one, 'meta[price][exists]=false'), [])
    const wrong = await one.store.all(sql`select posts.id from posts join post_meta on post_id = posts.id
      left join indexed_values on object = posts.id where indexed_values.status is null
      or indexed_values.status <> posts.status or number <> cast(value as double precision)`)
    assert.equal(wrong, [])
    assert.is(await queueLength(one.store), 0)
  })

  together('copy changes that another process makes to an object while its values are computed', async () => {
    await using place = await make()
    let pause: Promise<void> | undefined
    let paused = () => {}
    const slow = rated(async ({ id }: { id: number }) => {
      if (pause !== undefined) paused()
      await pause
      return id
    })
    await using one = await serve({ database: place.url, add: [slow] })
    // This process registers no fields, and takes no turns for them.
    await using two = await serve({ database: place.url })
    const [changed, deleted] = await addPosts(one.store, {}, {})
    assert.equal(await ids(one, 'orderby=field.rating&order=asc'), [changed, deleted])
    const { promise, resolve } = Promise.withResolvers<void>()
    const reached = new Promise<void>((then) => (paused = then))
    pause = promise
    const reindexing = one.kernel.services.extraFields.reindex('post', 'rating')
    await reached
    const written = Promise.all([
      two.store.run(sql`update posts set status = 'private' where id = ${changed}`),
      two.store.run(sql`delete from posts where id = ${deleted}`),
    ])
    // Both wait until the values are stored: for the single writer of a SQLite file, or for row locks.
    const locked = sql<{ n: number }>`select count(*) as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    if (name === 'PostgreSQL') await until(async () => (await one.store.first(locked))!.n > 0)
    resolve()
    await Promise.all([reindexing, written])
    pause = undefined
    const rows = await one.store.all(sql`select object, status from indexed_values`)
    assert.equal(rows, [{ object: changed, status: 'private' }])
  })

  together('index the objects that a killed process has left in the queue', async () => {
    await using place = await make()
    const rows = Array.from({ length: 1200 }, (_, at) => ({ slug: `p${at}`, status: 'publish' }))
    {
      await using first = await serve({ database: place.url })
      await first.store.run(first.store.db.insertInto('posts').values(rows))
    }
    {
      // The database as a killed process leaves it: part of the values indexed, the rest queued.
      await using half = await serve({ database: place.url, add: [rated(({ id }: { id: number }) => id)] })
      await ids(half, 'orderby=field.rating')
      await half.store.run(sql`delete from indexed_values where object > 700`)
      await half.store.run(
        sql`insert into index_queue (field, object) select f.id, p.id from posts p, indexed_fields f where p.id > 700`,
      )
      assert.ok((await queueLength(half.store)) > 0)
    }
    await using after = await serve({ database: place.url, add: [rated(({ id }: { id: number }) => id)] })
    const response = await after.get('/svc/v2/posts?field[rating][gt]=0&per_page=1')
    assert.is(response.headers.get('x-svc-total'), '1200')
    assert.is(await queueLength(after.store), 0)
  })

  together.run()
}
