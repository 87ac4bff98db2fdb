import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { CompiledQuery, sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openStore } from '../../../../../plugins/storage/store/open.ts'
import type { SqlQuery, Statement, Store } from '../../../../../plugins/storage/store/store.ts'
import { indexed } from '../../../../helpers/content.ts'
import { emptyFilePlace, stores } from '../../../../helpers/stores.ts'
import { until } from '../../../../helpers/until.ts'

const file = stores.find((kind) => kind.name === 'SQLite file')!
const test = suite('store on SQLite')

test('creates the folder of the file', async () => {
  await using place = await emptyFilePlace()
  const path = join(dirname(place.url.slice('sqlite:'.length)), 'data', 'deep', 'site.db')
  const store = await openStore(`sqlite:${path}`)
  await store.close()
  await access(path)
})

test('leaves only the database file after it is closed', async () => {
  await using place = await emptyFilePlace()
  const path = place.url.slice('sqlite:'.length)
  const store = await openStore(place.url)
  await store.run(store.db.insertInto('posts').values({ title: 'a' }))
  await access(`${path}-wal`)
  await store.close()
  const left = await access(`${path}-wal`).then(
    () => true,
    () => false,
  )
  assert.is(left, false)
})

test('reads while a transaction is open, without waiting for it', async () => {
  await using opened = await file.open()
  const { store } = opened
  let open = true
  const release = Promise.withResolvers<void>()
  const transaction = store
    .transaction(async (tx) => {
      await tx.run(tx.db.insertInto('posts').values({ title: 'a' }))
      await release.promise
    })
    .then(() => (open = false))
  assert.equal(await store.all(store.db.selectFrom('posts').select('id')), [])
  assert.is(open, true)
  release.resolve()
  await transaction
})

test('waits for another writing process, and reports the statement once', async () => {
  await using opened = await file.open()
  const { store, url } = opened
  const other = new DatabaseSync(url.slice('sqlite:'.length))
  other.exec('begin immediate')
  const log: Statement[] = []
  store.onStatement((statement) => log.push(statement))
  const write = store.run(store.db.insertInto('posts').values({ title: 'a' }))
  const transaction = store.transaction((tx) => tx.run(tx.db.insertInto('posts').values({ title: 'b' })))
  let ticks = 0
  const timer = setInterval(() => ticks++, 5)
  // The event loop is not blocked.
  await until(() => ticks > 5)
  other.exec('rollback')
  other.close()
  assert.equal(await write, { changes: 1 })
  assert.equal(await transaction, { changes: 1 })
  clearInterval(timer)
  assert.is(log.length, 2)
})

test('indexes texts in the background, and finds the same posts before and after', async () => {
  await using opened = await file.open()
  const { store } = opened
  const texts = [
    'Große ÄPFEL',
    'plain Apples and pears',
    'ΟΔΟΣ',
    '100% "quoted" (x) and-or NOT',
    '東京タワー',
    'İstanbul',
  ]
  for (const title of texts)
    await store.run(store.db.insertInto('posts').values({ title, excerpt: 'short', content: title }))
  for (let i = 0; i < 100; i++) await store.run(store.db.insertInto('posts').values({ title: `filler ${i}` }))
  await store.run(store.db.updateTable('posts').set({ title: 'replaced' }).where('title', '=', 'filler 98'))
  await store.run(store.db.deleteFrom('posts').where('title', '=', 'filler 99'))
  const expected: [text: string, count: number][] = [
    ['äpfel', 1],
    ['APPLES', 1],
    ['apples and pears', 1],
    ['οδοσ', 1],
    ['ΟΔΟς', 1],
    ['0% "quo', 1],
    ['(x) AND-or not', 1],
    ['" OR *', 0],
    ['東京タ', 1],
    ['東京', 1],
    ['İstanbul', 1],
    ['short', 6],
    ['ort', 6],
    ['filler', 98],
    ['filler 98', 0],
    ['replaced', 1],
    ['sho pears', 0],
    ['x'.repeat(500), 0],
  ]
  const count = async () => {
    const counts: [text: string, count: number][] = []
    for (const [text] of expected) {
      counts.push([
        text,
        (await store.all(store.db.selectFrom('posts').select('id').where(store.searchPosts(text)))).length,
      ])
    }
    return counts
  }
  assert.equal(await count(), expected)
  await indexed(store)
  assert.equal(await count(), expected)
  await store.run(store.db.updateTable('posts').set({ content: 'other', title: '' }).where('id', '=', 1))
  await store.run(store.db.deleteFrom('posts').where('id', '=', 2))
  await indexed(store)
  const after = await count()
  assert.equal(after.slice(0, 3), [
    ['äpfel', 0],
    ['APPLES', 0],
    ['apples and pears', 0],
  ])
})

