import { connect, createServer, type AddressInfo } from 'node:net'
import { CompiledQuery, sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openStore } from '../../../../../plugins/storage/store/open.ts'
import type { SqlQuery, Store, StoreError } from '../../../../../plugins/storage/store/store.ts'
import { stores } from '../../../../helpers/stores.ts'
import { until } from '../../../../helpers/until.ts'

const kind = stores.find(({ name }) => name === 'PostgreSQL')
const test = suite('store on PostgreSQL')

if (kind) {
  test('recovers after its connections are lost', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const read = () => store.all(store.db.selectFrom('posts').select('id'))
    await read()
    const broken = store.transaction(async (tx) => {
      await tx.run(tx.db.insertInto('posts').values({ title: 'lost' }))
      await tx.run(sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()`)
    })
    const error = await broken.catch((reason: Error) => reason)
    assert.ok(error instanceof Error)
    // A statement can still be sent on a connection whose end is not noticed yet.
    await until(() =>
      read().then(
        (rows) => rows.length === 0,
        () => false,
      ),
    )
    await store.transaction(async (tx) => {
      await tx.run(tx.db.insertInto('posts').values({ title: 'kept' }))
    })
    assert.is((await read()).length, 1)
  })

  test('finds out the outcome of a transaction when the response to its commit is lost', async () => {
    await using opened = await kind.open()
    await using proxy = await proxyTo(opened.url)
    const store = await openStore(proxy.url)
    const add = (title: string) =>
      store.transaction((tx) => tx.run(tx.db.insertInto('posts').values({ title })).then(() => title))
    await add('before')
    // The server commits, but the response is lost.
    proxy.cutAt('commit', { after: true })
    assert.is(await add('kept'), 'kept')
    proxy.cutAt('commit', { after: false })
    assert.is(((await add('lost').catch((error: StoreError) => error)) as StoreError).code, 'STORE_UNAVAILABLE')
    await add('after')
    const rows = await store.all(store.db.selectFrom('posts').select('title').orderBy('id'))
    assert.equal(
      rows.map(({ title }) => title),
      ['before', 'kept', 'after'],
    )
    await store.close()
  })

  test('does not commit if a statement that was not awaited has failed', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const error = await store
      .transaction(async (tx) => {
        await tx.run(tx.db.insertInto('posts').values({ title: 'a' }))
        void tx.run(tx.db.insertInto('post_meta').values({ post_id: 99, key: 'k' })).catch(() => {})
      })
      .catch((reason: StoreError) => reason)
    assert.is((error as StoreError).code, 'STORE_TRANSACTION_FAILED')
    assert.equal(await store.all(store.db.selectFrom('posts').select('id')), [])
  })

  test('runs more concurrent transactions than it has connections', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        store.transaction(async (tx) => {
          await tx.run(tx.db.insertInto('posts').values({ title: `${index}` }))
          await store.all(store.db.selectFrom('posts').select('id'))
        }),
      ),
    )
    assert.is((await store.all(store.db.selectFrom('posts').select('id'))).length, 40)
  })

  test('recovers after a column is added to a table that it reads with select *', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const all = () => store.all(store.db.selectFrom('options').selectAll())
    await store.run(store.db.insertInto('options').values({ name: 'a', value: '1' }))
    await all()
    await store.run(sql`alter table options add column extra text`)
    await all().catch(() => {})
    assert.equal(await all(), [{ name: 'a', value: '1', extra: null }])
  })

  test('limits the prepared statements of a connection', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.transaction(async (tx) => {
      for (let i = 1; i <= 700; i++) {
        const ids = Array.from({ length: i }, (_, id) => id)
        await tx.all(tx.db.selectFrom('posts').select('id').where('id', 'in', ids))
      }
      const row = await tx.first(sql<{ count: number }>`select count(*) as count from pg_prepared_statements`)
      assert.ok(row!.count <= 301, `${row!.count} statements are prepared`)
    })
  })

  test('uses indexes to search texts and to sort lists', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.run(
      sql`insert into posts (type, status, title, content, date) select 'post', 'publish', 'title ' || n, md5(n::text) || repeat('x', 200), n::text from generate_series(1, 5000) as n`,
    )
    await store.run(sql`vacuum analyze posts`)
    const list = store.db.selectFrom('posts').select('id').where('type', '=', 'post').where('status', '=', 'publish')
    const search = await planOf(store, store.db.selectFrom('posts').select('id').where(store.searchPosts('title 4711')))
    assert.match(search, 'posts_title_text')
    assert.match(search, 'posts_content_text')
    await store.run(
      sql`insert into users (login, slug, name) select n::text, n::text, 'name ' || n from generate_series(1, 5000) as n`,
    )
    await store.run(sql`vacuum analyze users`)
    const users = store.db.selectFrom('users').select('id')
    const byTitle = list.orderBy(store.sortKey('posts.title'), 'desc').orderBy('id', 'desc').limit(10)
    const byName = users.orderBy(store.sortKey('users.name')).orderBy('id').limit(10)
    for (const [query, index] of [
      [byTitle, 'posts_by_title'],
      [byName, 'users_by_name'],
    ] as const) {
      const plan = await planOf(store, query)
      assert.match(plan, index)
      assert.not.match(plan, 'Sort')
    }
    assert.match(await planOf(store, list.orderBy('date', 'desc').orderBy('id', 'desc').limit(10)), /posts_(by|of_any)/)
  })

  test('updates the statistics of tables that a transaction at least doubles', async () => {
    await using opened = await kind.open()
    const analyzed = async (tx: Store) => {
      await tx.updateStatistics()
      const row = await tx.first(sql<{ rows: number }>`select reltuples as rows from pg_class where relname = 'posts'`)
      const columns = await tx.all(sql`select 1 as one from pg_stats where tablename = 'posts'`)
      return columns.length === 0 ? 0 : row!.rows
    }
    const results: number[] = []
    // On a new connection: one that has written before still counts those rows for about a second.
    const insertInOne = async (counts: readonly number[], result: 'commit' | 'rollback') => {
      const store = await openStore(opened.url)
      const transaction = store.transaction(async (tx) => {
        for (const count of counts) {
          await tx.run(sql`insert into posts (title) select n::text from generate_series(1, ${count}::int) as n`)
          results.push(await analyzed(tx))
        }
        if (result === 'rollback') throw new Error('Undo.')
      })
      await transaction.catch((error: Error) => assert.is(error.message, 'Undo.'))
      await store.close()
    }
    await insertInOne([600], 'rollback')
    // The number of rows remains after a rollback, the statistics of columns do not.
    await insertInOne([400, 100, 400, 100], 'commit')
    await insertInOne([900], 'commit')
    assert.equal(results, [600, 0, 500, 500, 1000, 1000])
  })

  test('reports why it cannot connect, without the password', async () => {
    await using opened = await kind.open()
    const url = new URL(opened.url)
    url.pathname = '/no_such_database'
    url.password = 'secret'
    const error = await openStore(url.href).catch((reason: Error) => reason)
    assert.match((error as Error).message, 'no_such_database')
    assert.not.match((error as Error).message, 'secret')
  })
}

test.run()

/** A proxy that cuts the connection when the client sends a word: after the server has processed it, or before. */
async function proxyTo(url: string) {
  const target = new URL(url)
  let cut: { word: string; after: boolean } | undefined
  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    let isCut = false
    client.on('data', (sent: Buffer) => {
      if (cut !== undefined && sent.includes(cut.word)) {
        const { after } = cut
        cut = undefined
        isCut = true
        // Wait for the server's response, so that PostgreSQL has received the statement.
        if (after) upstream.write(sent, () => upstream.once('data', () => client.destroy()))
        else client.destroy()
        return
      }
      upstream.write(sent)
    })
    upstream.on('data', (answered: Buffer) => void (isCut || client.write(answered)))
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String((proxy.address() as AddressInfo).port)
  return {
    url: through.href,
    cutAt: (word: string, { after }: { after: boolean }) => void (cut = { word, after }),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void proxy.close(() => resolve())),
  }
}

/** Returns PostgreSQL's plan of a query. */
async function planOf(store: Store, query: SqlQuery): Promise<string> {
  const { sql: text, parameters } = 'compile' in query ? query.compile(store.db) : query
  const rows = await store.all(CompiledQuery.raw(`explain ${text}`, [...parameters]))
  return (rows as Record<string, string>[]).map((row) => row['QUERY PLAN']).join('\n')
}
