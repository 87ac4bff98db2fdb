import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { SETUP_OPTION, untouchedSample } from '../../../../plugins/operations/first-run/index.ts'
import {
  isEmptySite,
  isOnlySample,
  makeSample,
  removeSample,
  restoreAdministrator,
  type FormerAdministrator,
} from '../../../../plugins/operations/first-run/sample.ts'
import type { Store } from '../../../../plugins/storage/store/index.ts'
import { stores } from '../../../helpers/stores.ts'

const PARTS = {
  home: 'http://site.test',
  admin: 'http://site.test/admin/',
  mark: 'wp',
  login: 'admin',
  passwordHash: 'hash',
}
const TABLES = [
  'users',
  'user_meta',
  'posts',
  'post_meta',
  'terms',
  'term_relationships',
  'comments',
  'options',
] as const

/** Number of rows of each table. */
async function counts(store: Store): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const table of TABLES) {
    const query = store.db.selectFrom(table).select((builder) => builder.fn.countAll<number>().as('count'))
    rows[table] = Number((await store.first(query))!.count)
  }
  return rows
}

const remove = (store: Store) => store.transaction((tx) => removeSample(tx))
const restore = (store: Store, former: FormerAdministrator[]) =>
  store.transaction((tx) => restoreAdministrator(tx, former))

/** The users of a site: login, hash, roles. */
async function usersOf(store: Store) {
  const query = store.db
    .selectFrom('users')
    .leftJoin('user_meta', (join) => join.onRef('user_meta.user_id', '=', 'users.id').on('user_meta.key', '=', 'roles'))
    .select(['users.id', 'users.login', 'users.password_hash', 'user_meta.value as roles'])
    .orderBy('users.id')
  return (await store.all(query)).map(({ id, login, password_hash: hash, roles }) => [id, login, hash, roles])
}