test('leaves unindexed texts to the next process if it closes first', async () => {
  await using place = await emptyFilePlace()
  const first = await openStore(place.url)
  await first.run(first.db.insertInto('posts').values({ title: 'left over' }))
  await first.close()
  const second = await openStore(place.url)
  await indexed(second)
  assert.equal(await second.all(second.db.selectFrom('posts').select('id').where(second.searchPosts('LEFT'))), [
    { id: 1 },
  ])
  await second.close()
})

test('replaces a row that is in the text index', async () => {
  await using opened = await file.open()
  const { store } = opened
  await store.run(store.db.insertInto('posts').values({ id: 1, title: 'before' }))
  await indexed(store)
  await store.run(store.db.replaceInto('posts').values({ id: 1, title: 'after' }))
  const found = (text: string) => store.all(store.db.selectFrom('posts').select('id').where(store.searchPosts(text)))
  assert.equal([await found('before'), await found('after')], [[], [{ id: 1 }]])
  await indexed(store)
  assert.equal([await found('before'), await found('after')], [[], [{ id: 1 }]])
})

test('uses indexes to sort lists of posts and to find single posts', async () => {
  await using opened = await file.open()
  const { store } = opened
  const list = store.db.selectFrom('posts').select('id').where('type', '=', 'post').where('status', 'in', ['publish'])
  const title = store.sortKey('posts.title')
  for (const order of ['date', 'modified', title, 'slug', 'parent_id', 'menu_order'] as const) {
    const plan = await planOf(store, list.orderBy(order, 'desc').orderBy('id', 'desc').limit(10))
    assert.match(plan, /^SEARCH posts USING (COVERING )?INDEX \w+ \(type=\? AND status=\?\)$/)
  }
  const dated = list.orderBy('date', 'desc').orderBy('id', 'desc').limit(10)
  const plans: [query: SqlQuery, plan: string][] = [
    [list.orderBy('id').limit(10), 'posts_by_id'],
    [dated.where('author_id', 'in', [3]), 'posts_by_author (type=? AND status=? AND author_id=?)'],
    [dated.where('date', '>', '2020-01-01 00:00:00'), 'posts_by_date (type=? AND status=? AND date>?)'],
    [dated.where('slug', 'in', ['a']), 'slug=?'],
    [dated.where('parent_id', 'in', [3]), 'posts_of_parent (parent_id=? AND type=?)'],
    [dated.where('id', 'in', [1, 2]), 'USING INTEGER PRIMARY KEY (rowid=?)'],
    [dated.where(store.searchPosts('text')), 'USING INTEGER PRIMARY KEY (rowid=?)'],
  ]
  for (const [query, plan] of plans) assert.match(await planOf(store, query), plan)
})

test('uses indexes to sort lists of terms, comments and users', async () => {
  await using opened = await file.open()
  const { store } = opened
  const terms = store.db.selectFrom('terms').select('id').where('taxonomy', '=', 'category').limit(10)
  const comments = store.db.selectFrom('comments').select('id').where('approved', '=', '1').limit(10)
  const users = store.db.selectFrom('users').select('id').limit(10)
  const queries: SqlQuery[] = [
    ...(['name', 'slug', 'count', 'id'] as const).map((order) => terms.orderBy(order)),
    terms.where('parent_id', '=', 3).orderBy('name'),
    ...(['date', 'date_gmt'] as const).map((order) => comments.orderBy(order, 'desc').orderBy('id', 'desc')),
    comments.where('post_id', '=', 3).orderBy('date_gmt').orderBy('id'),
    comments.where('parent_id', '=', 3).orderBy('date_gmt').orderBy('id'),
    comments.where('author_id', '=', 3).orderBy('date_gmt').orderBy('id'),
    comments.where('type', '=', 'comment').orderBy('date_gmt').orderBy('id'),
    store.db.selectFrom('comments').select('id').orderBy('date_gmt').limit(10),
    ...(['registered', 'slug', 'login', 'email', 'id'] as const).map((order) => users.orderBy(order)),
    users.orderBy(store.sortKey('users.name')).orderBy('id'),
    users.where('login', '=', 'a'),
    users.where('email', '=', 'a'),
    store.db.selectFrom('post_meta').select('value').where('post_id', '=', 1).where('key', '=', 'k').orderBy('id'),
    store.db
      .selectFrom('post_meta')
      .select('post_id')
      .where('key', '=', 'k')
      .where(sql`substr(value, 1, 100)`, '=', 'v'),
    store.db
      .selectFrom('term_relationships')
      .select('post_id')
      .where('term_id', '=', 1)
      .where('post_type', '=', 'post')
      .where('post_status', '=', 'publish')
      .orderBy('post_date', 'desc')
      .orderBy('post_id', 'desc'),
    store.db.selectFrom('sessions').select('id').where('expires', '<', 1),
  ]
  for (const query of queries) {
    const plan = await planOf(store, query)
    assert.match(plan, /INDEX|PRIMARY KEY|^SCAN users$/)
    assert.not.match(plan, 'TEMP B-TREE')
  }
})

