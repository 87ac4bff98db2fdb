import type { Store } from '../../../storage/store/index.ts'
import { inBatches } from '../lists.ts'
import type { Target } from './links.ts'
import type { OldSite } from './old-site.ts'
import { tablesOf, type MappedKind } from './tables.ts'

/** A value with references to objects that are not here yet. */
export interface PendingValue {
  /** Kind of the object that has the value, or `option`. */
  readonly holder: MappedKind | 'option'
  /** ID on this site; 0 for an option. */
  readonly holderId: number
  /** Column of the value, `meta KEY`, or the name of an option. */
  readonly field: string
  readonly targets: readonly Target[]
  /** The value with IDs of the old site. */
  readonly source: string
  /**
   * Hash of the value that the import wrote instead; 0 if it wrote `source`, because an empty site keeps the IDs of the
   * file.
   */
  readonly written: number
}

export interface StoredPendingValue extends PendingValue {
  readonly id: number
}

/** Pending values read in one query. */
const VALUES_PER_PAGE = 200
/** Rows per insert statement: bound values are limited. */
const ROWS_PER_INSERT = 100

/** The pending values of one old site, in the table `importer__pending`. */
export class PendingValues {
  readonly #tx: Store
  readonly #site: OldSite
  #added: PendingValue[] = []

  constructor(tx: Store, site: OldSite) {
    this.#tx = tx
    this.#site = site
  }

  /** Adds a value. It is written by `flush`. */
  add(value: PendingValue): void {
    this.#added.push(value)
  }

  async flush(): Promise<void> {
    const rows = this.#added.map(({ holderId, targets, ...value }) => {
      return { ...value, site: this.#site.id, holder_id: holderId, targets: JSON.stringify(targets) }
    })
    this.#added = []
    for (const batch of inBatches(rows, ROWS_PER_INSERT)) {
      await this.#tx.run(
        tablesOf(this.#tx)
          .insertInto('importer__pending')
          .values(batch as never),
      )
    }
  }

  /** Removes the values of objects, before they are written again. */
  async removeOf(holder: PendingValue['holder'], ids: readonly number[]): Promise<void> {
    for (const batch of inBatches(ids)) {
      const query = tablesOf(this.#tx).deleteFrom('importer__pending').where('site', '=', this.#site.id)
      await this.#tx.run(query.where('holder', '=', holder).where('holder_id', 'in', batch))
    }
  }

  /** The highest ID of a value; 0 for none. Values with higher IDs are added later. */
  async last(): Promise<number> {
    const query = tablesOf(this.#tx)
      .selectFrom('importer__pending')
      .select((of) => of.fn.max<number | null>('id').as('id'))
    return (await this.#tx.first(query))?.id ?? 0
  }

  /** Yields all values in pages. Values of a page may be removed or replaced before the next one is read. */
  async *pages(): AsyncGenerator<StoredPendingValue[]> {
    for (let last = 0; ;) {
      const rows = await this.#tx.all(
        tablesOf(this.#tx)
          .selectFrom('importer__pending')
          .selectAll()
          .where('site', '=', this.#site.id)
          .where('id', '>', last)
          .orderBy('id')
          .limit(VALUES_PER_PAGE),
      )
      if (rows.length === 0) return
      last = rows.at(-1)!.id
      yield rows.map(({ holder, holder_id: holderId, targets, ...row }) => {
        return { ...row, holder: holder as PendingValue['holder'], holderId, targets: JSON.parse(targets) as Target[] }
      })
    }
  }

  async remove(ids: readonly number[]): Promise<void> {
    for (const batch of inBatches(ids)) {
      await this.#tx.run(tablesOf(this.#tx).deleteFrom('importer__pending').where('id', 'in', batch))
    }
  }

  async replace(id: number, { targets, source, written }: Pick<PendingValue, 'targets' | 'source' | 'written'>) {
    const change = { targets: JSON.stringify(targets), source, written }
    await this.#tx.run(tablesOf(this.#tx).updateTable('importer__pending').set(change).where('id', '=', id))
  }
}
