import pg from 'pg'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { LiveReport } from '../../../../../plugins/operations/importer/index.ts'
import { sql } from '../../../../../plugins/storage/store/index.ts'
import { openStore } from '../../../../../plugins/storage/store/open.ts'
import { BLOG, fillSite } from '../../../../bench/content.ts'
import { serve, serveOn } from '../../../../helpers/site.ts'
import { databases } from '../../../../helpers/site-with-users.ts'
import { shared, type Place } from '../../../../helpers/stores.ts'
import { until } from '../../../../helpers/until.ts'
import { addMover, importFrom } from './old-site.ts'

type LiveComparison = NonNullable<LiveReport['comparison']>

const postgres = databases.find(({ name }) => name === 'PostgreSQL')
const test = suite('rows that PostgreSQL reads for a live import')

if (postgres) {
  test('are at most 300 for each object, although the server has analyzed no table before', async () => {
    await using old = await serve()
    await fillSite(old.store, { ...BLOG, posts: 1000, media: 50, revisions: 0 }, 'wp')
    await addMover(old)
    await using place = await postgres.place()
    const before = await rowsRead(place)
    const { differences, routes } = await importAndCompare(place, old.home)
    assert.equal(
      differences.filter(({ explained }) => !explained),
      [],
    )
    const objects = routes.reduce((sum, { compared }) => sum + compared, 0)
    const rows = Math.round(((await rowsRead(place)) - before) / objects)
    // About 110; 3,900 without statistics and with a statement that reads all comments for each comment.
    assert.ok(rows <= 300, `${rows} rows for each object`)
    const analyzed = await analyzedTables(place)
    for (const table of ['posts', 'post_meta', 'term_relationships', 'comments', 'importer__objects']) {
      assert.ok(analyzed.includes(table), `${table} has statistics`)
    }
  })
}

test.run()

/** Moves a site to an empty database. The connections of the new site have ended when this returns. */
async function importAndCompare(place: Place, home: string): Promise<LiveComparison> {
  await using here = await serveOn(await shared(place)())
  const { comparison } = await importFrom(here, home, { compare: 'all', download: false })
  return comparison!
}

async function analyzedTables(place: Place): Promise<string[]> {
  const store = await openStore(place.url)
  const tables = await store.all(sql<{ name: string }>`select distinct tablename as name from pg_stats`)
  await store.close()
  return tables.map(({ name }) => name)
}

/** Rows and index entries that all connections to a database have read. A connection reports them when it ends. */
async function rowsRead({ url }: Place): Promise<number> {
  const name = new URL(url).pathname.slice(1)
  // Another database, so that this connection is not counted.
  const client = new pg.Client({ connectionString: process.env['SVC_TEST_POSTGRES'] })
  await client.connect()
  try {
    const rowOf = async (sql: string) => (await client.query<{ count: string }>(sql, [name])).rows[0]!
    await until(async () => {
      const { count } = await rowOf('select count(*) from pg_stat_activity where datname = $1')
      return count === '0'
    })
    const { count } = await rowOf('select tup_returned + tup_fetched as count from pg_stat_database where datname = $1')
    return Number(count)
  } finally {
    await client.end()
  }
}
