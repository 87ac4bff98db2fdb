import type { CompiledQuery } from 'kysely'
import { cleanText } from '../../../kernel/index.ts'
import { cleanJson } from '../../library/markup/index.ts'
import { SYNC_STATUS_KEY } from '../../content/meta-keys.ts'
import { exportedNames, TYPE_PREFIXES } from '../../library/branding/index.ts'
import { formatUtc } from '../../resources/index.ts'
import { MENU_ITEM_KEYS } from '../../content/menu-items.ts'
import type { Database, Store } from '../../storage/store/index.ts'
import { IdSequence } from './id-map.ts'
import { looksSerialised, mapTexts, readValue, storedValue, type Value } from './php-values.ts'
import type { Counters } from './report.ts'
import type { TextFilter } from './text-filter.ts'
import type { Rewrite } from './url-rewriter.ts'
import type { WxrMeta } from './wxr/types.ts'

/** Numbers of rows per insert statement. Few sizes, so that prepared statements are reused. */
const ROWS = [128, 32, 8, 1]
/** Maximum bound values per statement; SQLite allows 32,766, PostgreSQL 65,535. */
const MAX_STATEMENT_PARAMETERS = 3000
/** Maximum ancestors to follow when searching for a cycle. */
const MAX_PARENT_LEVELS = 100

type ImportParts = Pick<ImportContext, 'tx' | 'counters' | 'rewrite' | 'home' | 'filter' | 'trustsHtml' | 'brandedName'>

/** State and helpers shared by all parts of one import. */
export class ImportContext {
  /** The transaction of the import. */
  readonly tx: Store
  readonly counters: Counters
  /** Replaces URLs of the old site in a text with URLs of this site. */
  readonly rewrite: Rewrite
  /** Home URL of this site, which replaces the old one; null if URLs are not rewritten. */
  readonly home: string | null
  readonly filter: TextFilter
  /** Whether content keeps all HTML, regardless of the author's capabilities. */
  readonly trustsHtml: boolean
  /** Name on this site of a type or taxonomy that carries the product's word; the argument omits the word. */
  readonly brandedName: (name: string) => string
  /** Start of the import, `YYYY-MM-DD HH:MM:SS` in UTC; the date of items without a date in the file. */
  readonly now = formatUtc(Date.now() / 1000)
  readonly #inserts = new Map<string, CompiledQuery>()

  constructor({ tx, counters, rewrite, home, filter, trustsHtml, brandedName }: ImportParts) {
    this.tx = tx
    this.counters = counters
    this.rewrite = rewrite
    this.home = home
    this.filter = filter
    this.trustsHtml = trustsHtml
    this.brandedName = brandedName
  }

  /** Converts the name of a content type or taxonomy, which can carry the word of another site, to the word of this site. */
  typeName(name: string): string {
    const prefix = TYPE_PREFIXES.find((known) => name.startsWith(known))
    return prefix === undefined ? name : this.brandedName(name.slice(prefix.length))
  }

  /** Maps a meta key to the stored key, which lacks the word. */
  metaKey(key: string): string {
    const { metaPrefix, typePrefix } = exportedNames
    if (key === `${typePrefix}${SYNC_STATUS_KEY}`) return SYNC_STATUS_KEY
    return key.startsWith(metaPrefix) ? `_${key.slice(metaPrefix.length)}` : key
  }

  /** Reads a meta value of the file: rewrites its URLs, and gives the name of a type the word of this site. */
  metaValue(key: string, text: string): Value {
    if (key === MENU_ITEM_KEYS.object) return this.typeName(text)
    if (!looksSerialised(text)) return this.rewrite(text)
    const value = readValue(text)
    // Serialized text that cannot be read contains lengths, so only characters that the database cannot store are
    // removed.
    return value === text ? cleanText(text) : mapTexts(cleanJson(value) as Value, this.rewrite)
  }

  /** Converts meta of the file to rows: owner ID, key, value, whether the value is JSON. */
  metaRows(owner: number, meta: readonly WxrMeta[]): unknown[][] {
    return meta.flatMap(({ key, value }) => {
      const stored = storedValue(this.metaValue(key, value))
      return key === '' ? [] : [[owner, this.metaKey(key), stored.value, stored.json]]
    })
  }

  /**
   * Inserts rows in order.
   * @param columns names in the order of each row's values
   */
  async insert<T extends keyof Database>(
    table: T,
    columns: readonly (keyof Database[T] & string)[],
    rows: readonly (readonly unknown[])[],
  ): Promise<void> {
    let start = 0
    for (const size of ROWS) {
      if (size > 1 && size * columns.length > MAX_STATEMENT_PARAMETERS) continue
      for (; rows.length - start >= size; start += size) {
        const parameters = rows.slice(start, start + size).flat()
        await this.tx.run({ ...this.#insertOf(table, columns, size), parameters })
      }
    }
  }

  /** Creates the sequence of IDs for new rows of a table. */
  async idSequence(table: 'users' | 'posts' | 'terms' | 'comments'): Promise<IdSequence> {
    const query = this.tx.db.selectFrom(table).select((of) => of.fn.max<number | null>('id').as('highest'))
    return new IdSequence((await this.tx.first(query))?.highest ?? 0)
  }

  /** Whether `id` is `above` or one of its ancestors, so that making it a child of `above` would create a cycle. */
  async isAbove(table: 'posts' | 'terms', id: number, above: number): Promise<boolean> {
    let current = above
    for (let step = 0; current !== 0; step += 1) {
      if (current === id || step === MAX_PARENT_LEVELS) return true
      const query = this.tx.db.selectFrom(table).select('parent_id').where('id', '=', current)
      current = (await this.tx.first(query))?.parent_id ?? 0
    }
    return false
  }

  #insertOf<T extends keyof Database>(table: T, columns: readonly string[], size: number): CompiledQuery {
    const name = `${table} ${size}`
    let query = this.#inserts.get(name)
    if (query === undefined) {
      const row = Object.fromEntries(columns.map((column) => [column, 0]))
      query = this.tx.db
        .insertInto(table)
        .values(Array.from({ length: size }, () => row) as never)
        .compile()
      this.#inserts.set(name, query)
    }
    return query
  }
}

/**
 * Pads a list to a power of two by repeating its last value, so that statements with lists have few different texts.
 */
export function padded<T>(values: readonly T[]): T[] {
  const size = 2 ** Math.ceil(Math.log2(Math.max(1, values.length)))
  return Array.from({ length: size }, (_, index) => values[Math.min(index, values.length - 1)] as T)
}
