import { sql, type Row, type Store } from '../../storage/store/index.ts'
import { ROWS_PER_BATCH, type MetaRow } from './batches.ts'
import type { Selection } from './selection.ts'

/** A term with the slug of its parent, `''` for none. */
export interface ExportedTerm extends Row<'terms'> {
  readonly parentSlug: string
  readonly meta: readonly MetaRow[]
}

/**
 * Yields the selected terms of a taxonomy, each after its parent. Memory holds the IDs of the terms that have children.
 */
export async function* termsOf(reader: Store, selection: Selection, taxonomy: string): AsyncGenerator<ExportedTerm> {
  const tree = new TermTree(reader, selection, taxonomy)
  await tree.open()
  yield* tree.below(null)
  yield* tree.unreached()
}

/** Names of the taxonomies with selected terms: categories, tags, then the others. */
export async function taxonomiesOf(reader: Store, selection: Selection): Promise<string[]> {
  const rows = await reader.all(reader.db.selectFrom('terms').select('taxonomy').distinct().where(selection.terms))
  const rank = (name: string) => ['category', 'post_tag', name].indexOf(name)
  return rows
    .map(({ taxonomy }) => taxonomy)
    .toSorted((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
}

class TermTree {
  readonly #reader: Store
  readonly #query: TermQuery
  /** IDs of terms with children that have not been yielded yet. */
  #parents = new Set<number>()

  constructor(reader: Store, selection: Selection, taxonomy: string) {
    this.#reader = reader
    this.#query = termQuery(reader, selection, taxonomy)
  }

  async open(): Promise<void> {
    const parents = this.#query.select('parent.id').distinct().where('parent.id', 'is not', null).orderBy('parent.id')
    this.#parents = new Set((await this.#reader.all(parents)).map(({ id }) => id!))
  }

  /** Yields the children of a term with their descendants. @param id of the term; null for terms without a parent */
  async *below(id: number | null): AsyncGenerator<ExportedTerm> {
    for await (const term of this.#children(id)) {
      yield term
      if (this.#parents.delete(term.id)) yield* this.below(term.id)
    }
  }

  /** Yields the terms whose parents form a cycle, and their descendants. */
  async *unreached(): AsyncGenerator<ExportedTerm> {
    for (const id of this.#parents) {
      yield* this.#terms(this.#query.where('terms.id', '=', id))
      for await (const term of this.#children(id)) if (!this.#parents.has(term.id)) yield term
    }
  }

  #children(id: number | null): AsyncGenerator<ExportedTerm> {
    return this.#terms(
      id === null ? this.#query.where('parent.id', 'is', null) : this.#query.where('parent.id', '=', id),
    )
  }

  async *#terms(found: TermQuery): AsyncGenerator<ExportedTerm> {
    const query = found
      .selectAll('terms')
      .select(sql<string>`coalesce(parent.slug, '')`.as('parentSlug'))
      .orderBy('terms.id')
      .limit(ROWS_PER_BATCH)
    for (let last = 0; ;) {
      const terms = await this.#reader.all(query.where('terms.id', '>', last))
      if (terms.length === 0) return
      last = terms.at(-1)!.id
      const rows = this.#reader.db.selectFrom('term_meta').select(['term_id', 'key', 'value', 'json']).orderBy('id')
      const ids = terms.map(({ id }) => id)
      const meta = Map.groupBy(await this.#reader.all(rows.where('term_id', 'in', ids)), ({ term_id: id }) => id)
      for (const term of terms) yield { ...term, meta: meta.get(term.id) ?? [] }
    }
  }
}

type TermQuery = ReturnType<typeof termQuery>

function termQuery(reader: Store, selection: Selection, taxonomy: string) {
  return reader.db
    .selectFrom('terms')
    .leftJoin('terms as parent', (join) =>
      join.onRef('parent.id', '=', 'terms.parent_id').onRef('parent.taxonomy', '=', 'terms.taxonomy'),
    )
    .where('terms.taxonomy', '=', taxonomy)
    .where(selection.terms)
}
