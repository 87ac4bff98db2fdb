import { sql } from 'kysely'
import { IdMap, Numbering } from './id-map.ts'
import type { Job } from './context.ts'
import type { WxrItemTerm, WxrTerm } from './wxr/reader.ts'

/** The terms of an import: those the file declares and those only its items name. */
export class Terms {
  private readonly job: Job
  private readonly numbering: Numbering
  /** By taxonomy and slug; those of the site are among them. */
  private readonly ids = new Map<string, number>()
  /** By id in the file, for each taxonomy: old sites use one id for terms of several. */
  private readonly fileIds = new Map<string, IdMap>()
  private readonly highestBefore: number
  private termRows: unknown[][] = []
  private metaRows: unknown[][] = []
  /** Children whose parent comes later in the file: id of the child, key of the parent. */
  private readonly orphans: { id: number; parent: string }[] = []

  private constructor(job: Job, highest: number) {
    this.job = job
    this.highestBefore = highest
    this.numbering = new Numbering(highest === 0, highest)
  }

  static async open(job: Job): Promise<Terms> {
    const terms = new Terms(job, await job.highestId('terms'))
    if (terms.highestBefore > 0) {
      const here = await job.tx.all(job.tx.db.selectFrom('terms').select(['id', 'taxonomy', 'slug']))
      for (const { id, taxonomy, slug } of here) terms.ids.set(keyOf(taxonomy, slug), id)
    }
    return terms
  }

  /** Whether the site had no terms, so that those of the file keep their ids. */
  get keepsIds(): boolean {
    return this.highestBefore === 0
  }

  /** A term that the file declares. */
  add(term: WxrTerm): void {
    const { job } = this
    const taxonomy = job.typeName(term.taxonomy)
    const kind = `${taxonomy} terms`
    if (taxonomy === '' || term.slug === '') return job.counters.skipped(kind, 'without taxonomy or slug')
    const key = keyOf(taxonomy, term.slug)
    const here = this.ids.get(key)
    this.remember(taxonomy, term.id, here ?? 0)
    if (here !== undefined) {
      if (here <= this.highestBefore) job.counters.alreadyHere(kind)
      else job.counters.skipped(kind, 'declared twice')
      return
    }
    const parentKey = keyOf(taxonomy, term.parent)
    const parent = term.parent === '' ? 0 : this.ids.get(parentKey)
    const id = this.make(term.id, taxonomy, term.slug, term.name, job.rewrite(term.description), parent ?? 0)
    if (parent === undefined) this.orphans.push({ id, parent: parentKey })
    for (const { key: metaKey, value } of term.meta) {
      const stored = job.storedMeta(value)
      if (metaKey !== '') this.metaRows.push([id, job.metaKey(metaKey), stored.value, stored.json])
    }
  }

  /** Id of a term of an item; it is made where nothing declared it. */
  idOf({ taxonomy: name, slug, name: title }: WxrItemTerm): number {
    const taxonomy = this.job.typeName(name)
    const here = this.ids.get(keyOf(taxonomy, slug))
    if (here !== undefined) return here
    return this.make(0, taxonomy, slug, title, '', 0)
  }

  /** Id of the term that the file calls by this number; 0 for none. */
  idOfFileId(taxonomy: string, id: number): number {
    return this.fileIds.get(this.job.typeName(taxonomy))?.get(id) ?? 0
  }

  /** Writes what has gathered. */
  async flush(): Promise<void> {
    const { job, termRows, metaRows } = this
    if (termRows.length > 0) {
      this.termRows = []
      await job.insert('terms', ['id', 'taxonomy', 'slug', 'name', 'description', 'parent_id'], termRows)
    }
    if (metaRows.length > 0) {
      this.metaRows = []
      await job.insert('term_meta', ['term_id', 'key', 'value', 'json'], metaRows)
    }
  }

  /** Finds the parents that came late, and counts. Everything else is written. */
  async settle(): Promise<void> {
    const { tx, counters } = this.job
    await this.flush()
    for (const { id, parent } of this.orphans) {
      const parentId = this.ids.get(parent)
      if (parentId === undefined) counters.note('term without its parent, which is not in the file', `number ${id}`)
      else if (await this.job.isAbove('terms', id, parentId))
        counters.note('term that was its own ancestor; has no parent now', `number ${id}`)
      else await tx.run(tx.db.updateTable('terms').set({ parent_id: parentId }).where('id', '=', id))
    }
    await this.count()
  }

  /** How many published posts each term of the site has. */
  private async count(): Promise<void> {
    const { tx } = this.job
    // In the order of the posts: to look each of them up takes ten times as long.
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

  private make(
    fileId: number,
    taxonomy: string,
    slug: string,
    name: string,
    description: string,
    parent: number,
  ): number {
    const id = this.numbering.take(fileId)
    this.ids.set(keyOf(taxonomy, slug), id)
    this.remember(taxonomy, fileId, id)
    this.termRows.push([id, taxonomy, slug, name, description, parent])
    this.job.counters.imported(`${taxonomy} terms`)
    return id
  }

  private remember(taxonomy: string, fileId: number, id: number): void {
    if (fileId === 0 || id === 0) return
    let ids = this.fileIds.get(taxonomy)
    if (ids === undefined) this.fileIds.set(taxonomy, (ids = new IdMap()))
    if (!ids.has(fileId)) ids.set(fileId, id)
  }
}

function keyOf(taxonomy: string, slug: string): string {
  return `${taxonomy}\n${slug}`
}
