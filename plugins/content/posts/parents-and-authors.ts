import type { CurrentUser } from '../../../kernel/index.ts'
import { idsWithAncestors, type Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'

/** Maximum depth of a post, and of the search for a cycle. */
const MAX_LEVELS = 1000

/**
 * Returns the requested parent, or 0 if the post would become its own ancestor.
 * @param id 0 for a new post
 * @throws rest_post_invalid_id if the parent has been deleted, rest_invalid_field if the post would be nested too deep
 */
export async function parentFor(tx: Store, id: number, parent: number): Promise<number> {
  if (parent === 0) return 0
  const ids = await idsWithAncestors(tx, 'posts', parent, MAX_LEVELS)
  if (ids.length === 0) throw errors.rest_post_invalid_id({ data: { status: 400 } })
  if (ids.includes(id) || new Set(ids).size < ids.length) return 0
  if (ids.length === MAX_LEVELS)
    throw errors.rest_invalid_field(`A post can be nested at most ${MAX_LEVELS} levels deep.`)
  return parent
}

/** @throws rest_invalid_author if the account has been deleted */
export async function checkAuthor(tx: Store, author: number, user: CurrentUser): Promise<void> {
  // Users with a login have an account. Plugins can provide users without one.
  if (author === 0 || (author === user.id && user.login === undefined)) return
  if (!(await hasAccount(tx, author))) throw errors.rest_invalid_author()
}

/** Author of a post that leaves the trash: the restoring user, if the account of the author has been deleted. */
export async function authorAfterTrash(tx: Store, author: number, user: CurrentUser): Promise<number> {
  return author === 0 || (await hasAccount(tx, author)) ? author : user.id
}

async function hasAccount(tx: Store, id: number): Promise<boolean> {
  return (await tx.first(tx.db.selectFrom('users').select('id').where('id', '=', id))) !== undefined
}
