import { AsyncResource } from 'node:async_hooks'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { definePlugin } from '../../../kernel/index.ts'
import { dataTables } from '../../../plugins/storage/store/transfer/table-columns.ts'
import { withRawConnection } from '../../../plugins/storage/store/transfer/raw-connection.ts'
import { randomOf, type Random } from '../../helpers/random.ts'
import { loadTransfer, sql, type Store } from '../../../plugins/storage/store/index.ts'
import { openStore } from '../../../plugins/storage/store/open.ts'
import { serve, serveOn } from '../../helpers/site.ts'
import {
  emptyFilePlace,
  emptyPostgresPlace,
  fileOf,
  filePlace,
  kindsOf,
  postgresPlace,
  type Place,
} from '../../helpers/stores.ts'
import { svc } from '../../helpers/svc.ts'

/** A plugin whose columns have types that differ between the databases. */
const garden = definePlugin({
  name: 'garden',
  needs: ['store'],
  migrations: [
    {
      name: 'create beds',
      sql: {
        sqlite: `create table garden__beds (id integer primary key, name text not null, sunny integer, facts text,
          dug text, photo blob, depth real, up integer references garden__beds (id));
          insert into garden__beds (name) values ('first')`,
        postgres: `create table garden__beds (id bigint generated always as identity primary key, name text not null,
          sunny boolean, facts jsonb, dug timestamptz, photo bytea, depth double precision,
          up bigint references garden__beds (id));
          insert into garden__beds (name) values ('first')`,
      },
    },
    { name: 'create notes', sql: ({ integer, text }) => `create table garden__notes (bed ${integer}, note ${text})` },
  ],
  apply() {},
})

interface Kind {
  readonly name: string
  filled(): Promise<Place>
  empty(): Promise<Place>
}

const kinds: readonly Kind[] = kindsOf<Kind>(
  [{ name: 'SQLite', filled: filePlace, empty: emptyFilePlace }],
  (server) => ({ name: 'PostgreSQL', filled: () => postgresPlace(server), empty: () => emptyPostgresPlace(server) }),
)

for (const from of kinds) {
  for (const to of kinds) {
    const transfer = suite(`transfer from ${from.name} to ${to.name}`)

    transfer('copies random rows of every table, and continues their numbers', async () => {
      for (const seed of [1, 2]) {
        await using target = await to.empty()
        const place = await from.filled()
        await using source = await serveOn(place, { add: [garden] })
        await fillTables(source.store, place.url, randomOf(seed))
        const { transferDatabase } = await loadTransfer()
        const { migrations, store } = source.kernel.services
        const copied = await transferDatabase(store, { to: target.url, migrations })
        assert.ok(
          copied.every(({ rows, table }) => rows > 0 || table === 'webhook_cursor'),
          JSON.stringify(copied),
        )
        // Not a site: at its start it would remove old changes and abandoned files.
        const copy = await openStore(target.url)
        const content = await contentOf(copy)
        await copy.close()
        assert.equal(content, await contentOf(source.store))
        await using site = await serve({ database: target.url, add: [garden] })
        await site.store.run(site.store.db.insertInto('posts').values({ title: 'next' }))
        const newest = await site.store.first(site.store.db.selectFrom('posts').select('id').orderBy('id', 'desc'))
        const before = await source.store.first(source.store.db.selectFrom('posts').select('id').orderBy('id', 'desc'))
        assert.ok(newest!.id > before!.id)
        await site.store.run(sql`insert into garden__beds (name) values ('next')`)
      }
    })

    transfer('copies what was there at its start while the site is written to', async () => {
      await using target = await to.empty()
      await using source = await serveOn(await from.filled())
      const { db } = source.store
      const posts = Array.from({ length: 500 }, (_, place) => ({ title: `Post ${place}` }))
      await source.store.run(db.insertInto('posts').values(posts))
      const { transferDatabase } = await loadTransfer()
      const { migrations, store } = source.kernel.services
      // Outside of the snapshot, as a request writes.
      const write = AsyncResource.bind(() => store.run(db.updateTable('posts').set({ title: 'later' })))
      let writing: Promise<unknown> | undefined
      await transferDatabase(store, {
        to: target.url,
        migrations,
        onProgress: () => {
          writing ??= write()
        },
      })
      await writing
      await using site = await serve({ database: target.url })
      const later = await site.store.all(site.store.db.selectFrom('posts').select('id').where('title', '=', 'later'))
      assert.is(later.length, 0)
    })

    transfer('leaves an empty target after a failure, and succeeds when it is repeated', async () => {
      await using target = await to.empty()
      await using source = await serveOn(await from.filled(), { add: [garden] })
      await source.store.run(source.store.db.insertInto('posts').values({ title: 'A' }))
      const { transferDatabase } = await loadTransfer()
      const { migrations, store } = source.kernel.services
      const options = { to: target.url, migrations }
      const failed = await transferDatabase(store, {
        ...options,
        onProgress: () => {
          throw new Error('stopped')
        },
      }).catch((error: Error) => error.message)
      assert.is(failed, 'stopped')
      await transferDatabase(store, options)
      const again = await transferDatabase(store, options).catch(({ code }: { code: string }) => code)
      assert.is(again, 'TRANSFER_NOT_EMPTY')
    })

    transfer('refuses tables that no running plugin creates', async () => {
      await using target = await to.empty()
      const place = await from.filled()
      await serve({ database: place.url, add: [garden] }).then((site) => site[Symbol.asyncDispose]())
      await using source = await serveOn(place)
      const { transferDatabase } = await loadTransfer()
      const { migrations, store } = source.kernel.services
      const failed = await transferDatabase(store, { to: target.url, migrations }).catch(
        (error: Error) => error.message,
      )
      assert.match(failed as string, 'svc plugins remove garden --data')
    })

    transfer.run()
  }
}

