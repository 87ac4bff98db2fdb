import type { PluginContext } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { FORMAT_TAXONOMY, POST_FORMATS, slugOfFormat } from '../taxonomies/index.ts'
import type { PostChange } from './post.ts'

/** The terms that a post has: IDs by taxonomy. */
export type TermsByTaxonomy = ReadonlyMap<string, readonly number[]>

/** IDs of the terms that a post was given, and lost. */
export interface TermChanges {
  added: readonly number[]
  gone: readonly number[]
}

/** Gives a post its terms: those of a request, of its format, and the default ones. */
export async function writeTerms(
  services: PluginContext['services'],
  tx: Store,
  { id, type, status }: { id: number; type: string; status: string },
  { terms: given = new Map(), format }: PostChange,
  before: TermsByTaxonomy,
): Promise<TermChanges> {
  const wanted = new Map(given)
  if (format !== undefined) wanted.set(FORMAT_TAXONOMY, await termsOfFormat(tx, format))
  if (status !== 'auto-draft') {
    const hasSome = (taxonomy: string) => wanted.has(taxonomy) || (before.get(taxonomy) ?? []).length > 0
    for (const [taxonomy, term] of await defaultTerms(services, tx, type, hasSome)) wanted.set(taxonomy, [term])
  }
  return assignTerms(tx, id, before, wanted)
}

/** The terms that posts of a type get which have none of the taxonomy. */
async function defaultTerms(
  { options, permalinks, taxonomies }: PluginContext['services'],
  tx: Store,
  type: string,
  hasSome: (taxonomy: string) => boolean,
): Promise<[taxonomy: string, term: number][]> {
  const found: [taxonomy: string, term: number][] = []
  for (const { name, default_term: preset } of taxonomies.ofType(type)) {
    if (hasSome(name)) continue
    if (name === 'category' && type === 'post') {
      const { default_category: term } = await options.fresh(['default_category'])
      found.push([name, Number(term) || 0])
    } else if (preset !== null) {
      const slug = preset.slug ?? permalinks.slugify(preset.name)
      found.push([name, await termOfSlug(tx, name, slug, preset.name)])
    }
  }
  return found
}

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

/** IDs of terms, of whatever taxonomy. */
export function allTerms(terms: TermsByTaxonomy): number[] {
  return [...terms.values()].flat()
}

/** Gives a post terms in place of those it has of the same taxonomies; what is no term of the taxonomy is left out. */
async function assignTerms(
  tx: Store,
  post: number,
  before: TermsByTaxonomy,
  wanted: TermsByTaxonomy,
): Promise<TermChanges> {
  const asked = [...new Set(allTerms(wanted))].filter(Number.isSafeInteger)
  const there =
    asked.length === 0
      ? []
      : await tx.all(tx.db.selectFrom('terms').select(['id', 'taxonomy']).where('id', 'in', asked))
  const taxonomies = new Map(there.map(({ id, taxonomy }) => [id, taxonomy]))
  const rows: { post_id: number; term_id: number; position: number }[] = []
  const gone: number[] = []
  for (const [taxonomy, given] of wanted) {
    const ids = [...new Set(given)].filter(Number.isSafeInteger)
    const had = before.get(taxonomy) ?? []
    gone.push(...had.filter((id) => !ids.includes(id)))
    for (const [position, id] of ids.entries()) {
      if (taxonomies.get(id) === taxonomy && !had.includes(id)) rows.push({ post_id: post, term_id: id, position })
    }
  }
  const { db } = tx
  if (gone.length > 0)
    await tx.run(db.deleteFrom('term_relationships').where('post_id', '=', post).where('term_id', 'in', gone))
  if (rows.length > 0) await tx.run(db.insertInto('term_relationships').values(rows))
  return { added: rows.map((row) => row.term_id), gone }
}

async function termsOfFormat(tx: Store, format: string): Promise<number[]> {
  const slug = slugOfFormat(format)
  return format === POST_FORMATS[0] ? [] : [await termOfSlug(tx, FORMAT_TAXONOMY, slug, slug)]
}

/** The term of a slug in a taxonomy, created where there is none. */
async function termOfSlug(tx: Store, taxonomy: string, slug: string, name: string): Promise<number> {
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
