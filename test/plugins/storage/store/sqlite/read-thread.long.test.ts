import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, runWork, Work } from '../../../../../kernel/index.ts'
import { openStore } from '../../../../../plugins/storage/store/open.ts'
import type { Statement, Store, StoreError } from '../../../../../plugins/storage/store/store.ts'
import { addPosts } from '../../../../helpers/content.ts'
import { serve } from '../../../../helpers/site.ts'
import { emptyFilePlace, stores } from '../../../../helpers/stores.ts'
import { until } from '../../../../helpers/until.ts'

// SQLite executes a statement without yielding. Searches run in a thread, so that other requests are served in the
// meantime and a search can be stopped. Endless searches make the order of events independent of the speed of the
// machine.

const test = suite('reads in the SQLite thread')
const disconnect = new Error('the client has gone')
const file = stores.find(({ name }) => name === 'SQLite file')!
const memory = stores.find(({ name }) => name === 'SQLite memory')!

/** Searches a number of rows. */
const search = (rows: number) => sql<{ n: number }>`select count(*) as n from (
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows}) select n from numbers
) where text_contains(n, 'x')`
const endless = sql<{ n: number }>`select n from (
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers) select n from numbers
) where text_contains(n, 'x')`
/** A search that ends immediately. */
const short = sql<{ n: number }>`select 1 as n where text_contains('x', 'x')`

test('do not block other statements', async () => {
  await using opened = await file.open()
  const { store } = opened
  const work = new Work()
  const searches = [reasonOf(work, () => store.all(endless)), reasonOf(work, () => store.all(endless))]
  let ended = false
  void Promise.race(searches).then(() => (ended = true))
  await addPosts(store, { title: 'During the search' })
  await store.transaction(async (tx) => assert.equal(await titles(tx), ['During the search']))
  assert.equal(await titles(store), ['During the search'])
  assert.is(ended, false)
  work.abort(disconnect)
  assert.equal(await Promise.all(searches), [disconnect, disconnect])
  assert.equal(await store.all(short), [{ n: 1 }])
})

test('run in a process with V8 flags', async () => {
  await using place = await emptyFilePlace()
  const program = fileURLToPath(new URL('../../../../fixtures/slow-reads.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=300', program, place.url])
  assert.is(stdout, 'counted 299999, counted 299999\n')
})

test('are stopped at their time limit, and later reads are executed', async () => {
  await using place = await emptyFilePlace()
  const store = await openStore(place.url, { time: 1000 })
  for (const read of [() => store.all(endless), () => store.first(endless)]) {
    const { code, outage } = await errorOf(read())
    assert.equal([code, outage], ['STORE_UNAVAILABLE', 'unavailable'])
  }
  assert.equal(await store.all(short), [{ n: 1 }])
  await store.close()
})

test('run in the order of their calls, and fail if too many are queued', async () => {
  await using opened = await file.open()
  const { store } = opened
  const work = new Work()
  const running = reasonOf(work, () => store.all(endless))
  const order: number[] = []
  const waiting = Array.from({ length: 100 }, async (_, index) => {
    await store.all(short)
    order.push(index)
  })
  const excess = new Work()
  const { code, outage } = await errorOf(runWork(excess, () => store.all(short)))
  assert.equal([code, outage], ['STORE_BUSY', 'busy'])
  assert.equal(order, [])
  work.abort(disconnect)
  assert.is(await running, disconnect)
  await Promise.all(waiting)
  assert.equal(
    order,
    Array.from({ length: 100 }, (_, index) => index),
  )
})

test('include counts and far pages of a large file', async () => {
  await using opened = await file.open()
  const { store } = opened
  const rows = sql`(with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1000000)
    select n from numbers)`
  const count = sql<{ n: number }>`select count(*) as n from ${rows}`
  const page = (offset: number) => sql<{ n: number }>`select n from ${rows} limit 1 offset ${offset}`
  const orderOf = async (query: typeof count) => {
    const order: string[] = []
    await Promise.all([
      store.first(query).then((row) => order.push(`slow ${row?.n}`)),
      new Promise(setImmediate).then(() => titles(store)).then(() => order.push('other')),
    ])
    return order
  }
  assert.equal(await orderOf(count), ['slow 1000000', 'other'])
  await store.run(sql`insert into options (name, value) values ('large', ${'x'.repeat(40_000_000)})`)
  assert.equal(await orderOf(count), ['other', 'slow 1000000'])
  assert.equal(await orderOf(page(900_000)), ['other', 'slow 900001'])
  assert.equal(await orderOf(page(1)), ['slow 2', 'other'])
})

test('see all earlier writes, of this process and of others', async () => {
  await using opened = await file.open()
  const { store, url } = opened
  const other = await openStore(url)
  const found = async (text: string) =>
    (await store.all(store.db.selectFrom('posts').select('id').where(store.searchPosts(text)))).length
  for (let round = 0; round < 20; round += 1) {
    await addPosts(round % 2 === 0 ? store : other, { title: `Round ${round}.` })
    assert.is(await found(`round ${round}.`), 1)
    const total = store.db
      .selectFrom('posts')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where(store.searchPosts('round'))
    if (round % 2 === 0) assert.is(await store.total(total.compile()), round + 1)
  }
  await other.close()
})

