import { firstFreeSlug } from '../../../resources/index.ts'
import type { ImportContext } from '../context.ts'
import type { WxrItem } from '../wxr/types.ts'

/** The slug of an item, or a similar one if another post of the site uses it. */
export async function freeSlug(
  { tx, counters }: ImportContext,
  type: string,
  { slug, title }: WxrItem,
  takenSlugs: ReadonlySet<string>,
): Promise<string> {
  if (type === 'revision' || !takenSlugs.has(`${type}\n${slug}`)) return slug
  const findTaken = async (slugs: readonly string[]) => {
    const query = tx.db.selectFrom('posts').select('slug').where('type', '=', type).where(tx.isIn('slug', slugs))
    return new Set((await tx.all(query)).map((post) => post.slug))
  }
  const free = await firstFreeSlug(slug, findTaken, { first: 2 })
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
