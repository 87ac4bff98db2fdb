import { runAction, type Hooks } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import { COLUMNS, type Post, type PostWrite } from './post.ts'

/**
 * Runs work in one transaction, one writer at a time, so that slugs stay unique and writers cannot deadlock. Clears the
 * request cache before and after.
 */
export async function inTurn<T>(
  store: Store,
  { scope }: Pick<PostWrite, 'scope'>,
  work: (tx: Store) => Promise<T>,
): Promise<T> {
  try {
    return await store.inTurn(async (tx) => {
      scope.clear()
      return work(tx)
    })
  } finally {
    scope.clear()
  }
}

/**
 * Reads the current post inside the write turn and runs the check of the write.
 * @throws rest_post_invalid_id, and errors of the check
 */
export async function currentPost(tx: Store, id: number, { check }: PostWrite): Promise<Post> {
  const post = await tx.first(tx.db.selectFrom('posts').select(COLUMNS).where('id', '=', id))
  if (post === undefined) throw errors.rest_post_invalid_id()
  await check?.(post)
  return post
}

/** Reads a post that was just stored. */
export async function storedPost(tx: Store, id: number): Promise<Post> {
  return (await tx.first(tx.db.selectFrom('posts').select(COLUMNS).where('id', '=', id)))!
}

/** Runs the actions for a stored post in the open transaction; `before` is null for a new one. */
export async function runSaveActions(hooks: Hooks, after: Post, before: Post | null, write: PostWrite): Promise<void> {
  const from = before?.status ?? 'new'
  if (from !== after.status) await runAction(hooks.transition_post_status, after.status, from, after)
  await runAction(hooks.save_post, after, before, write)
}

/** Private posts have no password: users who may read them need none, and other users cannot read them. */
export function withoutPassword(status: string): { password?: '' } {
  return status === 'private' ? { password: '' } : {}
}
