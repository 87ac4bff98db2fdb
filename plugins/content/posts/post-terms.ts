import type { PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { FORMAT_TAXONOMY, POST_FORMATS, slugOfFormat } from '../taxonomies/index.ts'
import type { Post, PostChange } from './post.ts'

/** Term IDs of a post by taxonomy. */
export type TermsByTaxonomy = ReadonlyMap<string, readonly number[]>

/** The requested terms of a post by taxonomy, and the taxonomy of each term ID. */
export interface RequestedTerms {
  readonly requested: TermsByTaxonomy
  readonly taxonomies: ReadonlyMap<number, string>
}

/** Difference between the current and the requested terms of a post. */
export interface TermChanges {
  /** Positions of the added terms, by term ID. */
  readonly added: ReadonlyMap<number, number>
  /** IDs of the removed terms. */
  readonly removed: readonly number[]
}

/** The terms that a post will have: requested terms, its format, and default terms. */
export async function resolveTerms(
  services: PluginContext['services'],
  tx: Store,
  { type, status }: { type: string; status: string },
  { terms = new Map(), format }: PostChange,
  before: TermsByTaxonomy,
): Promise<RequestedTerms> {
  const requested = new Map(terms)
  if (format !== undefined) requested.set(FORMAT_TAXONOMY, await termsOfFormat(tx, format))
  if (status !== 'auto-draft') {
    const hasSome = (taxonomy: string) => requested.has(taxonomy) || (before.get(taxonomy) ?? []).length > 0
    for (const [taxonomy, term] of await defaultTerms(services, tx, type, hasSome)) requested.set(taxonomy, [term])
  }
  const ids = [...new Set(allTerms(requested))].filter(Number.isSafeInteger)
  const rows =
    ids.length === 0 ? [] : await tx.all(tx.db.selectFrom('terms').select(['id', 'taxonomy']).where('id', 'in', ids))
  return { requested, taxonomies: new Map(rows.map(({ id, taxonomy }) => [id, taxonomy])) }
}

/** Default terms for posts of a type that have no term of the taxonomy. */
async function defaultTerms(
  { options, permalinks, taxonomies }: PluginContext['services'],
  tx: Store,
  type: string,
  hasSome: (taxonomy: string) => boolean,
): Promise<[taxonomy: string, term: number][]> {
  const defaults: [taxonomy: string, term: number][] = []
  for (const { name, default_term: preset } of taxonomies.ofType(type)) {
    if (hasSome(name)) continue
    if (name === 'category' && type === 'post') {
      const { default_category: term } = await options.fresh(['default_category'])
      defaults.push([name, Number(term) || 0])
    } else if (preset !== null) {
      const slug = preset.slug ?? permalinks.slugify(preset.name)
      defaults.push([name, await termOfSlug(tx, name, slug, preset.name)])
    }
  }
  return defaults
}

export async function readTermsOf(tx: Store, post: number): Promise<TermsByTaxonomy> {
  const rows = await tx.all(
    tx.db
      .selectFrom('term_relationships')
      .innerJoin('terms', 'terms.id', 'term_relationships.term_id')
      .select(['terms.id', 'terms.taxonomy'])
      .where('term_relationships.post_id', '=', post),
  )
  const byTaxonomy = new Map<string, number[]>()
  for (const { id, taxonomy } of rows) byTaxonomy.set(taxonomy, [...(byTaxonomy.get(taxonomy) ?? []), id])
  return byTaxonomy
}

/** All term IDs, across taxonomies. */
export function allTerms(terms: TermsByTaxonomy): number[] {
  return [...terms.values()].flat()
}

/**
 * Computes the term changes. Only taxonomies in the request are replaced; IDs that are not terms of the taxonomy are
 * ignored.
 */
export function termChanges(before: TermsByTaxonomy, { requested, taxonomies }: RequestedTerms): TermChanges {
  const added = new Map<number, number>()
  const removed: number[] = []
  for (const [taxonomy, termIds] of requested) {
    const ids = [...new Set(termIds)].filter(Number.isSafeInteger)
    const previousIds = before.get(taxonomy) ?? []
    removed.push(...previousIds.filter((id) => !ids.includes(id)))
    for (const [position, id] of ids.entries()) {
      if (taxonomies.get(id) === taxonomy && !previousIds.includes(id)) added.set(id, position)
    }
  }
  return { added, removed }
}

/** Adds and removes terms of a post. */
export async function assignTerms(
  tx: Store,
  { id: post, type, status, date }: Pick<Post, 'id' | 'type' | 'status' | 'date'>,
  { added, removed }: TermChanges,
): Promise<void> {
  const { db } = tx
  const row = { post_id: post, post_type: type, post_status: status, post_date: date }
  const rows = Array.from(added, ([id, position]) => ({ ...row, term_id: id, position }))
  if (removed.length > 0)
    await tx.run(db.deleteFrom('term_relationships').where('post_id', '=', post).where('term_id', 'in', removed))
  if (rows.length > 0) await tx.run(db.insertInto('term_relationships').values(rows))
}

async function termsOfFormat(tx: Store, format: string): Promise<number[]> {
  if (format === POST_FORMATS[0]) return []
  const slug = slugOfFormat(format)
  return [await termOfSlug(tx, FORMAT_TAXONOMY, slug, slug)]
}

/** The ID of the term with a slug in a taxonomy; creates the term if it does not exist. */
async function termOfSlug(tx: Store, taxonomy: string, slug: string, name: string): Promise<number> {
  const find = () =>
    tx.first(tx.db.selectFrom('terms').select('id').where('taxonomy', '=', taxonomy).where('slug', '=', slug))
  const existing = await find()
  if (existing !== undefined) return existing.id
  await tx.run(tx.db.insertInto('terms').values({ taxonomy, slug, name }))
  return (await find())!.id
}
