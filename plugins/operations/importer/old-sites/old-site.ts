import type { CompiledQuery } from 'kysely'
import type { Store } from '../../../storage/store/index.ts'
import { IdMap, isId } from '../id-map.ts'
import { inBatches, padded } from '../lists.ts'
import { normalizeHome } from './fingerprint.ts'
import { tablesOf, type ImporterTables, type MappedKind } from './tables.ts'

/** An object of an old site on this site. */
export interface MappedObject {
  /** ID on this site; 0 if the object was deleted here. */
  newId: number
  /** Hash of the GUID of a post, the slug of a term or the login of a user; 0 if unknown. */
  name: number
  /** Hash of the object as the old site has it; 0 if unknown. */
  source: number
  /** Hash of the object as the import wrote it; 0 if the object was here before the import. */
  written: number
}

/** The address of an object: `old_id` on the old site, negative for objects without an ID there. */
export interface ObjectKey {
  readonly kind: MappedKind
  /** Taxonomy of a term on this site, else `''`. */
  readonly taxonomy: string
  readonly oldId: number
}

/** Kind of the rows of drafts that were never saved, which are not imported. */
const UNSAVED = 'unsaved'
/** Post IDs that are cached in 8 to 16 bytes each, before the cache starts again. */
const MAX_CACHED_IDS = 1_000_000
/** Rows per insert statement. Few sizes, so that prepared statements are reused. */
const ROWS_PER_INSERT = [128, 16, 1] as const

/**
 * The lasting map of one old site: which object of this site each of its objects has become. It lives in the tables
 * `importer__sites` and `importer__objects`, so that later imports find the objects of earlier ones. Create it within
 * the transaction of an import, and call `flush` before the transaction ends.
 *
 * @example
 * const site = await OldSite.open(tx, 'https://old.example')
 * await site.load('post', [12, 30])
 * site.newIdOf('post', 30) // 812, or 0 if no import has brought it, or if it was deleted here
 */
export class OldSite {
  /** Row of the old site in `importer__sites`. */
  readonly id: number
  /** Normalised home URL; `''` if the file does not name it. */
  readonly home: string
  /** Whether this is the first import from the old site. */
  readonly isNew: boolean
  readonly #tx: Store
  /** Kinds whose objects keep their old IDs. */
  #keeps: Set<string>
  /** New IDs by old ID, of posts. */
  #posts = new IdMap()
  /** Whether `#posts` has all posts of the old site, so that no query is necessary. */
  #hasAllPosts: boolean
  /** New IDs of terms and users, by `keyText`. */
  readonly #others = new Map<string, number>()
  /** New IDs of terms by old ID, for references that do not name the taxonomy. */
  readonly #terms = new Map<number, number>()
  /** Rows to be written. */
  readonly #rows = new Map<string, [key: ObjectKey, object: MappedObject]>()
  readonly #unsaved = new Set<number>()
  readonly #inserts = new Map<number, CompiledQuery>()

  private constructor(
    tx: Store,
    { id, home, isNew, keeps }: { id: number; home: string; isNew: boolean; keeps: string },
  ) {
    this.#tx = tx
    this.home = home
    this.id = id
    this.isNew = isNew
    this.#hasAllPosts = isNew
    this.#keeps = new Set(keeps.split(' ').filter((kind) => kind !== ''))
  }

  /**
   * Opens the map of an old site, and creates it for the first import.
   * @param tx the transaction of the import
   * @param home URL of the old site; its scheme, `www.` and trailing slashes do not matter
   */
  static async open(tx: Store, home: string): Promise<OldSite> {
    const tables = tablesOf(tx)
    const name = normalizeHome(home)
    const row = await tx.first(tables.selectFrom('importer__sites').select(['id', 'keeps']).where('home', '=', name))
    if (row !== undefined) return new OldSite(tx, { ...row, home: name, isNew: false })
    const insert = tables
      .insertInto('importer__sites')
      .values({ home: name, keeps: '' } as never)
      .returning('id')
    const added = await tx.first(insert)
    return new OldSite(tx, { id: added!.id, home: name, isNew: true, keeps: '' })
  }

  /** Whether objects of a kind keep their old IDs if these are free. */
  keepsIds(kind: MappedKind): boolean {
    return this.#keeps.has(kind)
  }

