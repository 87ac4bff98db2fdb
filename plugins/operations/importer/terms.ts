import { sql } from '../../storage/store/index.ts'
import type { ImportContext } from './context.ts'
import { UsedIds, type IdSequence } from './id-map.ts'
import { fingerprint, fingerprintOfName } from './old-sites/fingerprint.ts'
import { fingerprintOf, readStates, writeState, type ObjectState } from './old-sites/object-state.ts'
import type { Target } from './old-sites/links.ts'
import type { MappedObject } from './old-sites/old-site.ts'
import { CHANGED_HERE, DELETED_HERE } from './old-sites/reasons.ts'
import type { SiteTerm } from './site-file.ts'
import type { WxrItemTerm, WxrTerm } from './wxr/types.ts'

/** A term of this or an earlier import. */
interface KnownTerm extends MappedObject {
  readonly kind: 'term'
  readonly taxonomy: string
  oldId: number
  /** The state to be written, if this import creates the term; it is written by `flush`. */
  state?: ObjectState
}

/** The terms of an import, including terms that items use but the file does not declare. */
export class ImportedTerms {
  readonly #context: ImportContext
  readonly #sequence: IdSequence
  readonly #used = new UsedIds()
  /** IDs by taxonomy and slug on this site. */
  readonly #ids = new Map<string, number>()
  /** Terms of the old site, by taxonomy and hash of their slug there. */
  readonly #bySlug = new Map<string, KnownTerm>()
  /** Terms of the old site, by taxonomy and ID there. */
  readonly #byOldId = new Map<string, KnownTerm>()
  /** Terms that this import declares, by taxonomy, slug and name: translations can have the same slug. */
  readonly #byName = new Map<string, KnownTerm>()
  /** Terms that this import declares: a file can declare a term once. */
  readonly #declared = new Set<string>()
  /** Keys of the terms of the site file. */
  readonly #ofSiteFile = new Set<string>()
  /** Terms that are counted, with their IDs in the file. */
  readonly #counted = new Map<string, number>()
  /** Terms to be inserted. */
  readonly #new: [id: number, term: KnownTerm][] = []

  private constructor(context: ImportContext, sequence: IdSequence) {
    this.#context = context
    this.#sequence = sequence
  }

  static async open(context: ImportContext): Promise<ImportedTerms> {
    const terms = new ImportedTerms(context, await context.idSequence('term'))
    if (terms.preservesIds) return terms
    const { tx } = context
    for (const { id, taxonomy, slug } of await tx.all(tx.db.selectFrom('terms').select(['id', 'taxonomy', 'slug']))) {
      terms.#ids.set(keyOf(taxonomy, slug), id)
      terms.#used.delete(id)
    }
    for (const term of await context.oldSite.all('term')) terms.#index({ ...term, kind: 'term' })
    return terms
  }

  /** Whether the site had no terms, so that all terms of the file keep their IDs. */
  get preservesIds(): boolean {
    return this.#sequence.keep && this.#sequence.highestBefore === 0
  }