for (const kind of stores) {
  const sample = suite(`sample in ${kind.name}`)

  sample('fills an empty site, once', async () => {
    await using opened = await kind.open()
    const { store } = opened
    assert.is(await isEmptySite(store), true)
    assert.is(await makeSample(store, PARTS), true)
    assert.is(await isEmptySite(store), false)
    const countsBefore = await counts(store)
    assert.is(await makeSample(store, PARTS), false)
    assert.equal(await counts(store), countsBefore)
    assert.ok(
      countsBefore['posts']! >= 5 &&
        countsBefore['terms']! >= 4 &&
        countsBefore['comments'] === 1 &&
        countsBefore['users'] === 1,
    )
  })

  sample('is created once if two processes start', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const results = await Promise.all([makeSample(store, PARTS), makeSample(store, PARTS)])
    assert.equal(results.sort(), [false, true])
    assert.is((await counts(store))['users'], 1)
  })

  sample('is recognized until content is changed or added', async () => {
    const changes: ((store: Store) => Promise<unknown>)[] = [
      (store) => store.run(store.db.updateTable('posts').set({ title: 'Mine' }).where('slug', '=', 'hello')),
      (store) => store.run(store.db.insertInto('posts').values({ slug: 'new', title: 'New' })),
      (store) => store.run(store.db.insertInto('users').values({ login: 'me', slug: 'me' })),
      (store) => store.run(store.db.updateTable('terms').set({ name: 'Mine' }).where('slug', '=', 'general')),
      (store) => store.run(store.db.deleteFrom('comments')),
      (store) => store.run(store.db.deleteFrom('posts').where('slug', '=', 'about')),
    ]
    for (const change of changes) {
      await using opened = await kind.open()
      const { store } = opened
      assert.is(await isOnlySample(store), false)
      await makeSample(store, PARTS)
      assert.is(await isOnlySample(store), true)
      await change(store)
      assert.is(await isOnlySample(store), false)
    }
  })

  sample('lists the content that no user has changed', async () => {
    await using opened = await kind.open()
    const { store } = opened
    const { db } = store
    assert.equal(await untouchedSample(store), { posts: [], terms: [] })
    await makeSample(store, PARTS)
    const { posts, terms } = await untouchedSample(store)
    assert.equal(posts.map(({ type }) => type).sort(), ['page', 'page', 'post', 'post', 'post'])
    // The default category stays.
    assert.equal(terms.map(({ taxonomy }) => taxonomy).sort(), ['category', 'post_tag', 'post_tag'])
    const [first, second, ...others] = posts.map(({ id }) => id)
    const modified_gmt = '2100-01-01 00:00:00'
    await store.run(db.updateTable('posts').set({ modified_gmt }).where('id', '=', first!))
    const date = '2025-01-01 00:00:00'
    const comment = { post_id: second!, author_name: 'Bob', content: 'Hi', date, date_gmt: date }
    await store.run(db.insertInto('comments').values(comment))
    await store.run(db.updateTable('terms').set({ name: 'Mine' }).where('slug', '=', 'reading'))
    const left = await untouchedSample(store)
    assert.equal(
      left.posts.map(({ id }) => id),
      others,
    )
    assert.ok(left.terms.length < terms.length)
  })

  sample('has a setup, which a replaced sample keeps only if it has started', async () => {
    for (const status of ['new', 'started', 'done']) {
      await using opened = await kind.open()
      const { store } = opened
      await makeSample(store, PARTS)
      const setup = () => store.first(store.db.selectFrom('options').select('value').where('name', '=', SETUP_OPTION))
      assert.equal(JSON.parse((await setup())!.value), { status: 'new', steps: [] })
      const value = JSON.stringify({ status, steps: [] })
      await store.run(store.db.updateTable('options').set({ value }).where('name', '=', SETUP_OPTION))
      await remove(store)
      assert.is((await setup()) === undefined, status === 'new', status)
    }
  })

  sample('removes its settings unless the owner has changed them', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await makeSample(store, PARTS)
    await store.run(store.db.updateTable('options').set({ value: '"My title"' }).where('name', '=', 'title'))
    assert.is(await isOnlySample(store), true)
    await remove(store)
    const empty = Object.fromEntries(TABLES.map((table) => [table, 0]))
    assert.equal(await counts(store), { ...empty, options: 1 })
    assert.is(await isEmptySite(store), true)
  })

  sample('restores its owner after an import without users', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await makeSample(store, PARTS)
    const former = await remove(store)
    await store.run(store.db.insertInto('users').values({ id: 1, login: 'writer', slug: 'writer' }))
    await store.transaction((tx) => tx.syncSequences())
    await restore(store, former)
    const [writer, owner] = await usersOf(store)
    assert.equal(writer, [1, 'writer', '', null])
    assert.equal(owner?.slice(1), ['admin', 'hash', '["administrator"]'])
  })

  sample('makes its owner the user of an imported account with the same login', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await makeSample(store, PARTS)
    const session = { id: 's', user_id: 1, created: 1, expires: 2, ip: '', agent: '', confirmed: 0 }
    await store.run(store.db.insertInto('sessions').values(session))
    const [former] = await remove(store)
    former!.applicationPasswords.push({
      id: 1,
      uuid: 'u',
      user_id: 1,
      app_id: '',
      name: 'phone',
      hash: 'h',
      created: 1,
      last_used: null,
      last_ip: null,
      scopes: '[]',
    })
    await store.run(store.db.insertInto('users').values({ id: 7, login: 'admin', slug: 'admin' }))
    await store.run(
      store.db.insertInto('user_meta').values({ user_id: 7, key: 'roles', value: '["subscriber"]', json: 1 }),
    )
    await restore(store, [former!])
    assert.equal(await usersOf(store), [[7, 'admin', 'hash', '["administrator"]']])
    const passwords = await store.all(store.db.selectFrom('application_passwords').select(['user_id', 'name']))
    assert.equal(passwords, [{ user_id: 7, name: 'phone' }])
    assert.equal(await store.all(store.db.selectFrom('sessions').selectAll()), [{ ...session, user_id: 7 }])
  })

  sample('does not restore its owner if the import has an administrator who can log in', async () => {
    await using opened = await kind.open()
    const { store } = opened
    await makeSample(store, PARTS)
    const former = await remove(store)
    await store.run(store.db.insertInto('users').values({ id: 1, login: 'boss', slug: 'boss', password_hash: 'x' }))
    await store.run(
      store.db.insertInto('user_meta').values({ user_id: 1, key: 'roles', value: '["administrator"]', json: 1 }),
    )
    await restore(store, former)
    assert.equal(await usersOf(store), [[1, 'boss', 'x', '["administrator"]']])
  })

  sample.run()
}
