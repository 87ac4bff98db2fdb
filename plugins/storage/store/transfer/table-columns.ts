import type { Dialect, Executor } from '../backend.ts'

/** How the values of a column are compared and converted. */
export type ColumnKind = 'text' | 'integer' | 'real' | 'boolean' | 'time' | 'json' | 'bytes'

export interface TableColumn {
  readonly name: string
  readonly kind: ColumnKind
  /** Place in the primary key, from 1; 0 for other columns. */
  readonly keyPlace: number
}

/** A table with the columns that can be written. */
export interface DataTable {
  readonly name: string
  readonly columns: readonly TableColumn[]
}

/** Tables whose rows belong to one database: its own versions, its text index, and changes in progress. */
const OWN_TABLES: ReadonlySet<string> = new Set(['changing', 'migrations', 'plugin_migrations', 'posts_text_queue'])

/** Returns the tables of a database whose rows are data of the site, by name. */
export async function dataTables(executor: Executor, dialect: Dialect): Promise<DataTable[]> {
  const rows = await executor.all(dialect === 'sqlite' ? SQLITE_COLUMNS : POSTGRES_COLUMNS, [])
  const byTable = Map.groupBy(rows as unknown as ColumnRow[], ({ table }) => table)
  return [...byTable]
    .filter(([name]) => !OWN_TABLES.has(name))
    .map(([name, columns]) => ({
      name,
      columns: columns.map((column) => ({
        name: column.name,
        kind: kindOf(column.type.toLowerCase()),
        keyPlace: Number(column.key),
      })),
    }))
}

interface ColumnRow {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly key: number
}

/** Without virtual tables, the tables that store them, and generated columns. */
const SQLITE_COLUMNS = `
  select list.name as "table", info.name as name, info.type as type, info.pk as key
  from pragma_table_list as list join pragma_table_xinfo(list.name) as info
  where list.schema = 'main' and list.type = 'table' and substr(list.name, 1, 7) <> 'sqlite_' and info.hidden = 0
  order by list.name, info.cid`

const POSTGRES_COLUMNS = `
  select relname as "table", attname as name, format_type(atttypid, null) as type,
    coalesce(array_position(indkey::int2[], attnum), -1) + 1 as key
  from pg_class join pg_attribute on attrelid = pg_class.oid
    left join pg_index on indrelid = pg_class.oid and indisprimary
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attnum > 0
    and not attisdropped and attgenerated = ''
  order by relname collate "C", attnum`

const KINDS: readonly (readonly [pattern: RegExp, kind: ColumnKind])[] = [
  [/^bool/, 'boolean'],
  [/^(?:timestamp|date|time)/, 'time'],
  [/^json/, 'json'],
  [/^(?:bytea|blob)/, 'bytes'],
  [/^(?:real|double|float|numeric|decimal)/, 'real'],
  [/int|serial/, 'integer'],
]

function kindOf(type: string): ColumnKind {
  return KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? 'text'
}

/**
 * Returns the tables with the kinds of both databases: SQLite stores booleans, times and JSON in columns of other
 * types.
 */
export function withKindsOf(tables: readonly DataTable[], precise: readonly DataTable[]): DataTable[] {
  return tables.map((table) => {
    const other = precise.find(({ name }) => name === table.name)
    const kindIn = (name: string) => other?.columns.find((column) => column.name === name)?.kind
    return {
      ...table,
      columns: table.columns.map((column) => ({ ...column, kind: kindIn(column.name) ?? column.kind })),
    }
  })
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
