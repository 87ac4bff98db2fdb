import type { Store } from '../../storage/store/index.ts'

/** The terms that a post has: ids by taxonomy. */
export type TermsByTaxonomy = ReadonlyMap<string, readonly number[]>

/** The terms that a post has. */
export async function termsOf(tx: Store, post: number): Promise<TermsByTaxonomy> {
  const rows = await tx.all(
    tx.db
      .selectFrom('term_relationships')
      .innerJoin('terms', 'terms.id', 'term_relationships.term_id')
      .select(['terms.id', 'terms.taxonomy'])
      .where('term_relationships.post_id', '=', post),
  )
  const found = new Map<string, number[]>()
  for (const { id, taxonomy } of rows) found.set(taxonomy, [...(found.get(taxonomy) ?? []), id])
  return found
}

/**
 * Gives a post terms in place of those it has of the same taxonomies; what is no term of the taxonomy is left out.
 * @param before what it has
 * @returns ids of the terms that were given or taken
 */
export async function assignTerms(
  tx: Store,
  post: number,
  before: TermsByTaxonomy,
  wanted: TermsByTaxonomy,
): Promise<number[]> {
  const changed: number[] = []
  for (const [taxonomy, given] of wanted) {
    const ids = [...new Set(given)].filter(Number.isSafeInteger)
    const there =
      ids.length === 0
        ? []
        : await tx.all(tx.db.selectFrom('terms').select('id').where('taxonomy', '=', taxonomy).where('id', 'in', ids))
    const known = new Set(there.map(({ id }) => id))
    const had = before.get(taxonomy) ?? []
    const gone = had.filter((id) => !known.has(id))
    const added = ids.filter((id) => known.has(id) && !had.includes(id))
    if (gone.length > 0) {
      await tx.run(tx.db.deleteFrom('term_relationships').where('post_id', '=', post).where('term_id', 'in', gone))
    }
    if (added.length > 0) {
      const rows = added.map((term) => ({ post_id: post, term_id: term, position: ids.indexOf(term) }))
      await tx.run(tx.db.insertInto('term_relationships').values(rows))
    }
    changed.push(...gone, ...added)
  }
  return changed
}

/** The term of a slug in a taxonomy, made where there is none. */
export async function termOfSlug(tx: Store, taxonomy: string, slug: string, name: string): Promise<number> {
  const find = () =>
    tx.first(tx.db.selectFrom('terms').select('id').where('taxonomy', '=', taxonomy).where('slug', '=', slug))
  const there = await find()
  if (there !== undefined) return there.id
  await tx.run(
    tx.db
      .insertInto('terms')
      .values({ taxonomy, slug, name })
      .onConflict((conflict) => conflict.doNothing()),
  )
  return (await find())!.id
}