  /** Adds a term that the file declares, or updates the term of an earlier import. */
  async add(term: WxrTerm): Promise<void> {
    const { counters, findings } = this.#context
    const taxonomy = this.#context.typeName(term.taxonomy)
    const kind = `${taxonomy} terms`
    if (taxonomy === '' || term.slug === '') return counters.skipped(kind, 'no taxonomy or slug')
    findings.add('taxonomies', taxonomy)
    for (const { key } of term.meta) findings.add('meta term', this.#context.metaKey(key))
    const source = this.#sourceOf(term)
    const isOther = this.#isOther(taxonomy, term)
    const known = this.#find(taxonomy, term)
    const isRepeated = this.#isRepeated(kind, taxonomy, term, known, source, isOther)
    await this.#store(kind, taxonomy, term, { known, isRepeated, isOther, source })
    const stored = this.#find(taxonomy, term)
    const name = keyOf(taxonomy, `${term.slug}\n${term.name}`)
    if (stored !== undefined && !this.#byName.has(name)) this.#byName.set(name, stored)
  }

  async #store(
    kind: string,
    taxonomy: string,
    term: WxrTerm,
    {
      known,
      isRepeated,
      isOther,
      source,
    }: { known: KnownTerm | undefined; isRepeated: boolean; isOther: boolean; source: number },
  ): Promise<void> {
    const { counters, oldSite } = this.#context
    const idHere = isOther ? undefined : this.#ids.get(keyOf(taxonomy, term.slug))
    if (known !== undefined && known.newId !== 0) {
      if (isRepeated) return
      if (term.id !== 0 && known.oldId !== term.id) await this.#giveId(known, term.id)
      await this.#update(kind, known, term, source)
    } else if (idHere !== undefined) {
      counters.alreadyHere(kind)
      this.#set({ ...this.#keyOf(taxonomy, term), newId: idHere, source, written: 0 })
    } else if (known !== undefined && !this.#context.restores) {
      if (!isRepeated) counters.skipped(kind, DELETED_HERE)
    } else {
      if (known !== undefined && known.oldId !== term.id) await oldSite.remove(known)
      this.#create(term, source)
    }
  }

  /** Adds a term of the site file. The export may declare it again, or only mention it in items. */
  async addSiteTerm({ description = '', parent = '', ...term }: SiteTerm): Promise<void> {
    const declared: WxrTerm = { kind: 'term', ...term, description, parent, meta: [] }
    this.#ofSiteFile.add(keyOf(this.#context.typeName(term.taxonomy), term.slug))
    await this.add(declared)
  }

  /**
   * Returns the ID of a term of an item, and adds the term if it is not declared; 0 for a term that was deleted here.
   */
  idOf({ taxonomy: name, slug, name: title }: WxrItemTerm): number {
    const taxonomy = this.#context.typeName(name)
    const named = this.#byName.get(keyOf(taxonomy, `${slug}\n${title}`))
    const known = named ?? this.#bySlug.get(keyOf(taxonomy, fingerprintOfName(slug)))
    const id = known?.newId || this.#ids.get(keyOf(taxonomy, slug))
    if (id !== undefined && id !== 0) return id
    if (known !== undefined && !this.#context.restores) return 0
    this.#context.findings.add('taxonomies', taxonomy)
    return this.#create(
      { kind: 'term', id: 0, taxonomy: name, slug, name: title, description: '', parent: '', meta: [] },
      0,
    )
  }

  /** ID of the term with this ID in the file; 0 for none. */
  idOfFileId(taxonomy: string, id: number): number {
    return this.#context.oldSite.newIdOf('term', id, this.#context.typeName(taxonomy))
  }

  /** Writes the buffered rows. */
  async flush(): Promise<void> {
    const added = this.#new.splice(0)
    if (added.length === 0) return
    const states = added.map(([id, { state }]) => [id, state!] as const)
    const rows = states.map(([id, { row }]) => [
      id,
      row['taxonomy'],
      row['slug'],
      row['name'],
      row['description'],
      row['parent_id'],
    ])
    await this.#context.insert('terms', ['id', 'taxonomy', 'slug', 'name', 'description', 'parent_id'], rows)
    const meta = states.flatMap(([id, { meta: values }]) => values.map((value) => [id, ...value]))
    await this.#context.insert('term_meta', ['term_id', 'key', 'value', 'json'], meta)
    for (const [, term] of added) {
      const { state, ...known } = term
      delete term.state
      term.written = fingerprintOf('term', state!)
      this.#context.oldSite.set(known, { ...known, written: term.written })
    }
  }

  /** Counts the published posts of each term of the site. Call it after everything else is written. */
  async count(): Promise<void> {
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

  /** Whether this import has declared another term with the same slug, such as a translation. */
  #isOther(taxonomy: string, { id, slug }: WxrTerm): boolean {
    const sameSlug = this.#bySlug.get(keyOf(taxonomy, fingerprintOfName(slug)))
    if (id === 0 || sameSlug === undefined || sameSlug.oldId === id) return false
    // A site file and an export can come from different copies of the site, with different IDs.
    if (this.#ofSiteFile.has(keyOf(taxonomy, slug))) return false
    return this.#declared.has(keyOf(taxonomy, sameSlug.oldId)) && !this.#declared.has(keyOf(taxonomy, id))
  }

  /** Finds the term of this or an earlier import. A term whose slug the old site has changed has the same ID. */
  #find(taxonomy: string, term: WxrTerm): KnownTerm | undefined {
    const { id, slug } = term
    const sameId = id === 0 ? undefined : this.#byOldId.get(keyOf(taxonomy, id))
    const name = fingerprintOfName(slug)
    if (sameId?.name === name) return sameId
    if (this.#isOther(taxonomy, term)) return undefined
    const sameSlug = this.#bySlug.get(keyOf(taxonomy, name))
    if (sameSlug !== undefined || sameId === undefined || this.#ids.has(keyOf(taxonomy, slug))) return sameSlug
    // Two terms with one ID and different slugs in one import are two terms.
    return this.#declared.has(keyOf(taxonomy, id)) ? undefined : sameId
  }

  /** Whether this import has declared the term before; reports another declaration. */
  #isRepeated(
    kind: string,
    taxonomy: string,
    { id, slug }: WxrTerm,
    known: KnownTerm | undefined,
    source: number,
    isOther: boolean,
  ): boolean {
    const key = keyOf(taxonomy, slug)
    const first = this.#counted.get(key)
    if (first === undefined) this.#counted.set(key, id)
    const isNew = id !== 0 && id !== first && !this.#declared.has(keyOf(taxonomy, id))
    if (id !== 0) this.#declared.add(keyOf(taxonomy, id))
    if (first === undefined || isOther || (isNew && first !== 0 && known?.oldId === id)) return false
    if (known?.source !== source && !this.#ofSiteFile.has(key)) this.#context.counters.skipped(kind, 'declared twice')
    return true
  }

  /** Updates a term of an earlier import, or one that only items mentioned, unless it was changed here. */
  async #update(kind: string, known: KnownTerm, term: WxrTerm, source: number): Promise<void> {
    const { counters, pending, tx } = this.#context
    const wasDeclared = known.source !== 0
    if (known.source === source || known.written === 0) return counters.alreadyHere(kind)
    await this.flush()
    const before = (await readStates(tx, 'term', [known.newId])).get(known.newId)
    if (before === undefined || fingerprintOf('term', before) !== known.written) {
      return counters.skipped(kind, CHANGED_HERE)
    }
    await pending.removeOf('term', [known.newId])
    const state = this.#stateOf(known.newId, known.taxonomy, term)
    const slugHere = keyOf(known.taxonomy, term.slug)
    if (this.#ids.has(slugHere)) state.row['slug'] = before.row['slug']!
    else this.#ids.set(slugHere, known.newId)
    if (await this.#context.isAbove('terms', known.newId, Number(state.row['parent_id']))) {
      state.row['parent_id'] = before.row['parent_id']!
    }
    await writeState(tx, 'term', known.newId, before, state)
    const name = fingerprintOfName(term.slug)
    this.#set({ ...known, name, source, written: fingerprintOf('term', state) })
    if (!wasDeclared) return
    if (fingerprintOf('term', state) === fingerprintOf('term', before)) counters.alreadyHere(kind)
    else counters.updated(kind)
  }

  /** Records the ID of a term that only items mentioned before. */
  async #giveId(known: KnownTerm, oldId: number): Promise<void> {
    await this.flush()
    if (known.oldId < 0) await this.#context.oldSite.remove(known)
    this.#set(Object.assign(known, { oldId }))
  }

  #create(term: WxrTerm, source: number): number {
    const taxonomy = this.#context.typeName(term.taxonomy)
    const id = this.#sequence.next(term.id, this.#used)
    this.#ids.set(keyOf(taxonomy, term.slug), id)
    const state = this.#stateOf(id, taxonomy, term)
    const known: KnownTerm = { ...this.#keyOf(taxonomy, term), newId: id, source, written: 1, state }
    this.#index(known)
    this.#new.push([id, known])
    this.#context.counters.imported(`${taxonomy} terms`)
    return id
  }

  /** The term as the import writes it. Missing objects that it refers to are remembered. */
  #stateOf(id: number, taxonomy: string, { name, slug, description, parent, meta }: WxrTerm): ObjectState {
    const { pending, rewrite, values } = this.#context
    const parentId =
      parent === ''
        ? 0
        : ((this.#bySlug.get(keyOf(taxonomy, fingerprintOfName(parent)))?.newId ||
            this.#ids.get(keyOf(taxonomy, parent))) ??
          0)
    if (parent !== '' && parentId === 0) {
      const targets: Target[] = [['term', taxonomy, keyOfTerm(parent)]]
      pending.add({ holder: 'term', holderId: id, field: 'parent_id', targets, source: parent, written: 1 })
    }
    const owner = { holder: 'term', holderId: id, objectType: taxonomy } as const
    const row = {
      taxonomy,
      slug,
      name,
      description: values.description(owner, rewrite(description)),
      parent_id: parentId,
    }
    return { row, meta: values.metaRows(owner, meta), terms: [] }
  }

  #sourceOf({ slug, name, description, parent, meta }: WxrTerm): number {
    const { mapValueTaps, rewrite } = this.#context
    return fingerprint([
      ...mapValueTaps,
      slug,
      name,
      rewrite(description),
      parent,
      ...meta.flatMap(({ key, value }) => [key, rewrite(value)]),
    ])
  }

  #keyOf(taxonomy: string, { id, slug }: WxrTerm): Pick<KnownTerm, 'kind' | 'taxonomy' | 'oldId' | 'name'> {
    return { kind: 'term', taxonomy, oldId: id || keyOfTerm(slug), name: fingerprintOfName(slug) }
  }

  #set(known: KnownTerm): void {
    const { kind, taxonomy, oldId, newId, name, source, written } = known
    this.#context.oldSite.set({ kind, taxonomy, oldId }, { newId, name, source, written })
    this.#index(known)
  }

  #index(known: KnownTerm): void {
    const { taxonomy, oldId, name } = known
    this.#bySlug.set(keyOf(taxonomy, name), known)
    if (oldId > 0 && !this.#byOldId.has(keyOf(taxonomy, oldId))) this.#byOldId.set(keyOf(taxonomy, oldId), known)
    this.#context.oldSite.addAlias(known, -name)
  }
}

function keyOf(taxonomy: string, name: string | number): string {
  return `${taxonomy}\n${name}`
}

/** The key of a term without an ID in the file, by which children name their parent, too. */
function keyOfTerm(slug: string): number {
  return -fingerprintOfName(slug)
}
