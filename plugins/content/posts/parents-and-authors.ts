import type { CurrentUser } from '../../../kernel/index.ts'
import { idsWithAncestors, type Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'

/** Levels above that a post may be below, and that are looked through for itself. */
const MAX_LEVELS = 1000

/**
 * The parent asked for, unless the post would be above itself: then none.
 * @param id 0 for a post that is created
 * @throws rest_post_invalid_id when it has gone, rest_invalid_field when it is too far below others
 */
export async function parentFor(tx: Store, id: number, parent: number): Promise<number> {
  if (parent === 0) return 0
  const ids = await idsWithAncestors(tx, 'posts', parent, MAX_LEVELS)
  if (ids.length === 0) throw errors.rest_post_invalid_id({ data: { status: 400 } })
  if (ids.includes(id) || new Set(ids).size < ids.length) return 0
  if (ids.length === MAX_LEVELS)
    throw errors.rest_invalid_field(`Nothing is more than ${MAX_LEVELS} levels below another.`)
  return parent
}

/** @throws rest_invalid_author when the account has gone */
export async function checkAuthor(tx: Store, author: number, user: CurrentUser): Promise<void> {
  // Who has a login has an account; a plugin may know others, who have none.
  if (author === 0 || (author === user.id && user.login === undefined)) return
  if (!(await hasAccount(tx, author))) throw errors.rest_invalid_author()
}

/** Who is the author of a post that leaves the trash: whoever brings it back, where the account of the author has gone. */
export async function authorAfterTrash(tx: Store, author: number, user: CurrentUser): Promise<number> {
  return author === 0 || (await hasAccount(tx, author)) ? author : user.id
}

async function hasAccount(tx: Store, id: number): Promise<boolean> {
  return (await tx.first(tx.db.selectFrom('users').select('id').where('id', '=', id))) !== undefined
}
