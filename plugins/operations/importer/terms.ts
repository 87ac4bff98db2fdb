import { sql } from '../../storage/store/index.ts'
import type { ImportContext } from './context.ts'
import { IdMap, type IdSequence } from './id-map.ts'
import type { SiteTerm } from './site-file.ts'
import type { WxrItemTerm, WxrTerm } from './wxr/types.ts'

type NewTerm = WxrItemTerm & { description?: string; parentId?: number | undefined }

/** The terms of an import, including terms that items use but the file does not declare. */
export class ImportedTerms {
  readonly #context: ImportContext
  readonly #sequence: IdSequence
  /** IDs by taxonomy and slug, including existing terms of the site. */
  readonly #ids = new Map<string, number>()
  /** IDs by ID in the file, for each taxonomy: old sites use one ID for terms of several taxonomies. */
  readonly #fileIds = new Map<string, IdMap>()
  readonly #termRows: unknown[][] = []
  readonly #metaRows: unknown[][] = []
  /** Keys of the terms of the site file. */
  readonly #ofSiteFile = new Set<string>()
  /** Terms whose parent comes later in the file: ID of the term, key of the parent. */
  readonly #orphans: { id: number; parent: string }[] = []

  private constructor(context: ImportContext, sequence: IdSequence) {
    this.#context = context
    this.#sequence = sequence
  }

  static async open(context: ImportContext): Promise<ImportedTerms> {
    const terms = new ImportedTerms(context, await context.idSequence('terms'))
    if (!terms.preservesIds) {
      const existingTerms = await context.tx.all(context.tx.db.selectFrom('terms').select(['id', 'taxonomy', 'slug']))
      for (const { id, taxonomy, slug } of existingTerms) terms.#ids.set(keyOf(taxonomy, slug), id)
    }
    return terms
  }

  /** Whether the site had no terms, so that terms of the file keep their IDs. */
  get preservesIds(): boolean {
    return this.#sequence.keep
  }

  /** Adds a term that the file declares. */
  add(term: WxrTerm): void {
    const { counters } = this.#context
    const taxonomy = this.#context.typeName(term.taxonomy)
    const kind = `${taxonomy} terms`
    if (taxonomy === '' || term.slug === '') return counters.skipped(kind, 'no taxonomy or slug')
    const existingId = this.#ids.get(keyOf(taxonomy, term.slug))
    this.#remember(taxonomy, term.id, existingId ?? 0)
    if (existingId === undefined) this.#addNew(taxonomy, term)
    else if (existingId <= this.#sequence.highestBefore) counters.alreadyHere(kind)
    else if (!this.#ofSiteFile.has(keyOf(taxonomy, term.slug))) counters.skipped(kind, 'declared twice')
  }

  /** Adds a term of the site file. The export may declare it again, or only mention it in items. */
  addSiteTerm({ description = '', parent = '', ...term }: SiteTerm): void {
    this.add({ kind: 'term', ...term, description, parent, meta: [] })
    this.#ofSiteFile.add(keyOf(this.#context.typeName(term.taxonomy), term.slug))
  }

  #addNew(taxonomy: string, { id: fileId, slug, name, description, parent, meta }: WxrTerm): void {
    const context = this.#context
    const parentKey = keyOf(taxonomy, parent)
    const parentId = parent === '' ? 0 : this.#ids.get(parentKey)
    const id = this.#create(fileId, { taxonomy, slug, name, description: context.rewrite(description), parentId })
    if (parentId === undefined) this.#orphans.push({ id, parent: parentKey })
    this.#metaRows.push(...context.metaRows(id, meta))
  }

  /** Returns the ID of a term of an item, and adds the term if it is not declared. */
  idOf({ taxonomy: name, slug, name: title }: WxrItemTerm): number {
    const taxonomy = this.#context.typeName(name)
    return this.#ids.get(keyOf(taxonomy, slug)) ?? this.#create(0, { taxonomy, slug, name: title })
  }

  /** ID of the term with this ID in the file; 0 for none. */
  idOfFileId(taxonomy: string, id: number): number {
    return this.#fileIds.get(this.#context.typeName(taxonomy))?.get(id) ?? 0
  }

  /** Writes the buffered rows. */
  async flush(): Promise<void> {
    const [termRows, metaRows] = [this.#termRows.splice(0), this.#metaRows.splice(0)]
    await this.#context.insert('terms', ['id', 'taxonomy', 'slug', 'name', 'description', 'parent_id'], termRows)
    await this.#context.insert('term_meta', ['term_id', 'key', 'value', 'json'], metaRows)
  }

  /** Sets parents that come later in the file, and counts posts. Call it after everything else is written. */
  async resolveParents(): Promise<void> {
    const { tx, counters } = this.#context
    await this.flush()
    for (const { id, parent } of this.#orphans) {
      const parentId = this.#ids.get(parent)
      if (parentId === undefined) counters.note('term whose parent is not in the file; parent removed', `ID ${id}`)
      else if (await this.#context.isAbove('terms', id, parentId))
        counters.note('term that was its own ancestor; parent removed', `ID ${id}`)
      else await tx.run(tx.db.updateTable('terms').set({ parent_id: parentId }).where('id', '=', id))
    }
    await this.#count()
  }

  /** Counts the published posts of each term of the site. */
  async #count(): Promise<void> {
    const { tx } = this.#context
    // Reads posts in the order of an index: looking each of them up takes ten times as long.
    const published = tx.db.selectFrom('posts').select('id').where('status', '=', 'publish')
    const linked = tx.db
      .selectFrom('term_relationships')
      .where('post_id', 'in', published)
      .groupBy('term_id')
      .select(['term_id', (of) => of.fn.countAll<number>().as('total')])
      .as('linked')
    const counted = tx.db
      .selectFrom('terms as term')
      .leftJoin(linked, 'linked.term_id', 'term.id')
      .select(['term.id as id', sql<number>`coalesce(linked.total, 0)`.as('total')])
      .as('counted')
    await tx.run(
      tx.db
        .updateTable('terms')
        .from(counted)
        .set({ count: sql<number>`counted.total` })
        .whereRef('counted.id', '=', 'terms.id')
        .whereRef('counted.total', '<>', 'terms.count'),
    )
  }

  #create(fileId: number, { taxonomy, slug, name, description = '', parentId = 0 }: NewTerm): number {
    const id = this.#sequence.next(fileId)
    this.#ids.set(keyOf(taxonomy, slug), id)
    this.#remember(taxonomy, fileId, id)
    this.#termRows.push([id, taxonomy, slug, name, description, parentId])
    this.#context.counters.imported(`${taxonomy} terms`)
    return id
  }

  #remember(taxonomy: string, fileId: number, id: number): void {
    if (fileId === 0 || id === 0) return
    let ids = this.#fileIds.get(taxonomy)
    if (ids === undefined) this.#fileIds.set(taxonomy, (ids = new IdMap()))
    if (!ids.has(fileId)) ids.set(fileId, id)
  }
}

function keyOf(taxonomy: string, slug: string): string {
  return `${taxonomy}\n${slug}`
}
