import type { Dialect, Executor } from '../backend.ts'
import type { RawConnection } from './raw-connection.ts'
import { quoted } from './table-columns.ts'

/** The last generated number of each table, so that IDs of deleted rows are not used again. */
export async function lastNumbers(executor: Executor, dialect: Dialect): Promise<Map<string, number>> {
  const rows = await executor.all(dialect === 'sqlite' ? SQLITE_SEQUENCES : POSTGRES_SEQUENCES, [])
  return new Map(rows.map(({ table, last }) => [String(table), Number(last)]))
}

const SQLITE_SEQUENCES = `select name as "table", seq as last from sqlite_sequence`

/** The sequences that columns own, as serial and identity columns do. */
const SEQUENCES = `
  select relname as "table", attname as "column", pg_get_serial_sequence(quote_ident(relname), attname) as sequence
  from pg_class join pg_attribute on attrelid = pg_class.oid
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped
    and pg_get_serial_sequence(quote_ident(relname), attname) is not null`

const POSTGRES_SEQUENCES = `
  select "table", coalesce(pg_sequence_last_value(sequence::regclass), 0) as last from (${SEQUENCES}) as numbered`

/** Continues the numbering of a filled database after the highest ID and the last number of the other database. */
export async function setSequences(connection: RawConnection, last: ReadonlyMap<string, number>): Promise<void> {
  if (connection.dialect === 'sqlite') {
    for (const [table, number] of last) {
      await connection.run('update sqlite_sequence set seq = max(seq, ?) where name = ?', [number, table])
      await connection.run(
        `insert into sqlite_sequence (name, seq) select name, ? from sqlite_schema
          where type = 'table' and name = ? and sql like '%autoincrement%'
            and name not in (select name from sqlite_sequence)`,
        [number, table],
      )
    }
    return
  }
  for (const { table, column, sequence } of await connection.all(SEQUENCES, [])) {
    const highest = await connection.first(
      `select coalesce(max(${quoted(String(column))}), 0) as highest from ${quoted(String(table))}`,
      [],
    )
    const next = Math.max(Number(highest?.['highest']), last.get(String(table)) ?? 0) + 1
    await connection.first('select setval($1::regclass, $2::bigint, false)', [String(sequence), String(next)])
  }
}
