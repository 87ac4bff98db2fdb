import { errors } from './errors.ts'
import type { Dialect, Executor } from '../backend.ts'
import { openDatabase } from '../open.ts'
import { sql, CompiledQuery } from '../kysely.ts'
import { updateStatistics } from '../postgres/statistics.ts'
import type { Migrations } from '../plugin-tables/migration.ts'
import type { Store } from '../store.ts'
import { TableDigest } from './canonical.ts'
import { insertRows, withoutTriggers } from './load-rows.ts'
import { withRawConnection, type RawConnection } from './raw-connection.ts'
import { readRows } from './read-rows.ts'
import { lastNumbers, setSequences } from './sequences.ts'
import { dataTables, quoted, withKindsOf, type DataTable } from './table-columns.ts'

/** A copied table. */
export interface TransferredTable {
  readonly table: string
  readonly rows: number
  /** Hash of all rows, the same in both databases. */
  readonly hash: string
}

export interface TransferOptions {
  /** URL of the target. */
  readonly to: string
  /** Creates the tables of the running plugins in the target. */
  readonly migrations: Migrations
  /** Called after each batch. */
  onProgress?(table: string, rows: number): void
}

/** Tables that must have no rows in the target. */
const CONTENT_TABLES = ['users', 'posts', 'terms', 'comments', 'options', 'sessions', 'jobs', 'webhooks'] as const

/**
 * Copies all tables of a database into an empty one of any dialect, from one snapshot of the source, and compares counts
 * and hashes of both at the end. The target is filled in one transaction: after a failure it has empty tables.
 * @throws TRANSFER_NOT_EMPTY, TRANSFER_TABLE_UNKNOWN, TRANSFER_COLUMNS_DIFFER, TRANSFER_DIFFERS; errors of both databases
 */
export async function transferDatabase(source: Store, options: TransferOptions): Promise<TransferredTable[]> {
  const { to, migrations } = options
  await prepareTarget(to, migrations)
  return await source.snapshot(async (reader) => {
    const from = executorOf(reader)
    return await withRawConnection(to, async (target) => {
      const tables = await tablesToCopy(from, reader.dialect, target)
      await target.begin()
      try {
        if (target.dialect === 'postgres') await target.exec(WITHOUT_LIMITS)
        const transferred = await new Transfer(from, reader.dialect, target, tables, options).run()
        await target.commit()
        return transferred
      } catch (error) {
        await target.rollback()
        throw error
      }
    })
  })
}

const WITHOUT_LIMITS =
  'set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0'

/** Creates the tables of the target. @throws TRANSFER_NOT_EMPTY */
async function prepareTarget(to: string, migrations: Migrations): Promise<void> {
  const target = await openDatabase(to)
  try {
    for (const table of CONTENT_TABLES) {
      const row = await target.first(sql`select 1 as one from ${sql.table(table)} limit 1`)
      if (row !== undefined) throw errors.TRANSFER_NOT_EMPTY(table)
    }
    await migrations.createTables(target)
  } finally {
    await target.close()
  }
}

/** Reads through a store. */
function executorOf(reader: Store): Executor {
  const query = (text: string, values: readonly unknown[]) => CompiledQuery.raw(text, [...values])
  return {
    all: (text, values) => reader.all<Record<string, unknown>>(query(text, values), []),
    first: (text, values) => reader.first<Record<string, unknown>>(query(text, values), []),
    run: () => Promise.reject(new Error('A transfer does not write to its source.')),
  }
}

interface CopiedTable {
  readonly source: DataTable
  readonly target: DataTable
}

/** @throws TRANSFER_TABLE_UNKNOWN, TRANSFER_COLUMNS_DIFFER */
async function tablesToCopy(from: Executor, dialect: Dialect, target: RawConnection): Promise<CopiedTable[]> {
  const here = await dataTables(from, dialect)
  const there = await dataTables(target, target.dialect)
  const [sources, targets] = [
    target.dialect === 'postgres' && dialect === 'sqlite' ? withKindsOf(here, there) : here,
    dialect === 'postgres' && target.dialect === 'sqlite' ? withKindsOf(there, here) : there,
  ]
  return sources.map((source) => {
    const other = targets.find(({ name }) => name === source.name)
    if (other === undefined) throw errors.TRANSFER_TABLE_UNKNOWN(source.name, source.name.split('__')[0]!)
    const namesOf = ({ columns }: DataTable) => columns.map(({ name }) => name)
    const [own, others] = [namesOf(source), namesOf(other)]
    if (own.toSorted().join() !== others.toSorted().join())
      throw errors.TRANSFER_COLUMNS_DIFFER(source.name, own.join(', '), others.join(', '))
    // In the order of the source.
    return { source, target: { ...other, columns: own.map((name) => other.columns.find((one) => one.name === name)!) } }
  })
}

class Transfer {
  readonly #from: Executor
  readonly #dialect: Dialect
  readonly #target: RawConnection
  readonly #tables: readonly CopiedTable[]
  readonly #options: TransferOptions

  constructor(
    from: Executor,
    dialect: Dialect,
    target: RawConnection,
    tables: readonly CopiedTable[],
    options: TransferOptions,
  ) {
    this.#from = from
    this.#dialect = dialect
    this.#target = target
    this.#tables = tables
    this.#options = options
  }

  async run(): Promise<TransferredTable[]> {
    const restore = await withoutTriggers(this.#target)
    // Rows that migrations have inserted.
    for (const { target } of this.#tables) await this.#target.exec(`delete from ${quoted(target.name)}`)
    const digests = new Map<string, TableDigest>()
    for (const table of this.#tables) digests.set(table.source.name, await this.#copy(table))
    await restore()
    if (this.#target.dialect === 'postgres') await updateStatistics(this.#target)
    await setSequences(this.#target, await lastNumbers(this.#from, this.#dialect))
    const transferred: TransferredTable[] = []
    for (const { target } of this.#tables) transferred.push(await this.#compare(target, digests.get(target.name)!))
    return transferred
  }

  async #copy({ source, target }: CopiedTable): Promise<TableDigest> {
    const digest = new TableDigest()
    for await (const rows of readRows(this.#from, this.#dialect, source)) {
      digest.add(rows)
      await insertRows(this.#target, target, rows)
      this.#options.onProgress?.(source.name, digest.rows)
    }
    return digest
  }

  /** Reads a filled table. @throws TRANSFER_DIFFERS */
  async #compare(table: DataTable, { rows, hash }: TableDigest): Promise<TransferredTable> {
    const digest = new TableDigest()
    for await (const batch of readRows(this.#target, this.#target.dialect, table)) digest.add(batch)
    if (digest.rows !== rows || digest.hash !== hash) throw errors.TRANSFER_DIFFERS(table.name, rows, digest.rows)
    return { table: table.name, rows, hash }
  }
}
