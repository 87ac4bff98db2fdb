import type { Connection, Dialect } from '../backend.ts'
import { describeIndexes } from './planner-statistics.ts'

/**
 * Allows terms of one taxonomy to have the same slug, as translations do; writers keep other slugs unique. SQLite cannot
 * drop a constraint, so its table is rebuilt in the documented order (https://sqlite.org/lang_altertable.html#otheralter).
 */
export async function shareSlugs(connection: Connection, dialect: Dialect): Promise<void> {
  const index = 'create index if not exists terms_by_slug on terms (taxonomy, slug, id)'
  if (dialect === 'postgres') {
    await connection.exec(`alter table terms drop constraint if exists terms_taxonomy_slug_key; ${index}`)
    return
  }
  const { parts, table, next } = await describeTable(connection)
  const statistics = await connection.all(`select idx, stat from sqlite_stat1 where tbl = 'terms'`, [])
  const columns = table.slice(table.indexOf('('))
  const constraint = columns.indexOf('unique (taxonomy, slug)')
  // The constraint is the last entry, after a comma.
  const kept = constraint < 0 ? columns : `${columns.slice(0, constraint).trimEnd().slice(0, -1)})`
  await connection.exec(`
    create table terms_rebuilt ${kept};
    insert into terms_rebuilt select * from terms;
    drop table terms;
    alter table terms_rebuilt rename to terms;
    update sqlite_sequence set seq = ${next} where name = 'terms';
    ${parts.map((part) => `${part};`).join('\n')}
    ${index}`)
  const facts = statistics.flatMap(({ idx, stat }) =>
    String(idx).startsWith('sqlite_autoindex') ? [] : [[String(idx), String(stat)]],
  )
  await describeIndexes(connection, 'terms', { ...Object.fromEntries(facts), terms_by_slug: '20000 5000 1 1' })
}

/** Returns the SQL of the table, of its indexes and triggers, and the highest ID that it has given. */
async function describeTable(connection: Connection) {
  const rows = await connection.all(
    `select type, sql from sqlite_schema where tbl_name = 'terms' and sql is not null`,
    [],
  )
  const sequence = await connection.first(`select seq from sqlite_sequence where name = 'terms'`, [])
  return {
    table: String(rows.find(({ type }) => type === 'table')?.sql),
    parts: rows.flatMap(({ type, sql }) => (type === 'table' ? [] : [String(sql)])),
    next: Number(sequence?.seq ?? 0),
  }
}
