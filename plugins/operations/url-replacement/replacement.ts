import { setImmediate as turn } from 'node:timers/promises'
import { sql, type Store } from '../../storage/store/index.ts'
import { rememberHome, HOME_OPTION } from './content-home.ts'
import { TEXT_TABLES, type TextTable } from './places.ts'
import { changeValue } from './stored-value.ts'
import { urlReplacer, type UrlReplacer } from './url-forms.ts'

/** Options of a replacement: `{ from: 'http://old.example', to: 'https://new.example' }`. */
export interface UrlReplacementOptions {
  from: string
  to: string
  /** Whether it only counts. Default: false. */
  dryRun?: boolean
  /** Whether GUIDs keep their URLs. Default: false. */
  keepGuids?: boolean
}

/** Replacements in one column. */
export interface ReplacedColumn {
  readonly table: string
  readonly column: string
  /** Number of changed rows, and of replaced URLs in them. */
  readonly rows: number
  readonly urls: number
}

/** Rows read at a time. */
const ROWS_PER_BATCH = 200

type Row = Record<string, string | number>

/** Replaces URLs in all texts of a site in one transaction. See `UrlReplacement.run`. */
export async function replaceUrls(
  store: Store,
  { from, to, dryRun = false, keepGuids = false }: UrlReplacementOptions,
): Promise<ReplacedColumn[]> {
  const replacer = urlReplacer(from, to)
  if (dryRun) return store.snapshot((reader) => new Replacement(reader, replacer, false, keepGuids).run())
  return store.bulk(() =>
    store.inTurn(async (tx) => {
      await liftLimits(tx)
      const replaced = await new Replacement(tx, replacer, true, keepGuids).run()
      await rememberHome(tx, replacer, to)
      return replaced
    }),
  )
}

/** The limits of requests do not apply. */
async function liftLimits(tx: Store): Promise<void> {
  if (tx.dialect !== 'postgres') return
  for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
    await tx.all(sql`select set_config(${limit}, '0', true)`)
}

class Replacement {
  readonly #store: Store
  readonly #replacer: UrlReplacer
  readonly #writes: boolean
  readonly #keepGuids: boolean
  readonly #replaced = new Map<string, { table: string; column: string; rows: number; urls: number }>()

  constructor(store: Store, replacer: UrlReplacer, writes: boolean, keepGuids: boolean) {
    this.#store = store
    this.#replacer = replacer
    this.#writes = writes
    this.#keepGuids = keepGuids
  }

  async run(): Promise<ReplacedColumn[]> {
    for (const { columns, ...table } of TEXT_TABLES) {
      const used = columns.filter(({ column }) => column !== 'guid' || !this.#keepGuids)
      await this.#inTable({ ...table, columns: used })
    }
    return [...this.#replaced.values()]
  }

  async #inTable(place: TextTable): Promise<void> {
    const { table, key, columns } = place
    const found = columns.map(({ column }) => sql<boolean>`${this.#store.contains(column, this.#replacer.needle)}`)
    const names = [key, ...columns.map(({ column }) => column), ...(hasJsonColumn(place) ? ['json'] : [])]
    for (let last: string | number = key === 'id' ? 0 : ''; ;) {
      const rows: Row[] = await this.#store.all(
        sql<Row>`select ${sql.join(names.map((name) => sql.ref(name)))} from ${sql.table(table)}
          where ${sql.ref(key)} > ${last} and (${sql.join(found, sql` or `)})
          order by ${sql.ref(key)} limit ${sql.lit(ROWS_PER_BATCH)}`,
        [],
      )
      if (rows.length === 0) return
      last = rows.at(-1)![key]!
      for (const row of rows) await this.#inRow(place, row)
      await turn()
    }
  }

  async #inRow({ table, key, columns }: TextTable, row: Row): Promise<void> {
    // It is set to the new home with the replacement.
    if (table === 'options' && row[key] === HOME_OPTION) return
    const changed: [column: string, value: string][] = []
    for (const { column, json } of columns) {
      const before = String(row[column])
      const isJson = json === true || (json === 'json' && row['json'] === 1)
      const countBefore = this.#replacer.count
      const after = changeValue(before, isJson, (text) => this.#replacer.replace(text))
      const urls = this.#replacer.count - countBefore
      if (after === before) continue
      changed.push([column, after])
      this.#add(table, column, urls)
    }
    if (changed.length === 0 || !this.#writes) return
    const values = changed.map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
    await this.#store.run(sql`update ${sql.table(table)} set ${sql.join(values)} where ${sql.ref(key)} = ${row[key]}`)
  }

  #add(table: string, column: string, urls: number): void {
    const name = `${table}.${column}`
    const counted = this.#replaced.get(name) ?? { table, column, rows: 0, urls: 0 }
    counted.rows += 1
    counted.urls += urls
    this.#replaced.set(name, counted)
  }
}

function hasJsonColumn({ columns }: TextTable): boolean {
  return columns.some(({ json }) => json === 'json')
}
