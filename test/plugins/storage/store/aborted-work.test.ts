import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runWork, Work } from '../../../../kernel/index.ts'
import { openStore } from '../../../../plugins/storage/store/open.ts'
import type { Store } from '../../../../plugins/storage/store/store.ts'
import { postgresPlace, stores } from '../../../helpers/stores.ts'
import { until } from '../../../helpers/until.ts'

const clientGone = new Error('the client has gone')

for (const kind of stores) {
  const test = suite(`aborted work on ${kind.name}`)

  test('begins nothing and commits nothing', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const before = new Work()
    before.abort(clientGone)
    let began = false
    const begin = async () => {
      began = true
    }
    assert.is(await reasonOf(before, () => store.transaction(begin)), clientGone)
    assert.is(await reasonOf(before, () => store.inTurn(begin)), clientGone)
    assert.is(await reasonOf(before, () => add(store, 'a')), clientGone)
    assert.is(await reasonOf(before, () => titles(store)), clientGone)
    const late = new Work()
    const reason = reasonOf(late, () =>
      store.transaction(async (tx) => {
        await tx.transaction((inner) => add(inner, 'b'))
        late.abort(clientGone)
      }),
    )
    assert.is(await reason, clientGone)
    assert.is(began, false)
    assert.equal([before.committed, late.committed], [false, false])
    assert.equal(await titles(store), [])
  })

  test('is recorded as committed only for writes that succeed', async () => {
    await using opened = await kind.open()
    const { store } = opened
    for (const write of [
      () => add(store, 'a'),
      () => store.transaction((tx) => add(tx, 'b')),
      () => store.transaction((tx) => tx.transaction((inner) => add(inner, 'c'))),
    ]) {
      const work = new Work()
      await runWork(work, write)
      assert.is(work.committed, true)
    }
    const reader = new Work()
    assert.is((await runWork(reader, () => titles(store))).length, 3)
    await runWork(reader, () => store.transaction(() => Promise.reject(new Error('no')))).catch(() => {})
    assert.is(reader.committed, false)
  })

  test('releases its connection even if it waits forever, and is rolled back', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const work = new Work()
    const inside = Promise.withResolvers<void>()
    const never = new Promise<void>(() => {})
    const stuck = reasonOf(work, () =>
      store.inTurn(async (tx) => {
        await add(tx, 'stuck')
        await tx.transaction(async (inner) => {
          await add(inner, 'deeper')
          inside.resolve()
          await never
        })
      }),
    )
    await inside.promise
    const next = store.inTurn((tx) => add(tx, 'next'))
    work.abort(clientGone)
    assert.is(await stuck, clientGone)
    await next
    assert.equal(await titles(store), ['next'])
  })

  test('leaves the queue, and the next caller gets its turn', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const release = Promise.withResolvers<void>()
    const first = store.inTurn(() => release.promise)
    const work = new Work()
    let began = false
    const second = reasonOf(work, () => store.inTurn(async () => void (began = true)))
    const third = store.inTurn((tx) => add(tx, 'third'))
    work.abort(clientGone)
    assert.is(await second, clientGone)
    release.resolve()
    await Promise.all([first, third])
    assert.is(began, false)
    assert.equal(await titles(store), ['third'])
  })

  test('does not fail a total that other requests wait for', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await add(store, 'a')
    const { db } = store
    const count = db
      .selectFrom('posts')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .compile()
    const work = new Work()
    const first = reasonOf(work, () => store.total(count))
    const others = [store.total(count), store.total(count)]
    work.abort(clientGone)
    assert.equal(await Promise.all(others), [1, 1])
    await first
  })

  test.run()
}

const server = process.env['SVC_TEST_POSTGRES']
const postgres = suite('aborted statements on PostgreSQL')