test('writes a nearly empty file without the log, and restores the log afterwards', async () => {
  await using opened = await file.open()
  const { store } = opened
  const add = (title: string) => store.run(store.db.insertInto('posts').values({ title }))
  const before = await pragmas(store)
  await store.bulk(() =>
    store.transaction(async () => {
      assert.is((await pragmas(store)).journal_mode, 'delete')
      await add('a')
    }),
  )
  assert.equal(await pragmas(store), before)
  assert.is(before.journal_mode, 'wal')
  const failed = store.bulk(() =>
    store.transaction(async () => {
      await add('b')
      throw new Error('no')
    }),
  )
  assert.is(await failed.catch((error: Error) => error.message), 'no')
  assert.equal(await pragmas(store), before)
  await add('c')
  assert.equal(await store.all(store.db.selectFrom('posts').select('title')), [{ title: 'a' }, { title: 'c' }])
})

test('keeps the log if the file is larger or another process has it open', async () => {
  await using opened = await file.open()
  const { store } = opened
  const other = await openStore(opened.url)
  const add = (tx: Store, length: number) =>
    tx.run(tx.db.insertInto('posts').values({ title: 'x', content: 'x'.repeat(length) }))
  const mode = () =>
    store.bulk(() =>
      store.transaction(async (tx) => {
        await add(tx, 5_000_000)
        await other.all(other.db.selectFrom('posts').select('id'))
        return (await pragmas(tx)).journal_mode
      }),
    )
  assert.is(await mode(), 'wal')
  assert.is((await other.all(other.db.selectFrom('posts').select('id'))).length, 1)
  await other.close()
  assert.is(await store.bulk(async () => (await pragmas(store)).journal_mode), 'wal')
})

test('is unchanged after a process dies during a bulk write', async () => {
  await using place = await emptyFilePlace()
  const store = await openStore(place.url)
  await store.run(store.db.insertInto('posts').values({ title: 'kept' }))
  await store.close()
  const code = `
    import { openStore } from ${JSON.stringify(new URL('../../../../../plugins/storage/store/open.ts', import.meta.url).href)}
    const store = await openStore(${JSON.stringify(place.url)})
    const content = 'x'.repeat(1_000_000)
    await store.bulk(() => store.transaction(async (tx) => {
      for (let i = 0; i < 150; i++) await tx.run(tx.db.insertInto('posts').values({ title: 'lost', content }))
      process.kill(process.pid, 'SIGKILL')
    }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' })
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  assert.is(signal, 'SIGKILL')
  const after = await openStore(place.url)
  assert.equal(await after.all(after.db.selectFrom('posts').select('title')), [{ title: 'kept' }])
  assert.equal(await after.all(sql`pragma integrity_check`), [{ integrity_check: 'ok' }])
  assert.is((await pragmas(after)).journal_mode, 'wal')
  await after.close()
})

test('has planner statistics of existing indexes only', async () => {
  await using opened = await file.open()
  const { store } = opened
  const facts = await store.all(sql<{ idx: string }>`select idx from sqlite_stat1`)
  const schema = await store.all(sql<{ name: string }>`select name from sqlite_schema`)
  const names = new Set(schema.map((row) => row.name))
  assert.ok(facts.length > 0)
  assert.equal(
    facts.map((fact) => fact.idx).filter((name) => !names.has(name)),
    [],
  )
})

test.run()

/** Returns the settings of the connection. */
async function pragmas(store: Store): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  for (const name of ['journal_mode', 'cache_size', 'temp_store', 'synchronous']) {
    Object.assign(values, await store.first(sql<Record<string, unknown>>`pragma ${sql.raw(name)}`))
  }
  return values
}

/** Returns SQLite's plan of a query. */
async function planOf(store: Store, query: SqlQuery): Promise<string> {
  const { sql: text, parameters } = 'compile' in query ? query.compile(store.db) : query
  const rows = await store.all(CompiledQuery.raw(`explain query plan ${text}`, [...parameters]))
  return (rows as { detail: string }[]).map((row) => row.detail).join(' | ')
}
