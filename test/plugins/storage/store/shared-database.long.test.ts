import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { currentVersion } from '../../../../plugins/storage/store/migrations/migrate.ts'
import { openStore } from '../../../../plugins/storage/store/open.ts'
import type { Store, StoreError } from '../../../../plugins/storage/store/store.ts'
import { emptyFilePlace, type Place, emptyPostgresPlace } from '../../../helpers/stores.ts'

const server = process.env.SVC_TEST_POSTGRES
const places: { name: string; place: () => Promise<Place> }[] = [
  { name: 'SQLite file', place: emptyFilePlace },
  ...(server ? [{ name: 'PostgreSQL', place: () => emptyPostgresPlace(server) }] : []),
]

for (const { name, place } of places) {
  const test = suite(`store shared by processes, ${name}`)

  test('finds the data of an earlier store', async () => {
    await using database = await place()
    const first = await openStore(database.url)
    await addPost(first, 'kept')
    await first.close()
    const second = await openStore(database.url)
    assert.equal(await titles(second), ['kept'])
    assert.equal(await second.all(second.db.selectFrom('posts').select('id').where(second.searchPosts('kept'))), [
      { id: 1 },
    ])
    await second.close()
  })

  test('creates its tables once if processes start at the same time', async () => {
    await using database = await place()
    const exits = await Promise.all([1, 2, 3].map(() => child(database.url, 0)))
    assert.equal(exits, [0, 0, 0])
    const store = await openStore(database.url)
    const versions = await store.all(sql<{ version: number }>`select version from migrations order by version`)
    assert.equal(
      versions.map(({ version }) => version),
      Array.from({ length: currentVersion }, (_, index) => index + 1),
    )
    await store.close()
  })

  test('executes writes of several processes', async () => {
    await using database = await place()
    const store = await openStore(database.url)
    const children = Promise.all([1, 2].map(() => child(database.url, 150)))
    for (let i = 0; i < 150; i++) {
      await store.transaction(async (tx) => {
        await addPost(tx, 'parent')
        if (i % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      })
    }
    assert.equal(await children, [0, 0])
    assert.is((await titles(store)).length, 450)
    await store.close()
  })

  test('sees commits of another store immediately', async () => {
    await using database = await place()
    const one = await openStore(database.url)
    const other = await openStore(database.url)
    for (const title of ['a', 'b', 'c']) {
      await addPost(one, title)
      assert.is((await titles(other)).at(-1), title)
      await addPost(other, title.toUpperCase())
      assert.is((await titles(one)).at(-1), title.toUpperCase())
    }
    await one.close()
    await other.close()
  })

  test('does not open a database with a newer schema, and leaves it unchanged', async () => {
    await using database = await place()
    const store = await openStore(database.url)
    await store.run(sql`insert into migrations (version, applied) values (${999}, ${'2999-01-01'})`)
    const error = await openStore(database.url).catch((reason: StoreError) => reason)
    assert.is((error as StoreError).code, 'STORE_NEWER')
    assert.match((error as StoreError).message, 'version 999')
    assert.is((await store.all(sql`select version from migrations`)).length, currentVersion + 1)
    await store.close()
  })

  test.run()
}

/** Runs a process that opens the store and adds posts; resolves with its exit code. */
async function child(url: string, posts: number): Promise<number> {
  const code = `
    import { openStore } from ${JSON.stringify(new URL('../../../../plugins/storage/store/open.ts', import.meta.url).href)}
    const store = await openStore(${JSON.stringify(url)})
    for (let i = 0; i < ${posts}; i++) await store.run(store.db.insertInto('posts').values({ title: 'child' }))
    await store.close()`
  const started = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' })
  const [exit] = (await once(started, 'exit')) as [number]
  return exit
}

async function addPost(store: Store, title: string): Promise<void> {
  await store.run(store.db.insertInto('posts').values({ title }))
}

async function titles(store: Store): Promise<string[]> {
  const rows = await store.all(store.db.selectFrom('posts').select('title').orderBy('id'))
  return rows.map((row) => row.title)
}
