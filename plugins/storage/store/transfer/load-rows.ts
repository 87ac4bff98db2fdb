import type { Value } from '../parameters.ts'
import type { CanonicalRow } from './read-rows.ts'
import type { CanonicalValue } from './canonical.ts'
import type { RawConnection } from './raw-connection.ts'
import { quoted, type DataTable } from './table-columns.ts'

/** Bound values of a statement. */
const MAX_STATEMENT_PARAMETERS = 3000

/** Inserts rows whose values are in their canonical form. */
export async function insertRows(
  connection: RawConnection,
  { name, columns }: DataTable,
  rows: readonly CanonicalRow[],
): Promise<void> {
  const size = Math.max(1, Math.floor(MAX_STATEMENT_PARAMETERS / columns.length))
  const names = columns.map((column) => quoted(column.name)).join(', ')
  // IDs are kept, including IDs that the database generates.
  const overriding = connection.dialect === 'postgres' ? 'overriding system value' : ''
  for (let start = 0; start < rows.length; start += size) {
    const part = rows.slice(start, start + size)
    const values: Value[] = []
    const marks = part.map((row) => {
      const places = row.map((value) => {
        const { sql, bound } = boundValue(value, connection.dialect)
        if (bound === undefined) return sql
        values.push(bound)
        return connection.dialect === 'sqlite' ? '?' : `$${values.length}`
      })
      return `(${places.join(', ')})`
    })
    await connection.run(`insert into ${quoted(name)} (${names}) ${overriding} values ${marks.join(', ')}`, values)
  }
}

/** A value as a parameter, which the type of its column converts, or as SQL. */
function boundValue(value: CanonicalValue, dialect: RawConnection['dialect']): { sql: string; bound?: Value } {
  if (value === null) return { sql: 'null' }
  if (typeof value === 'string') return { sql: '', bound: value }
  const hex = value.toString('hex')
  return dialect === 'sqlite' ? { sql: `x'${hex}'` } : { sql: '', bound: String.raw`\x` + hex }
}

/**
 * Removes triggers, and on PostgreSQL foreign keys, before tables are filled: copied rows must not be recorded as changes,
 * and can refer to later rows.
 * @returns restores them, which checks all foreign keys
 */
export async function withoutTriggers(connection: RawConnection): Promise<() => Promise<void>> {
  return connection.dialect === 'sqlite' ? withoutSqliteTriggers(connection) : withoutPostgresTriggers(connection)
}

async function withoutSqliteTriggers(connection: RawConnection): Promise<() => Promise<void>> {
  await connection.exec('pragma defer_foreign_keys = on')
  const triggers = await connection.all(`select name, sql from sqlite_schema where type = 'trigger' order by rowid`, [])
  for (const { name } of triggers) await connection.exec(`drop trigger ${quoted(String(name))}`)
  return async () => {
    for (const { sql } of triggers) await connection.exec(String(sql))
    // The text index is built from the queue.
    await connection.exec('insert into posts_text_queue select id from posts')
    const broken = await connection.first('pragma foreign_key_check', [])
    if (broken !== undefined) throw new Error(`The table ${String(broken['table'])} refers to a missing row.`)
  }
}

async function withoutPostgresTriggers(connection: RawConnection): Promise<() => Promise<void>> {
  const keys = await connection.all(
    `select conname as name, conrelid::regclass::text as "table", pg_get_constraintdef(oid) as definition
      from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace order by oid`,
    [],
  )
  const tables = await connection.all(
    `select distinct tgrelid::regclass::text as "table" from pg_trigger join pg_class on pg_class.oid = tgrelid
      where not tgisinternal and tgenabled <> 'D' and relnamespace = current_schema()::regnamespace`,
    [],
  )
  for (const { name, table } of keys)
    await connection.exec(`alter table ${String(table)} drop constraint ${quoted(String(name))}`)
  for (const { table } of tables) await connection.exec(`alter table ${String(table)} disable trigger user`)
  return async () => {
    for (const { name, table, definition } of keys)
      await connection.exec(`alter table ${String(table)} add constraint ${quoted(String(name))} ${String(definition)}`)
    for (const { table } of tables) await connection.exec(`alter table ${String(table)} enable trigger user`)
  }
}