if (server) {
  /** Opens a store, and a second connection that observes its server. */
  const openObserved = async (time = 60_000) => {
    const place = await postgresPlace(server)
    const [store, observer] = [await openStore(place.url, { time }), await openStore(place.url)]
    return {
      store,
      running: async (text: string) =>
        (await observer.first(
          sql<{ n: number }>`select count(*) as n from pg_stat_activity
            where datname = current_database() and state = 'active' and query like ${`%${text}%`}
            and pid <> pg_backend_pid()`,
        ))!.n,
      [Symbol.asyncDispose]: async () => {
        await Promise.all([store.close(), observer.close()])
        await place[Symbol.asyncDispose]()
      },
    }
  }

  postgres('are cancelled, alone or in a transaction, without affecting others', async () => {
    await using opened = await openObserved()
    const { store, running } = opened
    const sleep = sql`select pg_sleep(600), 'long one'`
    for (const run of [
      () => store.first(sleep),
      () => store.transaction((tx) => tx.first(sleep)),
      () => store.transaction((tx) => tx.transaction((inner) => inner.first(sleep))),
    ]) {
      const work = new Work()
      const reason = reasonOf(work, run)
      await until(async () => (await running('long one')) === 1)
      const others = Array.from({ length: 30 }, (_, index) =>
        store.first(sql<{ n: number }>`select ${index}::int as n`),
      )
      const written = store.transaction((tx) => add(tx, 'other'))
      work.abort(clientGone)
      const more = Array.from({ length: 30 }, (_, index) => store.first(sql<{ n: number }>`select ${index}::int as n`))
      assert.is(await reason, clientGone)
      await until(async () => (await running('long one')) === 0)
      for (const answers of [others, more]) {
        assert.equal(
          (await Promise.all(answers)).map((row) => row?.n),
          Array.from({ length: 30 }, (_, index) => index),
        )
      }
      await written
    }
    assert.is((await titles(store)).length, 3)
  })

  postgres('block no writes, and can be cancelled while they use all reading connections', async () => {
    await using opened = await openObserved()
    const { store, running } = opened
    const work = new Work()
    const slow = Array.from({ length: 40 }, (_, index) =>
      reasonOf(work, () => store.first(sql`select pg_sleep(600), 'slow search', ${index}::int`)),
    )
    await until(async () => (await running('slow search')) > 1)
    await store.transaction(async (tx) => {
      await add(tx, 'written')
      assert.equal(await titles(tx), ['written'])
    })
    work.abort(clientGone)
    assert.ok((await Promise.all(slow)).every((reason) => reason === clientGone))
    await until(async () => (await running('slow search')) === 0)
    assert.equal(await titles(store), ['written'])
  })

  postgres('are not sent if they are aborted in the queue', async () => {
    await using opened = await openObserved()
    const { store, running } = opened
    await store.run(sql`create sequence sent`)
    const sent = async () => (await store.first(sql<{ n: number }>`select last_value as n from sent`))!.n
    const work = new Work()
    const reads = Array.from({ length: 200 }, () =>
      reasonOf(work, () => store.first(sql`select nextval('sent'), pg_sleep(0.5)`)),
    )
    await until(async () => (await running('pg_sleep(0.5)')) > 0)
    work.abort(clientGone)
    assert.ok((await Promise.all(reads)).every((reason) => reason === clientGone))
    assert.ok((await sent()) < 100, 'few of them were sent')
    // The connections are available again.
    const others = Array.from({ length: 50 }, () => store.first(sql`select nextval('sent')`))
    await Promise.all(others)
    assert.ok((await sent()) >= 50)
  })

  postgres('end at the time limit if they are not aborted', async () => {
    await using opened = await openObserved(100)
    const { store } = opened
    for (const run of [
      () => store.first(sql`select pg_sleep(600)`),
      () => store.run(sql`insert into options (name, value) select 'a', pg_sleep(600)::text`),
      () => store.transaction((tx) => tx.first(sql`select pg_sleep(600)`)),
    ]) {
      const error = (await run().catch((reason: Error) => reason)) as Error & { code?: string; outage?: string }
      assert.equal([error.code, error.outage], ['STORE_UNAVAILABLE', 'unavailable'])
    }
    assert.equal(await titles(store), [])
  })
}

postgres.run()

/** Returns the error of `act` within a work. */
async function reasonOf(work: Work, act: () => Promise<unknown>): Promise<unknown> {
  return await runWork(work, act).then(
    () => 'did not fail',
    (error: unknown) => error,
  )
}

async function add(store: Store, title: string): Promise<void> {
  await store.run(store.db.insertInto('posts').values({ title }))
}

async function titles(store: Store): Promise<string[]> {
  const rows = await store.all(store.db.selectFrom('posts').select('title').orderBy('id'))
  return rows.map((row) => row.title)
}
