import { AsyncResource } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openStore } from '../../../../plugins/storage/store/open.ts'
import {
  isUniqueViolation,
  type Statement,
  type Store,
  type StoreError,
} from '../../../../plugins/storage/store/store.ts'
import { stores } from '../../../helpers/stores.ts'

for (const kind of stores) {
  const test = suite(`store on ${kind.name}`)

  test('returns plain objects with numbers for integers', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const inserted = await store.first(store.db.insertInto('terms').values(term('News')).returningAll())
    const found = await store.all(store.db.selectFrom('terms').selectAll())
    assert.equal(found, [
      { id: 1, taxonomy: 'category', name: 'News', slug: 'news', description: '', parent_id: 0, count: 0 },
    ])
    assert.equal(inserted, found[0])
    assert.is(Object.getPrototypeOf(found[0]), Object.prototype)
  })

  test('returns counts, sums and booleans as numbers', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'a', 'b')
    const row = await store.first(
      store.db
        .selectFrom('posts')
        .select((eb) => [eb.fn.countAll().as('count'), eb.fn.sum('id').as('sum'), eb('id', '>', 0).as('positive')])
        .groupBy(sql`3`)
        .limit(1),
    )
    assert.equal(row, { count: 2, sum: 3, positive: 1 })
  })

  test('reads a snapshot while others write, also through the outer store', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'a')
    const query = store.db.selectFrom('posts').select('title').orderBy('id')
    // Outside of the snapshot, as another request writes.
    const write = AsyncResource.bind(() => addPosts(store, 'b'))
    const seen = await store.snapshot(async (reader) => {
      const before = await reader.all(query)
      await write()
      return [before, await reader.all(query), await store.all(query)].map((rows) => rows.map(({ title }) => title))
    })
    assert.equal(seen, [['a'], ['a'], ['a']])
    assert.equal(await titles(store), ['a', 'b'])
  })

  test('refuses writes in a snapshot, and closes it when it fails', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const failed = await store
      .snapshot((reader) => addPosts(reader, 'a'))
      .then(
        () => null,
        (error: StoreError) => error.code,
      )
    assert.is(failed, 'STORE_UNAVAILABLE')
    await addPosts(store, 'b')
    assert.equal(await titles(store), ['b'])
  })

  test('returns undefined or an empty list if there are no rows', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const query = store.db.selectFrom('posts').select('id').where('id', '=', 7)
    assert.is(await store.first(query), undefined)
    assert.equal(await store.all(query), [])
  })

  test('returns the number of rows that a write changed', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'a', 'b', 'c')
    const update = store.db.updateTable('posts').set({ status: 'publish' }).where('id', '>', 1)
    assert.equal(await store.run(update), { changes: 2 })
    assert.equal(await store.run(store.db.deleteFrom('posts').where('id', '=', 9)), { changes: 0 })
    assert.equal(await store.run(store.db.deleteFrom('posts').where('id', '=', 1)), { changes: 1 })
  })

  test('accepts compiled queries and raw templates', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'a')
    const compiled = store.db.selectFrom('posts').select('title').compile()
    assert.equal(await store.first(compiled), { title: 'a' })
    assert.equal(await store.first(sql<{ title: string }>`select title from posts where id = ${1}`), { title: 'a' })
  })

  test('builds a query once per key, and a query of IDs once per power of two', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'a', 'b', 'c', 'd', 'e')
    let built = 0
    const newest = () =>
      store.once('the newest', () => {
        built += 1
        return store.db.selectFrom('posts').select('title').orderBy('id', 'desc').limit(1)
      })
    assert.equal(await store.first(newest()), { title: 'e' })
    assert.equal(await store.first(newest()), { title: 'e' })
    assert.is(built, 1)

    const statements = new Set<string>()
    store.onStatement(({ sql: text }) => void statements.add(text))
    const named = async (...ids: number[]) => {
      const query = store.forIds('titles', ids, (some) =>
        store.db.selectFrom('posts').select('title').where('id', 'in', some).where('id', '>', 0).orderBy('id').limit(9),
      )
      return (await store.all(query)).map(({ title }) => title).join('')
    }
    assert.equal([await named(2), await named(5)], ['b', 'e'])
    assert.equal([await named(1, 2, 3), await named(5, 4, 3), await named(5, 4, 1, 2)], ['abc', 'cde', 'abde'])
    assert.is(statements.size, 2)
  })

  test('does not let queries execute themselves', async () => {
    await using opened = await kind.open()
    const { store } = opened
    assert.match((await failure(store.db.selectFrom('posts').selectAll().execute())).message, 'store.all')
  })

  test('stores integers, booleans and dates in a text column without conversion to floats', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'a')
    const values = [5, true, new Date(Date.UTC(2024, 1, 29)), -0, 0.5, 12n] as unknown as string[]
    for (const value of values) {
      await store.run(store.db.insertInto('post_meta').values({ post_id: 1, key: 'k', value }))
    }
    const rows = await store.all(store.db.selectFrom('post_meta').select('value').orderBy('id'))
    assert.equal(
      rows.map((row) => row.value),
      ['5', '1', '2024-02-29T00:00:00.000Z', '0', '0.5', '12'],
    )
    const five = store.db
      .selectFrom('post_meta')
      .select('id')
      .where('value', '=', 5 as unknown as string)
    assert.equal(await store.all(five), [{ id: 1 }])
  })

  test('compares with numbers beyond the range of integers', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'a', 'b')
    const ids = store.db.selectFrom('posts').select('id')
    for (const huge of [2 ** 53, 9e99, Infinity]) {
      assert.is((await store.all(ids.where('id', '<', huge).limit(huge))).length, 2)
      assert.equal(await store.all(ids.where('id', '=', huge)), [])
      assert.equal(await store.all(ids.where('id', '<', -huge)), [])
      assert.equal(await store.all(ids.orderBy('id').limit(1).offset(huge)), [])
    }
  })

  test('removes NUL characters from text', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'a\0b')
    assert.equal(await titles(store), ['ab'])
    assert.equal(await store.all(store.db.selectFrom('posts').select('id').where(store.searchPosts('\0a\0b'))), [
      { id: 1 },
    ])
  })

  test('rejects parameters of unsupported types with their position', async () => {
    await using opened = await kind.open()
    const { store } = opened
    for (const value of [undefined, NaN, [1], { a: 1 }, new Date(NaN), Symbol('s')]) {
      const error = await failure(store.all(sql`select id from posts where id = ${1} and title = ${value}`))
      assert.is((error as StoreError).code, 'STORE_PARAMETER_INVALID')
      assert.match(error.message, 'Parameter 2')
    }
  })

  test('stores explicit IDs and continues the numbering after them', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.run(store.db.insertInto('posts').values({ id: 40, title: 'forty' }))
    await store.syncSequences()
    await store.syncSequences()
    const next = () => store.first(store.db.insertInto('posts').values({ title: 'next' }).returning('id'))
    assert.equal(await next(), { id: 41 })
    await store.run(store.db.deleteFrom('posts').where('id', '=', 41))
    await store.syncSequences()
    assert.equal(await next(), { id: 42 })
    const user = store.db.insertInto('users').values({ login: 'a', slug: 'a' }).returning('id')
    assert.equal(await store.first(user), { id: 1 })
  })

  test('deletes dependent rows with their row', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'a')
    await store.run(store.db.insertInto('terms').values(term('News')))
    await store.run(store.db.insertInto('term_relationships').values({ post_id: 1, term_id: 1 }))
    await store.run(store.db.insertInto('post_meta').values({ post_id: 1, key: 'k', value: 'v' }))
    await store.run(store.db.deleteFrom('posts').where('id', '=', 1))
    assert.equal(await store.all(store.db.selectFrom('term_relationships').selectAll()), [])
    assert.equal(await store.all(store.db.selectFrom('post_meta').selectAll()), [])
    const orphan = store.db.insertInto('post_meta').values({ post_id: 1, key: 'k' })
    assert.match((await failure(store.run(orphan))).message, /foreign key/i)
  })

  test('recognizes unique violations', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.run(store.db.insertInto('users').values({ login: 'Ada', slug: 'ada' }))
    const again = await failure(store.run(store.db.insertInto('users').values({ login: 'aDA', slug: 'other' })))
    const other = await failure(store.run(store.db.insertInto('post_meta').values({ post_id: 1, key: 'k' })))
    assert.is(isUniqueViolation(again), true)
    assert.is(isUniqueViolation(other), false)
    assert.is(isUniqueViolation('23505'), false)
    // Translations share slugs.
    await store.run(store.db.insertInto('terms').values([term('News'), term('News')]))
  })

  test('sorts and compares names regardless of case, and other text byte by byte', async () => {
    await using opened = await kind.open()
    const { store } = opened
    for (const name of ['broder', 'Block', 'asmodeus', '6.1', 'Cat A']) {
      await store.run(store.db.insertInto('terms').values(term(name)))
    }
    const sorted = await store.all(store.db.selectFrom('terms').select('name').orderBy('name'))
    assert.equal(
      sorted.map((row) => row.name),
      ['6.1', 'asmodeus', 'Block', 'broder', 'Cat A'],
    )
    const named = store.db.selectFrom('terms').select('name')
    assert.equal(await store.all(named.where('name', '=', 'BLOCK')), [{ name: 'Block' }])
    assert.equal(await store.all(named.where('slug', '=', 'BLOCK')), [])
  })

  test('finds text anywhere in a column, regardless of case', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'Große ÄPFEL', 'ΟΔΟΣ и Ёлка', 'plain Apples')
    assert.equal(await containing(store, 'äpfel'), [1])
    assert.equal(await containing(store, 'GROSS'), [])
    assert.equal(await containing(store, 'И ё'), [2])
    assert.equal(await containing(store, 'APP'), [3])
    assert.equal(await containing(store, ''), [1, 2, 3])
    assert.equal(await containing(store, 'a'.repeat(60_000)), [])
  })

  test('matches wildcards and quotes in a text literally', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, '100% sure', '100 sure', 'snake_case', 'snakeXcase', 'back\\slash', `it's "quoted"`, 'é_ü%')
    const found: [text: string, ids: number[]][] = [
      ['0% s', [1]],
      ['ke_ca', [3]],
      ['k\\s', [5]],
      ['\\', [5]],
      ['%', [1, 7]],
      ['_', [3, 7]],
      ['é_Ü%', [7]],
      [`it's`, [6]],
      ['"quoted"', [6]],
      ['" or 1=1 --', []],
    ]
    for (const [text, ids] of found) {
      assert.equal(await containing(store, text), ids, `contains ${text}`)
      assert.equal(await searching(store, text), ids, `search ${text}`)
    }
  })

  test('accepts an expression as the column', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.run(store.db.insertInto('posts').values({ title: 'one', content: 'two' }))
    const both = sql`title || ' ' || content`
    assert.equal(await store.all(store.db.selectFrom('posts').select('id').where(store.contains(both, 'E T'))), [
      { id: 1 },
    ])
  })

  test('searches title, excerpt and content of posts', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.run(store.db.insertInto('posts').values({ title: 'Summer in Kraków' }))
    await store.run(store.db.insertInto('posts').values({ excerpt: 'about krakÓw' }))
    await store.run(store.db.insertInto('posts').values({ content: '<p>東京 and KRAKÓW</p>', slug: 'tokyo' }))
    await store.run(
      store.db.insertInto('posts').values({ slug: 'kraków', password: 'kraków', content_filtered: 'kraków' }),
    )
    assert.equal(await searching(store, 'Kraków'), [1, 2, 3])
    assert.equal(await searching(store, 'kraków</p>'), [3])
    assert.equal(await searching(store, '東京'), [3])
    assert.equal(await searching(store, 'Ó'), [1, 2, 3])
    assert.equal(await searching(store, 'tokyo'), [])
    assert.equal(await searching(store, 'Summer about'), [])
  })

  test('searches current texts only', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'first words', 'second words')
    await store.run(store.db.updateTable('posts').set({ title: 'third' }).where('id', '=', 1))
    await store.run(store.db.deleteFrom('posts').where('id', '=', 2))
    assert.equal(await searching(store, 'words'), [])
    assert.equal(await searching(store, 'third'), [1])
  })

  test('uses the same SQL for every searched text', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const texts = ['', 'a', 'ab', 'abc', 'Ärger', `'; drop table posts; --`, '%_\\', 'x'.repeat(50_000), '東京']
    const wordings = texts.map(
      (text) => store.db.selectFrom('posts').select('id').where(store.searchPosts(text)).compile().sql,
    )
    assert.is(new Set(wordings).size, 1)
  })

  test('reports each statement with its parameters until the listener is removed', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const log: Statement[] = []
    const stop = store.onStatement((statement) => log.push(statement))
    await addPosts(store, 'a')
    await store.transaction((tx) => tx.first(tx.db.selectFrom('posts').select('id').where('id', '=', 3)))
    stop()
    await titles(store)
    assert.is(log.length, 2)
    assert.match(log[0]!.sql, 'insert into "posts"')
    assert.equal(log[0]!.parameters, ['a'])
    assert.equal(log[1]!.parameters, [3])
  })

  test('commits a transaction and returns its result', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const result = await store.transaction(async (tx) => {
      await addPosts(tx, 'a')
      assert.equal(await titles(tx), ['a'])
      return 'done'
    })
    assert.is(result, 'done')
    assert.equal(await titles(store), ['a'])
  })

  test('rolls back when the work throws, and remains usable', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const reason = new Error('changed my mind')
    const error = await failure(
      store.transaction(async (tx) => {
        await addPosts(tx, 'a')
        throw reason
      }),
    )
    assert.is(error, reason)
    assert.equal(await titles(store), [])
    await store.transaction((tx) => addPosts(tx, 'b'))
    assert.equal(await titles(store), ['b'])
  })

  test('rolls back when a statement failed, even if the work catches the error', async () => {
    await using opened = await kind.open()
    const { store } = opened
    let later: unknown
    const error = await failure(
      store.transaction(async (tx) => {
        await addPosts(tx, 'a')
        await failure(tx.run(tx.db.insertInto('post_meta').values({ post_id: 99, key: 'k' })))
        later = await failure(addPosts(tx, 'b'))
      }),
    )
    assert.match(error.message, /foreign key/i)
    assert.is((later as StoreError).code, 'STORE_TRANSACTION_FAILED')
    assert.is((later as StoreError).cause, error)
    assert.equal(await titles(store), [])
    await addPosts(store, 'c')
    assert.equal(await titles(store), ['c'])
  })

  test('rolls back a nested transaction only', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.transaction(async (tx) => {
      await addPosts(tx, 'a')
      await failure(
        tx.transaction(async (inner) => {
          await addPosts(inner, 'b')
          await inner.run(inner.db.insertInto('post_meta').values({ post_id: 99, key: 'k' }))
        }),
      )
      await tx.transaction(async (inner) => {
        await addPosts(inner, 'c')
        await failure(
          inner.transaction(async (innermost) => {
            await addPosts(innermost, 'd')
            throw new Error('no')
          }),
        )
      })
      await addPosts(tx, 'e')
    })
    assert.equal(await titles(store), ['a', 'c', 'e'])
  })

  test('rolls back a nested transaction with the enclosing one', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await failure(
      store.transaction(async (tx) => {
        await tx.transaction((inner) => addPosts(inner, 'a'))
        throw new Error('no')
      }),
    )
    assert.equal(await titles(store), [])
  })

  test('runs concurrent nested transactions one after another', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.transaction(async (tx) => {
      const attempts = ['a', 'b', 'c', 'd'].map((title, index) =>
        tx.transaction(async (inner) => {
          await addPosts(inner, title)
          await turn()
          if (index % 2 === 1) throw new Error('no')
        }),
      )
      await Promise.allSettled(attempts)
    })
    assert.equal(await titles(store), ['a', 'c'])
  })

  test('hides an open transaction from other readers', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const inside = Promise.withResolvers<void>()
    const seen = Promise.withResolvers<void>()
    const rolledBack = failure(
      store.transaction(async (tx) => {
        await addPosts(tx, 'a')
        inside.resolve()
        // An in-memory database has one connection, which reads only after the transaction.
        await (kind.name === 'SQLite memory' ? turn() : seen.promise)
        throw new Error('no')
      }),
    )
    await inside.promise
    assert.equal(await titles(store), [])
    seen.resolve()
    await rolledBack
  })

  test('lets queries through the outer store join the current transaction', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await failure(
      store.transaction(async () => {
        await addPosts(store, 'a')
        assert.equal(await titles(store), ['a'])
        await store.transaction(async () => addPosts(store, 'b'))
        assert.equal(await titles(store), ['a', 'b'])
        throw new Error('no')
      }),
    )
    assert.equal(await titles(store), [])
  })

  test('lets a nested transaction use the store of the enclosing one', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.transaction(async (tx) => {
      await failure(
        tx.transaction(async () => {
          await tx.transaction(() => addPosts(tx, 'a'))
          throw new Error('no')
        }),
      )
      await addPosts(tx, 'b')
    })
    assert.equal(await titles(store), ['b'])
  })

  test('rejects calls on the store of a transaction that has ended', async () => {
    await using opened = await kind.open()
    const { store } = opened
    let outdated: Store | undefined
    await store.transaction(async (tx) => {
      outdated = tx
    })
    for (const use of [() => titles(outdated!), () => outdated!.transaction(async () => {})]) {
      assert.is(((await failure(use())) as StoreError).code, 'STORE_TRANSACTION_OVER')
    }
  })

  test('executes work that outlives its transaction outside it', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const over = Promise.withResolvers<void>()
    let late: Promise<void> | undefined
    await store.transaction(async () => {
      late = over.promise.then(() => addPosts(store, 'late'))
    })
    over.resolve()
    await late
    assert.equal(await titles(store), ['late'])
  })

  test('executes many concurrent transactions and writes, each completely', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await store.run(store.db.insertInto('posts').values({ title: 'counter', menu_order: 0 }))
    const increment = (via: Store) =>
      via.run(
        via.db
          .updateTable('posts')
          .set((eb) => ({ menu_order: eb('menu_order', '+', 1) }))
          .where('id', '=', 1),
      )
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        if (index % 3 === 0) return increment(store)
        return store.transaction(async (tx) => {
          await increment(tx)
          if (index % 2 === 1) await turn()
          await increment(tx)
        })
      }),
    )
    assert.equal(await store.first(store.db.selectFrom('posts').select('menu_order')), { menu_order: 100 })
  })

  test('executes more different statements than it caches', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await addPosts(store, 'a')
    for (const round of [1, 2]) {
      const lists = Array.from({ length: 600 }, (_, index) => Array.from({ length: index + 1 }, (_, id) => id + round))
      const found = await Promise.all(
        lists.map((ids) => store.all(store.db.selectFrom('posts').select('id').where('id', 'in', ids))),
      )
      assert.is(found.flat().length, round === 1 ? 600 : 0)
    }
  })

  test('rejects an invalid statement without affecting others', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const wrong = sql`select missing from posts`
    const results = await Promise.allSettled([titles(store), store.all(wrong), titles(store), store.all(wrong)])
    assert.equal(
      results.map((result) => result.status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
    )
    assert.match((await failure(store.all(wrong))).message, 'missing')
    assert.equal(await titles(store), [])
  })

  test('waits for running statements before it closes, and rejects later ones', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const [started, refused] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const transaction = store.transaction(async (tx) => {
      started.resolve()
      await refused.promise
      await addPosts(tx, 'a')
      return (await titles(tx)).length
    })
    await started.promise
    const closed = store.close()
    for (const use of [() => titles(store), () => addPosts(store, 'b'), () => store.transaction(async () => {})]) {
      assert.is(((await failure(use())) as StoreError).code, 'STORE_CLOSED')
    }
    refused.resolve()
    assert.is(await transaction, 1)
    await closed
    await store.close()
  })

  test('cannot be closed from within a transaction', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const refused: unknown[] = []
    await store.transaction(async (tx) => {
      for (const either of [tx, store]) refused.push(((await failure(either.close())) as StoreError).code)
    })
    assert.equal(refused, ['STORE_CLOSED', 'STORE_CLOSED'])
  })

  test('runs before-commit listeners within the transaction, and later work outside it', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const insert = (title: string) => store.run(store.db.insertInto('posts').values({ title }))
    let later = async (): Promise<unknown> => undefined
    const remove = store.onBeforeCommit(async () => {
      later = AsyncResource.bind(() => insert('late'))
      await insert('within')
      throw new Error('Not like this.')
    })
    assert.is((await failure(insert('refused'))).message, 'Not like this.')
    remove()
    let late: Promise<unknown> | undefined
    const other = store.transaction(async (tx) => {
      await tx.run(tx.db.insertInto('posts').values({ title: 'other' }))
      late = later()
      await turn()
      throw new Error('Nor like that.')
    })
    assert.is((await failure(other)).message, 'Nor like that.')
    await late
    assert.equal(await titles(store), ['late'])
  })

  test.run()
}

