import { sql } from 'kysely'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { as, serve, type Site, CONTENT_PLUGINS, startOnly } from '../../../helpers/site.ts'
import { emptyFilePlace, postgresPlace, type Place } from '../../../helpers/stores.ts'
import { until } from '../../../helpers/until.ts'

startOnly('store', ...CONTENT_PLUGINS)

const server = process.env['SVC_TEST_POSTGRES']
const databases: { name: string; make: () => Promise<Place> }[] = [
  { name: 'SQLite', make: emptyFilePlace },
  ...(server ? [{ name: 'PostgreSQL', make: () => postgresPlace(server) }] : []),
]

for (const { name, make } of databases) {
  const test = suite(`site with a failing database, ${name}`)

  test('executes concurrent writes, or refuses them with Retry-After', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, limits: { requestTimeout: 1500 } })
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => add(site, `post ${index}`)))
    const done = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status === 503)
    assert.is(done.length + refused.length, answers.length)
    assert.ok(done.length > 0)
    for (const { headers } of refused) assert.ok(Number(headers.get('retry-after')) > 0)
    assert.is(await posts(site), done.length)
  })

  test('refuses a write that waits for a lock before it times out, and writes nothing', async () => {
    await using place = await make()
    await using site = await serve({ database: place.url, limits: { requestTimeout: 600 } })
    await add(site, 'first')
    const release = await lock(place.url)
    const refused = await add(site, 'second')
    assert.is(refused.status, 503)
    assert.is(refused.body.code, 'rest_unavailable')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    // Reads are served.
    assert.is((await site.get('/svc/v2/posts')).status, 200)
    await release()
    assert.is(await posts(site), 1)
    await until(async () => (await add(site, 'third')).status === 201)
    assert.is(await posts(site), 2)
  })

  test.run()
}

const full = suite('site with a full disk')

full('responds with 507 to writes without space, and executes the others', async () => {
  await using place = await emptyFilePlace()
  await using site = await serve({ database: place.url })
  await add(site, 'small')
  const pages = (await site.store.first(sql<{ page_count: number }>`pragma page_count`))!.page_count
  // Limits the size of the database as a full disk would.
  await site.store.run(sql`pragma max_page_count = ${sql.raw(String(pages + 20))}`)
  const answers = await Promise.all([
    add(site, 'large', 'x '.repeat(500_000)),
    add(site, 'also small'),
    add(site, 'larger', 'y '.repeat(600_000)),
  ])
  assert.equal(
    answers.map(({ status, body }) => [status, body.code]),
    [
      [507, 'rest_storage_full'],
      [201, undefined],
      [507, 'rest_storage_full'],
    ],
  )
  assert.is(await posts(site), 2)
})

full.run()

const lost = suite('site without PostgreSQL')

if (server) {
  lost('serves or refuses requests while connections are cut, and recovers', async () => {
    await using place = await postgresPlace(server)
    await using site = await serve({ database: place.url, limits: { requestTimeout: 4000 } })
    let done = 0
    for (let round = 0; round < 5; round += 1) {
      const load = Array.from({ length: 20 }, async (_, index) => {
        if (index % 2 === 0) return { status: (await site.get('/svc/v2/posts')).status, body: null }
        const answer = await add(site, 'post')
        if (answer.status === 201) done += 1
        return answer
      })
      await cut(place.url)
      for (const { status, body } of await Promise.all(load)) {
        // The response can be lost right after the commit.
        const isLost = status === 500 && body?.code === 'rest_answer_lost'
        assert.ok([200, 201, 503].includes(status) || isLost, `${status} ${JSON.stringify(body)}`)
      }
    }
    await until(async () => (await add(site, 'after')).status === 201)
    assert.is((await site.get('/svc/v2/posts')).status, 200)
    assert.ok((await posts(site)) > done)
  })

  lost('refuses requests while the server refuses connections, and recovers', async () => {
    await using place = await postgresPlace(server)
    await using site = await serve({ database: place.url, limits: { requestTimeout: 4000 } })
    const { pathname } = new URL(place.url)
    await onServer(`alter database ${pathname.slice(1)} allow_connections false`)
    await cut(place.url)
    for (const answer of [await site.get('/svc/v2/posts'), await add(site, 'post')]) {
      assert.is(answer.status, 503)
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
    }
    await onServer(`alter database ${pathname.slice(1)} allow_connections true`)
    await until(async () => (await site.get('/svc/v2/posts')).status === 200)
    assert.is((await add(site, 'post')).status, 201)
    assert.is(await posts(site), 1)
  })
}

lost.run()

// oxlint-disable-next-line typescript/no-explicit-any -- the tests check it
async function add(site: Site, title: string, content = ''): Promise<{ status: number; headers: Headers; body: any }> {
  const response = await site.request('/svc/v2/posts', {
    method: 'POST',
    headers: { ...as('administrator'), 'content-type': 'application/json' },
    body: JSON.stringify({ title, content, status: 'publish' }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

async function posts({ store }: Site): Promise<number> {
  return (await store.first(sql<{ total: number }>`select count(*) as total from posts where type = 'post'`))!.total
}

/** Locks the database for writing from another connection; returns a function that ends the lock. */
async function lock(url: string): Promise<() => Promise<void>> {
  if (url.startsWith('sqlite:')) {
    const other = new DatabaseSync(url.slice('sqlite:'.length))
    other.exec('begin immediate')
    return async () => other.close()
  }
  const other = new pg.Client(url)
  await other.connect()
  await other.query('begin; lock table posts in exclusive mode')
  return () => other.end()
}

/** Terminates all other connections to a database. */
async function cut(url: string): Promise<void> {
  const { pathname } = new URL(url)
  await onServer(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${pathname.slice(1)}' and pid <> pg_backend_pid()`,
  )
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(server)
  await client.connect()
  await client.query(statement)
  await client.end()
}