  /** Records that objects of a kind keep their old IDs, because the table was empty before the first import. */
  async keepIds(kind: MappedKind): Promise<void> {
    if (this.#keeps.has(kind)) return
    this.#keeps.add(kind)
    const keeps = [...this.#keeps].join(' ')
    const query = tablesOf(this.#tx).updateTable('importer__sites').set({ keeps })
    await this.#tx.run(query.where('id', '=', this.id))
  }

  /** Returns the objects with these old IDs, by old ID; objects that no import has brought are missing. */
  async find(kind: MappedKind, oldIds: readonly number[], taxonomy = ''): Promise<Map<number, MappedObject>> {
    const found = new Map<number, MappedObject>()
    const stored: number[] = []
    for (const oldId of new Set(oldIds)) {
      const buffered = this.#rows.get(keyText({ kind, taxonomy, oldId }))
      if (buffered !== undefined) found.set(oldId, { ...buffered[1] })
      else if (kind !== 'post' || !this.#hasAllPosts || oldId < 0 || this.#posts.has(oldId)) stored.push(oldId)
    }
    for (const ids of inBatches(stored)) {
      const query = this.#select(kind).where('taxonomy', '=', taxonomy).where('old_id', 'in', padded(ids))
      for (const row of await this.#tx.all(query)) found.set(row.old_id, objectOf(row))
    }
    return found
  }

  /** Loads and returns all objects of a kind. Read only kinds of which sites have few: terms and users. */
  async all(kind: 'term' | 'user'): Promise<(ObjectKey & MappedObject)[]> {
    if (this.isNew) return []
    const rows = await this.#tx.all(this.#select(kind))
    return rows.map((row) => {
      const key = { kind, taxonomy: row.taxonomy, oldId: row.old_id }
      this.#remember(key, row.new_id)
      return { ...key, ...objectOf(row) }
    })
  }

  /** Returns the objects of the old site that objects of this site belong to, by new ID. */
  async findByNewIds(
    kind: MappedKind,
    newIds: readonly number[],
  ): Promise<Map<number, readonly (ObjectKey & MappedObject)[]>> {
    await this.flush()
    const found: (ObjectKey & MappedObject)[] = []
    for (const ids of inBatches(newIds)) {
      for (const row of await this.#tx.all(this.#select(kind).where('new_id', 'in', padded(ids)))) {
        found.push({ kind, taxonomy: row.taxonomy, oldId: row.old_id, ...objectOf(row) })
      }
    }
    return Map.groupBy(found, ({ newId }) => newId)
  }

  /** Loads the new IDs of objects, for `newIdOf`. */
  async load(kind: MappedKind, oldIds: readonly number[], taxonomy = ''): Promise<void> {
    const isPost = kind === 'post'
    if (isPost && this.#hasAllPosts) return
    const missing = oldIds.filter(
      (id) => isId(id) && (isPost ? !this.#posts.has(id) : this.newIdOf(kind, id, taxonomy) === 0),
    )
    if (missing.length === 0) return
    for (const [oldId, { newId }] of await this.find(kind, missing, taxonomy)) {
      if (kind === 'comment') this.#others.set(keyText({ kind, taxonomy, oldId }), newId)
      else this.#remember({ kind, taxonomy, oldId }, newId)
    }
  }

  /** Returns the ID on this site of an object that was loaded or set; 0 if it is unknown, or was deleted here. */
  newIdOf(kind: MappedKind, oldId: number, taxonomy = ''): number {
    if (kind === 'post') return this.#posts.get(oldId)
    if (kind === 'term' && taxonomy === '') return this.#terms.get(oldId) ?? 0
    return this.#others.get(keyText({ kind, taxonomy, oldId })) ?? 0
  }

  /** Adds or replaces an object. It is written by `flush`. */
  set(key: ObjectKey, object: MappedObject): void {
    const text = keyText(key)
    const buffered = this.#rows.get(text)?.[1]
    // A broken file can use the ID of a comment twice: the first one has it.
    if (key.kind === 'comment' && buffered !== undefined && buffered.name !== object.name) return
    this.#rows.set(text, [key, object])
    this.#remember(key, object.newId)
  }

  /** Makes an object known by a second ID during this import. */
  addAlias(
    { kind, taxonomy, newId }: Pick<ObjectKey & MappedObject, 'kind' | 'taxonomy' | 'newId'>,
    oldId: number,
  ): void {
    this.#others.set(keyText({ kind, taxonomy, oldId }), newId)
  }

  /** Removes an object from the map. */
  async remove({ kind, taxonomy, oldId }: ObjectKey): Promise<void> {
    this.#rows.delete(keyText({ kind, taxonomy, oldId }))
    this.#others.delete(keyText({ kind, taxonomy, oldId }))
    const query = tablesOf(this.#tx).deleteFrom('importer__objects').where('site', '=', this.id)
    await this.#tx.run(query.where('kind', '=', kind).where('taxonomy', '=', taxonomy).where('old_id', '=', oldId))
  }

  /** Records that a draft of the old site was never saved and is not imported. */
  addUnsaved(oldId: number): void {
    this.#unsaved.add(oldId)
  }

  /** Returns which of the posts are drafts that were never saved. */
  async unsavedAmong(oldIds: readonly number[]): Promise<Set<number>> {
    await this.flush()
    const found = new Set<number>()
    for (const ids of inBatches(oldIds)) {
      const query = tablesOf(this.#tx)
        .selectFrom('importer__objects')
        .select('old_id')
        .where('site', '=', this.id)
        .where('kind', '=', UNSAVED)
        .where('taxonomy', '=', '')
      for (const row of await this.#tx.all(query.where('old_id', 'in', padded(ids)))) found.add(row.old_id)
    }
    return found
  }

  /** Writes the buffered rows. Call it after each batch of objects. */
  async flush(): Promise<void> {
    const rows = [...this.#rows.values()].map(([{ kind, taxonomy, oldId }, { newId, name, source, written }]) => {
      return [this.id, kind, taxonomy, oldId, name, newId, source, written]
    })
    for (const oldId of this.#unsaved) rows.push([this.id, UNSAVED, '', oldId, 0, 0, 0, 0])
    this.#rows.clear()
    this.#unsaved.clear()
    let start = 0
    for (const size of ROWS_PER_INSERT) {
      for (; rows.length - start >= size; start += size) {
        const insert = this.#insert(size)
        const values = rows.slice(start, start + size).flat()
        await this.#tx.run({ ...insert, parameters: [...values, ...insert.parameters.slice(values.length)] })
      }
    }
    if (this.#posts.size <= MAX_CACHED_IDS) return
    this.#posts = new IdMap()
    this.#hasAllPosts = false
  }

  #select(kind: MappedKind) {
    return tablesOf(this.#tx)
      .selectFrom('importer__objects')
      .select(['taxonomy', 'old_id', 'new_id', 'name', 'source', 'written'])
      .where('site', '=', this.id)
      .where('kind', '=', kind)
  }

  #remember({ kind, taxonomy, oldId }: ObjectKey, newId: number): void {
    // Comments are many, and nothing but other comments of their post refers to them.
    if (kind === 'term' && newId !== 0) this.#terms.set(oldId, newId)
    if (kind === 'term' || kind === 'user') this.#others.set(keyText({ kind, taxonomy, oldId }), newId)
    else if (kind === 'post' && isId(oldId) && newId !== 0) this.#posts.set(oldId, newId)
  }

  /** An insert of rows, which replace earlier ones. */
  #insert(size: number): CompiledQuery {
    let query = this.#inserts.get(size)
    if (query === undefined) {
      const rows = Array.from({ length: size }, () => Object.fromEntries(COLUMNS.map((column) => [column, 0])))
      const keys = ['site', 'kind', 'taxonomy', 'old_id'] as const
      query = tablesOf(this.#tx)
        .insertInto('importer__objects')
        .values(rows as never)
        .onConflict((conflict) =>
          conflict
            .columns(keys)
            .doUpdateSet((of) => ({
              name: of.ref('excluded.name'),
              new_id: of.ref('excluded.new_id'),
              source: of.ref('excluded.source'),
              written: of.ref('excluded.written'),
            }))
            .where((of) =>
              of.or([
                of('importer__objects.kind', '<>', 'comment'),
                of('importer__objects.name', '=', of.ref('excluded.name')),
                of('importer__objects.new_id', '=', 0),
              ]),
            ),
        )
        .compile()
      this.#inserts.set(size, query)
    }
    return query
  }
}

const COLUMNS = ['site', 'kind', 'taxonomy', 'old_id', 'name', 'new_id', 'source', 'written'] as const

type Row = Pick<ImporterTables['importer__objects'], 'name' | 'new_id' | 'source' | 'written'>

function objectOf({ name, new_id: newId, source, written }: Row): MappedObject {
  return { newId, name, source, written }
}

function keyText({ kind, taxonomy, oldId }: ObjectKey): string {
  return `${kind} ${oldId} ${taxonomy}`
}
