import { sql } from 'kysely'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RestError } from '../../../../kernel/index.ts'
import { errors, toStoreError, StoreError } from '../../../../plugins/storage/store/errors.ts'
import { stores } from '../../../helpers/stores.ts'

const test = suite('store errors')

test('carry the outage that caused them, on both databases', () => {
  const sqlite = (errcode: number) => Object.assign(new Error('why'), { code: 'ERR_SQLITE_ERROR', errcode })
  const postgres = (code: string) => Object.assign(new Error('why'), { code })
  const cases: [error: Error, outage: string | undefined][] = [
    // busy, busy with a snapshot, locked, read-only, I/O error, damaged, cannot open, not a database
    ...[5, 517, 6, 8, 1032, 10, 778, 11, 14, 26].map((code): [Error, string] => [sqlite(code), 'unavailable']),
    [sqlite(13), 'full'],
    ...['08006', '25006', '40001', '40P01', '53200', '53300', '55P03', '57014', '57P01', '57P03', '58030', 'XX001'].map(
      (code): [Error, string] => [postgres(code), 'unavailable'],
    ),
    [postgres('53100'), 'full'],
    // Errors of the statement itself: a constraint, a syntax error, a missing column, a number out of range.
    ...[sqlite(1), sqlite(19), sqlite(2067), postgres('23505'), postgres('42601'), postgres('22003')].map(
      (error): [Error, undefined] => [error, undefined],
    ),
    [new TypeError('x is not a function'), undefined],
  ]
  for (const [error, outage] of cases) {
    const explained = toStoreError(error)
    if (outage === undefined) {
      assert.is(explained, error)
      continue
    }
    assert.instance(explained, StoreError)
    const { outage: actual, cause, message } = explained as StoreError
    assert.is(actual, outage, JSON.stringify(error))
    assert.is(cause, error)
    assert.match(message, 'why')
  }
})

test('are not errors of the REST API, and carry an outage', () => {
  const cause = new Error('why')
  const full = errors.STORE_FULL('the disk is full', { cause })
  assert.equal([full.name, full.code, full.outage, full.cause], ['StoreError', 'STORE_FULL', 'full', cause])
  assert.is(full.message, 'The database has no space left: the disk is full.')
  assert.instance(full, StoreError)
  assert.not.instance(full, RestError)
  assert.ok(full.stack?.includes(import.meta.url))
  assert.is(errors.STORE_BUSY('another writes').outage, 'unavailable')
  assert.is(errors.STORE_TRANSACTION_OVER().outage, undefined)
})

const postgres = stores.find(({ name }) => name === 'PostgreSQL')
if (postgres) {
  test('report a deadlock to one of its transactions, which is rolled back', async () => {
    await using opened = await postgres.open()
    const { store } = opened
    await store.run(store.db.insertInto('posts').values([{ title: 'a' }, { title: 'b' }]))
    const change = (id: number, title: string) =>
      store.run(store.db.updateTable('posts').set({ title }).where('id', '=', id))
    const both = Promise.withResolvers<void>()
    let inside = 0
    const crossing = (first: number, second: number) =>
      store.transaction(async () => {
        await change(first, `from ${first}`)
        if (++inside === 2) both.resolve()
        await both.promise
        await change(second, `from ${first}`)
      })
    const outcomes = await Promise.allSettled([crossing(1, 2), crossing(2, 1)])
    const [failed, ...others] = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.equal([(failed!.reason as StoreError).outage, others], ['unavailable', []])
    const titles = await store.all(sql<{ title: string }>`select title from posts`)
    assert.is(new Set(titles.map(({ title }) => title)).size, 1)
  })
}

test.run()
