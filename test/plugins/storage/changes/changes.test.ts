import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin, RequestCache, type AnyPlugin } from '../../../../kernel/index.ts'
import type { Change } from '../../../../plugins/storage/changes/index.ts'
import type { Store } from '../../../../plugins/storage/store/index.ts'
import { openStore } from '../../../../plugins/storage/store/open.ts'
import { addPosts, addTerm } from '../../../helpers/content.ts'
import { serve } from '../../../helpers/site.ts'
import { databases, serveWithUsers } from '../../../helpers/site-with-users.ts'
import { until } from '../../../helpers/until.ts'

/** A plugin that records the changes of each transaction. */
function changeRecorder(received: (readonly Change[])[]) {
  return definePlugin({
    name: 'change-recorder',
    needs: ['changes'],
    apply({ hooks }) {
      hooks.content_changed.tap('change-recorder', (changes) => void received.push(changes))
    },
  })
}

const brief = (changes: readonly Change[]) => changes.map(({ kind, object, change }) => `${change} ${kind} ${object}`)

for (const { name, place } of databases) {
  const changes = suite(`changes on ${name}`)

  /** Serves a site. `recordChanges` runs a write and returns the changes that plugins receive for it. */
  const serveRecorded = async () => {
    const received: (readonly Change[])[] = []
    const site = await serveWithUsers(place, { add: [changeRecorder(received)] })
    const recordChanges = async (write: () => Promise<unknown>) => {
      received.length = 0
      const outcome = await write()
      // Plugins receive changes in commit order, so this one comes last.
      await site.kernel.services.changes.touch(['last'])
      await until(() => received.at(-1)?.at(-1)?.tags[0] === 'last')
      received.pop()
      return { outcome, changes: received.flat(), transactions: received.length }
    }
    return { site, recordChanges, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() }
  }

  changes('are reported once per transaction, with the object before and after', async () => {
    await using at = await serveRecorded()
    const { site, recordChanges } = at
    const created = await recordChanges(() =>
      site.send('POST', '/svc/v2/posts', { title: 'One', status: 'publish' }, 'ann'),
    )
    const { id } = (await (created.outcome as Response).json()) as { id: number }
    assert.is(created.transactions, 1)
    const post = created.changes.find(({ kind, object }) => kind === 'post' && object === String(id))!
    assert.is(post.change, 'create')
    assert.is(post.type, 'post')
    assert.is(post.before, null)
    assert.equal(post.after, {
      type: 'post',
      status: 'publish',
      slug: 'one',
      author: site.users.ann,
      parent: 0,
      protected: 0,
    })
    assert.ok(post.tags.includes(`posts:author=${site.users.ann}`))

    const trashed = await recordChanges(() => site.send('DELETE', `/svc/v2/posts/${id}`, {}, 'ann'))
    const before = trashed.changes.find(({ kind }) => kind === 'post')!
    assert.is(before.change, 'update')
    assert.is(before.before!['status'], 'publish')
    assert.is(before.after!['status'], 'trash')
    assert.ok(before.tags.includes('posts:type=post') && before.tags.includes('unpublished:posts:type=post'))

    const deleted = await recordChanges(() => site.send('DELETE', `/svc/v2/posts/${id}?force=true`, {}, 'ann'))
    const deletion = deleted.changes.find(({ kind, object }) => kind === 'post' && object === String(id))!
    assert.is(deletion.change, 'delete')
    assert.is(deletion.after, null)
  })

  changes('are reported for meta, terms, options, users, comments, sessions and application passwords', async () => {
    await using at = await serveRecorded()
    const { site, recordChanges } = at
    const { services } = site.kernel
    const [id] = await addPosts(site.store, {})
    const [term] = [await addTerm(site.store, { taxonomy: 'category', name: 'News' })]
    const scope = new RequestCache()
    const meta = await recordChanges(() => services.meta.write('post', id!, 'price', [3], scope))
    assert.equal(brief(meta.changes), [`update post ${id}`])
    assert.equal(meta.changes[0]!.meta, ['price'])
    assert.is(meta.changes[0]!.type, 'post')
    const related = await recordChanges(() =>
      site.store.run(site.store.db.insertInto('term_relationships').values({ post_id: id!, term_id: term })),
    )
    assert.equal(brief(related.changes), [`update post ${id}`])
    assert.ok(related.changes[0]!.tags.includes(`posts:category=${term}`))
    assert.equal(brief((await recordChanges(() => services.options.set('title', 'Two'))).changes), [
      'create option title',
    ])
    const { ann } = site.users
    const renamed = await recordChanges(() => services.users.update(ann, { name: 'Ann' }))
    assert.ok(brief(renamed.changes).includes(`update user ${ann}`))
    const session = await recordChanges(() => services.sessions.create(ann, { ip: '', agent: '' }))
    assert.equal(brief(session.changes), [`update session ${ann}`])
    const password = await recordChanges(() => services.applicationPasswords.create(ann, { name: 'x' }))
    assert.equal(brief(password.changes), [`update application_password ${ann}`])
    const commented = await recordChanges(() =>
      site.send('POST', '/svc/v2/comments', { post: id, content: 'Yes' }, 'admin'),
    )
    assert.ok(commented.changes.some(({ kind, change }) => kind === 'comment' && change === 'create'))
    const all = JSON.stringify([renamed, session, password].map((one) => one.changes))
    const { password_hash: hash } = (await site.store.first(
      site.store.db.selectFrom('users').select('password_hash').where('id', '=', ann),
    ))!
    assert.not.ok(all.includes(hash), 'changes contain no secret')
  })

  changes('are not reported for rolled back transactions and savepoints', async () => {
    await using at = await serveRecorded()
    const { site, recordChanges } = at
    const { store } = site
    const undone = await recordChanges(() =>
      store
        .transaction(async (tx) => {
          await addPosts(tx, {})
          throw new Error('taken back')
        })
        .catch(() => {}),
    )
    assert.equal(undone.changes, [])
    const half = await recordChanges(() =>
      store.transaction(async (tx) => {
        await addPosts(tx, { title: 'Stays' })
        await tx
          .transaction(async (inner) => {
            await addPosts(inner, { title: 'Goes' })
            throw new Error('taken back')
          })
          .catch(() => {})
      }),
    )
    assert.is(half.changes.length, 1)
    const refused = await recordChanges(() => site.send('POST', '/svc/v2/posts', { title: 'x', status: 'nope' }, 'ann'))
    assert.equal(refused.changes, [])
  })

  changes('are reported one by one up to a limit, and as one change of everything beyond it', async () => {
    await using at = await serveRecorded()
    const { site, recordChanges } = at
    const { store } = site
    const set = (tx: Store, from: number, count: number) => {
      const rows = Array.from({ length: count }, (_, at) => ({ name: `o${from + at}`, value: '1' }))
      return tx.run(tx.db.insertInto('options').values(rows))
    }
    const some = await recordChanges(() =>
      store.transaction(async (tx) => {
        for (let from = 0; from < 3000; from += 500) await set(tx, from, 500)
        const back = tx.transaction(async (inner) => {
          await set(inner, 3000, 500)
          throw new Error('taken back')
        })
        await back.catch(() => {})
        await set(tx, 3500, 10)
      }),
    )
    assert.is(some.changes.length, 3010)
    assert.equal(brief(some.changes.slice(0, 2)), ['create option o0', 'create option o1'])
    assert.equal(brief(some.changes.slice(-1)), ['create option o3509'])
    const before = store.changes.state()!
    const many = await recordChanges(() =>
      store.transaction(async (tx) => {
        for (let from = 4000; from < 26_000; from += 1000) await set(tx, from, 1000)
      }),
    )
    assert.equal(brief(many.changes), ['update all '])
    assert.not.ok(store.changes.unchanged(['post:1'], before))
    assert.equal(brief((await recordChanges(() => set(store, 30_000, 2))).changes), [
      'create option o30000',
      'create option o30001',
    ])
  })

  if (name === 'PostgreSQL') {
    changes('of other programs are reported with the next change of the site', async () => {
      await using at = await serveRecorded()
      const { site, recordChanges } = at
      const { ann } = site.users
      const program = new pg.Client(site.kernel.config.database)
      await program.connect()
      await program.query('update users set name = $1 where id = $2', ['Ann', ann])
      await program.end()
      const next = await recordChanges(() => site.kernel.services.options.set('title', 'Two'))
      assert.equal(brief(next.changes), ['create option title', `update user ${ann}`])
    })
  }

  changes('are numbered in commit order and reach other processes', async () => {
    await using site = await serveWithUsers(place)
    const other = await openStore(site.kernel.config.database)
    await until(() => other.changes.state() !== null)
    const before = other.changes.state()!
    // Starting the site has recorded changes of everything for the tables of plugins.
    const ofAll = other.db.selectFrom('changes').select('id').where('kind', '=', 'all')
    const made = await other.all(ofAll)
    const rows = 40
    await Promise.all(Array.from({ length: rows }, (_, at) => site.kernel.services.options.set(`o${at % 7}`, at)))
    await until(() => other.changes.state()! > before && !other.changes.unchanged(['option:o3'], before))
    assert.ok(other.changes.unchanged(['option:title', 'post:1'], before))
    const optionChanges = await other.all(
      other.db.selectFrom('changes').selectAll().where('kind', '=', 'option').orderBy('id'),
    )
    const last = optionChanges.filter(({ object }) => object === 'o3')
    assert.ok(last.length >= 5)
    // No transaction was recorded as a change of everything.
    assert.equal(await other.all(ofAll), made)
    await other.close()
  })

  changes('of touched tags reach other processes, and are dropped when the transaction is rolled back', async () => {
    await using at = await serveRecorded()
    const { site, recordChanges } = at
    const { changes: own } = site.kernel.services
    const other = await openStore(site.kernel.config.database)
    await until(() => other.changes.state() !== null)
    const [here, there] = [own.state()!, other.changes.state()!]
    const [sold] = (await recordChanges(() => own.touch(['stock:7', 'stock:8']))).changes
    assert.equal([sold?.kind, sold?.tags], ['tag', ['stock:7', 'stock:8']])
    await until(() => other.changes.state()! > there && !other.changes.unchanged(['stock:7'], there))
    for (const [log, since] of [
      [own, here],
      [other.changes, there],
    ] as const)
      assert.equal([log.unchanged(['stock:7'], since), log.unchanged(['stock:9'], since)], [false, true])

    const many = await recordChanges(() =>
      Promise.all(Array.from({ length: 40 }, (_, id) => own.touch([`stock:${id}`]))),
    )
    assert.is(new Set(many.changes.flatMap(({ tags }) => tags)).size, 40)
    assert.ok(many.transactions < 5, String(many.transactions))

    const state = own.state()!
    const inTransaction = async (fails: boolean) => {
      await site.store.transaction(async () => {
        await own.touch(['stock:7'])
        assert.ok(own.unchanged(['stock:7'], state), 'not visible before the commit')
        if (fails) throw new Error('taken back')
      })
    }
    assert.equal((await recordChanges(() => inTransaction(true).catch(() => {}))).changes, [])
    assert.ok(own.unchanged(['stock:7'], state))
    assert.is((await recordChanges(() => inTransaction(false))).changes.length, 1)
    assert.not.ok(own.unchanged(['stock:7'], state))
    await other.close()
    // If the change cannot be stored, a caller that does not await `touch` must not cause an unhandled rejection.
    await site.store.close()
    void own.touch(['stock:7'])
    assert.ok(
      await own.touch(['stock:7']).then(
        () => false,
        () => true,
      ),
    )
  })

  changes('of tables of plugins are reported per table', async () => {
    await using at = await serveRecorded()
    const { site, recordChanges } = at
    const { sql } = await import('kysely')
    await site.store.run(sql`create table stock (id integer primary key, left_over integer)`)
    const state = site.store.changes.state()!
    const { changes: received } = await recordChanges(() => site.store.run(sql`insert into stock values (7, 3)`))
    assert.equal(brief(received), ['update table stock'])
    assert.not.ok(site.store.changes.unchanged(['table:stock'], state))
  })

  changes('are deleted after the configured days', async () => {
    const first = await place()
    await using site = await serve({ database: first.url, plugins: { changes: { days: 2 } } })
    const { store } = site
    const day = 86_400_000
    const row = { kind: 'post', object: '1', type: '', change: 'update', tags: '[]', before: null, after: null }
    await store.run(
      store.db.insertInto('changes').values([
        { ...row, time: Date.now() - 3 * day },
        { ...row, time: Date.now() - day },
      ]),
    )
    await using again = await serve({ database: first.url, plugins: { changes: { days: 2 } } })
    const old = again.store.db
      .selectFrom('changes')
      .select('id')
      .where('time', '<', Date.now() - 2 * day)
    await until(async () => (await again.store.all(old)).length === 0)
    const left = await again.store.all(again.store.db.selectFrom('changes').select('id').where('object', '=', '1'))
    assert.is(left.length, 1)
    await first[Symbol.asyncDispose]().catch(() => {})
  })

  changes('are stored longer while a plugin needs them, and the newest always', async () => {
    const first = await place()
    const serveHere = (...add: AnyPlugin[]) => serve({ database: first.url, plugins: { changes: { days: 1 } }, add })
    const old = Date.now() - 2 * 86_400_000
    const row = {
      time: old,
      kind: 'post',
      object: '1',
      type: '',
      change: 'update',
      tags: '[]',
      before: null,
      after: null,
      meta: '["mark"]',
    }
    let last = 0
    {
      await using site = await serveHere()
      const { store, kernel } = site
      await store.run(store.db.insertInto('changes').values([row, row, row]))
      await store.run(store.db.updateTable('changes').set({ time: old }))
      const history = kernel.services.changeHistory
      ;({ last } = await history.bounds())
      const behind = await history.after(last - 2, 10)
      assert.equal(
        behind.map(({ id, meta }) => [id, meta]),
        [
          [last - 1, ['mark']],
          [last, ['mark']],
        ],
      )
    }
    const needing = definePlugin({
      name: 'needing',
      needs: ['changes'],
      apply: ({ services }) => void services.changeHistory.retainFrom(() => last - 1),
    })
    {
      await using site = await serveHere(needing)
      await until(async () => (await site.kernel.services.changeHistory.bounds()).first === last - 1)
    }
    {
      await using site = await serveHere()
      await until(async () => (await site.kernel.services.changeHistory.bounds()).first === last)
    }
    await first[Symbol.asyncDispose]().catch(() => {})
  })

  changes('are reported for both objects when a row moves from one to the other', async () => {
    await using at = await serveRecorded()
    const { site, recordChanges } = at
    const { db } = site.store
    const [one, other] = (await addPosts(site.store, { meta: { mark: 1 } }, {})) as [number, number]
    const [first, second] = [
      await addTerm(site.store, { taxonomy: 'category', name: 'First' }),
      await addTerm(site.store, { taxonomy: 'category', name: 'Second' }),
    ]
    await site.store.run(db.insertInto('term_relationships').values({ post_id: one, term_id: first }))
    const exchanged = db.updateTable('term_relationships').set({ term_id: second }).where('term_id', '=', first)
    const tags = (await recordChanges(() => site.store.run(exchanged))).changes.flatMap((change) => change.tags)
    for (const tag of [`post:${one}`, `posts:category=${first}`, `posts:category=${second}`])
      assert.ok(tags.includes(tag), tag)
    const moves = [
      db.updateTable('term_relationships').set({ post_id: other }).where('post_id', '=', one),
      db.updateTable('post_meta').set({ post_id: other }).where('post_id', '=', one),
    ]
    for (const move of moves)
      assert.equal(brief((await recordChanges(() => site.store.run(move))).changes).sort(), [
        `update post ${one}`,
        `update post ${other}`,
      ])
  })

  changes.run()
}
