import { isThenable } from '../../../../kernel/index.ts'
import { firstFreeSlug, slugOwners } from '../../../resources/index.ts'
import type { ImportContext } from '../context.ts'
import type { WxrItem } from '../wxr/types.ts'

/**
 * The slug of an item, or a similar one if another post of the site uses it.
 * @param terms IDs of the terms of the item, by taxonomy
 */
export async function freeSlug(
  { tx, counters, slugHook }: ImportContext,
  type: string,
  { slug, title, parent }: WxrItem,
  takenSlugs: ReadonlySet<string>,
  terms: () => ReadonlyMap<string, readonly number[]>,
): Promise<string> {
  if (type === 'revision' || !takenSlugs.has(`${type}\n${slug}`)) return slug
  const findTaken = async (slugs: readonly string[]) => {
    const query = tx.db.selectFrom('posts').select(['id', 'slug']).where('type', '=', type)
    const rows = await tx.all(query.where(tx.isIn('slug', slugs)))
    const wanted = () => ({ kind: 'post' as const, type, id: 0, parent, slugs, terms: terms(), facts: {} })
    const owners = slugHook === undefined ? rows : slugOwners(slugHook, rows, type, wanted)
    return new Set((isThenable(owners) ? await owners : owners).map((owner) => owner.slug))
  }
  const free = await firstFreeSlug(slug, findTaken, { first: slugHook === undefined ? 2 : 1 })
  if (free === slug) return slug
  counters.note('item with a changed slug, because its slug is already used on this site', `${title}: ${free}`)
  return free
}

/** The slug of a revision or autosave, which starts with the ID of its post. */
export function revisionSlug(slug: string, parent: number): string {
  if (parent === 0) return slug
  return slug.replace(/^\d+(?=-(?:revision|autosave)-)/, String(parent))
}

/** Whether a slug is the wanted one, or the wanted one with a number that tells it from another post. */
export function isSlugOrNumbered(slug: string, wanted: string): boolean {
  return slug === wanted || (slug.startsWith(`${wanted}-`) && /^\d+$/.test(slug.slice(wanted.length + 1)))
}