const urls = suite('openStore')

urls('rejects a URL of an unknown database without repeating it', async () => {
  for (const url of ['mysql://root:secret@localhost/site', '', './site.db']) {
    const error = await failure(openStore(url))
    assert.is((error as StoreError).code, 'STORE_ADDRESS_INVALID')
    assert.not.match(error.message, 'secret')
  }
})

urls.run()

function term(name: string) {
  return { taxonomy: 'category', name, slug: name.toLowerCase() }
}

async function addPosts(store: Store, ...names: string[]): Promise<void> {
  for (const title of names) await store.run(store.db.insertInto('posts').values({ title }))
}

async function titles(store: Store): Promise<string[]> {
  const rows = await store.all(store.db.selectFrom('posts').select('title').orderBy('id'))
  return rows.map((row) => row.title)
}

async function containing(store: Store, text: string): Promise<number[]> {
  const query = store.db.selectFrom('posts').select('id').where(store.contains('posts.title', text)).orderBy('id')
  return (await store.all(query)).map((row) => row.id)
}

async function searching(store: Store, text: string): Promise<number[]> {
  const query = store.db.selectFrom('posts').select('id').where(store.searchPosts(text)).orderBy('id')
  return (await store.all(query)).map((row) => row.id)
}

/** Returns the error of a promise that must reject. */
async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    return error as Error
  }
  throw new Error('The promise should have been rejected.')
}
