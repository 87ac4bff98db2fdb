import { runAction, type Hooks } from '../../../kernel/index.ts'
import type { Store } from '../../storage/store/index.ts'
import { errors } from './errors.ts'
import { COLUMNS, type Post, type PostWrite } from './post.ts'

/** One transaction, and one writer after the other, so that slugs stay unique and nobody waits in a circle. */
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
 * The post as it is, now that nobody else changes it.
 * @throws rest_post_invalid_id, and what the check of the write throws
 */
export async function currentPost(tx: Store, id: number, { check }: PostWrite): Promise<Post> {
  const post = await tx.first(tx.db.selectFrom('posts').select(COLUMNS).where('id', '=', id))
  if (post === undefined) throw errors.rest_post_invalid_id()
  await check?.(post)
  return post
}

/** A post that was just stored. */
export async function storedPost(tx: Store, id: number): Promise<Post> {
  return (await tx.first(tx.db.selectFrom('posts').select(COLUMNS).where('id', '=', id)))!
}

/** Tells taps that a post is stored; `before` is null for a new one. The transaction is open. */
export async function runSaveActions(hooks: Hooks, after: Post, before: Post | null, write: PostWrite): Promise<void> {
  const from = before?.status ?? 'new'
  if (from !== after.status) await runAction(hooks.transition_post_status, after.status, from, after)
  await runAction(hooks.save_post, after, before, write)
}

/** Private posts have no password: they are open to those who may read them, and to nobody else. */
export function withoutPassword(status: string): { password?: '' } {
  return status === 'private' ? { password: '' } : {}
}
