import { firstFreeSlug } from '../../site/permalinks/index.ts'
import type { Store } from '../../storage/store/index.ts'

/** The slug, or where another user has it, the first with a number that nobody has. */
export function freeUserSlug(tx: Store, wanted: string): Promise<string> {
  return firstFreeSlug(wanted, async (slugs) => {
    const users = await tx.all(tx.db.selectFrom('users').select('slug').where(tx.isIn('slug', slugs)))
    return new Set(users.map(({ slug }) => slug))
  })
}
