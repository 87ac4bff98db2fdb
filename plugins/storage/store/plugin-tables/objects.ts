import { sql } from '../kysely.ts'
import type { Store } from '../store.ts'

/** A named object of the database. */
export interface DatabaseObject {
  readonly type: 'table' | 'view' | 'index' | 'sequence' | 'trigger' | 'type' | 'domain' | 'routine'
  readonly name: string
  /** Table of an index or a trigger; arguments of a function or procedure; otherwise ''. */
  readonly of: string
  /** 1 if SQLite stores it in further tables, which are dropped with it. */
  readonly virtual: number
}

/** Returns the objects of the database, in the order of their creation if that is known. */
export function databaseObjects(store: Store): Promise<DatabaseObject[]> {
  return store.all(store.dialect === 'sqlite' ? inSqlite : inPostgres, [])
}

const inSqlite = sql<DatabaseObject>`
  select type, name, tbl_name as "of", sql like ${'create virtual%'} as virtual from sqlite_schema
    where substr(name, 1, 7) <> ${'sqlite_'} order by rowid`

const inPostgres = sql<DatabaseObject>`
  select case relkind when 'i' then 'index' when 'I' then 'index' when 'v' then 'view' when 'm' then 'view'
      when 'S' then 'sequence' else 'table' end as type,
    relname as name, coalesce((select indrelid::regclass::text from pg_index where indexrelid = pg_class.oid), '') as "of",
    0 as virtual
    from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'f', 'i', 'I', 'v', 'm', 'S')
  union all select 'trigger', tgname, tgrelid::regclass::text, 0
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where not tgisinternal and relnamespace = current_schema()::regnamespace
  union all select case typtype when 'd' then 'domain' else 'type' end, typname, '', 0
    from pg_type left join pg_class on pg_class.oid = typrelid
    where typnamespace = current_schema()::regnamespace and (typtype in ('d', 'e', 'r') or relkind = 'c')
      and not exists (select from pg_depend where objid = pg_type.oid and deptype = 'e')
  union all select 'routine', proname, pg_get_function_identity_arguments(oid), 0
    from pg_proc where pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype in ('e', 'i'))`

/** Returns the statement that drops an object, which may already be dropped with another one. */
export function dropStatement({ dialect }: Store, { type, name, of }: DatabaseObject): string {
  const quoted = `"${name.replaceAll('"', '""')}"`
  const postgres = dialect === 'postgres'
  const object =
    type === 'trigger' && postgres ? `${quoted} on ${of}` : type === 'routine' ? `${quoted}(${of})` : quoted
  return `drop ${type} if exists ${object}${postgres ? ' cascade' : ''}`
}

/** Sorts objects so that each can be dropped: objects that refer to a table were created after it. */
export function inDropOrder(objects: readonly DatabaseObject[]): DatabaseObject[] {
  const order: readonly DatabaseObject['type'][] = [
    'trigger',
    'view',
    'table',
    'index',
    'sequence',
    'routine',
    'type',
    'domain',
  ]
  return objects.toReversed().toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type) || b.virtual - a.virtual)
}