const command = suite('svc transfer')

command('copies the database of the config, and prints counts and hashes', async () => {
  await using place = await filePlace()
  await using target = await emptyFilePlace()
  {
    await using site = await serve({ database: place.url })
    await site.store.run(site.store.db.insertInto('posts').values({ title: 'A', status: 'publish' }))
  }
  const { code, out, err } = await svc('transfer', '--to', target.url, '--database', place.url)
  assert.is(code, 0, err)
  assert.match(out, /posts +1 +[0-9a-f]{32}/)
  assert.match(out, 'Media files are not in the database')
  await using site = await serve({ database: target.url })
  assert.is((await site.json('/svc/v2/posts')).length, 1)
  for (const to of [place.url, 'mysql://a', 'sqlite::memory:', target.url]) {
    const refused = await svc('transfer', '--to', to, '--database', place.url)
    assert.is(refused.code, 1, to)
  }
  assert.ok(fileOf(target).length > 0)
})

command.run()

/** Fills every table with random rows: texts of any characters, large numbers, and the types of the plugin. */
async function fillTables(store: Store, url: string, random: Random): Promise<void> {
  const isPostgres = store.dialect === 'postgres'
  const text = () => TEXTS[Math.floor(random() * TEXTS.length)]! + String(Math.floor(random() * 1e9))
  await store.run(store.db.deleteFrom('plugin_migrations').where('plugin', '=', 'none'))
  const owners = Array.from({ length: 12 }, (_, place) => place + 1)
  const own = () => owners[Math.floor(random() * owners.length)]!
  await withRawConnection(url, async (connection) => {
    if (isPostgres) await connection.exec('set session_replication_role = replica')
    else await connection.exec('pragma foreign_keys = off')
    const tables = await dataTables(connection, connection.dialect)
    for (const { name, columns } of tables) {
      for (const id of owners) {
        const values = columns.map(({ name: column, kind }) => {
          if (column === 'id' && kind === 'integer') return name === 'webhook_cursor' ? id : id * 3
          if (/_id$|^(?:webhook|field|object|bed|up|position)$/.test(column) && kind !== 'text')
            return column === 'position' || column === 'up' ? id * 3 : own() * 3
          if (kind === 'boolean') return random() > 0.5
          if (kind === 'integer') return column === 'json' || column === 'sunny' ? 1 : Math.floor(random() * 2 ** 31)
          if (kind === 'real') return random() * 1e21
          if (kind === 'time') return '2025-06-01T10:00:00.123Z'
          if (column === 'dug') return '2025-06-01T10:00:00.123Z'
          if (kind === 'json' || column === 'facts') return '{"a":[1,"ü"]}'
          if (kind === 'bytes') return null
          return column === 'value' || column === 'payload' ? JSON.stringify(text()) : text()
        })
        const marks = values.map((_, place) => (isPostgres ? `$${place + 1}` : '?')).join(', ')
        const quotedNames = columns.map((column) => `"${column.name}"`).join(', ')
        const overriding = isPostgres ? 'overriding system value' : ''
        const sqlText = `insert into "${name}" (${quotedNames}) ${overriding} values (${marks}) on conflict do nothing`
        await connection.run(
          sqlText,
          values.map((value) => (typeof value === 'boolean' ? Number(value) : value)),
        )
      }
    }
  })
}

const TEXTS = [
  '',
  'plain ',
  'Ünïcödé 🌿 ',
  `'quotes" \\ `,
  'line\r\nline\t',
  '{"json": [1, 2]} ',
  'x'.repeat(5000),
  '%_ ',
]

/** Returns all rows of all tables, sorted. */
async function contentOf(store: Store): Promise<Record<string, unknown[]>> {
  const names = [
    'users',
    'user_meta',
    'posts',
    'post_meta',
    'terms',
    'term_meta',
    'term_relationships',
    'comments',
    'comment_meta',
    'sessions',
    'application_passwords',
    'attempts',
    'pending_files',
    'changes',
    'indexed_values',
    'jobs',
    'webhooks',
    'webhook_deliveries',
    'garden__notes',
  ]
  const all: Record<string, unknown[]> = {}
  for (const name of names) {
    const rows = await store.all(sql<Record<string, unknown>>`select * from ${sql.table(name)}`)
    all[name] = rows.map((row) => JSON.stringify(row, Object.keys(row).toSorted())).toSorted()
  }
  const beds = await store.all(
    sql<Record<string, unknown>>`select id, name, sunny, depth, up from garden__beds order by id`,
  )
  all['beds'] = beds
  return all
}