test('find the same rows as on the main thread', async () => {
  await using onThread = await file.open()
  await using onMainThread = await memory.open()
  const words = ['Äpfel', 'apples', 'ΟΔΟΣ', '100%', 'a_b', '東京タワー', "O'Neil", '"quoted"', 'x', '']
  const texts = words.flatMap((word, index) => words.slice(index).map((other) => `${word} ${other}`))
  for (const { store } of [onThread, onMainThread]) {
    await addPosts(store, ...texts.map((title, index) => ({ title, content: texts.at(-index - 1)!, excerpt: title })))
  }
  const readAll = async ({ store }: { store: Store }, text: string) => {
    const of = store.db.selectFrom('posts').orderBy('id')
    return [
      await store.all(of.select(['id', 'title']).where(store.searchPosts(text))),
      await store.all(of.selectAll().where(store.contains('title', text)).limit(3)),
      (await store.first(of.select(['id', 'password']).where(store.contains('content', text)))) ?? null,
    ]
  }
  const part = fc
    .tuple(fc.constantFrom(...texts), fc.nat(12), fc.nat(6))
    .map(([text, start, length]) => text.slice(start, start + length))
  await fc.assert(
    fc.asyncProperty(fc.oneof(part, fc.string({ maxLength: 3 })), async (text) => {
      assert.equal(await readAll(onThread, text), await readAll(onMainThread, text))
    }),
    { numRuns: 60 },
  )
})

test('return the values and the errors of the main thread', async () => {
  await using onThread = await file.open()
  await using onMainThread = await memory.open()
  const condition = sql`where text_contains('x', 'x')`
  for (const query of [
    sql`select 1 as n, 1.5 as r, 9007199254740991 as big, null as nothing, 'ä' as text, x'00ff' as bytes ${condition}`,
    sql`select ${5} || '' as five, ${1.5} as half, ${null} as nothing ${condition}`,
    sql`select 9223372036854775807 as n ${condition}`,
    sql`select missing from posts ${condition}`,
    sql`select id from posts_text where posts_text match 'a AND'`,
    sql`select * from posts where id = 0 and text_contains(title, 'x')`,
  ]) {
    const [one, other] = await Promise.all(
      [onThread, onMainThread].map(({ store }) =>
        Promise.all([store.all(query), store.first(query)]).then(
          (rows) => ({ rows }),
          ({ message, code, errcode }: Error & { code?: string; errcode?: number }) => ({ message, code, errcode }),
        ),
      ),
    )
    assert.equal(one, other)
  }
})

test('are reported as one statement each, even if they are stopped', async () => {
  await using opened = await file.open()
  const { store } = opened
  const log: Statement[] = []
  store.onStatement((statement) => log.push(statement))
  const work = new Work()
  const stopped = reasonOf(work, () => store.all(endless))
  const next = store.all(short)
  work.abort(disconnect)
  await Promise.all([stopped, next])
  assert.is(log.length, 2)
})

test('end before the store closes the file', async () => {
  await using place = await emptyFilePlace()
  const store = await openStore(place.url)
  const counted = store.first(search(100_000))
  const stopped = new Work()
  const reason = reasonOf(stopped, () => store.all(endless))
  const closed = store.close()
  stopped.abort(disconnect)
  await closed
  assert.equal([await counted, await reason], [{ n: 0 }, disconnect])
  assert.is((await errorOf(store.all(short))).code, 'STORE_CLOSED')
  assert.is(existsSync(`${pathOf(place.url)}-wal`), false)
})

test('end before a bulk write that bypasses the log', async () => {
  await using opened = await file.open()
  const { store, url } = opened
  await store.all(short)
  const counted = store.first(search(100_000))
  await store.bulk(async () => {
    assert.is(existsSync(`${pathOf(url)}-wal`), false)
    assert.equal(await store.all(short), [{ n: 1 }])
  })
  assert.equal(await counted, { n: 0 })
  assert.equal(await store.all(short), [{ n: 1 }])
})

test('do not block other HTTP requests, and end when the client disconnects', async () => {
  await using place = await emptyFilePlace()
  const searching = definePlugin({
    name: 'searching',
    needs: ['store'],
    apply({ hooks, services }) {
      const callback = () => services.store.all(endless)
      hooks.rest_api_init.tap('searching', (rest) => {
        rest.registerRoute('test/v1', '/search', { methods: 'GET', callback, permission_callback: () => true })
      })
    },
  })
  await using site = await serve({ database: place.url, add: [searching], limits: { requestTimeout: 600_000 } })
  await addPosts(site.store, { title: 'Findable' })
  const clients = Array.from({ length: 3 }, () => new AbortController())
  let answeredCount = 0
  const answers = clients.map(({ signal }) =>
    site.request('/test/v1/search', { signal }).then(
      () => (answeredCount += 1),
      () => 'gone',
    ),
  )
  let startedCount = 0
  site.store.onStatement(({ sql: text }) => (startedCount += Number(text.includes('recursive'))))
  await until(async () => {
    assert.is((await site.get('/svc/v2/posts')).status, 200)
    return startedCount === 3
  })
  assert.is(answeredCount, 0)
  for (const client of clients) client.abort()
  assert.equal(await Promise.all(answers), ['gone', 'gone', 'gone'])
  const found = await (await site.get('/svc/v2/posts?search=findable&_fields=id')).json()
  assert.is((found as unknown[]).length, 1)
})

test.run()

function pathOf(url: string): string {
  return url.slice('sqlite:'.length)
}

/** Returns the error of `act` within a work. */
async function reasonOf(work: Work, act: () => Promise<unknown>): Promise<unknown> {
  return await errorOf(runWork(work, act))
}

async function errorOf(promise: Promise<unknown>): Promise<StoreError> {
  return (await promise.then(
    () => new Error('did not fail'),
    (error: unknown) => error,
  )) as StoreError
}

async function titles(store: Store): Promise<string[]> {
  const rows = await store.all(store.db.selectFrom('posts').select('title').orderBy('id'))
  return rows.map((row) => row.title)
}
