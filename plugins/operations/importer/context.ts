import type { CompiledQuery } from 'kysely'
import { cleanText, type PluginContext } from '../../../kernel/index.ts'
import { cleanJson } from '../../library/markup/index.ts'
import { SYNC_STATUS_KEY } from '../../content/meta-keys.ts'
import { exportedNames, TYPE_PREFIXES } from '../../library/branding/index.ts'
import { formatUtc } from '../../resources/index.ts'
import { MENU_ITEM_KEYS } from '../../content/menu-items.ts'
import type { Database, Store } from '../../storage/store/index.ts'
import { IdSequence } from './id-map.ts'
import { padded } from './lists.ts'
import type { Findings } from './findings.ts'
import { Links } from './old-sites/links.ts'
import type { OldSite } from './old-sites/old-site.ts'
import { PendingValues } from './old-sites/pending-values.ts'
import type { MappedKind } from './old-sites/tables.ts'
import { AttachmentPaths } from './media.ts'
import { looksSerialised, mapTexts, readValue, type Value } from './php-values.ts'
import type { Counters } from './report.ts'
import type { TextFilter } from './text-filter.ts'
import type { Rewrite } from './url-rewriter.ts'
import { ImportedValues, type MapValue } from './values.ts'

/** Numbers of rows per insert statement. Few sizes, so that prepared statements are reused. */
const ROWS = [128, 32, 8, 1]
/** Maximum bound values per statement; SQLite allows 32,766, PostgreSQL 65,535. */
const MAX_STATEMENT_PARAMETERS = 3000
/** Note about a block of a plugin with an ambiguous ID. */
const UNCLEAR_ID_NOTE = 'block of a plugin whose "id" may refer to an object of the file; unchanged'
/** Maximum ancestors to follow when searching for a cycle. */
const MAX_PARENT_LEVELS = 100

type ImportParts = Pick<
  ImportContext,
  'tx' | 'counters' | 'rewrite' | 'home' | 'filter' | 'trustsHtml' | 'brandedName' | 'oldSite' | 'restores'
> & {
  mapValue?: MapValue | undefined
  mapValueTaps: readonly string[]
  findings: Findings
  slugHook: SlugHook | undefined
}
export type SlugHook = PluginContext['hooks']['slug_owners']

/** State and helpers shared by all parts of one import. */
export class ImportContext {
  /** The transaction of the import. */
  readonly tx: Store
  readonly counters: Counters
  /** The lasting map of the old site. */
  readonly oldSite: OldSite
  /** Whether objects that were deleted here are added again. */
  readonly restores: boolean
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
  /** Resolves references to objects of the old site. */
  readonly links: Links
  /** Values that refer to objects that are not here yet. */
  readonly pending: PendingValues
  readonly values: ImportedValues
  /** Names of the functions that map values for plugins, which are part of each source. */
  readonly mapValueTaps: readonly string[]
  /** The filter of slugs that are in use, if a tap decides about them. */
  readonly slugHook: SlugHook | undefined
  /** Whether all records are read, and pending values are resolved. */
  isResolving = false
  /** Data that the import found in the files. */
  readonly findings: Findings
  /** Paths of the files of attachments. */
  readonly paths = new AttachmentPaths()
  readonly #inserts = new Map<string, CompiledQuery>()

  constructor(parts: ImportParts) {
    const { tx, counters, rewrite, home, filter, trustsHtml, brandedName, oldSite, restores } = parts
    this.tx = tx
    this.counters = counters
    this.oldSite = oldSite
    this.restores = restores
    this.rewrite = rewrite
    this.home = home
    this.filter = filter
    this.trustsHtml = trustsHtml
    this.brandedName = brandedName
    this.links = new Links(oldSite, (name) => this.typeName(name))
    this.pending = new PendingValues(tx, oldSite)
    this.values = new ImportedValues(this, parts.mapValue)
    this.mapValueTaps = parts.mapValueTaps
    this.findings = parts.findings
    this.slugHook = parts.slugHook
  }

  /** Reports a block of a plugin whose `id` may or may not be an ID of an imported object. */
  noteBlock(block: string): void {
    if (!this.isResolving) this.counters.note(UNCLEAR_ID_NOTE, block)
  }

  /** Converts the name of a content type or taxonomy, which can carry the word of another site, to the word of this site. */
  typeName(name: string): string {
    return typeNameOf(name, this.brandedName)
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

  /** Creates the sequence of IDs for new objects of a kind. */
  async idSequence(kind: MappedKind): Promise<IdSequence> {
    const query = this.tx.db.selectFrom(`${kind}s`).select((of) => of.fn.max<number | null>('id').as('highest'))
    const highest = (await this.tx.first(query))?.highest ?? 0
    if (highest === 0 && this.oldSite.isNew) await this.oldSite.keepIds(kind)
    return new IdSequence(highest, this.oldSite.keepsIds(kind))
  }

  /** Returns the IDs, among the given ones, that no row of a table uses. Other rows must be written before. */
  async freeIds(kind: MappedKind, sequence: IdSequence, ids: readonly number[]): Promise<Set<number>> {
    if (!sequence.keep) return new Set()
    const free = new Set(ids)
    const doubtful = [...free].filter((id) => id <= sequence.highest)
    if (doubtful.length === 0) return free
    const query = this.tx.db.selectFrom(`${kind}s`).select('id')
    for (const { id } of await this.tx.all(query.where('id', 'in', padded(doubtful)))) free.delete(id)
    return free
  }

  /** Whether `id` is `above` or one of its ancestors, so that making it a child of `above` would create a cycle. */
  async isAbove(table: 'posts' | 'terms' | 'comments', id: number, above: number): Promise<boolean> {
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
 * Converts the name of a content type or taxonomy, which can carry the word of another site, to the word of this site.
 * @param brandedName returns the name on this site of a type; its argument omits the word
 */
export function typeNameOf(name: string, brandedName: (name: string) => string): string {
  const prefix = TYPE_PREFIXES.find((known) => name.startsWith(known))
  return prefix === undefined ? name : brandedName(name.slice(prefix.length))
}
