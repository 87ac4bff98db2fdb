import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { migrations } from '../../../../../plugins/storage/store/migrations/list.ts'
import { shareSlugs } from '../../../../../plugins/storage/store/migrations/share-slugs.ts'
import { SqliteConnection } from '../../../../../plugins/storage/store/sqlite/connection.ts'
import { openStore } from '../../../../../plugins/storage/store/open.ts'

const shared = suite('the migration to slugs that terms share')

/** Creates a database of the version before the migration, with two terms. */
async function olderDatabase(file: string): Promise<string[]> {
  const connection = new SqliteConnection(file)
  connection.exec('create table migrations (version integer primary key, applied text not null)')
  for (const [at, migration] of migrations.entries()) {
    if (migration === shareSlugs) break
    await connection.begin()
    await migration(connection, 'sqlite')
    connection.run('insert into migrations (version, applied) values (?, ?)', [at + 1, 'before'])
    await connection.commit()
  }
  connection.exec(`
    insert into terms (id, taxonomy, name, slug, count) values (3, 'category', 'News', 'news', 1), (9, 'category', 'Gone', 'gone', 0);
    delete from terms where id = 9;
    insert into posts (id, type, slug) values (5, 'post', 'one');
    insert into term_relationships (post_id, term_id) values (5, 3);
    insert into term_meta (term_id, key, value, json) values (3, 'color', 'red', 0)`)
  const parts = partsOf(connection)
  connection.close()
  return parts
}

/** Names of the tables, indexes and triggers, without those that SQLite creates itself. */
function partsOf(connection: SqliteConnection): string[] {
  const rows = connection.all(`select type, name from sqlite_schema where name not like 'sqlite_%' order by name`, [])
  return rows.map(({ type, name }) => `${String(type)} ${String(name)}`)
}

shared('keeps terms with everything that refers to them, and their indexes and triggers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-slugs-'))
  try {
    const file = join(folder, 'site.db')
    const before = await olderDatabase(file)
    const store = await openStore(`sqlite:${file}`)
    const { db } = store
    await store.run(db.insertInto('terms').values({ taxonomy: 'category', name: 'Nouvelles', slug: 'news' }))
    const terms = await store.all(db.selectFrom('terms').select(['id', 'slug', 'count']).orderBy('id'))
    assert.equal(terms, [
      { id: 3, slug: 'news', count: 1 },
      // Not 9, the ID of a deleted term.
      { id: 10, slug: 'news', count: 0 },
    ])
    assert.equal(await store.all(db.selectFrom('term_relationships').select(['post_id', 'term_id'])), [
      { post_id: 5, term_id: 3 },
    ])
    await store.run(db.deleteFrom('terms').where('id', '=', 3))
    assert.equal(await store.all(db.selectFrom('term_relationships').select('post_id')), [])
    assert.equal(await store.all(db.selectFrom('term_meta').select('key')), [])
    await store.close()
    const connection = new SqliteConnection(file)
    assert.equal(partsOf(connection), [...before, 'index terms_by_slug'].toSorted(byName))
    assert.equal(connection.all('pragma foreign_key_check', []), [])
    assert.equal(connection.all('pragma integrity_check', []), [{ integrity_check: 'ok' }])
    const plan = connection.all(
      `explain query plan select id from terms where taxonomy = 'category' and slug = 'news'`,
      [],
    )
    assert.match(String(plan[0]!['detail']), 'terms_by_slug')
    connection.close()
  } finally {
    await rm(folder, { recursive: true })
  }
})

function byName(a: string, b: string): number {
  const [first, second] = [a, b].map((part) => part.slice(part.indexOf(' ') + 1))
  return first! < second! ? -1 : 1
}

shared.run()
